"""Kernels of the tree against their naive twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.tree.criterion import SCALE, impurity, x_log_x
from imd_widget.tree.histogram import LocalSource
from imd_widget.tree.joint_tree import Path, Step
from imd_widget.tree.splitter import Layout, NodeSplits, Objective

PAIRS = np.array([[0, 0], [0, 1], [1, 1]])


@st.composite
def coded(draw: st.DrawFn) -> tuple[list[Column], list[np.ndarray], np.ndarray, np.ndarray, Layout]:
    n_rows = draw(st.integers(1, 50))
    n_codes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [
        OrderedColumn(f"c{j}", j, np.arange(1.0, n))
        if rng.integers(2)
        else CategoryColumn(f"c{j}", j, tuple(range(n - 1)), bool(rng.integers(2)))
        for j, n in enumerate(n_codes)
    ]
    codes = [rng.integers(0, c.n_codes, n_rows).astype(np.uint8) for c in columns]
    pair = rng.integers(0, len(PAIRS), n_rows).astype(np.uint16)
    holdout = rng.random(n_rows) < 0.3
    holdout[0] = False
    return columns, codes, pair, holdout, Layout.of(columns, PAIRS, 2)


def naive_yes(columns: list[Column], codes: list[np.ndarray], step: Step, row: int) -> bool:
    column, code = columns[step.column], int(codes[step.column][row])
    if column.has_missing and code == column.n_values:
        return step.missing or (not column.ordered and step.cut == code)
    return code <= step.cut if column.ordered else code == step.cut


def naive_count(
    codes: list[np.ndarray], pair: np.ndarray, rows: list[int], layout: Layout
) -> np.ndarray:
    histogram = np.zeros((layout.n_bins, layout.n_pairs), dtype=int)
    for j, column in enumerate(codes):
        for row in rows:
            histogram[layout.offsets[j] + column[row], pair[row]] += 1
    return histogram


@settings(deadline=None)
@given(problem=coded(), seed=st.integers(0, 1000))
def test_histograms_count_rows(problem: tuple, seed: int) -> None:
    columns, codes, pair, holdout, layout = problem
    source = LocalSource(columns, codes, pair, holdout, layout)
    rng = np.random.default_rng(seed)
    paths: list[Path] = [()]
    for _ in range(4):
        j = int(rng.integers(len(codes)))
        cut = int(rng.integers(columns[j].n_codes))
        step = Step(j, cut, columns[j].has_missing and bool(rng.integers(2)), bool(rng.integers(2)))
        paths.append((*paths[-1], step))
    for path in (*paths, *reversed(paths)):  # down as the grower asks, then in any order
        rows = [
            row
            for row in range(len(pair))
            if not holdout[row] and all(naive_yes(columns, codes, s, row) == s.yes for s in path)
        ]
        np.testing.assert_array_equal(
            source.count([path])[0], naive_count(codes, pair, rows, layout)
        )


@settings(deadline=None)
@given(problem=coded(), cut=st.integers(0, 4))
def test_parent_minus_one_child_is_the_other(problem: tuple, cut: int) -> None:
    columns, codes, pair, holdout, layout = problem
    source = LocalSource(columns, codes, pair, holdout, layout)
    parent, yes, no = source.count(
        [(), (Step(0, cut, False, True),), (Step(0, cut, False, False),)]
    )
    np.testing.assert_array_equal(parent - yes, no)


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


@settings(deadline=None)
@given(problem=coded(), min_samples_leaf=st.integers(1, 4))
def test_the_best_split_is_the_first_of_the_cheapest(problem: tuple, min_samples_leaf: int) -> None:
    columns, codes, pair, holdout, layout = problem
    source = LocalSource(columns, codes, pair, holdout, layout)
    rows = np.flatnonzero(~holdout)
    splits = NodeSplits(source.count([()])[0], layout, min_samples_leaf)
    labels = PAIRS[pair[rows]]
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
                    sum(int(impurity(np.bincount(labels[s, m], minlength=2))) for s in (yes, ~yes))
                    for m in (0, 1)
                ]
                differs = labels[:, 0] != labels[:, 1]
                cost.append(
                    sum(int(impurity(np.bincount(differs[s], minlength=2))) for s in (yes, ~yes))
                )
                costed.append((cost, step, yes))
    assert splits.none == (not costed)
    if costed:
        both = Objective(models=1, differs=3)
        wanted = [
            (lambda c: c[0], splits.best_for(0)),
            (lambda c: c[1], splits.best_for(1)),
            (lambda c: c[0] + c[1], splits.best_common()),
            (lambda c: c[0] + c[1] + 3 * c[2], splits.best_common(both)),
            (lambda c: c[2], splits.best_common(Objective(models=0, differs=1))),
        ]
        for total, (best, counts) in wanted:
            cost, step, yes = min(costed, key=lambda c: total(c[0]))
            assert (best.column, best.cut, best.missing) == step[:3]
            assert best.cost == total(cost)
            np.testing.assert_array_equal(counts, np.bincount(pair[rows][yes], minlength=3))


def allowed(column: Column, codes: np.ndarray, cut: int, missing: bool) -> bool:
    """Just below a value of the node, or one of its categories; missing moved only if it occurs."""
    absent = column.n_values if column.has_missing else -1
    if missing and not (codes == absent).any():
        return False
    if column.ordered:
        return bool((codes == cut + 1).any()) and not (missing and cut + 1 == absent)
    named = cut != column.n_values - 1 and not (missing and cut == absent)
    return named and bool((codes == cut).any())
