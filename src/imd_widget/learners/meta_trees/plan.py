"""How a training runs, and where it stands: plain values, without JAX."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from imd_widget.learners.meta_trees.networks import Parameters


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes
    ----------
    max_iter : int
        Steps of the optimiser.
    batch_size : int
        Groups in a step.
    learning_rate : float
        The largest; it rises over the first 30 % of the steps and falls to 0 at the end.
    sparsity : float
        Weight of the sparsity term; it rises from 0 between 20 % and 60 % of the steps.
    hard_share : float
        Share of the loss that is measured with hard routing.
    one_hot : bool
        Whether w is one-hot in the forward pass.
    measure_all : bool
        Whether the loss is also measured on the rows that the trees are grown from.
    seed : int
    early_stopping, validation_fraction, n_iter_no_change
        See `MetaTreeRegressor`.
    """

    max_iter: int
    batch_size: int
    learning_rate: float
    sparsity: float
    hard_share: float
    one_hot: bool
    measure_all: bool
    seed: int
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
    """Where a training stands; from it, training goes on as if it had not stopped.

    Attributes
    ----------
    parameters : dict of array
    optimiser : tuple of array
        The leaves of optax's state; empty before the first step.
    step : int
        Steps that were made.
    loss : float
        The loss of the last step; NaN before the first.
    """

    parameters: Parameters
    optimiser: tuple[Any, ...] = ()
    step: int = 0
    loss: float = math.nan

    def in_numpy(self) -> TrainingState:
        """The same state with all arrays copied to NumPy."""
        parameters = {name: np.asarray(values) for name, values in self.parameters.items()}
        return replace(
            self, parameters=parameters, optimiser=tuple(map(np.asarray, self.optimiser))
        )
