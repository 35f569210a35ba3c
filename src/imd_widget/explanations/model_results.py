"""Results of `imd_widget.explain`: contributions to one model, and its ranked predictions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.frozen import FrozenArrays
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.fidelity import fit_of
from imd_widget.explanations.klime import LinearModel
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.explanations.surrogate_room import SurrogateRoom

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns that a sentence names.
NAMED = 5
#: Rows of the ranked predictions that are printed, evenly spaced.
LISTED = 10
#: What a model without a name is called.
UNNAMED = "the model"


def at_start(name: str) -> str:
    """Return the name of a model as a sentence begins with it: "The model"."""
    return "The model" if name == UNNAMED else name


@dataclass(frozen=True, eq=False)
class ColumnContributions(FrozenArrays):
    """What each column contributes to the score of one model.

    Attributes
    ----------
    columns : tuple
        Names of the columns, the most important first.
    name, what : str
        Name of the model, and its score.
    base, level : float
        Mean score on all rows, and on the rows explained; ``base + contribution.sum()`` is
        ``level``.
    contribution : ndarray of shape (n_columns,)
        Mean contribution of each column: its Shapley value.
    size : ndarray of shape (n_columns,)
        Mean absolute contribution.
    standard_error : ndarray of shape (n_columns,)
        Standard error of ``contribution``.
    values : tuple of str, or None
        For one row: the value that it has in each column.
    n_asked : int
        Number of rows that the model was called with.
    note : str
        The same as a sentence, with the number of rows explained.
    text : str
        The score and what adds up to it, as a sentence.
    """

    columns: tuple[Hashable, ...]
    name: str
    what: str
    base: float
    level: float
    contribution: NDArray[np.float64]
    size: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    values: tuple[str | None, ...] | None
    n_asked: int
    note: str = ""
    text: str = ""

    @classmethod
    def of(cls, found: Contributions, name: str) -> ColumnContributions:
        """Return contributions to model 1, which has this name, beside a second that gives 0."""
        order = found.order
        return cls(
            columns=tuple(found.columns[at] for at in order),
            name=name,
            what=found.what,
            base=float(found.base[0]),
            level=float(found.level[0]),
            contribution=found.first[order],
            size=found.size[0][order],
            standard_error=found.standard_error[order],
            values=None if found.values is None else tuple(found.values[at] for at in order),
            n_asked=found.n_asked,
            note=found.note_of("the model"),
            text=_text(found, name),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per column."""
        values = {} if self.values is None else {"value": list(self.values)}
        return pd.DataFrame(
            {
                "column": list(self.columns),
                **values,
                "contribution": self.contribution,
                "size": self.size,
                "standard error": self.standard_error,
            }
        )

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the first ``n`` columns: signed for one row, the mean size otherwise."""
        from imd_widget.explanations.drawing import draw_reasons

        shown = self.contribution if self.values is not None else self.size
        labels = [
            str(column) if self.values is None else f"{column} = {self.values[at]}"
            for at, column in enumerate(self.columns[:n])
        ]
        return draw_reasons(labels, [shown[:n]], [self.name], str(self), ax)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ColumnContributions: {self}>"


def _text(found: Contributions, name: str) -> str:
    """The score and what adds up to it: all rows have sizes, which do not add up."""
    order, printed = found.order[:NAMED], found.printed[0]
    if found.values is None:
        named = ", ".join(f"{found.columns[at]} ({found.size[0, at]:.2g})" for at in order)
        return (
            f"{at_start(name)}: {found.what} {found.level[0]:.3g} on average. "
            f"Largest mean absolute contributions: {named}."
        )
    parts = [
        f"{found.text(printed.parts[at], signed=True)} from {found.columns[at]}" for at in order
    ]
    rest = np.setdiff1d(found.order, order)
    if len(rest):
        columns = "another column" if len(rest) == 1 else f"{len(rest)} other columns"
        parts.append(f"{found.text(printed.parts[rest].sum(), signed=True)} from {columns}")
    level, base = found.text(printed.total), found.text(printed.base)
    return f"{at_start(name)} gives {level}: {base} on average, {', '.join(parts)}."


@dataclass(frozen=True, eq=False, repr=False)
class ColumnTable(Displayed):
    """A result of one model with one row per column, pair of columns or linear model.

    Attributes
    ----------
    title : str
        What the result is, as a sentence.
    labels : tuple of str
        Names of the first columns of the table: they name a row.
    drawn : tuple of str
        Names of the columns that `plot` draws.
    text : str
        The result in words: for the reason codes of a row its score and what adds up to it.
    """

    title: str
    labels: tuple[str, ...]
    drawn: tuple[str, ...]
    _frame: pd.DataFrame
    text: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self._frame.copy()

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the first ``n`` rows as bars with matplotlib and return the axes."""
        from imd_widget.explanations.drawing import draw_reasons

        shown = self._frame.head(n)
        names = [" and ".join(map(str, own)) for own in shown[list(self.labels)].to_numpy()]
        series = [shown[name].fillna(0).to_numpy(dtype=float) for name in self.drawn]
        return draw_reasons(names, series, self.drawn, self.title, ax)

    def _report(self) -> Report:
        return Report((self.title,), self._frame)

    def __str__(self) -> str:
        table = self._frame.to_string(index=False, float_format="{:.3g}".format, na_rep="")
        return f"{self.title}\n{table}"

    def __repr__(self) -> str:
        return f"<ColumnTable: {self.title}>"


