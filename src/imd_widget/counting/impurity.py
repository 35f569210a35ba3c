"""Impurity as integers, so that equal splits compare equal whatever the order of summation.

The cost of a node is its number of rows times its entropy, ``n H = n log2 n - sum c log2 c`` over
the counts c of its labels. Each term ``x log2 x`` is rounded once to a whole number of 1/65536
bits; from there on all arithmetic is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Parts of a bit that impurities are counted in.
SCALE = 1 << 16


def x_log_x(counts: NDArray[Any]) -> NDArray[np.int64]:
    """``x log2 x`` of whole numbers, in parts of a bit; 0 at 0 and 1."""
    x = np.maximum(counts, 1).astype(np.float64)
    return np.asarray(np.rint(x * np.log2(x) * SCALE), dtype=np.int64)


def impurity(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Rows times entropy of each histogram along the first axis; 0 exactly where it is pure."""
    return np.asarray(x_log_x(counts.sum(axis=0)) - x_log_x(counts).sum(axis=0))
