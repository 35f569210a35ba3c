"""Baselines of `imd_widget.evaluate`, which predict where two models differ.

A baseline is fitted to rows and to the outputs of both models, and predicts for other rows whether
the models differ. This module has the baselines that are not joint trees; "separate" and "direct"
are methods of `imd_widget.diff`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, RobustScaler
from sklearn.tree import DecisionTreeClassifier

from imd_widget._base.errors import InputError, Quoted
from imd_widget.evaluation.boolean_rules import GroundedRules, grounded_rules


class FittedBaseline(Protocol):
    """A fitted baseline."""

    @property
    def n_rules(self) -> int | None:
        """Number of rules; None if the baseline has no rules."""

    @property
    def n_predicates(self) -> int | None:
        """Number of distinct comparisons in all rules; None if there are no rules."""

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        """Predict for each row whether the models differ."""


@dataclass(frozen=True)
class TrainingData:
    """The rows and the outputs that a baseline is fitted to."""

    X: pd.DataFrame
    first: NDArray[Any]
    second: NDArray[Any]
    differs: NDArray[np.bool_]
    max_depth: int
    random_state: int


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


def grounded(data: TrainingData) -> FittedBaseline:
    """Fit a rule set to each model, the second biased to reuse the first.

    The method is that of Nair et al. 2021; see `imd_widget.evaluation.boolean_rules` for
    decisions that the paper leaves open. It supports two classes only.
    """
    return _Grounded(grounded_rules(data.X, data.first, data.second))


BASELINES: dict[str, Callable[[TrainingData], FittedBaseline]] = {
    "direct_tree": direct_tree,
    "direct_boosting": direct_boosting,
    "grounded": grounded,
}


Size = tuple[int | None, int | None]
#: Feature, threshold, and whether the comparison is ``<=`` or ``>``.
Comparison = tuple[int, float, bool]


def _direct(data: TrainingData, model: Any, size: Callable[[Any], Size]) -> FittedBaseline:
    if data.differs.all() or not data.differs.any():
        always = bool(data.differs.all())
        return _Constant(always, 1 if always else 0)
    fitted = make_pipeline(feature_encoder(data.X), model).fit(data.X, data.differs)
    return _Direct(fitted, *size(model))


@dataclass(frozen=True)
class _Grounded:
    """Two rule sets; their difference may have too many conjunctions to count."""

    rule_sets: GroundedRules

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return self.rule_sets.predict(X)

    @property
    def n_rules(self) -> int | None:
        return self._size[0]

    @property
    def n_predicates(self) -> int | None:
        return self._size[1]

    @cached_property
    def _size(self) -> Size:
        try:
            return self.rule_sets.n_rules, self.rule_sets.n_predicates
        except InputError:
            return None, None


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
    """A fitted pipeline of the encoder and a classifier of "differs"."""

    pipeline: Pipeline
    n_rules: int | None
    n_predicates: int | None

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.asarray(self.pipeline.predict(X), dtype=bool)


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


def feature_encoder(X: pd.DataFrame) -> ColumnTransformer:
    """An unfitted encoder of a table as finite floats, chosen by the dtypes of its columns.

    Numbers, booleans, dates and durations become floats; ordered categories their rank; all other
    values are one-hot encoded, a missing value as a category of its own. Missing numbers and ranks
    are replaced by the median and marked by an indicator column. Categories that are not in the
    fitted table are encoded as zeros.

    Columns are centred on their medians. Trees of scikit-learn compare in single precision, in
    which two minutes of today's date would be the same.
    """
    kinds = [_kind(X.dtypes.iloc[position]) for position in range(X.shape[1])]
    positions = {kind: [j for j, other in enumerate(kinds) if other == kind] for kind in _KINDS}
    ranks = [[str(value) for value in X.dtypes.iloc[j].categories] for j in positions["ordered"]]
    return ColumnTransformer(
        [
            ("number", make_pipeline(_as(_floats), *_filled()), positions["number"]),
            (
                "ordered",
                make_pipeline(
                    _as(_texts),
                    OrdinalEncoder(
                        categories=ranks, handle_unknown="use_encoded_value", unknown_value=np.nan
                    ),
                    *_filled(),
                ),
                positions["ordered"],
            ),
            (
                "category",
                make_pipeline(
                    _as(_texts), OneHotEncoder(handle_unknown="ignore", sparse_output=False)
                ),
                positions["category"],
            ),
        ],
        verbose_feature_names_out=False,
    )


#: The largest absolute value of a feature; the difference of two is finite in single precision.
LARGEST_FEATURE = float(np.finfo(np.float32).max) / 4
_KINDS = ("number", "ordered", "category")


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered" if dtype.ordered else "category"
    is_number = (
        pd.api.types.is_datetime64_any_dtype(dtype)
        or pd.api.types.is_timedelta64_dtype(dtype)
        or pd.api.types.is_bool_dtype(dtype)
        or pd.api.types.is_numeric_dtype(dtype)
    )
    return "number" if is_number else "category"


def _as(convert: Callable[[pd.DataFrame], NDArray[Any]]) -> FunctionTransformer:
    return FunctionTransformer(convert, feature_names_out="one-to-one")


def _filled() -> tuple[SimpleImputer, RobustScaler]:
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return imputer, RobustScaler(with_scaling=False)


def _floats(X: pd.DataFrame) -> NDArray[np.float64]:
    """Numbers, booleans, dates and durations as floats, NaN where they are missing."""
    columns = [_float_column(X.iloc[:, position]) for position in range(X.shape[1])]
    return np.clip(np.column_stack(columns), -LARGEST_FEATURE, LARGEST_FEATURE)


def _float_column(values: pd.Series[Any]) -> NDArray[np.float64]:
    dtype = values.dtype
    if _kind(dtype) != "number":
        raise InputError("column ", Quoted(values.name), " held numbers, and now does not.")
    if dtype.kind in "mM":
        whole = values.to_numpy(dtype="datetime64[us]" if dtype.kind == "M" else "timedelta64[us]")
        return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _texts(X: pd.DataFrame) -> NDArray[np.object_]:
    """Values of any type as text, which encoders can sort; NaN where they are missing."""
    columns = []
    for position in range(X.shape[1]):
        values = X.iloc[:, position]
        texts = values.astype(object).map(str, na_action="ignore")
        columns.append(texts.where(values.notna(), np.nan).to_numpy(dtype=object))
    return np.column_stack(columns)
