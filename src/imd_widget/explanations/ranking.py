"""Which columns move the models apart most: a quick look, before any curve is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Part, Quoted
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.precision import cleared
from imd_widget.explanations.scores import ExplainedScore, Told

#: Rows in which each column is exchanged, at most and at least.
RANKED_ROWS, FEWEST_ROWS = 100, 2
#: Columns of a part of the work, after which it can be cancelled.
PART_COLUMNS = 16


def n_parts(n_columns: int) -> int:
    """Return the number of parts in which columns are ranked."""
    return -(-n_columns // PART_COLUMNS)


def sensitivity(
    score: ExplainedScore,
    table: Table,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    positions: Sequence[int],
    max_calls: int,
    after_each: Callable[[], object] = lambda: None,
) -> NDArray[np.float64]:
    """Mean absolute change of the difference of the scores when one column is exchanged.

    Each row takes the value that another of the rows has in the column, and keeps all others. The
    models themselves are called, no surrogate: the figure is 0 for a column that neither uses. If
    one model can be called and the other cannot, it is the change of that model's score.

    Parameters
    ----------
    score : ExplainedScore
    table : Table
        The user's table.
    rows : ndarray of int
        Positions of the rows explained, in any order.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    positions : sequence of int
        Positions of the columns that are exchanged.
    max_calls : int
        Number of rows that each model is called with at most, if it allows `FEWEST_ROWS` rows.
    after_each : callable
        Called after each of the `n_parts` parts of the work; an exception that it raises ends it.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    n_columns = len(positions)
    most = max(FEWEST_ROWS, min(RANKED_ROWS, max_calls // (n_columns + 1)))
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.intp))
    table, weights = table.take(rows[chosen]), weights[chosen]
    rows = np.arange(len(chosen))
    other = np.roll(rows, len(rows) // 2)
    found = np.zeros(n_columns)
    share = weights / weights.sum()
    own = np.empty(0)
    for start in range(0, n_columns, PART_COLUMNS):
        part = positions[start : start + PART_COLUMNS]
        # the rows as they are come with the first part: a call of a model may be slow to begin
        as_they_are = [None] if start == 0 else []
        scores = _exchanged(score, table, rows, other, [*as_they_are, *part])
        if start == 0:
            own, scores = scores[0], scores[1:]
        found[start : start + len(part)] = np.abs(scores - own) @ share
        after_each()
    return cleared(found, score.precision)


def _exchanged(
    score: ExplainedScore,
    table: Table,
    rows: NDArray[np.intp],
    other: NDArray[np.intp],
    positions: list[int | None],
) -> NDArray[np.float64]:
    """Differences of the scores if one column comes from other rows, in one call of a model.

    By position, then by row: shape (n_positions, n_rows). None exchanges no column.
    """
    takes = [np.tile(rows, len(positions)) for _ in table.names]
    for number, position in enumerate(positions):
        if position is not None:
            takes[position][number * len(rows) : (number + 1) * len(rows)] = other

    def told(missing: NDArray[np.bool_]) -> list[Part]:
        by_position = missing.reshape(len(positions), -1).sum(axis=1)
        position = positions[int(by_position.argmax())]
        words: list[Part] = [f"{by_position.max()} of {len(rows)} rows"]
        if position is not None:
            words += [" that take the value of another row in ", Quoted(table.names[position])]
        return [*words, "."]

    return _difference(score, table, takes, told).reshape(len(positions), len(rows))


def _difference(
    score: ExplainedScore, table: Table, takes: list[NDArray[np.intp]], told: Told
) -> NDArray[np.float64]:
    return score.compared(open_table(table.mix(takes), table.argument), told)
