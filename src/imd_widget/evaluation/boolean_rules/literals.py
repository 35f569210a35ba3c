"""Yes/no questions about single columns, which rule sets are made of."""

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

#: Categories of a column that become literals: the most frequent ones.
MAX_CATEGORIES = 64


@dataclass(frozen=True, eq=False)
class Literals:
    """Yes/no questions about single columns, each with a number.

    Attributes
    ----------
    columns : tuple of Column
        The columns of the table that the questions were made from.
    asked : tuple of (int, int)
        For each literal its column, and the codes of the column for which it holds, as bits.
    """

    columns: tuple[Column, ...]
    asked: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.asked)

    def matrix(self, frame: Any) -> NDArray[np.bool_]:
        """For each row of ``frame`` and each literal: does it hold?

        A missing value in a column that had none, or a category unknown to the order of an ordered
        column, satisfies no literal. Any other new category "is not" each of the known ones.
        """
        codes = encode(open_table(frame, "frame"), self.columns)
        holds = np.empty((codes.n_rows, len(self)), dtype=bool)
        for j, (column, allowed) in enumerate(self.asked):
            holds[:, j] = _allowed(allowed, self.columns[column], codes.codes[column])
        return holds

    def condition(self, j: int) -> Condition:
        """The literal as a condition on a column."""
        column, allowed = self.asked[j]
        return condition(self.columns[column], allowed)

    def text(self, j: int) -> str:
        """The literal in words: ``age < 42``, ``sex is not male``, ``age is missing``."""
        return str(self.condition(j))


def binarise(frame: Any, n_thresholds: int = 9) -> Literals:
    """The yes/no questions that rules for ``frame`` may ask.

    Of a column with an order, ``< t`` and ``>= t`` for thresholds at quantiles; of one with few
    values, between all of them. Of a column without one, "is" and "is not" for each category, the
    most frequent 64 at most; of two categories "is" alone, which says it all. Where values are
    missing, "is missing" and "is not missing". What holds for all rows or for none is left out.

    Parameters
    ----------
    frame : table
        Anything that `imd_widget.diff` takes for ``X``.
    n_thresholds : int
        Thresholds of a column at most; 9 are the deciles.
    """
    check_whole("n_thresholds", n_thresholds, 1)
    table = open_table(frame, "frame")
    rows = np.ones(table.n_rows, dtype=bool)
    encoded = bin_table(table, rows, int(n_thresholds) + 1, subsample=None, seed=0)
    columns = encoded.columns
    asked = []
    for at, (column, codes) in enumerate(zip(columns, encoded.codes, strict=True)):
        for allowed in _questions(column, codes):
            holds = _allowed(allowed, column, codes)
            if holds.any() and not holds.all():
                asked.append((at, allowed))
    return Literals(columns, tuple(asked))


def _questions(column: Column, codes: Codes) -> Iterator[int]:
    """The codes for which each question about a column is answered with yes, as bits."""
    every = (1 << column.n_values) - 1
    yield from column.questions(codes, MAX_CATEGORIES)
    if column.has_missing:
        yield every + 1
        yield every


def _allowed(allowed: int, column: Column, codes: Codes) -> NDArray[np.bool_]:
    """For each code of a column: is it among the allowed ones? What is not foreseen is not."""
    bits = [allowed >> code & 1 for code in range(column.n_values + 2)]
    return np.array(bits, dtype=bool)[codes]
