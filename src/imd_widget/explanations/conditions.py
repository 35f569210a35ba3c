"""What if a condition of the rule did not hold: curves over all values of its column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table
from imd_widget.explanations.asking import at_points
from imd_widget.explanations.grid import Grid
from imd_widget.explanations.partial_dependence import PartialDependence
from imd_widget.rules.conditions import Condition, all_hold

#: Gaps are shown with two digits of the largest, but at least so many decimals.
FEWEST_DECIMALS, MOST_DECIMALS = 2, 6


@dataclass(frozen=True, eq=False)
class Counterfactual(FrozenArrays):
    """Both models over all values of a column of a rule, on the rows of the rule.

    Attributes
    ----------
    condition : Condition
        The condition of the rule on this column.
    curves : PartialDependence
        The mean scores of both models if the column has another value in all rows of the rule.
        ``support`` is the share of all rows of the table.
    inside : ndarray of bool, shape (n_points,)
        Whether the condition holds at each point.
    gap : float
        Model 1's mean score less model 2's, on the rows as they are.
    at : int or None
        The point that the sentence is about: the most frequent category outside, or the median of
        the values outside. None if the condition holds at every point.
    """

    condition: Condition
    curves: PartialDependence
    inside: NDArray[np.bool_]
    gap: float
    at: int | None

    @property
    def gap_there(self) -> float | None:
        """The gap at that point."""
        return None if self.at is None else float(self.curves.difference[self.at])

    @property
    def sentence(self) -> str | None:
        """What the gap would be: "If race were White, the gap would be -0.02 instead of -0.46"."""
        if self.at is None or self.gap_there is None:
            return None
        there, here = gap_texts(self.gap_there, self.gap)
        if there == here:
            would = f"the gap would still be {there}"
        else:
            would = f"the gap would be {there} instead of {here}"
        return f"If {self.curves.column} were {self.curves.texts[self.at]}, {would}."

    def __str__(self) -> str:
        return self.sentence or f"No value of {self.curves.column} lies outside {self.condition}."


def gap_texts(*gaps: float) -> tuple[str, ...]:
    """Return gaps as text, with the same number of decimals; never "-0.00"."""
    largest = max(map(abs, gaps))
    digits = 1 - int(np.floor(np.log10(largest))) if largest > 0 else FEWEST_DECIMALS
    places = min(max(digits, FEWEST_DECIMALS if largest < 1 + 1e-9 else 0), MOST_DECIMALS)
    return tuple(f"{round(gap, places) + 0.0:,.{places}f}" for gap in gaps)


def counterfactual(
    condition: Condition,
    curves: PartialDependence,
    table: Table,
    grid: Grid,
    gap: float,
) -> Counterfactual:
    """Return the curves of a condition with the point outside that a sentence is about.

    Parameters
    ----------
    condition : Condition
    curves : PartialDependence
        On the rows of the rule, over the values of all rows.
    table : Table
        The user's table.
    grid : Grid
        The values of ``curves``.
    gap : float
        Gap on the rows as they are.
    """
    inside = all_hold([condition], at_points(table, condition.position, grid))
    return Counterfactual(condition, curves, inside, gap, _point(inside, grid))


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
