"""The curves of the columns on the rows explained, each computed when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.explanations.asking import Asked, individual_scores
from imd_widget.explanations.conditional_expectation import (
    ConditionalExpectation,
    conditional_expectations,
)
from imd_widget.explanations.grid import Grid, given_grid
from imd_widget.explanations.partial_dependence import PartialDependence, dependence
from imd_widget.explanations.room import Room
from imd_widget.explanations.scores import in_threads, mapped

#: Seconds that a call of a model for curves should take.
CALL_SECONDS = 5.0


@dataclass(frozen=True, eq=False)
class CurveRoom(Room):
    """The curves of the columns, and those of single rows."""

    def known(self, position: int) -> bool:
        """Whether the curves of a column were computed."""
        return self.key(("curves", position)) in self.memory

    def of(self, position: int) -> PartialDependence:
        """The curves of a column."""
        self.score.check()
        return self.once(
            ("curves", position), lambda: self.on([(position, self.grid(position))])[0]
        )

    def at(self, position: int, values: Sequence[Any]) -> PartialDependence:
        """Compute the curves of a column at values of the user's own."""
        self.score.check()
        options = self.options
        most = max(1, options.max_calls // max(1, len(values)))
        rows = self.rows(min(options.max_samples, most))
        grid = given_grid(self.table, position, rows, self.weights(rows), values)
        return self.on([(position, grid)], rows)[0]

    def on(
        self, grids: Sequence[tuple[int, Grid]], rows: NDArray[np.intp] | None = None
    ) -> list[PartialDependence]:
        """Compute the curves of some columns at these values, in one call of either model."""
        self.score.check()
        rows, table = self.curve_rows() if rows is None else rows, self.table
        weights = self.weights(rows)
        all_asked = [Asked(position, grid, rows) for position, grid in grids]
        every = individual_scores(self.score, table, all_asked)
        return [
            dependence(
                self.score,
                table,
                self.subject.names,
                asked,
                scores,
                weights,
                self.selection.condition_on(asked.position),
            )
            for asked, scores in zip(all_asked, every, strict=True)
        ]

    def missing(self, positions: Sequence[int]) -> list[int]:
        """Columns whose curves were not computed yet."""
        return [position for position in positions if not self.known(position)]

    def compute(self, positions: Sequence[int], step: Callable[[], object]) -> None:
        """Compute curves, several columns in a call; ``step`` follows each and may raise."""
        left = list(positions)
        threads = os.cpu_count() or 1 if in_threads(self.subject.rows.models) else 1
        while left:
            groups = self._groups(left, threads)
            left = left[sum(map(len, groups)) :]
            mapped(self._keep, groups, threads, _for_each_of(groups, step))

    def _groups(self, positions: Sequence[int], threads: int) -> list[list[int]]:
        """The first columns, one group for each thread, whose curves are computed in one call.

        A call takes about `CALL_SECONDS`, so that the work can be ended after it; or longer, if
        many calls would cost more: what a call costs is known from those before.
        """
        n_curve_rows = len(self.curve_rows())
        most = self.score.rows_within(CALL_SECONDS)
        at_most = -(-len(positions) // threads)
        groups: list[list[int]] = [[]]
        n_rows = 0
        for position in positions:
            own = n_curve_rows * len(self.grid(position))
            if groups[-1] and (n_rows + own > most or len(groups[-1]) == at_most):
                if len(groups) == threads:
                    break
                groups.append([])
                n_rows = 0
            groups[-1].append(position)
            n_rows += own
        return groups

    def _keep(self, positions: Sequence[int]) -> None:
        """Compute curves outside the lock of the memory, so that threads do not wait."""
        made = self.on([(position, self.grid(position)) for position in positions])
        for position, curves in zip(positions, made, strict=True):
            self.memory.put(self.key(("curves", position)), curves)

    def knows_ice(self, position: int, row: int | None) -> bool:
        """Whether the curves of a row on a column were computed."""
        return self.memory.has_of_row(row, self.key(("ice", position)))

    def ices(self, positions: Sequence[int], row: int) -> list[ConditionalExpectation]:
        """The curves of a row on some columns; those that are not known yet in one call."""
        missing = [at for at in positions if not self.knows_ice(at, row)]
        made: dict[int, ConditionalExpectation] = {}
        if missing:
            every = [(self.of(at), self.grid(at)) for at in missing]
            new = conditional_expectations(self.score, self.table, every, row)
            made = dict(zip(missing, new, strict=True))
        return [
            self.memory.of_row(row, self.key(("ice", at)), partial(made.__getitem__, at))
            for at in positions
        ]


def _for_each_of(groups: Sequence[Sequence[int]], step: Callable[[], object]) -> Callable[[], None]:
    """Return a function for the end of each group, in order, which steps once for each member."""
    waiting = iter(groups)

    def after_group() -> None:
        for _ in next(waiting):
            step()

    return after_group
