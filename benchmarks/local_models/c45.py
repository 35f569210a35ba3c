"""C4.5 (Release 8) for columns of numbers, with each of its rules as an option."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from benchmarks.local_models.trees import errors_expected

Floats = NDArray[np.float64]
#: C4.5's defaults: cases that two branches need, and the most that a threshold asks for.
LEAST_CASES, MOST_ASKED = 2, 25


@dataclass
class Node:
    """A node of the tree, by the counts of the classes that reach it."""

    counts: Floats
    column: int = -1
    threshold: float = 0.0
    children: list[Node] = field(default_factory=list)

    @property
    def errors(self) -> float:
        """Training errors as a leaf."""
        return float(self.counts.sum() - self.counts.max())


class C45(ClassifierMixin, BaseEstimator):
    """The decision tree of Quinlan's C4.5 without discrete columns and missing values.

    Parameters
    ----------
    max_depth : int, optional
    wide_sides : bool, default=True
        Whether both sides of a threshold need a tenth of the cases for each class, from 2 to 25.
    penalty : bool, default=True
        Whether the gain of a threshold is reduced by the bits that choose it.
    ratio : bool, default=True
        Whether columns are ranked by their gain ratio, among those with an average gain.
    raising : bool, default=True
        Whether a subtree may be replaced by its larger branch.
    """

    def __init__(
        self,
        max_depth: int | None = None,
        *,
        wide_sides: bool = True,
        penalty: bool = True,
        ratio: bool = True,
        raising: bool = True,
    ) -> None:
        self.max_depth = max_depth
        self.wide_sides = wide_sides
        self.penalty = penalty
        self.ratio = ratio
        self.raising = raising

    def fit(self, X: Any, y: Any) -> Self:
        """Grow, collapse and prune."""
        X = np.asarray(X, dtype=float)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        self._X, self._one_hot = X, np.eye(len(self.classes_))[codes]
        self.root_ = self._grow(np.arange(len(X)), 0)
        self._collapse(self.root_)
        self._prune(self.root_, np.arange(len(X)))
        del self._X, self._one_hot
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class at the leaf, with Laplace's correction."""
        counts = self._leaf_counts(np.asarray(X, dtype=float))
        return (counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most frequent class at the leaf."""
        return self.classes_[self._leaf_counts(np.asarray(X, dtype=float)).argmax(axis=1)]

    def get_depth(self) -> int:
        """Conditions on the longest path."""
        return _depth(self.root_)

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        return _n_leaves(self.root_)

    def _leaf_counts(self, X: Floats) -> Floats:
        found = np.empty((len(X), len(self.classes_)))
        waiting = [(self.root_, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            if not node.children:
                found[rows] = node.counts
                continue
            low = X[rows, node.column] <= node.threshold
            waiting += zip(node.children, (rows[low], rows[~low]), strict=True)
        return found

    def _grow(self, rows: NDArray[np.intp], depth: int) -> Node:
        node = Node(self._one_hot[rows].sum(axis=0))
        enough = len(rows) >= 2 * LEAST_CASES and node.errors > 0
        if not enough or depth == self.max_depth:
            return node
        splits = [self._best_threshold(rows, column) for column in range(self._X.shape[1])]
        gaining = [split for split in splits if split is not None and split[0] > 1e-12]
        if not gaining:
            return node
        mean = sum(split[0] for split in gaining) / len(gaining)
        good = [split for split in gaining if split[0] >= mean - 1e-3]
        best = max(good, key=lambda s: s[1]) if self.ratio else max(gaining, key=lambda s: s[0])
        _, _, node.column, node.threshold = best
        low = self._X[rows, node.column] <= node.threshold
        node.children = [self._grow(part, depth + 1) for part in (rows[low], rows[~low])]
        return node

    def _best_threshold(
        self, rows: NDArray[np.intp], column: int
    ) -> tuple[float, float, int, float] | None:
        """Gain, gain ratio, column and threshold of the best test on a column."""
        order = rows[np.argsort(self._X[rows, column], kind="stable")]
        values = self._X[order, column]
        n, n_classes = len(rows), self._one_hot.shape[1]
        least = LEAST_CASES
        if self.wide_sides:
            least = int(np.clip(0.1 * n / n_classes, LEAST_CASES, MOST_ASKED))
        ends = np.flatnonzero(values[1:] > values[:-1] + 1e-5) + 1
        n_thresholds = len(ends)
        ends = ends[(ends >= least) & (n - ends >= least)]
        if not len(ends):
            return None
        below = np.cumsum(self._one_hot[order], axis=0)[ends - 1]
        above = self._one_hot[order].sum(axis=0) - below
        left = (_bits(below) + _bits(above)) / n
        gain = _bits((below + above)[:1])[0] / n - left
        at = int(gain.argmax())
        own = float(gain[at]) - (np.log2(n_thresholds) / n if self.penalty else 0.0)
        share = ends[at] / n
        information = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
        return own, own / information, column, float(values[ends[at] - 1])

    def _collapse(self, node: Node) -> float:
        """Make a leaf of a subtree that has no fewer training errors."""
        if not node.children:
            return node.errors
        below = sum(self._collapse(child) for child in node.children)
        if below >= node.errors - 1e-9:
            node.children = []
            return node.errors
        return below

    def _prune(self, node: Node, rows: NDArray[np.intp]) -> float:
        """Replace a subtree by a leaf, or by its larger branch, where fewer errors are expected."""
        node.counts = self._one_hot[rows].sum(axis=0)
        as_leaf = float(_expected(node.counts))
        if not node.children:
            return as_leaf
        low = self._X[rows, node.column] <= node.threshold
        parts = rows[low], rows[~low]
        as_tree = sum(map(self._prune, node.children, parts))
        larger = node.children[int(len(parts[1]) > len(parts[0]))]
        raised = self._errors_of(larger, rows) if self.raising else np.inf
        if as_leaf <= min(as_tree, raised) + 0.1:
            node.children = []
            return as_leaf
        if raised <= as_tree + 0.1:
            node.column, node.threshold = larger.column, larger.threshold
            node.children = larger.children
            return self._prune(node, rows)
        return as_tree

    def _errors_of(self, node: Node, rows: NDArray[np.intp]) -> float:
        """Errors expected of a subtree if these rows reached it."""
        if not node.children:
            return float(_expected(self._one_hot[rows].sum(axis=0)))
        low = self._X[rows, node.column] <= node.threshold
        return sum(map(self._errors_of, node.children, (rows[low], rows[~low])))


def _expected(counts: Floats) -> float:
    n = counts.sum()
    return float(errors_expected(n, n - counts.max())) if n else 0.0


def _bits(counts: Floats) -> Floats:
    """Cases times entropy of rows of counts."""
    total = counts.sum(axis=1)

    def x_log_x(x: Floats) -> Floats:
        return np.where(x > 0, x * np.log2(np.maximum(x, 1)), 0.0)

    return x_log_x(total) - x_log_x(counts).sum(axis=1)


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.children)) if node.children else 0


def _n_leaves(node: Node) -> int:
    return sum(map(_n_leaves, node.children)) if node.children else 1
