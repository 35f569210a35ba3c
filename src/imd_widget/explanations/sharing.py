"""Values that a shared page may show: each stands for many rows and reveals none of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.thresholds import shortest_between, shortest_moment

#: How often the rows around a quantile are doubled until a number lies between them.
_WIDENED = 3


def shared_values(values: NDArray[Any], n_points: int, least: int) -> NDArray[Any]:
    """Return at most ``n_points`` values at about evenly spaced quantiles, none of a single row.

    Each of them is a value that ``least`` rows have, or the number with the fewest digits between
    the ends of ``least`` neighbouring values, as thresholds are. The least and the greatest value
    are not among them unless ``least`` rows share them.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers, moments or durations; none is missing.
    n_points : int
    least : int

    Returns
    -------
    ndarray of the dtype of ``values``, increasing
    """
    finite = np.sort(values if values.dtype.kind in "iumM" else values[np.isfinite(values)])
    distinct, number = np.unique(finite, return_counts=True)
    frequent = distinct[number >= least]
    if len(finite) < least or (len(frequent) and len(distinct) <= n_points):
        return frequent
    places = np.rint(np.linspace(0, len(finite) - least, n_points)).astype(np.intp)
    found = [_between(finite, np.unique(places), least)]
    if len(frequent) + len(found[0]) <= n_points:  # rare values that are not so rare, such as 0
        found.append(frequent)
    return np.unique(np.concatenate(found))


def _between(ordered: NDArray[Any], places: NDArray[np.intp], least: int) -> NDArray[Any]:
    """For the ``least`` values from each place on: the value they share, or one between them."""
    shortest = shortest_moment if ordered.dtype.kind in "mM" else shortest_between
    last = len(ordered) - 1
    found = []
    for scale in range(_WIDENED):
        more = least * (2**scale - 1) // 2
        low = ordered[np.maximum(places - more, 0)]
        high = ordered[np.minimum(places + least - 1 + more, last)]
        same = low == high
        apart = np.flatnonzero(~same)
        if ordered.dtype.kind in "mM":  # the roundest moment begins the day of the upper end
            high = low + (high - low) // 2 + np.timedelta64(1, "us")
        between = shortest(low[apart], high[apart])
        inside = between < high[apart]  # the upper end may be the value of one row
        found += [low[same], between[inside]]
        places = places[apart[~inside]]
    return np.unique(np.concatenate(found))
