"""Regions are tips of the shared part, claimed by their rate ("calibrated" and "direct")."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.observations import Tallies
from imd_widget.methods.base import Fit, Problem, Teacher
from imd_widget.rules.regions import Region, leaf_pairs, path_box, usual_outcomes
from imd_widget.rules.simplify import merged, readable
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.grower import Grower, GrowthOptions
from imd_widget.tree.pruning import SHRINKAGE, Calibration, calibrate, sweep
from imd_widget.tree.shape import Path, TreeShape
from imd_widget.tree.shared_tree import Skeleton, Tip, skeleton_of, tips, trimmed
from imd_widget.tree.source import TipCounts
from imd_widget.tree.splitter import Objective


def fit_direct(problem: Problem) -> Fit:
    """One decision tree on "differs": a tip is claimed where most rows differ."""
    skeleton = _grow_skeleton(problem, Objective(models=0, differs=1), Teacher(problem.source, 1))
    counts = problem.source.tips(skeleton)
    weight, differing = _weights(problem, counts.fit)
    rates = differing / np.where(weight > 0, weight, 1)
    calibration = Calibration(rates, threshold=0.5, price=0.5, claims=2 * differing > weight)
    return build(problem, skeleton, calibration, counts, grow_on=False)


def fit_calibrated(problem: Problem) -> Fit:
    """A tree that looks for the differences, swept; tips are claimed by their rate."""
    most = problem.options.max_rules
    teacher = problem.teacher or Teacher(problem.source, 1)
    grown = _grow_skeleton(problem, Objective(differs=problem.options.diff_weight), teacher)
    price = problem.options.rule_cost
    found = _swept(problem, teacher, grown, price)
    while most is not None and len(found.regions) > most:
        price = max(price * 1.5, 0.001)  # fewer rules were asked for: forks must gain more
        dearer = _swept(problem, teacher, grown, price)
        if not dearer.regions:  # one step too far
            found = found.with_largest(most)
            break
        found = dearer
    teacher.source.forget()
    return build(problem, found.skeleton, found.calibration, found.counts, grow_on=True)


@dataclass(frozen=True, eq=False)
class _Swept:
    """A swept skeleton, and the regions of it that are claimed (``nodes``: numbers of tips)."""

    skeleton: Skeleton
    counts: TipCounts
    calibration: Calibration
    regions: list[Region]

    def with_largest(self, most: int) -> _Swept:
        """The same, but only the regions with most differing rows are claimed."""
        ranked = sorted(self.regions, key=lambda r: -sum(r.fit.pairs.values()))[:most]
        kept = [tip for region in ranked for tip in region.nodes]
        claims = np.isin(np.arange(len(self.calibration.claims)), kept)
        return replace(self, calibration=replace(self.calibration, claims=claims), regions=ranked)


def _swept(problem: Problem, teacher: Teacher, grown: Skeleton, price: float) -> _Swept:
    """The skeleton after one sweep in which a fork must be worth ``price`` of all differences."""
    options = problem.options
    counts = teacher.source.tips(grown)
    differing = float(teacher.source.target.differing(counts.fit.counts.T).sum())
    first = calibrated(problem, grown, counts, None, teacher.times)
    minimum = options.min_samples_leaf * teacher.times
    skeleton = sweep(teacher.source, grown, first, price * differing, minimum)
    skeleton, counts = _with_enough_rows(problem, skeleton)
    taught = counts if problem.teacher is None else teacher.source.tips(skeleton)
    calibration = calibrated(problem, skeleton, taught, options.sensitivity, teacher.times)
    calibration = with_differences(problem, calibration, counts)
    regions = _tip_regions(problem, skeleton, calibration.claims, counts)
    return _Swept(skeleton, counts, calibration, regions)


def _grow_skeleton(problem: Problem, objective: Objective, teacher: Teacher) -> Skeleton:
    chosen = problem.options
    minimum = chosen.min_samples_leaf * teacher.times
    options = GrowthOptions(chosen.max_depth, minimum, objective, parts=False)
    builder = problem.builder()
    Grower(teacher.source, builder, options).grow([(0, ())])
    return skeleton_of(builder.freeze())


def _with_enough_rows(problem: Problem, skeleton: Skeleton) -> tuple[Skeleton, TipCounts]:
    """A sweep moves rows about; forks that it left with too few on a side are taken out."""
    while True:
        counts = problem.source.tips(skeleton)
        rows = problem.source.target.rows(counts.fit.counts.T)
        kept = trimmed(skeleton, rows.tolist(), problem.options.min_samples_leaf)
        if kept is skeleton:
            return skeleton, counts
        skeleton = kept


def calibrated(
    problem: Problem,
    skeleton: Skeleton,
    counts: TipCounts,
    sensitivity: float | None,
    times: int = 1,
) -> Calibration:
    """Which tips are claimed, from the rows counted at them."""
    weight, differing = _weights(problem, counts.fit)
    return calibrate(skeleton, weight, differing, sensitivity, shrinkage=SHRINKAGE * times)


def with_differences(problem: Problem, calibration: Calibration, counts: TipCounts) -> Calibration:
    """The same, but nothing is claimed where no row of the table differs: that is no rule."""
    differing = problem.source.target.differing_rows(counts.fit.counts.T)
    return replace(calibration, claims=calibration.claims & (differing > 0))


def _weights(problem: Problem, tallies: Tallies) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows in each place, and those on which the models differ, by weight: 1 on average."""
    target = problem.source.target
    counts = tallies.counts.T
    return target.weight(counts) / problem.unit, target.differing(counts) / problem.unit


