"""The methods whose regions are shared leaves with a high rate ("calibrated" and "direct")."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.tallies import Tallies
from imd_widget.methods.base import AugmentedSource, Fit, Problem
from imd_widget.methods.values import Method
from imd_widget.rules.regions import AGREEMENT, Region, leaf_pairs, path_box, usual_outcomes
from imd_widget.rules.simplify import merged, readable
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.grower import Grower, GrowthOptions
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.pruning import SHRINKAGE, Aim, Calibration, calibrate, prune
from imd_widget.tree.requests import RegionCounts, SharedLeafCounts, SharedLeaves, Totals
from imd_widget.tree.shape import Path, TreeShape
from imd_widget.tree.shared_tree import (
    SharedLeaf,
    SharedTree,
    shared_leaves,
    shared_tree_of,
    trimmed,
)
from imd_widget.tree.splitter import Objective

#: Below this share of differing rows, their weight is at least `RARE_WEIGHT` divided by the entropy
#: of "differs" in bits.
RARE = 0.02
RARE_WEIGHT = 4.0
#: A split on how sure models are has to gain this many times the `rule_cost`: there is one column,
#: or two, and the noise at their many thresholds would divide a band.
DEARER = 4.0


def fit_direct(problem: Problem) -> Fit:
    """Fit one decision tree to "differs"; a shared leaf is a region if more than half differs."""
    shared_tree = _grow_shared_tree(
        problem, Objective(models=0, differs=1), AugmentedSource(problem.source, 1)
    )
    counts = problem.source.answer(SharedLeaves(shared_tree))
    weight, differing = _weights(problem, counts.fit)
    rates = differing / np.where(weight > 0, weight, 1)
    calibration = Calibration(rates, threshold=0.5, price=0.5, claims=2 * differing > weight)
    return build(problem, shared_tree, calibration, counts, grow_on=False)


def fit_calibrated(problem: Problem) -> Fit:
    """Grow a shared tree for the differences, prune it, and select shared leaves by their rate."""
    most = problem.method.max_rules
    augmented_source = problem.augmented_source or AugmentedSource(problem.source, 1)
    price = problem.method.rule_cost
    if problem.method.given == "margins":
        price *= DEARER
    with augmented_source.source.session():
        found = _pruned(problem, augmented_source, price)
        while most is not None and len(found.regions) > most:
            price = max(price * 1.5, 0.001)  # shared splits must gain more
            dearer = _pruned(problem, augmented_source, price)
            if not dearer.regions:  # one step too far
                found = found.with_largest(most)
                break
            found = dearer
    return build(
        problem,
        found.shared_tree,
        found.calibration,
        found.counts,
        grow_on=True,
        agreement=found.agreement,
        key=("joint tree", *_growth(problem.method), found.price),
    )


def _growth(method: Method) -> tuple[float, ...]:
    """Return the options on which the grown tree depends."""
    return (method.max_depth, method.min_samples_leaf, method.diff_weight)


def _weight_of_differences(problem: Problem) -> float:
    """Return ``diff_weight``, or more if few rows differ.

    The entropy of "differs" is then small beside that of either model, so that a tree would use its
    depth to describe the models.
    """
    chosen, target = problem.method.diff_weight, problem.source.target
    [total] = problem.source.answer(Totals([()]))
    share = float(target.differing(total) / target.weight(total))
    if not 0 < share < RARE or not chosen:
        return chosen
    entropy = -share * math.log2(share) - (1 - share) * math.log2(1 - share)
    return max(chosen, RARE_WEIGHT / entropy)


@dataclass(frozen=True, eq=False)
class _Pruned:
    """A pruned shared tree and its regions, whose ``nodes`` are numbers of shared leaves."""

    shared_tree: SharedTree
    counts: SharedLeafCounts
    calibration: Calibration
    regions: list[Region]
    agreement: Calibration | None
    #: The share of all differences that a split had to gain.
    price: float

    def with_largest(self, most: int) -> _Pruned:
        """Return a copy that keeps only the ``most`` regions with the most differing rows."""
        ranked = sorted(self.regions, key=lambda r: -sum(r.fit.pairs.values()))[:most]
        kept = [shared_leaf for region in ranked for shared_leaf in region.nodes]
        claims = np.isin(np.arange(len(self.calibration.claims)), kept)
        return replace(self, calibration=replace(self.calibration, claims=claims), regions=ranked)


@dataclass(frozen=True, eq=False)
class _Skeleton:
    """A pruned shared tree without the choice of regions, which depends on the sensitivity."""

    shared_tree: SharedTree
    counts: SharedLeafCounts
    #: The same with the new rows of an augmented table.
    augmented_rows: SharedLeafCounts
    aim: Aim


def _grown(problem: Problem, augmented_source: AugmentedSource) -> SharedTree:
    """Return the shared tree before it is pruned."""

    def grow() -> SharedTree:
        objective = Objective(differs=_weight_of_differences(problem))
        return _grow_shared_tree(problem, objective, augmented_source)

    return problem.once(("grown", *_growth(problem.method)), grow)


def _skeleton(problem: Problem, augmented_source: AugmentedSource, price: float) -> _Skeleton:
    """Prune the shared tree once; a split must gain more than ``price`` of all differences."""
    grown = _grown(problem, augmented_source)
    options = problem.method
    counts = augmented_source.source.answer(SharedLeaves(grown))
    weight, differing = _weights(problem, counts.fit)
    # the rarer rows are described: if models mostly differ, those where they agree
    aim: Aim = "agree" if 2 * differing.sum() > weight.sum() else "differ"
    wanted = differing.sum() if aim == "differ" else (weight - differing).sum()
    first = calibrated(problem, grown, counts, None, augmented_source.times, aim)
    minimum = options.min_samples_leaf * augmented_source.times
    # where splits cost at all they cost one row more, however few rows are wanted
    one_row = augmented_source.times if price else 0.0
    split_price = (price * wanted + one_row) * problem.unit
    row = augmented_source.times * problem.unit
    shared_tree = prune(augmented_source.source, grown, first, split_price, minimum, row)
    shared_tree, counts = _with_enough_rows(problem, shared_tree)
    augmented_rows = (
        counts
        if problem.augmented_source is None
        else augmented_source.source.answer(SharedLeaves(shared_tree))
    )
    return _Skeleton(shared_tree, counts, augmented_rows, aim)


def _pruned(problem: Problem, augmented_source: AugmentedSource, price: float) -> _Pruned:
    """Return the tree that is pruned at a price, and the regions that the sensitivity selects."""
    options = problem.method
    skeleton = problem.once(
        ("pruned", *_growth(options), price), lambda: _skeleton(problem, augmented_source, price)
    )
    shared_tree, counts = skeleton.shared_tree, skeleton.counts
    augmented_rows, aim = skeleton.augmented_rows, skeleton.aim
    calibration = calibrated(
        problem, shared_tree, augmented_rows, options.sensitivity, augmented_source.times
    )
    calibration = with_differences(problem, calibration, counts)
    regions = _leaf_regions(problem, shared_tree, calibration.claims, counts)
    agreement = None
    if aim == "agree":
        agreement = calibrated(
            problem, shared_tree, augmented_rows, None, augmented_source.times, aim
        )
        claims = agreement.claims & ~calibration.claims
        agreement = replace(agreement, claims=claims & _agreeing(problem, counts))
    return _Pruned(shared_tree, counts, calibration, regions, agreement, price)


def _grow_shared_tree(
    problem: Problem, objective: Objective, augmented_source: AugmentedSource
) -> SharedTree:
    chosen = problem.method
    minimum = chosen.min_samples_leaf * augmented_source.times
    options = GrowthOptions(
        chosen.max_depth, minimum, objective, parts=False, times=augmented_source.times
    )
    builder = problem.builder()
    Grower(augmented_source.source, builder, options).grow([(0, ())])
    return shared_tree_of(builder.freeze())


def _with_enough_rows(
    problem: Problem, shared_tree: SharedTree
) -> tuple[SharedTree, SharedLeafCounts]:
    """Remove the splits that pruning left with fewer than ``min_samples_leaf`` rows on a side."""
    while True:
        counts = problem.source.answer(SharedLeaves(shared_tree))
        rows = problem.source.target.rows(counts.fit.counts.T)
        kept = trimmed(shared_tree, rows.tolist(), problem.method.min_samples_leaf)
        if kept is shared_tree:
            return shared_tree, counts
        shared_tree = kept


def calibrated(
    problem: Problem,
    shared_tree: SharedTree,
    counts: SharedLeafCounts,
    sensitivity: float | None,
    times: int = 1,
    aim: Aim = "differ",
) -> Calibration:
    """Calibrate the shared leaves from the rows counted at them."""
    weight, differing = _weights(problem, counts.fit)
    return calibrate(shared_tree, weight, differing, sensitivity, SHRINKAGE * times, aim)


def with_differences(
    problem: Problem, calibration: Calibration, counts: SharedLeafCounts
) -> Calibration:
    """Return a calibration that claims no shared leaf without a differing row of the table."""
    differing = problem.source.target.differing_rows(counts.fit.counts.T)
    return replace(calibration, claims=calibration.claims & (differing > 0))


def _agreeing(problem: Problem, counts: SharedLeafCounts) -> NDArray[np.bool_]:
    """Whether at least one row of the table agrees, for each shared leaf."""
    target, tallied = problem.source.target, counts.fit.counts.T
    return np.asarray(target.rows(tallied) > target.differing_rows(tallied))


def _weights(problem: Problem, tallies: Tallies) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of all rows and of the differing rows of each tally (average row: 1)."""
    target = problem.source.target
    counts = tallies.counts.T
    return target.weight(counts) / problem.unit, target.differing(counts) / problem.unit


