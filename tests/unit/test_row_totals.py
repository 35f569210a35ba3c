"""Figures over all rows: those of a loop over the rows, and the same bits from any chunks."""

from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.comparison.crosstab import MOST_CELLS, cross_table
from imd_widget.comparison.row_totals import RowTotals, chunk_totals
from imd_widget.counting.observations import BOTH, NEITHER, ONLY_FIRST, ONLY_SECOND, UNKNOWN
from tests.examples import examples

KINDS = ("class", "proba", "value")


@st.composite
def diffs(draw: st.DrawFn) -> imd.ModelDiff:
    n_rows = draw(st.integers(2, 60))
    kind = draw(st.sampled_from(KINDS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.integers(0, 5, n_rows)})
    options: dict[str, Any] = {"outputs": kind, "test_size": draw(st.sampled_from([0.0, 0.3]))}
    if kind == "class":
        one, two, y = (rng.choice(["u", "v", "w"], n_rows).astype(object) for _ in range(3))
        y[rng.random(n_rows) < 0.2] = None
        two[0] = y[0] = one[0]  # a label that all of them have
    else:
        scale = draw(st.sampled_from([1.0, 1e-6, 1e9])) if kind == "value" else 1.0
        one, two = (rng.random(n_rows) * scale for _ in range(2))
        y = rng.integers(0, 2, n_rows).astype(float)
        y[rng.random(n_rows) < 0.2] = np.nan
        y[0] = 1.0
    if draw(st.booleans()):
        options["y"] = y
    if draw(st.booleans()):
        weight = rng.integers(0, 4, n_rows) * draw(st.sampled_from([1.0, 0.37]))
        options["sample_weight"] = np.where(np.arange(n_rows) == 0, 1.0, weight)
    return imd.diff(one, two, X, **options)


def naive_right(d: imd.ModelDiff, rows: Any) -> tuple[dict[int, float], list[Any]]:
    observed = d.rows.compared.observations
    assert observed.right is not None
    counts = dict.fromkeys((BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER, UNKNOWN), 0.0)
    for row in rows:
        counts[int(observed.right[row])] += weight_of(d, row)
    if observed.errors is None or observed.truth is None:
        return counts, []
    first, second = observed.errors
    addends = [abs(first), abs(second), first**2, second**2, first, second, observed.truth]
    return counts, [[weight_of(d, row) * float(own[row]) for row in rows] for own in addends]


def weight_of(d: imd.ModelDiff, row: int) -> float:
    weights = d.rows.dataset.weights
    return 1.0 if weights is None else float(weights.whole[row])


@settings(deadline=None, max_examples=examples(120))
@given(d=diffs())
def test_totals_are_those_of_a_loop_over_the_rows(d: imd.ModelDiff) -> None:
    totals, fitted = d.rows.totals, d.rows
    rows = range(d.table.n_rows)
    counting = [row for row in rows if weight_of(d, row) > 0]
    differing = [row for row in counting if d.differs[row]]
    assert (totals.n_rows, totals.n_differing) == (len(counting), len(differing))
    assert totals.weight == sum(weight_of(d, row) for row in rows)
    assert totals.differing_weight == sum(weight_of(d, row) for row in differing)
    assert d.metrics.disagreement == totals.differing_weight / totals.weight
    if fitted.compared.observations.right is None:
        assert totals.right is totals.holdout_right is d.right is d.holdout_right is None
    else:
        for found, part in ((totals.right, rows), (totals.holdout_right, fitted.dataset.holdout)):
            assert found is not None
            counts, addends = naive_right(d, part)
            assert dict(enumerate(found.weight.tolist())) == counts
            sums = found.numbers.sum(axis=0).tolist()
            for total, numbers in zip(sums, addends, strict=True):
                size = math.fsum(map(abs, numbers))
                assert total == pytest.approx(math.fsum(numbers), rel=0, abs=1e-14 * size)
    first, second = (d.predictions.iloc[:, side].tolist() for side in (0, 1))
    if d.labels:
        assert d.metrics.mean_difference is None
        naive = pd.crosstab(
            pd.Categorical([first[row] for row in counting], d.labels),
            pd.Categorical([second[row] for row in counting], d.labels),
        )
        assert d.crosstab is not None
        pairs = {
            (one, two): int(d.crosstab.loc[one, two])  # type: ignore[call-overload]
            for one in d.crosstab.index
            for two in d.crosstab.columns
            if d.crosstab.loc[one, two]
        }
        assert pairs == {
            (one, two): naive.loc[one, two]
            for one in naive.index
            for two in naive.columns
            if naive.loc[one, two]
        }
    else:
        apart = [weight_of(d, row) * (second[row] - first[row]) for row in rows]
        spread = max(map(abs, (*first, *second)))
        naive_mean = math.fsum(apart) / totals.weight
        assert d.metrics.mean_difference == pytest.approx(naive_mean, rel=1e-9, abs=1e-11 * spread)


