"""Kernels of the tree against their naive twins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.counting import sparse_counts as entries
from imd_widget.counting.channels import ClassChannels, Purpose, ValueChannels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.impurity import SCALE, impurity, x_log_x
from imd_widget.counting.layout import CodeLayout
from imd_widget.counting.observations import Observations
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.tree.chunk import Chunk
from imd_widget.tree.local_source import LocalSource
from imd_widget.tree.requests import Histograms, SplitSizes, Totals
from imd_widget.tree.shape import Path, Step
from imd_widget.tree.splitter import NodeSplits, Objective
from tests.examples import examples


@dataclass(frozen=True)
class Coded:
    """Rows in codes, what the models said about them, and that again as a naive sum of channels."""

    columns: list[Column]
    codes: list[np.ndarray]
    observed: Observations
    fit: np.ndarray
    channels: np.ndarray

    @property
    def layout(self) -> CodeLayout:
        return CodeLayout.of(self.columns)

    @property
    def source(self) -> LocalSource:
        aside = np.setdiff1d(np.arange(len(self.observed)), self.fit).astype(np.int32)
        return LocalSource(
            self.columns, [Chunk(self.codes, self.observed, self.fit, aside)], self.layout
        )


def observe_classes(rng: np.random.Generator, n_rows: int, weight: Any) -> Any:
    n_labels = int(rng.integers(1, 7))  # up to 36 pairs: more than are counted by pair
    labels = rng.integers(0, n_labels, (2, n_rows))
    joint = labels[0] * n_labels + labels[1]
    found, pair = np.unique(joint, return_inverse=True)
    pairs = np.stack([found // n_labels, found % n_labels], axis=1)
    outcome = (labels[0] != labels[1]).astype(np.uint8)
    observed = Observations(
        ClassChannels(weight is not None, n_labels),
        outcome=outcome,
        pair=pair,
        pair_outcome=(pairs[:, 0] != pairs[:, 1]).astype(np.uint8),
        labels=(labels[0], labels[1]),
        pair_labels=pairs,
        weight=weight,
    )
    own = [np.eye(n_labels)[one] for one in labels]
    return observed, np.concatenate([np.eye(2)[outcome], *own], axis=1), 2


def observe_values(rng: np.random.Generator, n_rows: int, weight: Any) -> Any:
    values = rng.integers(-20, 20, (2, n_rows)).astype(float)
    outcome = np.where(values[0] < values[1], 1, np.where(values[0] > values[1], 2, 0))
    numbers = [values[0], values[0] ** 2, values[1], values[1] ** 2]
    coarse = None if weight is None else np.ceil(weight / 2)
    if coarse is not None:
        numbers = [coarse, *(coarse * number for number in numbers)]
    variances = (float(values[0].var()), float(values[1].var()))
    observed = Observations(
        ValueChannels(weight is not None, 0.25, variances, 1.0 if weight is None else 2.0),
        outcome=outcome.astype(np.uint8),
        pair=outcome,
        pair_outcome=np.arange(3, dtype=np.uint8),
        numbers=tuple(numbers),
        values=(values[0], values[1]),
        weight=weight,
    )
    return observed, np.concatenate([np.eye(3)[outcome], np.stack(numbers, axis=1)], axis=1), 3


@st.composite
def coded(draw: st.DrawFn) -> Coded:
    n_rows = draw(st.integers(1, 50))
    n_codes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns: list[Column] = [
        OrderedColumn(f"c{j}", j, np.arange(1.0, n))
        if rng.integers(2)
        else CategoryColumn(f"c{j}", j, tuple(range(n - 1)), bool(rng.integers(2)))
        for j, n in enumerate(n_codes)
    ]
    codes = [rng.integers(0, c.n_codes, n_rows).astype(np.uint8) for c in columns]
    weight = rng.integers(1, 9, n_rows).astype(float) if draw(st.booleans()) else None
    observe = draw(st.sampled_from([observe_classes, observe_values]))
    observed, channels, leading = observe(rng, n_rows, weight)
    if weight is not None:
        rows = np.eye(2)[(observed.outcome > 0).astype(int)]
        first, more = channels[:, :leading] * weight[:, None], channels[:, leading:]
        if observe is observe_classes:  # the sums of values have their weights already
            more = more * weight[:, None]
        channels = np.concatenate([first, rows, more], axis=1)
    in_fit = rng.random(n_rows) < 0.7
    in_fit[0] = True
    return Coded(columns, codes, observed, np.flatnonzero(in_fit).astype(np.int32), channels)


@contextmanager
def many_labels(are_many: bool) -> Iterator[None]:
    """Counts of labels as entries, however few there are."""
    usual, entries.MANY_LABELS = entries.MANY_LABELS, 0 if are_many else entries.MANY_LABELS
    try:
        yield
    finally:
        entries.MANY_LABELS = usual


def as_table(histogram: Histogram, problem: Coded) -> np.ndarray:
    """The whole histogram as a table, whatever it is kept in."""
    table = np.zeros((problem.layout.n_bins, problem.observed.target.n_channels))
    table[:, histogram.channels] = histogram.values.T
    for model, own in enumerate(histogram.labels or ()):
        assert (own.count > 0).all()
        assert (np.diff(own.key) > 0).all()
        first = problem.observed.target.n_leading + model * own.n_labels
        table[own.bin, first + own.label] = own.count
    return table


def naive_yes(columns: list[Column], codes: list[np.ndarray], step: Step, row: int) -> bool:
    column, code = columns[step.column], int(codes[step.column][row])
    if column.has_missing and code == column.n_values:
        return step.missing or (not column.ordered and step.cut == code)
    return code <= step.cut if column.ordered else code == step.cut


def naive_count(problem: Coded, rows: list[int]) -> np.ndarray:
    histogram = np.zeros((problem.layout.n_bins, problem.channels.shape[1]))
    for j, column in enumerate(problem.codes):
        for row in rows:
            histogram[problem.layout.offsets[j] + column[row]] += problem.channels[row]
    return histogram


def a_way_down(problem: Coded, rng: np.random.Generator) -> list[Path]:
    paths: list[Path] = [()]
    for _ in range(4):
        j = int(rng.integers(len(problem.codes)))
        column = problem.columns[j]
        missing = column.has_missing and bool(rng.integers(2))
        step = Step(j, int(rng.integers(column.n_codes)), missing, bool(rng.integers(2)))
        paths.append((*paths[-1], step))
    return paths


@settings(deadline=None)
@given(problem=coded(), seed=st.integers(0, 1000), many=st.booleans())
def test_histograms_and_totals_add_up_channels(problem: Coded, seed: int, many: bool) -> None:
    with many_labels(many):
        check_histograms(problem, seed)


def check_histograms(problem: Coded, seed: int) -> None:
    source, target = problem.source, problem.observed.target
    paths = a_way_down(problem, np.random.default_rng(seed))
    for path in (*paths, *reversed(paths)):  # down as the grower asks, then in any order
        rows = [
            row
            for row in problem.fit.tolist()
            if all(naive_yes(problem.columns, problem.codes, s, row) == s.yes for s in path)
        ]
        expected = naive_count(problem, rows)
        found = source.answer(Histograms([path]))[0]
        np.testing.assert_array_equal(as_table(found, problem), expected)
        total = source.answer(Totals([path]))[0]
        np.testing.assert_array_equal(total, problem.channels[rows].sum(axis=0))
        present = target.present(total)
        some = source.answer(Histograms([path], [present]))[0]
        np.testing.assert_array_equal(as_table(some, problem), expected)
        left_out = np.setdiff1d(np.arange(target.n_channels), present)
        assert not expected[:, left_out].any()


@settings(deadline=None)
@given(problem=coded(), cut=st.integers(0, 4), many=st.booleans())
def test_parent_minus_one_child_is_the_other(problem: Coded, cut: int, many: bool) -> None:
    with many_labels(many):
        check_the_rest(problem, cut)


def check_the_rest(problem: Coded, cut: int) -> None:
    source, target = problem.source, problem.observed.target
    both = [(Step(0, cut, False, True),), (Step(0, cut, False, False),)]
    yes_channels, no_channels = (target.present(total) for total in source.answer(Totals(both)))
    parent = source.answer(Histograms([()], [target.present(source.answer(Totals([()]))[0])]))[0]
    yes, no = source.answer(Histograms(both, [yes_channels, no_channels]))
    rest = parent.rest([yes], no_channels)
    np.testing.assert_array_equal(as_table(rest, problem), as_table(no, problem))
    np.testing.assert_array_equal(rest.channels, no.channels)


@settings(deadline=None)
@given(problem=coded(), size=st.integers(1, 5), seed=st.integers(0, 99))
def test_tallies_add_up_places(problem: Coded, size: int, seed: int) -> None:
    observed, target = problem.observed, problem.observed.target
    place = np.random.default_rng(seed).integers(0, size, len(problem.fit))
    weight = np.ones(len(observed)) if observed.weight is None else observed.weight
    tallies = observed.tallies(problem.fit, place, size)
    np.testing.assert_array_equal(
        observed.channels(problem.fit, place, size),
        np.array([problem.channels[problem.fit[place == at]].sum(axis=0) for at in range(size)]),
    )
    for at in range(size):
        rows = problem.fit[place == at]
        tally = tallies[at]
        np.testing.assert_array_equal(
            tally.counts, problem.channels[rows].sum(axis=0)[: target.n_leading]
        )
        pairs = {
            int(pair): int(weight[rows[observed.pair[rows] == pair]].sum())
            for pair in np.unique(observed.pair[rows[observed.outcome[rows] > 0]])
        }
        assert tally.pairs == pairs
    both = tallies[0] + tallies[size - 1]
    assert sum(both.pairs.values()) == target.differing(both.counts)


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=6))
def test_impurity_is_rows_times_entropy(counts: list[int]) -> None:
    total = sum(counts)
    entropy = -sum(c / total * math.log2(c / total) for c in counts if c) if total else 0
    found = int(impurity(np.array(counts)))
    assert found / SCALE == pytest.approx(total * entropy, abs=1e-3 + total * 1e-9)
    assert (found == 0) == (sum(c > 0 for c in counts) <= 1)


def test_impurity_does_not_depend_on_the_order_of_labels() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 10**6, size=(200, 9))
    np.testing.assert_array_equal(impurity(counts.T), impurity(rng.permuted(counts, axis=1).T))


def test_x_log_x_at_its_ends() -> None:
    assert x_log_x(np.array([0, 1, 2, 4])).tolist() == [0, 0, 2 * SCALE, 8 * SCALE]


def naive_impurity(problem: Coded, task: Purpose, rows: np.ndarray) -> int:
    """By definition: entropy of labels, or the variance beyond what the tolerance allows."""
    observed = problem.observed
    weight = np.ones(len(rows)) if observed.weight is None else observed.weight[rows]
    if task == Purpose.DIFFERS or observed.labels is not None:
        own = observed.outcome if task == Purpose.DIFFERS else observed.labels[task]
        return int(impurity(np.bincount(own[rows], weights=weight, minlength=3)))
    if not len(rows):
        return 0
    values, scale = observed.values[task][rows], observed.target.weight_scale
    if observed.weight is not None:
        weight = np.ceil(weight / 2)
    squares = (weight * (values - np.average(values, weights=weight)) ** 2).sum()
    excess = max(0.0, squares - observed.target.slack * weight.sum())
    variance = observed.target.variances[task]
    return round(excess * SCALE * scale / variance) if variance else 0


@settings(deadline=None)
@given(problem=coded(), min_samples_leaf=st.integers(1, 4), many=st.booleans())
def test_the_best_split_is_the_first_of_the_cheapest(
    problem: Coded, min_samples_leaf: int, many: bool
) -> None:
    with many_labels(many):
        check_splits(problem, min_samples_leaf)


def check_splits(problem: Coded, min_samples_leaf: int) -> None:
    source, columns, codes, rows = problem.source, problem.columns, problem.codes, problem.fit
    [whole] = source.answer(Histograms([()]))
    splits = NodeSplits(whole, source.target, source.layout, min_samples_leaf)
    exact = problem.observed.labels is not None
    costed = []
    for missing in (False, True):
        for j, column in enumerate(columns):
            for cut in range(column.n_codes):
                step = Step(j, cut, missing, True)
                yes = np.array([naive_yes(columns, codes, step, row) for row in rows])
                if not allowed(column, codes[j][rows], cut, missing):
                    continue
                if min(yes.sum(), (~yes).sum()) < min_samples_leaf:
                    continue
                cost = [
                    sum(naive_impurity(problem, task, rows[side]) for side in (yes, ~yes))
                    for task in Purpose
                ]
                costed.append((cost, step, yes))
    assert splits.none == (not costed)
    if costed:
        both = Objective(models=1, differs=3)
        wanted = [
            (lambda c: c[0], splits.best_for(Purpose.FIRST)),
            (lambda c: c[1], splits.best_for(Purpose.SECOND)),
            (lambda c: c[0] + c[1], splits.best_common()),
            (lambda c: c[0] + c[1] + 3 * c[2], splits.best_common(both)),
            (lambda c: c[2], splits.best_common(Objective(models=0, differs=1))),
        ]
        for total, (best, counts) in wanted:
            cost, step, yes = min(costed, key=lambda c: total(c[0]))
            # of numbers the naive way rounds otherwise, by a few parts of a bit
            assert best.cost == pytest.approx(total(cost), abs=0 if exact else 8)
            if exact:
                assert (best.column, best.cut, best.missing) == step[:3]
                np.testing.assert_array_equal(counts, problem.channels[rows[yes]].sum(axis=0))


def allowed(column: Column, codes: np.ndarray, cut: int, missing: bool) -> bool:
    """Just below a value of the node, or one of its categories; missing moved only if it occurs."""
    absent = column.n_values if column.has_missing else -1
    if missing and not (codes == absent).any():
        return False
    if column.ordered:
        return bool((codes == cut + 1).any()) and not (missing and cut + 1 == absent)
    named = cut != column.n_values - 1 and not (missing and cut == absent)
    return named and bool((codes == cut).any())


def test_sides_count_the_rows_on_either_side_of_a_question() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 9, 200), "b": rng.normal(size=200)})
    d = imd.diff(X["a"] > 4, (X["a"] > 4) ^ (X["b"] > 1), X, test_size=0)
    source = d.rows.problem.source
    codes = d.rows.dataset.codes
    for column in (0, 1):
        for cut in range(0, len(source.columns[column].thresholds), 3):  # type: ignore[union-attr]
            step = Step(column, cut, missing=False, yes=True)
            below = int((codes[column] <= cut).sum())
            assert source.answer(SplitSizes([()], [step])).tolist() == [[below, 200 - below]]


whole = st.one_of(
    st.integers(-(2**58), 2**58), st.integers(-1000, 1000), st.integers(2**53 - 2, 2**53 + 2)
)


@settings(deadline=None, max_examples=examples(200))
@given(data=st.data(), n_bins=st.integers(1, 5))
def test_sums_by_bin_are_those_of_whole_numbers(data: st.DataObject, n_bins: int) -> None:
    values = data.draw(st.lists(whole, max_size=30))
    bins = data.draw(
        st.lists(st.integers(0, n_bins - 1), min_size=len(values), max_size=len(values))
    )
    naive = [0] * n_bins
    for at, value in zip(bins, values, strict=True):
        naive[at] += value
    own = np.array(values, dtype=np.int64), np.array(bins, dtype=np.int64)
    found = entries.sum_by_bin(own[1], own[0], n_bins)
    assert found.dtype == np.int64
    assert found.tolist() == naive


def test_many_large_numbers_are_summed_exactly() -> None:
    """Twice a large number and one: as floats the ones are lost."""
    values = np.full(100_000, 2**45 + 1, dtype=np.int64)
    bins = np.arange(100_000) % 3
    found = entries.sum_by_bin(bins, values, 3)
    assert found.tolist() == [int((bins == at).sum()) * (2**45 + 1) for at in range(3)]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("method", ["imd", "calibrated"])
def test_weights_and_many_labels_give_the_tree_of_a_table_of_counts(
    seed: int, method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns that say the same in another order: the first of equal splits must be found."""
    rng = np.random.default_rng(seed)
    n_rows, n_labels = 1000, 40
    a = rng.integers(0, 40, n_rows)
    X = pd.DataFrame({"a": a, "mirrored": -a, "word": [f"{(7 * k) % 40:02}" for k in a]})
    X["other"] = [f"{(11 * k) % 40:02}" for k in a]
    y1 = rng.integers(0, n_labels, n_rows)
    y2 = np.where(rng.random(n_rows) < 0.3, rng.integers(0, n_labels, n_rows), y1)
    weight = rng.random(n_rows) * 1000

    def tree() -> list[Any]:
        d = imd.diff(
            y1,
            y2,
            X,
            sample_weight=weight,
            method=method,
            max_depth=4,
            outputs="class",
            min_samples_leaf=1,
            test_size=0,
        )
        return [own.tolist() for own in (d.tree.column, d.tree.cut, d.tree.missing)]

    from_entries = tree()
    monkeypatch.setattr(entries, "MANY_LABELS", 10**9)
    assert tree() == from_entries
