"""What an explanation knows of its rows: models, options, and what was computed so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.derived import raw_positions
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.table import Table
from imd_widget.explanations.grid import Grid, grid_of
from imd_widget.explanations.memory import Memory
from imd_widget.explanations.options import FIRST_CURVES, ExplainOptions
from imd_widget.explanations.scores import ExplainedScore
from imd_widget.explanations.selection import ExplainedRows
from imd_widget.explanations.subject import Subject

#: Points that a grid may have beside its own: the ends of an interval and a missing value.
MORE_POINTS = 3

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Room:
    """The rows that are explained, the models, and what was computed of them so far."""

    subject: Subject
    selection: ExplainedRows
    score: ExplainedScore
    options: ExplainOptions
    memory: Memory

    @property
    def table(self) -> Table:
        """The user's table."""
        return self.subject.table

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions in the table of the columns that are explained."""
        names, columns = self.table.names, self.subject.tree.columns
        if not (self.options.shared and columns):
            return tuple(range(len(names)))
        raw = [at for own in columns for at in raw_positions(own.name, own.position)]
        return tuple(sorted({position for position in raw if position < len(names)}))

    def once(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return a result that depends on ``max_calls``, which is computed once."""
        return self.memory.get(self.key(key), work)

    def key(self, key: Hashable) -> Hashable:
        """Return the key of such a result in the memory."""
        return key, self.options.max_calls

    def rows(self, most: int) -> NDArray[np.intp]:
        """Positions of at most so many of the rows explained, chosen by a hash."""
        return self.selection.sample(most, self.table.n_rows, self.options.random_state)

    def weights(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Weights of some rows."""
        return self.subject.rows.row_weight[rows].astype(float)

    def curve_rows(self) -> NDArray[np.intp]:
        """Positions of the rows that curves are averaged over.

        The first curves together keep to ``max_calls``.
        """
        options = self.options
        n_curves = min(FIRST_CURVES, max(1, len(self.positions)))
        n_points = n_curves * (options.n_points + MORE_POINTS)
        return self.rows(min(options.max_samples, max(1, options.max_calls // n_points)))

    def grid(self, position: int) -> Grid:
        """Values of a column at which curves are computed: those of the rows explained."""

        def work() -> Grid:
            rows, options = self.rows(self.options.max_samples), self.options
            condition = self.selection.condition_on(position)
            weights, n_points = self.weights(rows), options.n_points
            return grid_of(self.table, position, rows, weights, n_points, condition, options.least)

        return self.memory.get(("grid", position), work)

    def whole_grid(self, position: int, n_points: int | None = None) -> Grid:
        """Values of a column over all rows of the table, with those of the rows explained."""
        options = self.options
        rows, weights = self.every_row()
        most = options.n_points if n_points is None else n_points
        return grid_of(self.table, position, rows, weights, most, None, options.least)

    def every_row(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Positions of rows of the whole table, with those explained; and their weights.

        Shares are those of all rows: a row that was added because it is explained weighs 0.
        """
        row_weight, most = self.subject.rows.row_weight, self.options.max_samples
        hashes = hashed(self.table.n_rows, self.options.random_state)
        every = sampled(np.flatnonzero(row_weight > 0), hashes, most)
        rows = np.union1d(every, self.rows(most))
        return rows, np.where(np.isin(rows, every), row_weight[rows], 0.0)
