"""Other ways to predict where two models differ, which `imd_widget.evaluate` compares with.

Each baseline learns from rows and from whether, or how, the models differ on them, and says of
other rows whether they will. Separate surrogates and a direct tree of our own are methods of
`imd_widget.diff`; here are the ones that are not joint trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from imd_widget._base.errors import InputError
from imd_widget.evaluation.boolean_rules import GroundedRules, grounded_rules


class Claims(Protocol):
    """What a baseline has learnt."""

    @property
    def n_rules(self) -> int | None:
        """How many rules say it; None where it cannot be said in rules."""

    @property
    def n_predicates(self) -> int | None:
        """Distinct comparisons in all of them together."""

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        """For each row: will the models differ?"""


@dataclass(frozen=True)
class TrainingData:
    """What a baseline learns from."""

    X: pd.DataFrame
    first: NDArray[Any]
    second: NDArray[Any]
    differs: NDArray[np.bool_]
    max_depth: int
    random_state: int


def direct_tree(lesson: TrainingData) -> Claims:
    """scikit-learn's decision tree on "differs", the paper's *Direct DT*.

    A rule is a leaf that says yes.
    """
    tree = DecisionTreeClassifier(max_depth=lesson.max_depth, random_state=lesson.random_state)
    return _direct(lesson, tree, _leaf_rules)


def direct_boosting(lesson: TrainingData) -> Claims:
    """scikit-learn's gradient boosting on "differs", the paper's *Direct GB*: no rules at all."""
    model = GradientBoostingClassifier(max_depth=lesson.max_depth, random_state=lesson.random_state)
    return _direct(lesson, model, lambda _: (None, None))


def grounded(lesson: TrainingData) -> Claims:
    """Rule sets of both models, the second one's biased to reuse the first's.

    After Nair et al. 2021; see `imd_widget.evaluation.boolean_rules` for what the published
    description leaves open. Two classes only.
    """
    return _Grounded(grounded_rules(lesson.X, lesson.first, lesson.second))


BASELINES: dict[str, Callable[[TrainingData], Claims]] = {
    "direct_tree": direct_tree,
    "direct_boosting": direct_boosting,
    "grounded": grounded,
}


Size = tuple[int | None, int | None]
#: Feature, threshold, and whether it is at most that.
Comparison = tuple[int, float, bool]


def _direct(lesson: TrainingData, model: Any, size: Callable[[Any], Size]) -> Claims:
    features = Features.of(lesson.X)
    if lesson.differs.all() or not lesson.differs.any():
        always = bool(lesson.differs.all())
        return _Constant(always, 1 if always else 0)
    model.fit(features.matrix(lesson.X), lesson.differs)
    return _Direct(features, model, *size(model))


@dataclass(frozen=True)
class _Grounded:
    """Two rule sets, which may differ in more ways than can be written down."""

    found: GroundedRules

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return self.found.predict(X)

    @property
    def n_rules(self) -> int | None:
        return self._size[0]

    @property
    def n_predicates(self) -> int | None:
        return self._size[1]

    @cached_property
    def _size(self) -> Size:
        try:
            return self.found.n_rules, self.found.n_predicates
        except InputError:
            return None, None


@dataclass(frozen=True)
class _Constant:
    """All rows differ, or none: there is nothing to learn."""

    always: bool
    n_rules: int
    n_predicates: int = 0

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.full(len(X), self.always)


@dataclass(frozen=True)
class _Direct:
    """A classifier of "differs" with the features that it was fitted on."""

    features: Features
    model: Any
    n_rules: int | None
    n_predicates: int | None

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.asarray(self.model.predict(self.features.matrix(X)), dtype=bool)


def _leaf_rules(model: DecisionTreeClassifier) -> Size:
    """Leaves that say yes, and the distinct comparisons on the ways to them."""
    tree = model.tree_
    n_rules = 0
    predicates: set[Comparison] = set()
    ways: list[tuple[int, frozenset[Comparison]]] = [(0, frozenset())]
    while ways:
        node, way = ways.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == right:
            if model.classes_[tree.value[node, 0].argmax()]:
                n_rules += 1
                predicates |= way
            continue
        asked = int(tree.feature[node]), float(tree.threshold[node])
        ways += [(left, way | {(*asked, True)}), (right, way | {(*asked, False)})]
    return n_rules, len(predicates)


@dataclass(frozen=True)
class Features:
    """Columns of a table as numbers: categories one by one, missing values marked and filled.

    Attributes
    ----------
    columns : tuple of (int, tuple or float, bool)
        For each column its place, its categories or the median that fills a gap, and whether
        there are gaps.
    shifts : dict of int to float
        What is taken off the numbers of a column. Trees of scikit-learn compare in single
        precision, in which two minutes of today's date are the same.
    """

    columns: tuple[tuple[int, tuple[Any, ...] | float, bool], ...]
    shifts: dict[int, float]

    @classmethod
    def of(cls, X: pd.DataFrame) -> Features:
        """Learn categories and medians from a table."""
        found: list[tuple[int, tuple[Any, ...] | float, bool]] = []
        shifts: dict[int, float] = {}
        for place in range(X.shape[1]):
            values = X.iloc[:, place]
            numbers = _numbers(values)
            gaps = bool(values.isna().any())
            if numbers is None:
                found.append((place, tuple(pd.unique(values.dropna())), gaps))
            else:
                known = numbers[np.isfinite(numbers)]
                if len(np.unique(known.astype(np.float32))) < len(np.unique(known)):
                    shifts[place] = float(known.min())
                found.append((place, float(np.median(known)) if len(known) else 0.0, gaps))
        return cls(tuple(found), shifts)

    def matrix(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """The table in numbers."""
        parts: list[NDArray[np.float64]] = []
        for place, known, gaps in self.columns:
            values = X.iloc[:, place]
            missing = values.isna().to_numpy(dtype=bool)
            if isinstance(known, tuple):
                codes = pd.Index(known).get_indexer(pd.Index(values))
                parts.append((codes[:, None] == np.arange(len(known))).astype(np.float64))
            else:
                numbers = _numbers(values)
                if numbers is None:
                    raise InputError(f"column {X.columns[place]!r} held numbers, and now does not.")
                filled = np.where(missing, known, numbers) - self.shifts.get(place, 0.0)
                largest = np.finfo(np.float32).max
                parts.append(np.clip(filled, -largest, largest)[:, None])
            if gaps:
                parts.append(missing.astype(np.float64)[:, None])
        return np.hstack(parts) if parts else np.zeros((len(X), 1))


def _numbers(values: pd.Series[Any]) -> NDArray[np.float64] | None:
    """Numbers, truth values and moments as floats; None for a column of categories."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        if not dtype.ordered:
            return None
        codes = values.cat.codes.to_numpy(dtype=np.float64)
        return np.where(codes < 0, np.nan, codes)
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        whole = values.to_numpy(dtype="datetime64[us]" if dtype.kind == "M" else "timedelta64[us]")
        return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return None
