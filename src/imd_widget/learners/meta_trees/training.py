"""Training of the networks with JAX and optax: batches of groups, each split anew at every step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from numpy.typing import NDArray

from imd_widget.learners.meta_trees.growth import Examples
from imd_widget.learners.meta_trees.loss import Batch, LossForm, LossWeights, loss
from imd_widget.learners.meta_trees.networks import Architecture
from imd_widget.learners.meta_trees.plan import Plan, TrainingState

#: Batches are filled up to a multiple of this number of rows.
ROW_UNIT = 256


def train(
    state: TrainingState, examples: Examples, architecture: Architecture, plan: Plan
) -> Iterator[TrainingState]:
    """Train from ``state`` on; yields the state after every step."""
    batches = _Batches(examples, plan)
    scale = float(examples.outcomes.var(axis=0).sum()) or 1.0
    form = LossForm(architecture, batches.size, plan.one_hot, scale)
    schedule = Schedule(plan.max_iter, plan.learning_rate)
    parameters: Any = {name: jax.numpy.asarray(v) for name, v in state.parameters.items()}
    moments = _optimiser(schedule).init(parameters)
    structure = jax.tree_util.tree_structure(moments)
    if state.optimiser:
        moments = jax.tree_util.tree_unflatten(structure, map(jax.numpy.asarray, state.optimiser))
    for step in range(state.step, plan.max_iter):
        value, gradients = _gradient(parameters, batches.at(step), _weights(plan, step), form)
        parameters, moments = _update(gradients, moments, parameters, schedule)
        leaves = tuple(jax.tree_util.tree_leaves(moments))
        yield TrainingState(parameters, leaves, step + 1, float(value))


class Schedule(NamedTuple):
    """What the optimiser's rate depends on."""

    max_iter: int
    learning_rate: float


# Separate functions: compiled together they take longer to compile and are not faster. Outside of
# `train`, so that a second training of the same form finds them compiled.
@partial(jax.jit, static_argnames="form")
def _gradient(
    parameters: Any, batch: Batch, weights: LossWeights, form: LossForm
) -> tuple[Any, Any]:
    return jax.value_and_grad(loss)(parameters, batch, weights, form)


@partial(jax.jit, static_argnames="schedule")
def _update(gradients: Any, state: Any, parameters: Any, schedule: Schedule) -> tuple[Any, Any]:
    updates, state = _optimiser(schedule).update(gradients, state, parameters)
    return optax.apply_updates(parameters, updates), state


def _optimiser(schedule: Schedule) -> Any:
    rate = optax.cosine_onecycle_schedule(
        max(schedule.max_iter, 2), schedule.learning_rate, pct_start=0.3, final_div_factor=1e4
    )
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))


def _weights(plan: Plan, step: int) -> LossWeights:
    ramp = np.clip((step / plan.max_iter - 0.2) / 0.4, 0, 1)
    return LossWeights(
        np.float32(plan.sparsity * ramp), np.float32(plan.hard_share), np.float32(ramp)
    )


class _Batches:
    """The batch of every step; the same seed and step give the same batch.

    All batches are filled up to one number of rows, so that JAX compiles once. A batch has fewer
    groups than ``plan.batch_size`` where these would have more rows.
    """

    def __init__(self, examples: Examples, plan: Plan) -> None:
        self.examples, self.plan = examples, plan
        order = np.argsort(examples.group, kind="stable")
        ends = np.bincount(examples.group, minlength=examples.n_groups).cumsum()
        self.rows = np.split(order, ends[:-1])
        # a group with one row has none left to measure on
        self.groups = np.flatnonzero(np.diff(ends, prepend=0) > 1)
        self.size = min(plan.batch_size, len(self.groups))
        lengths = np.array([len(self.rows[group]) for group in self.groups])
        most = np.sort(lengths)[-self.size :].sum()
        usual = max(1.2 * lengths.mean() * self.size, lengths.max())
        self.n_rows = int(-(-min(usual, most) // ROW_UNIT) * ROW_UNIT)
        self._coming = self._choices()
        self._chosen: list[NDArray[np.intp]] = []

    def at(self, step: int) -> Batch:
        """The batch of a step."""
        while len(self._chosen) <= step:
            self._chosen.append(next(self._coming))
        rng = np.random.default_rng([self.plan.seed, 1, step])
        rows = [self.rows[group] for group in self._chosen[step]]
        lengths = np.array([len(some) for some in rows])
        picked = np.concatenate(rows)
        group = np.repeat(np.arange(len(rows)), lengths)
        grows = _split(rng, group, lengths)
        measures = np.ones_like(grows) if self.plan.measure_all else 1 - grows
        examples, total = self.examples, self.n_rows
        return Batch(
            x=_filled(examples.rows.standardised[picked], total),
            y=_filled(examples.targets[picked], total),
            outcome=_filled(examples.outcomes[picked].astype(np.float32), total),
            group=_filled(group.astype(np.int32), total),
            grows=_filled(grows, total),
            measures=_filled(measures, total),
        )

    def _choices(self) -> Iterator[NDArray[np.intp]]:
        """The groups of each step: all groups in a random order, again and again."""
        chosen: list[int] = []
        n_rows = 0
        for at_pass in count():
            rng = np.random.default_rng([self.plan.seed, 0, at_pass])
            for group in rng.permutation(self.groups):
                if len(chosen) == self.size or n_rows + len(self.rows[group]) > self.n_rows:
                    yield np.array(chosen)
                    chosen, n_rows = [], 0
                chosen.append(group)
                n_rows += len(self.rows[group])


def _split(
    rng: np.random.Generator, group: NDArray[Any], lengths: NDArray[Any]
) -> NDArray[np.float32]:
    """1 for the rows of each group that its tree is grown from: at least one, never all."""
    share = rng.uniform(0.3, 0.9, len(lengths))
    take = np.clip(np.rint(share * lengths), 1, lengths - 1)
    shuffled = np.lexsort((rng.random(len(group)), group))
    starts = np.cumsum(lengths) - lengths
    rank = np.empty(len(group))
    rank[shuffled] = np.arange(len(group)) - starts[group]
    return np.asarray(rank < take[group], dtype=np.float32)


def _filled(values: NDArray[Any], total: int) -> NDArray[Any]:
    """Values followed by zeros, up to ``total`` rows."""
    return np.concatenate(
        [values, np.zeros((total - len(values), *values.shape[1:]), values.dtype)]
    )