def _leaf_regions(
    problem: Problem,
    shared_tree: SharedTree,
    claims: NDArray[np.bool_],
    counts: SharedLeafCounts,
    aim: Aim = "differ",
) -> list[Region]:
    """Return the claimed leaves as regions, neighbours merged; ``nodes`` are leaf numbers.

    Regions of agreement are merged whatever the models predict there, and so are bands of how sure
    a model is: on either side of its cut the models differ in opposite ways.
    """
    columns, agree = problem.source.columns, aim == "agree"
    together = agree or problem.method.given == "margins"
    regions = [
        Region(
            box=path_box(path, columns),
            leaves=(),
            nodes=(number,),
            outcomes=AGREEMENT if together else usual_outcomes(counts.fit[number], problem.pairs),
            fit=counts.fit[number],
            holdout=counts.holdout[number],
        )
        for number, (path, _) in enumerate(shared_leaves(shared_tree))
        if claims[number]
    ]
    found = [readable(region, columns) for region in merged(regions, columns)]
    if together and not agree:
        found = [replace(own, outcomes=usual_outcomes(own.fit, problem.pairs)) for own in found]
    return problem.recounted(found)


def build(
    problem: Problem,
    shared_tree: SharedTree,
    calibration: Calibration,
    counts: SharedLeafCounts,
    grow_on: bool,
    kept: dict[Path, tuple[TreeShape, int]] | None = None,
    agreement: Calibration | None = None,
    key: Hashable = None,
    regions: Sequence[Region] | None = None,
) -> Fit:
    """Build the joint tree over a shared tree.

    If ``grow_on``, the surrogates are grown below its leaves as in the paper. ``kept`` maps the
    path of a shared leaf to a tree and the node in it whose subtrees are reused below that leaf.
    ``agreement`` claims the shared leaves in which the models are predicted to agree. With a
    ``key`` the tree is built once; see `Problem.once`. ``regions`` are those of the claimed leaves;
    None: each leaf is one, and neighbours are merged.
    """

    def make() -> _Planted:
        return _joint_tree(problem, shared_tree, grow_on, kept or {})

    joint = make() if key is None else problem.once(key, make)
    tree, by_leaves, ends = joint.tree, joint.by_leaves, joint.ends

    def planted(region: Region) -> Region:
        nodes = tuple(ends[shared_leaf][0] for shared_leaf in region.nodes)
        pairs = tuple(pair for node in nodes for pair, _ in leaf_pairs(tree, node))
        return replace(region, leaves=pairs, nodes=nodes)

    if regions is None:
        regions = _leaf_regions(problem, shared_tree, calibration.claims, counts)
    agreeing: list[Region] = []
    if agreement is not None:
        agreeing = _leaf_regions(problem, shared_tree, agreement.claims, counts, aim="agree")
    target, tallied = problem.source.target, counts.fit.counts.T
    rows, differing = target.rows(tallied), target.differing_rows(tallied)
    enough = 2 * problem.method.min_samples_leaf
    impure = calibration.claims & (differing < rows) & (rows >= enough)
    return Fit(
        tree,
        tuple(map(planted, regions)),
        by_leaves,
        impure=tuple(ends[number][0] for number in np.flatnonzero(impure)),
        shared_tree=shared_tree,
        calibration=calibration,
        grows_on=grow_on,
        agreement=tuple(map(planted, agreeing)),
        agreement_calibration=agreement,
    )


