"""From the arrays of a forest to the plain tree of one group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from imd_widget.learners.meta_trees.features import TreeFeature
from imd_widget.learners.meta_trees.forest import Forest
from imd_widget.learners.meta_trees.nodes import TreeNode
from imd_widget.learners.meta_trees.questions import Question
from imd_widget.learners.meta_trees.tree import MetaClassTree, MetaTree

#: Of each feature on a path: the raw values that can arrive, low <= value < high, and whether
#: missing ones can.
Reach = dict[int, tuple[float, float, bool]]

#: The threshold of features that are 0 or 1.
IS_YES = 0.5
ALWAYS_NO = (-np.inf, IS_YES, False)
#: No value, but missing ones.
ONLY_MISSING = (np.inf, -np.inf, True)


def export_tree(
    forest: Forest,
    tree: int,
    features: Sequence[TreeFeature],
    group: Hashable,
    classes: tuple[Hashable, ...] | None = None,
) -> MetaTree:
    """The tree with a number as plain values, without questions that have one possible answer."""
    exporting = _Exporting(forest, tree, features)
    exporting.add(0, {})
    nodes = tuple(node for node in exporting.nodes if node is not None)
    return MetaTree(nodes, group) if classes is None else MetaClassTree(nodes, group, classes)


@dataclass
class _Exporting:
    forest: Forest
    tree: int
    features: Sequence[TreeFeature]

    def __post_init__(self) -> None:
        self.nodes: list[TreeNode | None] = []
        missing = {f.position for f in self.features if f.kind == "missing"}
        self.had_missing = [f.position in missing for f in self.features]

    def add(self, at: int, reach: Reach) -> int:
        """Add the node at a place of the heap and all below it; returns its number."""
        forest, tree = self.forest, self.tree
        if forest.is_leaf[tree, at]:
            return self._leaf(at)
        feature = int(forest.feature[tree, at])
        threshold = float(forest.threshold[tree, at])
        missing_above = bool(forest.missing_above[tree, at])
        below, above = 2 * at + 1, 2 * at + 2
        if forest.slope[tree, at] < 0:
            below, above = above, below
        low, high, missing = reach.get(feature, (-np.inf, np.inf, self._can_miss(feature)))
        # for a missing value, too, the answer must be the only one
        if threshold <= low and not (missing and not missing_above):
            return self.add(above, reach)
        if threshold >= high and not (missing and missing_above):
            return self.add(below, reach)
        number = len(self.nodes)
        self.nodes.append(None)
        question = Question.about(
            self.features[feature],
            threshold,
            missing=missing_above,
            had_missing=self.had_missing[feature],
        )
        lower = (low, min(high, threshold), missing and not missing_above)
        upper = (max(low, threshold), high, missing and missing_above)
        no = self.add(below, self._narrowed(reach, feature, lower))
        yes = self.add(above, self._narrowed(reach, feature, upper))
        value, count = self._content(at)
        self.nodes[number] = TreeNode(value, count, question, no, yes)
        return number

    def _narrowed(self, reach: Reach, feature: int, values: tuple[float, float, bool]) -> Reach:
        """What can arrive after an answer, also of the other features of the same column."""
        narrowed = {**reach, feature: values}
        asked, yes = self.features[feature], values[0] == IS_YES
        for at, other in enumerate(self.features):
            if at == feature or other.position != asked.position:
                continue
            low, high, _ = reach.get(at, (-np.inf, np.inf, self._can_miss(at)))
            if asked.kind == "category" and yes:
                narrowed[at] = ALWAYS_NO
            elif asked.kind == "missing":
                if not self._can_miss(at):
                    narrowed[at] = ALWAYS_NO if yes else (low, high, False)
                else:
                    narrowed[at] = ONLY_MISSING if yes else (low, high, False)
            elif other.kind == "missing" and asked.kind != "category" and not values[2]:
                narrowed[at] = ALWAYS_NO
        return narrowed

    def _leaf(self, at: int) -> int:
        self.nodes.append(TreeNode(*self._content(at)))
        return len(self.nodes) - 1

    def _content(self, at: int) -> tuple[tuple[float, ...], int]:
        value = tuple(float(one) for one in self.forest.values[self.tree, at])
        return value, int(self.forest.n_examples[self.tree, at])

    def _can_miss(self, feature: int) -> bool:
        return self.features[feature].kind in ("number", "order")
