"""Raw tables as numbers, for densities and for learners that need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types
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

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.data.distinct_names import check_distinct_names

Floats = NDArray[np.float64]

#: Levels of a text column that have a column of their own; rarer ones share none.
MAX_LEVELS = 50
#: In microseconds.
_DAY = 86_400e6
#: Learners that ask ``x <= t`` only: their thresholds are read in the units of the table.
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


def is_number_column(column: pd.Series[Any]) -> bool:
    """Whether the column is read as a number: numbers, booleans, dates, durations."""
    if column.dtype == object:
        return types.infer_dtype(column, skipna=True) in {
            "integer",
            "floating",
            "mixed-integer-float",
            "boolean",
            "decimal",
        }
    return bool(
        types.is_numeric_dtype(column)
        or types.is_bool_dtype(column)
        or types.is_datetime64_any_dtype(column)
        or types.is_timedelta64_dtype(column)
    )


def as_numbers(column: pd.Series[Any]) -> Floats:
    """The column as floats, missing values as NaN; dates and durations in days."""
    if types.is_datetime64_any_dtype(column) or types.is_timedelta64_dtype(column):
        # numbers of days, whatever unit and time zone the column has
        zone = getattr(column.dt, "tz", None)
        naive = column.dt.tz_convert(None) if zone is not None else column
        kind = "timedelta64[us]" if types.is_timedelta64_dtype(column) else "datetime64[us]"
        microseconds = naive.to_numpy().astype(kind).astype("int64")
        return np.where(naive.isna(), np.nan, microseconds / _DAY)
    return np.asarray(column.astype("Float64").to_numpy(float, na_value=np.nan), dtype=np.float64)


@dataclass(frozen=True)
class _Column:
    """What was learned about one column."""

    name: Any
    #: Levels of a text column; None for numbers.
    levels: tuple[str, ...] | None = None
    #: Of numbers that are there.
    median: float = 0.0

    def encode(self, column: pd.Series[Any], *, impute: bool) -> Floats:
        """The column as one or more columns of numbers, shape (n_samples, n_out)."""
        if self.levels is None:
            numbers = as_numbers(column)
            if np.isinf(numbers).any():
                raise InputError(
                    "column ",
                    Quoted(self.name),
                    " holds inf.",
                    hint="Replace it by a number, or by a missing value.",
                )
            if impute:
                numbers = np.where(np.isnan(numbers), self.median, numbers)
            return numbers[:, None]
        texts = _texts(column)
        return np.column_stack([texts == level for level in self.levels]).astype(float)

    @property
    def names_out(self) -> list[str]:
        """A name for each column of the result."""
        if self.levels is None:
            return [str(self.name)]
        return [f"{self.name}={level}" for level in self.levels]


def _texts(column: pd.Series[Any]) -> NDArray[Any]:
    """Values as text; a missing one is a level of its own."""
    missing = column.isna().to_numpy()
    texts = column.astype(object).map(str, na_action="ignore").to_numpy(object)
    return np.where(missing, "missing", texts)


def _learn(name: Any, column: pd.Series[Any]) -> _Column:
    if is_number_column(column):
        numbers = as_numbers(column)
        return _Column(name, median=float(_medians(numbers[:, None])[0]))
    counts = pd.Series(_texts(column)).value_counts(sort=True)
    return _Column(name, levels=tuple(sorted(map(str, counts.index[:MAX_LEVELS]))))


def _plain(frame: pd.DataFrame) -> Floats | None:
    """All values at once, if each column holds plain numbers: many times as fast."""
    if not all(isinstance(dtype, np.dtype) and dtype.kind in "iufb" for dtype in frame.dtypes):
        return None
    return frame.to_numpy(dtype=float)


def _medians(numbers: Floats) -> Floats:
    """Median of each column without what is not a number; 0 where there is nothing else."""
    if np.isfinite(numbers).all():
        result: Floats = np.median(numbers, axis=0)
        return result
    there = (column[np.isfinite(column)] for column in numbers.T)
    return np.array([np.median(column) if len(column) else 0.0 for column in there])


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
        frame = as_frame(X)
        self.n_features_in_ = frame.shape[1]
        plain = _plain(frame)
        if plain is None:
            names = enumerate(frame.columns)
            self._columns = [_learn(name, frame.iloc[:, at]) for at, name in names]
        else:
            medians = zip(frame.columns, _medians(plain).tolist(), strict=True)
            self._columns = [_Column(name, median=median) for name, median in medians]
        numbers = self._encode(frame)
        if self.scale:
            self._mean = np.nan_to_num(np.nanmean(numbers, axis=0))
            deviation = np.nan_to_num(np.nanstd(numbers, axis=0))
            # a constant column stays constant, whatever rounding made of its deviation
            tiny = 10 * np.finfo(float).eps * np.maximum(np.abs(self._mean), 1e-290)
            self._deviation = np.where(deviation > tiny, deviation, 1.0)
        return self

    def transform(self, X: Any) -> Floats:
        """Numbers of shape (n_samples, n_out)."""
        numbers = self._encode(as_frame(X))
        return (numbers - self._mean) / self._deviation if self.scale else numbers

    def _encode(self, frame: pd.DataFrame) -> Floats:
        if frame.shape[1] != self.n_features_in_:
            raise InputError(
                Argument("X"),
                f" has {frame.shape[1]} columns, but {self.n_features_in_} were learned from.",
            )
        plain = None if any(column.levels for column in self._columns) else _plain(frame)
        if plain is not None and np.isfinite(plain).all():
            return plain
        parts = [
            column.encode(frame.iloc[:, at], impute=self.impute)
            for at, column in enumerate(self._columns)
        ]
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Names of the columns of the result: ``job=cook`` for a level."""
        return np.array([name for column in self._columns for name in column.names_out], object)


def prepared(learner: Any, X: Any) -> Any:
    """The learner with what it needs before it to take the table as it is.

    A `Pipeline` is left alone, whoever writes one has decided, and so is an object that is no
    estimator of scikit-learn, which a pipeline does not take. Trees get their numbers in their own
    units, so that thresholds can be read; every other learner gets columns of mean 0 and variance
    1. Text becomes a column for each level. A missing number becomes the median of its column,
    unless the learner says that it takes missing values.

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
    frame = as_frame(X)
    numeric = all(is_number_column(frame.iloc[:, at]) for at in range(frame.shape[1]))
    objects = any(types.is_object_dtype(dtype) for dtype in frame.dtypes)
    takes_missing = bool(get_tags(learner).input_tags.allow_nan)
    missing = bool(frame.isna().to_numpy().any())
    if (
        not scale
        and numeric
        and not objects
        and (takes_missing or not missing)
        and not _has_times(frame)
    ):
        return learner
    encoder = TableEncoder(scale=scale, impute=not takes_missing)
    return Pipeline([("columns", encoder), ("model", learner)])


def _has_times(frame: pd.DataFrame) -> bool:
    return any(
        types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype)
        for dtype in frame.dtypes
    )
