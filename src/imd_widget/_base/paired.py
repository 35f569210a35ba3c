"""Tests and intervals of paired differences: two models on the same rows.

The net is the share of rows on which only the second model is right, less the share on which only
the first one is. Its interval is the score interval of Tango (1998), on as many independent rows as
the rows are worth (`imd_widget._base.intervals`), with a quantile of Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betainc, betaincinv, gammaln, stdtr, stdtrit

from imd_widget._base.intervals import SampleSize, wilson

#: Level of all tests, over all that are made together.
LEVEL = 0.05
#: Steps of bisection: the ends of an interval are exact to about 1e-12.
N_STEPS = 42


def mcnemar(first: float, second: float) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    Parameters
    ----------
    first, second : float
        Numbers of rows on which only the first, or only the second model is right.

    Examples
    --------
    >>> round(mcnemar(5, 15), 4)
    0.0414
    """
    fewer, total = min(first, second), first + second
    return min(1.0, 2 * float(bdtr(math.floor(fewer), int(total), 0.5))) if total else 1.0


def _least_first(first: float, second: float, n: float, net: float) -> float:
    """Return the likeliest share of rows on which only the first model is right, given the net."""
    linear = (2 * n - second + first) * net - first - second
    root = math.sqrt(max(linear**2 + 8 * n * first * net * (1 - net), 0.0))
    return (root - linear) / (4 * n)


def score(first: float, second: float, n: float, net: float) -> float:
    """Return the score statistic of Tango (1998) for a net, which is positive if it is larger.

    For a net of 0 it is McNemar's, ``(second - first) / sqrt(first + second)``.

    Parameters
    ----------
    first, second : float
        Numbers of rows on which only the first, or only the second model is right.
    n : float
        Number of rows.
    net : float
        The net under the hypothesis, -1 to 1.
    """
    distance = second - first - n * net
    variance = n * (2 * _least_first(first, second, n, net) + net * (1 - net))
    if variance <= 1e-12:
        return math.copysign(math.inf, distance) if abs(distance) > 1e-9 else 0.0
    return distance / math.sqrt(variance)


