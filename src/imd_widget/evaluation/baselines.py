"""Baselines of `imd_widget.evaluate`, which predict where two models differ.

A baseline is fitted to rows and to the outputs of both models, and predicts for other rows whether
the models differ. This module has the baselines that are not joint trees; "separate" and "direct"
are methods of `imd_widget.diff`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from imd_widget.data.features import Encoder, Feature, list_features
from imd_widget.data.table import open_table


class FittedBaseline(Protocol):
    """A fitted baseline.

    It may also have ``n_rules``, the number of its rules, and ``n_predicates``, the number of
    distinct comparisons in all of them; either is None if there are no rules.
    """

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        """Predict for each row whether the models differ."""


@dataclass(frozen=True)
class TrainingData:
    """The rows and the outputs that a baseline is fitted to.

    Attributes
    ----------
    X : DataFrame
        The rows; columns are named by their positions if two of them have the same name.
    first, second : ndarray of shape (n_rows,)
        The outputs of the two models.
    differs : ndarray of bool, shape (n_rows,)
        Whether the outputs differ.
    max_depth : int
        Maximal depth of a tree.
    random_state : int
    """

    X: pd.DataFrame
    first: NDArray[Any]
    second: NDArray[Any]
    differs: NDArray[np.bool_]
    max_depth: int
    random_state: int


#: What `imd_widget.evaluate` accepts beside the names of methods.
Baseline = Callable[[TrainingData], FittedBaseline]


def direct_tree(data: TrainingData) -> FittedBaseline:
    """Fit scikit-learn's decision tree to "differs", the paper's *Direct DT*.

    Each leaf that predicts True is a rule.
    """
    tree = DecisionTreeClassifier(max_depth=data.max_depth, random_state=data.random_state)
    return _direct(data, tree, _leaf_rules)


def direct_boosting(data: TrainingData) -> FittedBaseline:
    """Fit scikit-learn's gradient boosting to "differs", the paper's *Direct GB*; no rules."""
    model = GradientBoostingClassifier(max_depth=data.max_depth, random_state=data.random_state)
    return _direct(data, model, lambda _: (None, None))


BASELINES: dict[str, Baseline] = {
    "direct_tree": direct_tree,
    "direct_boosting": direct_boosting,
}


Size = tuple[int | None, int | None]
#: Feature, threshold, and whether the comparison is ``<=`` or ``>``.
Comparison = tuple[int, float, bool]


def _direct(data: TrainingData, model: Any, size: Callable[[Any], Size]) -> FittedBaseline:
    if data.differs.all() or not data.differs.any():
        always = bool(data.differs.all())
        return _Constant(always, 1 if always else 0)
    encoder = feature_encoder(data.X)
    model.fit(encoder.transform(open_table(data.X)), data.differs)
    return _Direct(encoder, model, *size(model))


@dataclass(frozen=True)
class _Constant:
    """The prediction for training data in which all rows differ, or none."""

    always: bool
    n_rules: int
    n_predicates: int = 0

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.full(len(X), self.always)


@dataclass(frozen=True)
class _Direct:
    """A fitted classifier of "differs"."""

    encoder: Encoder
    model: Any
    n_rules: int | None
    n_predicates: int | None

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.asarray(self.model.predict(self.encoder.transform(open_table(X))), dtype=bool)


def _leaf_rules(model: DecisionTreeClassifier) -> Size:
    """Number of leaves that predict True, and of distinct comparisons on the paths to them."""
    tree = model.tree_
    n_rules = 0
    predicates: set[Comparison] = set()
    stack: list[tuple[int, frozenset[Comparison]]] = [(0, frozenset())]
    while stack:
        node, path = stack.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == right:
            if model.classes_[tree.value[node, 0].argmax()]:
                n_rules += 1
                predicates |= path
            continue
        split = int(tree.feature[node]), float(tree.threshold[node])
        stack += [(left, path | {(*split, True)}), (right, path | {(*split, False)})]
    return n_rules, len(predicates)


def feature_encoder(X: pd.DataFrame) -> Encoder:
    """An encoder of a table as finite floats.

    Missing numbers and ranks are replaced by the median and marked by a feature of their own.
    Features are centred on their medians: trees of scikit-learn compare in single precision, in
    which two minutes of today's date would be the same.
    """
    table = open_table(X)
    features = _numbers_first(list_features(table))
    return Encoder.fit(table, features, scaling="center", infinite=True)


def _numbers_first(features: Sequence[Feature]) -> list[Feature]:
    """Numbers and where they are missing, the same of ranks, categories.

    Trees of scikit-learn break ties by the order of features, and this is the order with which the
    published figures were measured.
    """
    kinds = {feature.position: feature.kind for feature in reversed(features)}  # of the first one
    groups = {"order": 1, "category": 2, "missing": 2}

    def place(feature: Feature) -> tuple[int, bool]:
        group = groups.get(kinds[feature.position], 0)
        return group, group < 2 and feature.kind == "missing"

    return sorted(features, key=place)
