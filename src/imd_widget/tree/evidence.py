"""How much evidence a split on one of many derived columns needs.

Words are derived by the hundred. With enough of them, some differ between any two halves of a
node, and the best of them looks like a finding. A split on such a column is therefore allowed only
if a test finds the column related to what the split is to tell apart. The level of the test is
divided by the number of these columns, and by the number of nodes that there may be at the depth of
the node. The rows of the test are rows used to fit, as everywhere in the growth of a tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from imd_widget.counting.impurity import SCALE, impurity
from imd_widget.counting.layout import CodeLayout

#: Probability that a level of a tree has such a split although no column is related to anything.
LEVEL = 0.01


def needed(layout: CodeLayout, depth: int, degrees: int = 1) -> float:
    """Return the smallest likelihood ratio statistic of a split at a depth that is evidence."""
    return float(chdtri(max(degrees, 1), LEVEL / (max(layout.n_of_many, 1) * 2.0**depth)))


def likelihood_ratio(bits: NDArray[np.int64], per_row: float) -> NDArray[np.float64]:
    """Return the likelihood ratio statistic of splits that reduce the entropy by so much.

    Parameters
    ----------
    bits : ndarray of int
        Reduction of the number of rows times their entropy, in units of 1/65536 bit.
    per_row : float
        Weight of a row in ``bits``.
    """
    return np.asarray(bits * (2 * np.log(2) / SCALE / per_row))


def two_by_two(yes: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how much splits reduce the entropy of two kinds of rows; counts have shape (2, n)."""
    left = impurity(yes) + impurity(total[:, None] - yes)
    return np.asarray(impurity(total[:, None]) - left)
