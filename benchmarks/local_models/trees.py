"""A tree that is pruned as C4.5 prunes, which scikit-learn's is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import beta
from sklearn.tree import DecisionTreeClassifier

#: C4.5's default.
CONFIDENCE = 0.25


def errors_expected(n: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """Upper limit of the number of errors among n rows of which some were wrong."""
    rate = np.where(wrong < n, beta.ppf(1 - CONFIDENCE, wrong + 1, np.maximum(n - wrong, 0.5)), 1)
    return n * rate


class PrunedTree(DecisionTreeClassifier):
    """Entropy, two rows a leaf, and a subtree becomes a leaf if that promises no more errors."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Grow, then prune from the leaves up."""
        super().fit(X, y, sample_weight, check_input)
        tree = self.tree_
        n = tree.n_node_samples.astype(float)
        expected = errors_expected(n, np.round(n * (1 - tree.value[:, 0].max(axis=1))))
        kept = expected.copy()
        # children have higher numbers than their parents
        for node in range(tree.node_count - 1, -1, -1):
            left, right = tree.children_left[node], tree.children_right[node]
            if left < 0:
                continue
            below = kept[left] + kept[right]
            if expected[node] <= below + 1e-9:
                tree.children_left[node] = tree.children_right[node] = -1
            else:
                kept[node] = below
        return self

    def _depths(self) -> dict[int, int]:
        """Depth of each leaf that can still be reached."""
        leaves, waiting = {}, [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            left, right = self.tree_.children_left[node], self.tree_.children_right[node]
            if left < 0:
                leaves[node] = depth
            else:
                waiting += [(left, depth + 1), (right, depth + 1)]
        return leaves

    def get_depth(self) -> int:
        """Depth after pruning."""
        return max(self._depths().values())

    def get_n_leaves(self) -> int:
        """Leaves after pruning."""
        return len(self._depths())


def pruned_tree(max_depth: int | None = None) -> PrunedTree:
    """The tree as the benchmark takes it."""
    return PrunedTree(criterion="entropy", min_samples_leaf=2, max_depth=max_depth, random_state=0)
