"""Laws of `compare`, and naive twins of its kernels."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.many.ordering import order_by_similarity
from imd_widget.outputs.several import pairwise
from imd_widget.outputs.several.pairwise import count_differing, count_fixes, most_said
from imd_widget.views import schema
from imd_widget.views.comparison import comparison_view
from tests.examples import examples
from tests.unit.conformance import departures
from tests.unit.many_models import Several, differs, several

law = settings(max_examples=examples(30))


def same(one: imd.ModelDiff, other: imd.ModelDiff) -> None:
    """Both diffs are the same to the rule."""
    assert one.names == other.names
    assert list(map(str, one.rules)) == list(map(str, other.rules))
    assert [rule.right for rule in one.rules] == [rule.right for rule in other.rules]
    assert one.metrics == other.metrics
    assert one.right == other.right
    np.testing.assert_array_equal(one.differs, other.differs)


@law
@given(case=several())
def test_a_pair_is_the_diff_of_both_to_the_rule(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    options = case.options | {"tolerance": c.tolerance, "outputs": c.outputs}
    for first, second in list(combinations(c.names, 2))[:3]:
        for names in ((first, second), (second, first)):
            one, two = (case.models[name] for name in names)
            same(c[names], imd.diff(one, two, case.X, names=names, **options))


@law
@given(case=several())
def test_the_other_order_mirrors_a_pair(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    d, swapped = c["m0", "m1"], c["m1", "m0"]
    np.testing.assert_array_equal(d.predict(case.X), swapped.predict(case.X))
    assert d.metrics.disagreement == swapped.metrics.disagreement
    if d.right is not None and swapped.right is not None:
        assert (d.right.fixes, d.right.breaks) == (swapped.right.breaks, swapped.right.fixes)


@law
@given(case=several())
def test_the_matrix_is_the_mean_of_differs(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    weight = case.weight
    for first, second in combinations(c.names, 2):
        rows = differs(case.models[first], case.models[second], c.outputs, c.tolerance)
        counted = [own for own, w in zip(rows, weight, strict=True) if w > 0]
        share = sum(w for own, w in zip(rows, weight, strict=True) if own) / sum(weight)
        for pair in ((first, second), (second, first)):
            assert c.n_differing.loc[pair] == sum(counted)
            np.testing.assert_allclose(c.disagreement.loc[pair], share, rtol=1e-12)
        assert c.disagreement.loc[first, second] == c[first, second].metrics.disagreement
    assert (np.diag(c.disagreement) == 0).all()
    assert c.n_rows == int((weight > 0).sum())


@law
@given(case=several())
def test_scores_and_fixes_are_those_of_the_diffs(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    if "y" not in case.options:
        assert c.scores is None
        assert c.fixes is None
        return
    assert c.scores is not None
    assert c.fixes is not None
    for first, second in combinations(c.names, 2):
        right = c[first, second].right
        assert right is not None
        if "accuracy" in c.scores:
            np.testing.assert_allclose(c.scores.loc[[first, second], "accuracy"], right.accuracy)
        if right.errors is not None:
            found = c.scores.loc[[first, second], "mean absolute error"]
            np.testing.assert_allclose(found, right.errors, rtol=1e-9)
        if "sample_weight" not in case.options:
            assert c.fixes.loc[first, second] == right.fixes
            assert c.fixes.loc[second, first] == right.breaks


@law
@given(case=several(least=3), data=st.data())
def test_skipping_a_model_leaves_the_others_as_they_are(case: Several, data: st.DataObject) -> None:
    def broken(table: Any) -> Any:
        raise RuntimeError("out of order")

    place = data.draw(st.integers(0, len(case.models)))
    models: dict[str, Any] = dict(case.models)
    items = list(models.items())
    items.insert(place, ("broken", broken))
    bad = data.draw(st.sampled_from(["raises", "too short", "missing"]))
    if bad != "raises":
        some = next(iter(case.models.values()))
        short = some[:-1] if bad == "too short" else np.array([None, *some[1:]], dtype=object)
        items[place] = ("broken", short)
    c = imd.compare(case.models, case.X, **case.options)
    skipped = imd.compare(dict(items), case.X, errors="skip", **case.options)
    assert list(skipped.skipped) == ["broken"]
    assert skipped.names == c.names
    assert skipped.tolerance == c.tolerance
    pd.testing.assert_frame_equal(skipped.disagreement, c.disagreement)
    assert skipped.order == c.order
    assert skipped.summary() == f"{c.summary()} broken was left out."
    same(skipped[0, 1], c[0, 1])


@law
@given(case=several(least=2, most=2))
def test_against_rest_of_two_equal_models_is_the_diff_of_the_other(case: Several) -> None:
    one, other = case.models.values()
    names = {"a": one, "b": one.copy(), "c": other}
    c = imd.compare(names, case.X, **case.options)
    d, pair = c.against_rest("c"), c["c", "a"]
    assert d.names == ("c", "most of the others")
    assert d.metrics == pair.metrics
    np.testing.assert_array_equal(d.predict(case.X), pair.predict(case.X))
    np.testing.assert_array_equal(d.differs, pair.differs)


@law
@given(case=several(least=3))
def test_order_is_a_permutation_and_views_have_the_types_of_the_schema(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    assert sorted(c.order) == sorted(c.names)
    assert departures(comparison_view(c), schema.ComparisonView) == []
    page = comparison_view(c, openable=[(0, 2)])
    assert departures(page, schema.ComparisonView) == []
    assert page.openable == ((0, 2),)
    assert page.why_not.startswith("This file holds 1 diff;")


@law
@given(
    k=st.integers(1, 7),
    n_rows=st.integers(1, 40),
    block=st.sampled_from([1, 7, 64]),
    weighted=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_counts_of_pairs_have_a_naive_twin(
    k: int, n_rows: int, block: int, weighted: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (k, n_rows)).astype(np.uint8)
    weight = rng.integers(1, 5, n_rows).astype(float) if weighted else None
    right, known = rng.random((k, n_rows)) < 0.5, rng.random(n_rows) < 0.7
    kept = pairwise.BLOCK
    pairwise.BLOCK = block
    try:
        found = count_differing(list(codes), np.not_equal, weight)
        fixes = count_fixes(right, known)
    finally:
        pairwise.BLOCK = kept
    for i in range(k):
        for j in range(k):
            rows = [row for row in range(n_rows) if codes[i, row] != codes[j, row]]
            assert found.rows[i, j] == len(rows)
            assert found.weight[i, j] == sum(1 if weight is None else weight[row] for row in rows)
            wanted = known & ~right[i] & right[j]
            assert fixes[i, j] == wanted.sum()


@law
@given(k=st.integers(2, 7), n_labels=st.integers(1, 4), seed=st.integers(0, 1000))
def test_the_vote_has_a_naive_twin(k: int, n_labels: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, n_labels, (k, 30))
    for own in range(k):
        found = most_said(list(codes), own)
        for row, at in enumerate(found):
            others = [int(codes[m, row]) for m in range(k) if m != own]
            counts = Counter(others)
            most = max(counts.values())
            tied = [label for label in dict.fromkeys(others) if counts[label] == most]
            mine = int(codes[own, row])
            assert codes[at, row] == (mine if mine in tied else tied[0])


@given(k=st.integers(2, 30), seed=st.integers(0, 1000), ties=st.booleans())
def test_models_that_are_alike_stand_side_by_side(k: int, seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    shares = rng.integers(0, 3, (k, k)) / 10 if ties else rng.random((k, k))
    shares = np.triu(shares, 1) + np.triu(shares, 1).T
    order = order_by_similarity(shares)
    assert sorted(order) == list(range(k))
    assert order[0] < order[-1]
    if not ties and k > 2:  # the closest two are merged first, and leaves of a merge are neighbours
        closest = np.unravel_index(np.argmin(shares + 9 * np.eye(k)), shares.shape)
        assert abs(order.index(int(closest[0])) - order.index(int(closest[1]))) == 1
