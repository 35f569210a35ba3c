"""How each method gets from counts to a tree and to the regions claimed to differ.

"imd" and "separate" read the regions off pairs of leaves, as the paper does. "calibrated" and
"direct" grow the shared part alone, claim its tips by their rate of difference, and let the two
surrogates go on below them.
"""

from __future__ import annotations

from imd_widget.methods.base import Fit, Method, MethodOptions, Problem, Teacher
from imd_widget.methods.calibrated import fit_calibrated, fit_direct
from imd_widget.methods.calibrated_refine import refinable_tips, refine_tips
from imd_widget.methods.leaf_pairs import fit_leaf_pairs, refinable_leaves, refine_leaf_pairs

__all__ = ["Fit", "Method", "MethodOptions", "Problem", "Teacher", "fit", "refinable", "refine"]

_FIT = {
    "calibrated": fit_calibrated,
    "direct": fit_direct,
    "imd": fit_leaf_pairs,
    "separate": fit_leaf_pairs,
}


def fit(problem: Problem) -> Fit:
    """The tree and its claimed regions."""
    return _FIT[problem.options.method](problem)


def refine(problem: Problem, before: Fit) -> Fit:
    """One refinement step; ``before`` itself where nothing can be split."""
    by_pairs = before.skeleton is None
    return refine_leaf_pairs(problem, before) if by_pairs else refine_tips(problem, before)


def refinable(problem: Problem, found: Fit) -> tuple[int, ...]:
    """Nodes that a refinement step would split."""
    by_pairs = found.skeleton is None
    return refinable_leaves(problem, found) if by_pairs else refinable_tips(problem, found)
