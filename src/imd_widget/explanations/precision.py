"""How small a difference of scores can be before it is no more than rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Differences up to this share of the range of a score count as none.
SHARE = 1e-9
#: So do differences up to this many units in the last place of its largest values.
UNITS = 64


def precision_of(low: float, high: float) -> float:
    """Return the largest difference of scores that counts as none, from the range of the scores.

    Nothing that is not larger is listed: no reason code, no importance, no R² of a target whose
    standard deviation it is.
    """
    largest = max(abs(low), abs(high))
    return max(SHARE * (high - low), UNITS * float(np.finfo(float).eps) * largest)


def cleared(values: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """Return the values, with 0 for those that are no more than rounding."""
    return np.where(np.abs(values) > precision, values, 0.0)
