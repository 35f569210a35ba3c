"""What if a condition did not hold: curves over all values of its column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.derivation import Derivation
from imd_widget.data.derived import raw_columns
from imd_widget.data.point_score import PointScore
from imd_widget.data.table import Table
from imd_widget.explanations.asking import Asked, at_points, individual_scores, rows_at_points
from imd_widget.explanations.contribution_room import ContributionRoom
from imd_widget.explanations.derived_axis import DerivedAxis
from imd_widget.explanations.grid import Grid
from imd_widget.explanations.partial_dependence import PartialDependence, dependence
from imd_widget.explanations.selection import RowCondition
from imd_widget.rules.derived_languages import holds_for, premise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Gaps are shown with two digits of the largest, but at least so many decimals.
FEWEST_DECIMALS, MOST_DECIMALS = 2, 6
#: Rows that the curves are averaged over, at most.
MOST_ROWS = 200


@dataclass(frozen=True, eq=False)
class Counterfactual(FrozenArrays):
    """Both models over all values of a column of a condition, on the rows that meet it.

    Attributes
    ----------
    condition : Condition or ColumnCondition
        The condition on this column: of the rule or node, or as the user wrote it.
    curves : PartialDependence
        The mean scores of both models if the column has another value in all of these rows.
        ``support`` is the share of all rows of the table.
    inside : ndarray of bool, shape (n_points,)
        Whether the condition holds at each point.
    gap : float
        Model 1's mean score less model 2's, on the rows as they are.
    change : ndarray of shape (n_points,)
        How much the gap changes if the column has the value of each point.
    at : int or None
        The point that the sentence is about: the most frequent category outside, or the median of
        the values outside. None if the condition holds at every point; and if it is about a score
        that no value of this column alone brings inside for most of the rows.
    called : str
        What ``gap`` is called in the sentence; for one model its mean score.
    supposed : str
        What the sentence supposes: "race were White", "review did not contain 'refund'". Empty if
        no point lies outside.
    """

    condition: RowCondition
    curves: PartialDependence
    inside: NDArray[np.bool_]
    gap: float
    change: NDArray[np.float64]
    at: int | None
    called: str = "the gap"
    supposed: str = ""

    @property
    def gap_there(self) -> float | None:
        """The gap at that point."""
        return None if self.at is None else float(self.gap + self.change[self.at])

    @property
    def sentence(self) -> str | None:
        """What the gap would be: "If race were White, the gap would be −0.02 instead of −0.46"."""
        if self.at is None or self.gap_there is None:
            return None
        there, here = gap_texts(self.gap_there, self.gap)
        if there == here:
            would = f"{self.called} would still be {there}"
        else:
            would = f"{self.called} would be {there} instead of {here}"
        return f"If {self.supposed}, {would}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves with matplotlib, the sentence as their title, and return the axes."""
        ax = self.curves.plot(ax)
        ax.set_title(fill(str(self), 60).replace("$", r"\$"), fontsize=9, loc="left")
        return ax

    def __str__(self) -> str:
        column = self.curves.column
        if self.sentence is not None:
            return self.sentence
        if isinstance(self.condition.column, PointScore):
            return f"No value of {column} alone decides whether {self.condition} holds."
        return f"No value of {column} lies outside {self.condition}."


def gap_texts(*gaps: float) -> tuple[str, ...]:
    """Return gaps as text, with the same number of decimals; never "-0.00"."""
    largest = max(map(abs, gaps))
    digits = 1 - int(np.floor(np.log10(largest))) if largest > 0 else FEWEST_DECIMALS
    places = min(max(digits, FEWEST_DECIMALS if largest < 1 + 1e-9 else 0), MOST_DECIMALS)
    texts = (f"{round(gap, places) + 0.0:,.{places}f}" for gap in gaps)
    return tuple(text.replace("-", "−") for text in texts)


