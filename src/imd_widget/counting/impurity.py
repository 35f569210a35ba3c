"""Impurity as integers, so that equal splits compare equal whatever the order of summation.

The cost of a node is its number of rows times its entropy, ``n H = n log2 n - sum c log2 c`` over
the counts c of its labels. Each term ``x log2 x`` is rounded once to a whole number of 1/65536
bits; from there on all arithmetic is exact.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Parts of a bit that impurities are counted in.
SCALE = 1 << 16


#: Counts below this are looked up.
FEW = 1 << 16


def x_log_x(counts: NDArray[Any]) -> NDArray[np.int64]:
    """``x log2 x`` of whole numbers from 0, in parts of a bit; 0 at 0 and 1."""
    if counts.size and counts.max() < FEW:
        return _terms_of_few().take(counts.astype(np.intp, copy=False))
    return _terms(counts)


def _terms(counts: NDArray[Any]) -> NDArray[np.int64]:
    x = np.maximum(counts, 1.0)
    terms = np.log2(x)
    terms *= x
    terms *= SCALE
    return np.asarray(np.rint(terms), dtype=np.int64)


@cache
def _terms_of_few() -> NDArray[np.int64]:
    """The terms of all counts below `FEW`: looking one up takes less time than a logarithm."""
    return _terms(np.arange(FEW))


def impurity(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Rows times entropy of each histogram along the first axis; 0 exactly where it is pure."""
    return np.asarray(x_log_x(counts.sum(axis=0)) - x_log_x(counts).sum(axis=0))
