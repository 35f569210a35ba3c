"""Growth in NumPy, the loss in JAX, and the laws that tie them to slow twins."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.data.features import feature_matrix
from imd_widget.data.table import open_table
from imd_widget.learners.meta_trees import growth
from imd_widget.learners.meta_trees.features import (
    candidate_splits,
    fit_features,
    standardised_matrix,
)
from imd_widget.learners.meta_trees.forest import Forest, Rows
from imd_widget.learners.meta_trees.growth import Examples, grow, stumps
from imd_widget.learners.meta_trees.loss import Batch, LossForm, LossWeights, grow_batch, loss
from imd_widget.learners.meta_trees.networks import (
    Architecture,
    Pooled,
    Rules,
    decision_rules,
    embed,
    initial_parameters,
    leaf_values,
    split_moments,
)
from imd_widget.learners.meta_trees.plan import Plan
from imd_widget.learners.meta_trees.training import _Batches
from tests.examples import examples

VARIANTS: dict[str, dict[str, Any]] = {
    "evidence": {"summaries": True, "max_shift": 0.5},
    "evidence of an earlier release": {},
    "paper": {"candidates": ()},
    "dynamic": {"dynamic": True, "depth": 3, "summaries": True, "max_shift": 0.5},
    "without r, beta and g": {"context": False, "softness": "fixed", "leaves": "mean"},
    "signed": {"softness": "fixed", "signed": True, "candidates": (), "max_repeats": 1},
    "classes": {"n_outputs": 3, "n_targets": 3, "max_repeats": 1, "summaries": True},
}


def made_up(
    seed: int = 0, n_groups: int = 4, n_rows: int = 60, **changes: Any
) -> tuple[Architecture, Any, Any, Examples]:
    """An architecture, random networks, features and examples on whole numbers."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, 6, (n_rows, 3)).astype(float)
    features = fit_features(open_table(raw))
    standardised = standardised_matrix(raw, features)
    candidates = candidate_splits(features, standardised)
    form = {"n_outputs": 1, "n_targets": 1, "depth": 2, "candidates": candidates, **changes}
    architecture = Architecture(len(features), low=1.0, high=5.0, width=6, hidden=5, **form)
    parameters = initial_parameters(architecture, rng, np.full(form["n_outputs"], 0.3))
    # thresholds within the data and rules with a preference, as after a training
    parameters["f1.w"] *= 20
    for name in parameters:  # a unit that is exactly 0 has two derivatives
        if name.endswith(".b"):
            parameters[name] += rng.normal(0, 0.1, parameters[name].shape).astype(np.float32)
    group = np.sort(np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n_rows)]))
    group = group[rng.permutation(n_rows + n_groups)][:n_rows]
    outcomes = rng.random((n_rows, architecture.n_outputs))
    targets = rng.normal(size=(n_rows, architecture.n_targets)).astype(np.float32)
    examples = Examples(Rows(raw, standardised), targets, outcomes, group, n_groups)
    return architecture, parameters, features, examples


