"""How each method gets from counts to a tree and to the regions claimed to differ.

"imd" and "separate" read the regions off pairs of leaves, as the paper does. "calibrated" and
"direct" grow the shared part alone, claim its tips by their rate of difference, and let the two
surrogates go on below them.
"""

from __future__ import annotations

from imd_widget.methods.base import AugmentedSource, Fit, Method, MethodOptions, Problem
from imd_widget.methods.calibrated import fit_calibrated, fit_direct
from imd_widget.methods.calibrated_refine import refinable_shared_leaves, refine_shared_leaves
from imd_widget.methods.leaf_pairs import fit_leaf_pairs, refinable_leaves, refine_leaf_pairs

__all__ = [
    "AugmentedSource",
    "Fit",
    "Method",
    "MethodOptions",
    "Problem",
    "fit",
    "refinable",
    "refine",
]

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
    by_pairs = before.shared_tree is None
    return refine_leaf_pairs(problem, before) if by_pairs else refine_shared_leaves(problem, before)


def refinable(problem: Problem, found: Fit) -> tuple[int, ...]:
    """Nodes that a refinement step would split."""
    by_pairs = found.shared_tree is None
    return refinable_leaves(problem, found) if by_pairs else refinable_shared_leaves(problem, found)
