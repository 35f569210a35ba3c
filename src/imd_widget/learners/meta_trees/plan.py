"""How a training runs, and where it stands: plain values, without JAX."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from imd_widget.learners.meta_trees.networks import Parameters


@dataclass(frozen=True)
class Plan:
    """How to train."""

    #: Steps of the optimiser.
    max_iter: int
    #: Groups in a step.
    batch_size: int
    #: The largest; it rises over the first 30 % of the steps and falls to 0 at the end.
    learning_rate: float
    #: Weight of the sparsity term; it rises from 0 between 20 % and 60 % of the steps.
    sparsity: float
    #: Share of the loss that is measured with hard routing.
    hard_share: float
    #: Whether w is one-hot in the forward pass.
    one_hot: bool
    #: Whether the loss is also measured on the rows that the trees are grown from.
    measure_all: bool
    seed: int
    #: See `MetaTreeRegressor`.
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10

    @classmethod
    def of(cls, options: dict[str, Any]) -> Plan:
        """The plan of an estimator's parameters."""
        shared = {own.name: options[own.name] for own in fields(cls) if own.name != "seed"}
        return cls(**shared, seed=options["random_state"])


@dataclass(frozen=True, eq=False)
class TrainingState:
    """Where a training stands; from it, training goes on as if it had not stopped."""

    parameters: Parameters
    #: The leaves of optax's state; empty before the first step.
    optimiser: tuple[Any, ...] = ()
    #: Steps that were made.
    step: int = 0
    #: The loss of the last step; NaN before the first.
    loss: float = math.nan

    def in_numpy(self) -> TrainingState:
        """The same state with all arrays copied to NumPy."""
        parameters = {name: np.asarray(values) for name, values in self.parameters.items()}
        return replace(
            self, parameters=parameters, optimiser=tuple(map(np.asarray, self.optimiser))
        )
