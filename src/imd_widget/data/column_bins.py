"""Few bars for the many codes of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

#: Most bars of a column with an order, and of one without.
MOST_BARS, MOST_CATEGORIES = 24, 10
#: What the bar of all other categories is called.
OTHERS = "all others"


@dataclass(frozen=True, eq=False)
class Bins:
    """The bars of a histogram over the codes of a column."""

    #: The codes of each bar.
    codes: tuple[slice | list[int], ...]
    #: The ends of a column with an order, as far as thresholds show.
    low: str = ""
    high: str = ""
    #: The first bar on the "no" side of the split, of a column with an order.
    cut: int | None = None
    #: The label of each bar, of a column without an order.
    labels: tuple[str, ...] | None = None


def ordered_bins(cut: int, n_values: int, low: str, high: str) -> Bins:
    """Bars of neighbouring codes, such that none lies on both sides of the cut."""
    left = _groups(0, cut + 1, n_values)
    right = _groups(cut + 1, n_values, n_values)
    return Bins((*left, *right), low=low, high=high, cut=len(left))


def category_bins(cut: int, rows: NDArray[np.int64], names: Sequence[str]) -> Bins:
    """A bar for the code of the split, for the most frequent ones, and for the rest.

    Parameters
    ----------
    cut : int
        The code of the split; ``len(rows)`` if it separates missing values.
    rows : ndarray of shape (n_values,)
        Number of rows by code.
    names : sequence of str
        The label of each code.
    """
    asked = [cut] if cut < len(rows) else []
    order = [*asked, *(at for at in np.argsort(-rows, kind="stable").tolist() if at not in asked)]
    kept = [at for at in order[:MOST_CATEGORIES] if rows[at] or at in asked]
    rest = [at for at in order if at not in kept]
    codes, labels = [[at] for at in kept], [names[at] for at in kept]
    if rows[rest].sum():
        codes.append(rest)
        labels.append(OTHERS)
    return Bins(tuple(codes), labels=tuple(labels))


def _groups(start: int, stop: int, n_values: int) -> list[slice]:
    """Codes from ``start`` to ``stop`` in groups, as many as their share of all bars."""
    size = stop - start
    n_bars = min(size, max(1, round(MOST_BARS * size / n_values)))
    edges = np.linspace(start, stop, n_bars + 1).round().astype(int).tolist()
    return [slice(low, high) for low, high in pairwise(edges)]
