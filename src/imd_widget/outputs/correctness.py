"""Counts of rows by which model is right, where the truth is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.observations import BOTH, NEITHER, ONLY_FIRST, ONLY_SECOND, UNKNOWN


@dataclass(frozen=True)
class RightCounts:
    """Numbers of rows by which model is right; sums of weights if rows have weights."""

    both: float
    #: Only model 1 is right: replacing it by model 2 breaks these rows.
    first: float
    #: Only model 2 is right: replacing model 1 by it fixes these rows.
    second: float
    neither: float
    unknown: float


@dataclass(frozen=True)
class Right(RightCounts):
    """Rows by who is right about them; by weight, where rows have weights (1 on average).

    Attributes
    ----------
    both, first, second, neither : int or float
        Both models are right, only model 1 is, only model 2 is, none is.
    unknown : int or float
        Rows without a truth.
    errors : tuple of two float, or None
        Of values and probabilities: how far either model is off the truth, on average over the
        rows that have one: the mean absolute error. (Of a probability the truth is 0 or 1.)
    rmse : tuple of two float, or None
        The same as the root of the mean squared error; of probabilities, its square is the Brier
        score.
    mean_y : float or None
        Of values and probabilities: the mean of the truth.
    mean_outputs : tuple of two float, or None
        The mean of either model's outputs over the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> import imd_widget as imd
    >>> X = np.arange(100).reshape(100, 1)
    >>> old, new, truth = X[:, 0] < 40, X[:, 0] < 60, X[:, 0] < 55
    >>> right = imd.diff(old, new, X, y=truth).right
    >>> right.fixes, right.breaks, right.net
    (15, 5, 10)
    >>> right.accuracy
    (0.85, 0.95)
    """

    errors: tuple[float, float] | None = None
    rmse: tuple[float, float] | None = None
    mean_y: float | None = None
    mean_outputs: tuple[float, float] | None = None

    @classmethod
    def of(
        cls, weight: NDArray[np.int64], unit: float, sums: NDArray[np.float64] | None = None
    ) -> Right:
        """Counts from the weight of the rows by which model is right.

        Parameters
        ----------
        weight : ndarray of shape (5,)
        unit : float
            Weight of an average row.
        sums : ndarray of shape (7,), optional
            The sums with the truth, by weight; see `Tally.sums`. None or empty for classes.
        """

        def amount(who: int) -> float:
            return int(weight[who]) if unit == 1 else float(weight[who]) / unit

        known = int(weight.sum() - weight[UNKNOWN])
        counts = cls(
            both=amount(BOTH),
            first=amount(ONLY_FIRST),
            second=amount(ONLY_SECOND),
            neither=amount(NEITHER),
            unknown=amount(UNKNOWN),
        )
        if sums is None or not len(sums) or not known:
            return counts
        return replace(counts, **_number_means(sums, known))

    @property
    def fixes(self) -> float:
        """Rows that going from model 1 to model 2 puts right."""
        return self.second

    @property
    def breaks(self) -> float:
        """Rows that going from model 1 to model 2 gets wrong."""
        return self.first

    @property
    def both_right(self) -> float:
        """Rows about which both models are right."""
        return self.both

    @property
    def neither_right(self) -> float:
        """Rows about which neither model is right."""
        return self.neither

    @property
    def net(self) -> float:
        """Fixes less breaks."""
        return self.second - self.first

    @property
    def known(self) -> float:
        """Rows with a truth."""
        return self.both + self.first + self.second + self.neither

    @property
    def accuracy(self) -> tuple[float, float]:
        """Share of the rows with a truth about which either model is right; NaN without any."""
        if not self.known:
            return float("nan"), float("nan")
        return (self.both + self.first) / self.known, (self.both + self.second) / self.known


class _NumberMeans(TypedDict):
    """Fields of `Right` about numbers."""

    errors: tuple[float, float]
    rmse: tuple[float, float]
    mean_y: float
    mean_outputs: tuple[float, float]


def _number_means(sums: NDArray[np.float64], known: int) -> _NumberMeans:
    """Means to the digits that do not depend on the order of rows."""

    def short(mean: float) -> float:
        return float(f"{mean:.10g}")

    *means, mean_y = (sums / known).tolist()
    first, second, first_square, second_square, first_bias, second_bias = means
    return _NumberMeans(
        errors=(short(first), short(second)),
        rmse=(short(math.sqrt(first_square)), short(math.sqrt(second_square))),
        mean_y=short(mean_y),
        mean_outputs=(short(mean_y + first_bias), short(mean_y + second_bias)),
    )


#: Counts of `Right` by the names that reports and tables have for them.
RIGHT_COUNTS = ("both_right", "fixes", "breaks", "net", "neither_right", "unknown")

#: Fields of `Right` about values and probabilities, by the names that reports have for them.
RIGHT_NUMBERS = tuple(_NumberMeans.__annotations__)


def who_is_right(
    first: NDArray[np.bool_], second: NDArray[np.bool_], known: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Which model is right about each row: `BOTH`, `ONLY_FIRST`, ... or `UNKNOWN`."""
    right = np.full(len(first), NEITHER, dtype=np.uint8)
    right[first & second] = BOTH
    right[first & ~second] = ONLY_FIRST
    right[second & ~first] = ONLY_SECOND
    right[~known] = UNKNOWN
    return right
