"""`Explanation`: what `ModelDiff.explain` returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget.explain.grid import Grid, column_position, given_grid, grid_of
from imd_widget.explain.memory import Memory
from imd_widget.explain.partial_dependence import (
    ConditionalExpectation,
    PartialDependence,
    conditional_expectation,
    dependence,
)
from imd_widget.explain.ranking import sensitivity
from imd_widget.explain.scores import Score, in_threads, mapped
from imd_widget.explain.selection import Selection, check_row

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: Curves that are drawn first.
FIRST_CURVES = 8

#: Called after each part of the work with the number of parts done; it may raise to end the work.
AfterEach = Callable[[int], object]


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `ModelDiff.explain`, checked."""

    n_points: int = 20
    max_samples: int = 1000
    max_depth: int = 4
    random_state: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Both models of a diff explained side by side, on some rows; `ModelDiff.explain` makes it.

    Everything is computed when it is asked for, and remembered.

    Attributes
    ----------
    selection : Selection
        The rows that are explained.
    score : Score
        The number of either model that is explained.
    row : int or None
        Position of the row that is explained by itself; None if none was asked for.
    options : ExplainOptions
    """

    selection: Selection
    score: Score
    row: int | None
    options: ExplainOptions
    _diff: ModelDiff = field(repr=False)
    _memory: Memory = field(default_factory=Memory, repr=False)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the models."""
        return self._diff.names

    @property
    def what(self) -> str:
        """What is explained of either model: "probability of yes"."""
        return self.score.what

    @property
    def n_rows(self) -> int:
        """Number of rows that are explained."""
        return len(self.selection.rows)

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of all columns, the one that moves the models apart most first.

        The order is that of a quick look: the mean absolute change of the difference of the scores
        when a row takes the value of another row in this column.
        """
        names = self._diff.table.names
        return tuple(names[position] for position in self._ranked())

    def partial_dependence(
        self, column: Hashable, *, grid: Sequence[Any] | None = None
    ) -> PartialDependence:
        """Return how both models depend on a column, on average over the rows explained.

        Parameters
        ----------
        column : Hashable
            Name of the column.
        grid : sequence, optional
            Values at which the models are asked. By default quantiles of the values that the rows
            have and the ends of the rule's interval, or the most frequent categories.

        Returns
        -------
        PartialDependence
        """
        position = column_position(self._diff.table, column)
        if grid is None:
            return self._curves(position)
        self.score.check()
        rows, weights = self._sample()
        own = given_grid(self._diff.table, position, rows, weights, grid)
        return self._dependence(position, own)

    def ice(self, column: Hashable, row: int | None = None) -> ConditionalExpectation:
        """Return how the scores of one row change with a column, over the partial dependence.

        Parameters
        ----------
        column : Hashable
            Name of the column.
        row : int, optional
            Position of the row in the table, which must be among those explained. None: the row
            that was passed to `ModelDiff.explain`.

        Returns
        -------
        ConditionalExpectation
        """
        position = column_position(self._diff.table, column)
        number = self._row(row)
        curves = self._curves(position)
        return self._memory.get(
            ("ice", position, number),
            lambda: conditional_expectation(
                self.score, self._diff.table, curves, self._grid(position), number
            ),
        )

    def curves(
        self, n: int | None = FIRST_CURVES, *, after_each: AfterEach | None = None
    ) -> tuple[PartialDependence, ...]:
        """Return the curves of the ``n`` columns that move the models apart most.

        The columns are the first ``n`` of `columns`; their curves are ordered by
        `PartialDependence.moves`, the largest first.

        Parameters
        ----------
        n : int or None, default=8
            Number of columns; None: all of them.
        after_each : callable, optional
            Called with the number of curves done; an exception that it raises ends the work, and
            the curves done are kept. By default a progress bar appears after a second.

        Returns
        -------
        tuple of PartialDependence
        """
        self.score.check()
        wanted = self._ranked()[: None if n is None else int(n)]
        missing = [position for position in wanted if ("curves", position) not in self._memory]
        with _progress(len(missing), "curves", after_each) as step:
            threads = os.cpu_count() or 1 if in_threads(self._diff._fitted.models) else 1
            mapped(self._keep_curves, missing, threads, step)
        made = [self._curves(position) for position in wanted]
        return tuple(sorted(made, key=lambda curves: -curves.moves))

    # What the methods above share

    def _row(self, row: int | None) -> int:
        number = self.row if row is None else row
        if number is None:
            raise InputError(
                Argument("row"), " is missing: which row? Its position in the table, from 0."
            )
        return check_row(number, self.selection, self._diff.table.n_rows)

    def _ranked(self) -> list[int]:
        """Positions of the columns, in the order of `columns`."""

        def work() -> list[int]:
            rows, weights = self._sample()
            found = sensitivity(self.score, self._diff.table, rows, weights)
            return [int(position) for position in np.argsort(-found, kind="stable")]

        self.score.check()
        return self._memory.get("ranked", work)

    def _sample(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Positions and weights of the rows that curves are averaged over."""
        fitted = self._diff._fitted
        rows = self.selection.sample(
            self.options.max_samples, fitted.table.n_rows, self.options.random_state
        )
        return rows, fitted.row_weight[rows].astype(float)

    def _grid(self, position: int) -> Grid:
        rows, weights = self._sample()
        return self._memory.get(
            ("grid", position),
            lambda: grid_of(
                self._diff.table,
                position,
                rows,
                weights,
                self.options.n_points,
                self.selection.condition_on(position),
            ),
        )

    def _curves(self, position: int) -> PartialDependence:
        self.score.check()
        return self._memory.get(
            ("curves", position), lambda: self._dependence(position, self._grid(position))
        )

    def _keep_curves(self, position: int) -> None:
        """Compute curves outside the lock of the memory, so that threads do not wait."""
        self._memory.put(("curves", position), self._dependence(position, self._grid(position)))

    def _dependence(self, position: int, grid: Grid) -> PartialDependence:
        rows, weights = self._sample()
        return dependence(
            self.score,
            self._diff.table,
            self.names,
            position,
            grid,
            rows,
            weights,
            self.selection.condition_on(position),
        )

    def __repr__(self) -> str:
        return f"<Explanation: {self.what} on {self.n_rows} rows ({self.selection.text})>"


@contextmanager
def _progress(
    total: int, title: str, after_each: AfterEach | None
) -> Iterator[Callable[[], object]]:
    """Count parts: for ``after_each``, or else for a bar that appears after a second."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if after_each is not None:
            after_each(done)

    if after_each is not None:
        yield step
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc=title, delay=1, leave=False) as bar:
        yield bar.update
