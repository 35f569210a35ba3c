"""What a diff is fitted to: the table, the outputs of both models, and the rows to measure on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from imd_widget.comparison.by_groups import Grouping
from imd_widget.comparison.dataset import Dataset
from imd_widget.data.table import Table
from imd_widget.models.pair import ModelPair
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, Tolerance
from imd_widget.outputs.reading import compare_outputs

#: What the metrics of a diff come from: rows kept aside, cross-fitting, or the rows used to fit.
MeasuredBy = Literal["holdout", "cv", "none"]


@dataclass(frozen=True, eq=False)
class MeasuredDataset:
    """A dataset, and how diffs on it are measured."""

    dataset: Dataset
    by: MeasuredBy


@dataclass(frozen=True, eq=False)
class FitInput:
    """What results are fitted to, whatever the options of the method are.

    Attributes
    ----------
    table : Table
        The user's table.
    comparison : ComparisonInput
        The outputs of both models for the rows of all tables.
    models : ModelPair
        Both models, which can be called with other rows.
    measured : callable
        From the compared outputs to the dataset, and to how the diff is measured.
    n_chunks : int or None
        Number of chunks in which rows are counted; None: one per thread. The results are the same
        to the bit.
    grouping : Grouping or None
        The groups whose rates are reported.
    loss : callable or None
        The user's loss, from ``y`` and the outputs of a model to a number for each row.
    """

    table: Table
    comparison: ComparisonInput
    models: ModelPair
    measured: Callable[[ComparedOutputs], MeasuredDataset]
    n_chunks: int | None = None
    grouping: Grouping | None = None
    loss: Callable[[Any, Any], Any] | None = None

    def with_tolerance(self, tolerance: Tolerance) -> tuple[FitInput, ComparedOutputs]:
        """Return the input with another tolerance, and the outputs compared with it."""
        options = replace(self.comparison.output_options, tolerance=tolerance)
        comparison = replace(self.comparison, output_options=options)
        return replace(self, comparison=comparison), compare_outputs(comparison)
