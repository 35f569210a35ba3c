"""Partial dependence of both models on one grid."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table
from imd_widget.explanations.asking import Asked
from imd_widget.explanations.scores import ExplainedScore
from imd_widget.explanations.selection import RowCondition

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Curves(FrozenArrays):
    """A number for each point of a grid: of model 1, of model 2, and of their difference.

    Attributes
    ----------
    first, second : ndarray of shape (n_points,)
    difference : ndarray of shape (n_points,)
        Of model 1's score less model 2's.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PartialDependence(FrozenArrays):
    """How the scores of both models depend on one column, on average over some rows.

    At each point of the grid the column has this value in all rows, and every other column is as
    it is. No surrogate is involved: the difference of the curves is the curve of the difference.

    Attributes
    ----------
    column : Hashable
        Name of the column.
    position : int
        Its position in the table.
    names : tuple of two str
        Names of the models.
    what : str
        What is explained: "probability of yes".
    grid : tuple
        The values of the column, as the table has them; None, the last, stands for a missing one.
    texts : tuple of str
        The same as text.
    numbers : ndarray of shape (n_points,) or None
        Places of the points on an axis; None if the column has no order.
    first, second : ndarray of shape (n_points,)
        Mean score of either model.
    difference : ndarray of shape (n_points,)
        ``first - second``: above 0 where model 1 predicts more.
    spread : Curves
        Standard deviation over the rows, of either model's score and of the difference.
    support : ndarray of shape (n_points,)
        Share of the rows explained, by weight, whose own value is nearest to each point. Where
        there are none, the curve speaks of values that do not occur.
    rows : ndarray of int
        Positions of the rows that the mean is taken over.
    individual : ndarray of shape (2, n_rows, n_points)
        The score of either model for each of these rows: the curves of individual conditional
        expectation, of which ``first`` and ``second`` are the means.
    condition : Condition or None
        The condition of the selected rule or node on this column.
    weights : ndarray of shape (n_rows,)
        Weight of each of the rows.
    drawn : tuple of two bool
        Whether either model has a curve. The numbers of a model that cannot be called, and of the
        difference from it, are NaN.
    precision : float
        ``moves`` that are not larger are rounding, and 0.
    """

    column: Hashable
    position: int
    names: tuple[str, str]
    what: str
    grid: tuple[Any, ...]
    texts: tuple[str, ...]
    numbers: NDArray[np.float64] | None
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]
    spread: Curves
    support: NDArray[np.float64]
    rows: NDArray[np.intp]
    individual: NDArray[np.float64]
    condition: RowCondition | None
    weights: NDArray[np.float64]
    drawn: tuple[bool, bool] = (True, True)
    precision: float = 0.0

    @property
    def moves(self) -> float:
        """How much the column moves the models apart, in units of the score.

        The mean, by ``support``, of the absolute deviation of ``difference`` from its own mean. It
        is 0 for a column that changes both models alike, or none of them. If one model has a curve,
        it is the same of that curve.
        """
        weight = self.support.sum()
        curve = self.compared
        if not weight or not curve.size:
            return 0.0
        share = self.support / weight
        moved = curve - curve[0]  # exactly 0 for a flat curve
        found = float(share @ np.abs(moved - share @ moved))
        return found if found > self.precision else 0.0

    @property
    def compared(self) -> NDArray[np.float64]:
        """``difference``; if one model has a curve, that curve."""
        if all(self.drawn):
            return self.difference
        return self.first if self.drawn[0] else self.second

    @property
    def apart(self) -> float:
        """The mean, by ``support``, of the absolute ``difference``; NaN if one has no curve."""
        weight = self.support.sum()
        return float(self.support @ np.abs(self.difference) / weight) if weight else 0.0

    def to_frame(self) -> Any:
        """Return a table with one row per point of the grid."""
        import pandas as pd

        return pd.DataFrame(
            {
                str(self.column): self.texts,
                self.names[0]: self.first,
                self.names[1]: self.second,
                "difference": self.difference,
                f"spread of {self.names[0]}": self.spread.first,
                f"spread of {self.names[1]}": self.spread.second,
                "spread of the difference": self.spread.difference,
                "support": self.support,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both curves with matplotlib and return the axes."""
        from imd_widget.explanations.drawing import draw_curves

        return draw_curves(self, ax)

    def __repr__(self) -> str:
        return (
            f"<PartialDependence: {self.what} on {self.column}, {len(self.grid)} points, "
            f"{len(self.rows)} rows>"
        )


def dependence(
    score: ExplainedScore,
    table: Table,
    names: tuple[str, str],
    asked: Asked,
    individual: NDArray[np.float64],
    weights: NDArray[np.float64],
    condition: RowCondition | None,
) -> PartialDependence:
    """Average the scores of both models over the rows, at every point of a grid.

    Parameters
    ----------
    score : ExplainedScore
    table : Table
        The user's table.
    names : tuple of two str
        Names of the models.
    asked : Asked
        The column, its values, and the rows that the mean is taken over.
    individual : ndarray of shape (2, n_rows, n_points)
        Their scores: see `individual_scores`.
    weights : ndarray of shape (n_rows,)
        Weight of each of the rows.
    condition : Condition or None
        The condition of the selection on this column.
    """
    position, grid = asked.position, asked.grid
    first, second = (means(own, weights) for own in individual)
    # the difference of means, so that it equals the difference of the curves to the bit
    difference = first - second
    spread = Curves(
        spreads(individual[0], first, weights),
        spreads(individual[1], second, weights),
        spreads(individual[0] - individual[1], difference, weights),
    )
    return PartialDependence(
        column=table.names[position],
        position=position,
        names=names,
        what=score.what,
        grid=grid.values,
        texts=grid.texts,
        numbers=grid.numbers,
        first=first,
        second=second,
        difference=difference,
        spread=spread,
        support=grid.shares,
        rows=asked.rows,
        individual=individual,
        condition=condition,
        weights=weights,
        drawn=score.can,
        precision=score.precision,
    )


def means(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted mean of each column of scores."""
    # sums by column in a fixed order: equal columns of scores have exactly equal means
    return np.asarray((scores * weights[:, None]).sum(axis=0) / weights.sum())


def spreads(
    scores: NDArray[np.float64], mean: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted standard deviation of each column of scores."""
    squares = (weights[:, None] * (scores - mean) ** 2).sum(axis=0) / weights.sum()
    return np.asarray(np.sqrt(squares))
