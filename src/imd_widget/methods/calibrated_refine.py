"""The refinement step of "calibrated" and "direct": split impure shared leaves once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Purpose
from imd_widget.methods.base import Fit, Problem
from imd_widget.methods.calibrated import build, calibrated, with_differences
from imd_widget.rules.regions import usual_outcomes
from imd_widget.tree.pruning import Calibration
from imd_widget.tree.requests import Histograms, SharedLeafCounts, SharedLeaves
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedLeaf, SharedSplit, SharedTree, shared_leaves
from imd_widget.tree.splitter import NodeSplits, Objective


def refinable_shared_leaves(problem: Problem, fit: Fit) -> tuple[int, ...]:
    """Return the nodes of the shared leaves that a refinement step would split."""
    nodes = _leaf_nodes(fit)
    return tuple(nodes[number] for number in _useful_splits(problem, fit))


def refine_shared_leaves(problem: Problem, before: Fit) -> Fit:
    """Split every impure claimed shared leaf once more, by where the models differ.

    A half is claimed if its rate is at least the threshold of the first fit and a row of it
    differs. A split is not made if both halves would be claimed with the same outcomes, or if
    neither would be claimed.
    """
    useful = _useful_splits(problem, before)
    if not useful or before.shared_tree is None:
        return before
    new = _judged(problem, before, useful)
    nodes = _leaf_nodes(before)
    kept: dict[Path, tuple[TreeShape, int]] = {
        path: (before.tree, nodes[number])
        for number, (path, _) in enumerate(shared_leaves(before.shared_tree))
        if number not in useful
    }
    return build(
        problem,
        new.shared_tree,
        new.calibration,
        new.counts,
        before.grows_on,
        kept,
        _carried(before.agreement_calibration, useful),
    )


def _carried(agreement: Calibration | None, shared_splits: dict[int, Step]) -> Calibration | None:
    """Return the claims of agreement after some leaves, which claim none, were split."""
    if agreement is None:
        return None
    halves = [1 + (number in shared_splits) for number in range(len(agreement.claims))]
    return replace(
        agreement,
        rates=np.repeat(agreement.rates, halves),
        claims=np.repeat(agreement.claims, halves),
    )


def _leaf_nodes(fit: Fit) -> list[int]:
    assert fit.shared_tree is not None
    return [fit.tree.shared_node(path) for path, _ in shared_leaves(fit.shared_tree)]


def _useful_splits(problem: Problem, fit: Fit) -> dict[int, Step]:
    """Return the splits whose halves are claimed differently, by number of the shared leaf."""
    assert fit.shared_tree is not None
    impure = set(fit.impure)
    chosen = [number for number, node in enumerate(_leaf_nodes(fit)) if node in impure]
    paths = [path for path, _ in shared_leaves(fit.shared_tree)]
    steps = _best_splits(problem, [paths[number] for number in chosen])
    shared_splits = {
        number: step for number, step in zip(chosen, steps, strict=True) if step is not None
    }
    tried = _judged(problem, fit, shared_splits)
    return {number: step for number, step in shared_splits.items() if tried.tells_apart(number)}


@dataclass(frozen=True, eq=False)
class _Judged:
    """A shared tree with some shared leaves split, and its calibration.

    ``halves`` maps the number of a split leaf to the new number of the first of its two halves.
    """

    shared_tree: SharedTree
    counts: SharedLeafCounts
    calibration: Calibration
    halves: dict[int, int]
    pairs: NDArray[np.int64]

    def tells_apart(self, shared_leaf: int) -> bool:
        """Whether the halves differ in being claimed, or in their outcomes if both are claimed."""
        first = self.halves[shared_leaf]
        claims = self.calibration.claims[first : first + 2]
        outcomes = [
            usual_outcomes(self.counts.fit[half], self.pairs) for half in (first, first + 1)
        ]
        return bool(claims[0] != claims[1]) or (bool(claims[0]) and outcomes[0] != outcomes[1])


def _judged(problem: Problem, before: Fit, shared_splits: dict[int, Step]) -> _Judged:
    assert before.shared_tree is not None
    assert before.calibration is not None
    shared_tree = _with_splits(before.shared_tree, shared_splits)
    counts = problem.source.answer(SharedLeaves(shared_tree))
    again = calibrated(problem, shared_tree, counts, None)
    threshold = before.calibration.threshold
    claims: list[bool] = []
    halves: dict[int, int] = {}
    for number, claimed in enumerate(before.calibration.claims):
        if number in shared_splits:
            halves[number] = len(claims)
            claims += (again.rates[len(claims) : len(claims) + 2] >= threshold).tolist()
        else:
            claims.append(bool(claimed))
    calibration = replace(again, threshold=threshold, claims=np.array(claims))
    calibration = with_differences(problem, calibration, counts)
    return _Judged(shared_tree, counts, calibration, halves, problem.pairs)


def _best_splits(problem: Problem, paths: Sequence[Path]) -> list[Step | None]:
    """Return the split with the purest "differs" for each path; None if no split is allowed."""
    minimum = problem.method.min_samples_leaf
    source = problem.source
    steps: list[Step | None] = []
    for path, histogram in zip(paths, source.answer(Histograms(paths)), strict=True):
        splits = NodeSplits(
            histogram, source.target, source.layout, minimum, [Purpose.DIFFERS], len(path)
        )
        if splits.none:
            steps.append(None)
            continue
        split, _ = splits.best_common(Objective(models=0, differs=1))
        steps.append(Step(split.column, split.cut, split.missing, yes=True))
    return steps


def _with_splits(shared_tree: SharedTree, steps: dict[int, Step], first: int = 0) -> SharedTree:
    """Return the shared tree with the leaves whose numbers are in ``steps`` split."""
    if isinstance(shared_tree, SharedLeaf):
        return (
            SharedSplit(steps[first], SharedLeaf(), SharedLeaf()) if first in steps else shared_tree
        )
    middle = first + len(shared_leaves(shared_tree.yes))
    return SharedSplit(
        shared_tree.step,
        _with_splits(shared_tree.yes, steps, first),
        _with_splits(shared_tree.no, steps, middle),
    )
