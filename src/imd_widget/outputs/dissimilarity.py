"""Labels that differ by a dissimilarity of the user's own, and labels that are alike by it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted

#: From a label of model 1 and one of model 2 to how far they are apart: 0 or False if they count
#: as the same. A table has the labels of model 1 as its index and those of model 2 as columns.
Dissimilarity: TypeAlias = Callable[[Any, Any], Any] | pd.DataFrame
#: Begins the words if few pairs of labels count as the same.
DIFFERENT = "different, "
#: Pairs that are listed in words.
FEW_PAIRS = 3
#: Indices into the labels of model 1 and of model 2.
Pair = tuple[int, int]


@dataclass(frozen=True)
class KnownPairs:
    """A dissimilarity that was read once: different labels differ, but for some pairs."""

    #: Different labels that count as the same.
    alike: frozenset[tuple[Hashable, Hashable]]

    def __call__(self, first: Hashable, second: Hashable) -> bool:
        """Whether a label of model 1 and one of model 2 differ."""
        return first != second and (first, second) not in self.alike


def check_dissimilarity(name: str, value: Any) -> Any:
    """Return a dissimilarity; InputError unless it is callable, or a table of numbers."""
    if value is None or callable(value) or isinstance(value, pd.DataFrame):
        return value
    raise InputError(
        Given(name, value),
        ": a function of a label of model 1 and a label of model 2 is needed, such as "
        "lambda first, second: abs(first - second) > 1, or a DataFrame with the labels of model 1 "
        "as its index and those of model 2 as its columns.",
    )


def alike_pairs(dissimilarity: Any, labels: Sequence[Hashable]) -> tuple[Pair, ...]:
    """Return the pairs of different labels that count as the same, in increasing order."""
    if dissimilarity is None:
        return ()
    is_table = isinstance(dissimilarity, pd.DataFrame)
    apart = _table_of(dissimilarity) if is_table else dissimilarity
    found = []
    for one, first in enumerate(labels):
        for two, second in enumerate(labels):
            differs = _differs(apart, first, second)
            if one == two and differs:
                raise InputError(
                    Argument("dissimilarity"),
                    " has to be 0 or False for two equal labels; it is not for ",
                    Quoted(first),
                    ".",
                )
            if one != two and not differs:
                found.append((one, two))
    return tuple(found)


def _table_of(table: pd.DataFrame) -> Callable[[Any, Any], Any]:
    """Return a table as a function; equal labels that it lacks are 0 apart."""
    rows, columns = (
        {label: place for place, label in enumerate(axis)} for axis in (table.index, table.columns)
    )
    values = table.to_numpy()

    def apart(first: Any, second: Any) -> Any:
        if first in rows and second in columns:
            return values[rows[first], columns[second]]
        if first == second:
            return 0
        raise InputError(
            Argument("dissimilarity"),
            " has no entry for ",
            Quoted(first),
            " and ",
            Quoted(second),
            ": the labels of model 1 are its index, and those of model 2 its columns.",
        )

    return apart


def _differs(apart: Callable[[Any, Any], Any], first: Hashable, second: Hashable) -> bool:
    try:
        value = apart(first, second)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            Argument("dissimilarity"),
            f" raised {type(error).__name__}: {error} for the labels ",
            Quoted(first),
            " and ",
            Quoted(second),
            ".",
        ) from error
    if np.ndim(value) == 0 and isinstance(value, bool | np.bool_ | int | float | np.number):
        number = float(cast("float", value))
        if number >= 0:
            return number > 0
    raise InputError(
        Argument("dissimilarity"),
        f" gave {value!r} for the labels ",
        Quoted(first),
        " and ",
        Quoted(second),
        ": True, False or a number from 0 up is needed.",
    )


def apart_matrix(n_labels: int, alike: Sequence[Pair]) -> NDArray[np.bool_]:
    """Whether each label of model 1 differs from each of model 2: shape (n_labels, n_labels)."""
    apart = ~np.eye(n_labels, dtype=bool)
    if alike:
        apart[tuple(np.transpose(alike))] = False
    return apart


def in_words(names: Sequence[str], alike: Sequence[Pair]) -> str | None:
    """Return when two labels differ, after "two outputs differ if they are"; None by default."""
    if not alike:
        return None
    apart = np.argwhere(apart_matrix(len(names), alike)).tolist()
    if len(apart) <= FEW_PAIRS:
        return " or ".join(f"{names[first]} -> {names[second]}" for first, second in apart)
    both = [(one, two) for one, two in alike if one < two and (two, one) in alike]
    if 2 * len(both) == len(alike) and len(both) <= FEW_PAIRS:
        same = " or ".join(f"{names[one]} and {names[two]}" for one, two in both)
        return f"{DIFFERENT}not counting {same}"
    return f"{DIFFERENT}not counting {len(alike):,} pairs of labels"


def check_alike(alike: Any, n_labels: int) -> tuple[Pair, ...]:
    """Return the pairs of a file; ValueError if they are none."""
    pairs = tuple(tuple(pair) for pair in alike)
    if not all(
        len(pair) == 2 and all(isinstance(i, int) and 0 <= i < n_labels for i in pair)
        for pair in pairs
    ):
        raise ValueError("the pairs of labels that count as the same are no pairs of labels")
    return cast("tuple[Pair, ...]", pairs)


def known_pairs(labels: Sequence[Hashable], alike: Sequence[Pair]) -> Mapping[str, Any]:
    """Return the option that compares labels in the same way again; empty by default."""
    if not alike:
        return {}
    named = frozenset((labels[one], labels[two]) for one, two in alike)
    return {"dissimilarity": KnownPairs(named)}
