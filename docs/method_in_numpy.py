"""Interpretable model differencing in plain NumPy: the complete algorithm, without its speed.

Columns hold numbers, none of them missing, and both models' outputs are labels. `joint_tree` is the
method of the paper, `default_tree` the default of `imd.diff`; `rules` reads the rules off either.
The tests compare both with the package, node for node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
#: Column and cut: rows with at most this code go to the first child; see `Problem.yes`.
Split = tuple[int, int]
#: The codes that a row may have in a column; columns that are not named may have any.
Box = dict[int, frozenset[int]]


@dataclass
class Problem:
    """Rows, the outputs of both models for them, and the options of the method."""

    X: Array
    y1: Array
    y2: Array
    max_depth: int = 6
    min_samples_leaf: int = 1
    alpha: float | None = None

    def __post_init__(self) -> None:
        self.values = [np.unique(column) for column in self.X.T]  # a code is a place among these
        coded = [np.searchsorted(v, c) for v, c in zip(self.values, self.X.T, strict=True)]
        self.codes = np.column_stack(coded)
        self.differs = self.y1 != self.y2
        self.labels = np.unique(np.concatenate([self.y1, self.y2]))

    def yes(self, rows: Array, split: Split) -> Array:
        """Whether rows go to the first child: ``x < value[cut + 1]``, or ``x is value[cut]``."""
        column, cut = split
        codes = self.codes[rows, column]
        return codes == cut if self.is_choice(column) else codes <= cut

    def is_choice(self, column: int) -> bool:
        """Whether a column has two values: then no one is less than the other."""
        return len(self.values[column]) == 2

    def splits(self, rows: Array, least: int) -> Iterator[Split]:
        """All splits with ``least`` rows on both sides, whose threshold is the value of a row."""
        for column in range(self.X.shape[1]):
            present = np.unique(self.codes[rows, column])
            for cut in present if self.is_choice(column) else present[present > 0] - 1:
                n_yes = self.yes(rows, (column, int(cut))).sum()
                if least <= n_yes <= len(rows) - least:
                    yield column, int(cut)


@dataclass
class Node:
    """A split with its two children, an or-node with a branch for each model, or a leaf."""

    rows: Array
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    branches: list[Node] = field(default_factory=list)
    #: Whether the models are claimed to differ at this leaf of `default_tree`, and its rate.
    claimed: bool = False
    rate: float = 0.0


class Rule(NamedTuple):
    """A box in which the two surrogates differ, their labels, and their leaves."""

    box: Box
    outcomes: tuple[Any, Any]
    first: Node
    second: Node


class Claim(NamedTuple):
    """A leaf of the default tree in which the models are claimed to differ."""

    leaf: Node
    box: Box


class Pruned(NamedTuple):
    """The default tree and its claimed leaves."""

    tree: Node
    claimed: list[Claim]


def x_log_x(n: int) -> int:
    """Return n log2 n in whole 1/65536 bits, so that equal splits are exactly equal."""
    return int(np.rint(n * np.log2(n) * 65536)) if n else 0


def impurity(labels: Array) -> int:
    """The number of rows times the entropy of their labels."""
    return x_log_x(len(labels)) - sum(map(x_log_x, np.unique(labels, return_counts=True)[1]))


def left_over(p: Problem, rows: Array, split: Split, labels: Array) -> int:
    """The impurity of the two sides of a split: H in equation (1) of the paper."""
    yes = p.yes(rows, split)
    return impurity(labels[rows[yes]]) + impurity(labels[rows[~yes]])


def best(p: Problem, rows: Array, cost: Callable[[Split], float]) -> tuple[float, Split]:
    """The split of least cost; of equal ones the first column, then the lowest threshold."""
    return min(((cost(s), s) for s in p.splits(rows, p.min_samples_leaf)), key=lambda both: both[0])


def divide(p: Problem, node: Node, split: Split) -> list[Node]:
    """Make a node a split, and return its children."""
    yes = p.yes(node.rows, split)
    node.split, node.children = split, [Node(node.rows[yes]), Node(node.rows[~yes])]
    return node.children


# --- the paper -----------------------------------------------------------------------------------


def joint_tree(p: Problem, node: Node | None = None, depth: int = 0) -> Node:
    """Section 4.1: share the best common split until a surrogate has a split without impurity."""
    node = node or Node(np.arange(len(p.X)))
    rows, pure = node.rows, all(len(set(y[node.rows])) == 1 for y in (p.y1, p.y2))
    if depth < p.max_depth and not pure and any(p.splits(rows, p.min_samples_leaf)):
        costs = [lambda s, y=y: left_over(p, rows, s, y) for y in (p.y1, p.y2)]
        first, second = (best(p, rows, cost)[0] for cost in costs)
        both, split = best(p, rows, lambda s: costs[0](s) + costs[1](s))  # (4)
        if not (min(first, second) == 0 if p.alpha is None else first + second <= p.alpha * both):
            for child in divide(p, node, split):
                joint_tree(p, child, depth + 1)
            return node
    node.branches = [Node(rows), Node(rows)]  # (6), or (5) with alpha
    for branch, y in zip(node.branches, (p.y1, p.y2), strict=True):
        surrogate(p, branch, y, depth)
    return node


def surrogate(p: Problem, node: Node, y: Array, depth: int) -> None:
    """Grow the tree of one model."""
    if depth < p.max_depth and split_once(p, node, y):
        for child in node.children:
            surrogate(p, child, y, depth + 1)


def split_once(p: Problem, node: Node, y: Array) -> bool:
    """Split a leaf of one model if that is possible."""
    impure = len(set(y[node.rows])) > 1 and any(p.splits(node.rows, p.min_samples_leaf))
    if impure:
        divide(p, node, best(p, node.rows, lambda s: left_over(p, node.rows, s, y))[1])
    return impure


def refine(p: Problem, root: Node) -> None:
    """Split every impure leaf of a rule once more, for its own model."""
    found = rules(p, root)
    for leaf in {id(rule.first): rule.first for rule in found}.values():
        split_once(p, leaf, p.y1)
    for leaf in {id(rule.second): rule.second for rule in found}.values():
        split_once(p, leaf, p.y2)


def label(p: Problem, leaf: Node, y: Array) -> Any:
    """The most frequent label of a leaf, the first of equally frequent ones."""
    return max(p.labels, key=(y[leaf.rows].tolist()).count)


def leaves(p: Problem, node: Node, box: Box) -> list[tuple[Node, Box]]:
    """The leaves below a node with their boxes; an or-node counts as a leaf."""
    if not node.children:
        return [(node, box)]
    column, cut = node.split
    every = box.get(column, frozenset(range(len(p.values[column]))))
    yes = frozenset(c for c in every if (c == cut if p.is_choice(column) else c <= cut))
    sides = zip(node.children, (yes, every - yes), strict=True)
    return [leaf for child, side in sides for leaf in leaves(p, child, {**box, column: side})]


def rules(p: Problem, root: Node) -> list[Rule]:
    """(3): the pairs of leaves that a row can reach and whose labels differ."""
    found = []
    for node, box in leaves(p, root, {}):
        for a, box_a in leaves(p, node.branches[0], box):
            for b, box_b in leaves(p, node.branches[1], box):
                both = {k: side & box_b.get(k, side) for k, side in {**box_b, **box_a}.items()}
                outcomes = label(p, a, p.y1), label(p, b, p.y2)
                if all(both.values()) and outcomes[0] != outcomes[1]:
                    found.append(Rule(both, outcomes, a, b))
    return found


# --- the default ---------------------------------------------------------------------------------


def default_tree(p: Problem, diff_weight: float = 5.0, rule_cost: float = 0.005) -> Pruned:
    """Grow one tree for the differences, prune it, claim leaves with a high rate, grow on below.

    The claimed leaves are the rules.
    """
    n, share = len(p.X), p.differs.mean()
    if 0 < share < 0.02:  # few rows differ: otherwise the tree would describe the models
        entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
        diff_weight = max(diff_weight, 4 / entropy)
    root = grow(p, Node(np.arange(n)), 0, diff_weight)
    wanted = ~p.differs if 2 * p.differs.sum() > n else p.differs  # the rarer rows are described
    price = calibrate(p, root, wanted)
    root = prune(p, root, wanted, price, rule_cost * wanted.sum() + (1 if rule_cost else 0))
    changed = True
    while changed:  # pruning may have left a side with too few rows
        place(p, root, np.arange(n))
        root, changed = trim(p, root)
    calibrate(p, root, p.differs)
    shared = leaves(p, root, {})
    claimed = [Claim(a, box) for a, box in shared if a.claimed and p.differs[a.rows].any()]
    for leaf, depth in [*depths(root, 0)]:
        joint_tree(p, leaf, depth)
    return Pruned(root, claimed)


def grow(p: Problem, node: Node, depth: int, weight: float) -> Node:
    """The shared tree: its splits minimise H(y1) + H(y2) + weight * H(differs)."""
    mixed = len(set(p.differs[node.rows])) == 2
    if depth < p.max_depth and mixed and any(p.splits(node.rows, p.min_samples_leaf)):

        def cost(split: Split) -> float:
            first, second, differs = (
                left_over(p, node.rows, split, labels) for labels in (p.y1, p.y2, p.differs)
            )
            return float(np.rint(weight * differs + (first + second)))

        for child in divide(p, node, best(p, node.rows, cost)[1]):
            grow(p, child, depth + 1, weight)
    return node


def calibrate(p: Problem, root: Node, wanted: Array) -> float:
    """Shrink the rate of each leaf towards the node above; claim those that make G largest.

    Returns the price: the share of wanted rows at which one more claimed row does not change G.
    """

    def shrink(node: Node, above: float) -> None:
        node.rate = (wanted[node.rows].sum() + 5 * above) / (len(node.rows) + 5)
        for child in node.children:
            shrink(child, node.rate)

    base = wanted.mean()
    shrink(root, base)
    every = [leaf for leaf, _ in leaves(p, root, {})]
    ranked = sorted(every, key=lambda leaf: -leaf.rate)
    rates, rows = (np.array([*map(f, ranked)]) for f in (lambda a: a.rate, lambda a: len(a.rows)))
    S, T = np.cumsum(rows), np.cumsum(rows * rates)
    if T[-1] == 0:
        return 1.0
    ends = np.flatnonzero(np.append(rates[1:] < rates[:-1], True))
    ends = ends[:-1] if len(ends) > 1 else ends  # all rows only if there is no other choice
    G, price = balanced_score(S[ends], T[ends], T[-1], S[-1])
    threshold = rates[ends[G.argmax()]]
    for leaf in every:
        enough = leaf.rate > base * (1 + 1e-9) if len(every) > 1 else base >= 0.5
        leaf.claimed = bool(leaf.rate >= threshold and len(leaf.rows) and enough)
    return float(price[G.argmax()])


def balanced_score(S: Array, T: Array, P: float, N: float) -> tuple[Array, Array]:
    """G = (F1 + MCC) / 2 of S claimed rows, T of them wanted, of P wanted and N; and the price."""
    f1 = 2 * T / (S + P)
    root = np.sqrt(np.maximum(S * P * (N - S) * (N - P), 0.0))
    good = root > 1e-9 * N * N  # MCC is taken as 0 elsewhere
    safe, around = np.where(good, root, 1.0), np.where(good, 2 * S * (N - S), 1.0)
    mcc = np.where(good, (T * N - S * P) / safe, 0.0)
    by_S = -f1 / (S + P) + np.where(good, -P / safe - mcc * (N - 2 * S) / around, 0.0)
    by_T = 2 / (S + P) + np.where(good, N / safe, 0.0)
    return (f1 + mcc) / 2, -by_S / by_T


def claims(p: Problem, node: Node, rows: Array) -> Array:
    """Whether the leaf that each row reaches is claimed."""
    if not node.children:
        return np.full(len(rows), node.claimed)
    yes = p.yes(rows, node.split)
    return np.where(yes, *(claims(p, child, rows) for child in node.children))


def prune(p: Problem, node: Node, wanted: Array, price: float, split_price: float) -> Node:
    """From the leaves up: give each split its best condition, or replace it by a subtree."""
    if not node.children:
        return node
    node.children = [prune(p, child, wanted, price, split_price) for child in node.children]
    first, second = (claims(p, child, node.rows) for child in node.children)
    disputed = node.rows[first != second]  # only these rows depend on the condition
    kind = 2 * second[first != second] + p.differs[disputed]
    gains = np.array([-price, 1 - price, price, price - 1])  # of sending a row to the first child
    gains = gains if wanted is p.differs else gains[[1, 0, 3, 2]]

    def counts(split: Split) -> Array:
        yes = p.yes(disputed, split)
        return np.bincount(kind[yes], minlength=4)

    everything = np.bincount(kind, minlength=4) @ gains
    now = counts(node.split) @ gains
    options = [*p.splits(disputed, 0)]
    gain = np.array([counts(split) for split in options]).reshape(-1, 4) @ gains
    for at in np.argsort(-gain, kind="stable"):
        split = centred(p, options[at], disputed)
        n_yes = p.yes(node.rows, split).sum()
        if gain[at] <= now + 1e-9:
            break
        if min(n_yes, len(node.rows) - n_yes) >= p.min_samples_leaf:
            node.split, now = split, gain[at]
            break
    if now <= max(0.0, everything) + split_price:
        return node.children[0] if everything > 0 else node.children[1]
    return node


def centred(p: Problem, split: Split, rows: Array) -> Split:
    """The split in the middle of the gap between those of the rows that are next to it."""
    column, cut = split
    below = p.codes[rows, column][p.codes[rows, column] <= cut]
    lowest = int(below.max()) if len(below) else 0
    return split if p.is_choice(column) else (column, (lowest + cut) // 2)


def place(p: Problem, node: Node, rows: Array) -> None:
    """Send rows through a tree whose splits have changed."""
    node.rows = rows
    if node.children:
        yes = p.yes(rows, node.split)
        for child, part in zip(node.children, (rows[yes], rows[~yes]), strict=True):
            place(p, child, part)


def trim(p: Problem, node: Node) -> tuple[Node, bool]:
    """The tree without splits that have too few rows on a side; and whether there were any."""
    if not node.children:
        return node, False
    sizes = [len(child.rows) for child in node.children]
    if min(sizes) < p.min_samples_leaf:
        return trim(p, node.children[int(sizes[1] > sizes[0])])[0], True
    parts = [trim(p, child) for child in node.children]
    node.children = [child for child, _ in parts]
    return node, any(changed for _, changed in parts)


def depths(node: Node, depth: int) -> Iterator[tuple[Node, int]]:
    """The leaves below a node with their depths."""
    if not node.children:
        yield node, depth
    for child in node.children:
        yield from depths(child, depth + 1)
