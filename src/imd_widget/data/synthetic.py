"""New rows between the rows of a small table, to evaluate models on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.optional import importing
from imd_widget.data.columns import Codes, Column
from imd_widget.data.table import Table

#: Number of nearest neighbours that a row is mixed with.
NEAREST = 10
#: Limits of the number of new rows, which is otherwise twice the number of rows.
FEWEST, MOST = 8_000, 16_000
#: Total weight of the new rows, relative to the rows that they are made from.
WEIGHT = 1


def neighbours(
    table: Table,
    columns: Sequence[Column],
    codes: Sequence[Codes],
    rows: NDArray[np.intp],
    random_state: int,
) -> Any:
    """Create a table of new rows, of the same type as the user's.

    A new row takes each value, with equal probability, from one of ``rows`` or from one of its
    nearest neighbours. No value is invented, and dependencies between columns are mostly kept.

    Parameters
    ----------
    table : Table
    columns, codes
        Its columns and the codes of its rows, which define the distance.
    rows : ndarray of int
        The rows that new rows are made from.
    random_state : int
    """
    with importing('augment="neighbours"'):
        from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(random_state)
    points = _points(columns, codes, rows)
    k = min(NEAREST + 1, len(rows))
    near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(points, return_distance=False)
    n_new = min(max(2 * len(rows), FEWEST), MOST)
    start = rng.integers(len(rows), size=n_new)
    other = near[start, rng.integers(k, size=n_new)]
    takes = [rows[np.where(rng.random(n_new) < 0.5, start, other)] for _ in range(len(table.names))]
    return table.mix(takes)


def copies(n_rows: int, n_new: int) -> int:
    """Weight of a row of the table if a new row has the weight 1."""
    return max(1, round(n_new / (WEIGHT * n_rows)))


def _points(
    columns: Sequence[Column], codes: Sequence[Codes], rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Rows as points: ranks from 0 to 1 for ordered columns, one-hot codes for others."""
    parts = []
    for column, coded in zip(columns, codes, strict=True):
        numbers = coded[rows].astype(int)
        if column.ordered:
            parts.append(numbers[:, None] / max(1, column.n_codes - 1))
        elif column.n_codes <= 50:
            parts.append(np.eye(column.n_codes)[numbers] / np.sqrt(2))
        # with more categories nearly all pairs of rows differ, so the column would add a constant
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 1))
