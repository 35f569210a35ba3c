"""The rows that a diff was made from, and the fit to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.intervals import SampleSize, sample_size, share_interval
from imd_widget.comparison.by_groups import (
    MOST_FURTHER,
    MOST_WAYS,
    ByGroups,
    FurtherGroups,
    GroupMeasures,
    GroupWay,
    by_groups,
    further_groups,
)
from imd_widget.comparison.cross_fit import CrossFit, cross_fit, held_out
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.fit_input import FitInput, MeasuredBy, MeasuredDataset
from imd_widget.comparison.given import NUMBERS, GivenOutputs, choices
from imd_widget.comparison.level_order import with_sets
from imd_widget.comparison.margins import margins, margins_of_table
from imd_widget.comparison.measuring import MeasuredRules, measure_rules
from imd_widget.comparison.paired import with_statistics
from imd_widget.comparison.problem import fit_problem, make_problem
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.comparison.row_totals import RightSums, RowTotals
from imd_widget.comparison.row_values import dtype_of, series_of
from imd_widget.comparison.scoring import with_scores
from imd_widget.comparison.unsure import most_telling
from imd_widget.data.boxes import Box, Boxes, ModelOutputs, in_box
from imd_widget.data.table import Table
from imd_widget.methods import Fit, Method, Problem, spec_of
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs, Tolerance
from imd_widget.outputs.correctness import Right
from imd_widget.rules.regions import Region, rules_from
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree


@dataclass(frozen=True, eq=False)
class DiffRows:
    """The rows that a diff was made from, the outputs of both models, and the fit to them.

    What a diff needs no rows for is in its `DiffRecord`.
    """

    fit_input: FitInput
    #: The rows of all tables, with the column of the given model if there is one.
    measured_dataset: MeasuredDataset
    #: The outputs of both models for these rows.
    compared: ComparedOutputs
    problem: Problem
    fit: Fit
    refinements: int = 0

    @property
    def table(self) -> Table:
        """The user's table."""
        return self.fit_input.table

    @property
    def dataset(self) -> Dataset:
        """The rows of all tables."""
        return self.measured_dataset.dataset

    @property
    def measured_by(self) -> MeasuredBy:
        """What the metrics come from."""
        return self.measured_dataset.by

    @property
    def models(self) -> ComparedModels:
        """Both models."""
        return self.fit_input.models

    def refined(self) -> DiffRows:
        """Return the results after one refinement step; ``self`` if no node can be split."""
        with self.problem.source.session():
            refined = spec_of(self.problem).refine(self.problem, self.fit)
        if refined is self.fit:
            return self
        return replace(self, fit=refined, refinements=self.refinements + 1)

    def changed(self, method: Method, tolerance: Tolerance | None = None) -> DiffRows:
        """Fit again with another method, without refinement; no model is called.

        ``tolerance`` None keeps the present one.
        """
        if tolerance is not None:
            comparison = self.fit_input.comparison.with_tolerance(tolerance)
            fit_input = replace(self.fit_input, comparison=comparison)
            return fit_rows(fit_input, *comparison.compare(), method)
        if _extra_columns(method) == _extra_columns(self.method):
            known = _known(self.fit_input, self.dataset, method)
            problem = replace(self.problem, method=method, known=known)
            return replace(self, problem=problem, fit=fit_problem(problem), refinements=0)
        table_alone = self.dataset.without_given().without_scores().without_sets()
        measured = replace(self.measured_dataset, dataset=table_alone)
        return fit_rows(self.fit_input, self.compared, measured, method)

    @property
    def outputs_of(self) -> ModelOutputs | None:
        """Callable from a table to the outputs of the given model; None if there is none."""
        given = self.method.given
        if given == "margins":
            if self.models.models is None or not any(self.models.can_be_called):
                return None
            return partial(
                margins_of_table,
                self.compared,
                self.models,
                columns=self.dataset.columns,
                names=self.models.names,
            )
        if given is None or given == "auto" or not self.models.can_be_called[NUMBERS[given]]:
            return None
        return partial(self.models.output, NUMBERS[given])

    @property
    def has_margins(self) -> bool:
        """Whether the margin of a model is known, or its ``predict_proba`` can be called."""
        outputs = self.compared.outputs
        return outputs.has_margins or bool(outputs.labels and self.models.with_margins)

    @property
    def method(self) -> Method:
        """The method with its options."""
        return self.problem.method

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""
        return self.fit.tree

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The box of codes of each rule."""
        return tuple(region.box for _, region in self.ranked)

    @cached_property
    def agreement_boxes(self) -> tuple[Box, ...]:
        """The box of codes of each rule of agreement."""
        return tuple(region.box for _, region in self.ranked_agreement)

    @cached_property
    def ranked(self) -> list[tuple[Rule, Region]]:
        """The diff rules with their regions, without the rates measured on other rows."""
        return self._rules_of(self.fit.regions)

    @cached_property
    def ranked_agreement(self) -> list[tuple[Rule, Region]]:
        """The rules of agreement with their regions; none unless most rows differ."""
        return self._rules_of(self.fit.agreement, agree=True)

    def _rules_of(
        self, regions: tuple[Region, ...], agree: bool = False
    ) -> list[tuple[Rule, Region]]:
        compared = self.compared
        with_truth = compared.observations.right is not None
        unit = self.problem.unit
        return rules_from(
            self.tree, regions, compared.pairs, unit, with_truth, self.outputs_of, agree
        )

    def in_box_at(self, box: Box, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return a mask of those of some rows, of any table, whose codes lie in the box."""
        return in_box(box, self.dataset.codes_at(box, rows), len(rows))

    @property
    def has_dependent_rows(self) -> bool:
        """Whether rows have weights or belong to groups, so that intervals need the rows."""
        return self.dataset.weights is not None or self.dataset.groups is not None

    def sample_size(
        self, rows: NDArray[np.integer], event: NDArray[np.bool_] | None = None
    ) -> SampleSize:
        """Return the effective sample size of some rows for an event; None: difference."""
        weights, groups = self.dataset.weights, self.dataset.groups
        return sample_size(
            self.differs_at(rows) if event is None else event,
            None if weights is None else weights.whole[rows],
            None if groups is None else groups[rows],
        )

    def rate_interval(self, inside: NDArray[np.bool_], rate: float) -> tuple[float, float]:
        """Return the 95 % interval of the rate of the rows of the table in a mask."""
        return share_interval(rate, self.sample_size(np.flatnonzero(inside)))

    def rule_of(self, rows: NDArray[np.integer] | slice) -> NDArray[np.intp]:
        """Return the number of the rule that contains each row; ``len(rules)`` if none does.

        Rules do not overlap.
        """
        return self._first_of(self.boxes, rows)

    def _first_of(
        self, boxes: tuple[Box, ...], rows: NDArray[np.integer] | slice
    ) -> NDArray[np.intp]:
        every = Boxes(self.dataset.columns, boxes)
        return every.first_of(self.dataset.codes_at(every.asked, rows), self._n_of(rows))

    def covered_at(self, boxes: tuple[Box, ...], rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether each of some rows, of any table, lies in one of the boxes."""
        return self._first_of(boxes, rows) < len(boxes)

    def leaves_of(self, rows: NDArray[np.integer] | slice) -> NDArray[np.int32]:
        """Return the leaf of each surrogate that rows reach: shape (n_rows, 2)."""
        every = np.arange(self._n_of(rows), dtype=np.int32)
        return self.tree.route(self.dataset.codes_at(self.tree.asked, rows), every)

    def _n_of(self, rows: NDArray[np.integer] | slice) -> int:
        """Number of the rows, of any table."""
        if isinstance(rows, slice):
            return len(range(*rows.indices(len(self.compared.observations))))
        return len(rows)

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """Return a mask of the rows of the table whose codes lie in the box."""
        n_rows = self.table.n_rows
        return in_box(box, self.dataset.codes_at(box, slice(n_rows)), n_rows)

    @cached_property
    def totals(self) -> RowTotals:
        """Sums over all rows of the table and over the holdout rows."""
        return self.dataset.totals(self.compared.observations)

    @cached_property
    def cross_fit(self) -> CrossFit:
        """The fits to four fifths of the rows, five times; for ``measure="cv"`` only."""
        return cross_fit(
            self.dataset,
            self.compared,
            self.method,
            self.refinements,
            self.fit_input.n_chunks,
            with_rows=self.with_rows,
            whole=self.problem,
        )

    def with_rows(self, fit: NDArray[np.integer], holdout: NDArray[np.integer]) -> Dataset:
        """Return the dataset with other rows, and with what is fitted to these."""
        part: Dataset = self.dataset.with_rows(fit, holdout)
        if self.method.sets:
            part = with_sets(part, self.compared)
        return with_scores(part, self.compared, self.models.names) if self.method.scores else part

    @cached_property
    def measured(self) -> MeasuredRules:
        """The rules and metrics, measured as in `measured_by`: a stage of its own."""
        return measure_rules(self)

    @cached_property
    def group_rates(self) -> ByGroups | None:
        """Rates by group; None if no grouping was given."""
        grouping = self.fit_input.grouping
        if grouping is None:
            return None
        rules = [self.inside(box) for box in (*self.boxes, *self.agreement_boxes)]
        return by_groups(grouping, self._group_measures, rules)

    def further_groups(
        self, fewest: int = FEWEST_SHARED, most: int | None = MOST_FURTHER
    ) -> FurtherGroups:
        """Return the groups that are not shown, if they have at least ``fewest`` rows."""
        grouping = self.fit_input.grouping
        if grouping is None:
            return FurtherGroups()
        return further_groups(grouping, self._group_measures, fewest, most)

    @property
    def _group_measures(self) -> GroupMeasures:
        return GroupMeasures(
            self.differs,
            self.row_weight,
            lambda rows, rate: share_interval(rate, self.sample_size(rows)),
            self._ways,
            lambda rows: with_statistics(self.right_of(rows), self, rows),
        )

    def _ways(self, rows: NDArray[np.integer]) -> tuple[GroupWay, ...]:
        """The most frequent ways in which the models differ on some differing rows."""
        observed, texts = self.compared.observations, self.compared.outputs.way_texts
        pair, weight = observed.pair[rows], self.row_weight[rows]
        counts = np.bincount(pair, minlength=observed.n_pairs)
        sizes = np.bincount(pair, weights=weight, minlength=observed.n_pairs)
        most = np.argsort(-sizes, kind="stable")[:MOST_WAYS]
        found = most[sizes[most] > 0]
        named = texts(self.compared.pairs[found])
        total = float(weight.sum())
        return tuple(
            GroupWay(text, int(counts[way]), float(sizes[way]) / total)
            for text, way in zip(named, found.tolist(), strict=True)
        )

    def refinable(self) -> tuple[str, ...]:
        """Return the ids of the nodes that one more refinement step would split."""
        with self.problem.source.session():
            nodes = spec_of(self.problem).refinable(self.problem, self.fit)
        return tuple(self.tree.ids[node] for node in nodes)

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """Mask of the rows of the table on which the models differ."""
        return np.asarray(self.compared.observations.outcome[: self.table.n_rows] > 0)

    def differs_at(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether the models differ on each of some rows, which may be of any table."""
        return np.asarray(self.compared.observations.outcome[rows] > 0)

    def predictions_at(self, rows: NDArray[np.integer]) -> tuple[pd.Series[Any], pd.Series[Any]]:
        """Return the outputs of both models for some rows of the table, numbered from 0.

        The dtypes are those of the outputs for all rows of the table.
        """
        compared = self.compared
        both = compared.outputs.predictions_at(compared.observations, rows)
        first, second = map(series_of, both, self._output_dtypes)
        return first, second

    @cached_property
    def _output_dtypes(self) -> tuple[Any, Any]:
        """The dtypes of the outputs of both models, from the labels that occur in the table."""
        pair_labels, decoded = self.compared.observations.pair_labels, self.compared.outputs.decoded
        if pair_labels is None:
            return np.dtype(float), np.dtype(float)
        occurring = pair_labels[self.totals.all_pairs > 0]
        first, second = (dtype_of(decoded(np.unique(labels))) for labels in occurring.T)
        return first, second

    def truth_at(self, rows: NDArray[np.integer]) -> pd.Series[Any] | None:
        """Return ``y`` for some rows of the table, numbered from 0; None without ``y``."""
        truth = self.dataset.truth
        return None if truth is None else series_of(truth[rows], self._truth_dtype)

    @cached_property
    def _truth_dtype(self) -> Any:
        """The dtype that pandas infers from all rows; None for rows that are not in memory."""
        truth = self.dataset.truth
        if truth is None or not self.dataset.in_memory:
            return None
        return dtype_of(truth[: self.table.n_rows])

    @cached_property
    def kept_aside(self) -> NDArray[np.bool_]:
        """Mask of the holdout rows of the table."""
        mask = np.zeros(self.table.n_rows, dtype=bool)
        holdout = self.dataset.holdout
        mask[holdout[holdout < self.table.n_rows]] = True
        return mask

    @property
    def has_losses(self) -> bool:
        """Whether models have losses: they give numbers, or the user gave a loss."""
        return self.fit_input.loss is not None or self.compared.observations.errors is not None

    def known_truth(self, rows: NDArray[np.integer]) -> NDArray[Any]:
        """Return ``y`` for some rows, of any table, which all have one."""
        truth = self.dataset.truth
        assert truth is not None
        values = np.asarray(truth[rows])
        return np.array(values.tolist()) if values.dtype == object else values

    def right_of(self, rows: NDArray[np.integer]) -> Right | None:
        """How often either model is right on some rows; None without ``y``."""
        return self.right_from(RightSums.of(self.compared.observations, rows))

    def right_from(self, sums: RightSums | None) -> Right | None:
        """How often either model is right, from sums over some rows; None without ``y``."""
        return None if sums is None else sums.right(self.problem.unit)

    @cached_property
    def row_weight(self) -> NDArray[np.float64]:
        """Weight of each row of the table."""
        weights, n_rows = self.dataset.weights, self.table.n_rows
        return np.ones(n_rows) if weights is None else weights.whole[:n_rows]


def _extra_columns(method: Method) -> tuple[object, ...]:
    """Return the options that add columns to those of the table."""
    return method.given, method.scores, method.sets


def best_of(tried: Sequence[DiffRows]) -> DiffRows:
    """Return the fit with the largest score on rows held out of it, the first of ties."""
    return tried[0] if len(tried) == 1 else max(tried, key=_score)


def _score(rows: DiffRows) -> float:
    """Return G = (F1 + MCC) / 2 on rows held out in folds; as measured without folds.

    That is for tables that are not in memory, and where new rows lie between those of two folds.
    """
    dataset = rows.dataset
    if rows.measured_by == "cv" or not dataset.in_memory or rows.method.augment is not None:
        return rows.measured.score
    found = held_out(dataset, rows.compared, rows.method, rows.fit_input.n_chunks)
    return rows.measured.score if found is None else found.balanced


def fit_rows(
    fit_input: FitInput,
    compared: ComparedOutputs,
    measured_dataset: MeasuredDataset,
    method: Method,
) -> DiffRows:
    """Fit a method to the outputs of both models."""
    if method.given in ("auto", "margins"):
        dataset, models = measured_dataset.dataset, fit_input.models
        sums = dataset.totals(compared.observations).right
        right = None if sums is None else sums.right(dataset.unit)
        possible = choices(models.names, right)
    if method.given == "margins":
        numbers = [NUMBERS[model] for model in possible]
        every = margins(compared, models, dataset.tables, numbers)
        best = most_telling(dataset, compared, [own[0] for own in every]) if every[1:] else 0
        every = every if best is None else (every[best],)
        return best_of(
            [_fit_given(fit_input, compared, measured_dataset, method, own) for own in every]
        )
    if method.given == "auto":
        tried = [
            fit_rows(fit_input, compared, measured_dataset, replace(method, given=given))
            for given in possible or NUMBERS
        ]
        return best_of(tried)
    given: tuple[GivenOutputs, ...] = ()
    if method.given is not None:
        given = (GivenOutputs(compared.outputs, NUMBERS[method.given]),)
    return _fit_given(fit_input, compared, measured_dataset, method, given)


def _fit_given(
    fit_input: FitInput,
    compared: ComparedOutputs,
    measured_dataset: MeasuredDataset,
    method: Method,
    given: tuple[GivenOutputs, ...],
) -> DiffRows:
    """Fit a method to the columns of the table and to some outputs of models, or to margins."""
    if given:
        dataset = measured_dataset.dataset
        dataset = dataset.closed() if method.given == "margins" else dataset
        for own in given:
            name = own.name_for(fit_input.models.names[own.model])
            dataset = dataset.with_given(own, compared.observations, name)
        measured_dataset = replace(measured_dataset, dataset=dataset)
    if method.sets:
        dataset = with_sets(measured_dataset.dataset, compared)
        measured_dataset = replace(measured_dataset, dataset=dataset)
    if method.scores:
        dataset = with_scores(measured_dataset.dataset, compared, fit_input.models.names)
        measured_dataset = replace(measured_dataset, dataset=dataset)
    dataset = measured_dataset.dataset
    known = _known(fit_input, dataset, method)
    problem = make_problem(dataset, compared, method, fit_input.n_chunks, known)
    return DiffRows(fit_input, measured_dataset, compared, problem, fit_problem(problem))


def _known(fit_input: FitInput, dataset: Dataset, method: Method) -> tuple[Box, ...]:
    """Return the boxes outside of which the models agree; none if rules are to be fitted."""
    known = fit_input.known
    return () if known is None else known.boxes(dataset.columns, method)
