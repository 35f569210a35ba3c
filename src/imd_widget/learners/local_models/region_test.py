"""Whether the local models find more than chance offers: a permutation test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class RegionTest:
    """What the local models gain, beside what they gain where there is nothing to find.

    Attributes
    ----------
    gain : float
        Share of the training rows by which the error is smaller than that of the global model
        alone.
    null_gains : tuple of float
        The same after each shuffle.
    """

    gain: float
    null_gains: tuple[float, ...]

    @property
    def p_value(self) -> float:
        """Share of the shuffles with at least this gain; the table itself counts as one."""
        reached = sum(gain >= self.gain - 1e-12 for gain in self.null_gains)
        return (1 + reached) / (1 + len(self.null_gains))

    def __str__(self) -> str:
        return (
            f"The local models reduce the training error by {100 * self.gain:.1f} points. Where "
            f"the classes are shuffled they reduce it by {100 * np.mean(self.null_gains):.1f} "
            f"points on average (p = {self.p_value:.3g}, {len(self.null_gains)} shuffles)."
        )


def gain_of(history: pd.DataFrame) -> float:
    """How much smaller the error of the chosen iteration is than that of the global model alone."""
    chosen = float(history.loc[history["chosen"], "error"].iloc[0])
    return float(history["global_error"].iloc[0]) - chosen


def shuffled_within(y: NDArray[Any], said: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The classes, shuffled among the rows with the same prediction."""
    shuffled = y.copy()
    for label in np.unique(said):
        rows = np.flatnonzero(said == label)
        shuffled[rows] = y[rng.permutation(rows)]
    return shuffled
