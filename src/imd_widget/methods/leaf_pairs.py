"""The methods whose regions are pairs of leaves with different outputs ("imd" and "separate")."""

from __future__ import annotations

from imd_widget.methods.base import Fit, Problem
from imd_widget.rules.regions import differing_pairs
from imd_widget.rules.simplify import readable
from imd_widget.tree.grower import Grower, GrowthOptions
from imd_widget.tree.leaf_splits import leaf_splits, split_leaves
from imd_widget.tree.requests import Histograms
from imd_widget.tree.shape import TreeShape


def fit_joint(problem: Problem) -> Fit:
    """Fit a joint tree; every pair of its leaves that differs is a region."""
    return _fit(problem, problem.method.alpha)


def fit_separate(problem: Problem) -> Fit:
    """Fit two trees without a shared split: with ``alpha=1`` they part at the root."""
    return _fit(problem, 1.0)


def _fit(problem: Problem, alpha: float | None) -> Fit:
    chosen = problem.method
    options = GrowthOptions(chosen.max_depth, chosen.min_samples_leaf, alpha=alpha)
    builder = problem.builder()
    Grower(problem.source, builder, options).grow([(0, ())])
    builder.close()
    return read_leaf_pairs(problem, builder.freeze())


def read_leaf_pairs(problem: Problem, shape: TreeShape) -> Fit:
    """Return the fit whose regions are the differing pairs of leaves of ``shape``."""
    tree, counts = problem.counted(shape)
    found = [readable(region, tree.columns) for region in differing_pairs(tree, counts)]
    # parts of one date can exclude each other: no row is on Monday and on Friday to Sunday
    regions = problem.recounted([region for region in found if all(region.box.values())])
    in_regions = {leaf for region in regions for pair in region.leaves for leaf in pair}
    enough = 2 * problem.method.min_samples_leaf
    impure = tuple(
        leaf for leaf in sorted(in_regions) if tree.is_impure(leaf) and tree.rows[leaf] >= enough
    )
    return Fit(tree, tuple(regions), counts, impure)


def refinable_leaves(problem: Problem, fit: Fit) -> tuple[int, ...]:
    """Return the impure leaves that have at least one allowed split."""
    minimum = problem.method.min_samples_leaf
    source = problem.source
    histograms = source.answer(Histograms([fit.tree.path(leaf) for leaf in fit.impure]))
    return tuple(
        leaf
        for leaf, histogram in zip(fit.impure, histograms, strict=True)
        if not leaf_splits(fit.tree, source, leaf, histogram, minimum).none
    )


def refine_leaf_pairs(problem: Problem, before: Fit) -> Fit:
    """Split every impure leaf of a region once more, for the model it belongs to."""
    minimum = problem.method.min_samples_leaf
    shape = split_leaves(before.tree, problem.source, before.impure, minimum)
    return before if shape.n_nodes == before.tree.n_nodes else read_leaf_pairs(problem, shape)
