"""k-medoids: clusters around rows of the table, by Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]

#: Up to so many rows of a cluster, every row is tried as its medoid against every other.
EXACT = 1000
_ROUNDS = 100


@dataclass(frozen=True)
class Clusters:
    """Medoids and the cluster of each row."""

    #: Positions of rows.
    medoids: NDArray[np.intp]
    #: The nearest medoid of each row, as a position in ``medoids``.
    labels: NDArray[np.intp]


def kmedoids(Z: Floats, n_clusters: int, rng: np.random.RandomState) -> Clusters:
    """Clusters of the rows of ``Z`` around at most ``n_clusters`` medoids.

    The first medoid is that of all rows; each further one begins at the row that reduces the sum
    of distances most. Then rows are given to medoids and medoids are chosen anew until nothing
    changes. Rows that are all equal make one cluster.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_columns)
    n_clusters : int
    rng : RandomState
        Draws the rows that are tried where a cluster has more than ``EXACT`` rows.

    Returns
    -------
    Clusters
    """
    everything = np.arange(len(Z))
    medoids = [_medoid(Z, everything, rng)]
    while len(medoids) < n_clusters:
        nearest = cdist(Z, Z[medoids]).min(axis=1)
        if not nearest.any():
            break
        candidates = _sample(everything, rng)
        gains = np.maximum(nearest - cdist(Z[candidates], Z), 0).sum(axis=1)
        best = int(candidates[gains.argmax()])
        if best in medoids:
            best = int(nearest.argmax())
        medoids.append(best)
    current = np.array(medoids, dtype=np.intp)
    labels: NDArray[np.intp] = cdist(Z, Z[current]).argmin(axis=1)
    for _ in range(_ROUNDS if len(current) > 1 else 0):
        moved = np.array(
            [
                _medoid(Z, np.flatnonzero(labels == at), rng) if (labels == at).any() else medoid
                for at, medoid in enumerate(current)
            ],
            dtype=np.intp,
        )
        if (moved == current).all():
            break
        current, labels = moved, cdist(Z, Z[moved]).argmin(axis=1)
    return Clusters(current, labels)


def _medoid(Z: Floats, rows: NDArray[np.intp], rng: np.random.RandomState) -> int:
    """The row among ``rows`` with the least sum of distances to the others."""
    tried = _sample(rows, rng)
    return int(tried[cdist(Z[tried], Z[tried]).sum(axis=1).argmin()])


def _sample(rows: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    if len(rows) <= EXACT:
        return rows
    return np.sort(rng.choice(rows, EXACT, replace=False))