def as_batch(examples: Examples, fill: int = 0) -> Batch:
    """All examples grow the trees, and all are measured; then rows that only fill up."""
    n = len(examples.group)

    def filled(values: Any, junk: float = 7.0) -> Any:
        extra = np.full((fill, *values.shape[1:]), junk, dtype=values.dtype)
        return jnp.asarray(np.concatenate([values, extra]))

    ones = np.ones(n, dtype=np.float32)
    return Batch(
        x=filled(examples.rows.standardised),
        y=filled(examples.targets),
        outcome=filled(examples.outcomes.astype(np.float32)),
        group=filled(examples.group.astype(np.int32), 0),
        grows=filled(ones, 0.0),
        measures=filled(ones, 0.0),
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_numpy_and_jax_grow_the_same_trees(name: str) -> None:
    """Trees of one feature by hard routing, trees of whole rules by both; with rows to fill up."""
    architecture, parameters, features, examples = made_up(**VARIANTS[name])
    form = LossForm(architecture, examples.n_groups, one_hot=False, scale=1.0)
    in_jax = jax.jit(partial(grow_batch, form=form))
    batch, n = as_batch(examples, fill=5), len(examples.group)
    group, rows = examples.group, examples.rows
    for sparse in (True, False):
        forest = grow(parameters, architecture, features, examples, sparse=sparse)
        grown = in_jax(parameters, batch, single=jnp.float32(sparse))
        np.testing.assert_allclose(grown.hard[:n], forest.predict_hard(group, rows), atol=2e-6)
        if not sparse:
            np.testing.assert_allclose(grown.soft[:n], forest.predict_soft(group, rows), atol=5e-6)


def slow_tree(
    parameters: Any, a: Architecture, features: Any, examples: Examples, group: int
) -> dict[str, Any]:
    """Algorithm 1 as the paper prints it: one group, recursion, lists; no code of growth."""
    mine = np.flatnonzero(examples.group == group)
    x, y = examples.rows.standardised[mine], examples.targets[mine]
    h = embed(parameters, x, y, np)
    moments = split_moments(x, y, a, np)

    def pooled(inside: list[int]) -> Pooled:
        if not inside:
            return Pooled(0 * h[:1], 0 * moments[:1], np.zeros(1))
        both = h[inside].mean(0, keepdims=True), moments[inside].mean(0, keepdims=True)
        return Pooled(*both, np.array([len(inside)]))

    whole = pooled(list(range(len(mine))))

    def node(inside: list[int], depth: int, asked: np.ndarray, bounds: Any) -> dict[str, Any]:
        here = pooled(inside)._replace(bounds=np.array([[*bounds[0], *bounds[1]]], np.float32))
        mean = examples.outcomes[mine][inside].sum(0, keepdims=True) / max(1, len(inside))
        leaf = {"value": leaf_values(parameters, whole, here, mean, a, np)[0], "n": len(inside)}
        if depth == 0:
            return leaf
        rules = decision_rules(parameters, whole, here, asked, a, np)
        feature, slope, centre = (part[0] for part in stumps(rules))
        raw = features[feature].raw_thresholds(np.array([centre]))[0]
        value = examples.rows.raw[mine, feature]
        second = [i for i in inside if (value[i] >= raw) == (slope >= 0)]
        first = [i for i in inside if i not in second]
        if a.dynamic and not (first and second):
            return leaf
        asked = asked + np.eye(a.n_features, dtype=int)[[feature]]
        at, (lower, upper) = min(max(centre, -2), 2), ([*bounds[0]], [*bounds[1]])
        upper[feature], lower[feature] = min(upper[feature], at), max(lower[feature], at)
        sides = [(bounds[0], upper), (lower, bounds[1])][:: 1 if slope >= 0 else -1]
        parts = zip((first, second), sides, strict=True)
        children = [node(part, depth - 1, asked, side) for part, side in parts]
        return {**leaf, "feature": feature, "threshold": raw, "children": children}

    n = a.n_features
    nothing_asked = np.zeros((1, n), dtype=int)
    return node(list(range(len(mine))), a.depth, nothing_asked, ([-2] * n, [2] * n))


def same_tree(slow: dict[str, Any], forest: Forest, tree: int, at: int = 0) -> None:
    assert forest.n_examples[tree, at] == slow["n"]
    assert bool(forest.is_leaf[tree, at]) == ("feature" not in slow)
    if "feature" not in slow:
        np.testing.assert_allclose(forest.values[tree, at], slow["value"], atol=1e-5)
        return
    assert forest.feature[tree, at] == slow["feature"]
    assert forest.threshold[tree, at] == slow["threshold"]
    for side, child in enumerate(slow["children"]):
        same_tree(child, forest, tree, 2 * at + 1 + side)


@given(st.integers(0, 1000), st.sampled_from(["evidence", "paper", "dynamic", "classes"]))
@settings(max_examples=examples(15))
def test_growing_all_at_once_is_algorithm_1_for_each(seed: int, name: str) -> None:
    architecture, parameters, features, examples = made_up(seed, **VARIANTS[name])
    forest = grow(parameters, architecture, features, examples)
    for group in range(examples.n_groups):
        same_tree(slow_tree(parameters, architecture, features, examples, group), forest, group)


@pytest.mark.parametrize("chunk", [1, 17, 45])
def test_growing_in_chunks_gives_the_same_trees(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    architecture, parameters, features, examples = made_up(n_groups=6, **VARIANTS["evidence"])
    whole = grow(parameters, architecture, features, examples)
    monkeypatch.setattr(growth, "CHUNK", chunk)
    parts = list(examples.chunks())
    assert sum(part.n_groups for part in parts) == 6
    assert all(len(part.group) <= chunk or part.n_groups == 1 for part in parts)
    chunked = grow(parameters, architecture, features, examples)
    np.testing.assert_array_equal(chunked.threshold, whole.threshold)
    np.testing.assert_array_equal(chunked.n_examples, whole.n_examples)
    np.testing.assert_allclose(chunked.values, whole.values, atol=1e-6)


@given(st.integers(0, 1000))
@settings(max_examples=examples(15))
def test_the_order_of_examples_makes_no_difference(seed: int) -> None:
    architecture, parameters, features, examples = made_up(seed)
    order = np.random.default_rng(seed).permutation(len(examples.group))
    rows = Rows(examples.rows.raw[order], examples.rows.standardised[order])
    moved = replace(
        examples,
        rows=rows,
        targets=examples.targets[order],
        outcomes=examples.outcomes[order],
        group=examples.group[order],
    )
    one, other = (grow(parameters, architecture, features, some) for some in (examples, moved))
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_array_equal(one.threshold, other.threshold)
    np.testing.assert_allclose(one.values, other.values, atol=1e-5)


@given(st.integers(0, 1000))
@settings(max_examples=examples(15))
def test_no_feature_is_asked_about_more_often_than_allowed(seed: int) -> None:
    architecture, parameters, features, examples = made_up(seed, max_repeats=1, depth=3)
    forest = grow(parameters, architecture, features, examples)
    for leaf in range(7, 15):
        path = []
        at = leaf
        while at:
            at = (at - 1) // 2
            path.append(forest.feature[:, at])
        for tree in np.array(path).T:
            assert len(set(tree)) == len(tree)


def test_rows_that_fill_up_count_for_nothing() -> None:
    architecture, parameters, _, examples = made_up(depth=1)
    form = LossForm(architecture, examples.n_groups, one_hot=False, scale=1.0)
    weights = LossWeights(np.float32(0.1), np.float32(0.5), np.float32(1.0))
    measured = jax.jit(partial(loss, weights=weights, form=form))
    plain = measured(parameters, as_batch(examples))
    filled = measured(parameters, as_batch(examples, fill=9))
    assert float(plain) == pytest.approx(float(filled), rel=1e-6)


def test_gradients_agree_with_finite_differences() -> None:
    """In the soft loss; where an example changes sides, no derivative exists."""
    with jax.enable_x64(True):
        architecture, parameters, _, examples = made_up(seed=3)
        batch = jax.tree_util.tree_map(
            lambda v: v.astype(jnp.float64) if v.dtype == jnp.float32 else v, as_batch(examples)
        )
        exact = {name: jnp.asarray(v, jnp.float64) for name, v in parameters.items()}
        form = LossForm(architecture, examples.n_groups, one_hot=False, scale=1.0)
        weights = LossWeights(jnp.float64(0.1), jnp.float64(0.0), jnp.float64(0.0))
        measured = jax.jit(partial(loss, batch=batch, weights=weights, form=form))
        gradients = jax.jit(jax.grad(measured))(exact)
        rng = np.random.default_rng(0)
        for name, values in exact.items():
            place = tuple(rng.integers(0, size) for size in values.shape)
            step = 1e-6
            up, down = (
                float(measured({**exact, name: values.at[place].add(sign * step)}))
                for sign in (1, -1)
            )
            assert float(gradients[name][place]) == pytest.approx(
                (up - down) / (2 * step), rel=1e-3, abs=1e-7
            ), name


def test_the_sparsity_term_is_equation_6() -> None:
    rng = np.random.default_rng(0)
    w = rng.dirichlet(np.ones(5), 7)
    slow = np.mean([np.abs(np.outer(v, v) - np.diag(np.diag(np.outer(v, v)))).sum() for v in w])
    assert np.mean(w.sum(axis=1) ** 2 - (w**2).sum(axis=1)) == pytest.approx(slow)
    architecture, parameters, features, examples = made_up(depth=1, candidates=())
    form = LossForm(architecture, examples.n_groups, one_hot=False, scale=1.0)
    grown = jax.jit(partial(grow_batch, form=form))(parameters, as_batch(examples))
    forest = grow(parameters, architecture, features, examples, sparse=False)
    assert forest.dense is not None
    rules = forest.dense[:, 0, :-1]
    weights = rules / rules.sum(axis=1, keepdims=True)  # beta leaves the direction of w
    expected = np.mean(1 - (weights**2).sum(axis=1))
    assert float(grown.density) == pytest.approx(expected, rel=1e-4)


def test_a_stump_is_the_largest_weight_and_b_divided_by_it() -> None:
    rules = Rules(
        w=np.array([[0.2, 0.8], [0.7, 0.3]]),
        b=np.array([0.4, -0.7]),
        beta=np.array([2.0, -1.0]),
        own=None,
    )
    feature, slope, centre = stumps(rules)
    assert feature.tolist() == [1, 0]
    np.testing.assert_allclose(slope, [1.6, -0.7])
    np.testing.assert_allclose(centre, [0.5, -1.0])


@given(st.integers(0, 1000))
@settings(max_examples=examples(15))
def test_batches_split_every_group_and_repeat_themselves(seed: int) -> None:
    _, _, _, examples = made_up(seed, n_groups=7)
    plan = Plan(5, 3, 1e-3, 0.0, 0.5, False, False, seed)
    batches = _Batches(examples, plan)
    batch, again = batches.at(4), _Batches(examples, plan).at(4)
    for one, other in zip(batch, again, strict=True):
        np.testing.assert_array_equal(one, other)
    real = batch.grows + batch.measures > 0
    assert ((batch.grows + batch.measures)[real] == 1).all()
    for group in np.unique(batch.group[real]):
        mine = real & (batch.group == group)
        assert 1 <= batch.grows[mine].sum() < mine.sum()
    assert len(batch.grows) == batches.n_rows
    assert not batch.x[~real].any()


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.floats(-3, 3))
def test_raw_and_standardised_thresholds_separate_the_same_values(
    values: list[float], centre: float
) -> None:
    X = np.array(values)[:, None]
    if len(np.unique(X)) < 2:
        return
    [feature] = fit_features(open_table(X))
    raw = feature_matrix(open_table(X), [feature])[:, 0]
    threshold = feature.raw_thresholds(np.array([centre]))[0]
    np.testing.assert_array_equal(raw >= threshold, feature.standardised(raw) >= centre)
