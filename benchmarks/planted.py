"""A planted regression: at one site with high vibration, the new model always says "runs"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Planted:
    """Machines, the truth, and the outputs of two models."""

    X: pd.DataFrame
    y: np.ndarray
    old: np.ndarray
    new: np.ndarray
    region: np.ndarray

    def frame(self) -> pd.DataFrame:
        """All of it as one table."""
        return self.X.assign(y=self.y, old=self.old, new=self.new)


def planted(
    seed: int = 0, n_inside: int = 30, n: int = 1200, broken: bool = True, wrong: float = 0.03
) -> Planted:
    """Return a table with ``n_inside`` rows in the region; ``broken=False`` leaves them alone.

    Both models are wrong on 3 % of the rows, independently of each other.
    """
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "site": random.choice(list("ABCDEFGH"), n),
            "vibration": random.random(n).round(3),
            "age": random.integers(0, 60, n),
        }
    )
    X.loc[(X["site"] == "C") & (X["vibration"] > 0.5), "site"] = "D"
    X.loc[: n_inside - 1, "site"] = "C"
    X.loc[: n_inside - 1, "vibration"] = (0.6 + 0.4 * random.random(n_inside)).round(3)
    region = np.arange(n) < n_inside
    order = random.permutation(n)
    X, region = X.iloc[order].reset_index(drop=True), region[order]
    runs = (random.random(n) < 0.6) & ~region
    y = np.where(runs, "runs", "stops")
    other = np.where(runs, "stops", "runs")
    old, new = (np.where(random.random(n) < wrong, other, y) for _ in range(2))
    if broken:
        new = np.where(region, "runs", new)
    return Planted(X, y, old, new, region)
