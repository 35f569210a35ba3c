"""The outputs of one model as a column that rules may use.

With ``given="m1"`` the tree may split on the outputs of model 1. That is another question than
where in the table two models differ: the answer needs the output of that model for every new row,
and shows where the other model predicts otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.counting.observations import Observations
from imd_widget.data.columns import CategoryColumn, Codes, Column
from imd_widget.data.native import NativeColumn
from imd_widget.data.sampling import LARGEST, hashed_between, sample_bound
from imd_widget.data.summaries import ChunkRows, ColumnSummary, summarize
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import Outputs

Given = Literal["m1", "m2"]
#: The numbers of the models.
NUMBERS: dict[Given, int] = {"m1": 0, "m2": 1}
#: Names that people give to the ground truth when they pass it in place of a model.
TRUTH_NAMES = frozenset({"truth", "ground truth", "y", "y_true", "true", "actual", "target"})
#: Bins of numeric outputs, and values from which they are computed.
BINS, SAMPLE = 255, 200_000


def is_truth(names: tuple[str, str], model: int, right: Right | None = None) -> bool:
    """Whether a "model" is the ground truth: it is called so, or its outputs are ``y``.

    Parameters
    ----------
    names : tuple of two str
        Names of the models.
    model : int
        Number of the model, 0 or 1.
    right : Right, optional
        How often either model is right over all rows.
    """
    if names[model].strip().casefold() in TRUTH_NAMES:
        return True
    if right is None or not right.known:
        return False
    return right.errors[model] == 0 if right.errors else right.accuracy[model] == 1


def choices(names: tuple[str, str], right: Right | None) -> tuple[Given, ...]:
    """Return the models that rules may use: those that are not the ground truth.

    New rows have no truth yet, so a rule about it cannot be applied to them.
    """
    return tuple(own for own, number in NUMBERS.items() if not is_truth(names, number, right))


@dataclass(frozen=True, eq=False)
class Sureness:
    """How sure a model is of each row of a dataset."""

    #: "probability of yes" for two classes, else "margin".
    what: str
    values: NDArray[np.float64]
    #: Round numbers that are thresholds too, where they lie between the others.
    round_numbers: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class GivenOutputs:
    """The outputs of a model as a column; a table in memory is one chunk of rows."""

    outputs: Outputs
    #: Number of the model.
    model: int
    #: In place of the outputs: how sure the model is of each row of the dataset.
    sure: Sureness | None = None

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels of the column; empty if it holds numbers."""
        return () if self.sure is not None else self.outputs.labels

    def name_for(self, model: str) -> str:
        """Return the name of the column, which is not unique yet."""
        return f"{model} predicts" if self.sure is None else f"{model}'s {self.sure.what}"

    def column(
        self,
        names: Sequence[Hashable],
        name: str,
        n_rows: int,
        up_to: Callable[[int], ColumnSummary],
    ) -> Column:
        """Return the column; ``up_to`` returns the summary of the rows up to a hash."""
        name, position = given_name(names, name), len(names)
        if self.labels:
            return CategoryColumn(name, position, self.labels, given=True)
        summary = up_to(sample_bound(n_rows, SAMPLE))
        if summary.lacks(SAMPLE):
            summary = up_to(LARGEST)
        column = summary.column(name, position, BINS, SAMPLE)
        if self.sure is not None and column.ordered:
            column = column.with_values(_between(self.sure.round_numbers, column.cuts()))
        return replace(column, given=True)

    def summary(
        self, observed: Observations, fit: NDArray[np.integer], start: int, bound: int
    ) -> ColumnSummary:
        """Summarize the outputs for a chunk of rows, of which ``start`` is the first."""
        in_fit = np.zeros(len(observed), dtype=bool)
        in_fit[fit] = True
        rows = ChunkRows(in_fit, hashed_between(start, start + len(observed), ~0), bound)
        return summarize(NativeColumn(self._values(observed)), rows, "given")

    def codes(self, observed: Observations, column: Column) -> Codes:
        """Encode the outputs for a chunk of rows."""
        if self.labels and observed.labels is not None:
            return observed.labels[self.model].astype(np.min_scalar_type(column.n_values))
        return column.encode(self._values(observed))

    def _values(self, observed: Observations) -> pd.Series[Any]:
        if self.sure is not None:
            return pd.Series(self.sure.values)
        return pd.Series(self.outputs.predictions_at(observed, slice(None))[self.model])


def _between(numbers: Sequence[float], thresholds: Collection[Any]) -> list[float]:
    """Return those of some numbers that lie between the least and the largest threshold."""
    low, high = min(thresholds, default=0), max(thresholds, default=0)
    return [number for number in numbers if low < number < high]


def given_name(names: Sequence[Hashable], name: str) -> str:
    """Return a name for the column of outputs that no column of the table has, in any case.

    ``names`` are those of all columns of the table, also of those that rules may not use.
    """
    taken = {str(column).casefold() for column in names}
    while name.casefold() in taken:
        name = f"model {name}"
    return name
