"""Partial dependence and individual conditional expectation of both models on one grid."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Part, Quoted
from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.grid import Grid, point_text
from imd_widget.explanations.scores import Score
from imd_widget.rules.conditions import Condition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most cells of a table that a model is called with at once.
MOST_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Asked:
    """Some rows at every point of a grid."""

    #: Position of the column whose values the grid has.
    position: int
    grid: Grid
    #: Positions of the rows in the table.
    rows: NDArray[np.intp]

    @property
    def n_rows(self) -> int:
        """Number of rows that a model is called with."""
        return len(self.rows) * len(self.grid)


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
        ``first - second``: above 0 where model 1 says more.
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
    condition: Condition | None
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
    score: Score,
    table: Table,
    names: tuple[str, str],
    asked: Asked,
    individual: NDArray[np.float64],
    weights: NDArray[np.float64],
    condition: Condition | None,
) -> PartialDependence:
    """Average the scores of both models over the rows, at every point of a grid.

    Parameters
    ----------
    score : Score
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
    first, second = (_means(own, weights) for own in individual)
    # the difference of means, so that it equals the difference of the curves to the bit
    difference = first - second
    spread = Curves(
        _spreads(individual[0], first, weights),
        _spreads(individual[1], second, weights),
        _spreads(individual[0] - individual[1], difference, weights),
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


def _means(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    # sums by column in a fixed order: equal columns of scores have exactly equal means
    return np.asarray((scores * weights[:, None]).sum(axis=0) / weights.sum())


def _spreads(
    scores: NDArray[np.float64], mean: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    squares = (weights[:, None] * (scores - mean) ** 2).sum(axis=0) / weights.sum()
    return np.asarray(np.sqrt(squares))


def individual_scores(
    score: Score, table: Table, all_asked: Sequence[Asked]
) -> list[NDArray[np.float64]]:
    """Scores of both models for each row at each point: shape (2, n_rows, n_points) each.

    Everything is asked in one call of a model, unless that has more than `MOST_CELLS` cells.
    """
    score.check()
    parts = [part for number, own in enumerate(all_asked) for part in _parts(table, number, own)]
    found: list[list[NDArray[np.float64]]] = [[] for _ in all_asked]
    for together in _calls(parts, MOST_CELLS // max(1, len(table.names))):
        for part, scores in zip(together, _called(score, table, together), strict=True):
            found[part.number].append(scores)
    return [
        np.concatenate([np.empty((2, len(own.rows), 0)), *scores], axis=2)
        for own, scores in zip(all_asked, found, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Part:
    """Some points of what is asked: the table with which a model is called for them."""

    number: int
    asked: Asked
    points: NDArray[np.intp]
    filled: Table


def _parts(table: Table, number: int, asked: Asked) -> Iterator[_Part]:
    """Cut what is asked into parts of at most `MOST_CELLS` cells, if it has more."""
    grid, rows = asked.grid, asked.rows
    n_rows, n_points = len(rows), len(grid)
    step = max(1, MOST_CELLS // max(1, n_rows * len(table.names)))
    # a small table with the rows, and with those that have the values of the grid
    found = grid.sources >= 0
    small = table.take(np.concatenate([rows, grid.sources[found]]))
    sources = np.full(n_points, -1)
    sources[found] = n_rows + np.arange(found.sum())
    within, every = replace(grid, sources=sources), np.arange(n_rows)
    for start in range(0, n_points, step):
        points = np.arange(start, min(start + step, n_points))
        yield _Part(number, asked, points, _filled(small, asked.position, within, points, every))


def _calls(parts: Iterable[_Part], most_rows: int) -> Iterator[list[_Part]]:
    """Put parts together that can be asked in one call: of one type, and not too many rows."""
    together: list[_Part] = []
    for part in parts:
        n_rows = sum(own.filled.n_rows for own in together) + part.filled.n_rows
        if together and (n_rows > most_rows or not part.filled.stacks_on(together[0].filled)):
            yield together
            together = []
        together.append(part)
    if together:
        yield together


def _called(score: Score, table: Table, parts: Sequence[_Part]) -> list[NDArray[np.float64]]:
    """Call both models once for all parts; their scores by part, row and point."""
    ends = np.cumsum([part.filled.n_rows for part in parts])
    whole = parts[0].filled.stacked([part.filled for part in parts[1:]])

    def told(missing: NDArray[np.bool_]) -> list[Part]:
        first = int(np.searchsorted(ends, missing.argmax(), side="right"))
        part = parts[first]
        own = np.split(missing, ends[:-1])[first].reshape(-1, len(part.points))
        at = int(own.any(axis=0).argmax())
        text = part.asked.grid.texts[part.points[at]]
        n_missing, n_rows = int(own[:, at].sum()), len(own)
        return [
            f"{n_missing:,} of the {n_rows:,} rows explained if " if n_rows > 1 else "the row if ",
            Quoted(table.names[part.asked.position]),
            f" is {text}.",
        ]

    both = [np.split(score.asked(model, whole, told), ends[:-1]) for model in (0, 1)]
    return [
        np.stack([own[at].reshape(-1, len(part.points)) for own in both])
        for at, part in enumerate(parts)
    ]


def _filled(
    table: Table, position: int, grid: Grid, points: NDArray[np.intp], rows: NDArray[np.intp]
) -> Table:
    """The rows at some points of a grid."""
    n_rows, n_points = len(rows), len(points)
    # the points of a row lie beside each other: they take nearly the same path through a model
    takes = [np.repeat(rows, n_points)] * len(table.names)
    sources = grid.sources[points]
    takes[position] = np.tile(np.where(sources < 0, rows[0], sources), n_rows)
    filled = open_table(table.mix(takes), table.argument)
    if (sources < 0).any():
        values = [grid.values[point] for point in points.tolist()]
        filled = filled.with_values(position, _column_of(values * n_rows))
    return filled


def at_points(table: Table, position: int, grid: Grid) -> Table:
    """The first row of a table at every point of a grid."""
    return _filled(table, position, grid, np.arange(len(grid)), np.zeros(1, dtype=np.intp))


def _column_of(values: list[Any]) -> NDArray[Any]:
    """The values as an array of one dimension, whatever they are."""
    try:
        column = np.array(values)
    except ValueError:
        column = np.empty(0)
    if column.shape == (len(values),) and column.dtype.kind in "iufb":
        return column
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


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
    score: Score, table: Table, every: Sequence[tuple[PartialDependence, Grid]], row: int
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
    score: Score,
    curves: PartialDependence,
    row: int,
    value: Any,
    own: NDArray[np.float64],
    scores: NDArray[np.float64],
    around: NDArray[np.float64],
) -> ConditionalExpectation:
    """The curves of a row from the scores of the row and of all rows at its value."""
    own, scores, weights = own[:, 0, :], scores[:, 0, 0], curves.weights
    first, second = (_means(side, weights) for side in around)
    average = Curves(first, second, first - second)
    deviation = Curves(
        _spreads(around[0], first, weights),
        _spreads(around[1], second, weights),
        _spreads(around[0] - around[1], first - second, weights),
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