def as_values(totals: RowTotals) -> list[Any]:
    parts = [
        totals.n_rows,
        totals.n_differing,
        totals.weight,
        totals.differing_weight,
        totals.outputs.tolist(),
        totals.pairs.tolist(),
    ]
    for right in (totals.right, totals.holdout_right):
        parts += [None] if right is None else [right.weight.tolist(), right.numbers.tolist()]
    return parts


@settings(deadline=None, max_examples=examples(120))
@given(d=diffs(), data=st.data())
def test_the_totals_of_chunks_add_up_to_the_bit(d: imd.ModelDiff, data: st.DataObject) -> None:
    fitted, n_rows = d.rows, d.table.n_rows
    cuts = data.draw(st.lists(st.integers(0, n_rows), max_size=6))
    edges = [0, *sorted(cuts), n_rows]
    parts = []
    for start, stop in pairwise(edges):
        holdout = fitted.dataset.holdout
        own = holdout[(holdout >= start) & (holdout < stop)] - start
        chunk = fitted.compared.observations.chunk(start, stop)
        parts.append(chunk_totals(chunk, stop - start, own))
    shuffled = data.draw(st.permutations(parts))
    assert as_values(reduce(add, shuffled)) == as_values(fitted.totals)


def test_the_order_of_rows_does_not_change_a_figure() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=500)})
    one, two, y = rng.lognormal(sigma=3, size=(3, 500))
    order = rng.permutation(500)
    options: dict[str, Any] = {"outputs": "value", "measure": "none"}
    d = imd.diff(one, two, X, y=y, **options)
    other = imd.diff(one[order], two[order], X.iloc[order], y=y[order], **options)
    assert d.metrics.mean_difference == other.metrics.mean_difference
    assert d.right == other.right


def test_rows_of_a_separate_holdout_are_no_rows_of_the_table() -> None:
    X = pd.DataFrame({"a": np.arange(40)})
    m1, m2 = (lambda t: t["a"] < 10), (lambda t: t["a"] < 20)
    y, more = X["a"] < 15, X.iloc[:10]
    d = imd.diff(m1, m2, X, y=y, holdout=(more, y[:10]))
    totals = d.rows.totals
    assert (totals.n_rows, totals.n_differing, totals.pairs.sum()) == (40, 10, 40)
    assert d.right is not None
    assert d.holdout_right is not None
    assert (d.right.known, d.holdout_right.known) == (40, 10)


def test_the_cross_table_lists_the_largest_pairs_first() -> None:
    labels = np.array([[0, 0], [0, 1], [2, 1], [1, 2]])
    found = cross_table(labels, np.array([3, 0, 7, 7]))
    assert found is not None
    assert (found.cells, found.left_out) == (((1, 2, 7), (2, 1, 7), (0, 0, 3)), 0)
    many = np.stack([np.arange(MOST_CELLS + 2)] * 2, axis=1)
    cut = cross_table(many, np.arange(1, MOST_CELLS + 3))
    assert cut is not None
    assert (len(cut.cells), cut.left_out) == (MOST_CELLS, 1 + 2)
    assert cross_table(None, np.array([1, 2, 3])) is None
