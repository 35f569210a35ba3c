"""The shared part of a joint tree on its own: questions, and tips that claim a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes, Column, says_yes
from imd_widget.tree.shape import Kind, Path, Step, TreeShape


@dataclass(frozen=True)
class Tip:
    """Where a skeleton ends: are the models said to differ there?"""

    claims: bool = False


@dataclass(frozen=True)
class Fork:
    """A question (``step``, as answered with yes) and what follows either answer."""

    step: Step
    yes: Skeleton
    no: Skeleton


Skeleton = Fork | Tip


def skeleton_of(tree: TreeShape, node: int = 0) -> Skeleton:
    """The shared splits of a tree; its or-nodes become tips."""
    if tree.kind[node] != Kind.SPLIT:
        return Tip()
    yes, no = (skeleton_of(tree, int(child)) for child in tree.children[node])
    return Fork(tree.question(node), yes, no)


def walk(skeleton: Skeleton, path: Path = ()) -> Iterator[tuple[Path, Skeleton]]:
    """Every fork and tip with the way to it, "yes" before "no"."""
    yield path, skeleton
    if isinstance(skeleton, Fork):
        yield from walk(skeleton.yes, (*path, skeleton.step))
        yield from walk(skeleton.no, (*path, skeleton.step._replace(yes=False)))


def tips(skeleton: Skeleton) -> list[tuple[Path, Tip]]:
    """The tips alone, with the way to each."""
    return [(path, part) for path, part in walk(skeleton) if isinstance(part, Tip)]


def with_claims(skeleton: Skeleton, claims: Sequence[bool]) -> Skeleton:
    """The same questions; the tips, in order, claim what is given."""
    return _with_claims(skeleton, iter(claims))


def _with_claims(skeleton: Skeleton, claims: Iterator[bool]) -> Skeleton:
    if isinstance(skeleton, Tip):
        return Tip(bool(next(claims)))
    yes = _with_claims(skeleton.yes, claims)
    return Fork(skeleton.step, yes, _with_claims(skeleton.no, claims))


def trimmed(skeleton: Skeleton, rows: Sequence[int], min_rows: int) -> Skeleton:
    """The skeleton without the forks that have fewer than ``min_rows`` on a side.

    ``rows`` are those at the tips, in order. Rows of a side that is cut off go the other way, so
    the counts change wherever the skeleton does.
    """
    if isinstance(skeleton, Tip):
        return skeleton
    middle = len(tips(skeleton.yes))
    sides = rows[:middle], rows[middle:]
    if sum(sides[0]) < min_rows or sum(sides[1]) < min_rows:
        larger = int(sum(sides[1]) > sum(sides[0]))
        return trimmed(skeleton.no if larger else skeleton.yes, sides[larger], min_rows)
    yes, no = (
        trimmed(part, side, min_rows)
        for part, side in zip((skeleton.yes, skeleton.no), sides, strict=True)
    )
    same = yes is skeleton.yes and no is skeleton.no
    return skeleton if same else Fork(skeleton.step, yes, no)


def condensed(skeleton: Skeleton) -> Skeleton:
    """The smallest skeleton that makes the same claims."""
    if isinstance(skeleton, Tip):
        return skeleton
    yes, no = condensed(skeleton.yes), condensed(skeleton.no)
    if isinstance(yes, Tip) and yes == no:
        return yes
    return Fork(skeleton.step, yes, no)


def tip_numbers(
    skeleton: Skeleton,
    columns: Sequence[Column],
    codes: Sequence[Codes],
    rows: NDArray[np.int32],
) -> NDArray[np.int32]:
    """For each of ``rows``, the number of the tip it reaches."""
    numbers = np.empty(len(rows), dtype=np.int32)
    stack = [(skeleton, np.arange(len(rows), dtype=np.int32))]
    number = 0
    while stack:
        part, here = stack.pop()
        if isinstance(part, Tip):
            numbers[here] = number
            number += 1
            continue
        step = part.step
        asked = codes[step.column].take(rows.take(here))
        yes = says_yes(columns[step.column], asked, step.cut, step.missing)
        stack += ((part.no, here.compress(~yes)), (part.yes, here.compress(yes)))
    return numbers
