"""What if a condition did not hold: curves over all values of its column."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.explanations.asking import Asked, at_points, individual_scores
from imd_widget.explanations.contribution_room import ContributionRoom
from imd_widget.explanations.grid import Grid
from imd_widget.explanations.partial_dependence import PartialDependence, dependence
from imd_widget.explanations.selection import RowCondition

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
        the values outside. None if the condition holds at every point.
    called : str
        What ``gap`` is called in the sentence; for one model its mean score.
    """

    condition: RowCondition
    curves: PartialDependence
    inside: NDArray[np.bool_]
    gap: float
    change: NDArray[np.float64]
    at: int | None
    called: str = "the gap"

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
        return f"If {self.curves.column} were {self.curves.texts[self.at]}, {would}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves with matplotlib, the sentence as their title, and return the axes."""
        ax = self.curves.plot(ax)
        ax.set_title(fill(str(self), 60).replace("$", r"\$"), fontsize=9, loc="left")
        return ax

    def __str__(self) -> str:
        return self.sentence or f"No value of {self.curves.column} lies outside {self.condition}."


def gap_texts(*gaps: float) -> tuple[str, ...]:
    """Return gaps as text, with the same number of decimals; never "−0.00"."""
    largest = max(map(abs, gaps))
    digits = 1 - int(np.floor(np.log10(largest))) if largest > 0 else FEWEST_DECIMALS
    places = min(max(digits, FEWEST_DECIMALS if largest < 1 + 1e-9 else 0), MOST_DECIMALS)
    return tuple(f"{round(gap, places) + 0.0:,.{places}f}".replace("-", "−") for gap in gaps)


def counterfactuals(room: ContributionRoom) -> tuple[Counterfactual, ...]:
    """Return one counterfactual for each column of the conditions of a selection.

    The gap is that of the contributions. The curves are averaged over at most `MOST_ROWS` of their
    rows, or fewer, so that each model is called with at most ``max_calls`` rows.
    """
    allowed = set(room.positions)
    own = [one for one in room.selection.conditions if not one.given and one.position in allowed]
    pairs = [(one, grid) for one in own if len(grid := room.whole_grid(one.position))]
    if not pairs or not room.possible:
        return ()
    table, ground = room.table, room.ground()
    n_points = sum(len(grid) for _, grid in pairs)
    explained = room.explained_rows(ground)
    most = min(len(explained), MOST_ROWS, max(1, room.options.max_calls // n_points))
    rows = room.rows(most)
    all_asked = [Asked(one.position, grid, rows) for one, grid in pairs]
    scored = individual_scores(room.score, table, all_asked)
    weights, gap = room.weights(rows), _gap(room, ground.scores(explained), explained)
    here = _gap(room, ground.scores(rows), rows)
    found = []
    for (one, grid), asked, scores in zip(pairs, all_asked, scored, strict=True):
        curves = dependence(room.score, table, room.subject.names, asked, scores, weights, one)
        inside = one.mask(at_points(table, one.position, grid))
        change, at = curves.difference - here, _point(inside, grid)
        found.append(Counterfactual(one, curves, inside, gap, change, at))
    return tuple(found)


def _gap(room: ContributionRoom, scores: NDArray[np.float64], rows: NDArray[np.intp]) -> float:
    """Mean difference of the scores of both models, of shape (2, n_rows)."""
    weights = room.weights(rows)
    first, second = scores @ (weights / weights.sum())
    return float(first - second)


def _point(inside: NDArray[np.bool_], grid: Grid) -> int | None:
    """The point outside that stands for most rows: a category, or the median of numbers."""
    outside = np.flatnonzero(~inside & (grid.shares > 0))
    if not len(outside):
        return None
    shares = grid.shares[outside]
    present = np.array([grid.values[at] is not None for at in outside])
    if grid.numbers is None or not present.any():
        return int(outside[shares.argmax()])
    outside, shares = outside[present], shares[present]
    middle = int(np.searchsorted(np.cumsum(shares), shares.sum() / 2))
    return int(outside[min(middle, len(outside) - 1)])
