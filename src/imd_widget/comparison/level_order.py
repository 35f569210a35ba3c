"""The stage that adds the ranks of levels to a dataset, as derived columns.

The levels of a category are sorted by how often the models differ, so that one cut separates a set
of them. Rates are those of the rows used to fit, so every fold and every resample has its own.
"""

from __future__ import annotations

import numpy as np

from imd_widget.comparison.dataset import Dataset
from imd_widget.data.binning import with_unique_names
from imd_widget.data.columns import OrderedColumn
from imd_widget.data.derived import is_derived
from imd_widget.data.level_sets import LevelSets
from imd_widget.outputs.base import ComparedOutputs

#: With fewer levels, one at a time is enough.
FEWEST_LEVELS = 4
#: Columns of more categories hold names rather than groups.
MOST_CATEGORIES = 1_000
#: Rows used to fit that a level needs for a rank of its own.
LEAST_ROWS = 20
#: Rates are shrunk towards that of all rows, as if by this many rows of average weight.
SHRINKAGE = 20


def with_sets(dataset: Dataset, compared: ComparedOutputs) -> Dataset:
    """Return the dataset with the ranks of the levels of each category as its last columns."""
    base = dataset.without_sets()
    table = base.tables[0]
    first = 1 + max(len(table.names), *(own.position for own in base.columns))
    found: list[OrderedColumn] = []
    for number, column in enumerate(base.columns):
        name = _ranked(base, number, compared)
        if name is not None:
            found.append(
                OrderedColumn(
                    name,
                    first + len(found),
                    np.arange(1.0, len(name.levels) + 1),
                    has_missing=column.has_missing,
                    whole=True,
                    storage=column.storage,
                )
            )
    return base.with_columns(with_unique_names(found, table)) if found else base


def _ranked(dataset: Dataset, number: int, compared: ComparedOutputs) -> LevelSets | None:
    """Return the ranks of the levels of a column; None if it has too few of them."""
    column = dataset.columns[number]
    if column.ordered or column.given or is_derived(column.name):
        return None
    categories = column.categories or ()
    known = len(categories)
    if not FEWEST_LEVELS <= known <= MOST_CATEGORIES:
        return None
    rows = np.asarray(dataset.fit, dtype=np.intp)
    codes = dataset.codes_at((number,), rows)[number]
    weights = dataset.weights
    weight = np.ones(len(rows)) if weights is None else np.asarray(weights.whole[rows])
    differing = weight * (compared.observations.outcome[rows] > 0)
    n_rows = np.bincount(codes, minlength=known + 1)
    has_rank = n_rows[:known] >= LEAST_ROWS
    if has_rank.sum() < FEWEST_LEVELS:
        return None
    own = np.flatnonzero(has_rank)
    # the others together are one more level; rows without a value have a code of their own
    group = np.full(max(len(n_rows), known + 2), len(own))
    group[own] = np.arange(len(own))
    group[known + 1 :] = len(own) + 1
    sizes, differences = (
        np.bincount(group[codes], amount, len(own) + 2)[: len(own) + 1]
        for amount in (weight, differing)
    )
    prior = SHRINKAGE * weight.mean()
    rates = (differences + prior * differing.sum() / weight.sum()) / (sizes + prior)
    # a row more or less in the last digits is no order
    ranks = np.empty(len(rates), dtype=int)
    ranks[np.argsort(np.round(rates, 12), kind="stable")] = np.arange(len(rates))
    levels = tuple(categories[code] for code in own.tolist())
    return LevelSets(
        column.name, column.position, levels, tuple(ranks[:-1].tolist()), int(ranks[-1])
    )
