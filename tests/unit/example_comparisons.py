"""Comparisons whose views the front-end's tests draw: tests/golden/comparisons has one of each.

The models are rules of thumb, so that no library's fitting changes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import imd_widget as imd

COMPARISONS: dict[str, Callable[[], imd.ModelComparison]] = {}


def example(make: Callable[[], imd.ModelComparison]) -> Callable[[], imd.ModelComparison]:
    COMPARISONS[make.__name__] = cached = cache(make)
    return cached


def loans(n: int = 1200) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Who pays a loan back, by a rule with some noise."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.integers(8, 120, n),
            "job": rng.choice(["clerk", "nurse", "cook"], n),
        }
    )
    pays = (X["age"] + X["income"] > 95).to_numpy() ^ (rng.random(n) < 0.08)
    return X, np.where(pays, "yes", "no")


def scorecard(age: float, income: float, bar: float, *, cooks: bool = True) -> Callable[..., Any]:
    """A linear rule; without ``cooks`` it says no to them."""

    def predict(table: pd.DataFrame) -> np.ndarray[Any, Any]:
        said = age * table["age"] + income * table["income"] > bar
        return np.where(said & (cooks | (table["job"] != "cook")), "yes", "no")

    return predict


@example
def six() -> imd.ModelComparison:
    """Six candidates with ground truth: two nearly the same, one apart, one with a long name."""
    X, y = loans()
    models = {
        "LR": scorecard(1, 1, 97),
        "RF": scorecard(1, 0.9, 90),
        "GB": scorecard(1, 0.92, 91),
        "by hand": scorecard(0, 1, 60),
        "without cooks": scorecard(1, 1, 95, cooks=False),
        "gradient boosting, 500 trees": scorecard(1, 1.1, 99),
    }
    return imd.compare(models, X, y=y, max_depth=3)


@example
def two() -> imd.ModelComparison:
    """Two models, and no ground truth."""
    X, _ = loans()
    models = {"old": scorecard(1, 1, 97), "new": scorecard(1, 1, 97, cooks=False)}
    return imd.compare(models, X, max_depth=3)


@example
def thirty() -> imd.ModelComparison:
    """As many versions of one model as are compared at most."""
    X, y = loans()
    rng = np.random.default_rng(1)
    models = {
        f"model_2024_{i:02d}": scorecard(1, 1 + drift, 95 + 50 * drift, cooks=i % 7 != 0)
        for i, drift in enumerate(rng.normal(0, 0.35, 30))
    }
    return imd.compare(models, X, y=y, max_depth=3)


@example
def prices() -> imd.ModelComparison:
    """Values with a tolerance, rows of different weight, and ground truth."""
    X, _ = loans()
    base = 20 + 0.5 * X["income"] + 0.2 * X["age"]
    models = {
        "2022": base.to_numpy(),
        "2023": (base + 6 * (X["job"] == "nurse")).to_numpy(),
        "2024": (base * 1.1).to_numpy(),
    }
    weight = np.random.default_rng(2).uniform(0.5, 3, len(X))
    return imd.compare(
        models, X, y=(base + 1).to_numpy(), tolerance=5, sample_weight=weight, max_depth=3
    )


@example
def same() -> imd.ModelComparison:
    """Three models that never differ."""
    X, _ = loans(200)
    return imd.compare([scorecard(1, 1, 97)] * 3, X, names=["a", "b", "c"], max_depth=2)


@example
def hostile() -> imd.ModelComparison:
    """Names as someone who means harm, or knows nothing of HTML, would choose them."""
    X, y = loans(300)
    names = ['<img src=x onerror="window.pwned=1">', "__proto__", "a very long name " * 8]
    return imd.compare(
        [scorecard(1, 1, bar) for bar in (90, 97, 104)], X, y=y, names=names, max_depth=2
    )
