"""Growing the trees of many groups at once, level by level, in NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imd_widget.learners.meta_trees.features import TreeFeature
from imd_widget.learners.meta_trees.forest import Floats, Forest, Rows, Whole
from imd_widget.learners.meta_trees.networks import (
    SMALLEST_WEIGHT,
    Architecture,
    Parameters,
    Pooled,
    Rules,
    child_bounds,
    decision_rules,
    embed,
    first_bounds,
    leaf_values,
    split_moments,
)

#: Rows whose trees are grown at once: networks hold several hundred numbers for each.
CHUNK = 50_000


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of several groups, from which their trees are grown."""

    rows: Rows
    #: As h sees them.
    targets: NDArray[np.float32]
    #: As leaves hold them; for the mean of a leaf.
    outcomes: Floats
    #: From 0 to n_groups - 1, each at least once.
    group: Whole
    n_groups: int

    def chunks(self) -> Iterator[Examples]:
        """Whole groups, as many at a time as have about `CHUNK` rows; one at least."""
        ends = np.bincount(self.group, minlength=self.n_groups).cumsum()
        order = np.argsort(self.group, kind="stable")
        first = start = 0
        while first < self.n_groups:
            last = max(first + 1, int(np.searchsorted(ends, start + CHUNK, side="right")))
            rows, start = order[start : ends[last - 1]], int(ends[last - 1])
            yield Examples(
                Rows(self.rows.raw[rows], self.rows.standardised[rows]),
                self.targets[rows],
                self.outcomes[rows],
                self.group[rows] - first,
                last - first,
            )
            first = last


def grow(
    parameters: Parameters,
    architecture: Architecture,
    features: Sequence[TreeFeature],
    examples: Examples,
    *,
    sparse: bool = True,
) -> Forest:
    """Grow the tree of every group: Algorithm 1, with one feature in each rule if ``sparse``.

    A sparse rule is reduced to its largest weight before the examples are routed by it, so that a
    node knows exactly those examples that the exported tree sends to it.
    """
    form = (parameters, architecture, features)
    if len(examples.group) <= CHUNK:
        return _grown(*form, examples, sparse)
    parts = [_grown(*form, part, sparse) for part in examples.chunks()]
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Forest)
        if getattr(parts[0], field.name) is not None
    }
    return Forest(**joined)


def _grown(
    parameters: Parameters,
    architecture: Architecture,
    features: Sequence[TreeFeature],
    examples: Examples,
    sparse: bool,
) -> Forest:
    growing = _Growing(parameters, architecture, features, examples, sparse)
    for level in range(architecture.depth):
        growing.split(level)
    growing.close()
    return growing.forest


