"""Kernels of the tree against their naive twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.tree.criterion import SCALE, impurity, x_log_x
from imd_widget.tree.histogram import LocalSource
from imd_widget.tree.joint_tree import Path, Step
from imd_widget.tree.splitter import Layout, NodeSplits

PAIRS = np.array([[0, 0], [0, 1], [1, 1]])


@st.composite
def coded(draw: st.DrawFn) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, Layout]:
    n_rows = draw(st.integers(1, 50))
    n_codes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = [rng.integers(0, n, n_rows).astype(np.uint8) for n in n_codes]
    pair = rng.integers(0, len(PAIRS), n_rows).astype(np.uint16)
    holdout = rng.random(n_rows) < 0.3
    holdout[0] = False
    return codes, pair, holdout, Layout.of(n_codes, PAIRS, 2)


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
    codes, pair, holdout, layout = problem
    source = LocalSource(codes, pair, holdout, layout)
    rng = np.random.default_rng(seed)
    paths: list[Path] = [()]
    for _ in range(4):
        j = int(rng.integers(len(codes)))
        step = Step(j, int(rng.integers(6)), bool(rng.integers(2)))
        paths.append((*paths[-1], step))
    for path in (*paths, *reversed(paths)):  # down as the grower asks, then in any order
        rows = [
            row
            for row in range(len(pair))
            if not holdout[row] and all((codes[s.column][row] <= s.cut) == s.yes for s in path)
        ]
        np.testing.assert_array_equal(
            source.count([path])[0], naive_count(codes, pair, rows, layout)
        )


@settings(deadline=None)
@given(problem=coded(), cut=st.integers(0, 4))
def test_parent_minus_one_child_is_the_other(problem: tuple, cut: int) -> None:
    codes, pair, holdout, layout = problem
    source = LocalSource(codes, pair, holdout, layout)
    parent, yes, no = source.count([(), (Step(0, cut, True),), (Step(0, cut, False),)])
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
    np.testing.assert_array_equal(impurity(counts), impurity(rng.permuted(counts, axis=1)))


def test_x_log_x_at_its_ends() -> None:
    assert x_log_x(np.array([0, 1, 2, 4])).tolist() == [0, 0, 2 * SCALE, 8 * SCALE]


@settings(deadline=None)
@given(problem=coded(), min_samples_leaf=st.integers(1, 4))
def test_the_best_split_is_the_first_of_the_cheapest(problem: tuple, min_samples_leaf: int) -> None:
    codes, pair, holdout, layout = problem
    source = LocalSource(codes, pair, holdout, layout)
    rows = np.flatnonzero(~holdout)
    splits = NodeSplits(source.count([()])[0], layout, min_samples_leaf)
    labels = PAIRS[pair[rows]]
    costed = []
    for j, column in enumerate(codes):
        for cut in range(int(layout.offsets[j + 1] - layout.offsets[j]) - 1):
            left = column[rows] <= cut
            if not (column[rows] == cut + 1).any():
                continue  # not just below a value of the node
            if min(left.sum(), (~left).sum()) < min_samples_leaf:
                continue
            cost = [
                sum(
                    int(impurity(np.bincount(labels[side, m], minlength=2)))
                    for side in (left, ~left)
                )
                for m in (0, 1)
            ]
            costed.append((cost, j, cut))
    assert splits.none == (not costed)
    if costed:
        wanted = {
            0: min(costed, key=lambda c: c[0][0]),
            1: min(costed, key=lambda c: c[0][1]),
            None: min(costed, key=lambda c: sum(c[0])),
        }
        for model, (cost, column, cut) in wanted.items():
            best = splits.best_common() if model is None else splits.best_for(model)
            assert (best.column, best.cut) == (column, cut)
            assert best.cost == (sum(cost) if model is None else cost[model])
            yes = splits.yes_counts(best)
            inside = codes[column][rows] <= cut
            np.testing.assert_array_equal(yes, np.bincount(pair[rows][inside], minlength=3))
