"""Rows that lie between the rows of a small table, for models that can be asked about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes, Column
from imd_widget.data.table import Table

#: Rows of a region are mixed with this many of their nearest.
NEAREST = 10
#: New rows: twice as many as there are, but not fewer or more than these.
FEWEST, MOST = 8_000, 16_000
#: All new rows together weigh this many times what the rows they were made from do.
WEIGHT = 1


def neighbours(
    table: Table,
    columns: Sequence[Column],
    codes: Sequence[Codes],
    rows: NDArray[np.intp],
    random_state: int,
) -> Any:
    """A table of new rows, of the same kind as the user's.

    Each new row starts from one of ``rows`` and takes every value, by the toss of a coin, from it
    or from one of its nearest. So no value is invented, and values that go together mostly stay
    together.

    Parameters
    ----------
    table : Table
    columns, codes
        Its columns and the codes of its rows, in terms of which near is near.
    rows : ndarray of int
        The rows to start from: those used to fit.
    random_state : int
    """
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
    """How often a row of the table counts where a new row counts once."""
    return max(1, round(n_new / (WEIGHT * n_rows)))


def _points(
    columns: Sequence[Column], codes: Sequence[Codes], rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Rows as points: a rank from 0 to 1 for a column with an order, else a corner a category."""
    parts = []
    for column, coded in zip(columns, codes, strict=True):
        own = coded[rows].astype(int)
        if column.ordered:
            parts.append(own[:, None] / max(1, column.n_codes - 1))
        elif column.n_codes <= 50:
            parts.append(np.eye(column.n_codes)[own] / np.sqrt(2))
        # more categories than that: nearly every two rows differ, which says nothing about near
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 1))
