"""The methods by name. A new method is one more entry of `METHODS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from imd_widget.methods.base import Fit, Method, Problem
from imd_widget.methods.calibrated import fit_calibrated, fit_direct
from imd_widget.methods.calibrated_refine import refinable_shared_leaves, refine_shared_leaves
from imd_widget.methods.leaf_pairs import (
    fit_joint,
    fit_separate,
    refinable_leaves,
    refine_leaf_pairs,
)


@dataclass(frozen=True)
class MethodSpec:
    """The functions and options of one method.

    Attributes
    ----------
    fit : callable
        Takes a problem and returns a fit.
    refine : callable
        Takes a problem and a fit and returns the fit after one refinement step; the same object if
        no node can be split.
    refinable : callable
        Takes a problem and a fit and returns the nodes that a refinement step would split.
    splits : {"leaf", "region"}
        What a refinement step splits.
    options : frozenset of str
        Options of `imd_widget.diff` that this method uses and some other method does not.
    min_samples_leaf : int
        Default of ``min_samples_leaf``.
    """

    fit: Callable[[Problem], Fit]
    refine: Callable[[Problem, Fit], Fit]
    refinable: Callable[[Problem, Fit], tuple[int, ...]]
    splits: Literal["leaf", "region"]
    options: frozenset[str] = frozenset()
    min_samples_leaf: int = 1

    @property
    def tunable(self) -> bool:
        """Whether the method has the option ``sensitivity``."""
        return "sensitivity" in self.options


METHODS: Mapping[Method, MethodSpec] = {
    "calibrated": MethodSpec(
        fit_calibrated,
        refine_shared_leaves,
        refinable_shared_leaves,
        splits="region",
        options=frozenset({"max_rules", "sensitivity", "augment", "given"}),
        min_samples_leaf=5,
    ),
    "imd": MethodSpec(
        fit_joint,
        refine_leaf_pairs,
        refinable_leaves,
        splits="leaf",
        options=frozenset({"alpha"}),
    ),
    "separate": MethodSpec(fit_separate, refine_leaf_pairs, refinable_leaves, splits="leaf"),
    "direct": MethodSpec(
        fit_direct, refine_shared_leaves, refinable_shared_leaves, splits="region"
    ),
}


def methods_with(option: str) -> tuple[Method, ...]:
    """Return the methods that use an option."""
    return tuple(name for name, spec in METHODS.items() if option in spec.options)


def spec_of(problem: Problem) -> MethodSpec:
    """Return the spec of the method chosen in the options of a problem."""
    return METHODS[problem.options.method]
