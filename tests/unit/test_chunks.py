"""Counts add up: however the rows are chunked, a diff is the same to the bit."""

from __future__ import annotations

import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base import parallel
from imd_widget._base.exact_sums import SumGrid
from imd_widget.api import diff as api
from imd_widget.comparison import memory_dataset
from imd_widget.comparison.prepare import compare
from imd_widget.tree.chunk import Chunk, RoutedChunk
from imd_widget.tree.requests import Histograms, Totals
from tests.examples import examples
from tests.unit.strategies import Problem, problems

THREADS = (1, 3, 8)
METHODS = ["calibrated", "imd", "separate", "direct"]


@pytest.fixture
def chunked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make every diff count its rows in so many chunks."""

    def set_chunks(n_chunks: int) -> None:
        monkeypatch.setattr(api, "compare", partial(compare, n_chunks=n_chunks))

    return set_chunks


def set_threads(patch: pytest.MonkeyPatch, n_threads: int) -> None:
    """Make every diff count its rows in so many threads, however few the rows are."""
    patch.setattr(parallel, "_n_cores", lambda: n_threads)
    patch.setattr(memory_dataset, "MANY_ROWS", 0)


def everything(d: imd.ModelDiff) -> Any:
    """All that a diff shows and stores, floats to the last bit."""
    results = d.rows
    tree, counts = results.tree, results.fit.counts
    return (
        d.to_dict(),
        tree.counts.tolist(),
        [number.hex() for number in tree.sums.ravel().tolist()],
        [number.hex() for number in counts.holdout_nodes.sums.ravel().tolist()],
        [(pair, tally.pairs, tally.right.tolist()) for pair, tally in counts.fit.items()],
        [d.bars(tree.ids[node]) for node in sorted(d.split_histograms)],
        d.refinable,
    )


@settings(max_examples=examples(30), deadline=None)
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
        for n_chunks in (1, 2, 3, 7):
            patch.setattr(api, "compare", partial(compare, n_chunks=n_chunks))
            d = imd.diff(problem.y1, problem.y2, problem.X, **options)
            seen = everything(d), everything(d.refine())
            first = first or seen
            assert seen == first


@settings(max_examples=examples(15), deadline=None)
@given(
    problem=problems(),
    method=st.sampled_from(METHODS),
    test_size=st.sampled_from([0, 0.25]),
    with_truth=st.booleans(),
)
def test_threads_add_up_to_the_same_bits(
    problem: Problem, method: Any, test_size: float, with_truth: bool
) -> None:
    options = {**problem.options, "method": method, "test_size": test_size, "min_samples_leaf": 1}
    if with_truth:
        options["y"] = problem.y1
    seen = []
    for n_threads in THREADS:
        with pytest.MonkeyPatch.context() as patch:
            set_threads(patch, n_threads)
            d = imd.diff(problem.y1, problem.y2, problem.X, **options)
            seen.append((everything(d), everything(d.refine())))
    assert all(one == seen[0] for one in seen)


def large_case(kind: str, n_rows: int = 30_000) -> tuple[Any, Any, pd.DataFrame, dict[str, Any]]:
    """Outputs, a table and options of so many rows that every kernel for many rows is used."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("abcd"))
    X["sorted"] = np.arange(n_rows) // 7
    X["word"] = rng.choice(["x", "y", "z"], n_rows)
    X.loc[rng.random(n_rows) < 0.1, "b"] = np.nan
    score = X["a"].to_numpy() + 0.2 * rng.normal(size=n_rows)
    moved = np.where(X["c"] > 0.8, score + 0.7, score)
    if kind in ("values", "weighted values"):
        options: dict[str, Any] = {"outputs": "value"}
        if kind == "weighted values":
            options["sample_weight"] = rng.random(n_rows)
        return score, moved, X, options
    if kind == "probabilities":
        return 1 / (1 + np.exp(-score)), 1 / (1 + np.exp(-moved)), X, {"outputs": "proba"}
    n_classes = {"two classes": 2, "weights": 2, "ten classes": 10, "many labels": 60}[kind]
    bounds = np.quantile(score, np.arange(1, n_classes) / n_classes)
    first, second = np.searchsorted(bounds, score), np.searchsorted(bounds, moved)
    weighted = {"sample_weight": rng.random(n_rows)} if kind == "weights" else {}
    return first, second, X, {"outputs": "class", **weighted}