class _Growing:
    """The state of growth: the trees so far, and the node of every example."""

    def __init__(
        self,
        parameters: Parameters,
        architecture: Architecture,
        features: Sequence[TreeFeature],
        examples: Examples,
        one_feature: bool,
    ) -> None:
        self.parameters, self.architecture = parameters, architecture
        self.features, self.examples = features, examples
        x, y = examples.rows.standardised, examples.targets
        self.embedded = embed(parameters, x, y, np)
        self.moments = split_moments(x, y, architecture, np)
        self.node = np.zeros(len(examples.group), dtype=np.intp)  # within the level
        self.alive = np.ones(len(examples.group), dtype=bool)  # not yet in a leaf
        self.whole = self._describe_sets(examples.group, examples.n_groups)
        self.overall = self._means(examples.group, examples.n_groups, examples.outcomes)[0]
        self.asked: NDArray[np.int_] | None = None
        self.bounds = first_bounds(examples.n_groups, len(features), np)
        self.forest = _empty_forest(architecture, examples.n_groups, dense=not one_feature)

    def split(self, level: int) -> None:
        """Give every node of a level its rule, and send its examples on."""
        forest, groups, width = self.forest, self.examples.n_groups, 2**level
        here = slice(width - 1, 2 * width - 1)
        whole, nodes = self._describe(level)
        if self.asked is None:
            self.asked = np.zeros((groups, len(self.features)), dtype=int)
        rules = decision_rules(self.parameters, whole, nodes, self.asked, self.architecture, np)
        feature, slope, centre = stumps(rules)
        chosen = np.eye(len(self.features), dtype=int)[feature]
        self.asked = np.repeat(self.asked + chosen, 2, axis=0)
        self.bounds = child_bounds(self.bounds, chosen, centre, slope, np)
        shape = (groups, width)
        forest.feature[:, here] = feature.reshape(shape)
        forest.slope[:, here] = slope.reshape(shape)
        forest.centre[:, here] = centre.reshape(shape)
        forest.threshold[:, here] = self._raw_thresholds(feature, centre).reshape(shape)
        # a missing value is the mean, 0, of the standardised values
        forest.missing_above[:, here] = (centre <= 0).reshape(shape)
        if forest.dense is not None:
            b = (rules.beta * rules.b)[:, None]
            dense = np.concatenate([rules.beta[:, None] * rules.w, -b], axis=1)
            forest.dense[:, here] = dense.reshape(groups, width, -1)
        self._route(level)

    def close(self) -> None:
        """Make leaves of what is left on the last level."""
        level = self.architecture.depth
        self._describe(level)
        self.forest.is_leaf[:, 2**level - 1 :] = True

    def _describe(self, level: int) -> tuple[Pooled, Pooled]:
        """What f sees of each node of a level; fills in its value as a leaf, too."""
        groups, width = self.examples.n_groups, 2**level
        here = slice(width - 1, 2 * width - 1)
        key = self.examples.group * width + self.node
        nodes = self._describe_sets(key, groups * width)._replace(bounds=self.bounds)
        whole = Pooled(*(np.repeat(part, width, axis=0) for part in self.whole[:3]))
        means, counts = self._means(key, groups * width, self.examples.outcomes)
        if self.architecture.leaves == "network":
            values = leaf_values(self.parameters, whole, nodes, means, self.architecture, np)
        else:
            empty = (counts == 0)[:, None]
            values = np.where(empty, np.repeat(self.overall, width, axis=0), means)
        self.forest.values[:, here] = values.reshape(groups, width, -1)
        self.forest.n_examples[:, here] = nodes.counts.reshape(groups, width)
        return whole, nodes

    def _describe_sets(self, key: Whole, size: int) -> Pooled:
        h, counts = self._means(key, size, self.embedded)
        return Pooled(h, self._means(key, size, self.moments)[0], counts)

    def _route(self, level: int) -> None:
        forest, group, width = self.forest, self.examples.group, 2**level
        at = self.node + width - 1
        second = forest.goes_second(group, at, self.examples.rows)
        if self.architecture.dynamic:
            key = group * width + self.node
            size = self.examples.n_groups * width
            total = np.bincount(key[self.alive], minlength=size)
            right = np.bincount(key[self.alive & second], minlength=size)
            closed = ((right == 0) | (right == total)).reshape(-1, width)
            forest.is_leaf[:, width - 1 : 2 * width - 1] = closed
            self.alive &= ~forest.is_leaf[group, at]
        self.node = 2 * self.node + second

    def _means(self, key: Whole, size: int, values: NDArray[Any]) -> tuple[Any, Whole]:
        """Means of the rows with the same key, 0 where there is none; and how many there are."""
        rows = np.flatnonzero(self.alive)
        picked = key[rows]
        counts = np.bincount(picked, minlength=size)
        ones = np.ones(len(rows), dtype=values.dtype)
        adding = sparse.csr_array((ones, (picked, rows)), shape=(size, len(key)))
        sums = adding @ values
        return sums / np.maximum(counts, 1)[:, None].astype(values.dtype), counts

    def _raw_thresholds(self, feature: Whole, centre: Floats) -> Floats:
        raw = np.empty(len(feature))
        for at in np.unique(feature):
            mine = feature == at
            raw[mine] = self.features[at].raw_thresholds(centre[mine])
        return raw


def stumps(rules: Rules) -> tuple[Whole, Floats, Floats]:
    """The operator R: the feature of the largest weight, its slope, and its threshold b / w."""
    feature = np.abs(rules.w).argmax(axis=1)
    weight = rules.w[np.arange(len(feature)), feature].astype(float)
    weight = np.where(np.abs(weight) < SMALLEST_WEIGHT, SMALLEST_WEIGHT, weight)
    b = rules.b if rules.own is None else rules.own[np.arange(len(feature)), feature]
    return feature, rules.beta * weight, b / weight


def _empty_forest(architecture: Architecture, n_trees: int, *, dense: bool) -> Forest:
    shapes = forest_shapes(architecture, n_trees)
    if not dense:
        del shapes["dense"]
    return Forest(**{name: np.zeros(shape, dtype) for name, (shape, dtype) in shapes.items()})


def forest_shapes(
    architecture: Architecture, n_trees: int
) -> dict[str, tuple[tuple[int, ...], type[Any]]]:
    """Shape and type of every array of a forest, by name."""
    inner = (n_trees, 2**architecture.depth - 1)
    every = (n_trees, 2 ** (architecture.depth + 1) - 1)
    return {
        "feature": (inner, np.intp),
        "threshold": (inner, np.float64),
        "slope": (inner, np.float64),
        "centre": (inner, np.float64),
        "missing_above": (inner, np.bool_),
        "is_leaf": (every, np.bool_),
        "values": ((*every, architecture.n_outputs), np.float64),
        "n_examples": (every, np.intp),
        "dense": ((*inner, architecture.n_features + 1), np.float32),
    }