def net_interval(
    first: float, second: float, size: SampleSize, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return the two-sided interval of a net; None if there are too few rows.

    Parameters
    ----------
    first, second : float
        Shares of the rows on which only the first, or only the second model is right.
    size : SampleSize
        Of the rows.
    level : float, default=0.05
        The interval misses the true net in this share of the cases.

    Examples
    --------
    >>> [round(end, 3) for end in net_interval(5 / 100, 15 / 100, SampleSize(100))]
    [0.013, 0.192]
    """
    if not size.is_enough:
        return None
    n, z = size.n, float(stdtrit(_finite(size.degrees), 1 - level / 2))
    # the lower end is that of swapped models, so that swapping negates the interval to the bit
    return -_upper(second * n, first * n, n, z), _upper(first * n, second * n, n, z)


def _upper(first: float, second: float, n: float, z: float) -> float:
    """Return the largest net whose score is at least ``-z``, by bisection."""
    inner, outer = (second - first) / n, 1.0
    for _ in range(N_STEPS):
        middle = (inner + outer) / 2
        if score(first, second, n, middle) < -z:
            outer = middle
        else:
            inner = middle
    return inner


def below(first: float, second: float, size: SampleSize, net: float) -> float:
    """Return the one-sided p-value of a true net that is at least ``net``.

    A small one shows that the true net is lower.
    """
    if not size.is_enough:
        return 1.0
    n = size.n
    return float(stdtr(_finite(size.degrees), score(first * n, second * n, n, net)))


def loss_above(first: float, second: float, size: SampleSize, limit: float) -> float:
    """Return the one-sided p-value of a true net loss of at most ``limit``.

    The larger one of two: that of the score, and that of the number of rows on which only the first
    model is right, among those on which one of them is, which is binomial. In the tails the score
    alone is too small where few rows break. For a limit of 0 the second one is exact.
    """
    if not size.is_enough:
        return 1.0
    n = size.n
    broken, fixed = first * n, second * n
    least = _least_first(broken, fixed, n, -limit)
    moved = 2 * least - limit
    share = least / moved if moved > 0 else 0.0
    counted = float(betainc(broken, fixed + 1, share)) if broken > 0 else 1.0
    return max(below(first, second, size, -limit), counted)


def loss_above_of_parts(
    moved: float, size: SampleSize, broken: float, fixed: float, limit: float
) -> float:
    """Return the one-sided p-value of a true net loss of at most ``limit``, from two sets of rows.

    With the share ``m`` of rows that move (exactly one model is right) and the share ``s`` of them
    that break, the net loss is ``m (2 s - 1)``. For any ``s0`` it is at most the limit only if
    ``s <= s0`` or ``m <= limit / (2 s0 - 1)``; both are binomial tests. ``s0`` is chosen where
    their p-values are equal, and the p-value is doubled for this choice.

    Parameters
    ----------
    moved : float
        Share of the rows that move, on rows not used to choose the region.
    size : SampleSize
        Of these rows.
    broken, fixed : float
        Numbers of rows on which only the first, or only the second model is right; the choice of
        the region may depend on how many there are together.
    limit : float
        Above 0.

    Examples
    --------
    >>> rows = SampleSize(5)
    >>> round(loss_above(1.0, 0.0, rows, 0.05), 4)
    0.0399
    >>> loss_above_of_parts(1.0, rows, 25, 1, 0.05) < 0.001
    True
    """
    if not size.is_enough or broken <= fixed:
        return 1.0
    events = moved * size.n

    def chances(breaks: float) -> tuple[float, float]:
        allowed = min(limit / (2 * breaks - 1), 1.0)
        of_moving = float(betainc(events, size.n - events + 1, allowed)) if events else 1.0
        return float(betainc(broken, fixed + 1, breaks)), of_moving

    low, high = (1 + limit) / 2, 1.0
    for _ in range(N_STEPS):
        middle = (low + high) / 2
        of_breaks, of_moving = chances(middle)
        low, high = (middle, high) if of_breaks < of_moving else (low, middle)
    return min(1.0, 2 * max(chances(high)))


def share_below(
    share: float, size: SampleSize, limit: float
) -> tuple[float, tuple[float, float] | None]:
    """Return the p-value of a true share of at least ``limit``, and the 90 % interval of the share.

    Exact for independent rows (binomial test); with weights or groups, on as many rows as they are
    worth.
    """
    if not size.is_enough:
        return 1.0, None
    n = size.n
    if math.isinf(size.degrees):
        chance = float(bdtr(math.floor(share * n + 1e-9), round(n), limit))
    else:
        error = math.sqrt(limit * (1 - limit) / n)
        chance = float(stdtr(size.degrees, (share - limit) / error))
    return chance, exact_interval(share, size)


def exact_interval(share: float, size: SampleSize) -> tuple[float, float] | None:
    """Return the 90 % interval of a share, each end a bound of 95 %; None if rows are too few.

    Exact for independent rows (Clopper and Pearson, 1934); otherwise Wilson's, on as many rows as
    they are worth.

    Examples
    --------
    >>> [round(end, 3) for end in exact_interval(0.0, SampleSize(100))]
    [0.0, 0.03]
    """
    if not size.is_enough:
        return None
    n, events = size.n, share * size.n
    if not math.isinf(size.degrees):
        return wilson(share, n, float(stdtrit(size.degrees, 1 - LEVEL)))
    low = float(betaincinv(events, n - events + 1, LEVEL)) if events else 0.0
    high = float(betaincinv(events + 1, n - events, 1 - LEVEL)) if events < n else 1.0
    return low, high


def mean_interval(
    mean: float, error: float | None, degrees: float, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return the two-sided interval of a mean with a standard error; None without one."""
    if error is None:
        return None
    half = float(stdtrit(_finite(degrees), 1 - level / 2)) * error
    return mean - half, mean + half


def mean_p_value(mean: float, error: float, degrees: float) -> float:
    """Return the two-sided p-value of a true mean of 0 (Student's t)."""
    if not error:
        return 0.0 if mean else 1.0
    return 2 * float(stdtr(_finite(degrees), -abs(mean) / error))


def _finite(degrees: float) -> float:
    """Return degrees of freedom that `scipy.special` accepts."""
    return min(degrees, 1e12)


def fisher(
    events_in: int, n_in: int, events_out: int, n_out: int, *, two_sided: bool = False
) -> float:
    """Return the p-value of Fisher's exact test of two rates.

    One-sided: the rate inside is no higher than outside. `scipy.stats` has this test too, but its
    import takes longer than a small diff.

    Examples
    --------
    >>> round(fisher(9, 10, 3, 10), 4)
    0.0099
    """
    events = events_in + events_out
    inside = np.arange(max(0, events - n_out), min(events, n_in) + 1)
    others = events - inside
    counts = np.stack([inside, n_in - inside, others, n_out - others])
    logs = -gammaln(counts + 1.0).sum(axis=0)
    chances = np.exp(logs - logs.max())
    observed = events_in - inside[0]
    if two_sided:  # equal chances may differ in the last digits
        extreme = chances[chances <= chances[observed] * (1 + 1e-7)]
    else:
        extreme = chances[observed:]
    return min(float(extreme.sum() / chances.sum()), 1.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for several tests after Holm (1979), in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given: NDArray[np.float64] = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")
    factors = np.arange(len(given), 0, -1)
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(np.maximum.accumulate(given[order] * factors), 1.0)
    return [float(value) for value in adjusted]
