"""The shared part of a joint tree as a binary tree whose leaves predict "differs" or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.boxes import says_yes
from imd_widget.data.columns import Codes, Column
from imd_widget.tree.shape import Kind, Path, Step, TreeShape


@dataclass(frozen=True)
class SharedLeaf:
    """A leaf of a shared tree; ``is_diff`` if the models are predicted to differ at it."""

    is_diff: bool = False


@dataclass(frozen=True)
class SharedSplit:
    """A split and its two subtrees; ``step`` is the step to the "yes" side."""

    step: Step
    yes: SharedTree
    no: SharedTree


SharedTree = SharedSplit | SharedLeaf


def shared_tree_of(tree: TreeShape, node: int = 0) -> SharedTree:
    """Return the shared splits of a tree; its or-nodes become shared leaves."""
    if tree.kind[node] != Kind.SPLIT:
        return SharedLeaf()
    yes, no = (shared_tree_of(tree, int(child)) for child in tree.children[node])
    return SharedSplit(tree.question(node), yes, no)


def walk(shared_tree: SharedTree, path: Path = ()) -> Iterator[tuple[Path, SharedTree]]:
    """Iterate over the shared splits and leaves with their paths in pre-order, "yes" first."""
    yield path, shared_tree
    if isinstance(shared_tree, SharedSplit):
        yield from walk(shared_tree.yes, (*path, shared_tree.step))
        yield from walk(shared_tree.no, (*path, shared_tree.step._replace(yes=False)))


def shared_leaves(shared_tree: SharedTree) -> list[tuple[Path, SharedLeaf]]:
    """Return the shared leaves with their paths, in the order of `walk`."""
    return [(path, part) for path, part in walk(shared_tree) if isinstance(part, SharedLeaf)]


def with_claims(shared_tree: SharedTree, claims: Sequence[bool]) -> SharedTree:
    """Return the shared tree with ``is_diff`` of its leaves, in order, set to ``claims``."""
    return _with_claims(shared_tree, iter(claims))


def _with_claims(shared_tree: SharedTree, claims: Iterator[bool]) -> SharedTree:
    if isinstance(shared_tree, SharedLeaf):
        return SharedLeaf(bool(next(claims)))
    yes = _with_claims(shared_tree.yes, claims)
    return SharedSplit(shared_tree.step, yes, _with_claims(shared_tree.no, claims))


def trimmed(shared_tree: SharedTree, rows: Sequence[int], min_rows: int) -> SharedTree:
    """Return the shared tree without the splits that have fewer than ``min_rows`` on a side.

    ``rows`` are the numbers of rows at the leaves, in order. A removed split is replaced by the
    subtree of its larger side, which the rows of the other side then reach: if the result is not
    the same object, the rows have to be counted again.
    """
    if isinstance(shared_tree, SharedLeaf):
        return shared_tree
    middle = len(shared_leaves(shared_tree.yes))
    sides = rows[:middle], rows[middle:]
    if sum(sides[0]) < min_rows or sum(sides[1]) < min_rows:
        larger = int(sum(sides[1]) > sum(sides[0]))
        return trimmed(shared_tree.no if larger else shared_tree.yes, sides[larger], min_rows)
    yes, no = (
        trimmed(part, side, min_rows)
        for part, side in zip((shared_tree.yes, shared_tree.no), sides, strict=True)
    )
    same = yes is shared_tree.yes and no is shared_tree.no
    return shared_tree if same else SharedSplit(shared_tree.step, yes, no)


def condensed(shared_tree: SharedTree) -> SharedTree:
    """Return the shared tree without the splits whose leaves all have the same ``is_diff``."""
    if isinstance(shared_tree, SharedLeaf):
        return shared_tree
    yes, no = condensed(shared_tree.yes), condensed(shared_tree.no)
    if isinstance(yes, SharedLeaf) and yes == no:
        return yes
    return SharedSplit(shared_tree.step, yes, no)


def shared_leaf_numbers(
    shared_tree: SharedTree,
    columns: Sequence[Column],
    codes: Sequence[Codes],
    rows: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return the number of the shared leaf that each of ``rows`` reaches."""
    numbers = np.empty(len(rows), dtype=np.int32)
    stack = [(shared_tree, np.arange(len(rows), dtype=np.int32))]
    number = 0
    while stack:
        part, reaching = stack.pop()
        if isinstance(part, SharedLeaf):
            numbers[reaching] = number
            number += 1
            continue
        step = part.step
        part_codes = codes[step.column].take(rows.take(reaching))
        yes = says_yes(columns[step.column], part_codes, step.cut, step.missing)
        stack += ((part.no, reaching.compress(~yes)), (part.yes, reaching.compress(yes)))
    return numbers