def _tip_regions(
    problem: Problem, skeleton: Skeleton, claims: NDArray[np.bool_], counts: TipCounts
) -> list[Region]:
    """The claimed tips, neighbours joined; ``nodes`` are the numbers of the tips."""
    columns = problem.source.columns
    regions = [
        Region(
            box=path_box(path, columns),
            leaves=(),
            nodes=(number,),
            outcomes=usual_outcomes(counts.fit[number], problem.pairs),
            fit=counts.fit[number],
            holdout=counts.holdout[number],
        )
        for number, (path, _) in enumerate(tips(skeleton))
        if claims[number]
    ]
    return problem.recounted([readable(region, columns) for region in merged(regions, columns)])


def build(
    problem: Problem,
    skeleton: Skeleton,
    calibration: Calibration,
    counts: TipCounts,
    grow_on: bool,
    kept: dict[Path, tuple[TreeShape, int]] | None = None,
) -> Fit:
    """The tree over a skeleton. Below its tips the surrogates go on as in the paper.

    ``kept`` says for tips that have been built before where to find what hangs below them.
    """
    builder = problem.builder()
    ends = _plant(builder, 0, skeleton, ())
    kept = kept or {}
    fresh = []
    for node, path in ends:
        if path in kept:
            builder.graft(node, *kept[path])
        else:
            fresh.append((node, path))
    if grow_on:
        chosen = problem.options
        options = GrowthOptions(chosen.max_depth, chosen.min_samples_leaf)
        Grower(problem.source, builder, options).grow(fresh)
    builder.close()
    tree, by_leaves = problem.counted(builder.freeze())
    problem.source.forget()
    below = [tuple(pair for pair, _ in leaf_pairs(tree, node)) for node, _ in ends]
    regions = [
        replace(
            region,
            leaves=tuple(pair for tip in region.nodes for pair in below[tip]),
            nodes=tuple(ends[tip][0] for tip in region.nodes),
        )
        for region in _tip_regions(problem, skeleton, calibration.claims, counts)
    ]
    target, tallied = problem.source.target, counts.fit.counts.T
    rows, differing = target.rows(tallied), target.differing_rows(tallied)
    enough = 2 * problem.options.min_samples_leaf
    impure = calibration.claims & (differing < rows) & (rows >= enough)
    return Fit(
        tree,
        tuple(regions),
        by_leaves,
        impure=tuple(ends[number][0] for number in np.flatnonzero(impure)),
        skeleton=skeleton,
        calibration=calibration,
    )


def _plant(
    builder: TreeBuilder, node: int, skeleton: Skeleton, path: Path
) -> list[tuple[int, Path]]:
    """Build a skeleton below ``node``; its tips in order."""
    if isinstance(skeleton, Tip):
        return [(node, path)]
    step = skeleton.step
    yes, no = builder.make_split(node, step)
    left = _plant(builder, yes, skeleton.yes, (*path, step))
    return left + _plant(builder, no, skeleton.no, (*path, step._replace(yes=False)))
