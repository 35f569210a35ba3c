"""Fit and results of a large diff."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.parallel import n_threads
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.diff_rows import DiffRows, best_of
from imd_widget.comparison.fit_input import FitInput, MeasuredDataset
from imd_widget.comparison.given import NUMBERS, Given, GivenOutputs, choices
from imd_widget.comparison.problem import fit_problem
from imd_widget.comparison.row_totals import RowTotals
from imd_widget.counting.layout import Layout
from imd_widget.data.columns import Codes, Column
from imd_widget.data.summaries import ColumnSummary
from imd_widget.large.cases import LargeComparison, OutputRequest
from imd_widget.large.comparing_numbers import compare_numbers
from imd_widget.large.dataset import LargeDataset
from imd_widget.large.lazy_arrays import lazy_observations
from imd_widget.large.parts import LargeChunk
from imd_widget.large.progress import ProgressSource
from imd_widget.large.remote_source import RemoteSource
from imd_widget.methods import Method, Problem
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, Tolerance
from imd_widget.outputs.values import NumberPlan
from imd_widget.tree.local_source import LocalSource
from imd_widget.tree.source import CountSource


@dataclass(frozen=True, eq=False)
class LargeFitInput(FitInput):
    """What a large diff is fitted to.

    Attributes
    ----------
    case : OutputRequest
    plan : NumberPlan or None
        How outputs became numbers; None for labels.
    """

    case: OutputRequest | None = None
    plan: NumberPlan | None = None

    def with_case(self, tolerance: Tolerance) -> LargeFitInput:
        """The same with another tolerance."""
        assert self.case is not None
        case = replace(self.case, options=replace(self.case.options, tolerance=tolerance))
        return replace(self, case=case)


@dataclass(frozen=True, eq=False)
class LargeRows(DiffRows):
    """The results of a fit to a table that does not fit in memory."""

    @property
    def _large(self) -> LargeDataset:
        assert isinstance(self.dataset, LargeDataset)
        return self.dataset

    @cached_property
    def totals(self) -> RowTotals:
        """Sums over all rows of the table and over the holdout rows."""
        return self._large.totals()

    def check_resampled(self) -> None:
        """Raise InputError: resamples are fitted in memory."""
        raise InputError(
            "stability cannot be had of a table that is read in partitions: resamples are fitted "
            "to a table in memory. Make the diff of some of the rows in memory."
        )

    def changed(self, method: Method, tolerance: Tolerance | None = None) -> LargeRows:
        """Fit again with another method, without refinement; no model is called."""
        fit_input, dataset = self.fit_input, self._large
        assert isinstance(fit_input, LargeFitInput)
        compared = self.compared
        if tolerance is not None:
            fit_input = fit_input.with_case(tolerance)
            dataset, compared = _compared_again(dataset, fit_input)
        elif method.given == self.method.given:
            problem = replace(self.problem, method=method)
            return replace(self, problem=problem, fit=fit_problem(problem), refinements=0)
        return fit_large(fit_input, compared, dataset.without_given(), method, self.measured_by)

    def on_fewer_rows(self, most: int) -> DiffRows:
        """The results with the same options, to be fitted again on a few rows in memory."""
        dataset = self._large
        fit, holdout = dataset.few_rows(most, dataset.random_state + 1)
        rows = np.union1d(fit, holdout)
        few = dataset.sample(fit, holdout)
        if dataset.n_rows <= 2 * most:  # as a table in memory, which is not sampled then
            rows = np.arange(dataset.n_rows)
            few = dataset.in_memory(fit, holdout)
        compared = replace(
            self.compared,
            observations=self.compared.observations.take(rows),
            usable=np.ones(len(rows), dtype=bool),
        )
        measured = MeasuredDataset(few, self.measured_by)
        fit_input = FitInput(
            few.tables[0],
            self._comparison_of(rows, compared, few),
            self.models,
            lambda _: measured,
        )
        return DiffRows(fit_input, measured, compared, self.problem, self.fit)

    def _comparison_of(
        self, rows: NDArray[np.int64], compared: ComparedOutputs, dataset: Dataset
    ) -> ComparisonInput:
        """The outputs of both models for some rows, to be compared with another tolerance."""
        fit_input = self.fit_input
        assert isinstance(fit_input, LargeFitInput)
        assert fit_input.case is not None
        values = compared.outputs.predictions_at(compared.observations, slice(None))
        first, second = (
            ModelOutput(own, argument) for own, argument in zip(values, ("m1", "m2"), strict=True)
        )
        options = replace(fit_input.case.options, outputs=compared.outputs.kind)
        return ComparisonInput(
            (first, second),
            options,
            dataset.counting,
            len(rows),
            dataset.truth,
            dataset.weights,
        )

    @cached_property
    def _truth_dtype(self) -> Any:
        """Objects: a dtype would be inferred from all rows."""
        return np.dtype(object)

    def truth_at(self, rows: NDArray[np.integer]) -> pd.Series[Any] | None:
        """Return ``y`` for some rows of the table, numbered from 0; None without ``y``."""
        truth = self.dataset.truth
        return None if truth is None else pd.Series(truth[np.asarray(rows)])

    @cached_property
    def kept_aside(self) -> NDArray[np.bool_]:
        """Mask of the holdout rows of the table."""
        mask = np.zeros(self.table.n_rows, dtype=bool)
        mask[self.dataset.holdout] = True
        return mask


def _compared_again(
    dataset: LargeDataset, fit_input: LargeFitInput
) -> tuple[LargeDataset, ComparedOutputs]:
    """Compare numbers with another tolerance, from what is kept of the outputs."""
    assert fit_input.case is not None
    assert fit_input.plan is not None
    base = dataset.without_given()
    again = compare_numbers(base.chunks, fit_input.plan, fit_input.case, converted=True)
    return with_comparison(base, again)


def with_comparison(
    dataset: LargeDataset, comparison: LargeComparison
) -> tuple[LargeDataset, ComparedOutputs]:
    """The dataset and the outputs of a comparison, whose observations are lazy."""
    chunks, nothing = comparison.chunks, comparison.compared.observations
    has_truth = dataset.truth is not None
    weighted = dataset.weights is not None
    lazy = lazy_observations(nothing, chunks, dataset.starts, weighted, has_truth)
    return dataset.with_chunks(chunks), replace(comparison.compared, observations=lazy)


def fit_large(
    fit_input: LargeFitInput,
    compared: ComparedOutputs,
    dataset: LargeDataset,
    method: Method,
    measured_by: Any,
) -> LargeRows:
    """Fit a method to the chunks of a large table."""
    if method.given == "auto":
        sums = dataset.totals().right if dataset.truth is not None else None
        right = None if sums is None else sums.right(dataset.unit)
        tried = [
            fit_large(fit_input, compared, dataset, replace(method, given=given), measured_by)
            for given in choices(fit_input.models.names, right) or NUMBERS
        ]
        return best_of(tried)
    if method.given is not None:
        name = fit_input.models.names[NUMBERS[method.given]]
        dataset = with_given(dataset, compared, method.given, name)
    unit = dataset.unit
    source = ProgressSource(source_of(dataset, compared), method.max_depth)
    problem = Problem(source, compared.outputs, compared.pairs, unit, method)
    measured = MeasuredDataset(dataset, measured_by)
    return LargeRows(fit_input, measured, compared, problem, fit_problem(problem))


def source_of(dataset: LargeDataset, compared: ComparedOutputs) -> CountSource:
    """The source that counts chunks: in this process if they are here, else where they are."""
    columns, chunks = dataset.columns, dataset.chunks
    layout = Layout.of(columns)
    here = chunks.local_items
    if here is not None:
        return LocalSource(columns, here, layout, n_threads=n_threads())
    return RemoteSource(columns, chunks, layout, compared.observations.target)


def with_given(
    dataset: LargeDataset, compared: ComparedOutputs, model: Given, name: str
) -> LargeDataset:
    """The dataset with the outputs of a model as its last column."""
    given = GivenOutputs(compared.outputs, NUMBERS[model])
    names, chunks = dataset.tables[0].names, dataset.chunks
    summary = partial(chunks.sum, _given_summary, given)
    column = given.column(names, f"{name} says", dataset.n_rows, summary)
    return dataset.with_column(column, chunks.extend(_given_codes, given, column))


def _given_summary(chunk: LargeChunk, given: GivenOutputs, bound: int) -> ColumnSummary:
    return given.summary(chunk.observations, chunk.fit, chunk.start, bound)


def _given_codes(chunk: LargeChunk, given: GivenOutputs, column: Column) -> Codes:
    return given.codes(chunk.observations, column)
