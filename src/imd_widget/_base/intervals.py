"""Confidence intervals of shares: Wilson's, with fewer effective rows for weights and groups."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: Quantile of the standard normal distribution for a two-sided interval of 95 %.
QUANTILE_95 = 1.959963984540054
#: An interval is shown beside its share if it is wider than this.
WIDE = 0.1


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``n`` rows after Wilson (1927).

    ``(share + z^2 / 2n ± z sqrt(share (1 - share) / n + z^2 / 4n^2)) / (1 + z^2 / n)`` with
    ``z = 1.96``; (0, 1) if ``n`` is (nearly) 0. It contains the share and stays within 0 and 1.

    Examples
    --------
    >>> [round(end, 2) for end in wilson(0.5, 6)]
    [0.19, 0.81]
    """
    if n < 1e-6 or math.isnan(share):
        return 0.0, 1.0
    z2 = QUANTILE_95**2
    middle = share + z2 / (2 * n)
    half = QUANTILE_95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # rounding may leave the end just inside a share of 0 or 1
    low, high = (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def effective_size(
    event: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> float:
    """Return the number of independent rows that tell as much about the share of an event.

    The variance of the share ``p`` is that of a ratio of sums over groups,
    ``sum_g (d_g - p n_g)^2 * G / (G - 1) / (sum_g n_g)^2``, where ``n_g`` is the weight of the
    rows of a group and ``d_g`` that of those with the event; a row is a group of its own if
    ``groups`` is None. The result is ``p (1 - p) / variance``, at most the number of rows and at
    least 1. Where the variance is 0 it is ``(sum_g n_g)^2 / sum_g n_g^2``.

    Parameters
    ----------
    event : ndarray of bool, shape (n_rows,)
    weight : ndarray of shape (n_rows,), optional
    groups : ndarray of int, shape (n_rows,), optional
    """
    n_rows = len(event)
    equal = weight is None or (n_rows > 0 and bool((weight == weight[0]).all()))
    if not n_rows or (equal and groups is None):
        return float(n_rows)
    weight = np.ones(n_rows) if weight is None else weight
    numbers = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(numbers, weights=weight)
    events = np.bincount(numbers, weights=weight * event)
    total = sizes.sum()
    if not total:
        return 0.0
    share, n_groups = events.sum() / total, len(sizes)
    correction = n_groups / (n_groups - 1) if n_groups > 1 else 1.0
    variance = float((((events - share * sizes) / total) ** 2).sum()) * correction
    if n_groups > 1 and variance > 0:
        size = share * (1 - share) / variance
    else:
        size = total**2 / float((sizes**2).sum())
    return float(min(max(size, 1.0), n_rows))
