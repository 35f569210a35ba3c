"""`explain`: one model on a table, by every technique."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import Argument, InputError
from imd_widget._base.frozen import FrozenArrays
from imd_widget._base.kinds import OutputChoice
from imd_widget._base.validation import check_whole
from imd_widget.comparison.query import as_mask, rows_of
from imd_widget.data.columns import Column
from imd_widget.data.table import Table
from imd_widget.explanations.contributions import MAX_CALLS
from imd_widget.explanations.explanation import FIRST_CURVES, ExplainOptions, Explanation
from imd_widget.explanations.fidelity import r2_text
from imd_widget.explanations.partial_dependence import ConditionalExpectation, PartialDependence
from imd_widget.explanations.scores import Score
from imd_widget.explanations.selection import FEWEST_ROWS, Selection
from imd_widget.explanations.single import OneScore, read_model
from imd_widget.explanations.tree_surrogate import TreeSurrogate
from imd_widget.models.pair import ComparedModels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Columns that a sentence names.
NAMED = 5


@dataclass(frozen=True, eq=False)
class _Dataset:
    groups: None = None


@dataclass(frozen=True, eq=False)
class _Tree:
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, eq=False)
class OneModel:
    """One model on a table, in place of a diff: the second model gives 0 for every row.

    So the difference of the two is the model itself.
    """

    name: str
    table: Table
    models: ComparedModels
    tolerance: float | None = None
    tree: _Tree = field(default_factory=_Tree)
    dataset: _Dataset = field(default_factory=_Dataset)

    @property
    def names(self) -> tuple[str, str]:
        """The name of the model, twice."""
        return self.name, self.name

    @property
    def rows(self) -> OneModel:
        """The rows and the model: itself."""
        return self

    @cached_property
    def row_weight(self) -> NDArray[np.float64]:
        """One for each row."""
        return np.ones(self.table.n_rows)


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    where: Any = None,
    outputs: OutputChoice = "auto",
    pos_label: Any = None,
    name: str | None = None,
    n_points: int = 20,
    max_samples: int = 1000,
    max_calls: int = MAX_CALLS,
    max_depth: int = 4,
    random_state: int = 0,
) -> ModelExplanation:
    """Explain one model on a table; nothing is computed before it is asked for.

    Parameters
    ----------
    model : model
        Anything with ``predict``, or a function of the table.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        At least 20 rows.
    y : array of shape (n_rows,), optional
        The truth, which is drawn beside the predictions.
    where : str or array of bool of shape (n_rows,), optional
        The rows to explain: a condition as for ``DataFrame.query``, or a mask. None: all rows.
    outputs : {"auto", "class", "proba", "value"}, default="auto"
        What the outputs are, as in `imd_widget.diff`. Of classes the probability of one of them is
        explained, from ``predict_proba`` where the model has it, and its votes otherwise.
    pos_label : label, optional
        The class; by default the second of two, and the most frequent one of more.
    name : str, optional
        Name of the model; by default that of its class.
    n_points, max_samples, max_calls, max_depth, random_state
        As in `ModelDiff.explain`.

    Returns
    -------
    ModelExplanation

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20.0, 60.0), 8), "pay": np.arange(320) % 7})
    >>> e = imd.explain(lambda t: 2 * t["age"], X, outputs="value", name="double")
    >>> e.columns
    ('age', 'pay')
    >>> c = e.contributions_of(0)
    >>> round(c.base), c.level, round(c.contribution[0])
    (79, 40.0, -39)
    """
    chosen = ExplainOptions(n_points, max_samples, max_calls, max_depth, random_state)
    check_whole("n_points", n_points, 2)
    check_whole("max_samples", max_samples, FEWEST_ROWS)
    check_whole("max_calls", max_calls, 1)
    check_whole("max_depth", max_depth, 1)
    check_whole("random_state", random_state, 0)
    own = read_model(model, X, outputs, pos_label, name)
    if own.score.cannot is not None:
        raise InputError(
            Argument("model"),
            " is an array of outputs, which cannot be called with other values: pass the model "
            "itself or a function of the table.",
        )
    subject = OneModel(own.name, own.table, own.pair)
    selection = _selected(own.table, where)
    truth = None if y is None else _truth(y, own.table.n_rows)
    e = Explanation(selection, _alone(own), None, chosen, subject)
    return ModelExplanation(own.name, truth, e)


def _selected(table: Table, where: Any) -> Selection:
    every = np.arange(table.n_rows)
    if where is None:
        return Selection("all", None, "all rows", every)
    if isinstance(where, str):
        return Selection("mask", None, where, _enough(np.flatnonzero(rows_of(where, table)), where))
    mask = as_mask(where) if np.shape(where) == (table.n_rows,) else None
    if mask is None:
        raise InputError(
            Argument("where"),
            f" is a {type(where).__name__}: a condition as text is needed, or a boolean array with "
            f"one True or False for each of the {table.n_rows} rows.",
        )
    return Selection("mask", None, "rows of a mask", _enough(np.flatnonzero(mask), "the mask"))


def _enough(rows: NDArray[np.intp], text: str) -> NDArray[np.intp]:
    if len(rows) < FEWEST_ROWS:
        raise InputError(
            Argument("where"),
            f": {len(rows)} rows lie inside ({text}), and at least {FEWEST_ROWS} are needed.",
        )
    return rows


def _truth(y: Any, n_rows: int) -> NDArray[Any]:
    truth = np.asarray(y)
    if truth.shape != (n_rows,):
        raise InputError(
            Argument("y"), f" has the shape {truth.shape}: one value for each of {n_rows} rows."
        )
    return truth


def _alone(own: OneScore) -> Score:
    """The score of the model, beside a second one that is 0 for every row."""
    score = own.score

    def ask(model: int, table: Table) -> NDArray[np.float64]:
        return score.ask(0, table) if model == 0 else np.zeros(table.n_rows)

    def of_rows(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        known = score.of_rows(rows)[:, 0]
        return np.column_stack([known, np.zeros(len(rows))])

    return replace(score, ask=ask, of_rows=of_rows)


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
        largest = list(enumerate(self.columns))[:NAMED]
        if self.values is None:
            named = ", ".join(f"{column} ({self.size[at]:.2g})" for at, column in largest)
            return (
                f"{self.name}: {self.what} {self.level:.3g} on average. Largest mean absolute "
                f"contributions: {named}."
            )
        parts = ", ".join(f"{self.contribution[at]:+.2g} from {column}" for at, column in largest)
        return f"{self.name} gives {self.level:.3g}: {self.base:.3g} on average, {parts}."

    def __repr__(self) -> str:
        return f"<ColumnContributions: {self}>"


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


@dataclass(frozen=True, eq=False, repr=False)
class ModelExplanation:
    """One model explained on some rows; `imd_widget.explain` makes it.

    Attributes
    ----------
    name : str
        Name of the model.
    truth : ndarray of shape (n_rows,) or None
        The ``y`` that was given.
    """

    name: str
    truth: NDArray[Any] | None
    _e: Explanation = field(repr=False)

    @property
    def what(self) -> str:
        """What is explained: "probability of yes"."""
        return self._e.what

    @property
    def n_rows(self) -> int:
        """Number of rows that are explained."""
        return self._e.n_rows

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of all columns, the one that moves the model most first."""
        return self._e.columns

    @property
    def contributions(self) -> ColumnContributions:
        """What each column contributes to the score on these rows: its Shapley value."""
        return self._contributions(None)

    def contributions_of(self, row: int) -> ColumnContributions:
        """Return what each column contributes to the score of one row of the table."""
        return self._contributions(row)

    def _contributions(self, row: int | None) -> ColumnContributions:
        found = self._e.contributions if row is None else self._e.contributions_of(row)
        order = found.order
        return ColumnContributions(
            columns=tuple(found.columns[at] for at in order),
            name=self.name,
            what=self.what,
            base=float(found.base[0]),
            level=float(found.level[0]),
            contribution=found.first[order],
            size=found.size[0][order],
            standard_error=found.standard_error[order],
            values=None if found.values is None else tuple(found.values[at] for at in order),
            n_asked=found.n_asked,
        )

    def partial_dependence(
        self, column: Hashable, *, grid: Sequence[Any] | None = None
    ) -> PartialDependence:
        """Return how the score depends on a column, on average; see `Explanation`."""
        return _first(self._e.partial_dependence(column, grid=grid))

    def ice(self, column: Hashable, row: int) -> ConditionalExpectation:
        """Return how the score of one row changes with a column."""
        found = self._e.ice(column, row)
        return replace(found, partial_dependence=_first(found.partial_dependence))

    def curves(self, n: int | None = FIRST_CURVES) -> tuple[PartialDependence, ...]:
        """Return the curves of the ``n`` columns that move the model most."""
        return tuple(map(_first, self._e.curves(n)))

    @property
    def interactions(self) -> pd.DataFrame:
        """How much pairs of columns interact in the model, the strongest pair first."""
        frame = self._e.interactions.to_frame().rename(columns={"first": "strength"})
        return frame[["column", "other", "strength", "standard error"]]

    @property
    def tree(self) -> TreeSurrogate:
        """A decision tree that imitates the model."""
        return self._e.surrogate_fits.tree(0)

    @property
    def tree_columns(self) -> pd.DataFrame:
        """How much each column of the decision tree reduces its squared error, as a share."""
        shares = self.tree.column_shares
        return pd.DataFrame({"column": list(shares), "share": list(shares.values())})

    @property
    def tree_interactions(self) -> pd.DataFrame:
        """Pairs of columns on one path of the decision tree, and the share of error they reduce."""
        shares = self.tree.pair_shares
        return pd.DataFrame(
            {
                "column": [one for one, _ in shares],
                "other": [other for _, other in shares],
                "share": list(shares.values()),
            }
        )

    @property
    def importance(self) -> pd.DataFrame:
        """Contributions, random forest importance and mean absolute LOCO of each column."""
        forest, data = self._e.surrogate_fits.forest(0), self._e.surrogate_fits.data
        loco = np.abs(forest.contributions(data.tree_matrix)).mean(axis=0)
        of_forest = dict(zip(data.names, zip(forest.importance, loco, strict=True), strict=True))
        found = self.contributions
        none = (np.nan, np.nan)
        return pd.DataFrame(
            {
                "column": list(found.columns),
                "contribution": found.size,
                "forest": [of_forest.get(name, none)[0] for name in found.columns],
                "loco": [of_forest.get(name, none)[1] for name in found.columns],
            }
        )

    def reasons(self, row: int) -> pd.DataFrame:
        """Return the reason codes of one row: contributions, K-LIME and LOCO."""
        room = self._e.surrogate_fits
        found = room.reasons_of_first(row)
        own = self.contributions_of(row)
        shap = dict(zip(own.columns, own.contribution, strict=True))
        return pd.DataFrame(
            {
                "column": list(found.columns),
                "value": list(found.values),
                "contribution": [shap.get(name, np.nan) for name in found.columns],
                "klime": found.klime,
                "loco": found.loco,
            }
        )

    @property
    def local_models(self) -> pd.DataFrame:
        """The linear models of K-LIME, one row each, the global one first.

        Columns: rows that it was fitted to, intercept (the mean score there), R² on rows kept aside
        and the coefficient of each feature, per standard deviation of the feature.
        """
        room = self._e.surrogate_fits
        klime, data = room.klime, room.data
        names = data.linear.names
        whole = data.measured(0, klime.global_model.predict(data.linear.matrix)[:, 0])
        lines = [("global", klime.global_model, np.nan if whole.r2 is None else whole.r2)]
        lines += [
            (f"cluster {at + 1}", model, float(klime.cluster_r2[at, 0]))
            for at, model in enumerate(klime.models)
        ]
        return pd.DataFrame(
            [
                {
                    "model": name,
                    "rows": model.rows,
                    "intercept": float(model.intercepts[0]),
                    "R²": r2,
                    **dict(zip(names, model.coefficients[0].tolist(), strict=True)),
                }
                for name, model, r2 in lines
            ]
        )

    @property
    def ranked_predictions(self) -> RankedPredictions:
        """Rows in the order of the prediction, with the linear models that imitate the model."""
        room = self._e.surrogate_fits
        klime, data = room.klime, room.data
        features = data.linear.matrix
        local = np.empty(len(features))
        for cluster, model in enumerate(klime.models):
            rows = klime.clusters == cluster
            local[rows] = model.predict(features[rows])[:, 0]
        order = np.argsort(data.targets[:, 0], kind="stable")
        truth = None if self.truth is None else self._numbers(self.truth[data.rows[order]])
        return RankedPredictions(
            name=self.name,
            what=self.what,
            rows=data.rows[order],
            model=data.targets[order, 0],
            global_model=klime.global_model.predict(features)[order, 0],
            local_models=local[order],
            truth=truth,
        )

    def _numbers(self, truth: NDArray[Any]) -> NDArray[np.float64]:
        """The truth on the scale of the score: 1 for the class that is explained, 0 for others."""
        label = self._e.score.label
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
        found = self.contributions
        strongest = self.interactions.iloc[:1]
        sentences = [f"{self.name}: {self.what} on {self.n_rows:,} rows.", str(found)]
        for one, other, strength in strongest[["column", "other", "strength"]].itertuples(
            index=False
        ):
            if strength > 0:
                sentences.append(f"Strongest interaction: {one} and {other} ({strength:.2g}).")
        if self._e.score.note is not None:
            sentences.append(self._e.score.note)
        sentences.append(f"The model was called with {found.n_asked:,} rows for contributions.")
        return "\n".join(sentences)

    def report(self, rows: Sequence[int] = ()) -> str:
        """Return everything as Markdown; the reason codes are those of ``rows``.

        Parameters
        ----------
        rows : sequence of int, default=()
            Positions of rows whose values and reason codes the report holds. By default it holds
            nothing of single rows.
        """
        tree, local = self.tree, self.local_models
        whole = local.iloc[0]
        r2 = "none" if np.isnan(whole["R²"]) else r2_text(float(whole["R²"]))
        parts = [
            f"# {self.name}: {self.what}",
            self.summary().replace("\n", "\n\n"),
            "## Columns",
            _table(self.importance),
            "## Interactions",
            _table(self.interactions.head(NAMED)),
            "## Decision tree that imitates the model",
            tree.fidelity,
            "\n".join(f"- {rule}" for rule in tree.rules),
            _table(self.tree_columns),
            _table(self.tree_interactions) if len(self.tree_interactions) else "",
            "## Linear models that imitate it (K-LIME)",
            f"The global model has R² {r2} on rows kept aside. Coefficients are per standard "
            "deviation.",
            _table(local),
        ]
        for row in rows:
            parts += [f"## Row {row}", str(self.contributions_of(row)), _table(self.reasons(row))]
        return "\n\n".join(part for part in parts if part) + "\n"

    def save(self, path: str | Path, rows: Sequence[int] = ()) -> Path:
        """Write `report` to a Markdown file and return its path."""
        path = Path(path)
        if path.suffix.lower() != ".md":
            raise InputError(
                Argument("path"), f" ends in {path.suffix!r}: the report of a model is a .md file."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, encodable_text(self.report(rows)).encode("utf-8"))
        return path

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


def _table(frame: pd.DataFrame) -> str:
    """A table as Markdown."""
    cells = [[str(name) for name in frame.columns], ["---"] * len(frame.columns)]
    cells += [
        [f"{value:.3g}" if isinstance(value, float) else str(value) for value in own]
        for own in frame.itertuples(index=False)
    ]
    return "\n".join(
        f"| {' | '.join(one.replace('|', chr(92) + '|') for one in line)} |" for line in cells
    )