@dataclass(frozen=True, eq=False)
class RankedPredictions(FrozenArrays):
    """Rows in the order of the model's prediction, with the linear models that imitate it.

    Attributes
    ----------
    name, what : str
    rows : ndarray of int
        Positions of the rows in the table.
    model, global_model, local_models : ndarray of shape (n_rows,)
        Predictions of the model, of the linear model of all rows, and of that of the row's cluster.
    truth : ndarray of shape (n_rows,) or None
    """

    name: str
    what: str
    rows: NDArray[np.intp]
    model: NDArray[np.float64]
    global_model: NDArray[np.float64]
    local_models: NDArray[np.float64]
    truth: NDArray[np.float64] | None

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per row of the table, the lowest prediction first."""
        truth = {} if self.truth is None else {"y": self.truth}
        return pd.DataFrame(
            {
                "row": self.rows,
                "model": self.model,
                "global model": self.global_model,
                "local models": self.local_models,
                **truth,
            }
        )

    def plot(self, ax: Axes | None = None, *, row: int | None = None) -> Axes:
        """Draw the predictions over the rank of the rows; ``row`` is marked."""
        from imd_widget.explanations.drawing import draw_ranked

        return draw_ranked(self, ax, row)

    def _title(self) -> str:
        low, high = self.model[[0, -1]]
        return (
            f"{at_start(self.name)}: {self.what} of {len(self.rows):,} rows in the order of the "
            f"prediction, from {low:.3g} to {high:.3g}."
        )

    def __str__(self) -> str:
        shown = np.unique(np.linspace(0, len(self.rows) - 1, LISTED).astype(np.intp))
        table = self.to_frame().iloc[shown]
        text = table.to_string(index=False, float_format="{:.3g}".format, na_rep="")
        return f"{self._title()}\n{text}"

    def __repr__(self) -> str:
        return f"<RankedPredictions: {self._title()}>"


@dataclass(frozen=True, eq=False)
class LinearImitation:
    """A linear model of K-LIME and what it is worth on rows kept aside."""

    #: "global", "cluster 1".
    name: str
    model: LinearModel
    #: NaN for fewer than 20 rows kept aside, or if the score hardly varies there.
    r2: float
    #: Share of these rows on whose side of 0.5 it is as the model is; NaN for too few.
    accuracy: float


def linear_imitations(room: SurrogateRoom) -> tuple[LinearImitation, ...]:
    """Return the linear models that imitate model 1, the global one first."""
    klime, data = room.klime, room.data
    features, targets = data.linear.matrix, data.targets[:, 0]
    every = [("global", klime.global_model, np.ones(len(targets), dtype=bool))]
    every += [
        (f"cluster {at + 1}", model, klime.clusters == at) for at, model in enumerate(klime.models)
    ]
    found = []
    for name, model, inside in every:
        rows = data.aside & inside
        r2 = accuracy = np.nan
        if rows.sum() >= FEWEST_ROWS:
            predicted, weights = model.predict(features[rows])[:, 0], data.weights[rows]
            fit = fit_of(targets[rows], predicted, weights, data.precision)
            r2 = np.nan if fit.r2 is None else fit.r2
            same = (predicted >= 0.5) == (targets[rows] >= 0.5)
            accuracy = float(weights @ same / weights.sum())
        found.append(LinearImitation(name, model, r2, accuracy))
    return tuple(found)
