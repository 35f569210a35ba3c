"""How complex a model is, and a learner that may only become so complex."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from imd_widget._base.errors import Given, InputError, Setting
from imd_widget.learners.local_models.parts import last_step

#: Tells how complex a fitted model is.
Measure = Callable[[Any], float]


def depth(model: Any) -> float:
    """Depth of a tree: 0 is a single leaf."""
    return float(last_step(model).get_depth())


def leaves(model: Any) -> float:
    """Number of leaves of a tree."""
    return float(last_step(model).get_n_leaves())


def nodes(model: Any) -> float:
    """Number of nodes of a tree, leaves included."""
    return 2 * leaves(model) - 1


def coefficients(model: Any) -> float:
    """Number of coefficients that are not zero; intercepts are not counted."""
    return float(np.count_nonzero(last_step(model).coef_))


MEASURES: dict[str, Measure] = {
    "depth": depth,
    "leaves": leaves,
    "nodes": nodes,
    "coefficients": coefficients,
}


def measured(model: Any, complexity: str | Measure | None) -> float:
    """The complexity of a fitted model; without a criterion depth or coefficients, else NaN."""
    if callable(complexity):
        return float(complexity(model))
    own = last_step(model)
    if complexity is None:
        complexity = "depth" if hasattr(own, "get_depth") else "coefficients"
        if complexity == "coefficients" and not hasattr(own, "coef_"):
            return math.nan
    try:
        return MEASURES[complexity](model)
    except AttributeError as error:
        raise InputError(
            Given("complexity", complexity),
            f" is not defined for {type(own).__name__}.",
            hint="Pass a function of the fitted model that returns a number.",
        ) from error


#: Parameter that limits a criterion, and how the criterion becomes its value. A tree that asks
#: nothing is not a model to look for, so each criterion has a least value.
_CUTS = {"depth": "max_depth", "leaves": "max_leaf_nodes", "nodes": "max_leaf_nodes"}
_LEAST = {"depth": 1.0, "leaves": 2.0, "nodes": 3.0, "coefficients": 1.0}
#: Parameters that weaken or strengthen a penalty, and the factor that reduces coefficients.
_PENALTIES = {"C": 0.5, "alpha": 2.0}
_PENALTY_STEPS = 40


@dataclass(frozen=True)
class Limit:
    """How complex the global model may be."""

    #: The criterion; None: there is no limit.
    complexity: str | Measure | None
    #: Greatest complexity.
    most: float = math.inf

    @classmethod
    def of(cls, complexity: str | Measure | None, greatest: float, vanilla: float) -> Limit:
        """The limit, where the model that was learned without one has the size ``vanilla``."""
        if complexity is None:
            return cls(None)
        most = float(greatest) if isinstance(greatest, int | np.integer) else greatest * vanilla
        if isinstance(complexity, str):
            most = max(math.floor(most + 1e-9), _LEAST[complexity])
        return cls(complexity, most)

    def allows(self, size: float) -> bool:
        """Whether a model of that size may be chosen."""
        return self.complexity is None or size <= self.most

    def learners(self, learner: Any) -> Iterator[Any]:
        """Learners to try in turn, until one of them makes a model that is small enough.

        A tree has a parameter for its size, so one learner does. A linear model with a penalty is
        penalised twice as much at each step. Any other learner is tried as it is.
        """
        own = last_step(learner).get_params() if self._has_parameters(learner) else {}
        cut = _CUTS.get(self.complexity) if isinstance(self.complexity, str) else None
        penalty = next((name for name in _PENALTIES if name in own), None)
        if cut is not None and cut in own:
            value = int(self.most if self.complexity != "nodes" else (self.most + 1) // 2)
            yield _changed(learner, cut, value if own[cut] is None else min(own[cut], value))
        elif self.complexity == "coefficients" and penalty is not None:
            for step in range(_PENALTY_STEPS):
                yield _changed(learner, penalty, own[penalty] * _PENALTIES[penalty] ** step)
        else:
            yield learner

    @staticmethod
    def _has_parameters(learner: Any) -> bool:
        return hasattr(last_step(learner), "get_params")


def _changed(learner: Any, name: str, value: Any) -> Any:
    copy = clone(learner)
    last_step(copy).set_params(**{name: value})
    return copy


def check_complexity(complexity: Any, greatest: Any) -> None:
    """Raise an `InputError` unless criterion and limit can be used."""
    if not (complexity is None or callable(complexity) or complexity in MEASURES):
        raise InputError(
            Given("complexity", complexity),
            ": one of ",
            ", ".join(map(repr, MEASURES)),
            ", a function of the fitted model, or None is needed.",
        )
    whole = isinstance(greatest, Integral) and not isinstance(greatest, bool)
    share = isinstance(greatest, float | np.floating) and 0 < greatest <= 1
    if not (share or (whole and greatest >= 1)):
        raise InputError(
            Given("max_complexity", greatest),
            ": a share above 0 and up to 1 as a float, or a whole number from 1 up, is needed.",
            hint=f"{Setting('max_complexity', 0.75)} keeps three quarters of what the global "
            "model has when it is learned alone.",
        )
