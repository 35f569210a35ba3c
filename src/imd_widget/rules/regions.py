"""Regions of a joint tree that are claimed to differ, and the rules read off them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.columns import Codes, Column, yes_codes
from imd_widget.rules.conditions import Condition, condition
from imd_widget.rules.rule import Rule
from imd_widget.tree.histogram import RegionCounts
from imd_widget.tree.joint_tree import JointTree, Kind, Path

#: For each column that is constrained, the codes that are allowed: bit c stands for code c.
Box = Mapping[int, int]
#: Numbers of a leaf of model 1 and of a leaf of model 2.
LeafPair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Region:
    """A part of feature space in which the models are claimed to differ.

    Attributes
    ----------
    box : Box
        The codes that lie inside; empty in no column.
    leaves : tuple of LeafPair
        The pairs of leaves it is made of.
    nodes : tuple of int
        Nodes of the shared part that lie inside as a whole; none where it is part of one.
    outcomes : tuple of two int
        What model 1 and what model 2 says there, as indices into the labels.
    fit, holdout : ndarray of shape (n_pairs,)
        Rows used to fit and rows kept aside that lie inside, by outcome pair.
    """

    box: Box
    leaves: tuple[LeafPair, ...]
    nodes: tuple[int, ...]
    outcomes: tuple[int, int]
    fit: NDArray[np.int64]
    holdout: NDArray[np.int64]

    def holds(self, codes: Sequence[Codes], n_rows: int) -> NDArray[np.bool_]:
        """For each encoded row: does it lie inside?"""
        inside = np.ones(n_rows, dtype=bool)
        for column, allowed in self.box.items():
            # one place more than there are codes: what was not foreseen is outside
            size = max(allowed.bit_length(), int(codes[column].max(initial=0))) + 1
            inside &= np.array([allowed >> code & 1 for code in range(size)], bool)[codes[column]]
        return inside


def path_box(path: Path, columns: Sequence[Column]) -> dict[int, int]:
    """The codes that a path leaves open."""
    box: dict[int, int] = {}
    for step in path:
        column = columns[step.column]
        every = (1 << column.n_codes) - 1
        yes = yes_codes(column, step.cut, step.missing) & every
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


def leaf_pairs(tree: JointTree, start: int = 0) -> Iterator[tuple[LeafPair, Box]]:
    """Every pair of leaves under an or-node, from ``start`` down, that can hold together."""
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
    """The paper's diff regions, its (3): the two leaves give different labels."""
    label = {node: tree.label(node) for node in range(tree.n_nodes) if tree.kind[node] == Kind.LEAF}
    nothing = np.zeros(len(tree.pairs), dtype=np.int64)
    return [
        Region(
            box=box,
            leaves=(pair,),
            nodes=_alone_at(tree, pair),
            outcomes=(label[pair[0]], label[pair[1]]),
            fit=counts.fit.get(pair, nothing),
            holdout=counts.holdout.get(pair, nothing),
        )
        for pair, box in leaf_pairs(tree)
        if label[pair[0]] != label[pair[1]]
    ]


def _alone_at(tree: JointTree, pair: LeafPair) -> tuple[int, ...]:
    """The or-node, if its branches are just these two leaves."""
    parents = {int(tree.parent[leaf]) for leaf in pair}
    return tuple(parents) if len(parents) == 1 else ()


def usual_outcomes(counts: NDArray[np.int64], pairs: NDArray[np.int64]) -> tuple[int, int]:
    """The differing outcome pair that most rows have, the first of equals."""
    differs = pairs[:, 0] != pairs[:, 1]
    first, second = pairs[int(np.where(differs, counts, -1).argmax())]
    return int(first), int(second)


def conditions(box: Box, columns: Sequence[Column]) -> tuple[Condition, ...]:
    """A box in the user's words, in the order in which the tree asks."""
    return tuple(condition(columns[column], codes) for column, codes in box.items())


def rules_from(tree: JointTree, regions: Iterable[Region]) -> tuple[Rule, ...]:
    """One rule a region, the one with most differing rows first; equals as they are drawn."""
    differs = tree.differs
    all_differing = int(tree.counts[0][differs].sum())

    def rule(region: Region) -> Rule:
        differing = int(region.fit[differs].sum())
        typical = int(region.fit[(tree.pairs == region.outcomes).all(axis=1)].sum())
        leaves = tuple((tree.ids[first], tree.ids[second]) for first, second in region.leaves)
        return Rule(
            conditions=conditions(region.box, tree.columns),
            outcomes=(tree.labels[region.outcomes[0]], tree.labels[region.outcomes[1]]),
            support=int(region.fit.sum()),
            differing=differing,
            holdout_support=int(region.holdout.sum()),
            holdout_differing=int(region.holdout[differs].sum()),
            outcome_share=typical / differing if differing else 1.0,
            coverage=differing / all_differing if all_differing else 0.0,
            nodes=tuple(tree.ids[node] for node in region.nodes),
            node=_common_start([leaf for pair in leaves for leaf in pair]),
            leaves=leaves,
        )

    return tuple(sorted(map(rule, regions), key=lambda r: (-r.differing, -r.support)))


def _common_start(ids: list[str]) -> str:
    """The lowest node that all the others lie at or below."""
    first, last = min(ids), max(ids)
    same = [a == b for a, b in zip(first, last, strict=False)]
    return first[: same.index(False)] if False in same else first
