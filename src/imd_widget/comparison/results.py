"""What a diff says: found from rows, or read from a file that holds none."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.metrics import Evidence, Metrics, measure
from imd_widget.comparison.split_histogram import SplitHistogram, split_histograms
from imd_widget.counting.layout import Layout
from imd_widget.data.boxes import Box, Boxes, in_box
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
    """All that can be said of a diff without its rows; see `ModelDiff`."""

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        """The user's own names of the table's columns."""

    @property
    def options(self) -> MethodOptions:
        """How it was made."""

    @property
    def refinements(self) -> int:
        """Number of refinement steps done."""

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The codes that lie inside each rule, in the order of the rules."""

    @property
    def rules(self) -> RuleSet:
        """The diff rules, the one with most differing rows first."""

    @property
    def metrics(self) -> Metrics:
        """How good the rules are."""

    @property
    def right(self) -> Right | None:
        """Who is right, over all rows of the table."""

    @property
    def holdout_right(self) -> Right | None:
        """Who is right, over the rows kept aside."""

    @property
    def has_own_holdout(self) -> bool:
        """Whether it was measured on a table of the user's own."""

    @property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the nodes that one more refinement step would split."""

    @property
    def bars(self) -> Mapping[int, SplitHistogram]:
        """How the rows at each split, by its number, are spread over the column it asks about."""


@dataclass(frozen=True, eq=False)
class FittedResults:
    """What was found, with the rows it was found from; worked out when it is asked for.

    Attributes
    ----------
    table : Table
        The user's.
    dataset : Dataset
        The rows of all tables.
    answers : ComparedOutputs
        The outputs of both models for them.
    models : ModelPair
        Both models, which can be called with other rows.
    problem : Problem
    fit : Fit
    refinements : int
    """

    table: Table
    dataset: Dataset
    answers: ComparedOutputs
    models: ModelPair
    problem: Problem
    fit: Fit
    refinements: int = 0

    def refined(self) -> FittedResults:
        """After one refinement step; itself where nothing is left to split."""
        with self.problem.source.session():
            refined = spec_of(self.problem).refine(self.problem, self.fit)
        if refined is self.fit:
            return self
        return replace(self, fit=refined, refinements=self.refinements + 1)

    def changed(self, options: MethodOptions) -> FittedResults:
        """With other options, before any refinement; no model is asked."""
        problem = replace(self.problem, options=options)
        return replace(self, problem=problem, fit=_fit(problem), refinements=0)

    @property
    def column_names(self) -> tuple[Hashable, ...]:
        """The user's own names of the table's columns."""
        return self.table.names

    @property
    def options(self) -> MethodOptions:
        """How it was made."""
        return self.problem.options

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""
        return self.fit.tree

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The codes that lie inside each rule."""
        return tuple(region.box for _, region in self._ranked)

    @cached_property
    def rules(self) -> RuleSet:
        """The diff rules, the one with most differing rows first."""
        return RuleSet(tuple(rule for rule, _ in self._ranked))

    @cached_property
    def _ranked(self) -> list[tuple[Rule, Region]]:
        answers = self.answers
        with_truth = answers.observations.right is not None
        unit = self.problem.unit
        return rules_from(self.tree, self.fit.regions, answers.pairs, unit, with_truth)

    def rule_of(self, rows: NDArray[np.integer]) -> NDArray[np.intp]:
        """For each of these rows of the table: the rule it lies in; ``len(rules)`` if in none.

        Rules do not overlap.
        """
        codes = [own.take(rows) for own in self.dataset.codes]
        return Boxes(self.dataset.columns, self.boxes).first_of(codes, len(rows))

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """For each row of the table: does it lie in the box? Asked of the codes in memory."""
        n_rows = self.table.n_rows
        return in_box(box, [own[:n_rows] for own in self.dataset.codes], n_rows)

    @cached_property
    def metrics(self) -> Metrics:
        """How good the rules are, on the rows kept aside where there are any."""
        on_holdout = len(self.dataset.aside) > 0
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
        """Of numbers: by how much model 2 is above model 1, over the rows of the table."""
        outputs, observed = self.answers.outputs, self.answers.observations
        return outputs.mean_difference(observed, self.table.n_rows, self._weight)

    @cached_property
    def right(self) -> Right | None:
        """Who is right, over all rows of the table; None where no ``y`` was given."""
        return self._right(np.arange(self.table.n_rows))

    @cached_property
    def holdout_right(self) -> Right | None:
        """Who is right, over the rows kept aside; None where no ``y`` was given."""
        return self._right(self.dataset.aside)

    @property
    def has_own_holdout(self) -> bool:
        """Whether it was measured on a table of the user's own."""
        return self.dataset.has_own_holdout

    @cached_property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the nodes that one more refinement step would split."""
        with self.problem.source.session():
            nodes = spec_of(self.problem).refinable(self.problem, self.fit)
        return tuple(self.tree.ids[node] for node in nodes)

    @cached_property
    def bars(self) -> dict[int, SplitHistogram]:
        """How the rows at each split, by its number, are spread over the column it asks about."""
        return split_histograms(self.tree, self.problem.source)

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """For each row of the table: do the models differ on it?"""
        return np.asarray(self.answers.observations.outcome[: self.table.n_rows] > 0)

    @cached_property
    def kept_aside(self) -> NDArray[np.bool_]:
        """For each row of the table: was it kept aside, to measure on?"""
        mask = np.zeros(self.table.n_rows, dtype=bool)
        aside = self.dataset.aside
        mask[aside[aside < self.table.n_rows]] = True
        return mask

    def _right(self, rows: NDArray[np.integer]) -> Right | None:
        observed, weights = self.answers.observations, self.dataset.weights
        if observed.right is None:
            return None
        weight = np.ones(len(rows)) if weights is None else weights.whole[rows]
        counts = np.bincount(observed.right[rows], weights=weight, minlength=5)
        errors = [own[rows] @ weight for own in observed.errors or ()]
        return Right.of(counts.astype(np.int64), self.problem.unit, np.array(errors))

    @cached_property
    def _weight(self) -> NDArray[np.float64]:
        """Of each row of the table."""
        weights, n_rows = self.dataset.weights, self.table.n_rows
        return np.ones(n_rows) if weights is None else weights.whole[:n_rows]


def fit_results(
    table: Table,
    dataset: Dataset,
    answers: ComparedOutputs,
    models: ModelPair,
    options: MethodOptions,
    augmented: bool,
    n_chunks: int = 1,
) -> FittedResults:
    """Fit a method to the outputs of both models.

    The rows are counted in ``n_chunks`` chunks; the results are the same to the bit.
    """
    problem = _problem(dataset, answers, options, augmented, n_chunks)
    return FittedResults(table, dataset, answers, models, problem, _fit(problem))


def _fit(problem: Problem) -> Fit:
    with problem.source.session():
        return spec_of(problem).fit(problem)


def _problem(
    dataset: Dataset,
    answers: ComparedOutputs,
    options: MethodOptions,
    augmented: bool,
    n_chunks: int,
) -> Problem:
    """The problem that a method is given."""
    columns, codes = dataset.columns, dataset.codes
    layout = Layout.of(columns)
    observed = answers.observations
    chunk = Chunk(codes, observed, dataset.fit, dataset.aside)
    source = LocalSource(columns, chunk.split(n_chunks), layout)
    augmented_source = None
    if augmented:
        rows, times = dataset.augmented_rows(answers.usable)
        every = np.arange(len(rows), dtype=np.int32)
        nothing = np.empty(0, dtype=np.int32)
        more = Chunk([own[rows] for own in codes], observed.take(rows), every, nothing)
        augmented_source = AugmentedSource(
            LocalSource(columns, more.split(n_chunks), layout), times
        )
    return Problem(source, answers.outputs, answers.pairs, dataset.unit, options, augmented_source)
