"""The iterations: find where a part is responsible, then learn it from exactly those rows.

Each iteration allocates rows twice. The first allocation knows the class of a row, ``P(z | x, y)``,
and the densities are learned from it: where does each part predict better than the others? The
second knows the row alone, ``P(z | x)``, and the classifiers are learned from it: they see every
row that they will be asked about. Rows that are only mislabelled lie everywhere, so the second
allocation gives them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from imd_widget._base.errors import Argument, InputError
from imd_widget.learners.local_models.complexity import Limit, Measure, measured
from imd_widget.learners.local_models.kmedoids import kmedoids
from imd_widget.learners.local_models.mixture import (
    Adjusted,
    Floats,
    adjusted,
    batches,
    least_global_rows,
    log_responsibilities,
)
from imd_widget.learners.local_models.parts import (
    Component,
    ConstantClassifier,
    fit_part,
    seeded,
)
from imd_widget.learners.local_models.states import MeasuredState, State, log_densities

#: Responsibilities that differ by less than this between all rows make no distinction.
_EQUAL = 0.01
#: How much likelier the local model must make the class of a row to begin with it.
_CLEARLY = 2.0
_MOST_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Task:
    """What is learned from, and with what."""

    #: Rows as the learners get them.
    X: Any
    #: The same rows as numbers, for the densities.
    Z: Floats
    y: NDArray[Any]
    classes: NDArray[Any]
    #: Position of each row's class in ``classes``.
    codes: NDArray[np.intp]
    #: Not fitted.
    global_model: Any
    local_model: Any
    density: Any
    #: See `LocalModelsClassifier`.
    n_local: int
    tau: float
    adjust: str
    n_iter: int
    complexity: str | Measure | None
    max_complexity: float
    scaling: str = "cross_entropy"
    overlap: float | None = None
    global_sample: float | None = None

    def fit(self, learner: Any, rows: NDArray[np.intp], *, part: int, seed: int) -> Component:
        """A copy of the learner, fitted to some of the rows; an error names it."""
        try:
            batch = _safe_indexing(self.X, rows)
            return fit_part(learner, batch, self.y[rows], self.classes, seed, self.scaling)
        except Exception as error:
            name = "global_model" if part == 0 else "local_model"
            error.add_note(f"raised by {name} while it was fitted to {len(rows)} rows")
            raise

    def sampled(self, rows: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
        """The rows of the batch of the global model that it is learned from."""
        if self.global_sample is None:
            return rows
        is_share = isinstance(self.global_sample, float)
        size = round(self.global_sample * len(rows)) if is_share else int(self.global_sample)
        size = max(1, min(size, len(rows)))
        return np.sort(np.random.default_rng(seed).permutation(rows)[:size])


@dataclass(frozen=True)
class Learned:
    """All states with their figures, the one before the first iteration included."""

    history: list[MeasuredState]
    #: What the global model had to keep.
    limit: Limit

    def chosen(self, select: str) -> MeasuredState:
        """The state that ``select`` names, among those that have a local model, if any has.

        The state before the first iteration is never chosen, nor is one that has come back to it by
        losing its local models while another has not.

        Parameters
        ----------
        select : {"train_error", "complexity", "last"}
        """
        first, *after = self.history
        allowed = [one for one in after if self.limit.allows(one.state.size)]
        if not allowed:
            raise InputError(
                Argument("max_complexity"),
                f": no iteration made a global model of complexity {self.limit.most:g} or less; "
                f"the least was {min(one.state.size for one in after):g}.",
                hint="Raise it, or pass a global model that can be made smaller: a tree, or a "
                "linear model with an L1 penalty.",
            )
        allowed = [one for one in allowed if len(one.state.parts) > 1] or allowed
        if select == "last":
            return allowed[-1]
        if select == "complexity":
            good = [one for one in allowed if one.error <= first.global_error]
            return min(good or allowed, key=lambda one: (one.state.size, one.error))
        return min(allowed, key=lambda one: (one.error, one.state.size))


def learn(task: Task, rng: np.random.RandomState) -> Learned:
    """Iterate.

    Fewer iterations give a prefix of what more of them give. They end early when no row is left for
    a local model: what follows would only repeat it.

    Parameters
    ----------
    task : Task
    rng : RandomState

    Returns
    -------
    Learned
    """
    state = beginning(task, _seed(rng))
    limit = Limit.of(task.complexity, task.max_complexity, state.size)
    found = [MeasuredState.of(state, task.X, task.Z, task.codes)]
    for _ in range(task.n_iter):
        state = iterate(task, state, limit, np.random.RandomState(_seed(rng)))
        found.append(MeasuredState.of(state, task.X, task.Z, task.codes))
        if len(state.parts) == 1:
            break
    return Learned(found, limit)


def beginning(task: Task, seed: int) -> State:
    """All parts learned from all rows, independently of each other."""
    everything = np.arange(len(task.y))
    parts = (
        task.fit(task.global_model, task.sampled(everything, seed), part=0, seed=seed),
        task.fit(task.local_model, everything, part=1, seed=seed),
    )
    return State(
        iteration=0,
        parts=parts,
        densities=(),
        log_prior=np.log([1 - task.tau, task.tau]),
        n_rows=(len(task.y),) * 2,
        size=measured(parts[0].model, task.complexity),
    )


def iterate(task: Task, state: State, limit: Limit, rng: np.random.RandomState) -> State:
    """The state after another iteration."""
    owner, log_prior = allocate_with_classes(task, state, rng)
    densities, log_prior = _learned_densities(task, owner, log_prior, _seed(rng))
    densities, found = allocate_by_place(task, densities, log_prior)
    if found is None:
        owner, log_prior = np.zeros(len(task.y), dtype=np.intp), np.zeros(1)
    else:
        owner, log_prior = batches(found.log_responsibility, task.tau), found.log_prior
    rows = [np.flatnonzero(owner == part) for part in range(len(densities))]
    if found is not None and task.overlap is not None:
        also = np.exp(found.log_responsibility) >= task.overlap
        rows = [
            np.union1d(own, np.flatnonzero(more)) for own, more in zip(rows, also.T, strict=True)
        ]
    seed = _seed(rng)
    rows[0] = task.sampled(rows[0], seed)
    model, size = _fit_global(task, limit, rows[0], seed)
    local = tuple(
        task.fit(task.local_model, batch, part=part, seed=seed)
        for part, batch in enumerate(rows)
        if part > 0
    )
    return State(
        iteration=state.iteration + 1,
        parts=(model, *local),
        densities=densities,
        log_prior=log_prior,
        n_rows=tuple(map(len, rows)),
        size=size,
    )


def allocate_with_classes(
    task: Task, state: State, rng: np.random.RandomState
) -> tuple[NDArray[np.intp], Floats]:
    """Batches by ``P(z | x, y)``, and the priors."""
    likelihood = np.column_stack([part.log_likelihood(task.X, task.codes) for part in state.parts])
    if state.iteration == 0:
        owner = first_batches(task, state.log_prior, likelihood, rng)
        counts = np.bincount(owner, minlength=1 + task.n_local)
        # a part without rows is dropped before its prior is used
        return owner, np.log(np.maximum(counts, 1) / len(owner))
    likelihood = likelihood + log_densities(state.densities, task.Z)
    found = adjusted(state.log_prior, likelihood, tau=task.tau, rule=task.adjust)
    return batches(found.log_responsibility, task.tau), found.log_prior


def first_batches(
    task: Task, log_prior: Floats, likelihood: Floats, rng: np.random.RandomState
) -> NDArray[np.intp]:
    """Batches while no density separates the parts yet.

    A row is given to the local models if they make its class at least twice as likely as the global
    model does or, if there is no such row, likelier at all; ``floor(tau * n)`` rows at most, the
    clearest first. Copies of one learner that saw the same rows are equal, so that several local
    models get the rows of one cluster each.

    Parameters
    ----------
    task : Task
    log_prior : ndarray of shape (2,)
    likelihood : ndarray of shape (n_samples, 2)
        Logarithm of ``P(y | x, z)``.
    rng : RandomState

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    local = likelihood[:, 1]
    if np.ptp(np.exp(log_responsibilities(log_prior, likelihood))[:, 0]) < _EQUAL:
        # Two learners that agree about every row separate none. A local model that knows
        # nothing yet gives each class the same probability.
        local = np.full(len(likelihood), -np.log(len(task.classes)))
    ahead = local - likelihood[:, 0]
    room = len(ahead) - least_global_rows(len(ahead), task.tau)
    clearest = np.argsort(-ahead, kind="stable")[:room]
    clear = ahead[clearest] >= np.log(_CLEARLY)
    rows = clearest[clear if clear.any() else ahead[clearest] > 0]
    owner = np.zeros(len(ahead), dtype=np.intp)
    owner[rows] = 1
    if task.n_local > 1 and len(rows):
        owner[rows] = 1 + kmedoids(task.Z[rows], task.n_local, rng).labels
    return owner


