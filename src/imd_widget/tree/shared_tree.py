"""The shared part of a joint tree on its own: questions, and leaves that claim a difference."""

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
    """Where a shared tree ends: are the models said to differ there?"""

    claims: bool = False


@dataclass(frozen=True)
class SharedSplit:
    """A question (``step``, as answered with yes) and what follows either answer."""

    step: Step
    yes: SharedTree
    no: SharedTree


SharedTree = SharedSplit | SharedLeaf


def shared_tree_of(tree: TreeShape, node: int = 0) -> SharedTree:
    """The shared splits of a tree; its or-nodes become shared leaves."""
    if tree.kind[node] != Kind.SPLIT:
        return SharedLeaf()
    yes, no = (shared_tree_of(tree, int(child)) for child in tree.children[node])
    return SharedSplit(tree.question(node), yes, no)


def walk(shared_tree: SharedTree, path: Path = ()) -> Iterator[tuple[Path, SharedTree]]:
    """Every shared split and shared leaf with the way to it, "yes" before "no"."""
    yield path, shared_tree
    if isinstance(shared_tree, SharedSplit):
        yield from walk(shared_tree.yes, (*path, shared_tree.step))
        yield from walk(shared_tree.no, (*path, shared_tree.step._replace(yes=False)))


def shared_leaves(shared_tree: SharedTree) -> list[tuple[Path, SharedLeaf]]:
    """The shared leaves alone, with the way to each."""
    return [(path, part) for path, part in walk(shared_tree) if isinstance(part, SharedLeaf)]


def with_claims(shared_tree: SharedTree, claims: Sequence[bool]) -> SharedTree:
    """The same questions; the shared leaves, in order, claim what is given."""
    return _with_claims(shared_tree, iter(claims))


def _with_claims(shared_tree: SharedTree, claims: Iterator[bool]) -> SharedTree:
    if isinstance(shared_tree, SharedLeaf):
        return SharedLeaf(bool(next(claims)))
    yes = _with_claims(shared_tree.yes, claims)
    return SharedSplit(shared_tree.step, yes, _with_claims(shared_tree.no, claims))


def trimmed(shared_tree: SharedTree, rows: Sequence[int], min_rows: int) -> SharedTree:
    """The shared tree without the shared splits that have fewer than ``min_rows`` on a side.

    ``rows`` are those at the leaves, in order. Rows of a side that is cut off go the other way, so
    the counts change wherever the shared tree does.
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
    """The smallest shared tree that makes the same claims."""
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
    """For each of ``rows``, the number of the shared leaf it reaches."""
    numbers = np.empty(len(rows), dtype=np.int32)
    stack = [(shared_tree, np.arange(len(rows), dtype=np.int32))]
    number = 0
    while stack:
        part, here = stack.pop()
        if isinstance(part, SharedLeaf):
            numbers[here] = number
            number += 1
            continue
        step = part.step
        asked = codes[step.column].take(rows.take(here))
        yes = says_yes(columns[step.column], asked, step.cut, step.missing)
        stack += ((part.no, here.compress(~yes)), (part.yes, here.compress(yes)))
    return numbers
