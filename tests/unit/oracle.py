"""A deliberately naive reading of the paper: lists, loops, no histogram, no code of ours.

Section 4.1 as it stands: condition (6) or (5), the common split (4), diff regions (3), refinement.
The entropy is the one of the product, rows times entropy in 1/65536 bits, and so is the order
of ties: the first column, then the lowest threshold; the first label.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


def x_log_x(n: int) -> int:
    return round(n * math.log2(n) * 65536) if n else 0


def impurity(labels: list[Any]) -> int:
    return x_log_x(len(labels)) - sum(x_log_x(labels.count(v)) for v in sorted(set(labels)))


@dataclass
class Node:
    """A surrogate's node below an or-node: a split, or a leaf when ``split`` is None."""

    rows: list[int]
    bounds: dict[int, tuple[float, float]]
    split: tuple[int, float] | None = None
    children: list[Node] = field(default_factory=list)

    def leaves(self) -> list[Node]:
        return [leaf for child in self.children for leaf in child.leaves()] or [self]


@dataclass
class Oracle:
    """Grows the joint tree of two lists of labels and reads the diff regions off it."""

    X: list[list[float]]
    y1: list[Any]
    y2: list[Any]
    max_depth: int
    alpha: float | None = None
    min_samples_leaf: int = 1
    or_nodes: list[tuple[Node, Node]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.grow_joint(list(range(len(self.X))), {}, 0)

    def candidates(self, rows: list[int]) -> list[tuple[int, float]]:
        found = []
        for f in range(len(self.X[0])):
            for t in sorted({self.X[r][f] for r in rows}):
                left = sum(self.X[r][f] < t for r in rows)
                if left >= self.min_samples_leaf and len(rows) - left >= self.min_samples_leaf:
                    found.append((f, t))
        return found

    def cost(self, rows: list[int], y: list[Any], f: int, t: float) -> int:
        left = [y[r] for r in rows if self.X[r][f] < t]
        right = [y[r] for r in rows if not self.X[r][f] < t]
        return impurity(left) + impurity(right)

    def best(self, rows: list[int], *ys: list[Any]) -> tuple[int, tuple[int, float]]:
        """Least sum of impurities and the first split that has it; max keeps ties in order."""
        costed = [
            (sum(self.cost(rows, y, f, t) for y in ys), (f, t)) for f, t in self.candidates(rows)
        ]
        return min(costed, key=lambda pair: pair[0])

    def grow_joint(self, rows: list[int], bounds: dict[int, Any], depth: int) -> None:
        pure = all(len({y[r] for r in rows}) == 1 for y in (self.y1, self.y2))
        if depth == self.max_depth or pure or not self.candidates(rows):
            self.or_nodes.append((Node(rows, bounds), Node(rows, bounds)))
            return
        first, second = self.best(rows, self.y1)[0], self.best(rows, self.y2)[0]
        both, (f, t) = self.best(rows, self.y1, self.y2)
        diverge = (
            (first == 0 or second == 0)
            if self.alpha is None
            else first + second <= self.alpha * both
        )
        if diverge:
            branches = Node(rows, bounds), Node(rows, bounds)
            for branch, y in zip(branches, (self.y1, self.y2), strict=True):
                self.grow_single(branch, y, depth)
            self.or_nodes.append(branches)
        else:
            for side in self.sides(rows, bounds, f, t):
                self.grow_joint(*side, depth + 1)

    def grow_single(self, node: Node, y: list[Any], depth: int) -> None:
        if depth < self.max_depth and self.split_once(node, y):
            for child in node.children:
                self.grow_single(child, y, depth + 1)

    def split_once(self, node: Node, y: list[Any]) -> bool:
        if len({y[r] for r in node.rows}) == 1 or not self.candidates(node.rows):
            return False
        node.split = self.best(node.rows, y)[1]
        node.children = [Node(*side) for side in self.sides(node.rows, node.bounds, *node.split)]
        return True

    def sides(self, rows: list[int], bounds: dict[int, Any], f: int, t: float) -> list[Any]:
        low, high = bounds.get(f, (-math.inf, math.inf))
        left = [r for r in rows if self.X[r][f] < t]
        right = [r for r in rows if not self.X[r][f] < t]
        return [
            (left, {**bounds, f: (low, min(high, t))}),
            (right, {**bounds, f: (max(low, t), high)}),
        ]

    def label(self, leaf: Node, y: list[Any]) -> Any:
        own = [y[r] for r in leaf.rows]
        return max(sorted(set(self.y1) | set(self.y2)), key=own.count)

    def diff_pairs(self) -> list[tuple[Node, Node, dict[int, tuple[float, float]]]]:
        found = []
        for one, two in self.or_nodes:
            for a in one.leaves():
                for b in two.leaves():
                    bounds = dict(a.bounds)
                    for f, (low, high) in b.bounds.items():
                        old = bounds.get(f, (-math.inf, math.inf))
                        bounds[f] = (max(low, old[0]), min(high, old[1]))
                    possible = all(low < high for low, high in bounds.values())
                    if possible and self.label(a, self.y1) != self.label(b, self.y2):
                        found.append((a, b, bounds))
        return found

    def refine(self) -> None:
        pairs = self.diff_pairs()
        for leaf in {id(a): a for a, _, _ in pairs}.values():
            self.split_once(leaf, self.y1)
        for leaf in {id(b): b for _, b, _ in pairs}.values():
            self.split_once(leaf, self.y2)

    def rules(self) -> list[tuple[Any, ...]]:
        """Sorted: (bounds by column, outcomes, rows inside, differing rows inside)."""
        found = []
        for a, b, bounds in self.diff_pairs():
            inside = set(a.rows) & set(b.rows)
            differing = sum(self.y1[r] != self.y2[r] for r in inside)
            outcomes = (self.label(a, self.y1), self.label(b, self.y2))
            found.append((tuple(sorted(bounds.items())), outcomes, len(inside), differing))
        return sorted(found)