@dataclass(frozen=True, eq=False)
class _Planted:
    """A joint tree over a shared tree."""

    tree: JointTree
    by_leaves: RegionCounts
    #: The nodes of the leaves of the shared tree, in order, with their paths.
    ends: list[tuple[int, Path]]


def _joint_tree(
    problem: Problem,
    shared_tree: SharedTree,
    grow_on: bool,
    kept: dict[Path, tuple[TreeShape, int]],
) -> _Planted:
    """Return the joint tree over a shared tree; see `build`."""
    builder = problem.builder()
    ends = _plant(builder, 0, shared_tree, ())
    fresh = []
    for node, path in ends:
        if path in kept:
            builder.graft(node, *kept[path])
        else:
            fresh.append((node, path))
    if grow_on:
        chosen = problem.method
        options = GrowthOptions(chosen.max_depth, chosen.min_samples_leaf)
        Grower(problem.source, builder, options).grow(fresh)
    builder.close()
    return _Planted(*problem.counted(builder.freeze()), ends)


def _plant(
    builder: TreeBuilder, node: int, shared_tree: SharedTree, path: Path
) -> list[tuple[int, Path]]:
    """Add the splits of a shared tree below ``node``; return its leaves in order, with paths."""
    if isinstance(shared_tree, SharedLeaf):
        return [(node, path)]
    step = shared_tree.step
    yes, no = builder.make_split(node, step)
    left = _plant(builder, yes, shared_tree.yes, (*path, step))
    return left + _plant(builder, no, shared_tree.no, (*path, step._replace(yes=False)))
