"""Regions of a joint tree in which the models are predicted to differ, and their rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.observations import N_OUTPUT_SUMS
from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box, Boxes, ModelOutputs, yes_codes
from imd_widget.data.columns import Column
from imd_widget.outputs.correctness import Right
from imd_widget.rules.conditions import Condition, condition
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.pruning import balanced_score
from imd_widget.tree.requests import RegionCounts
from imd_widget.tree.shape import Kind, Path, TreeShape

#: Numbers of a leaf of model 1 and of a leaf of model 2.
LeafPair = tuple[int, int]
#: ``Region.outcomes`` of a region in which the models are predicted to agree.
AGREEMENT = (-1, -1)
#: Rules that are ordered by what they add; a reader of more of them searches.
MOST_RANKED = 100


@dataclass(frozen=True, eq=False)
class Region:
    """A part of feature space in which the models are predicted to differ."""

    #: The codes inside the region, at least one in every column.
    box: Box
    #: The pairs of leaves that the region consists of.
    leaves: tuple[LeafPair, ...]
    #: Nodes of the shared part that lie inside the region as a whole.
    nodes: tuple[int, ...]
    #: The outputs of model 1 and model 2 there: indices into the labels; for numbers (0, 1) if
    #: those of model 2 are larger, (1, 0) if they are smaller.
    outcomes: tuple[int, int]
    #: Rows used to fit and holdout rows inside the region.
    fit: Tally
    holdout: Tally


def path_box(path: Path, columns: Sequence[Column]) -> dict[int, int]:
    """Return the codes that rows at the end of a path can have, for each column on it.

    A split on the ranks of levels is a set of codes of the column that has the levels.
    """
    box: dict[int, int] = {}
    for step in path:
        at, column = step.column, columns[step.column]
        every = (1 << column.n_codes) - 1
        yes = yes_codes(column, step.cut, step.missing) & every
        codes = yes if step.yes else every ^ yes
        levels = column.as_levels(codes, columns)
        if levels is not None:
            at, codes = levels
        box[at] = box.get(at, (1 << columns[at].n_codes) - 1) & codes
    return box


def intersection(first: Box, second: Box) -> Box | None:
    """Return the intersection of two boxes; None if it is empty."""
    box = dict(first)
    for column, codes in second.items():
        box[column] = box.get(column, codes) & codes
        if not box[column]:
            return None
    return box


def leaf_pairs(tree: TreeShape, start: int = 0) -> Iterator[tuple[LeafPair, Box]]:
    """Yield each pair of leaves below an or-node, from ``start`` down, whose boxes intersect."""
    for node in tree.walk(start):
        if tree.kind[node] != Kind.OR:
            continue
        first, second = (
            [(leaf, path_box(tree.path(leaf), tree.columns)) for leaf in tree.leaves(branch)]
            for branch in map(int, tree.children[node])
        )
        for one, one_box in first:
            for two, two_box in second:
                box = intersection(one_box, two_box)
                if box is not None:
                    yield (one, two), box


def differing_pairs(tree: JointTree, counts: RegionCounts) -> list[Region]:
    """Return the diff regions of the paper (3): leaf pairs that predict different outputs."""
    empty = _empty_tally(tree)
    regions = []
    for pair, box in leaf_pairs(tree):
        outcomes = tree.outputs.leaf_pair(tree, pair)
        if outcomes[0] != outcomes[1]:
            regions.append(
                Region(
                    box=box,
                    leaves=(pair,),
                    nodes=_common_or_node(tree, pair),
                    outcomes=outcomes,
                    fit=counts.fit.get(pair, empty),
                    holdout=counts.holdout.get(pair, empty),
                )
            )
    return regions


def _empty_tally(tree: JointTree) -> Tally:
    leading, n_sums = tree.target.n_leading, tree.sums.shape[1]
    zeros = np.zeros(leading, dtype=np.int64)
    return Tally(zeros, {}, np.zeros(5, dtype=np.int64), np.zeros((2, n_sums)))


def _common_or_node(tree: JointTree, pair: LeafPair) -> tuple[int, ...]:
    """Return the or-node whose branches are just these two leaves, if there is one."""
    parents = {int(tree.parent[leaf]) for leaf in pair}
    return tuple(parents) if len(parents) == 1 else ()


def usual_outcomes(tally: Tally, pairs: NDArray[np.int64]) -> tuple[int, int]:
    """Return the most frequent differing outcome pair, the first of ties."""
    if tally.pairs:
        pair = max(tally.pairs, key=lambda pair: (tally.pairs[pair], -pair))
    else:
        pair = int(np.argmax(pairs[:, 0] != pairs[:, 1]))
    return int(pairs[pair, 0]), int(pairs[pair, 1])


def conditions(box: Box, columns: Sequence[Column]) -> tuple[Condition, ...]:
    """Return the conditions of a box, in the order of the splits of the tree."""
    return tuple(condition(columns[column], codes) for column, codes in box.items())


def rules_from(
    tree: JointTree,
    regions: Iterable[Region],
    pairs: NDArray[np.int64],
    unit: float,
    with_truth: bool,
    outputs_of: ModelOutputs | None = None,
    agree: bool = False,
) -> list[tuple[Rule, Region]]:
    """Return one rule per region, ordered by what each adds to those before it.

    The next rule is the one after which G, the mean of F1 and Matthews' correlation on the rows
    used to fit, is largest. Ties, and rules after the first `MOST_RANKED`, are ordered by
    decreasing coverage, then weight, then as they came.

    Parameters
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        The outcome pairs that tallies count.
    unit : float
        Weight of an average row.
    with_truth : bool
        Whether ``y`` was given.
    outputs_of : callable, optional
        From a table to the outputs of the given model.
    agree : bool, default=False
        Whether the models are predicted to agree in the regions.
    """
    target = tree.target
    all_weight, all_differing = int(tree.weight[0]), int(tree.differing[0])
    all_wanted = all_weight - all_differing if agree else all_differing
    number = {pair: index for index, pair in enumerate(map(tuple, pairs.tolist()))}

    def amount(weight: int) -> float:
        return int(weight) if unit == 1 else int(weight) / unit

    def wanted(region: Region) -> int:
        differing = int(target.differing(region.fit.counts))
        return int(target.weight(region.fit.counts)) - differing if agree else differing

    def right(tally: Tally) -> Right | None:
        return Right.of(tally.right, unit, tally.sums[N_OUTPUT_SUMS:]) if with_truth else None

    def rule(region: Region) -> Rule:
        if agree:
            region = replace(region, outcomes=tree.outputs.common_outcomes(tree, region))
        fit, holdout = region.fit, region.holdout
        differing = int(target.differing(fit.counts))
        typical = fit.pairs.get(number.get(region.outcomes, -1), 0)
        leaves = tuple((tree.ids[first], tree.ids[second]) for first, second in region.leaves)
        outcomes = tree.outputs.rule_outcomes(tree, region)
        return Rule(
            conditions=conditions(region.box, tree.columns),
            outcomes=outcomes.outcomes,
            said=outcomes.said,
            support=int(target.rows(fit.counts)),
            differing=int(target.differing_rows(fit.counts)),
            weight=amount(target.weight(fit.counts)),
            differing_weight=amount(differing),
            holdout_support=int(target.rows(holdout.counts)),
            holdout_differing=int(target.differing_rows(holdout.counts)),
            holdout_weight=amount(target.weight(holdout.counts)),
            holdout_differing_weight=amount(target.differing(holdout.counts)),
            outcome_share=typical / differing if differing else 1.0,
            coverage=wanted(region) / all_wanted if all_wanted else 0.0,
            right=right(fit),
            holdout_right=right(holdout),
            nodes=tuple(tree.ids[node] for node in region.nodes),
            node=_common_start([leaf for pair in leaves for leaf in pair]),
            leaves=leaves,
            agrees=agree,
            _region=Boxes(tree.columns, (region.box,), outputs_of),
            **tree.outputs.rule_details(region, pairs, differing, amount),
        )

    made = [(rule(region), region) for region in regions]
    made = sorted(made, key=lambda pair: (-pair[0].coverage, -pair[0].weight))
    weight = np.array([int(target.weight(region.fit.counts)) for _, region in made], dtype=float)
    found = np.array([wanted(region) for _, region in made], dtype=float)
    return [made[number] for number in _ranked(weight, found, all_wanted, all_weight)]


def _ranked(
    weight: NDArray[np.float64], found: NDArray[np.float64], wanted: float, total: float
) -> list[int]:
    """Return the numbers of disjoint regions, next the one after which G is largest.

    Parameters
    ----------
    weight, found : ndarray of shape (n_regions,)
        Weight of the rows of each region, and of those of them that are wanted.
    wanted, total : float
        Weight of all wanted rows and of all rows.
    """
    left = list(range(len(weight)))
    order: list[int] = []
    claimed = both = 0.0
    while left and len(order) < MOST_RANKED and total:
        score = balanced_score(claimed + weight[left], both + found[left], wanted, total)
        best = left.pop(int(score.value.argmax()))
        claimed, both = claimed + weight[best], both + found[best]
        order.append(best)
    return order + left


def _common_start(ids: list[str]) -> str:
    """Return the id of the lowest common ancestor: the common prefix of the ids."""
    first, last = min(ids), max(ids)
    same = [a == b for a, b in zip(first, last, strict=False)]
    return first[: same.index(False)] if False in same else first
