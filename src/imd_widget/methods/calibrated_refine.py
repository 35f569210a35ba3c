"""One more question for every impure region that is a shared leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.methods.base import Fit, Problem
from imd_widget.methods.calibrated import build, calibrated, with_differences
from imd_widget.rules.regions import usual_outcomes
from imd_widget.tree.pruning import Calibration
from imd_widget.tree.shape import Path, Step, TreeShape
from imd_widget.tree.shared_tree import SharedLeaf, SharedSplit, SharedTree, shared_leaves
from imd_widget.tree.source import SharedLeafCounts
from imd_widget.tree.splitter import NodeSplits, Objective


def refinable_shared_leaves(problem: Problem, fit: Fit) -> tuple[int, ...]:
    """Nodes of the shared leaves that a refinement step would split."""
    nodes = _leaf_nodes(fit)
    return tuple(nodes[number] for number in _useful_splits(problem, fit))


def refine_shared_leaves(problem: Problem, before: Fit) -> Fit:
    """Split every impure claimed shared leaf once more, by where the models differ.

    Its halves are judged by the threshold of the first fit. A split after which both halves would
    be claimed for the same outcomes says nothing new, and is not made.
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
    return build(problem, new.shared_tree, new.calibration, new.counts, before.grows_on, kept)


def _leaf_nodes(fit: Fit) -> list[int]:
    assert fit.shared_tree is not None
    return [fit.tree.shared_node(path) for path, _ in shared_leaves(fit.shared_tree)]


def _useful_splits(problem: Problem, fit: Fit) -> dict[int, Step]:
    """Questions that tell something new about an impure shared leaf, by its number."""
    assert fit.shared_tree is not None
    impure = set(fit.impure)
    chosen = [number for number, node in enumerate(_leaf_nodes(fit)) if node in impure]
    paths = [path for path, _ in shared_leaves(fit.shared_tree)]
    steps = _best_questions(problem, [paths[number] for number in chosen])
    shared_splits = {
        number: step for number, step in zip(chosen, steps, strict=True) if step is not None
    }
    tried = _judged(problem, fit, shared_splits)
    return {number: step for number, step in shared_splits.items() if tried.tells_apart(number)}


@dataclass(frozen=True, eq=False)
class _Judged:
    """A shared tree with some shared leaves split, and what is claimed of it.

    ``halves`` says for each shared leaf that was split the number of the first of its two halves.
    """

    shared_tree: SharedTree
    counts: SharedLeafCounts
    calibration: Calibration
    halves: dict[int, int]
    pairs: NDArray[np.int64]

    def tells_apart(self, shared_leaf: int) -> bool:
        """Whether the two halves of a shared leaf are claimed differently."""
        first = self.halves[shared_leaf]
        claims = self.calibration.claims[first : first + 2]
        said = [usual_outcomes(self.counts.fit[half], self.pairs) for half in (first, first + 1)]
        return bool(claims[0] != claims[1]) or (bool(claims[0]) and said[0] != said[1])


def _judged(problem: Problem, before: Fit, shared_splits: dict[int, Step]) -> _Judged:
    assert before.shared_tree is not None
    assert before.calibration is not None
    shared_tree = _with_splits(before.shared_tree, shared_splits)
    counts = problem.source.shared_leaves(shared_tree)
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


def _best_questions(problem: Problem, paths: Sequence[Path]) -> list[Step | None]:
    """For each path the question that tells best where the models differ; None: there is none."""
    minimum = problem.options.min_samples_leaf
    source = problem.source
    found: list[Step | None] = []
    for histogram in source.count(paths):
        splits = NodeSplits(histogram, source.target, source.layout, minimum)
        if splits.none:
            found.append(None)
            continue
        split, _ = splits.best_common(Objective(models=0, differs=1))
        found.append(Step(split.column, split.cut, split.missing, yes=True))
    return found


def _with_splits(shared_tree: SharedTree, steps: dict[int, Step], first: int = 0) -> SharedTree:
    """The shared tree with a new question at the shared leaves whose numbers are in ``steps``."""
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
