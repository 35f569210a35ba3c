"""The order of models by similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def order_by_similarity(shares: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the numbers of the models so that those that differ little stand side by side.

    Average linkage with the optimal order of its leaves; of the two directions the one that begins
    with the smaller number.
    """
    if len(shares) < 3:
        return tuple(range(len(shares)))
    # imported late: it takes longer than the rest
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    tree = linkage(squareform(shares, checks=False), "average", optimal_ordering=True)
    order = [int(leaf) for leaf in leaves_list(tree)]
    return tuple(order if order[0] < order[-1] else order[::-1])
