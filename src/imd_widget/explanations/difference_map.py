"""The difference of the models over the values of two columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.asking import Asked, at_points, individual_scores
from imd_widget.explanations.contribution_room import ContributionRoom
from imd_widget.explanations.grid import Grid, nearest_points
from imd_widget.explanations.room import Room
from imd_widget.explanations.scores import ExplainedScore

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Most values of either column, and rows that the mean is taken over.
MAP_POINTS, MAP_ROWS = 12, 50
#: Rows that are counted in the cells, at most.
SUPPORT_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class DifferenceMap(FrozenArrays):
    """Mean scores of both models over the values of two columns.

    In each cell both columns have these values in all rows explained, and every other column is as
    it is.

    Attributes
    ----------
    columns : tuple of two names
    positions : tuple of two int
        Positions of the columns in the table.
    names : tuple of two str
        Names of the models.
    what : str
        The score.
    grids : tuple of two Grid
        Values of either column.
    first, second, difference : ndarray of shape (n_values_of_the_second, n_values_of_the_first)
        Mean scores, and model 1's less model 2's.
    support : ndarray of the same shape
        Share of all rows of the table that lie nearest to each cell.
    inside : tuple of two ndarray of bool
        Whether the condition of the rule holds at each value of either column.
    n_rows : int
        Number of rows that the mean is taken over.
    alone : bool
        Whether it is the map of one model: the second gives 0, and the difference is the score.
    """

    columns: tuple[Hashable, Hashable]
    positions: tuple[int, int]
    names: tuple[str, str]
    what: str
    grids: tuple[Grid, Grid]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]
    support: NDArray[np.float64]
    inside: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    n_rows: int
    alone: bool = False

    @property
    def text(self) -> str:
        """The cell with rows that has the largest gap, or the highest score, as a sentence."""
        shown = self.first if self.alone else np.abs(self.difference)
        found = np.where(self.support > 0, shown, -np.inf)  # values that occur together
        y, x = np.unravel_index(int(found.argmax()), found.shape)
        where = self._cell(int(x), int(y))
        if self.alone:
            return (
                f"Where there are rows, the {self.what} is highest at {where}: {shown[y, x]:.2g}."
            )
        gap = float(self.difference[y, x])
        return f"Where there are rows, the gap is largest at {where}: {gap:+.2g}."

    def _cell(self, x: int, y: int) -> str:
        first, second = self.grids
        return f"{self.columns[0]} {first.texts[x]} and {self.columns[1]} {second.texts[y]}"

    def to_frame(self) -> pd.DataFrame:
        """Return the difference as a table: a row for each value of the second column."""
        import pandas as pd

        rows, columns = (
            pd.Index(grid.texts, name=str(name))
            for grid, name in zip(self.grids[::-1], self.columns[::-1], strict=True)
        )
        return pd.DataFrame(self.difference, index=rows, columns=columns)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the difference with matplotlib and return the axes; dots show where rows are."""
        from imd_widget.explanations.drawing import draw_map

        return draw_map(self, ax)

    def __repr__(self) -> str:
        return f"<DifferenceMap: {self.text}>"


def map_of(
    room: ContributionRoom,
    positions: tuple[int, int],
    after_each: Callable[[], object] = lambda: None,
) -> DifferenceMap:
    """Return the map of two columns by their positions.

    ``after_each`` is called after each value of the second column; it may raise to end the work.
    """
    if positions[0] == positions[1]:
        raise InputError(
            Argument("other"), " is the same column: a map needs two different columns."
        )

    def work() -> DifferenceMap:
        room.ground()  # raises if there is nothing to compare
        x, y = (room.whole_grid(at, MAP_POINTS) for at in positions)
        most = max(1, room.options.max_calls // max(1, len(x) * len(y)))
        rows = room.rows(min(MAP_ROWS, most))
        first, second = mean_scores(
            room.score, room.table, positions, (x, y), rows, room.weights(rows), after_each
        )
        names = room.table.names
        return DifferenceMap(
            columns=(names[positions[0]], names[positions[1]]),
            positions=positions,
            names=room.subject.names,
            what=room.score.what,
            grids=(x, y),
            first=first,
            second=second,
            difference=first - second,
            support=_support(room, positions, (x, y)),
            inside=(_inside(room, positions[0], x), _inside(room, positions[1], y)),
            n_rows=len(rows),
        )

    return room.once(("map", positions), work)


def _inside(room: Room, position: int, grid: Grid) -> NDArray[np.bool_]:
    """Whether the condition on a column holds at each value; True without one."""
    own = room.selection.condition_on(position)
    if own is None:
        return np.ones(len(grid), dtype=bool)
    return own.mask(at_points(room.table, position, grid))


def _support(
    room: Room, positions: tuple[int, int], grids: tuple[Grid, Grid]
) -> NDArray[np.float64]:
    """Share of all rows that lie nearest to each pair of values."""
    table, row_weight = room.table, room.subject.rows.row_weight
    hashes = hashed(table.n_rows, room.options.random_state)
    rows = sampled(np.flatnonzero(row_weight > 0), hashes, SUPPORT_ROWS)
    x, y = (
        nearest_points(table, at, rows, grid) for at, grid in zip(positions, grids, strict=True)
    )
    known = (x >= 0) & (y >= 0)
    found = np.zeros((len(grids[1]), len(grids[0])))
    np.add.at(found, (y[known], x[known]), row_weight[rows][known])
    return np.asarray(found / row_weight[rows].sum())


def mean_scores(
    score: ExplainedScore,
    table: Table,
    positions: tuple[int, int],
    grids: tuple[Grid, Grid],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    after_each: Callable[[], object] = lambda: None,
) -> NDArray[np.float64]:
    """Mean score of both models in each cell: shape (2, n_values_of_second, n_values_of_first).

    ``after_each`` is called after each value of the second column; it may raise to end the work.
    """
    share = weights / weights.sum()
    found = []
    for value, source in zip(grids[1].values, grids[1].sources.tolist(), strict=True):
        if source < 0:
            held = table.take(rows).with_values(positions[1], value)
        else:
            one, other = rows, np.full(len(rows), source)
            takes = [other if at == positions[1] else one for at in range(len(table.names))]
            held = open_table(table.mix(takes), table.argument)
        # the rows that have the values of the other column follow the rows themselves
        sources = grids[0].sources
        has = sources >= 0
        whole = held
        within = np.full(len(sources), -1)
        if has.any():
            more = table.take(sources[has])
            if more.stacks_on(held):
                whole = held.stacked([more])
                within[has] = len(rows) + np.arange(int(has.sum()))
        grid = Grid(grids[0].values, grids[0].texts, grids[0].numbers, within, grids[0].shares)
        asked = Asked(positions[0], grid, np.arange(len(rows)))
        [scores] = individual_scores(score, whole, [asked])
        found.append(np.einsum("r,mrp->mp", share, scores))
        after_each()
    return np.stack(found, axis=1)