def _learned_densities(
    task: Task, owner: NDArray[np.intp], log_prior: Floats, seed: int
) -> tuple[tuple[Any, ...], Floats]:
    """A density for each part that has rows; a local part without any is dropped.

    Kept with its old density, such a part would go on voting everywhere.
    """
    alive = [part for part in range(len(log_prior)) if part == 0 or (owner == part).any()]
    densities = []
    for part in alive:
        density = seeded(task.density, seed)
        density.fit(task.Z[owner == part])
        densities.append(density)
    return tuple(densities), log_prior[alive]


def allocate_by_place(
    task: Task, densities: tuple[Any, ...], log_prior: Floats
) -> tuple[tuple[Any, ...], Adjusted | None]:
    """Responsibilities ``P(z | x)`` of the parts that get rows by them; None: of no local part."""
    while len(densities) > 1:
        likelihood = log_densities(densities, task.Z)
        found = adjusted(log_prior, likelihood, tau=task.tau, rule=task.adjust)
        owner = batches(found.log_responsibility, task.tau)
        alive = [part for part in range(len(densities)) if part == 0 or (owner == part).any()]
        if len(alive) == len(densities):
            return densities, found
        densities, log_prior = tuple(densities[part] for part in alive), log_prior[alive]
    return densities, None


def _fit_global(
    task: Task, limit: Limit, rows: NDArray[np.intp], seed: int
) -> tuple[Component, float]:
    """The global model, as small as the limit if its learner has a parameter for it."""
    for learner in limit.learners(task.global_model):
        part = task.fit(learner, rows, part=0, seed=seed)
        constant = isinstance(part.model, ConstantClassifier)
        size = 0.0 if constant else measured(part.model, limit.complexity)
        if limit.allows(size):
            break
    return part, size


def _seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(_MOST_SEED))
