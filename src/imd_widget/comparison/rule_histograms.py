"""Histograms of the columns of rules: rows inside the rules against rows outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.diff_rows import DiffRows
from imd_widget.data.columns import Column
from imd_widget.rules.conditions import condition
from imd_widget.rules.languages import column_value_text, condition_text

#: Largest number of columns.
MOST_COLUMNS = 6


@dataclass(frozen=True)
class RuleHistogram:
    """Numbers of rows of the table by the value of a column; rows of weight 0 are left out.

    Attributes
    ----------
    column : str
        The name of the column.
    labels : tuple of str
        The range or the category of each bin.
    inside, inside_differing : tuple of int
        Rows inside the rules, and those of them on which the models differ, by bin.
    outside, outside_differing : tuple of int
        The same for the rows outside.
    """

    column: str
    labels: tuple[str, ...]
    inside: tuple[int, ...]
    inside_differing: tuple[int, ...]
    outside: tuple[int, ...]
    outside_differing: tuple[int, ...]


def rule_histograms(
    rows: DiffRows, columns: Sequence[int], inside: NDArray[np.bool_]
) -> list[RuleHistogram]:
    """Return a histogram of each column, given by its index into the encoded columns."""
    return [_histogram(rows, column, inside) for column in columns[:MOST_COLUMNS]]


def _histogram(rows: DiffRows, index: int, inside: NDArray[np.bool_]) -> RuleHistogram:
    column = rows.dataset.columns[index]
    codes = rows.dataset.codes_at((index,), slice(rows.table.n_rows))[index].astype(np.int64)
    counting, differs = rows.row_weight > 0, rows.differs
    inside, outside = inside & counting, ~inside & counting
    masks = [inside, inside & differs, outside, outside & differs]
    counts = [np.bincount(codes[mask], minlength=column.n_codes + 1) for mask in masks]
    bins, labels = _bins(column, counts[0] + counts[2])
    if column.has_missing:
        bins, labels = [*bins, [column.n_values]], [*labels, "missing"]
    sums = [tuple(int(count[codes_].sum()) for codes_ in bins) for count in counts]
    return RuleHistogram(str(column.name), tuple(labels), *sums)


def _bins(column: Column, rows: NDArray[np.int64]) -> tuple[list[list[int]], list[str]]:
    """Return the codes of each bin, and its label."""
    values = np.arange(column.n_values)
    # no bin of an ordered column has to end at a split, and no category is asked about
    cut = column.n_values - column.ordered
    found = column.bins(cut, rows[: column.n_values], partial(column_value_text, column.name))
    bins = [values[codes].tolist() for codes in found.codes]
    bins = [codes for codes in bins if codes]
    if found.labels is not None:
        return bins, list(found.labels)
    labels = [condition_text(condition(column, sum(1 << code for code in codes))) for codes in bins]
    # the name of the column stands above the histogram
    name = str(column.name)
    return bins, [
        label.replace(f" <= {name} < ", " to < ").removeprefix(f"{name} ") for label in labels
    ]
