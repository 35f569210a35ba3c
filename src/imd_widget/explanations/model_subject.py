"""One model on a table in place of a diff."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.kinds import OutputChoice
from imd_widget.comparison.options import Options
from imd_widget.data.columns import Column
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.model_results import UNNAMED
from imd_widget.explanations.scores import ExplainedScore, class_score, known_label, number_score
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.models.adapters import check_order, model_names, predict
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput
from imd_widget.outputs.interface import Outputs
from imd_widget.outputs.reading import compare_outputs
from imd_widget.outputs.registry import chooses_class


@dataclass(frozen=True, eq=False)
class NoGroups:
    """No rows are kept aside together."""

    groups: None = None


@dataclass(frozen=True, eq=False)
class AllColumns:
    """Every column of the table may be asked about."""

    outputs: Outputs
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, eq=False)
class OneModel:
    """One model on a table, in place of a diff: the second model gives 0 for every row.

    So the difference of the two is the model itself.
    """

    name: str
    table: Table
    #: The model, twice.
    models: ComparedModels
    #: Its score, and 0.
    score: ExplainedScore
    tree: AllColumns
    tolerance: float | None = None
    dataset: NoGroups = field(default_factory=NoGroups)

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


def read_model(m: Any, X: Any, outputs: OutputChoice, pos_label: Any, name: str | None) -> OneModel:
    """Call a model with a table and find out what it predicts."""
    wished = pos_label if chooses_class(outputs) else None
    given = Options.of({"outputs": outputs, "pos_label": wished}).output_options
    check_order(m, m, X)
    table = open_table(X)
    if table.n_rows < FEWEST_ROWS:
        raise InputError(
            f"X has {table.n_rows} rows: at least {FEWEST_ROWS} are needed to imitate a model."
        )
    called = str(name) if name is not None else _name(m, table)
    output = predict(m, table, "m", outputs)
    counting = np.ones(table.n_rows, dtype=bool)
    compared = compare_outputs(ComparisonInput((output, output), given, counting, table.n_rows))
    pair = ComparedModels((m, m), (called, called), given.outputs, compared.convert)
    score = _alone(_score(compared, pair, table, pos_label))
    return OneModel(called, table, pair, score, AllColumns(compared.outputs))


def _name(m: Any, table: Any) -> str:
    name = model_names(m, m, None, table)[0]
    return name.removesuffix(" 1") if name != "model 1" else UNNAMED


def _score(
    compared: ComparedOutputs, pair: ComparedModels, table: Any, pos_label: Any
) -> ExplainedScore:
    """The score of one model, twice."""
    outputs = compared.outputs
    known = partial(outputs.predictions_at, compared.observations)
    if not outputs.labels:
        if pos_label is not None and not chooses_class(outputs.kind):
            known_label(pos_label, outputs)  # raises: there is none
        return number_score(outputs, pair, known)
    labels = outputs.labels
    if pos_label is not None:
        label = known_label(pos_label, outputs)
    elif len(labels) <= 2:
        label = labels[-1]
    else:
        first, _ = outputs.predictions(compared.observations, table.n_rows)
        label = Counter(first.tolist()).most_common(1)[0][0]
    return class_score(outputs, pair, label, known, table)


def _alone(score: ExplainedScore) -> ExplainedScore:
    """Return the score of a model beside a second one that is 0 for every row."""

    def ask(model: int, table: Table) -> NDArray[np.float64]:
        return score.ask(0, table) if model == 0 else np.zeros(table.n_rows)

    def of_rows(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        known = score.of_rows(rows)[:, 0]
        return np.column_stack([known, np.zeros(len(rows))])

    return replace(score, ask=ask, of_rows=of_rows)
