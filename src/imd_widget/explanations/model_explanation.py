"""`ModelExplanation`: what `imd_widget.explain` returns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.validation import check_whole
from imd_widget._base.verbs import verb
from imd_widget.explanations.conditional_expectation import ConditionalExpectation
from imd_widget.explanations.conditions import Counterfactual
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.difference_map import DifferenceMap
from imd_widget.explanations.explanation import Explanation
from imd_widget.explanations.model_results import (
    ColumnContributions,
    ColumnTable,
    LinearImitation,
    RankedPredictions,
    at_start,
    linear_imitations,
)
from imd_widget.explanations.model_subject import OneModel
from imd_widget.explanations.options import FIRST_CURVES
from imd_widget.explanations.partial_dependence import PartialDependence
from imd_widget.explanations.selection import check_row
from imd_widget.explanations.smallest_change import SmallestChange, smallest_change_alone
from imd_widget.explanations.tree_surrogate import TreeSurrogate
from imd_widget.explanations.what_if import WhatIf, what_if_alone

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from imd_widget.widget.model_widget import ModelWidget


@dataclass(frozen=True, eq=False, repr=False)
class ModelExplanation:
    """One model explained on some rows; `imd_widget.explain` makes it.

    Attributes
    ----------
    name : str
        Name of the model.
    truth : ndarray of shape (n_rows,) or None
        The ``y`` that was given.
    subject : OneModel
        The model and the table.
    explanation : Explanation
        The same of two models, of which the second gives 0 for every row.
    """

    name: str
    truth: NDArray[Any] | None
    subject: OneModel = field(repr=False)
    explanation: Explanation = field(repr=False)

    @property
    def what(self) -> str:
        """What is explained: "probability of yes"."""
        return self.explanation.what

    @property
    def n_rows(self) -> int:
        """Number of rows that are explained."""
        return self.explanation.n_rows

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of all columns, the one that moves the model most first."""
        return self.explanation.columns

    @property
    def contributions(self) -> ColumnContributions:
        """What each column contributes to the score on these rows: its Shapley value."""
        return self._contributions(None)

    def contributions_of(self, row: int) -> ColumnContributions:
        """Return what each column contributes to the score of one row of the table."""
        return self._contributions(row)

    def _contributions(self, row: int | None) -> ColumnContributions:
        e = self.explanation
        found = e.contributions if row is None else e.contributions_of(row)
        return ColumnContributions.of(found, self.name)

    def partial_dependence(
        self, column: Hashable, *, grid: Sequence[Any] | None = None
    ) -> PartialDependence:
        """Return how the score depends on a column, on average; see `Explanation`."""
        return _first(self.explanation.partial_dependence(column, grid=grid))

    def ice(self, column: Hashable, row: int) -> ConditionalExpectation:
        """Return how the score of one row changes with a column."""
        found = self.explanation.ice(column, row)
        return replace(found, partial_dependence=_first(found.partial_dependence))

    def curves(self, n: int | None = FIRST_CURVES) -> tuple[PartialDependence, ...]:
        """Return the curves of the ``n`` columns that move the model most."""
        return tuple(map(_first, self.explanation.curves(n)))

    @property
    def conditions(self) -> tuple[Counterfactual, ...]:
        """What if the condition ``where`` did not hold: one for each of its columns."""
        called = f"the mean {self.what}"
        return tuple(
            replace(own, curves=_first(own.curves), called=called)
            for own in self.explanation.conditions
        )

    @property
    def interactions(self) -> ColumnTable:
        """How much pairs of columns interact in the model, the strongest pair first."""
        frame = self.explanation.interactions.to_frame().rename(columns={"first": "strength"})
        frame = frame[["column", "other", "strength", "standard error"]]
        title = f"Interactions in {self.name}, in units of the {self.what}."
        return ColumnTable(title, ("column", "other"), ("strength",), frame)

    def column_map(self, column: Hashable, other: Hashable) -> DifferenceMap:
        """Return the mean score over the values of two columns, as ``first`` of the map."""
        return replace(self.explanation.difference_map(column, other), alone=True)

    def what_if(self, row: int, changes: Mapping[Any, Any] | None = None, **more: Any) -> WhatIf:
        """Return what the model gives for a row with some other values.

        Parameters
        ----------
        row : int
            Position of the row in the table.
        changes : mapping, optional
            The other values, by the name of their column.
        **more
            The same as keywords: ``e.what_if(17, age=40)``.
        """
        return what_if_alone(self.explanation, self.subject, row, changes, more)

    def smallest_change(
        self, row: int, to: Any = None, *, max_calls: int = MAX_CALLS
    ) -> SmallestChange:
        """Return the smallest change of a row after which the model gives another output.

        As with `ModelDiff.smallest_change`, only values that occur are tried: those of one column,
        then those of two.

        Parameters
        ----------
        row : int
            Position of the row in the table.
        to : label or number, optional
            The class that is wanted, by default any other one; or the number that the output shall
            reach, by default 0.5 for a probability and the mean of all rows for a value.
        max_calls : int, default=50,000
            Number of rows that the model is called with at most.
        """
        return smallest_change_alone(self.explanation, self.subject, row, to, max_calls=max_calls)

    @property
    def tree(self) -> TreeSurrogate:
        """A decision tree that imitates the model."""
        return self.explanation.surrogate_room.tree(0)

    @property
    def tree_columns(self) -> ColumnTable:
        """How much each column of the decision tree reduces its squared error, as a share."""
        shares = self.tree.column_shares
        frame = pd.DataFrame({"column": list(shares), "share": list(shares.values())})
        title = f"Columns of the decision tree that imitates {self.name}."
        return ColumnTable(title, ("column",), ("share",), frame)

    @property
    def tree_interactions(self) -> ColumnTable:
        """Pairs of columns on one path of the decision tree, and the share of error they reduce."""
        shares = self.tree.pair_shares
        frame = pd.DataFrame(
            {
                "column": [one for one, _ in shares],
                "other": [other for _, other in shares],
                "share": list(shares.values()),
            }
        )
        title = f"Pairs of columns on one path of the decision tree that imitates {self.name}."
        return ColumnTable(title, ("column", "other"), ("share",), frame)

    @property
    def importance(self) -> ColumnTable:
        """Contributions, random forest importance and mean absolute LOCO of each column."""
        room = self.explanation.surrogate_room
        forest, data = room.forest(0), room.data
        loco = np.abs(forest.contributions(data.tree_matrix)).mean(axis=0)
        of_forest = dict(zip(data.names, zip(forest.importance, loco, strict=True), strict=True))
        found = self.contributions
        none = (np.nan, np.nan)
        frame = pd.DataFrame(
            {
                "column": list(found.columns),
                "contribution": found.size,
                "forest": [of_forest.get(name, none)[0] for name in found.columns],
                "loco": [of_forest.get(name, none)[1] for name in found.columns],
            }
        )
        title = f"Importance of the columns for {self.name}: {self.what}."
        return ColumnTable(title, ("column",), ("contribution", "loco"), frame)

    def reasons(self, row: int) -> ColumnTable:
        """Return the reason codes of one row: contributions, K-LIME and LOCO."""
        room = self.explanation.surrogate_room
        found = room.reasons_of_first(row)
        own = self.contributions_of(row)
        shap = dict(zip(own.columns, own.contribution, strict=True))
        frame = pd.DataFrame(
            {
                "column": list(found.columns),
                "value": list(found.values),
                "contribution": [shap.get(name, np.nan) for name in found.columns],
                "klime": found.klime,
                "loco": found.loco,
            }
        )
        title = f"Reason codes of row {row}. {own}"
        drawn = ("contribution", "klime", "loco")
        return ColumnTable(title, ("column",), drawn, frame, own.text)

    @property
    def local_models(self) -> ColumnTable:
        """The linear models of K-LIME, one row each, the global one first.

        Columns: rows that it was fitted to, intercept (the mean score there), R² on rows kept aside
        and the coefficient of each feature, per standard deviation of the feature. For classes also
        the accuracy: the share of these rows on whose side of 0.5 it is as the model is. The plot
        draws the R².
        """
        data = self.explanation.surrogate_room.data
        names, of_classes = data.linear.names, self.explanation.score.label is not None
        frame = pd.DataFrame(
            [
                {
                    "model": own.name,
                    "rows": own.model.rows,
                    "intercept": float(own.model.intercepts[0]),
                    "R²": own.r2,
                    **({"accuracy": own.accuracy} if of_classes else {}),
                    **dict(zip(names, own.model.coefficients[0].tolist(), strict=True)),
                }
                for own in self.linear_models
            ]
        )
        title = f"Linear models that imitate {self.name} (K-LIME)."
        return ColumnTable(title, ("model",), ("R²",), frame)

    @property
    def linear_models(self) -> tuple[LinearImitation, ...]:
        """The linear models of K-LIME with what they are worth, the global one first."""
        return linear_imitations(self.explanation.surrogate_room)

    @property
    def ranked_predictions(self) -> RankedPredictions:
        """Rows in the order of the prediction, with the linear models that imitate the model."""
        room = self.explanation.surrogate_room
        data, klime = room.data, room.klime
        order = np.argsort(data.targets[:, 0], kind="stable")
        truth = None if self.truth is None else self._numbers(self.truth[data.rows[order]])
        return RankedPredictions(
            name=self.name,
            what=self.what,
            rows=data.rows[order],
            model=data.targets[order, 0],
            global_model=klime.global_model.predict(data.linear.matrix)[order, 0],
            local_models=klime.predicted(data.linear.matrix)[order, 0],
            truth=truth,
        )

    def _numbers(self, truth: NDArray[Any]) -> NDArray[np.float64]:
        """The truth on the scale of the score: 1 for the class that is explained, 0 for others."""
        label = self.explanation.score.label
        if label is not None:
            return np.array([float(own == label) for own in truth.tolist()])
        try:
            return truth.astype(float)
        except (TypeError, ValueError):
            raise InputError(
                Argument("y"), f" holds no numbers, and the model gives a {self.what}."
            ) from None

    def summary(self) -> str:
        """Return what moves the model, and what its surrogates are worth, as text."""
        found, selection = self.contributions, self.explanation.selection
        inside = "" if selection.what == "all" else f" ({selection.text})"
        title = f"{at_start(self.name)}: {self.what} on {self.n_rows:,} rows{inside}."
        sentences = [title, str(found)]
        strongest = self.interactions.to_frame()[["column", "other", "strength"]].head(1)
        for one, other, strength in strongest.itertuples(index=False):
            if strength > 0:
                sentences.append(f"Strongest interaction: {one} and {other} ({strength:.2g}).")
        sentences += [own.sentence for own in self.conditions if own.sentence is not None]
        if self.explanation.score.note is not None:
            sentences.append(self.explanation.score.note)
        sentences.append(found.note)
        return "\n".join(sentences)

    def report(self, rows: Sequence[int] = ()) -> str:
        """Return everything as Markdown; the reason codes are those of ``rows``.

        Parameters
        ----------
        rows : sequence of int, default=()
            Positions of rows whose values and reason codes the report holds. By default it holds
            nothing of single rows.
        """
        text: str = verb("model_report")(self, rows)
        return text

    def save(self, path: str | Path, rows: Sequence[int] | int = ()) -> Path:
        """Write the explanation in the format of the suffix, and return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page. ``.md``: `report`.
        rows : sequence of int, or int, default=()
            Positions of rows that the file holds with their values and reason codes; of a number,
            so many rows, spread evenly over the ranked predictions. By default it holds nothing of
            single rows.
        """
        written: Path = verb("save")(self, path, rows=self.chosen_rows(rows))
        return written

    def show(self, **options: Any) -> ModelWidget:
        """Return a widget that draws the explanation.

        Parameters
        ----------
        **options
            ``height``, ``theme`` and ``picture``, as `imd_widget.show` takes them.
        """
        widget: ModelWidget = verb("show")(self, **options)
        return widget

    def chosen_rows(self, rows: Sequence[int] | int) -> tuple[int, ...]:
        """Return positions of rows, which must be among those explained.

        Parameters
        ----------
        rows : sequence of int, or int
            Positions; or a number of rows, spread evenly over the ranked predictions.
        """
        if isinstance(rows, Integral) and not isinstance(rows, bool):
            check_whole("rows", rows, 0)
            every = self.ranked_predictions.rows
            places = np.linspace(0, len(every) - 1, min(int(rows), len(every))).astype(np.intp)
            return tuple(every[places].tolist())
        e = self.explanation
        return tuple(check_row(row, e.selection, e.table.n_rows) for row in cast(Any, rows))

    def plot(self, n: int = 6) -> Figure:
        """Draw the contributions of the columns and the curves of the first ``n`` of them."""
        from imd_widget.explanations.drawing import draw_one_model

        check_whole("n", n, 1)
        return draw_one_model(self.contributions, self.curves(n), self.summary().splitlines()[0])

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<ModelExplanation: {self.name}, {self.what} on {self.n_rows} rows>"


def _first(curves: PartialDependence) -> PartialDependence:
    """The curves with that of the model alone."""
    return replace(curves, drawn=(True, False))
