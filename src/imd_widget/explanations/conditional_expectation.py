"""Individual conditional expectation: the scores of both models for one row on a grid."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table
from imd_widget.explanations.asking import Asked, individual_scores
from imd_widget.explanations.grid import Grid, point_text
from imd_widget.explanations.partial_dependence import Curves, PartialDependence, means, spreads
from imd_widget.explanations.scores import ExplainedScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class ConditionalExpectation(FrozenArrays):
    """The scores of both models for one row, as one of its columns varies (ICE).

    Attributes
    ----------
    column : Hashable
        Name of the column.
    row : int
        Position of the row in the table.
    value : object
        The value that the row has.
    grid : tuple
        The values of the column; those of ``partial_dependence``.
    first, second, difference : ndarray of shape (n_points,)
        Scores of the models for the row, and model 1's less model 2's.
    scores : tuple of two float
        Scores of the models for the row as it is.
    average, deviation : Curves
        Mean and standard deviation over the rows explained of the scores at ``value``: one point.
    partial_dependence : PartialDependence
        The curves on average over these rows.
    """

    column: Hashable
    row: int
    value: Any
    grid: tuple[Any, ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]
    scores: tuple[float, float]
    average: Curves
    deviation: Curves
    partial_dependence: PartialDependence
    _text: Callable[[float], str] = field(repr=False)

    @property
    def outside(self) -> tuple[bool, bool, bool]:
        """Whether the row lies outside one standard deviation of the average.

        For model 1, model 2 and the difference: ``abs(score - mean) > standard deviation`` of the
        scores that the rows explained have at the row's own value of the column.
        """
        own = (*self.scores, self.scores[0] - self.scores[1])
        first, second, third = (
            bool(abs(score - mean[0]) > deviation[0])
            for score, mean, deviation in zip(
                own,
                (self.average.first, self.average.second, self.average.difference),
                (self.deviation.first, self.deviation.second, self.deviation.difference),
                strict=True,
            )
        )
        return first, second, third

    @property
    def text(self) -> str:
        """Whether the row is usual to either model, and the difference: three sentences.

        A model that cannot be called has none, and neither has then the difference.
        """
        names = (*self.partial_dependence.names, "The difference")
        own = (*self.scores, self.scores[0] - self.scores[1])
        at = f"{self.column} = {point_text(self.value)}"
        drawn = self.partial_dependence.drawn
        shown = (True, True, True) if all(drawn) else (*drawn, False)
        sentences = []
        for number, target in enumerate(("first", "second", "difference")):
            if not shown[number]:
                continue
            mean, deviation = (
                self._text(float(getattr(curves, target)[0]))
                for curves in (self.average, self.deviation)
            )
            where = "outside" if self.outside[number] else "within"
            sentences.append(
                f"{names[number]}: {self._text(own[number])} for row {self.row}, {where} one "
                f"standard deviation ({deviation}) of the average {mean} at {at}."
            )
        return " ".join(sentences)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves of the row over the average and one standard deviation."""
        from imd_widget.explanations.drawing import draw_curves

        return draw_curves(self.partial_dependence, ax, self)

    def __repr__(self) -> str:
        return f"<ConditionalExpectation: {self.text}>"


def conditional_expectations(
    score: ExplainedScore, table: Table, every: Sequence[tuple[PartialDependence, Grid]], row: int
) -> list[ConditionalExpectation]:
    """Call both models for one row at every point, and for all rows at the row's own values.

    ``every`` has the curves of some columns and their grids. One call does it all.
    """
    one = np.array([row], dtype=np.intp)
    all_asked: list[Asked] = []
    for curves, grid in every:
        value = table.values_at(curves.position, one).iloc[0]
        here = Grid((value,), (point_text(value),), None, one, np.ones(1))
        all_asked += [
            Asked(curves.position, grid, one),
            Asked(curves.position, here, one),
            Asked(curves.position, here, curves.rows),
        ]
    scores = individual_scores(score, table, all_asked)
    return [
        _expectation(score, curves, row, all_asked[at + 1].grid.values[0], *scores[at : at + 3])
        for at, (curves, _) in zip(range(0, len(scores), 3), every, strict=True)
    ]


def _expectation(
    score: ExplainedScore,
    curves: PartialDependence,
    row: int,
    value: Any,
    own: NDArray[np.float64],
    scores: NDArray[np.float64],
    around: NDArray[np.float64],
) -> ConditionalExpectation:
    """The curves of a row from the scores of the row and of all rows at its value."""
    own, scores, weights = own[:, 0, :], scores[:, 0, 0], curves.weights
    first, second = (means(side, weights) for side in around)
    average = Curves(first, second, first - second)
    deviation = Curves(
        spreads(around[0], first, weights),
        spreads(around[1], second, weights),
        spreads(around[0] - around[1], first - second, weights),
    )
    return ConditionalExpectation(
        column=curves.column,
        row=row,
        value=value,
        grid=curves.grid,
        first=own[0],
        second=own[1],
        difference=own[0] - own[1],
        scores=(float(scores[0]), float(scores[1])),
        average=average,
        deviation=deviation,
        partial_dependence=curves,
        _text=score.text,
    )
