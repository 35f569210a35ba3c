"""Features: the questions that a tree may ask about the columns of a table.

A column of numbers is one feature, an ordered categorical too, and each category of an unordered
column is a feature that is 1 where the value is this category and 0 elsewhere. A column with
missing values has one more feature, which is 1 where the value is missing.

Networks see standardised values (a skewed column of values that are not negative after a
logarithm), in which a missing value is 0. Trees ask about raw values: between two neighbouring
values of the fitted table lies one threshold, the number with the fewest digits, so that a tree
sends the rows of the fitted table the same way whichever of the two is compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Row
from imd_widget.data.native import as_numbers, factorized
from imd_widget.data.raw_values import raw_values
from imd_widget.data.table import Table
from imd_widget.data.thresholds import shortest_between

Floats = NDArray[np.float64]
Kind = Literal["number", "order", "category", "missing"]

#: Categories of one column that can be asked about: the most frequent ones.
MAX_CATEGORIES = 50
#: A column of values that are not negative is taken by its logarithm if its skewness is above.
SKEWED = 1.5


@dataclass(frozen=True, eq=False)
class Feature:
    """What a node of a tree can ask about one column.

    Attributes
    ----------
    column : Hashable
        The user's name of the column.
    position : int
        Its position in the fitted table.
    kind : {"number", "order", "category", "missing"}
        "number" and "order" are compared with a threshold, the others ask whether the value is
        ``category``, or is missing.
    thresholds : ndarray of shape (n_values - 1,)
        Increasing raw thresholds, one between any two neighbouring values of the fitted table.
    mean, scale, unit : float
        The standardised value is ``(v - mean) / scale``, where v is the raw value, or
        ``log1p(raw / unit)`` if ``unit > 0``.
    grid : ndarray of shape (n_values,)
        The standardised values of the fitted table, increasing.
    category : Hashable
        The category of a "category" feature.
    categories : tuple or None
        All categories of an "order" feature, from the least to the greatest.
    """

    column: Hashable
    position: int
    kind: Kind
    thresholds: Floats
    mean: float
    scale: float
    unit: float
    grid: Floats
    category: Hashable = None
    categories: tuple[Hashable, ...] | None = None

    def standardised(self, raw: Floats) -> Floats:
        """Standardised values; 0 where ``raw`` is NaN."""
        values = raw
        if self.unit > 0:  # a value below those of the fitted table has no logarithm
            values = np.log1p(np.maximum(raw, 0) / self.unit)
        return np.nan_to_num((values - self.mean) / self.scale, nan=0.0)

    def raw_thresholds(self, standardised: Floats) -> Floats:
        """Raw thresholds that separate the fitted values as the standardised ones do.

        A value of the fitted table is ``>=`` the raw threshold if and only if its standardised
        value is ``>=`` the standardised threshold. The result is ``-inf`` if all of them are, and
        ``inf`` if none is.
        """
        bounds = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        return np.asarray(bounds[np.searchsorted(self.grid, standardised, side="left")])


def fit_features(table: Table) -> tuple[Feature, ...]:
    """The features of every column of a table."""
    found = [
        feature for position in range(len(table.names)) for feature in _of_column(table, position)
    ]
    if not any(len(feature.grid) > 1 for feature in found):
        raise InputError(
            Argument(table.argument),
            " has no column with two different values, so a tree has nothing to ask about.",
        )
    return tuple(found)


def raw_matrix(
    table: Table, features: Sequence[Feature], needed: Sequence[int] | None = None
) -> Floats:
    """Raw values of shape (n_rows, n_features); NaN where one is missing.

    Columns are matched by name, and by position if the table is an array. Features that are not
    ``needed`` stay 0.
    """
    matrix = np.zeros((table.n_rows, len(features)))
    for at in range(len(features)) if needed is None else needed:
        matrix[:, at] = raw_column(table, features[at])
    return matrix


def standardised_matrix(raw: Floats, features: Sequence[Feature]) -> NDArray[np.float32]:
    """Standardised values of shape (n_rows, n_features), as the networks see them."""
    matrix = np.empty(raw.shape, dtype=np.float32)
    for at, feature in enumerate(features):
        matrix[:, at] = feature.standardised(raw[:, at])
    return matrix


def candidate_splits(
    features: Sequence[Feature], standardised: NDArray[np.float32], most: int = 8
) -> tuple[tuple[int, float], ...]:
    """Features and standardised thresholds at quantiles of the rows, at most ``most`` a feature."""
    found = []
    for at, feature in enumerate(features):
        between = (feature.grid[:-1] + feature.grid[1:]) / 2
        if len(between) > most:
            cuts = np.quantile(standardised[:, at], np.arange(1, most + 1) / (most + 1))
            between = np.unique(between[np.searchsorted(between, cuts).clip(0, len(between) - 1)])
        found += [(at, float(threshold)) for threshold in between]
    return tuple(found)


def _of_column(table: Table, position: int) -> Iterator[Feature]:
    name, series = table.names[position], table.get(position)
    kind = _kind_of(series, name, table.argument)
    missing = series.isna().to_numpy(dtype=bool)
    if kind == "number":
        yield _numeric(name, position, "number", _numbers(series, name, table.argument))
    elif kind == "order":
        categories = tuple(series.cat.categories.astype(object))
        codes = series.cat.codes.to_numpy().astype(float)
        codes[missing] = np.nan
        yield _numeric(name, position, "order", codes, categories=categories)
    else:
        codes, distinct = factorized(series.astype(object) if kind == "flag" else series)
        counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
        by_count = sorted(range(len(distinct)), key=lambda at: (-counts[at], str(distinct[at])))
        asked = [at for at in by_count if counts[at]][:MAX_CATEGORIES]
        if len(asked) == 2:  # the answer for the other one is the opposite
            asked = [max(asked, key=lambda at: str(distinct[at]))]
        for at in sorted(asked, key=lambda at: str(distinct[at])):
            chosen = (codes == at).astype(float)
            yield _numeric(name, position, "category", chosen, category=distinct[at])
    if missing.any() and not missing.all():
        yield _numeric(name, position, "missing", missing.astype(float))


def _numeric(name: Hashable, position: int, kind: Kind, raw: Floats, **more: Any) -> Feature:
    """A feature with the thresholds and the scale of its raw values."""
    values = np.unique(raw[~np.isnan(raw)])
    unit = _log_unit(raw) if kind == "number" and len(values) > 2 else 0.0
    present = raw[~np.isnan(raw)]
    moved = np.log1p(present / unit) if unit > 0 else present
    mean, scale = (float(moved.mean()), float(moved.std())) if len(moved) else (0.0, 1.0)
    bounds = shortest_between(values[:-1], values[1:])
    if kind in ("category", "missing"):
        bounds = np.full(len(values[1:]), 0.5)
    feature = Feature(name, position, kind, bounds, mean, scale or 1.0, unit, values, **more)
    # standardising may merge neighbours that differ in the last digits: the first one counts
    object.__setattr__(feature, "grid", feature.standardised(values))
    return feature


def _log_unit(raw: Floats) -> float:
    """The unit of the logarithm of a skewed column: its median above 0; 0 for no logarithm."""
    present = raw[~np.isnan(raw)]
    spread = present.std() if len(present) else 0.0
    if not len(present) or present.min() < 0 or not spread:
        return 0.0
    skewness = float((((present - present.mean()) / spread) ** 3).mean())
    return float(np.median(present[present > 0])) if skewness > SKEWED else 0.0


def _kind_of(series: pd.Series[Any], name: Hashable, argument: str) -> str:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "order" if dtype.ordered else "category"
    if getattr(dtype, "kind", "O") in "iuf":
        return "number"
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if inferred in ("boolean", "bool"):
        return "flag"
    if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
        return "number"
    if inferred in ("string", "mixed", "mixed-integer", "categorical", "empty"):
        return "category"
    raise InputError(
        "The column ",
        Quoted(name),
        " of ",
        Argument(argument),
        f" holds values of the kind {inferred!r}. Numbers, booleans, text and categories are "
        "accepted: turn dates and durations into numbers, such as the year or the days since a "
        "date, or drop the column.",
    )


def _numbers(series: pd.Series[Any], name: Hashable, argument: str) -> Floats:
    if series.dtype == object:
        series = as_numbers(series)
    elif getattr(series.dtype, "kind", "O") == "b":
        series = series.astype(float)
    raw, missing = raw_values(series, np.dtype(float))
    numbers = raw.astype(float)
    if missing is not None:
        numbers[missing] = np.nan
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise InputError(
            "The column ",
            Quoted(name),
            " of ",
            Argument(argument),
            f" is infinite in {len(infinite)} row(s), first in ",
            Row(int(infinite[0])),
            ". Replace infinities by numbers, or by NaN where the value is missing.",
        )
    return numbers


class Asked(Protocol):
    """What is needed to read the raw values of a feature or of a question."""

    @property
    def column(self) -> Hashable:
        """The user's name of the column."""

    @property
    def position(self) -> int:
        """The position of the column."""

    @property
    def kind(self) -> Kind:
        """How values are compared."""

    @property
    def category(self) -> Hashable:
        """The category that is asked about."""

    @property
    def categories(self) -> tuple[Hashable, ...] | None:
        """All categories, in order."""


