"""Features: the tests on the columns of a table that a tree may use.

A column of numbers is one feature, an ordered categorical too, and each category of an unordered
column is a feature that is 1 where the value is this category and 0 elsewhere. A column with
missing values has one more feature, which is 1 where the value is missing; see
`imd_widget.data.features`.

Networks see standardised values (a skewed column of values that are not negative after a
logarithm), in which a missing value is 0. Trees ask about raw values: between two neighbouring
values of the fitted table lies one threshold, the number with the fewest digits, so that a tree
sends the rows of the fitted table the same way whichever of the two is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.data import features as data_features
from imd_widget.data.column_kinds import column_kind
from imd_widget.data.features import Floats, feature_matrix, list_features
from imd_widget.data.table import Table
from imd_widget.data.thresholds import shortest_between

Kind = Literal["number", "order", "category", "missing"]

#: Categories of one column that become features: the most frequent ones.
MAX_CATEGORIES = 50
#: A column of values that are not negative is taken by its logarithm if its skewness is above.
SKEWED = 1.5
#: Standardised values are clipped here; no value of a fitted table is that far from its mean.
FARTHEST = 1e6


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeFeature(data_features.Feature):
    """The test on one column that a node of a tree can use.

    "number" and "order" features are compared with a threshold, the others ask whether the value is
    ``category``, or is missing.

    Attributes
    ----------
    kind : {"number", "order", "category", "missing"}
    thresholds : ndarray of shape (n_values - 1,)
        Increasing raw thresholds, one between any two neighbouring values of the fitted table.
    mean, scale, unit : float
        The standardised value is ``(v - mean) / scale``, where v is the raw value, or
        ``log1p(raw / unit)`` if ``unit > 0``.
    grid : ndarray of shape (n_values,)
        The standardised values of the fitted table, increasing.
    """

    kind: Kind
    thresholds: Floats
    mean: float
    scale: float
    unit: float
    grid: Floats

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


def fit_features(table: Table) -> tuple[TreeFeature, ...]:
    """The features of every column of a table."""
    _check_no_times(table)
    listed = list_features(table, max_categories=MAX_CATEGORIES, flags=False, drop_binary=True)
    raw = feature_matrix(table, listed)
    found = [
        _with_thresholds(feature, own)
        for feature, own in zip(listed, raw.T, strict=True)
        if feature.kind != "missing" or not own.all()
    ]
    if not any(len(feature.grid) > 1 for feature in found):
        raise InputError(
            Argument(table.argument),
            " has no column with two different values, so a tree has nothing to split on.",
        )
    return tuple(found)


def standardised_matrix(raw: Floats, features: Sequence[TreeFeature]) -> NDArray[np.float32]:
    """Standardised values of shape (n_rows, n_features), as the networks see them."""
    matrix = np.empty(raw.shape, dtype=np.float32)
    for at, feature in enumerate(features):
        matrix[:, at] = np.clip(feature.standardised(raw[:, at]), -FARTHEST, FARTHEST)
    return matrix


def candidate_splits(
    features: Sequence[TreeFeature], standardised: NDArray[np.float32], most: int = 8
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


def _check_no_times(table: Table) -> None:
    for position, name in enumerate(table.names):
        kind = column_kind(table.get(position))
        if kind in ("moment", "duration"):
            raise InputError(
                "The column ",
                Quoted(name),
                " of ",
                Argument(table.argument),
                f" holds {'dates' if kind == 'moment' else 'durations'}. Numbers, booleans, text "
                "and categories are accepted: turn dates and durations into numbers, such as the "
                "year or the days since a date, or drop the column.",
            )


def _with_thresholds(listed: data_features.Feature, raw: Floats) -> TreeFeature:
    """A feature with the thresholds and the scale of its raw values."""
    present = raw[~np.isnan(raw)]
    values = np.unique(present)
    unit = _log_unit(present) if listed.kind == "number" and len(values) > 2 else 0.0
    moved = np.log1p(present / unit) if unit > 0 else present
    mean, scale = (float(moved.mean()), float(moved.std())) if len(moved) else (0.0, 1.0)
    bounds = shortest_between(values[:-1], values[1:])
    if listed.kind in ("category", "missing"):
        bounds = np.full(len(values[1:]), 0.5)
    feature = TreeFeature(
        **{field.name: getattr(listed, field.name) for field in fields(listed)},
        thresholds=bounds,
        mean=mean,
        scale=scale or 1.0,
        unit=unit,
        grid=values,
    )
    # standardising may merge neighbours that differ in the last digits: the first one counts
    object.__setattr__(feature, "grid", feature.standardised(values))
    return feature


def _log_unit(present: Floats) -> float:
    """The unit of the logarithm of a skewed column: its median above 0; 0 for no logarithm."""
    spread = present.std() if len(present) else 0.0
    if not len(present) or present.min() < 0 or not spread:
        return 0.0
    skewness = float((((present - present.mean()) / spread) ** 3).mean())
    return float(np.median(present[present > 0])) if skewness > SKEWED else 0.0
