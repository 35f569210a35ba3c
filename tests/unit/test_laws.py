"""Laws of trees, refinement and weights; tests/fuzz has those that hold for odd tables too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.data.table import open_table
from imd_widget.rules.conditions import all_hold
from imd_widget.rules.regions import conditions, path_box
from imd_widget.tree.shape import Kind
from tests.examples import examples
from tests.unit.strategies import NUMERIC, Problem, problems

options = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([3, 4, 5, 2, 3, 4, 5, 1]),
        "max_bins": st.sampled_from([255, None, 5, None, 255, 7, 2]),
        "test_size": st.sampled_from([0, 0, 0.25, 0.5]),
        "method": st.sampled_from(["calibrated", "calibrated", "imd", "separate", "direct"]),
        "min_samples_leaf": st.sampled_from([1, 1, 3]),
        "rule_cost": st.sampled_from([0, 0.005, 0]),
        "random_state": st.integers(0, 3),
    }
)
law = settings(max_examples=examples(60), deadline=None)


def fit(problem: Problem, **given_options: Any) -> imd.ModelDiff:
    return imd.diff(problem.y1, problem.y2, problem.X, **problem.options, **given_options)


def contents(d: imd.ModelDiff) -> list[Any]:
    """What the rules say, without the order in which the tree happens to ask."""
    return sorted(
        (sorted(map(str, rule.conditions)), rule.outcomes, rule.support, rule.differing)
        for rule in d.rules
    )


@law
@given(problem=problems(), options=options, steps=st.integers(0, 2))
def test_union_of_masks_is_the_prediction(
    problem: Problem, options: dict[str, Any], steps: int
) -> None:
    d = fit(problem, **options).refine(steps)
    np.testing.assert_array_equal(d.rules.mask(problem.X), d.predict(problem.X))
    # the slow twin: conditions asked of raw values, not of codes
    by_conditions = [all_hold(rule.conditions, problem.X) for rule in d.rules]
    for rule, inside in zip(d.rules, by_conditions, strict=True):
        np.testing.assert_array_equal(rule.mask(problem.X), inside)
    np.testing.assert_array_equal(d.covered(), d.predict(problem.X))
    for number, rule in enumerate(d.rules):
        np.testing.assert_array_equal(d.covered([number]), rule.mask(problem.X))
    if options["method"] in ("imd", "separate"):
        said = d.tree.predict(problem.X)
        differ = said[:, 0] != said[:, 1]
        if problem.tolerance is not None:
            differ = np.abs(said[:, 0] - said[:, 1]) > problem.tolerance * (1 + 1e-9)
        np.testing.assert_array_equal(d.predict(problem.X), differ)


@law
@given(problem=problems(), options=options)
def test_leaves_partition_the_rows(problem: Problem, options: dict[str, Any]) -> None:
    tree = fit(problem, **options).tree
    for node in range(tree.n_nodes):
        children = tree.children[node]
        if tree.kind[node] == Kind.SPLIT:
            np.testing.assert_array_equal(tree.counts[children].sum(axis=0), tree.counts[node])
        elif tree.kind[node] == Kind.OR:
            for child in children:
                np.testing.assert_array_equal(tree.counts[child], tree.counts[node])
    for side in (1, 2):
        leaves = (tree.kind == Kind.LEAF) & (tree.side == side)
        np.testing.assert_array_equal(tree.counts[leaves].sum(axis=0), tree.counts[0])


@law
@given(problem=problems(), options=options, steps=st.integers(0, 1))
def test_swapped_models_mirror_the_rules(
    problem: Problem, options: dict[str, Any], steps: int
) -> None:
    d = fit(problem, **options).refine(steps)
    swapped = fit(replace(problem, y1=problem.y2, y2=problem.y1), **options).refine(steps)
    np.testing.assert_array_equal(d.predict(problem.X), swapped.predict(problem.X))
    if options["method"] in ("calibrated", "direct"):
        return  # where A -> B is as frequent as B -> A, neither can be the mirror of the other
    mirrored = [(c, (b, a), n, k) for c, (a, b), n, k in contents(swapped)]
    assert contents(d) == sorted(mirrored)


@law
@given(problem=problems(), options=options)
def test_a_column_given_twice_makes_no_difference(
    problem: Problem, options: dict[str, Any]
) -> None:
    twice = problem.X.add_prefix("again_").join(problem.X)
    again = fit(replace(problem, X=twice), **options)
    np.testing.assert_array_equal(again.predict(twice), fit(problem, **options).predict(problem.X))


@law
@given(n_rows=st.integers(1, 30), options=options)
def test_models_that_differ_everywhere_give_the_one_rule_always(
    n_rows: int, options: dict[str, Any]
) -> None:
    X = pd.DataFrame({"a": np.arange(n_rows) % 7, "b": np.arange(n_rows) % 3})
    d = imd.diff(np.zeros(n_rows, int), np.ones(n_rows, int), X, **options)
    assert [rule.conditions for rule in d.rules] == [()]
    assert str(d.rules[0]).startswith("always: 0 -> 1")
    assert d.predict(X).all()
    assert len(X.query(d.rules[0].to_query())) == n_rows


@law
@given(problem=problems(), options=options)
def test_depth_and_leaf_size_are_kept(problem: Problem, options: dict[str, Any]) -> None:
    d = fit(problem, **options)
    assert d.tree.depth <= options["max_depth"]
    split_children = d.tree.children[d.tree.kind == Kind.SPLIT].ravel()
    sizes = d.tree.rows[split_children]
    assert (sizes >= options["min_samples_leaf"]).all()


@law
@given(problem=problems(), options=options)
def test_refining_keeps_the_old_diff_and_its_node_ids(
    problem: Problem, options: dict[str, Any]
) -> None:
    d = fit(problem, **options)
    before = contents(d), d.metrics, d.tree.ids
    refined = d.refine()
    assert (contents(d), d.metrics, d.tree.ids) == before
    assert refined.tree.depth <= d.tree.depth + 1
    if options["method"] in ("imd", "separate"):
        assert set(d.tree.ids) <= set(refined.tree.ids)
        grown = set(refined.tree.ids) - set(d.tree.ids)
        assert {node[:-1] for node in grown} <= set(d.refinable)
    else:  # what hangs below a region that was split is grown anew
        kept = {i for i in d.tree.ids if not any(i.startswith(node) for node in d.refinable)}
        assert kept | set(d.refinable) <= set(refined.tree.ids)


@law
@given(problem=problems(weights=True), options=options, times=st.sampled_from([2.0, 3.0, 0.1]))
def test_only_the_ratios_of_weights_count(
    problem: Problem, options: dict[str, Any], times: float
) -> None:
    more = replace(problem, weight=problem.weight * times)
    assert contents(fit(problem, **options)) == contents(fit(more, **options))


@law
@given(problem=problems(weights=False), options=options)
def test_equal_weights_are_no_weights(problem: Problem, options: dict[str, Any]) -> None:
    equal = replace(problem, weight=np.full(len(problem.X), 2.5))
    plain, weighted = fit(problem, **options), fit(equal, **options)
    assert contents(plain) == contents(weighted)
    assert plain.metrics == weighted.metrics


@law
@given(
    problem=problems(values=False, weights=False, kinds=NUMERIC, gaps=False),
    method=st.sampled_from(["imd", "separate", "direct"]),
    data=st.data(),
)
def test_a_whole_weight_is_so_many_rows(problem: Problem, method: str, data: st.DataObject) -> None:
    n_rows = len(problem.X)
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    times[0] = max(times[0], 1)
    options: dict[str, Any] = {"method": method, "test_size": 0, "max_bins": None}
    weighted = fit(replace(problem, weight=times.astype(float)), **options)
    repeated = fit(problem.taken(np.repeat(np.arange(n_rows), times)), **options)
    known = problem.taken(np.flatnonzero(times)).X
    np.testing.assert_array_equal(weighted.predict(known), repeated.predict(known))
    assert [rule.rate for rule in weighted.rules] == pytest.approx(
        [rule.rate for rule in repeated.rules], nan_ok=True
    )


@law
@given(problem=problems(values=True, weights=False), options=options)
def test_the_unit_of_values_does_not_matter(problem: Problem, options: dict[str, Any]) -> None:
    tolerance = problem.tolerance
    assert tolerance is not None
    larger = replace(problem, y1=problem.y1 * 8, y2=problem.y2 * 8, tolerance=tolerance * 8)
    small, large = fit(problem, **options), fit(larger, **options)
    np.testing.assert_array_equal(small.predict(problem.X), large.predict(problem.X))


@law
@given(
    problem=problems(),
    sensitivity=st.sampled_from([1.0, 1, 0.9, 0.0]),
    leaf=st.sampled_from([1, 3]),
    changed=st.booleans(),
    steps=st.integers(0, 2),
)
def test_every_rule_holds_a_row_that_differs(
    problem: Problem, sensitivity: float, leaf: int, changed: bool, steps: int
) -> None:
    options: dict[str, Any] = {"min_samples_leaf": leaf, "rule_cost": 0}
    if changed:
        d = fit(problem, **options).change(sensitivity=sensitivity)
    else:
        d = fit(problem, sensitivity=sensitivity, **options)
    for step in range(steps + 1):
        refined = d.refine(step)
        for rule in refined.rules:
            assert rule.differing > 0
            inside = rule.mask(problem.X) & problem.counts
            assert (problem.differs & inside).sum() >= rule.differing


@settings(max_examples=examples(20), deadline=None)
@given(seed=st.integers(0, 10**6), sensitivity=st.sampled_from([1.0, "auto"]))
def test_every_rule_holds_a_row_that_differs_with_new_rows_too(seed: int, sensitivity: Any) -> None:
    """New rows may differ where no row of the table does: that is no rule about the table."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    cuts = rng.normal(size=4) / 2

    def m1(table: pd.DataFrame) -> Any:
        return (table["a"] > cuts[0]).astype(int)

    def m2(table: pd.DataFrame) -> Any:
        return ((table["a"] > cuts[1]) ^ ((table["b"] > cuts[2]) & (table["a"] < cuts[3]))).astype(
            int
        )

    d = imd.diff(m1, m2, X, augment="neighbours", rule_cost=0, min_samples_leaf=1)
    for one in (d, d.change(sensitivity=sensitivity), d.change(sensitivity=sensitivity).refine()):
        assert all(rule.differing > 0 for rule in one.rules)


def test_the_problems_of_these_laws_have_rules() -> None:
    """A law about tables without a rule says nothing: two thirds of them have several."""
    several = []

    @settings(law, max_examples=examples(150), database=None, derandomize=True)
    @given(problem=problems(), options=options)
    def count(problem: Problem, options: dict[str, Any]) -> None:
        d = fit(problem, **options)
        rules = [*d.rules, *d.agreement]
        several.append(len(rules) > 1 and any(rule.conditions for rule in rules))

    count()
    assert np.mean(several) >= 2 / 3


@law
@given(problem=problems(), options=options)
def test_codes_and_values_say_alike_who_comes_to_a_node(
    problem: Problem, options: dict[str, Any]
) -> None:
    d = fit(problem, **options)
    table = open_table(problem.X)
    for node, name in enumerate(d.tree.ids):
        expected = np.ones(len(problem.X), dtype=bool)
        for one in conditions(path_box(d.tree.path(node), d.tree.columns), d.tree.columns):
            expected &= one.mask(table)
        np.testing.assert_array_equal(d.reaches(name), expected)