def raw_column(table: Table, asked: Asked) -> Floats:
    """Raw values of shape (n_rows,); NaN where one is missing.

    The column is found by its name, and in an array by its position.
    """
    series = _column_of(table, asked)
    missing = series.isna().to_numpy(dtype=bool)
    if asked.kind == "missing":
        return missing.astype(float)
    if asked.kind == "number":
        if _kind_of(series, asked.column, table.argument) not in ("number", "flag"):
            raise InputError(
                "The column ",
                Quoted(asked.column),
                " of ",
                Argument(table.argument),
                " holds no numbers, and it did in the table of the training.",
            )
        return _numbers(series, asked.column, table.argument)
    objects = series.astype(object)
    if asked.kind == "order":
        index = pd.Index(asked.categories or (), dtype=object)
        codes = index.get_indexer(pd.Index(objects, dtype=object)).astype(float)
        codes[codes < 0] = np.nan
        return codes
    same = np.array([value == asked.category for value in objects.mask(missing, None)], dtype=bool)
    return np.asarray(same & ~missing, dtype=float)


def _column_of(table: Table, asked: Asked) -> pd.Series[Any]:
    if isinstance(table.native, np.ndarray):
        if asked.position < len(table.names):
            return table.get(asked.position)
    elif asked.column in table.place:
        return table.get(table.place[asked.column])
    elif asked.position < len(table.names) and table.names[asked.position] == asked.column:
        return table.get(asked.position)
    raise InputError(
        Argument(table.argument),
        " lacks the column ",
        Quoted(asked.column),
        ", which the trees ask about. It has ",
        Quoted(*table.names[:5]),
        " ..." if len(table.names) > 5 else "",
        ".",
    )