@dataclass(frozen=True, eq=False)
class _Axis:
    """The values of a column that are tried in place of those that a condition holds for."""

    condition: RowCondition
    #: Position of the column of the table whose values change.
    position: int
    grid: Grid
    #: Of a column that is derived.
    derived: DerivedAxis | None = None

    def asked(self, rows: NDArray[np.intp]) -> Asked:
        """Some rows with each of the values."""
        filling = None if self.derived is None else self.derived.filled
        return Asked(self.position, self.grid, rows, filling)

    def inside(self, table: Table, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether the condition holds at each value, for most of the rows."""
        if self.derived is not None:
            return np.array([holds_for(self.condition, value) for value in self.grid.values])
        if isinstance(self.condition.column, PointScore):
            filled = rows_at_points(table, self.asked(rows))
            held = self.condition.mask(filled).reshape(len(rows), -1)
            return np.asarray(held.mean(axis=0) >= 0.5)
        return self.condition.mask(at_points(table, self.position, self.grid))

    def point(self, inside: NDArray[np.bool_]) -> int | None:
        """The point outside that stands for most rows: a category, or the median of numbers."""
        if self.derived is not None:
            return _point(self.derived.after(inside), self.grid)
        if isinstance(self.condition.column, PointScore) and not inside.any():
            return None
        return _point(np.flatnonzero(~inside & (self.grid.shares > 0)), self.grid)

    def supposed(self, table: Table, at: int | None) -> str:
        """What is supposed of the column at a point."""
        if at is None:
            return ""
        if self.derived is not None:
            return premise(self.derived.derived, self.grid.values[at])
        return f"{table.names[self.position]} were {self.grid.texts[at]}"


def _axes(room: ContributionRoom) -> list[_Axis]:
    """The columns of the conditions of a selection: of a score, those that it is computed from."""
    allowed, found = set(room.positions), []
    for own in room.selection.conditions:
        column = own.column
        if own.given:
            continue
        if isinstance(column, Derivation):
            if column.at in allowed:
                axis = DerivedAxis.of(room, column)
                found.append(_Axis(own, column.at, axis.grid, axis))
            continue
        for _, position in raw_columns(column, own.position):
            if position in allowed:
                found.append(_Axis(own, position, room.whole_grid(position)))
    return [axis for axis in found if len(axis.grid)]


def counterfactuals(room: ContributionRoom) -> tuple[Counterfactual, ...]:
    """Return one counterfactual for each column of the conditions of a selection.

    The gap is that of the contributions. The curves are averaged over at most `MOST_ROWS` of their
    rows, or fewer, so that each model is called with at most ``max_calls`` rows.
    """
    if not room.possible or not (axes := _axes(room)):
        return ()
    table, ground = room.table, room.ground()
    n_points = sum(len(axis.grid) for axis in axes)
    explained = room.explained_rows(ground)
    most = min(len(explained), MOST_ROWS, max(1, room.options.max_calls // n_points))
    rows = room.rows(most)
    all_asked = [axis.asked(rows) for axis in axes]
    scored = individual_scores(room.score, table, all_asked)
    weights, gap = room.weights(rows), _gap(room, ground.scores(explained), explained)
    here = _gap(room, ground.scores(rows), rows)
    found = []
    for axis, asked, scores in zip(axes, all_asked, scored, strict=True):
        own = axis.condition
        curves = dependence(room.score, table, room.subject.names, asked, scores, weights, own)
        if axis.derived is not None:
            curves = replace(curves, column=axis.derived.derived)
        inside = axis.inside(table, rows)
        change, at = curves.difference - here, axis.point(inside)
        supposed = axis.supposed(table, at)
        found.append(Counterfactual(own, curves, inside, gap, change, at, supposed=supposed))
    return tuple(found)


def _gap(room: ContributionRoom, scores: NDArray[np.float64], rows: NDArray[np.intp]) -> float:
    """Mean difference of the scores of both models, of shape (2, n_rows)."""
    weights = room.weights(rows)
    first, second = scores @ (weights / weights.sum())
    return float(first - second)


def _point(outside: NDArray[np.intp], grid: Grid) -> int | None:
    """The most frequent of some points without an order, or the median of those with one."""
    if not len(outside):
        return None
    shares = grid.shares[outside]
    present = np.array([grid.values[at] is not None for at in outside])
    if grid.numbers is None or not present.any():
        return int(outside[shares.argmax()])
    outside, shares = outside[present], shares[present]
    middle = int(np.searchsorted(np.cumsum(shares), shares.sum() / 2))
    return int(outside[min(middle, len(outside) - 1)])
