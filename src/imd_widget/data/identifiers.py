"""Columns of categories that hold a different value in nearly every row: ids, names, free text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Drop, InPython, Part, Quoted, Setting, warn
from imd_widget.data.columns import Column

#: A column is remarked on if this share of its values occurs in no other row ...
NEARLY_ALL = 0.9
#: ... and it has at least this many values.
FEWEST_ROWS = 50
#: Categories that are looked at for texts, and words of a text.
MOST_LOOKED_AT, SEVERAL_WORDS = 100, 3


def counts_in(column: Column, codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of rows of each category; empty if the values of a column have an order."""
    if column.ordered or column.categories is None:
        return np.empty(0, dtype=np.int64)
    return np.bincount(codes, minlength=column.n_values)[: len(column.categories)]


def identifiers(
    found: Iterable[tuple[Column, Collection[int]]], derives: bool = True
) -> tuple[str, ...]:
    """Return the names of the columns whose categories have one row each, and warn of them, once.

    Parameters
    ----------
    found : iterable of (Column, collection of int)
        Columns, and the numbers of rows of their most frequent categories; none for others.
    derives : bool
        Whether columns are derived from free text. If not, the warning offers to do so.
    """
    single = [column for column, counts in found if _are_single(counts)]
    columns = [column.name for column in single]
    has_texts = not derives and any(map(_holds_texts, single))
    names = tuple(map(str, columns))
    if not names:
        return ()
    one = len(names) == 1
    offer: list[Part] = []
    if has_texts:
        offer = ["For rules about words, use ", Setting("derive", "auto"), ". "]
    warn(
        f"the {'column' if one else 'columns'} ",
        Quoted(*names[:5]),
        ", ..." if len(names) > 5 else "",
        f" {'holds' if one else 'hold'} a different value in nearly every row, as an id or free "
        "text does: a rule could only select single rows. ",
        *offer,
        "Leave such a column out, for example ",
        Drop(columns[0]),
        InPython(
            ", or name those that rules may use with columns=[...]: the models still get all "
            "of them"
        ),
        ".",
    )
    return names


def _holds_texts(column: Column) -> bool:
    """Whether some of the categories of a column are texts of several words."""
    some = list(getattr(column, "categories", None) or ())[:MOST_LOOKED_AT]
    return any(isinstance(one, str) and len(one.split()) >= SEVERAL_WORDS for one in some)


def _are_single(counts: Collection[int]) -> bool:
    n_rows = sum(counts)
    return n_rows >= FEWEST_ROWS and len(counts) >= NEARLY_ALL * n_rows
