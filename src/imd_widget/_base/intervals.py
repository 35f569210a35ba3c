"""Confidence intervals of shares: Wilson's, widened for weights, groups and refitted rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

#: Probability below the upper end of a two-sided interval of 95 %.
UPPER = 0.975
#: Quantile of the standard normal distribution for that probability.
QUANTILE_95 = 1.959963984540054
#: An interval is shown beside its share if it is wider than this.
WIDE = 0.1
#: The interval if nothing is known.
UNKNOWN = (0.0, 1.0)
#: With fewer groups than this, or fewer degrees of freedom, the interval is `UNKNOWN`: it would be
#: about 0.7 wide.
FEWEST_GROUPS, FEWEST_DEGREES = 3, 2.0
#: Largest share of one group in the correction of its residual, which is infinite for 1.
LARGEST_SHARE = 0.95
#: Rows of the base rate in a corrected share. Chosen together with the standard error, on model
#: pairs: it is right on average, and about 5 % of the rules have a significantly lower rate on new
#: rows.
PRIOR_ROWS = 10.0


@dataclass(frozen=True)
class SampleSize:
    """The information that some rows hold about a share."""

    #: Number of independent rows with the same variance of the share.
    n: float
    #: Degrees of freedom of that variance; infinite for independent rows of one weight.
    degrees: float = math.inf
    #: Number of groups of rows; None if rows are independent.
    n_units: int | None = None

    @property
    def is_enough(self) -> bool:
        """Whether there are enough groups and degrees of freedom for an interval."""
        enough_groups = self.n_units is None or self.n_units >= FEWEST_GROUPS
        return self.n >= 1e-6 and enough_groups and self.degrees >= FEWEST_DEGREES


@dataclass(frozen=True)
class Spread:
    """Variance of a share that is not due to the rows on which it is measured."""

    variance: float
    #: Degrees of freedom of the variance.
    degrees: float


def wilson(share: float, n: float, z: float = QUANTILE_95) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``n`` rows after Wilson (1927).

    ``(share + z^2 / 2n ± z sqrt(share (1 - share) / n + z^2 / 4n^2)) / (1 + z^2 / n)`` with
    ``z = 1.96``; (0, 1) if ``n`` is (nearly) 0. It contains the share and stays within 0 and 1.

    Examples
    --------
    >>> [round(end, 2) for end in wilson(0.5, 6)]
    [0.19, 0.81]
    """
    if n < 1e-6 or math.isnan(share):
        return UNKNOWN
    z2 = z**2
    middle = share + z2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # rounding may leave the end just inside a share of 0 or 1
    low, high = (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def share_interval(
    share: float, size: SampleSize, spread: Spread | None = None
) -> tuple[float, float]:
    """Return the 95 % interval of a share; `UNKNOWN` if the rows are too few to tell.

    It is Wilson's, with a quantile of Student's t for the degrees of freedom. ``spread`` adds its
    variance to that of the rows; the degrees of the sum are Satterthwaite's.

    Parameters
    ----------
    share : float
    size : SampleSize
        Of the rows on which the share is measured.
    spread : Spread, optional
    """
    if math.isnan(share) or not size.is_enough:
        return UNKNOWN
    n, degrees = size.n, size.degrees
    if spread is not None and spread.variance > 0:
        # a share of 0 or 1 has some variance left
        inner = min(max(share, 1 / (n + 2)), 1 - 1 / (n + 2))
        total, degrees = with_spread(inner * (1 - inner) / n, degrees, spread)
        n = inner * (1 - inner) / total
    return wilson(share, n, _quantile(degrees))


def corrected_share(share: float, n: float, base: float) -> float:
    """Return what to expect on new rows of a share of ``n`` rows that a subset was chosen for.

    The subset was chosen because the share is large on these rows, so that it is smaller on others.
    The result is shrunk towards the share ``base`` of all rows by `PRIOR_ROWS`, less one standard
    error, but not below ``base``. A share below ``base`` is only shrunk. NaN without rows.

    Examples
    --------
    >>> [round(corrected_share(0.9, n, base=0.2), 2) for n in (5, 50, 5000)]
    [0.31, 0.73, 0.89]
    """
    if n < 1e-6 or math.isnan(share):
        return math.nan
    shrunk = (share * n + base * PRIOR_ROWS) / (n + PRIOR_ROWS)
    error = math.sqrt(shrunk * (1 - shrunk) / (n + PRIOR_ROWS))
    return max(shrunk - error, min(shrunk, base))


def size_of_interval(share: float, interval: tuple[float, float]) -> float:
    """Return the number of independent rows for which Wilson's interval of a share is this one.

    Examples
    --------
    >>> round(size_of_interval(0.25, wilson(0.25, 40)))
    40
    """
    low, high = interval
    end = low if share > 0 else high
    if not 0 < end < 1 or end == share:
        return 0.0
    return QUANTILE_95**2 * end * (1 - end) / (share - end) ** 2


def with_spread(of_rows: float, degrees: float, spread: Spread) -> tuple[float, float]:
    """Return the sum of two variances, and its degrees of freedom after Satterthwaite."""
    total = of_rows + spread.variance
    if not total:
        return 0.0, math.inf
    share = of_rows / total  # the squares of large variances would overflow
    doubt = share**2 / degrees + (1 - share) ** 2 / spread.degrees
    return total, 1 / doubt if doubt else math.inf


def _quantile(degrees: float) -> float:
    return QUANTILE_95 if math.isinf(degrees) else float(stdtrit(degrees, UPPER))


@dataclass(frozen=True)
class MeanSpread:
    """A weighted mean, and how well some rows determine it."""

    #: The mean and its variance, the bias-reduced estimate "CR2" of Bell and McCaffrey (2002).
    mean: float
    variance: float
    #: Degrees of freedom of the variance; 0 for one unit.
    degrees: float
    #: Number of units of equal weight that have the same sum of squared shares.
    kish: float
    #: Number of groups, or of rows without groups.
    n_units: int


def mean_spread(
    values: NDArray[np.float64] | NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> MeanSpread:
    """Return the mean of some values and its variance.

    Units are groups, or rows if ``groups`` is None. With the weight ``s`` of a unit, the weighted
    sum ``e`` of its values, ``b = s / sum(s)`` and the mean ``m``, the variance is
    ``sum((e - m s)^2 / (1 - b)) / sum(s)^2``. For rows of one weight it is the variance of the rows
    divided by their number, with one degree of freedom less than rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        At least one row.
    weight : ndarray of shape (n_rows,), optional
        Positive numbers.
    groups : ndarray of int, shape (n_rows,), optional
    """
    n_rows = len(values)
    weight = np.ones(n_rows) if weight is None else weight
    unit = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(unit, weights=weight)
    sums = np.bincount(unit, weights=weight * values)
    total = sizes.sum()
    mean, part = sums.sum() / total, sizes / total
    kish = 1 / float((part**2).sum())
    if len(sizes) == 1:
        return MeanSpread(float(mean), 0.0, 0.0, kish, 1)
    leverage = np.minimum(part, LARGEST_SHARE)
    residuals = (sums - mean * sizes) / total
    variance = float((residuals**2 / (1 - leverage)).sum())
    return MeanSpread(float(mean), variance, _degrees(part, leverage), kish, len(sizes))


def counting_rows(
    weight: NDArray[np.float64] | None, *arrays: NDArray[Any] | None
) -> tuple[NDArray[np.float64] | None, list[NDArray[Any] | None]]:
    """Return weights and other arrays without the rows of weight 0; None for equal weights."""
    if weight is not None and not weight.all():
        counts = weight > 0
        weight = weight[counts]
        arrays = tuple(None if array is None else array[counts] for array in arrays)
    if weight is not None and len(weight) and bool((weight == weight[0]).all()):
        weight = None
    return weight, list(arrays)


def sample_size(
    event: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> SampleSize:
    """Return the effective sample size of some rows for the share of an event.

    The number of rows is ``p (1 - p) / variance`` with the variance of `mean_spread`, at most the
    number of rows and at least 1; it is ``sum(s)^2 / sum(s^2)`` with the weights ``s`` of units if
    the variance is 0. The degrees of freedom are those of Satterthwaite for units with independent
    events. Rows of weight 0 do not count.

    Parameters
    ----------
    event : ndarray of bool, shape (n_rows,)
    weight : ndarray of shape (n_rows,), optional
    groups : ndarray of int, shape (n_rows,), optional
    """
    return _size_of(event, weight, groups, lambda share: share * (1 - share))


def net_size(
    net: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> SampleSize:
    """Return the effective sample size of some rows for the mean of values that are -1, 0 or 1.

    As `sample_size`, with the variance of such values in place of ``p (1 - p)``.

    Parameters
    ----------
    net : ndarray of shape (n_rows,)
        1 where only the second model is right, -1 where only the first one is, otherwise 0.
    weight : ndarray of shape (n_rows,), optional
    groups : ndarray of int, shape (n_rows,), optional
    """
    moved = float(np.average(net != 0, weights=weight)) if len(net) else 0.0
    return _size_of(net, weight, groups, lambda mean: moved - mean**2)


def _size_of(
    values: NDArray[Any],
    weight: NDArray[np.float64] | None,
    groups: NDArray[np.integer] | None,
    variance_of_row: Callable[[float], float],
) -> SampleSize:
    """Return how many independent rows determine the mean of values as well.

    ``variance_of_row`` is the variance of the value of one row, from the mean.
    """
    weight, (own, units) = counting_rows(weight, values, groups)
    assert own is not None
    n_rows = len(own)
    if not n_rows or (weight is None and units is None):
        return SampleSize(float(n_rows))
    found = mean_spread(own, weight, units)
    n_units = None if units is None else found.n_units
    if found.n_units == 1:
        return SampleSize(1.0, 0.0, n_units)
    inner = variance_of_row(found.mean)
    size = inner / found.variance if found.variance > 0 and inner > 0 else found.kish
    return SampleSize(float(min(max(size, 1.0), n_rows)), found.degrees, n_units)


def _degrees(part: NDArray[np.float64], leverage: NDArray[np.float64]) -> float:
    """Return Satterthwaite's degrees of freedom of the variance in `mean_spread`; at least 1.

    The trace of a matrix, squared, divided by the trace of its square; both in closed form.

    Parameters
    ----------
    part, leverage : ndarray of shape (n_units,)
        The share of each unit in the weight, and the same but at most `LARGEST_SHARE`.
    """
    square, factor = part**2, 1 / (1 - leverage)
    total = square.sum()
    more = leverage**2 * total - 2 * leverage * square
    p0 = (factor * leverage**2).sum()
    p1 = (factor * square**2).sum()
    p2 = (factor * leverage * square).sum()
    trace = (factor * (square + more)).sum()
    diagonal = (factor**2 * (square**2 + 2 * square * more)).sum()
    squares = diagonal + 2 * p0 * p1 + 2 * p2**2 + (total * p0) ** 2 - 4 * total * p0 * p2
    return max(float(trace**2 / squares), 1.0)