@pytest.mark.parametrize(
    "kind",
    [
        "two classes",
        "ten classes",
        "many labels",
        "weights",
        "values",
        "weighted values",
        "probabilities",
    ],
)
def test_threads_and_chunks_of_many_rows(
    kind: str, monkeypatch: pytest.MonkeyPatch, chunked: Any
) -> None:
    y1, y2, X, options = large_case(kind, 8_000 if kind == "many labels" else 30_000)
    y = X["d"] > 0 if kind == "probabilities" else np.where(X["d"] > 0, y1, y2)
    seen = []
    for n_threads in (1, 2, 3):
        set_threads(monkeypatch, n_threads)
        seen.append(everything(imd.diff(y1, y2, X, y=y, **options)))
    chunked(7)
    seen.append(everything(imd.diff(y1, y2, X, y=y, **options)))
    assert all(one == seen[0] for one in seen)
    assert seen[0][0]["rules"]


def test_rows_are_dealt_to_chunks() -> None:
    observed = coded_chunk().observations
    for n_rows in (0, 1, 5, 1000):
        rows = np.arange(n_rows, dtype=np.int32)
        chunk = Chunk([], observed, rows[::2], rows[1::2])
        for n_chunks in (1, 2, 3, 8):
            dealt = chunk.deal(n_chunks)
            assert len(dealt) == n_chunks
            for name in ("fit", "holdout"):
                parts = [getattr(one, name) for one in dealt]
                assert all((np.diff(part) > 0).all() for part in parts)
                np.testing.assert_array_equal(np.sort(np.concatenate(parts)), getattr(chunk, name))
                # about as many for each, from all over the table
                assert max(map(len, parts)) - min(map(len, parts)) <= n_rows // (8 * n_chunks) + 2


def coded_chunk() -> Chunk:
    X = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 3})
    source = imd.diff(X["a"] > 3, X["b"] > 1, X).rows.problem.source
    (routed,) = source._chunks  # type: ignore[attr-defined]
    return Chunk(routed.codes, routed.observations, routed.fit, routed.holdout)


def test_a_chunk_can_be_pickled_and_keeps_rows_in_a_session_only() -> None:
    X = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 3})
    d = imd.diff(X["a"] > 3, X["b"] > 1, X, test_size=0)
    (chunk,) = d.rows.problem.source._chunks  # type: ignore[attr-defined]
    request = Totals([(d.tree.question(0),)])
    expected = request.count(chunk)
    again = pickle.loads(pickle.dumps((chunk, request)))
    np.testing.assert_array_equal(again[1].count(again[0]), expected)
    with chunk.session() as keeping, chunk.session() as other:
        np.testing.assert_array_equal(request.count(keeping), expected)
        assert keeping.n_kept == 2
        assert chunk.n_kept == other.n_kept == 0
    assert keeping.n_kept == 0


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_an_error_in_a_chunk_comes_out(monkeypatch: pytest.MonkeyPatch, error: Any) -> None:
    set_threads(monkeypatch, 3)
    count = Histograms.count
    n_calls = 0

    def failing(self: Histograms, chunk: RoutedChunk) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 5:
            raise error("in a chunk")
        return count(self, chunk)

    y1, y2, X, options = large_case("two classes", 2000)
    expected = everything(imd.diff(y1, y2, X, **options))
    monkeypatch.setattr(Histograms, "count", failing)
    with pytest.raises(error, match="in a chunk"):
        imd.diff(y1, y2, X, **options)
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("imd-count")]
    assert everything(imd.diff(y1, y2, X, **options)) == expected


def test_several_diffs_at_a_time_in_threads_that_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The widget refines in a thread while a cell may do the same."""
    set_threads(monkeypatch, 3)
    y1, y2, X, options = large_case("ten classes", 3000)
    d = imd.diff(y1, y2, X, max_depth=4, **options)

    def work(i: int) -> Any:
        return everything((d.refine, lambda: d.change(max_depth=5))[i % 2]())

    alone = [work(0), work(1)]
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(work, range(12))) == alone * 6
    finally:
        sys.setswitchinterval(often)
    assert d.rows.problem.source.n_kept == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("n_classes", [3, 60])
def test_many_labels_add_up(chunked: Any, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=900), "b": rng.integers(0, 9, 900)})
    y1 = rng.integers(0, n_classes, 900)
    y2 = np.where(X["a"] > 0.5, (y1 + 1) % n_classes, y1)
    seen = []
    for n_chunks in (1, 2, 3, 7):
        chunked(n_chunks)
        seen.append(everything(imd.diff(y1, y2, X, outputs="class")))
    assert all(one == seen[0] for one in seen)
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


@settings(max_examples=examples(200), deadline=None)
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
