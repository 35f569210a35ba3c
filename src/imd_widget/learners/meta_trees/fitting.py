"""One training: its state, its progress, when it stops, and how it goes on later."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.bars import progress_bar
from imd_widget._base.errors import Argument, Given, InputError, Setting, warn
from imd_widget.learners.meta_trees.features import TreeFeature
from imd_widget.learners.meta_trees.forest import Rows
from imd_widget.learners.meta_trees.growth import Examples, grow
from imd_widget.learners.meta_trees.networks import (
    Architecture,
    Parameters,
    initial_parameters,
)
from imd_widget.learners.meta_trees.plan import Plan, TrainingState

if TYPE_CHECKING:
    from types import ModuleType

#: Measurements on the rows kept aside, over the whole training.
N_MEASUREMENTS = 45


@dataclass(frozen=True)
class TrainingProgress:
    """How far a training is.

    Attributes
    ----------
    step, max_iter : int
        Steps made, and steps in all.
    loss : float
        The loss of the last step.
    validation : float or None
        The last loss on the rows kept aside; None before the first measurement.
    """

    step: int
    max_iter: int
    loss: float
    validation: float | None


@dataclass
class Fitting:
    """A training that can be stopped after any step and resumed."""

    architecture: Architecture
    plan: Plan
    #: A hash of the examples: a training is resumed with the same ones only.
    fingerprint: str
    state: TrainingState
    #: The loss of each step, and of each measurement on rows kept aside.
    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    #: The parameters of the best measurement; None without measurements.
    best: Parameters | None = None
    examples: Examples | None = field(default=None, repr=False)
    verbose: bool = False

    @classmethod
    def begin(
        cls,
        examples: Examples,
        architecture: Architecture,
        options: dict[str, Any],
        mean: Sequence[float],
        earlier: Fitting | None,
    ) -> Fitting:
        """A new training, or an earlier one of the same examples and options, to be resumed."""
        if not (np.bincount(examples.group) > 1).any():
            raise InputError(
                Argument("groups"),
                ": every group has one row. A tree is grown from some rows of a group and measured "
                "on others, so groups with two or more rows are needed.",
            )
        plan = Plan.of(options)
        fingerprint = _fingerprint(examples)
        if earlier is None:
            rng = np.random.default_rng([plan.seed, 2])
            state = TrainingState(initial_parameters(architecture, rng, mean))
            fitting = cls(architecture, plan, fingerprint, state)
        else:
            _check_same(earlier, architecture, plan, fingerprint)
            fitting = replace(earlier, losses=[*earlier.losses], validation=[*earlier.validation])
        fitting.examples, fitting.verbose = examples, options["verbose"]
        return fitting

    @property
    def parameters(self) -> Parameters:
        """The parameters to grow trees with."""
        return self.state.parameters if self.best is None else self.best

    def run(
        self,
        features: Sequence[TreeFeature],
        on_step: Callable[[TrainingProgress], bool | None] | None,
    ) -> None:
        """Train until the end, an early stop, a word of ``on_step`` or Ctrl-C."""
        examples = self.examples
        if examples is None or self._is_over():
            return
        training = _training()
        kept_aside = _kept_aside(examples, self.plan)
        learned = examples if kept_aside is None else _part(examples, ~kept_aside)
        states = training.train(self.state, learned, self.architecture, self.plan)
        every = max(1, self.plan.max_iter // N_MEASUREMENTS)
        try:
            with _bar(self.plan.max_iter, self.state.step, shown=self.verbose) as advance:
                for state in states:
                    self.state = state
                    self.losses.append(state.loss)
                    if kept_aside is not None and state.step % every == 0:
                        self._measure(features, learned, _part(examples, kept_aside))
                    last = self.validation[-1] if self.validation else None
                    progress = TrainingProgress(state.step, self.plan.max_iter, state.loss, last)
                    advance(progress)
                    if (on_step is not None and on_step(progress)) or self._is_over():
                        break
        except KeyboardInterrupt:
            if not self.state.step:
                raise
            warn(
                f"The training was stopped after {self.state.step} of {self.plan.max_iter} steps. "
                "The trees are those of the networks as they are; the same fit with ",
                Setting("resume", True),
                " goes on.",
            )
        self.losses = self.losses[: self.state.step]
        self.state, self.examples = self.state.in_numpy(), None

    def _is_over(self) -> bool:
        patience = self.plan.n_iter_no_change
        best = int(np.argmin(self.validation)) if self.validation else 0
        stale = self.plan.early_stopping and len(self.validation) - 1 - best >= patience
        return self.state.step >= self.plan.max_iter or stale

    def _measure(self, features: Sequence[TreeFeature], learned: Examples, aside: Examples) -> None:
        """Measure the trees on the rows kept aside, and keep the parameters if they are best."""
        parameters = self.state.in_numpy().parameters
        forest = grow(parameters, self.architecture, features, learned)
        hard = forest.predict_hard(aside.group, aside.rows)
        soft = forest.predict_soft(aside.group, aside.rows)
        share = self.plan.hard_share
        loss = (1 - share) * _loss(soft, aside) + share * _loss(hard, aside)
        if not self.validation or loss < min(self.validation):
            self.best = parameters
        self.validation.append(loss)


def _loss(predicted: NDArray[np.float64], aside: Examples) -> float:
    if predicted.shape[1] == 1:
        return float(((predicted - aside.outcomes) ** 2).mean())
    likely = np.clip((predicted * aside.outcomes).sum(axis=1), 1e-6, 1.0)
    return float(-np.log(likely).mean())


def _training() -> ModuleType:
    """The module that trains, which needs JAX and optax."""
    try:
        from imd_widget.learners.meta_trees import training
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("jax", "jaxlib", "optax"):
            raise
        raise ModuleNotFoundError(
            f"Training meta trees needs JAX and optax, and {error.name} is not installed: "
            "pip install 'imd-widget[meta]'. A trained model that was saved needs neither: load "
            "it with MetaTreeRegressor.load or MetaTreeClassifier.load.",
            name=error.name,
        ) from error
    return training


def _fingerprint(examples: Examples) -> str:
    digest = hashlib.sha256()
    for array in (examples.rows.raw, examples.outcomes, examples.group):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _check_same(earlier: Fitting, architecture: Architecture, plan: Plan, fingerprint: str) -> None:
    same_options = earlier.architecture == architecture and earlier.plan == plan
    if earlier.fingerprint == fingerprint and same_options:
        return
    what = "other parameters" if earlier.fingerprint == fingerprint else "other data"
    raise InputError(
        Given("resume", True),
        f" with {what} than those of the training that was stopped. Give the same rows in the "
        "same order and the same parameters, or train anew without it.",
    )


def _kept_aside(examples: Examples, plan: Plan) -> NDArray[np.bool_] | None:
    """A mask of the rows for early stopping; None without it. Every group keeps a row."""
    if not plan.early_stopping:
        return None
    rng = np.random.default_rng([plan.seed, 3])
    aside = rng.random(len(examples.group)) < plan.validation_fraction
    first = np.unique(examples.group, return_index=True)[1]
    aside[first] = False
    if not aside.any():
        raise InputError(
            Given("early_stopping", True),
            " keeps no row aside of so few. Raise validation_fraction, or leave it out.",
        )
    return aside


def _part(examples: Examples, mask: NDArray[np.bool_]) -> Examples:
    rows = Rows(examples.rows.raw[mask], examples.rows.standardised[mask])
    return replace(
        examples,
        rows=rows,
        targets=examples.targets[mask],
        outcomes=examples.outcomes[mask],
        group=examples.group[mask],
    )


@contextmanager
def _bar(total: int, done: int, *, shown: bool) -> Iterator[Callable[[TrainingProgress], None]]:
    """A progress bar, and how to advance it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns in a notebook without ipywidgets
        bar = progress_bar(
            total=total, initial=done, desc="meta trees", unit="step", disable=not shown
        )

    def advance(progress: TrainingProgress) -> None:
        bar.update(1)
        if progress.step % 10 == 0:
            bar.set_postfix(loss=f"{progress.loss:.4f}", refresh=False)

    with bar:
        yield advance
