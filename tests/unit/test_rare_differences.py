"""Regions of few rows: what a planted region needs to be found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import imd_widget as imd
from imd_widget.methods import calibrated


def planted(share: float, seed: int, n_rows: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Models of five columns that differ in a box of two others."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 8)), columns=list("abcdefgh"))
    X["job"] = rng.choice(list("uvwxyz"), n_rows)
    one = (X.a + 0.7 * X.b - 0.5 * X.c + 0.5 * (X.job == "u") > 0).to_numpy()
    edge = -norm.ppf(share**0.5)
    inside = ((X.g > edge) & (X.h < -edge)).to_numpy()
    return X, one, one ^ inside


def overlap(share: float, seed: int) -> float:
    """The overlap of the rules of 3,000 rows with the planted region, on 10,000 other rows."""
    X, one, two = planted(share, seed, 13_000)
    fit, rest = slice(3_000), slice(3_000, None)
    rules = imd.diff(one[fit], two[fit], X[fit], measure="none").rules
    found, wanted = rules.mask(X[rest]), (one != two)[rest]
    return float((found & wanted).sum() / (found | wanted).sum())


@pytest.mark.parametrize("share", [0.005, 0.01])
def test_a_region_of_few_rows_is_found(share: float) -> None:
    found = [overlap(share, seed) for seed in range(8)]
    assert min(found) > 0.5
    assert np.mean(found) > 0.85


def test_the_weight_of_differences_is_raised_where_they_are_rare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = []
    grow = calibrated._grow_shared_tree
    monkeypatch.setattr(
        calibrated,
        "_grow_shared_tree",
        lambda problem, objective, source: (
            weights.append(objective.differs) or grow(problem, objective, source)
        ),
    )
    X = pd.DataFrame({"a": np.arange(1000)})
    one = np.zeros(1000, dtype=int)
    for n_differing, options in (
        (10, {}),
        (10, {"diff_weight": 200}),
        (10, {"diff_weight": 0}),
        (20, {}),
        (0, {}),
    ):
        imd.diff(one, (X["a"] < n_differing).astype(int), X, measure="none", **options)
    entropy = -0.01 * np.log2(0.01) - 0.99 * np.log2(0.99)
    assert weights == [pytest.approx(4 / entropy), 200, 0, 5, 5]
