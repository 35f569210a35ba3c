"""What a diff is fitted to: the table, the outputs of both models, and the rows to measure on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.by_groups import Grouping
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.known import KnownRegions
from imd_widget.comparison.losses import LossFunction, LossName
from imd_widget.data.table import Table
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions, Tolerance
from imd_widget.outputs.reading import compare_outputs

#: What the metrics of a diff come from: rows kept aside, cross-fitting, or the rows used to fit.
MeasuredBy = Literal["holdout", "cv", "none"]


@dataclass(frozen=True, eq=False)
class MeasuredDataset:
    """A dataset, and how diffs on it are measured."""

    dataset: Dataset
    by: MeasuredBy


class Comparison(Protocol):
    """Compares the outputs of both models again; no model is called."""

    @property
    def output_options(self) -> OutputOptions:
        """Options of the comparison of outputs."""

    def with_tolerance(self, tolerance: Tolerance) -> Comparison:
        """Return the comparison with another tolerance."""

    def compare(self) -> tuple[ComparedOutputs, MeasuredDataset]:
        """Return the compared outputs, and the dataset on which a diff is fitted and measured."""

    def take(
        self, rows: NDArray[np.integer] | None, compared: ComparedOutputs, few: MeasuredDataset
    ) -> tuple[Comparison, ComparedOutputs]:
        """Return the comparison of some rows, in memory, and their compared outputs.

        Parameters
        ----------
        rows : ndarray of int or None
            Numbers of the rows; None: all of them.
        compared : ComparedOutputs
            The compared outputs of all rows.
        few : MeasuredDataset
            The dataset of these rows.
        """


@dataclass(frozen=True, eq=False)
class MemoryComparison:
    """The outputs of both models in memory; a `Comparison`."""

    #: The outputs of both models for the rows of all tables.
    given: ComparisonInput
    #: From the compared outputs to the dataset, and to how the diff is measured.
    choose: Callable[[ComparedOutputs], MeasuredDataset]

    @property
    def output_options(self) -> OutputOptions:
        """Options of the comparison of outputs."""
        return self.given.output_options

    def with_tolerance(self, tolerance: Tolerance) -> MemoryComparison:
        """Return the comparison with another tolerance."""
        options = replace(self.given.output_options, tolerance=tolerance)
        return replace(self, given=replace(self.given, output_options=options))

    def compare(self) -> tuple[ComparedOutputs, MeasuredDataset]:
        """Return the compared outputs, and the dataset on which a diff is fitted and measured."""
        compared = compare_outputs(self.given)
        return compared, self.choose(compared)

    def take(
        self, rows: NDArray[np.integer] | None, compared: ComparedOutputs, few: MeasuredDataset
    ) -> tuple[MemoryComparison, ComparedOutputs]:
        """Return the comparison of some rows and their compared outputs."""
        if rows is None:
            return MemoryComparison(self.given, lambda _: few), compared
        return MemoryComparison(self.given.take(rows), lambda _: few), compared.take(rows)


@dataclass(frozen=True, eq=False)
class FitInput:
    """What results are fitted to, whatever the options of the method are."""

    #: The user's table.
    table: Table
    #: Compares the outputs of both models.
    comparison: Comparison
    #: Both models, which can be called with other rows.
    models: ComparedModels
    #: Number of chunks in which rows are counted; None: one per thread. The results are the same to
    #: the bit.
    n_chunks: int | None = None
    #: The groups whose rates are reported.
    grouping: Grouping | None = None
    #: The loss that the user asked for.
    loss: LossFunction | LossName | None = None
    #: The user's tags, which a file of the diff holds.
    tags: Mapping[str, str] | None = None
    #: The rules outside of which the models agree, if they are known.
    known: KnownRegions | None = None
    #: Names of columns with a different value in nearly every row, which no rule can use.
    identifiers: tuple[str, ...] = ()
