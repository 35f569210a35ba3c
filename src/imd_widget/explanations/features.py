"""Columns of any kind as numbers that surrogates are fitted to.

A surrogate is asked about columns, not about features: each feature has its `owner`, the column
that it was made from, and contributions of features are added up by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.data.binning import bin_table
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Codes, Column
from imd_widget.data.features import Encoder, list_features
from imd_widget.data.raw_values import raw_values
from imd_widget.data.table import Table, encode
from imd_widget.explanations.grid import column_is_number
from imd_widget.explanations.sharing import shared_values

#: Categories of a column with a feature of their own, the most frequent ones.
MOST_CATEGORIES = 20
#: Most parts that a column is cut into for trees.
MAX_BINS = 255
#: In `TreeFeatures.code`: the feature is the code of the column itself.
ORDER = -1


@dataclass(frozen=True, eq=False)
class TreeFeatures:
    """Features of decision trees: codes of columns with an order, and "is this category"."""

    columns: tuple[Column, ...]
    #: Number of the column of each feature.
    owner: NDArray[np.intp]
    #: `ORDER`, or the code of the category that the feature asks for.
    code: NDArray[np.intp]

    @classmethod
    def of(cls, columns: Sequence[Column], codes: Sequence[Codes]) -> TreeFeatures:
        """Return the features of columns, from the codes of the rows that are fitted."""
        owner: list[int] = []
        code: list[int] = []
        for number, (column, own) in enumerate(zip(columns, codes, strict=True)):
            wanted = [ORDER] if column.ordered else _frequent(own)
            owner += [number] * len(wanted)
            code += wanted
        return cls(tuple(columns), np.array(owner, dtype=np.intp), np.array(code, dtype=np.intp))

    def matrix(self, codes: Sequence[Codes]) -> NDArray[np.float32]:
        """Features of encoded rows: shape (n_rows, n_features)."""
        n_rows = len(codes[0]) if codes else 0
        found = np.empty((n_rows, len(self.owner)), dtype=np.float32)
        for feature, (owner, code) in enumerate(zip(self.owner, self.code, strict=True)):
            own = codes[owner]
            found[:, feature] = own if code == ORDER else own == code
        return found

    def encoded(self, table: Table) -> NDArray[np.float32]:
        """Features of the rows of any table with these columns."""
        return self.matrix(encode(table, self.columns).codes)

    def yes(self, feature: int, threshold: float) -> tuple[int, int]:
        """Return the column of a split, and the codes of its "yes" side as bits.

        That is ``feature <= threshold`` of a column with an order, and "is this category"
        otherwise.
        """
        owner = int(self.owner[feature])
        if self.code[feature] == ORDER:
            return owner, (1 << (int(np.floor(threshold)) + 1)) - 1
        return owner, 1 << int(self.code[feature])

    def narrowed(self, box: Box, column: int, codes: int, inside: bool) -> Box:
        """Return a box cut by a split: its part with these codes of the column, or the rest."""
        every = (1 << self.columns[column].n_codes) - 1
        allowed = codes if inside else every ^ (codes & every)
        return {**box, column: box.get(column, every) & allowed & every}


def _frequent(codes: Codes) -> list[int]:
    """The most frequent codes, in order."""
    number = np.bincount(codes)
    kept = np.argsort(-number, kind="stable")[:MOST_CATEGORIES]
    found = sorted(int(code) for code in kept if number[code])
    # of two categories one question says it all
    return found[1:] if len(found) == 2 else found


@dataclass(frozen=True, eq=False)
class LinearFeatures:
    """Features of linear models: numbers, "is this category", "is missing"."""

    #: Number of the column of each feature.
    owner: NDArray[np.intp]
    #: Mean 0 and standard deviation 1 over the rows that are fitted; 0 if all are the same.
    matrix: NDArray[np.float64]
    #: The column of each feature, "job=cook" for a category.
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, table: Table, columns: Sequence[Column], fit: NDArray[np.bool_], least: int
    ) -> LinearFeatures:
        """Return the features of the rows of a table, scaled by those in ``fit``.

        Parameters
        ----------
        table : Table
        columns : sequence of Column
            The columns that have features.
        fit : ndarray of shape (n_rows,)
        least : int
            Rows, of those that are fitted, that each category stands for at least.
        """
        fitted = table.take(np.flatnonzero(fit))
        number = {column.position: number for number, column in enumerate(columns)}
        features = list_features(
            fitted,
            max_categories=MOST_CATEGORIES,
            min_rows=least,
            drop_binary=True,
            positions=list(number),
        )
        encoder = Encoder.fit(fitted, features, fill="mean", scaling="standard", infinite=True)
        matrix = encoder.transform(table)
        matrix[:, np.ptp(matrix[fit], axis=0) == 0] = 0.0
        owner = [number[feature.position] for feature in features]
        names = tuple(feature.name for feature in features)
        return cls(np.array(owner, dtype=np.intp), matrix, names)


@dataclass(frozen=True, eq=False)
class Described:
    """The columns of a table that surrogates can use, and the codes of its rows."""

    columns: tuple[Column, ...]
    codes: tuple[Codes, ...]


def describe(
    table: Table,
    fit: NDArray[np.bool_],
    positions: Sequence[int] | None = None,
    least: int = 1,
) -> Described:
    """Describe every column whose values can be compared; others are left out.

    Parameters
    ----------
    table : Table
    fit : ndarray of shape (n_rows,)
        Whether a row is fitted.
    positions : sequence of int, optional
        Positions of the columns; None: all of them.
    least : int
        Rows, of those that are fitted, that each category and threshold stands for at least.
    """
    columns: list[Column] = []
    codes: list[Any] = []
    for position in range(len(table.names)) if positions is None else positions:
        try:
            encoded = bin_table(table, fit, MAX_BINS, None, 0, (position,))
        except InputError:
            continue  # a diff may have been made without such a column: columns=[...]
        column, own = encoded.columns[0], encoded.codes[0]
        if least > 1:
            column = _shared(column, own[fit], table, fit, least)
            own = encode(table, (column,)).codes[0]
        columns.append(column)
        codes.append(own)
    return Described(tuple(columns), tuple(codes))


def _shared(
    column: Column, codes: Codes, table: Table, fit: NDArray[np.bool_], least: int
) -> Column:
    """The column with those categories and thresholds only that stand for enough rows."""
    if not column_is_number(column):
        return column.only_frequent(np.bincount(codes, minlength=column.n_codes), least)
    dtype = column.thresholds.dtype  # type: ignore[union-attr]
    raw, missing = raw_values(
        table.get(column.position), dtype if dtype.kind in "mM" else np.dtype(float)
    )
    present = fit if missing is None else fit & ~missing
    thresholds = shared_values(raw[present], MAX_BINS, least)
    return replace(column, thresholds=thresholds.astype(dtype))  # type: ignore[arg-type]
