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
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, RobustScaler
from sklearn.tree import DecisionTreeClassifier

from imd_widget._base.errors import InputError, Quoted
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
    if lesson.differs.all() or not lesson.differs.any():
        always = bool(lesson.differs.all())
        return _Constant(always, 1 if always else 0)
    fitted = make_pipeline(feature_encoder(lesson.X), model).fit(lesson.X, lesson.differs)
    return _Direct(fitted, *size(model))


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
    """A fitted pipeline of the encoder and a classifier of "differs"."""

    pipeline: Pipeline
    n_rules: int | None
    n_predicates: int | None

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return np.asarray(self.pipeline.predict(X), dtype=bool)


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
    places = {kind: [at for at, own in enumerate(kinds) if own == kind] for kind in _KINDS}
    ranks = [[str(value) for value in X.dtypes.iloc[at].categories] for at in places["ordered"]]
    return ColumnTransformer(
        [
            ("number", make_pipeline(_as(_floats), *_filled()), places["number"]),
            (
                "ordered",
                make_pipeline(
                    _as(_texts),
                    OrdinalEncoder(
                        categories=ranks, handle_unknown="use_encoded_value", unknown_value=np.nan
                    ),
                    *_filled(),
                ),
                places["ordered"],
            ),
            (
                "category",
                make_pipeline(
                    _as(_texts), OneHotEncoder(handle_unknown="ignore", sparse_output=False)
                ),
                places["category"],
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
