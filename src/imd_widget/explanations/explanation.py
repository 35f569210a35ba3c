"""`Explanation`: what `ModelDiff.explain` returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.bars import progress_bar
from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import Argument, InputError
from imd_widget._base.plain import to_json
from imd_widget._base.validation import check_whole
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.data.derived import raw_positions
from imd_widget.data.sampling import hashed, sampled
from imd_widget.explanations import views
from imd_widget.explanations.asking import Asked, at_points, individual_scores
from imd_widget.explanations.conditional_expectation import (
    ConditionalExpectation,
    conditional_expectations,
)
from imd_widget.explanations.conditions import Counterfactual, counterfactual
from imd_widget.explanations.contributing import MAX_CALLS, N_PARTS, contributions_of_rows
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.difference_map import (
    MAP_POINTS,
    MAP_ROWS,
    DifferenceMap,
    mean_scores,
)
from imd_widget.explanations.fidelity import FidelityTable
from imd_widget.explanations.grid import (
    Grid,
    column_position,
    given_grid,
    grid_of,
    nearest_points,
    point_value_text,
)
from imd_widget.explanations.ground import Ground, draw_background, n_threads
from imd_widget.explanations.interactions import MOST_COLUMNS as INTERACTION_COLUMNS
from imd_widget.explanations.interactions import MOST_ROWS as INTERACTION_ROWS
from imd_widget.explanations.interactions import Interactions, interactions
from imd_widget.explanations.memory import Memory
from imd_widget.explanations.partial_dependence import PartialDependence, dependence
from imd_widget.explanations.players import MOST_PLAYERS, read_players
from imd_widget.explanations.ranking import n_parts, sensitivity
from imd_widget.explanations.remembering import remembered_of
from imd_widget.explanations.results import Importance, Reasons, Surrogates
from imd_widget.explanations.schema import ExplanationView
from imd_widget.explanations.scores import ExplainedScore, in_threads, mapped
from imd_widget.explanations.selection import ExplainedRows, check_row
from imd_widget.explanations.subject import Subject
from imd_widget.explanations.surrogate_room import SURROGATE_PARTS, Segments, SurrogateRoom
from imd_widget.rules.conditions import all_hold

#: Curves that are drawn first.
FIRST_CURVES = 8

#: Rows that a map counts in its cells, at most.
SUPPORT_ROWS = 100_000

#: Seconds that a call of a model for curves should take.
CALL_SECONDS = 5.0

#: Called after each part of the work with the number of parts done; it may raise to end the work.
AfterEach = Callable[[int], object]


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `ModelDiff.explain`, checked."""

    #: As `ModelDiff.explain` takes them.
    n_points: int = 20
    max_samples: int = 1000
    max_calls: int = MAX_CALLS
    max_depth: int = 4
    random_state: int = 0
    #: Whether the explanation is for a page: only of columns that rules may use, and without values
    #: of fewer than `FEWEST_SHARED` rows.
    shared: bool = False

    @property
    def least(self) -> int:
        """Rows that must have a value before it is shown."""
        return FEWEST_SHARED if self.shared else 1


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Displayed):
    """Both models of a diff explained side by side, on some rows; `ModelDiff.explain` makes it.

    Everything is computed when it is asked for, and remembered.

    Attributes
    ----------
    selection : ExplainedRows
        The rows that are explained.
    score : ExplainedScore
        The number of either model that is explained.
    row : int or None
        Position of the row that is explained by itself; None if none was asked for.
    options : ExplainOptions
    """

    selection: ExplainedRows
    score: ExplainedScore
    row: int | None
    options: ExplainOptions
    _diff: Subject = field(repr=False)
    _segments: Segments | None = field(default=None, repr=False)
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
    def n_table_rows(self) -> int:
        """Number of rows of the table."""
        return self._diff.table.n_rows

    def for_sharing(self) -> Explanation:
        """Return the same explanation without values that fewer than ten rows have."""
        return replace(self, options=replace(self.options, shared=True), _memory=Memory())

    def with_calls(self, max_calls: int) -> Explanation:
        """Return the same explanation with another number of rows to call the models with."""
        check_whole("max_calls", max_calls, 1)
        return replace(self, options=replace(self.options, max_calls=max_calls))

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of all columns, the one that moves the models apart most first.

        The order is that of `contributions`. If one of the models cannot be called, it is that of a
        quick look: the mean absolute change of the score of the other when a row takes the value of
        another row in this column.
        """
        names = self._diff.table.names
        return tuple(names[position] for position in self._ranked())

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions in the table of the columns that are explained."""
        names, columns = self._diff.table.names, self._diff.tree.columns
        if not (self.options.shared and columns):
            return tuple(range(len(names)))
        raw = [at for own in columns for at in raw_positions(own.name, own.position)]
        return tuple(sorted({position for position in raw if position < len(names)}))

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
        return self._dependences([(position, own)])[0]

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
        return self.ices([position], self._row(row))[0]

    def curves(
        self, n: int | None = FIRST_CURVES, *, after_each: AfterEach | None = None
    ) -> tuple[PartialDependence, ...]:
        """Return the curves of the ``n`` columns that move the models apart most.

        The columns are the first ``n`` of `columns`; their curves are ordered by
        their ``moves``, the largest first.

        Parameters
        ----------
        n : int or None, default=8
            Number of columns; None: all of them.
        after_each : callable, optional
            Called with the number of curves done, 0 while the columns are ranked; an exception that
            it raises ends the work, and the curves done are kept. By default a progress bar
            appears after a second.

        Returns
        -------
        tuple of PartialDependence
        """
        if n is not None:
            check_whole("n", n, 1)
        self.score.check()
        if after_each is not None:
            self.rank(lambda: after_each(0))
        wanted = self._ranked()[:n]
        missing = [position for position in wanted if ("curves", position) not in self._memory]
        with _progress(len(missing), "curves", after_each) as step:
            threads = os.cpu_count() or 1 if in_threads(self._diff.rows.models) else 1
            while missing:
                groups = self._groups(missing, threads)
                missing = missing[sum(map(len, groups)) :]
                mapped(self._keep_curves, groups, threads, _for_each_of(groups, step))
        made = [self._curves(position) for position in wanted]
        return tuple(sorted(made, key=lambda curves: -curves.moves))

    @property
    def can_contribute(self) -> bool:
        """Whether both models can be called, so that there are contributions."""
        return self.score.cannot is None and self.score.lacking is None

    @property
    def contributions(self) -> Contributions:
        """What each column contributes to both models' scores on these rows, and to the gap.

        The Shapley values of the columns, averaged over at most 200 of the rows. The contributions
        to the difference and the gap on average add up to the gap on these rows.
        """
        return self.contribute()

    def contribute(self, after_each: Callable[[], object] = lambda: None) -> Contributions:
        """Return `contributions`; ``after_each`` is called `n_rank_parts` times if they are new.

        An exception that it raises ends the work.
        """

        def work() -> Contributions:
            return self._contributions(None, self.options.max_calls, None, after_each)

        return self._memory.get(("contributions", self.options.max_calls), work)

    def contributions_of(
        self,
        row: int | None = None,
        *,
        groups: Mapping[Hashable, Sequence[Hashable]] | None = None,
        max_calls: int | None = None,
    ) -> Contributions:
        """Return the contributions on one row, or of groups of columns.

        Parameters
        ----------
        row : int, optional
            Position of the row in the table, which must be among those explained. None: the row
            that was passed to `ModelDiff.explain`; without one, all rows explained.
        groups : mapping of names to lists of columns, optional
            Columns that change together, such as correlated ones; each group has one contribution.
        max_calls : int, optional
            Number of rows that each model is called with at most, if that allows four walks for
            each row. More make the standard errors smaller. None: that of `ModelDiff.explain`.
        """
        most = self.options.max_calls if max_calls is None else max_calls
        check_whole("max_calls", most, 1)
        number = None if row is None and self.row is None else self._row(row)
        if groups is not None:
            return self._contributions(groups, most, number)
        if number is None:
            return self._memory.get(
                ("contributions", most), lambda: self._contributions(None, most)
            )
        return self._memory.of_row(
            number, ("contributions", most), lambda: self._contributions(None, most, number)
        )

    def _contributions(
        self,
        groups: Mapping[Hashable, Sequence[Hashable]] | None,
        max_calls: int,
        row: int | None = None,
        after_each: Callable[[], object] = lambda: None,
    ) -> Contributions:
        ground = self.ground(groups, after_each)
        weights = self._diff.rows.row_weight
        if row is None:
            rows, n_selected = self._sample_of(ground, max_calls), self.n_rows
        else:
            rows, n_selected = np.array([row], dtype=np.intp), 1
        everything = row is None and self.n_rows == int((weights > 0).sum())
        found = contributions_of_rows(
            ground,
            rows,
            weights[rows].astype(float),
            n_selected,
            max_calls,
            after_each,
            averages_out=everything,
        )
        return found if row is None else replace(found, values=self._values(found, row))

    def ground(
        self,
        groups: Mapping[Hashable, Sequence[Hashable]] | None = None,
        after_each: Callable[[], object] = lambda: None,
    ) -> Ground:
        """Return what contributions begin at; InputError if one of the models cannot be called."""
        self.score.check()
        if self.score.lacking is not None:
            raise InputError(self.score.lacking)
        fitted, state = self._diff.rows, self.options.random_state
        positions: Sequence[int] = self.positions
        if len(positions) > MOST_PLAYERS:
            positions = self._sensitive(after_each)[: MOST_PLAYERS - 1]
        return Ground(
            self.score,
            fitted.table,
            self.names,
            read_players(fitted.table, positions, groups),
            draw_background(fitted.row_weight, state),
            state,
            remembered_of(fitted.models, fitted.table),
            n_threads(in_threads(fitted.models)),
        )

    def _sample_of(self, ground: Ground, max_calls: int) -> NDArray[np.intp]:
        """Positions of the rows whose contributions are averaged."""
        most, n_rows = ground.n_explained(max_calls), self._diff.table.n_rows
        return self.selection.sample(most, n_rows, self.options.random_state)

    def _values(self, found: Contributions, row: int) -> tuple[str | None, ...]:
        """The values of a row in the columns of contributions, as text."""
        table, one = self._diff.table, np.array([row], dtype=np.intp)
        return tuple(
            None if at is None else point_value_text(table.values_at(at, one).iloc[0])
            for at in found.positions
        )

    @property
    def conditions(self) -> tuple[Counterfactual, ...]:
        """What if a condition of the rule did not hold: one for each of its columns.

        Both models over all values of the column, on the rows of `contributions`. Empty if no rule
        or node is explained.
        """
        return self._memory.get(("conditions", self.options.max_calls), self._conditions)

    def _conditions(self) -> tuple[Counterfactual, ...]:
        allowed = set(self.positions)
        asked_about = [
            own for own in self.selection.conditions if not own.given and own.position in allowed
        ]
        if not asked_about or self.score.cannot or self.score.lacking:
            return ()
        table, fitted = self._diff.table, self._diff.rows
        ground = self.ground()
        rows = self._sample_of(ground, self.options.max_calls)
        weights = fitted.row_weight[rows].astype(float)
        first, second = ground.scores(rows) @ (weights / weights.sum())
        pairs = [(own, grid) for own in asked_about if len(grid := self._whole_grid(own.position))]
        all_asked = [Asked(own.position, grid, rows) for own, grid in pairs]
        found = []
        for (own, grid), asked, scores in zip(
            pairs, all_asked, individual_scores(self.score, table, all_asked), strict=True
        ):
            curves = dependence(self.score, table, self.names, asked, scores, weights, own)
            found.append(counterfactual(own, curves, table, grid, float(first - second)))
        return tuple(found)

    @property
    def interactions(self) -> Interactions:
        """Which pairs of columns interact most in the difference of the models, on these rows.

        All pairs of the first eight of `columns`.
        """
        return self.interact()

    def interact(self, after_each: Callable[[], object] = lambda: None) -> Interactions:
        """Return `interactions`; ``after_each`` call of the models, it may raise to end that."""

        def work() -> Interactions:
            ground = self.ground()
            rows = self._sample_of(ground, self.options.max_calls)[:INTERACTION_ROWS]
            weights = self._diff.rows.row_weight[rows].astype(float)
            columns = sorted(self._ranked()[:INTERACTION_COLUMNS])
            return interactions(ground, columns, rows, weights, self.options.max_calls, after_each)

        return self._memory.get(("interactions", self.options.max_calls), work)

    def difference_map(self, column: Hashable, other: Hashable) -> DifferenceMap:
        """Return the difference of the models over the values of two columns.

        Parameters
        ----------
        column, other : Hashable
            Names of the columns.

        Returns
        -------
        DifferenceMap
        """
        table = self._diff.table
        return self.map_of((column_position(table, column), column_position(table, other)))

    def map_of(
        self, positions: tuple[int, int], after_each: Callable[[], object] = lambda: None
    ) -> DifferenceMap:
        """Return the map of two columns by their positions; ``after_each`` part, it may raise."""

        def work() -> DifferenceMap:
            ground, table = self.ground(), self._diff.table
            rows = self._sample_of(ground, self.options.max_calls)[:MAP_ROWS]
            weights = self._diff.rows.row_weight[rows].astype(float)
            x, y = (self._whole_grid(at, MAP_POINTS) for at in positions)
            first, second = mean_scores(
                self.score, table, positions, (x, y), rows, weights, after_each
            )
            return DifferenceMap(
                columns=(table.names[positions[0]], table.names[positions[1]]),
                positions=positions,
                names=self.names,
                what=self.what,
                grids=(x, y),
                first=first,
                second=second,
                difference=first - second,
                support=self._support(positions, (x, y)),
                inside=(self._inside(positions[0], x), self._inside(positions[1], y)),
                n_rows=len(rows),
            )

        if positions[0] == positions[1]:
            raise InputError(
                Argument("other"), " is the same column: a map needs two different columns."
            )
        return self._memory.get(("map", positions, self.options.max_calls), work)

    def _inside(self, position: int, grid: Grid) -> NDArray[np.bool_]:
        """Whether the condition of the rule holds at each value; True without one."""
        own = self.selection.condition_on(position)
        if own is None:
            return np.ones(len(grid), dtype=bool)
        return all_hold([own], at_points(self._diff.table, position, grid))

    def _support(self, positions: tuple[int, int], grids: tuple[Grid, Grid]) -> NDArray[np.float64]:
        """Share of all rows that lie nearest to each pair of values."""
        fitted, options = self._diff.rows, self.options
        hashes = hashed(fitted.table.n_rows, options.random_state)
        rows = sampled(np.flatnonzero(fitted.row_weight > 0), hashes, SUPPORT_ROWS)
        x, y = (
            nearest_points(fitted.table, at, rows, grid)
            for at, grid in zip(positions, grids, strict=True)
        )
        known = (x >= 0) & (y >= 0)
        found = np.zeros((len(grids[1]), len(grids[0])))
        np.add.at(found, (y[known], x[known]), fitted.row_weight[rows][known])
        return np.asarray(found / fitted.row_weight[rows].sum())

    def _whole_grid(self, position: int, n_points: int | None = None) -> Grid:
        """Values of a column over all rows of the table, with those of the rows explained."""
        fitted, options = self._diff.rows, self.options
        n_rows, state = fitted.table.n_rows, options.random_state
        counting = np.flatnonzero(fitted.row_weight > 0)
        every = sampled(counting, hashed(n_rows, state), options.max_samples)
        own = self.selection.sample(options.max_samples, n_rows, state)
        rows = np.union1d(every, own)
        # the shares are those of all rows
        weights = np.where(np.isin(rows, every), fitted.row_weight[rows], 0.0)
        most = options.n_points if n_points is None else n_points
        return grid_of(fitted.table, position, rows, weights, most, None, options.least)

    @property
    def importance(self) -> Importance:
        """How important each column is to either model and to the difference.

        Random forest feature importance and mean absolute LOCO, from forests that imitate model 1,
        model 2 and the difference.
        """
        return self.surrogate_fits.importance

    @property
    def surrogates(self) -> Surrogates:
        """Decision trees, random forests and K-LIME of both models and of the difference."""
        return self.surrogate_fits.all

    @property
    def fidelity(self) -> FidelityTable:
        """How well each technique imitates the models and their difference, on rows kept aside."""
        return FidelityTable({own.technique: own for own in self.surrogates.fidelities})

    def reasons(self, row: int | None = None) -> Reasons:
        """Return the reason codes of one row: K-LIME and LOCO, of both models and the difference.

        Parameters
        ----------
        row : int, optional
            Position of the row in the table, which must be among those explained. None: the row
            that was passed to `ModelDiff.explain`.

        Returns
        -------
        Reasons
        """
        number = self._row(row)
        return self._memory.of_row(number, "reasons", lambda: self.surrogate_fits.reasons(number))

    def summary(self) -> str:
        """Return what moves the models apart, and how far surrogates can be trusted, as text."""
        return views.summary(self)

    def plot(self, n: int = 6) -> Any:
        """Draw what the columns contribute to the gap, and curves below.

        First those of the rule's own columns over all their values, then those of the columns that
        contribute most, ``n`` in all. If one model cannot be called, only the curves of the other
        are drawn; if none can, the importance of columns to surrogates.

        Returns
        -------
        matplotlib Figure
        """
        from imd_widget.explanations.drawing import draw_explanation, draw_importance

        check_whole("n", n, 1)
        if self.score.cannot is not None:
            return draw_importance(self.importance, f"{views.title(self)} {self.score.cannot}")
        both = self.score.lacking is None
        conditions = [own.curves for own in self.conditions][:n]
        known = {curves.position for curves in conditions}
        curves = [own for own in self.curves(n) if own.position not in known]
        return draw_explanation(
            self.contributions if both else None,
            [*conditions, *curves][:n],
            views.title(self),
            self._diff.tolerance,
        )

    def to_dict(self, *, n_curves: int | None = FIRST_CURVES) -> dict[str, Any]:
        """Return plain values that JSON can encode: contributions, the first curves, and the rest.

        Parameters
        ----------
        n_curves : int or None, default=8
            Columns whose curves are computed, if they have not been: the first ones of `columns`.
            None: all of them. 0 computes nothing. Surrogates are included once something has asked
            for them, as `compute`, `importance` and `reasons` do.
        """
        if n_curves is not None:
            check_whole("n_curves", n_curves, 0)
        if self.score.cannot is None and n_curves != 0:
            self.curves(n_curves)
            self.conditions  # noqa: B018 they are computed and remembered
        plain: dict[str, Any] = to_json(self.view())
        return plain

    def compute(self, *, after_each: AfterEach | None = None) -> Explanation:
        """Compute everything that is not there yet, and return the explanation itself.

        Parameters
        ----------
        after_each : callable, optional
            Called with the number of parts done: a curve for each column, if the models can be
            called, then five parts of surrogates; 0 while the columns are ranked. An exception that
            it raises ends the work, and the parts done are kept. By default a progress bar appears
            after a second.
        """
        curves = self.score.cannot is None
        n_columns = len(self.positions) if curves else 0
        with _progress(n_columns + len(SURROGATE_PARTS), "explaining", after_each) as step:
            if curves:
                if after_each is not None:
                    self.rank(lambda: after_each(0))
                self.curves(None, after_each=lambda done: done and step())
                self.conditions  # noqa: B018 they are computed and remembered
                if self.row is not None and self.can_contribute:
                    self.contributions_of()
            for part in SURROGATE_PARTS:
                self.surrogate_fits.compute(part)
                step()
        return self

    # What the methods above share

    def view(self) -> ExplanationView:
        """What was computed, as a record."""
        names, known, room = self._diff.table.names, self._memory, self.surrogate_fits
        every = self.positions
        made = [self._curves(at) for at in every if ("curves", at) in known]
        most = self.options.max_calls
        order = self._ranked() if ("ranked", most) in known else list(every)
        waiting = [at for at in order if ("curves", at) not in known]
        row = self.row
        ice = [at for at in every if known.has_of_row(row, ("ice", at))]
        forests, klime, trees = room.are_fitted
        return ExplanationView(
            selection=self.selection.what,
            name=self.selection.name,
            text=self.selection.text,
            names=self.names,
            what=self.what,
            note=self.score.note,
            tolerance=self._diff.tolerance,
            rows=self.n_rows,
            title=views.title(self),
            cannot=self.score.cannot,
            lacking=self.score.lacking,
            curves=tuple(views.curve_view(own) for own in sorted(made, key=lambda own: -own.moves)),
            waiting=() if self.score.cannot else tuple(str(names[at]) for at in waiting),
            ice=() if row is None else tuple(map(views.ice_view, self.ices(ice, row))),
            row=views.row_view(self.reasons()) if known.has_of_row(row, "reasons") else None,
            fidelity=tuple(map(views.fidelity_view, room.fidelities)),
            importance=views.importance_view(self.importance) if forests else None,
            trees=tuple(tree.view() for tree in room.trees) if trees else None,
            klime=views.klime_view(room.klime) if klime else None,
            contributions=(
                views.contributions_view(self.contributions)
                if ("contributions", most) in known
                else None
            ),
            conditions=(
                tuple(map(views.condition_view, self.conditions))
                if ("conditions", most) in known
                else ()
            ),
            row_contributions=(
                views.contributions_view(self.contributions_of())
                if known.has_of_row(row, ("contributions", most))
                else None
            ),
        )

    @property
    def surrogate_fits(self) -> SurrogateRoom:
        """The surrogates of the selection, fitted when they are asked for."""
        return SurrogateRoom(
            self._diff,
            self.selection,
            self.score,
            self._segments,
            self.positions,
            self.options,
            self._memory,
        )

    def _row(self, row: int | None) -> int:
        number = self.row if row is None else row
        if number is None:
            raise InputError(
                Argument("row"), " is missing: which row? Its position in the table, from 0."
            )
        return check_row(number, self.selection, self._diff.table.n_rows)

    @property
    def n_rank_parts(self) -> int:
        """Number of parts of the work of `rank` and of `contribute`."""
        n_columns = len(self.positions)
        if self.score.cannot is not None:
            return 0
        quick = n_parts(n_columns) if self.score.lacking or n_columns > MOST_PLAYERS else 0
        return quick + (0 if self.score.lacking else N_PARTS)

    def rank(self, after_each: Callable[[], object] = lambda: None) -> list[int]:
        """Rank the columns, if they are not yet; ``after_each`` part, it may raise to end that."""

        def work() -> list[int]:
            if self.score.lacking is not None:
                return self._sensitive(after_each)
            found = self.contribute(after_each)
            ranked = [at for at in (found.positions[own] for own in found.order) if at is not None]
            if len(ranked) < len(self.positions):
                ranked += [at for at in self._sensitive() if at not in set(ranked)]
            if not self.options.shared:
                return ranked
            # a column of names or ids has no value that may be shown
            return [at for at in ranked if len(self._grid(at))]

        self.score.check()
        return self._memory.get(("ranked", self.options.max_calls), work)

    def _sensitive(self, after_each: Callable[[], object] = lambda: None) -> list[int]:
        """Positions of the columns in the order of a quick look."""

        def work() -> list[int]:
            rows, weights = self._sample()
            every = self.positions
            if self.options.shared:
                every = tuple(at for at in every if len(self._grid(at)))
            found = sensitivity(self.score, self._diff.table, rows, weights, every, after_each)
            return [every[at] for at in np.argsort(-found, kind="stable").tolist()]

        return self._memory.get("sensitive", work)

    def _ranked(self) -> list[int]:
        """Positions of the columns, in the order of `columns`."""
        return self.rank()

    def _sample(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Positions and weights of the rows that curves are averaged over."""
        fitted = self._diff.rows
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
                self.options.least,
            ),
        )

    def _curves(self, position: int) -> PartialDependence:
        self.score.check()
        return self._memory.get(
            ("curves", position), lambda: self._dependences([(position, self._grid(position))])[0]
        )

    def ices(self, positions: Sequence[int], row: int) -> list[ConditionalExpectation]:
        """The curves of a row on some columns; those that are not known yet in one call."""
        missing = [at for at in positions if not self._memory.has_of_row(row, ("ice", at))]
        made: dict[int, ConditionalExpectation] = {}
        if missing:
            every = [(self._curves(at), self._grid(at)) for at in missing]
            new = conditional_expectations(self.score, self._diff.table, every, row)
            made = dict(zip(missing, new, strict=True))
        return [
            self._memory.of_row(row, ("ice", at), partial(made.__getitem__, at)) for at in positions
        ]

    def _groups(self, positions: Sequence[int], threads: int) -> list[list[int]]:
        """The first columns, one group for each thread, whose curves are computed in one call.

        A call takes about `CALL_SECONDS`, so that the work can be ended after it; or longer, if
        many calls would cost more: what a call costs is known from those before.
        """
        rows, _ = self._sample()
        most = self.score.rows_within(CALL_SECONDS)
        at_most = -(-len(positions) // threads)
        groups: list[list[int]] = [[]]
        n_rows = 0
        for position in positions:
            own = len(rows) * len(self._grid(position))
            if groups[-1] and (n_rows + own > most or len(groups[-1]) == at_most):
                if len(groups) == threads:
                    break
                groups.append([])
                n_rows = 0
            groups[-1].append(position)
            n_rows += own
        return groups

    def _keep_curves(self, positions: Sequence[int]) -> None:
        """Compute curves outside the lock of the memory, so that threads do not wait."""
        made = self._dependences([(position, self._grid(position)) for position in positions])
        for position, curves in zip(positions, made, strict=True):
            self._memory.put(("curves", position), curves)

    def _dependences(self, grids: Sequence[tuple[int, Grid]]) -> list[PartialDependence]:
        """The curves of some columns, in one call of either model."""
        rows, weights = self._sample()
        all_asked = [Asked(position, grid, rows) for position, grid in grids]
        return [
            dependence(
                self.score,
                self._diff.table,
                self.names,
                asked,
                scores,
                weights,
                self.selection.condition_on(asked.position),
            )
            for asked, scores in zip(
                all_asked,
                individual_scores(self.score, self._diff.table, all_asked),
                strict=True,
            )
        ]

    def _report(self) -> Report:
        return Report(self.summary().splitlines())

    def __repr__(self) -> str:
        return f"<Explanation: {self.what} on {self.n_rows} rows ({self.selection.text})>"


def _for_each_of(groups: Sequence[Sequence[int]], step: Callable[[], object]) -> Callable[[], None]:
    """Return a function for the end of each group, in order, which steps once for each member."""
    waiting = iter(groups)

    def after_group() -> None:
        for _ in next(waiting):
            step()

    return after_group


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
    with progress_bar(total=total, desc=title, delay=1, leave=False) as bar:
        yield bar.update
