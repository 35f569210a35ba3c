"""`Explanation`: what `ModelDiff.explain` returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from imd_widget._base.bars import progress_bar
from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import Argument, InputError
from imd_widget._base.plain import to_json
from imd_widget._base.validation import check_whole
from imd_widget.data.table import Table
from imd_widget.explanations import views
from imd_widget.explanations.conditional_expectation import ConditionalExpectation
from imd_widget.explanations.conditions import Counterfactual, counterfactuals
from imd_widget.explanations.contribution_room import ContributionRoom
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.curve_room import CurveRoom
from imd_widget.explanations.difference_map import DifferenceMap, map_of
from imd_widget.explanations.fidelity import FidelityTable
from imd_widget.explanations.grid import column_position
from imd_widget.explanations.interactions import Interactions
from imd_widget.explanations.memory import Memory
from imd_widget.explanations.options import FIRST_CURVES, ExplainOptions
from imd_widget.explanations.partial_dependence import PartialDependence
from imd_widget.explanations.results import Importance, Reasons, Surrogates
from imd_widget.explanations.schema import ExplanationView
from imd_widget.explanations.scores import ExplainedScore
from imd_widget.explanations.selection import ExplainedRows, check_row
from imd_widget.explanations.subject import Subject
from imd_widget.explanations.surrogate_room import SURROGATE_PARTS, Segments, SurrogateRoom

#: Called after each part of the work with the number of parts done; it may raise to end the work.
AfterEach = Callable[[int], object]


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
    def table(self) -> Table:
        """The user's table."""
        return self._diff.table

    @property
    def tolerance(self) -> float | None:
        """How far two outputs may be apart and still count as the same; None for classes."""
        return self._diff.tolerance

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
        names = self.table.names
        return tuple(names[position] for position in self.contribution_room.rank())

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions in the table of the columns that are explained."""
        return self.contribution_room.positions

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
        position = column_position(self.table, column)
        return self.curve_room.of(position) if grid is None else self.curve_room.at(position, grid)

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
        position = column_position(self.table, column)
        return self.curve_room.ices([position], self._row(row))[0]

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
        ranking, room = self.contribution_room, self.curve_room
        if after_each is not None:
            ranking.rank(lambda: after_each(0))
        wanted = ranking.rank()[:n]
        missing = room.missing(wanted)
        with _progress(len(missing), "curves", after_each) as step:
            room.compute(missing, step)
        return tuple(sorted(map(room.of, wanted), key=lambda curves: -curves.moves))

    @property
    def can_contribute(self) -> bool:
        """Whether both models can be called, so that there are contributions."""
        return self.contribution_room.possible

    @property
    def contributions(self) -> Contributions:
        """What each column contributes to both models' scores on these rows, and to the gap.

        The Shapley values of the columns, averaged over the rows, or over as many of them as
        ``max_calls`` allows. The contributions to the difference and the gap on average add up to
        the gap on these rows.
        """
        room = self.contribution_room
        if room.known:
            return room.all()
        with _progress(room.n_parts, "contributions", None) as step:
            return room.all(step)

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
        e = self if max_calls is None else self.with_calls(max_calls)
        number = None if row is None and self.row is None else self._row(row)
        if groups is not None:
            return e.contribution_room.of_groups(groups, number)
        return e.contributions if number is None else e.contribution_room.of_row(number)

    @property
    def conditions(self) -> tuple[Counterfactual, ...]:
        """What if a condition did not hold: one for each column of the rule, node or condition.

        Both models over all values of the column, on these rows. Empty if all rows or those of a
        mask are explained.
        """
        room = self.contribution_room
        return room.once("conditions", lambda: counterfactuals(room))

    @property
    def knows_conditions(self) -> bool:
        """Whether `conditions` were computed."""
        return self.contribution_room.key("conditions") in self._memory

    @property
    def interactions(self) -> Interactions:
        """Which pairs of columns interact most in the difference of the models, on these rows.

        All pairs of the first eight of `columns`.
        """
        return self.contribution_room.interact()

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
        table = self.table
        positions = column_position(table, column), column_position(table, other)
        return map_of(self.contribution_room, positions)

    @property
    def importance(self) -> Importance:
        """How important each column is to either model and to the difference.

        Random forest feature importance and mean absolute LOCO, from forests that imitate model 1,
        model 2 and the difference.
        """
        return self.surrogate_room.importance

    @property
    def surrogates(self) -> Surrogates:
        """Decision trees, random forests and K-LIME of both models and of the difference."""
        return self.surrogate_room.all

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
        return self._memory.of_row(number, "reasons", lambda: self.surrogate_room.reasons(number))

    @property
    def knows_reasons(self) -> bool:
        """Whether the reason codes of the row were computed."""
        return self._memory.has_of_row(self.row, "reasons")

    def summary(self) -> str:
        """Return what moves the models apart, on the row or on all rows explained, as text."""
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
        from imd_widget.explanations.drawing import draw_explanation

        check_whole("n", n, 1)
        if self.score.cannot is not None:
            ax = self.importance.plot()
            ax.set_title(
                f"{views.title(self)} {self.score.cannot}", fontsize=8, loc="left", wrap=True
            )
            return ax.figure
        both = self.score.lacking is None
        conditions = [own.curves for own in self.conditions][:n]
        # a derived column is not the raw one at its position
        known = {(own.position, own.column) for own in conditions}
        curves = [own for own in self.curves(n) if (own.position, own.column) not in known]
        return draw_explanation(
            self.contributions if both else None,
            [*conditions, *curves][:n],
            views.title(self),
            self.tolerance,
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
                    self.contribution_room.rank(lambda: after_each(0))
                self.curves(None, after_each=lambda done: done and step())
                self.conditions  # noqa: B018 they are computed and remembered
                if self.row is not None and self.can_contribute:
                    self.contributions_of()
            for part in SURROGATE_PARTS:
                self.surrogate_room.compute(part)
                step()
        return self

    # What the methods above share

    @property
    def curve_room(self) -> CurveRoom:
        """The curves of the columns, computed when they are asked for."""
        return CurveRoom(*self._known)

    @property
    def contribution_room(self) -> ContributionRoom:
        """The contributions of the columns, computed when they are asked for."""
        return ContributionRoom(*self._known)

    @property
    def surrogate_room(self) -> SurrogateRoom:
        """The surrogates of the selection, fitted when they are asked for."""
        return SurrogateRoom(*self._known, self._segments)

    @property
    def _known(self) -> tuple[Subject, ExplainedRows, ExplainedScore, ExplainOptions, Memory]:
        return self._diff, self.selection, self.score, self.options, self._memory

    def view(self) -> ExplanationView:
        """What was computed, as a record."""
        return views.explanation_view(self)

    def _row(self, row: int | None) -> int:
        number = self.row if row is None else row
        if number is None:
            raise InputError(
                Argument("row"), " is missing: which row? Its position in the table, from 0."
            )
        return check_row(number, self.selection, self.table.n_rows)

    def _report(self) -> Report:
        return Report(self.summary().splitlines())

    def __repr__(self) -> str:
        return f"<Explanation: {self.what} on {views.where(self)}>"


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
