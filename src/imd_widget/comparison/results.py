"""The results of a diff: the protocol, and the implementation that is fitted to rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.given import NUMBERS, with_given, without_given
from imd_widget.comparison.metrics import Evidence, Metrics, measure
from imd_widget.comparison.split_histogram import SplitHistogram, split_histograms
from imd_widget.counting.layout import Layout
from imd_widget.data.boxes import Box, Boxes, ModelOutputs, in_box
from imd_widget.data.table import Table
from imd_widget.methods import AugmentedSource, Fit, MethodOptions, Problem, spec_of
from imd_widget.models.pair import ModelPair
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.reading import ComparedOutputs
from imd_widget.rules.regions import Region, rules_from
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.chunk_counter import Chunk
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.local_source import LocalSource


class Results(Protocol):
    """The results that are available without rows, also after `load`; see `ModelDiff`."""

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        """The user's names of the columns of the table."""

    @property
    def options(self) -> MethodOptions:
        """The options of the method."""

    @property
    def refinements(self) -> int:
        """Number of refinement steps done."""

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The box of codes of each rule, in the order of the rules."""

    @property
    def rules(self) -> RuleSet:
        """The diff rules, the one with most differing rows first."""

    @property
    def metrics(self) -> Metrics:
        """The metrics of the rules and surrogates."""

    @property
    def right(self) -> Right | None:
        """How often either model is right, over all rows of the table."""

    @property
    def holdout_right(self) -> Right | None:
        """How often either model is right, over the holdout rows."""

    @property
    def has_own_holdout(self) -> bool:
        """Whether the holdout is a separate table."""

    @property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the nodes that one more refinement step would split."""

    @property
    def outputs_of(self) -> ModelOutputs | None:
        """Callable from a table to the outputs of the given model; None if there is none."""

    @property
    def bars(self) -> Mapping[int, SplitHistogram]:
        """Histogram of the rows at each split over the column of the split, by node number."""


@dataclass(frozen=True, eq=False)
class FittedResults:
    """The results of a fit, with the rows it was fitted to. Properties are computed lazily.

    Attributes
    ----------
    table : Table
        The user's table.
    dataset : Dataset
        The rows of all tables.
    compared : ComparedOutputs
        The outputs of both models for these rows.
    models : ModelPair
        Both models, which can be called with other rows.
    problem : Problem
    fit : Fit
    refinements : int
    n_chunks : int
        Number of chunks in which rows are counted.
    """

    table: Table
    dataset: Dataset
    compared: ComparedOutputs
    models: ModelPair
    problem: Problem
    fit: Fit
    refinements: int = 0
    n_chunks: int = 1

    def refined(self) -> FittedResults:
        """Return the results after one refinement step; ``self`` if no node can be split."""
        with self.problem.source.session():
            refined = spec_of(self.problem).refine(self.problem, self.fit)
        if refined is self.fit:
            return self
        return replace(self, fit=refined, refinements=self.refinements + 1)

    def changed(self, options: MethodOptions) -> FittedResults:
        """Fit again with other options, without refinement; no model is called."""
        if options.given == self.options.given:
            problem = replace(self.problem, options=options)
            return replace(self, problem=problem, fit=_fit(problem), refinements=0)
        return fit_results(
            self.table,
            without_given(self.dataset),
            self.compared,
            self.models,
            options,
            self.problem.augmented_source is not None,
            self.n_chunks,
        )

    @property
    def outputs_of(self) -> ModelOutputs | None:
        """Callable from a table to the outputs of the given model; None if there is none."""
        given = self.options.given
        if given is None or given == "auto" or not self.models.can_be_called[NUMBERS[given]]:
            return None
        return partial(self.models.output, NUMBERS[given])

    @property
    def score(self) -> float:
        """The mean of F1 and Matthews' correlation on the rows used to fit."""
        measured = measure(self.tree, self.fit.counts, self.fit.regions, on_holdout=False)
        return measured.confusion.balanced

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        """The user's names of the columns of the table."""
        return self.table.names

    @property
    def options(self) -> MethodOptions:
        """The options of the method."""
        return self.problem.options

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""
        return self.fit.tree

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The box of codes of each rule."""
        return tuple(region.box for _, region in self._ranked)

    @cached_property
    def rules(self) -> RuleSet:
        """The diff rules, the one with most differing rows first."""
        return RuleSet(tuple(rule for rule, _ in self._ranked))

    @cached_property
    def _ranked(self) -> list[tuple[Rule, Region]]:
        compared = self.compared
        with_truth = compared.observations.right is not None
        unit = self.problem.unit
        return rules_from(
            self.tree, self.fit.regions, compared.pairs, unit, with_truth, self.outputs_of
        )

    def rule_of(self, rows: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the number of the rule that contains each row; ``len(rules)`` if none does.

        Rules do not overlap.
        """
        codes = [column_codes.take(rows) for column_codes in self.dataset.codes]
        return Boxes(self.dataset.columns, self.boxes).first_of(codes, len(rows))

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """Return a mask of the rows of the table whose codes lie in the box."""
        n_rows = self.table.n_rows
        codes = [column_codes[:n_rows] for column_codes in self.dataset.codes]
        return in_box(box, codes, n_rows)

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics of the rules, on the holdout rows if there are any."""
        on_holdout = len(self.dataset.holdout) > 0
        measured = measure(self.tree, self.fit.counts, self.fit.regions, on_holdout)
        weight = self._weight
        counts = weight > 0
        return Metrics.of(
            Evidence(
                n_rows=int(counts.sum()),
                n_differing=int((self.differs & counts).sum()),
                disagreement=float(weight[self.differs].sum() / weight.sum()),
                n_rules=len(self.rules),
                n_predicates=self.rules.n_predicates,
                on_holdout=on_holdout,
                measured=measured,
                mean_difference=self._mean_difference,
            )
        )

    @property
    def _mean_difference(self) -> float | None:
        """Mean of model 2's output minus model 1's over the table; None for classes."""
        outputs, observed = self.compared.outputs, self.compared.observations
        return outputs.mean_difference(observed, self.table.n_rows, self._weight)

    @cached_property
    def right(self) -> Right | None:
        """How often either model is right, over all rows of the table; None without ``y``."""
        return self._right(np.arange(self.table.n_rows))

    @cached_property
    def holdout_right(self) -> Right | None:
        """How often either model is right, over the holdout rows; None without ``y``."""
        return self._right(self.dataset.holdout)

    @property
    def has_own_holdout(self) -> bool:
        """Whether the holdout is a separate table."""
        return self.dataset.has_own_holdout

    @cached_property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the nodes that one more refinement step would split."""
        with self.problem.source.session():
            nodes = spec_of(self.problem).refinable(self.problem, self.fit)
        return tuple(self.tree.ids[node] for node in nodes)

    @cached_property
    def bars(self) -> dict[int, SplitHistogram]:
        """Histogram of the rows at each split over the column of the split, by node number."""
        return split_histograms(self.tree, self.problem.source)

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """Mask of the rows of the table on which the models differ."""
        return np.asarray(self.compared.observations.outcome[: self.table.n_rows] > 0)

    @cached_property
    def kept_aside(self) -> NDArray[np.bool_]:
        """Mask of the holdout rows of the table."""
        mask = np.zeros(self.table.n_rows, dtype=bool)
        holdout = self.dataset.holdout
        mask[holdout[holdout < self.table.n_rows]] = True
        return mask

    def _right(self, rows: NDArray[np.integer]) -> Right | None:
        observed, weights = self.compared.observations, self.dataset.weights
        if observed.right is None:
            return None
        weight = np.ones(len(rows)) if weights is None else weights.whole[rows]
        counts = np.bincount(observed.right[rows], weights=weight, minlength=5)
        errors = [model_errors[rows] @ weight for model_errors in observed.errors or ()]
        return Right.of(counts.astype(np.int64), self.problem.unit, np.array(errors))

    @cached_property
    def _weight(self) -> NDArray[np.float64]:
        """Weight of each row of the table."""
        weights, n_rows = self.dataset.weights, self.table.n_rows
        return np.ones(n_rows) if weights is None else weights.whole[:n_rows]


