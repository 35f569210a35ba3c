"""The methods by name. A new method is one more entry of `METHODS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from imd_widget.methods.base import Fit, Problem
from imd_widget.methods.calibrated import fit_calibrated, fit_direct
from imd_widget.methods.calibrated_refine import refinable_shared_leaves, refine_shared_leaves
from imd_widget.methods.leaf_pairs import (
    fit_joint,
    fit_separate,
    refinable_leaves,
    refine_leaf_pairs,
)
from imd_widget.methods.values import MethodName


@dataclass(frozen=True)
class MethodSpec:
    """The functions of one method."""

    #: Takes a problem and returns a fit.
    fit: Callable[[Problem], Fit]
    #: Takes a problem and a fit and returns the fit after one refinement step; the same object if
    #: no node can be split.
    refine: Callable[[Problem, Fit], Fit]
    #: Takes a problem and a fit and returns the nodes that a refinement step would split.
    refinable: Callable[[Problem, Fit], tuple[int, ...]]
    #: What a refinement step splits.
    splits: Literal["leaf", "region"]


METHODS: Mapping[MethodName, MethodSpec] = {
    "calibrated": MethodSpec(
        fit_calibrated, refine_shared_leaves, refinable_shared_leaves, splits="region"
    ),
    "imd": MethodSpec(fit_joint, refine_leaf_pairs, refinable_leaves, splits="leaf"),
    "separate": MethodSpec(fit_separate, refine_leaf_pairs, refinable_leaves, splits="leaf"),
    "direct": MethodSpec(
        fit_direct, refine_shared_leaves, refinable_shared_leaves, splits="region"
    ),
}


def spec_of(problem: Problem) -> MethodSpec:
    """Return the functions of the method of a problem."""
    return METHODS[problem.method.name]
