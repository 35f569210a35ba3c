"""Pairs of leaves under an or-node, and the rules read off them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.rules.rule import Interval, Rule
from imd_widget.table import NumericColumn
from imd_widget.tree.histogram import RegionCounts
from imd_widget.tree.joint_tree import JointTree, Kind, Path

#: For each column that is constrained, the codes that are allowed: bit c stands for code c.
Box = Mapping[int, int]


@dataclass(frozen=True)
class Region:
    """Where a leaf of model 1 and a leaf of model 2 hold together.

    Attributes
    ----------
    or_node, first, second : int
        Numbers of the or-node and of the two leaves.
    box : Box
        The codes for which both leaves' conditions hold; empty in no column.
    """

    or_node: int
    first: int
    second: int
    box: Box


def path_box(path: Path, columns: tuple[NumericColumn, ...]) -> dict[int, int]:
    """The codes that a path leaves open."""
    box: dict[int, int] = {}
    for step in path:
        every = (1 << columns[step.column].n_codes) - 1
        yes = (1 << (step.cut + 1)) - 1
        box[step.column] = box.get(step.column, every) & (yes if step.yes else every ^ yes)
    return box


def intersection(first: Box, second: Box) -> Box | None:
    """What both boxes leave open; None where they exclude each other."""
    box = dict(first)
    for column, codes in second.items():
        box[column] = box.get(column, codes) & codes
        if not box[column]:
            return None
    return box


def find_regions(tree: JointTree) -> Iterator[Region]:
    """Every pair of leaves under an or-node whose conditions can hold together."""
    for node in tree.walk():
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
                    yield Region(node, one, two, box)


def differing_regions(tree: JointTree) -> list[Region]:
    """The paper's diff regions, its (3): the two leaves give different labels."""
    label = {node: tree.label(node) for node in range(tree.n_nodes) if tree.kind[node] == Kind.LEAF}
    return [region for region in find_regions(tree) if label[region.first] != label[region.second]]


def conditions(box: Box, columns: tuple[NumericColumn, ...]) -> tuple[Interval, ...]:
    """A box in the user's words, in the order in which the tree asks."""
    return tuple(condition(columns[column], codes) for column, codes in box.items())


def condition(column: NumericColumn, codes: int) -> Interval:
    """Allowed codes of one column, which lie side by side, in the user's words."""
    low = (codes & -codes).bit_length() - 1
    high = codes.bit_length() - 1
    return Interval(column.name, *column.bounds(low, high))


def rules_from(
    tree: JointTree,
    regions: list[Region],
    counts: RegionCounts,
    differing_pairs: NDArray[np.bool_],
) -> tuple[Rule, ...]:
    """One rule a region, the one with most differing rows first; equals as they are drawn."""
    all_differing = int(tree.counts[0][differing_pairs].sum())
    nothing = np.zeros(len(differing_pairs), dtype=np.int64)

    def rule(region: Region) -> Rule:
        leaves = (region.first, region.second)
        inside, aside = counts.fit.get(leaves, nothing), counts.holdout.get(leaves, nothing)
        differing = int(inside[differing_pairs].sum())
        return Rule(
            conditions=conditions(region.box, tree.columns),
            outcomes=(
                tree.labels[tree.label(region.first)],
                tree.labels[tree.label(region.second)],
            ),
            support=int(inside.sum()),
            differing=differing,
            holdout_support=int(aside.sum()),
            holdout_differing=int(aside[differing_pairs].sum()),
            coverage=differing / all_differing if all_differing else 0.0,
            or_node=tree.ids[region.or_node],
            leaves=((tree.ids[region.first], tree.ids[region.second]),),
        )

    rules = [rule(region) for region in regions]
    return tuple(sorted(rules, key=lambda r: (-r.differing, -r.support)))