def fit_results(
    table: Table,
    dataset: Dataset,
    compared: ComparedOutputs,
    models: ModelPair,
    options: MethodOptions,
    augmented: bool,
    n_chunks: int = 1,
) -> FittedResults:
    """Fit a method to the outputs of both models.

    The rows are counted in ``n_chunks`` chunks; the results are the same to the bit.
    """
    if options.given == "auto":
        both = [
            fit_results(
                table,
                dataset,
                compared,
                models,
                replace(options, given=given),
                augmented,
                n_chunks,
            )
            for given in NUMBERS
        ]
        return max(both, key=lambda results: results.score)
    if options.given is not None:
        name = models.names[NUMBERS[options.given]]
        dataset = with_given(dataset, compared, options.given, name)
    problem = _problem(dataset, compared, options, augmented, n_chunks)
    fit = _fit(problem)
    return FittedResults(table, dataset, compared, models, problem, fit, n_chunks=n_chunks)


def _fit(problem: Problem) -> Fit:
    with problem.source.session():
        return spec_of(problem).fit(problem)


def _problem(
    dataset: Dataset,
    compared: ComparedOutputs,
    options: MethodOptions,
    augmented: bool,
    n_chunks: int,
) -> Problem:
    """Build the problem that a method fits."""
    columns, codes = dataset.columns, dataset.codes
    layout = Layout.of(columns)
    observed = compared.observations
    chunk = Chunk(codes, observed, dataset.fit, dataset.holdout)
    source = LocalSource(columns, chunk.split(n_chunks), layout)
    augmented_source = None
    if augmented:
        rows, times = dataset.augmented_rows(compared.usable)
        every = np.arange(len(rows), dtype=np.int32)
        nothing = np.empty(0, dtype=np.int32)
        augmented_codes = [column_codes[rows] for column_codes in codes]
        more = Chunk(augmented_codes, observed.take(rows), every, nothing)
        augmented_source = AugmentedSource(
            LocalSource(columns, more.split(n_chunks), layout), times
        )
    outputs, pairs = compared.outputs, compared.pairs
    return Problem(source, outputs, pairs, dataset.unit, options, augmented_source)
