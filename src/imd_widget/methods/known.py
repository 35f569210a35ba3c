"""The fit of known rules: a joint tree over the boxes in which alone two models differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from imd_widget.counting.tallies import Tally
from imd_widget.data.boxes import Box, yes_codes
from imd_widget.data.columns import Column
from imd_widget.methods.base import Fit, Problem
from imd_widget.methods.calibrated import build, calibrated
from imd_widget.rules.cycles import is_run
from imd_widget.rules.regions import Region, usual_outcomes
from imd_widget.tree.requests import SharedLeafCounts, SharedLeaves
from imd_widget.tree.shape import Step
from imd_widget.tree.shared_tree import SharedLeaf, SharedSplit, SharedTree, trimmed

#: Largest number of leaves of the tree over the boxes; rules are fitted instead of a larger one.
MOST_LEAVES = 500
#: The boxes that contain a leaf.
Owners = tuple[int, ...]


def fit_known(problem: Problem) -> Fit | None:
    """Return a tree over the known boxes, whose regions are those in which some row differs.

    None if boxes overlap, or if their tree is too large.
    """
    columns = tuple(problem.source.columns)
    if not all(_is_interval(columns[at], own) for box in problem.known for at, own in box.items()):
        return None
    every = {at: (1 << column.n_codes) - 1 for at, column in enumerate(columns)}
    owners: list[Owners] = []
    try:
        shared_tree = _tree_over(problem.known, columns, every, owners)
    except _TooLargeError:
        return None
    with problem.source.session():
        rows = problem.source.target.rows(_counted(problem, shared_tree).fit.counts.T).tolist()
        # what no row reaches is not drawn
        shared_tree = trimmed(shared_tree, rows, 1)
        owners = [own for own, n in zip(owners, rows, strict=True) if n]
        if any(len(own) > 1 for own in owners):
            return None
        counts = _counted(problem, shared_tree)
        regions = list(_regions(problem, owners, counts))
        claimed = {leaf for region in regions for leaf in region.nodes}
        calibration = replace(
            calibrated(problem, shared_tree, counts, None),
            claims=np.isin(np.arange(len(owners)), sorted(claimed)),
        )
        fit = build(problem, shared_tree, calibration, counts, grow_on=True, regions=regions)
    return replace(fit, known=True)


def _counted(problem: Problem, shared_tree: SharedTree) -> SharedLeafCounts:
    return problem.source.answer(SharedLeaves(shared_tree))


def _regions(
    problem: Problem, owners: Sequence[Owners], counts: SharedLeafCounts
) -> Iterator[Region]:
    """Yield the boxes with a differing row as regions, whose ``nodes`` are numbers of leaves."""
    found = []
    for number, box in enumerate(problem.known):
        leaves = tuple(leaf for leaf, own in enumerate(owners) if number in own)
        if not leaves:
            continue
        fit, holdout = (
            _sum([part[leaf] for leaf in leaves]) for part in (counts.fit, counts.holdout)
        )
        if problem.source.target.differing_rows(fit.counts) > 0:
            outcomes = usual_outcomes(fit, problem.pairs)
            found.append(Region(box, (), leaves, outcomes, fit, holdout))
    yield from problem.recounted(found)


def _sum(tallies: Sequence[Tally]) -> Tally:
    total = tallies[0]
    for other in tallies[1:]:
        total += other
    return total


def _is_interval(column: Column, codes: int) -> bool:
    return not column.ordered or is_run(codes & ((1 << column.n_values) - 1))


class _TooLargeError(Exception):
    """The tree over some boxes has more than `MOST_LEAVES` leaves."""


def _tree_over(
    boxes: Sequence[Box], columns: Sequence[Column], reached: dict[int, int], owners: list[Owners]
) -> SharedTree:
    """Return the tree over boxes, of rows with the codes ``reached``; add its leaves to ``owners``.

    The next split is the one that separates most: after which the fewest boxes are on both sides.
    """
    inside = [number for number, box in enumerate(boxes) if _meets(box, reached)]
    best: tuple[int, Step, dict[int, int], dict[int, int]] | None = None
    for number in inside:
        for at in boxes[number]:
            step = _step(columns[at], at, boxes[number][at], reached[at])
            if step is None:
                continue
            yes = yes_codes(columns[at], step.cut, step.missing) & reached[at]
            sides = ({**reached, at: yes}, {**reached, at: reached[at] & ~yes})
            n_boxes = sum(_meets(boxes[other], side) for side in sides for other in inside)
            if best is None or n_boxes < best[0]:
                best = (n_boxes, step, *sides)
    if best is None:
        if len(owners) == MOST_LEAVES:
            raise _TooLargeError
        owners.append(tuple(inside))
        return SharedLeaf()
    _, step, *both = best
    first, second = (_tree_over(boxes, columns, side, owners) for side in both)
    return SharedSplit(step, first, second)


def _meets(box: Box, reached: Mapping[int, int]) -> bool:
    return all(codes & reached[at] for at, codes in box.items())


def _step(column: Column, at: int, box: int, reached: int) -> Step | None:
    """Return a split between codes that are reached inside a box and outside; None if all are in.

    ``box`` and ``reached`` are the codes of one column, as bits.
    """
    if not reached & ~box:
        return None
    missing = 1 << column.n_values
    inside, outside = reached & box & ~missing, reached & ~box & ~missing
    if not inside or not outside:  # only whether a value is missing decides
        cut = column.n_values - 1 if column.ordered else column.n_values
        return Step(at, cut, missing=False, yes=True)
    with_missing = bool(box & missing)
    if column.ordered:
        lowest = (inside & -inside).bit_length() - 1
        below = outside & ((1 << lowest) - 1)
        if below:
            return Step(at, lowest - 1, missing=not with_missing, yes=True)
        return Step(at, inside.bit_length() - 1, missing=with_missing, yes=True)
    others = 1 << (column.n_values - 1)
    named = min((inside, outside), key=lambda codes: (bool(codes & others), codes.bit_count()))
    cut = (named & -named).bit_length() - 1
    return Step(at, cut, missing=with_missing == bool(box >> cut & 1), yes=True)
