"""Literals: conditions on single columns, of which clauses are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.validation import check_whole
from imd_widget.data.binning import bin_table
from imd_widget.data.columns import Codes, Column
from imd_widget.data.table import encode, open_table
from imd_widget.rules.conditions import Condition, condition

#: Maximal number of categories of a column that become literals, the most frequent ones.
MAX_CATEGORIES = 64


@dataclass(frozen=True, eq=False)
class Literals:
    """Numbered conditions on single columns.

    Attributes
    ----------
    columns : tuple of Column
        The columns of the table that the literals were made for.
    definitions : tuple of (int, int)
        For each literal the position of its column, and the codes for which it holds, as bits.
    """

    columns: tuple[Column, ...]
    definitions: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.definitions)

    def matrix(self, frame: Any) -> NDArray[np.bool_]:
        """Matrix of shape (n_rows, n_literals): True where a literal holds for a row.

        No literal holds for a missing value in a column that had none, nor for an unknown category
        of an ordered column. For any other new category all "is not" literals hold.
        """
        codes = encode(open_table(frame, "frame"), self.columns)
        holds = np.empty((codes.n_rows, len(self)), dtype=bool)
        for j, (column, allowed) in enumerate(self.definitions):
            holds[:, j] = _allowed(allowed, self.columns[column], codes.codes[column])
        return holds

    def condition(self, j: int) -> Condition:
        """The literal as a condition on a column."""
        column, allowed = self.definitions[j]
        return condition(self.columns[column], allowed)

    def text(self, j: int) -> str:
        """The literal as text: ``age < 42``, ``sex is not male``, ``age is missing``."""
        return str(self.condition(j))


def binarise(frame: Any, n_thresholds: int = 9) -> Literals:
    """The literals that rules for ``frame`` are made of.

    An ordered column has ``< t`` and ``>= t`` for thresholds at quantiles, or between all values if
    they are few. Another column has "is" and "is not" for each of its 64 most frequent categories,
    and only "is" if there are two. A column with missing values also has "is missing" and "is not
    missing". Literals that hold for all rows or for none are omitted.

    Parameters
    ----------
    frame : table
        Anything that `imd_widget.diff` takes for ``X``.
    n_thresholds : int
        Maximal number of thresholds of a column; 9 are the deciles.
    """
    check_whole("n_thresholds", n_thresholds, 1)
    table = open_table(frame, "frame")
    rows = np.ones(table.n_rows, dtype=bool)
    encoded = bin_table(table, rows, int(n_thresholds) + 1, subsample=None, seed=0)
    columns = encoded.columns
    definitions = []
    for position, (column, codes) in enumerate(zip(columns, encoded.codes, strict=True)):
        for allowed in _allowed_codes(column, codes):
            holds = _allowed(allowed, column, codes)
            if holds.any() and not holds.all():
                definitions.append((position, allowed))
    return Literals(columns, tuple(definitions))


def _allowed_codes(column: Column, codes: Codes) -> Iterator[int]:
    """The codes for which each literal of a column holds, as bits."""
    every = (1 << column.n_values) - 1
    yield from column.questions(codes, MAX_CATEGORIES)
    if column.has_missing:
        yield every + 1
        yield every


def _allowed(allowed: int, column: Column, codes: Codes) -> NDArray[np.bool_]:
    """Mask of the codes that are allowed; a code that is not defined is not."""
    bits = [allowed >> code & 1 for code in range(column.n_values + 2)]
    return np.array(bits, dtype=bool)[codes]
