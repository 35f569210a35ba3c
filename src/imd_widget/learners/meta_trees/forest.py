"""The trees of many groups as arrays: how rows are routed through them, softly or hard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.learners.meta_trees.networks import sigmoid

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

#: Rows that are routed softly at once: their probabilities are held for every node.
CHUNK = 50_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table as trees and networks see them, each of shape (n_rows, n_features)."""

    #: NaN where a value is missing.
    raw: Floats
    standardised: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees with one question in a node, in heap order: the children of i are 2i + 1 and 2i + 2.

    All arrays but ``values`` are of shape (n_trees, n_inner), where n_inner is 2**depth - 1.
    """

    #: The feature that a node splits on.
    feature: Whole
    #: A row's answer is "above" if ``raw value >= threshold``.
    threshold: Floats
    #: beta times the weight of the feature; "above" leads to the second child if ``slope >= 0``,
    #: else to the first.
    slope: Floats
    #: The threshold before it was put between two raw values, standardised: softly, the second
    #: child has the probability ``sigmoid(slope * (x - centre))``.
    centre: Floats
    #: Whether a missing value's answer is "above".
    missing_above: NDArray[np.bool_]
    is_leaf: NDArray[np.bool_]
    #: The value of every node as a leaf.
    values: Floats
    #: Examples of the group that arrive at the node.
    n_examples: Whole
    #: Rules that weigh several features: beta * w and -beta * b. If given, a row goes to the second
    #: child if ``beta * (w @ x - b) >= 0``, and the questions above are not asked.
    dense: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def depth(self) -> int:
        """Questions on the longest path that the arrays can hold."""
        return int(self.feature.shape[1] + 1).bit_length() - 1

    def leaf_of(self, tree: Whole, rows: Rows) -> Whole:
        """The node in which each row ends; ``tree`` is the number of its tree."""
        node = np.zeros(len(tree), dtype=np.intp)
        for _ in range(self.depth):
            inner = ~self.is_leaf[tree, node]
            second = self.goes_second(tree, np.where(inner, node, 0), rows)
            node = np.where(inner, 2 * node + 1 + second, node)
        return node

    def goes_second(self, tree: Whole, node: Whole, rows: Rows) -> NDArray[np.bool_]:
        """Whether rows go from the given inner nodes to their second children."""
        if self.dense is not None:
            rule = self.dense[tree, node]
            return np.asarray((rows.standardised * rule[:, :-1]).sum(axis=1) + rule[:, -1] >= 0)
        raw = rows.raw[np.arange(len(tree)), self.feature[tree, node]]
        above = np.where(
            np.isnan(raw), self.missing_above[tree, node], raw >= self.threshold[tree, node]
        )
        return np.asarray(above == (self.slope[tree, node] >= 0))

    def predict_hard(self, tree: Whole, rows: Rows) -> Floats:
        """The value of the leaf in which each row ends: shape (n_rows, n_outputs)."""
        return np.asarray(self.values[tree, self.leaf_of(tree, rows)])

    def predict_soft(self, tree: Whole, rows: Rows) -> Floats:
        """The mean value of the leaves, weighted by the probability that a row ends in them."""
        x = rows.standardised
        parts = [
            self._soft_part(tree[start : start + CHUNK], x[start : start + CHUNK])
            for start in range(0, len(tree), CHUNK)
        ]
        return np.concatenate(parts)

    def _soft_part(self, tree: Whole, x: NDArray[Any]) -> Floats:
        out = np.zeros((len(tree), self.values.shape[2]))
        reach = np.ones((len(tree), 1))
        for level in range(self.depth + 1):
            here = slice(2**level - 1, 2 ** (level + 1) - 1)
            leaf = self.is_leaf[tree, here]
            out += ((reach * leaf)[:, :, None] * self.values[tree, here]).sum(axis=1)
            if level < self.depth:
                second = sigmoid(self._scores(tree, here, x), np)
                inner = reach * ~leaf
                both = [inner * (1 - second), inner * second]
                reach = np.stack(both, axis=2).reshape(len(tree), -1)
        return out

    def _scores(self, tree: Whole, here: slice, x: NDArray[Any]) -> Floats:
        """The score beta * (w @ x - b) for every row and every node of a level."""
        if self.dense is not None:
            rule = self.dense[tree, here]
            return np.asarray((x[:, None, :] * rule[:, :, :-1]).sum(axis=2) + rule[:, :, -1])
        asked = x[np.arange(len(tree))[:, None], self.feature[tree, here]]
        return np.asarray(self.slope[tree, here] * (asked - self.centre[tree, here]))
