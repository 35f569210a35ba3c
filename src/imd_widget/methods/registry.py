"""The methods by name, and what is special about each: adding one means one entry here."""

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
    """One way from counts to a tree and to the regions that are rules.

    Attributes
    ----------
    fit : callable
        From a problem to a fit.
    refine : callable
        From a problem and a fit to the fit after one more step, or to the same.
    refinable : callable
        From a problem and a fit to the nodes that a step would split.
    splits : {"leaf", "region"}
        What a refinement step splits.
    options : frozenset of str
        Options of `imd_widget.diff` that have a meaning for this method but not for all.
    min_samples_leaf : int
        Rows that both sides of a split keep, unless the user says otherwise.
    """

    fit: Callable[[Problem], Fit]
    refine: Callable[[Problem, Fit], Fit]
    refinable: Callable[[Problem, Fit], tuple[int, ...]]
    splits: Literal["leaf", "region"]
    options: frozenset[str] = frozenset()
    min_samples_leaf: int = 1

    @property
    def tunable(self) -> bool:
        """Whether the share of the differences that rules cover can be chosen."""
        return "sensitivity" in self.options


METHODS: Mapping[Method, MethodSpec] = {
    "calibrated": MethodSpec(
        fit_calibrated,
        refine_shared_leaves,
        refinable_shared_leaves,
        splits="region",
        options=frozenset({"max_rules", "sensitivity", "augment"}),
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
    """The methods for which an option has a meaning."""
    return tuple(name for name, spec in METHODS.items() if option in spec.options)


def spec_of(problem: Problem) -> MethodSpec:
    """The method that a problem is to be solved with."""
    return METHODS[problem.options.method]
