"""Counts of rows by which model is right, where the truth is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base import paired
from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.intervals import SampleSize
from imd_widget.counting.observations import BOTH, NEITHER, ONLY_FIRST, ONLY_SECOND, UNKNOWN
from imd_widget.outputs.number_text import amount


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


#: The losses that all numbers have.
ERRORS = ("absolute error", "squared error")


@dataclass(frozen=True)
class PairedLoss:
    """The mean loss of both models on the same rows, and the difference of the two.

    Attributes
    ----------
    name : str
        The loss: "absolute error", "squared error", "log loss", "deviance", or the name of a
        function.
    means : tuple of two float
        Mean loss of either model, by weight.
    difference : float
        Mean loss of model 2 less that of model 1: below 0 if model 2 is better.
    error : float or None
        Standard error of the difference; None if there are too few rows or groups.
    degrees : float
        Degrees of freedom of the standard error.
    asked : bool
        Whether ``loss=`` asked for it: reports then show it.

    Examples
    --------
    >>> import numpy as np
    >>> import imd_widget as imd
    >>> X = np.arange(200.0).reshape(200, 1)
    >>> y = X[:, 0] + np.resize([1, -1, 2, -2], 200)
    >>> d = imd.diff(X[:, 0], X[:, 0] + (X[:, 0] < 100), X, y=y, outputs="value", tolerance=0.5)
    >>> loss = d.correctness.losses[0]
    >>> loss.name, loss.means, round(loss.p_value, 2)
    ('absolute error', (1.5, 1.5), 1.0)
    """

    name: str
    means: tuple[float, float]
    difference: float
    error: float | None
    degrees: float
    asked: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the difference; None if there are too few rows or groups."""
        return paired.mean_interval(self.difference, self.error, self.degrees)

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of equal means (Student's t); None if there are too few rows."""
        if self.error is None:
            return None
        return paired.mean_p_value(self.difference, self.error, self.degrees)


class PairedNet:
    """How often either of two models is right: the net, its interval and tests."""

    #: Rows on which only model 1, or only model 2 is right, and rows with a truth.
    first: float
    second: float
    known: float
    #: Number of independent rows that determine the net as well; None if that was not computed.
    effective_rows: float | None
    #: Degrees of freedom of its variance; None: infinitely many.
    degrees: float | None

    @property
    def fixes(self) -> float:
        """Rows that going from model 1 to model 2 puts right."""
        return self.second

    @property
    def breaks(self) -> float:
        """Rows that going from model 1 to model 2 gets wrong."""
        return self.first

    @property
    def net(self) -> float:
        """Fixes less breaks."""
        return self.second - self.first

    @property
    def net_share(self) -> float:
        """`net` as a share of the rows with a truth: accuracy of model 2 less that of model 1."""
        return self.net / self.known if self.known else math.nan

    @property
    def net_share_interval(self) -> tuple[float, float] | None:
        """95 % interval of `net_share` (Tango's score interval); None if there are too few rows."""
        return self.net_share_interval_at(paired.LEVEL)

    def net_share_interval_at(self, level: float) -> tuple[float, float] | None:
        """Return the interval of `net_share` that misses it in a share ``level`` of the cases."""
        if self.size is None:
            return None
        return paired.net_interval(*self._moved, self.size, level)

    @property
    def net_interval(self) -> tuple[float, float] | None:
        """95 % interval of `net`, in rows; None if there are too few rows."""
        ends = self.net_share_interval
        return None if ends is None else (ends[0] * self.known, ends[1] * self.known)

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of both models being right equally often; None for too few rows.

        McNemar's exact test; with weights, groups or cross-fitting its score test on as many rows
        as the rows are worth, with Student's t.
        """
        size = self.size
        if size is None or not size.is_enough:
            return None
        if math.isinf(size.degrees) and size.n == self.known:
            return paired.mcnemar(self.first, self.second)
        first, second = sorted(self._moved)
        return min(1.0, 2 * paired.below(second, first, size, 0.0))

    @property
    def may_be_chance(self) -> bool | None:
        """Whether chance explains the net: 0 lies within its interval. None if that is unknown."""
        ends = self.net_share_interval
        return None if ends is None else ends[0] <= 0 <= ends[1]

    def net_text(self, as_share: bool = False) -> str:
        """Return the net and its 95 % interval: "+10 (+1 to +19)".

        ``as_share`` writes shares of the rows with a truth: "+10.0 % (+1.3 to +19.2 %)".
        """
        ends = self.net_share_interval if as_share else self.net_interval
        net = self.net_share if as_share else self.net
        if as_share:
            texts = [f"{100 * value:+.1f}" for value in (net, *(ends or ()))]
            unit = " %"
        else:
            # the ends are those of an estimate: no digits behind the point
            texts = [_signed(amount(net)), *(_signed(f"{end:,.0f}") for end in ends or ())]
            unit = ""
        shown, *limits = (text.replace("-", "−") for text in texts)
        if not limits:
            return f"{shown}{unit}"
        chance = ", may be chance" if self.may_be_chance and net else ""
        return f"{shown}{unit} ({limits[0]} to {limits[1]}{unit}{chance})"

    def loss_p_value(self, limit: float) -> float | None:
        """Return the one-sided p-value of a true net loss of at most ``limit``; None if unknown.

        The net loss is the share of rows that going from model 1 to model 2 breaks, less the share
        that it fixes. A small p-value shows that the loss is larger than the limit.
        """
        size = self.size
        return None if size is None else paired.loss_above(*self._moved, size, limit)

    def same_p_value(self, margin: float) -> float | None:
        """Return the p-value of a true net of at least ``margin`` either way; None if unknown.

        The larger one of two one-sided tests. A small p-value shows that the models are right
        equally often within the margin, a share of the rows with a truth.
        """
        size = self.size
        if size is None or not size.is_enough:
            return None
        loses = 1 - paired.below(*self._moved, size, -margin)
        return max(loses, paired.below(*self._moved, size, margin))

    @property
    def size(self) -> SampleSize | None:
        """The effective sample size of the rows for the net; None if that was not computed."""
        if self.effective_rows is None or not self.known:
            return None
        return SampleSize(
            self.effective_rows, math.inf if self.degrees is None else self.degrees, None
        )

    @property
    def _moved(self) -> tuple[float, float]:
        """Shares of the rows with a truth on which only model 1, or only model 2 is right."""
        return self.first / self.known, self.second / self.known


def _signed(number: str) -> str:
    return number if number.startswith("-") or number in ("0", "0.0") else f"+{number}"


@dataclass(frozen=True)
class Right(RightCounts, PairedNet, Displayed):
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
    losses : tuple of PairedLoss
        For values and probabilities: the mean absolute error, the mean squared error, for
        probabilities the log loss, and the loss given as ``loss``, with their paired differences.
        Empty where they were not computed: for nodes, on rows used to fit, in older files.
    effective_rows : float or None
        Number of independent rows with a truth that determine the net as well, which is lower than
        ``known`` with weights, groups or cross-fitting. None if ``net_interval`` and ``p_value``
        were not computed; 0 if there are too few rows or groups.
    degrees : float or None
        Degrees of freedom of the variance of the net; None: infinitely many.

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
    >>> [round(end, 1) for end in right.net_interval], round(right.p_value, 3)
    ([1.3, 19.2], 0.041)
    >>> print(right)
    15 fixes, 5 breaks, net +10 (+1 to +19), p = 0.041
    """

    errors: tuple[float, float] | None = None
    rmse: tuple[float, float] | None = None
    mean_y: float | None = None
    mean_outputs: tuple[float, float] | None = None
    losses: tuple[PairedLoss, ...] = ()
    effective_rows: float | None = None
    degrees: float | None = None

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

    def _report(self) -> Report:
        frame = pd.DataFrame(
            {
                "model 1": [f"{loss.means[0]:.4g}" for loss in self.losses],
                "model 2": [f"{loss.means[1]:.4g}" for loss in self.losses],
                "difference": [f"{loss.difference:+.4g}".replace("-", "−") for loss in self.losses],
                "p": [_chance(loss.p_value) for loss in self.losses],
            },
            index=pd.Index([loss.name for loss in self.losses], name="mean"),
        )
        return Report((f"{self}.",), frame if self.losses else None)

    def __str__(self) -> str:
        if not self.known:
            return "no row has a truth"
        words = [_plural(self.fixes, "fix", "fixes"), _plural(self.breaks, "break", "breaks")]
        chance = _chance(self.p_value)
        return ", ".join([*words, f"net {self.net_text()}", *([f"p {chance}"] if chance else [])])

    @property
    def both_right(self) -> float:
        """Rows about which both models are right."""
        return self.both

    @property
    def neither_right(self) -> float:
        """Rows about which neither model is right."""
        return self.neither

    @property
    def known(self) -> float:  # type: ignore[override]
        """Rows with a truth."""
        return self.both + self.first + self.second + self.neither

    @property
    def errors_may_be_chance(self) -> bool | None:
        """Whether chance explains the difference of mean absolute or squared errors."""
        intervals = [loss.interval for loss in self.losses if loss.name in ERRORS]
        known = [ends for ends in intervals if ends is not None]
        return any(low <= 0 <= high for low, high in known) if known else None

    @property
    def accuracy(self) -> tuple[float, float]:
        """Share of the rows with a truth about which either model is right; NaN without any."""
        if not self.known:
            return float("nan"), float("nan")
        return (self.both + self.first) / self.known, (self.both + self.second) / self.known


def _plural(rows: float, one: str, more: str) -> str:
    return f"{amount(rows)} {one if rows == 1 else more}"


def _chance(p_value: float | None) -> str:
    """Return a p-value as text: "< 0.001", "= 0.21"; empty if it is not known."""
    if p_value is None:
        return ""
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.{3 if p_value < 0.1 else 2}f}"


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
