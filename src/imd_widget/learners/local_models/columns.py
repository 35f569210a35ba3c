"""Raw tables as numbers, for densities and for learners that need them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags

from imd_widget._base.errors import Argument, InputError
from imd_widget.data.column_kinds import column_kind
from imd_widget.data.distinct_names import check_distinct_names
from imd_widget.data.features import Encoder, Floats, list_features
from imd_widget.data.table import Table, open_table

#: Levels of a text column that have a column of their own; rarer ones share none.
MAX_LEVELS = 50
#: Learners whose splits are ``x <= t`` only: their thresholds are read in the units of the table.
_TREES = (
    BaseDecisionTree,
    ExtraTreesClassifier,
    RandomForestClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
)


def is_table(X: Any) -> bool:
    """Whether ``X`` has named columns: pandas, polars, pyarrow. No two may have one name."""
    names = X.columns if isinstance(X, pd.DataFrame) else getattr(X, "column_names", ())
    check_distinct_names(names)  # before narwhals sees it, which takes no such table either
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def as_frame(X: Any) -> pd.DataFrame:
    """The table in pandas; an array gets the columns 0, 1, ..."""
    if isinstance(X, pd.DataFrame):
        return X
    table = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(table, nw.DataFrame):
        return table.to_pandas()
    return pd.DataFrame(np.asarray(X))


class TableEncoder(TransformerMixin, BaseEstimator):
    """A table as numbers: text becomes one column for each level, dates become days.

    Parameters
    ----------
    scale : bool, default=True
        Whether each column of the result is brought to mean 0 and variance 1.
    impute : bool, default=True
        Whether a missing number becomes the median of its column. Missing text is a level.

    Attributes
    ----------
    n_features_in_ : int
    """

    def __init__(self, *, scale: bool = True, impute: bool = True) -> None:
        self.scale = scale
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn levels, medians and scales."""
        table = open_table(X, may_be_empty=True)
        self._names = table.names
        self.n_features_in_ = len(table.names)
        self._encoder = Encoder.fit(
            table,
            list_features(table, max_categories=MAX_LEVELS, ranks=False, indicators=False),
            fill="median" if self.impute else None,
            scaling="standard" if self.scale else None,
        )
        return self

    def transform(self, X: Any) -> Floats:
        """Numbers of shape (n_samples, n_out)."""
        return self._encoder.transform(self._opened(X))

    def _opened(self, X: Any) -> Table:
        """The table with the names of the fitted one: columns are found by their positions."""
        table = open_table(X, may_be_empty=True)
        if len(table.names) != self.n_features_in_:
            raise InputError(
                Argument("X"),
                f" has {len(table.names)} columns, but {self.n_features_in_} were learned from.",
            )
        return replace(table, names=self._names)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Names of the columns of the result: ``job=cook`` for a level."""
        return np.array(self._encoder.names, object)


def prepared(learner: Any, X: Any) -> Any:
    """The learner with what it needs before it to take the table as it is.

    A `Pipeline` is left alone, whoever writes one has decided, and so is an object that is no
    estimator of scikit-learn, which a pipeline does not take. Trees get their numbers in their own
    units, so that thresholds can be read; every other learner gets columns of mean 0 and variance
    1. Text becomes a column for each level. A missing number becomes the median of its column,
    unless the learner accepts missing values.

    Parameters
    ----------
    learner : estimator
        Not fitted.
    X : table or ndarray
        The training rows, all of them.

    Returns
    -------
    estimator
        The learner itself where it needs nothing, else a `Pipeline` of a `TableEncoder` and it.
    """
    if isinstance(learner, Pipeline) or not hasattr(learner, "__sklearn_tags__"):
        return learner
    scale = not isinstance(learner, _TREES)
    takes_missing = bool(get_tags(learner).input_tags.allow_nan)
    if not scale and _are_numbers(as_frame(X), takes_missing):
        return learner
    encoder = TableEncoder(scale=scale, impute=not takes_missing)
    return Pipeline([("columns", encoder), ("model", learner)])


def _are_numbers(frame: pd.DataFrame, may_be_missing: bool) -> bool:
    """Whether a learner can take a table of numbers and booleans as it is."""
    columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
    return all(
        column.dtype != object and column_kind(column) in ("number", "flag") for column in columns
    ) and (may_be_missing or not frame.isna().to_numpy().any())
