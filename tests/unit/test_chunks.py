"""Counts add up: however the rows are chunked, a diff is the same to the bit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.exact_sums import SumGrid
from imd_widget.comparison import api
from imd_widget.comparison.prepare import compare
from tests.unit.strategies import Problem, problems

METHODS = ["calibrated", "imd", "separate", "direct"]


@pytest.fixture
def chunked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make every diff count its rows in so many chunks."""

    def set_chunks(n_chunks: int) -> None:
        def with_chunks(*arguments: Any) -> Any:
            return compare(*arguments, n_chunks=n_chunks)

        monkeypatch.setattr(api, "compare", with_chunks)

    return set_chunks


def everything(d: imd.ModelDiff) -> Any:
    """All that a diff shows and stores, floats to the last bit."""
    results = d._fitted
    tree, counts = results.tree, results.fit.counts
    return (
        d.to_dict(),
        tree.counts.tolist(),
        [number.hex() for number in tree.sums.ravel().tolist()],
        [number.hex() for number in counts.holdout_nodes.sums.ravel().tolist()],
        [(pair, tally.pairs, tally.right.tolist()) for pair, tally in counts.fit.items()],
        [d.bars(tree.ids[node]) for node in sorted(results.bars)],
        d.refinable,
    )


@settings(max_examples=40, deadline=None)
@given(
    problem=problems(),
    method=st.sampled_from(METHODS),
    test_size=st.sampled_from([0, 0.25]),
    with_truth=st.booleans(),
)
def test_chunks_add_up_to_the_same_bits(
    problem: Problem, method: Any, test_size: float, with_truth: bool
) -> None:
    options = {**problem.options, "method": method, "test_size": test_size, "min_samples_leaf": 1}
    if with_truth:
        options["y"] = problem.y1
    with pytest.MonkeyPatch.context() as patch:
        first = None
        for n_chunks in (1, 2, 7):
            patch.setattr(api, "compare", lambda *given, n=n_chunks: compare(*given, n_chunks=n))
            d = imd.diff(problem.y1, problem.y2, problem.X, **options)
            seen = everything(d), everything(d.refine())
            first = first or seen
            assert seen == first


@pytest.mark.parametrize("n_classes", [3, 60])
def test_many_labels_add_up(chunked: Any, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=900), "b": rng.integers(0, 9, 900)})
    y1 = rng.integers(0, n_classes, 900)
    y2 = np.where(X["a"] > 0.5, (y1 + 1) % n_classes, y1)
    seen = []
    for n_chunks in (1, 2, 7):
        chunked(n_chunks)
        seen.append(everything(imd.diff(y1, y2, X, outputs="class")))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0]["rules"]


def test_augmented_rows_add_up(chunked: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})

    def old(table: pd.DataFrame) -> Any:
        return table["a"] > 0

    def new(table: pd.DataFrame) -> Any:
        return (table["a"] > 0) ^ (table["b"] > 1)

    seen = []
    for n_chunks in (1, 5):
        chunked(n_chunks)
        seen.append(everything(imd.diff(old, new, X, augment="neighbours")))
    assert seen[0] == seen[1]
    assert seen[0][0]["rules"]


def test_more_chunks_than_rows(chunked: Any) -> None:
    X = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6]})
    chunked(50)
    d = imd.diff([0, 0, 0, 1, 1, 1], [0] * 6, X, test_size=0, min_samples_leaf=1)
    assert [(rule.support, rule.differing) for rule in d.rules] == [(3, 3)]


@settings(max_examples=200, deadline=None)
@given(
    addends=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60),
    scale=st.sampled_from([1.0, 1e-12, 1e80, 5e-324]),
    seed=st.integers(0, 99),
)
def test_sums_do_not_depend_on_order_and_are_nearly_exact(
    addends: list[float], scale: float, seed: int
) -> None:
    numbers = np.array(addends) * scale
    bound = float(np.abs(numbers).max())
    grid = SumGrid.of(bound, len(numbers))

    def total(rows: np.ndarray) -> tuple[float, float]:
        coarse, fine = grid.parts(numbers[rows])
        sums = [0.0, 0.0]
        for part, values in enumerate((coarse, fine)):
            for value in values.tolist():
                sums[part] += value
        return sums[0], sums[1]

    in_order = total(np.arange(len(numbers)))
    shuffled = total(np.random.default_rng(seed).permutation(len(numbers)))
    assert in_order == shuffled
    exact = sum(map(Fraction, numbers.tolist()))
    error = abs(Fraction(in_order[0]) + Fraction(in_order[1]) - exact)
    # 2**-105 in theory, and some bits for bounds and counts rounded up to powers of two
    allowed = Fraction(bound) * Fraction(2) ** -98 * len(numbers) ** 3
    assert error <= allowed + Fraction(5e-324) * len(numbers)
