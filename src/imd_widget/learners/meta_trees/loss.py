"""The training loss in JAX: trees grown from some rows of each group, measured on the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.ops import segment_sum

from imd_widget.learners.meta_trees.networks import (
    SMALLEST_WEIGHT,
    Architecture,
    Array,
    Pooled,
    Rules,
    child_bounds,
    decision_rules,
    embed,
    first_bounds,
    leaf_values,
    sigmoid,
    split_moments,
)


class Batch(NamedTuple):
    """Rows of several groups one after the other, filled up with rows that count for nothing."""

    x: Array
    y: Array
    outcome: Array
    group: Array
    #: 1 for a row that trees are grown from, and for one that the loss is measured on; both are 0
    #: for rows that only fill up.
    grows: Array
    measures: Array


class LossWeights(NamedTuple):
    """How much each part of the loss counts at a step of the training."""

    #: Weight of the sparsity term.
    sparsity: Array
    #: Share of the loss that is measured with hard routing.
    hard: Array
    #: From 0, where hard routing follows whole rules, to 1, where it asks about one feature, as the
    #: exported trees do. From the start, 1 can keep every group at one feature for ever.
    single: Array


@dataclass(frozen=True)
class LossForm:
    """What is fixed while a training runs, so that JAX compiles once."""

    architecture: Architecture
    #: Groups in a batch.
    n_groups: int
    #: Whether w is one-hot in the forward pass, with the gradient of the softmax.
    one_hot: bool
    #: Squared errors are divided by it.
    scale: float


class Grown(NamedTuple):
    """Predictions for every row of a batch, and how far the rules are from one feature."""

    soft: Array
    hard: Array
    density: Array


def loss(parameters: Any, batch: Batch, weights: LossWeights, form: LossForm) -> Array:
    """The mean loss of the rows that are measured, and the sparsity term."""
    grown = grow_batch(parameters, batch, form, weights.single)
    errors = (1 - weights.hard) * _errors(grown.soft, batch, form) + weights.hard * _errors(
        grown.hard, batch, form
    )
    n_measured = jnp.maximum(batch.measures.sum(), 1)
    return (errors * batch.measures).sum() / n_measured + weights.sparsity * grown.density


def _errors(predicted: Array, batch: Batch, form: LossForm) -> Array:
    if form.architecture.n_outputs == 1:
        return ((predicted - batch.outcome) ** 2).sum(axis=1) / form.scale
    return -jnp.log(jnp.clip((predicted * batch.outcome).sum(axis=1), 1e-6, 1.0))


def grow_batch(parameters: Any, batch: Batch, form: LossForm, single: Array = 1.0) -> Grown:
    """Grow the trees of a batch, and route every row of it through the tree of its group."""
    a, n_groups = form.architecture, form.n_groups
    n_rows = batch.x.shape[0]
    embedded = embed(parameters, batch.x, batch.y, jnp)
    moments = split_moments(batch.x, batch.y, a, jnp)
    of_group = _pooled(embedded, moments, batch.grows, batch.group, n_groups)
    overall = _means(batch.outcome, batch.grows, batch.group, n_groups)
    node = jnp.zeros(n_rows, dtype=jnp.int32)
    alive = batch.grows
    reach_soft = reach_hard = jnp.ones((n_rows, 1))
    soft = hard = jnp.zeros((n_rows, a.n_outputs))
    asked = jnp.zeros((n_groups, a.n_features))
    bounds = first_bounds(n_groups, a.n_features, jnp)
    used, density = jnp.zeros(()), jnp.zeros(())
    group_exists = segment_sum(batch.grows, batch.group, n_groups) > 0
    for level in range(a.depth + 1):
        width = 2**level
        key = batch.group * width + node
        nodes = _pooled(embedded, moments, alive, key, n_groups * width)._replace(bounds=bounds)
        whole = Pooled(*(jnp.repeat(part, width, axis=0) for part in of_group[:3]))
        means = _means(batch.outcome, alive, key, n_groups * width)
        if a.leaves == "network":
            values = leaf_values(parameters, whole, nodes, means, a, jnp)
        else:
            empty = (nodes.counts == 0)[:, None]
            values = jnp.where(empty, jnp.repeat(overall, width, axis=0), means)
        values = values.reshape(n_groups, width, -1)[batch.group]
        if level == a.depth:
            soft += (reach_soft[:, :, None] * values).sum(axis=1)
            hard += (reach_hard[:, :, None] * values).sum(axis=1)
            break
        rules = decision_rules(parameters, whole, nodes, asked, a, jnp)
        feature = jnp.abs(rules.w).argmax(axis=1)
        chosen = jax.nn.one_hot(feature, a.n_features)
        asked = jnp.repeat(asked + chosen, 2, axis=0)
        bounds = child_bounds(bounds, chosen, *_stump(rules, chosen), jnp)
        soft_score, hard_score = _both_scores(batch, rules, chosen, form, single)
        goes = (hard_score >= 0).astype(jnp.float32)
        mine = jnp.take_along_axis(goes, node[:, None], axis=1)[:, 0]
        exists = jnp.repeat(group_exists, width).astype(jnp.float32)
        if a.dynamic:
            right = segment_sum(alive * mine, key, n_groups * width)
            splits = ((right > 0) & (right < nodes.counts)).astype(jnp.float32)
            inner = splits.reshape(n_groups, width)[batch.group]
            soft += ((reach_soft * (1 - inner))[:, :, None] * values).sum(axis=1)
            hard += ((reach_hard * (1 - inner))[:, :, None] * values).sum(axis=1)
            reach_soft, reach_hard = reach_soft * inner, reach_hard * inner
            alive = alive * jnp.take_along_axis(inner, node[:, None], axis=1)[:, 0]
        # Equation 6: the sum of the products of different weights
        products = jnp.abs(rules.w).sum(axis=1) ** 2 - (rules.w**2).sum(axis=1)
        density += (products * exists).sum()
        used += exists.sum()
        reach_soft = _children(reach_soft, sigmoid(soft_score, jnp))
        second = sigmoid(hard_score, jnp)
        reach_hard = _children(reach_hard, second + jax.lax.stop_gradient(goes - second))
        node = 2 * node + mine.astype(jnp.int32)
    return Grown(soft, hard, density / jnp.maximum(used, 1))


def _pooled(embedded: Array, moments: Array, present: Array, key: Array, size: int) -> Pooled:
    counts = segment_sum(present, key, size)
    both = jnp.concatenate([embedded, moments], axis=1) * present[:, None]
    means = segment_sum(both, key, size) / jnp.maximum(counts, 1)[:, None]
    return Pooled(means[:, : embedded.shape[1]], means[:, embedded.shape[1] :], counts)


def _means(values: Array, present: Array, key: Array, size: int) -> Array:
    counts = segment_sum(present, key, size)
    return segment_sum(values * present[:, None], key, size) / jnp.maximum(counts, 1)[:, None]


def _stump(rules: Rules, chosen: Array) -> tuple[Array, Array]:
    """The threshold and the slope of each rule if it is reduced to one feature."""
    weight = (rules.w * chosen).sum(axis=1)
    weight = jnp.where(jnp.abs(weight) < SMALLEST_WEIGHT, SMALLEST_WEIGHT, weight)
    b = rules.b if rules.own is None else (rules.own * chosen).sum(axis=1)
    return jax.lax.stop_gradient((b / weight, rules.beta * weight))


def _both_scores(
    batch: Batch, rules: Rules, chosen: Array, form: LossForm, single: Array
) -> tuple[Array, Array]:
    """The scores of soft routing, by whole rules, and of hard routing, by one feature."""
    w = rules.w + jax.lax.stop_gradient(chosen - rules.w) if form.one_hot else rules.w
    one_b = rules.b if rules.own is None else (rules.own * chosen).sum(axis=1)
    hard_w = w * (single * chosen + 1 - single)
    hard_b = single * one_b + (1 - single) * rules.b
    soft = _scores(batch, w, rules.b, rules.beta, form.n_groups)
    return soft, _scores(batch, hard_w, hard_b, rules.beta, form.n_groups)


def _scores(batch: Batch, w: Array, b: Array, beta: Array, n_groups: int) -> Array:
    """The score beta * (w @ x - b) for every row and every node of a level of its tree."""
    own = (beta[:, None] * w).reshape(n_groups, -1, w.shape[1])[batch.group]
    offset = (beta * b).reshape(n_groups, -1)[batch.group]
    return jnp.einsum("nd,nkd->nk", batch.x, own) - offset


def _children(reach: Array, second: Array) -> Array:
    both = jnp.stack([reach * (1 - second), reach * second], axis=2)
    return both.reshape(reach.shape[0], -1)
