"""One model on a table in place of a diff."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column
from imd_widget.data.table import Table
from imd_widget.explanations.scores import ExplainedScore
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.interface import Outputs


@dataclass(frozen=True, eq=False)
class NoGroups:
    """No rows are kept aside together."""

    groups: None = None


@dataclass(frozen=True, eq=False)
class AllColumns:
    """Every column of the table may be asked about."""

    columns: tuple[Column, ...] = ()


@dataclass(frozen=True, eq=False)
class OneModel:
    """One model on a table, in place of a diff: the second model gives 0 for every row.

    So the difference of the two is the model itself.
    """

    name: str
    table: Table
    models: ComparedModels
    outputs: Outputs
    tolerance: float | None = None
    tree: AllColumns = field(default_factory=AllColumns)
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


def score_alone(score: ExplainedScore) -> ExplainedScore:
    """Return the score of a model beside a second one that is 0 for every row."""

    def ask(model: int, table: Table) -> NDArray[np.float64]:
        return score.ask(0, table) if model == 0 else np.zeros(table.n_rows)

    def of_rows(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        known = score.of_rows(rows)[:, 0]
        return np.column_stack([known, np.zeros(len(rows))])

    return replace(score, ask=ask, of_rows=of_rows)
