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

from imd_widget._base.errors import InputError, Setting
from imd_widget.learners.local_models.complexity import Limit, Measure, measured
from imd_widget.learners.local_models.kmedoids import kmedoids
from imd_widget.learners.local_models.mixture import (
    Adjusted,
    Floats,
    adjusted,
    batches,
    log_responsibilities,
)
from imd_widget.learners.local_models.parts import (
    ConstantClassifier,
    Part,
    fit_part,
    seeded,
)
from imd_widget.learners.local_models.states import Measured, State, log_densities

#: Responsibilities that differ by less than this between all rows tell no row from another.
_EQUAL = 0.01
_MOST_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Task:
    """What is learned from, and with what.

    Attributes
    ----------
    X : table or ndarray
        Rows as the learners get them.
    Z : ndarray of shape (n_samples, n_columns)
        The same rows as numbers, for the densities.
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n_samples,)
        Position of each row's class in ``classes``.
    global_model, local_model, density : estimator
        Not fitted.
    n_local, tau, adjust, n_iter, complexity, max_complexity
        See `LocalModelsClassifier`.
    """

    X: Any
    Z: Floats
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    global_model: Any
    local_model: Any
    density: Any
    n_local: int
    tau: float
    adjust: str
    n_iter: int
    complexity: str | Measure | None
    max_complexity: float

    def fit(self, learner: Any, rows: NDArray[np.intp], seed: int) -> Part:
        """A copy of the learner, fitted to some of the rows."""
        return fit_part(learner, _safe_indexing(self.X, rows), self.y[rows], self.classes, seed)


@dataclass(frozen=True)
class Learned:
    """All states with their figures, the one before the first iteration included.

    Attributes
    ----------
    history : list of Measured
    limit : Limit
        What the global model had to keep.
    """

    history: list[Measured]
    limit: Limit

    def chosen(self, select: str) -> Measured:
        """The state that ``select`` names; the one before the first iteration never is.

        Parameters
        ----------
        select : {"train_error", "complexity", "last"}
        """
        first, *after = self.history
        allowed = [one for one in after if self.limit.allows(one.state.size)]
        if not allowed:
            raise InputError(
                Setting("max_complexity"),
                f": no iteration made a global model of complexity {self.limit.most:g} or less; "
                f"the least was {min(one.state.size for one in after):g}.",
                hint="Raise it, or pass a global model that can be made smaller: a tree, or a "
                "linear model with an L1 penalty.",
            )
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
    found = [Measured.of(state, task.X, task.Z, task.codes)]
    for _ in range(task.n_iter):
        state = iterate(task, state, limit, np.random.RandomState(_seed(rng)))
        found.append(Measured.of(state, task.X, task.Z, task.codes))
        if len(state.parts) == 1:
            break
    return Learned(found, limit)


def beginning(task: Task, seed: int) -> State:
    """All parts learned from all rows, independently of each other."""
    everything = np.arange(len(task.y))
    parts = (
        task.fit(task.global_model, everything, seed),
        task.fit(task.local_model, everything, seed),
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
    seed = _seed(rng)
    model, size = _fit_global(task, limit, rows[0], seed)
    local = tuple(task.fit(task.local_model, batch, seed) for batch in rows[1:])
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
        responsibility = np.exp(log_responsibilities(state.log_prior, likelihood))
        if np.ptp(responsibility[:, 0]) < _EQUAL:
            # Two learners that agree about every row tell none from another. A local model that
            # knows nothing yet gives each class the same probability.
            likelihood[:, 1] = -np.log(len(task.classes))
    else:
        likelihood = likelihood + log_densities(state.densities, task.Z)
    found = adjusted(state.log_prior, likelihood, tau=task.tau, rule=task.adjust)
    owner = batches(found.log_responsibility, task.tau)
    if state.iteration == 0 and task.n_local > 1:
        return _spread(task, owner, found, rng)
    return owner, found.log_prior


def _spread(
    task: Task, owner: NDArray[np.intp], found: Adjusted, rng: np.random.RandomState
) -> tuple[NDArray[np.intp], Floats]:
    """The first batch of the local model by place: one for each local model.

    Copies of one learner that saw the same rows are equal, so that only the place of the rows can
    tell the local models apart at the start.
    """
    local = np.flatnonzero(owner)
    log_prior = np.concatenate(
        [found.log_prior[:1], np.repeat(found.log_prior[1] - np.log(task.n_local), task.n_local)]
    )
    if len(local):
        owner[local] = 1 + kmedoids(task.Z[local], task.n_local, rng).labels
    return owner, log_prior


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
) -> tuple[Part, float]:
    """The global model, as small as the limit says where its learner can be told."""
    for learner in limit.learners(task.global_model):
        part = task.fit(learner, rows, seed)
        constant = isinstance(part.model, ConstantClassifier)
        size = 0.0 if constant else measured(part.model, limit.complexity)
        if limit.allows(size):
            break
    return part, size


def _seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(_MOST_SEED))

