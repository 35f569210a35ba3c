"""The comparison of a large diff: outputs that stay where they were made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.fit_input import MeasuredBy, MeasuredDataset, MemoryComparison
from imd_widget.large.cases import LargeComparison, OutputRequest
from imd_widget.large.comparing_numbers import compare_numbers
from imd_widget.large.dataset import LargeDataset
from imd_widget.large.lazy_arrays import lazy_observations
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions, Tolerance
from imd_widget.outputs.values import NumberPlan


@dataclass(frozen=True, eq=False)
class PartitionedComparison:
    """The outputs of both models in partitions; a `Comparison`."""

    #: The rows, without a column of outputs.
    dataset: LargeDataset
    case: OutputRequest
    #: How outputs became numbers; None for labels, which have no tolerance.
    plan: NumberPlan | None
    #: How diffs are measured.
    by: MeasuredBy

    @property
    def output_options(self) -> OutputOptions:
        """Options of the comparison of outputs."""
        return self.case.options

    def with_tolerance(self, tolerance: Tolerance) -> PartitionedComparison:
        """Return the comparison with another tolerance."""
        options = replace(self.case.options, tolerance=tolerance)
        return replace(self, case=replace(self.case, options=options))

    def compare(self) -> tuple[ComparedOutputs, MeasuredDataset]:
        """Compare the numbers that are kept of the outputs again."""
        assert self.plan is not None  # only numbers have a tolerance
        again = compare_numbers(self.dataset.chunks, self.plan, self.case, converted=True)
        dataset, compared = with_comparison(self.dataset, again)
        return compared, MeasuredDataset(dataset, self.by)

    def take(
        self, rows: NDArray[np.integer] | None, compared: ComparedOutputs, few: MeasuredDataset
    ) -> tuple[MemoryComparison, ComparedOutputs]:
        """Return the comparison of some rows, in memory, and their compared outputs."""
        if rows is None:
            rows = np.arange(self.dataset.n_rows)
        usable = np.ones(len(rows), dtype=bool)
        own = replace(compared, observations=compared.observations.take(rows), usable=usable)
        values = own.outputs.predictions_at(own.observations, slice(None))
        first, second = (
            ModelOutput(one, argument) for one, argument in zip(values, ("m1", "m2"), strict=True)
        )
        given = ComparisonInput(
            (first, second),
            replace(self.case.options, outputs=own.outputs.kind),
            few.dataset.counting,
            len(rows),
            few.dataset.truth,
            few.dataset.weights,
        )
        return MemoryComparison(given, lambda _: few), own


def with_comparison(
    dataset: LargeDataset, comparison: LargeComparison
) -> tuple[LargeDataset, ComparedOutputs]:
    """Return the dataset and the outputs of a comparison, whose observations are lazy."""
    chunks, compared = comparison.chunks, comparison.compared
    weighted = dataset.large_weights is not None
    lazy = lazy_observations(
        compared.observations, chunks, dataset.starts, weighted, dataset.has_truth
    )
    return replace(dataset, chunks=chunks, base=None), replace(compared, observations=lazy)
