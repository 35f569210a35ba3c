"""Thresholds with the fewest digits between two neighbouring values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Units from coarse to fine; a threshold is a multiple of the coarsest possible unit.
_CALENDAR = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns")
_CLOCK = _CALENDAR[2:]


def shortest_moment(low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """The roundest moment or duration t such that ``low < t <= high``, elementwise.

    A moment is the start of the coarsest possible calendar unit (year, month, day, ...); a duration
    is a multiple of the coarsest possible unit.

    Parameters
    ----------
    low, high : ndarray of datetime64 or of timedelta64, shape (n,)
        ``low < high`` everywhere.

    Returns
    -------
    ndarray of the same dtype, shape (n,)
    """
    kind, units = ("datetime64", _CALENDAR) if high.dtype.kind == "M" else ("timedelta64", _CLOCK)
    best = high.copy()
    todo = np.ones(len(best), dtype=bool)
    for unit in units:
        start = high.astype(f"{kind}[{unit}]").astype(high.dtype)
        good = todo & (start > low) & (start <= high)
        best[good] = start[good]
        todo &= ~good
    return best


def shortest_between(low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """The number t with the fewest digits such that ``low < t <= high``, elementwise.

    Every such t splits the data between ``low`` and ``high`` in the same way, so the most readable
    one is chosen; among equally short ones, the one nearest to the middle of the gap.

    Parameters
    ----------
    low, high : ndarray of shape (n,)
        Arrays of the same integer or float dtype, with ``low < high`` everywhere.

    Returns
    -------
    ndarray of the same dtype, shape (n,)
    """
    best = high.copy()
    if not len(best):
        return best
    if high.dtype.kind == "f":  # replace infinities by the largest finite number
        limit = np.finfo(high.dtype).max
        low, high = np.clip(low, -limit, limit), np.clip(high, -limit, limit)
        best = high.copy()
    todo = np.ones(len(best), dtype=bool)
    around_zero = (low < 0) & (high >= 0)
    best[around_zero] = 0
    todo &= ~around_zero
    whole = low.dtype.kind in "iu"
    largest = float(np.maximum(np.abs(low.astype(float)), np.abs(high.astype(float))).max())
    top = int(np.floor(np.log10(largest))) if largest > 0 else 0
    bottom = 0 if whole else top - 330
    with np.errstate(all="ignore"):
        for exponent in range(top, bottom - 1, -1):
            if not todo.any():
                break
            left = np.flatnonzero(todo)
            candidate = _multiple(low[left], high[left], exponent, whole)
            good = (candidate > low[left]) & (candidate <= high[left])
            best[left[good]] = candidate[good]
            todo[left[good]] = False
            # beyond the precision of the dtype no more digits help: t stays `high`
            if not whole:
                size = np.maximum(np.abs(low[left]), np.abs(high[left])).astype(float)
                todo[left[exponent < np.log10(size) - 18]] = False
    return best


def _multiple(low: NDArray[Any], high: NDArray[Any], exponent: int, whole: bool) -> NDArray[Any]:
    """The multiple of ``10**exponent`` in (low, high] nearest to the middle, if there is one."""
    if whole:
        unit = low.dtype.type(10**exponent)
        first, last = low // unit + 1, high // unit
        middle = (low // 2 + high // 2) // unit
        return np.asarray(np.clip(middle, first, np.maximum(first, last)) * unit, low.dtype)
    # a power of ten is exact only with a non-negative exponent: divide by it, never multiply by
    # its rounded inverse, so that the result is the float nearest to the decimal
    power = np.float64(10.0) ** abs(exponent)
    lows, highs = low.astype(float), high.astype(float)
    scaled = (lows / power, highs / power) if exponent >= 0 else (lows * power, highs * power)
    first, last = np.floor(scaled[0]) + 1, np.floor(scaled[1])
    middle = np.clip(np.rint((scaled[0] + scaled[1]) / 2), first, np.maximum(first, last))
    if abs(exponent) > 22:  # beyond 10**22 powers of ten are not exact in floats
        exact = [float(f"{many:.0f}e{exponent}") if np.isfinite(many) else many for many in middle]
        return np.array(exact).astype(low.dtype)
    return (middle * power if exponent >= 0 else middle / power).astype(low.dtype)
