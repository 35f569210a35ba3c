"""Scores of both models for some rows at every point of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Part, Quoted
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.grid import Grid
from imd_widget.explanations.scores import ExplainedScore

#: Most cells of a table that a model is called with at once.
MOST_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Asked:
    """Some rows at every point of a grid."""

    #: Position of the column whose values the grid has.
    position: int
    grid: Grid
    #: Positions of the rows in the table.
    rows: NDArray[np.intp]
    #: Returns the rows at every point, the points of a row one by one, if the column does not have
    #: the values of the grid itself.
    filling: Callable[[Table, NDArray[np.intp]], Table] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows that a model is called with."""
        return len(self.rows) * len(self.grid)


def individual_scores(
    score: ExplainedScore, table: Table, all_asked: Sequence[Asked]
) -> list[NDArray[np.float64]]:
    """Scores of both models for each row at each point: shape (2, n_rows, n_points) each.

    Everything is asked in one call of a model, unless that has more than `MOST_CELLS` cells.
    """
    score.check()
    parts = [part for number, own in enumerate(all_asked) for part in _parts(table, number, own)]
    found: list[list[NDArray[np.float64]]] = [[] for _ in all_asked]
    for together in _calls(parts, MOST_CELLS // max(1, len(table.names))):
        for part, scores in zip(together, _called(score, table, together), strict=True):
            found[part.number].append(scores)
    return [
        np.concatenate([np.empty((2, len(own.rows), 0)), *scores], axis=2)
        for own, scores in zip(all_asked, found, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Part:
    """Some points of what is asked: the table with which a model is called for them."""

    number: int
    asked: Asked
    points: NDArray[np.intp]
    filled: Table


def _parts(table: Table, number: int, asked: Asked) -> Iterator[_Part]:
    """Cut what is asked into parts of at most `MOST_CELLS` cells, if it has more."""
    grid, rows = asked.grid, asked.rows
    n_rows, n_points = len(rows), len(grid)
    if asked.filling is not None:
        yield _Part(number, asked, np.arange(n_points), asked.filling(table, rows))
        return
    step = max(1, MOST_CELLS // max(1, n_rows * len(table.names)))
    # a small table with the rows, and with those that have the values of the grid
    found = grid.sources >= 0
    small = table.take(np.concatenate([rows, grid.sources[found]]))
    sources = np.full(n_points, -1)
    sources[found] = n_rows + np.arange(found.sum())
    within, every = replace(grid, sources=sources), np.arange(n_rows)
    for start in range(0, n_points, step):
        points = np.arange(start, min(start + step, n_points))
        yield _Part(number, asked, points, _filled(small, asked.position, within, points, every))


def _calls(parts: Iterable[_Part], most_rows: int) -> Iterator[list[_Part]]:
    """Put parts together that can be asked in one call: of one type, and not too many rows."""
    together: list[_Part] = []
    for part in parts:
        n_rows = sum(own.filled.n_rows for own in together) + part.filled.n_rows
        if together and (n_rows > most_rows or not part.filled.stacks_on(together[0].filled)):
            yield together
            together = []
        together.append(part)
    if together:
        yield together


def _called(
    score: ExplainedScore, table: Table, parts: Sequence[_Part]
) -> list[NDArray[np.float64]]:
    """Call both models once for all parts; their scores by part, row and point."""
    ends = np.cumsum([part.filled.n_rows for part in parts])
    whole = parts[0].filled.stacked([part.filled for part in parts[1:]])

    def told(missing: NDArray[np.bool_]) -> list[Part]:
        first = int(np.searchsorted(ends, missing.argmax(), side="right"))
        part = parts[first]
        own = np.split(missing, ends[:-1])[first].reshape(-1, len(part.points))
        at = int(own.any(axis=0).argmax())
        text = part.asked.grid.texts[part.points[at]]
        n_missing, n_rows = int(own[:, at].sum()), len(own)
        return [
            f"{n_missing:,} of the {n_rows:,} rows explained if " if n_rows > 1 else "the row if ",
            Quoted(table.names[part.asked.position]),
            f" is {text}.",
        ]

    both = [np.split(score.asked(model, whole, told), ends[:-1]) for model in (0, 1)]
    return [
        np.stack([own[at].reshape(-1, len(part.points)) for own in both])
        for at, part in enumerate(parts)
    ]


def _filled(
    table: Table, position: int, grid: Grid, points: NDArray[np.intp], rows: NDArray[np.intp]
) -> Table:
    """The rows at some points of a grid."""
    n_rows, n_points = len(rows), len(points)
    # the points of a row lie beside each other: they take nearly the same path through a model
    takes = [np.repeat(rows, n_points)] * len(table.names)
    sources = grid.sources[points]
    takes[position] = np.tile(np.where(sources < 0, rows[0], sources), n_rows)
    filled = open_table(table.mix(takes), table.argument)
    if (sources < 0).any():
        values = [grid.values[point] for point in points.tolist()]
        filled = filled.with_values(position, _column_of(values * n_rows))
    return filled


def rows_at_points(table: Table, asked: Asked) -> Table:
    """Some rows at every point of a grid, the points of a row one by one."""
    return _filled(table, asked.position, asked.grid, np.arange(len(asked.grid)), asked.rows)


def at_points(table: Table, position: int, grid: Grid) -> Table:
    """The first row of a table at every point of a grid."""
    return _filled(table, position, grid, np.arange(len(grid)), np.zeros(1, dtype=np.intp))


def _column_of(values: list[Any]) -> NDArray[Any]:
    """The values as an array of one dimension, whatever they are."""
    try:
        column = np.array(values)
    except ValueError:
        column = np.empty(0)
    if column.shape == (len(values),) and column.dtype.kind in "iufb":
        return column
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
