"""The check that no two columns of a table have one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from imd_widget._base.errors import Argument, InputError, Quoted


def check_distinct_names(names: Iterable[Hashable], argument: str = "X") -> None:
    """Raise an `InputError` if two columns have one name: scikit-learn knows columns by names."""
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(
                Argument(argument),
                f" has {count} columns called ",
                Quoted(name),
                ", and an estimator knows columns by their names. Rename them.",
            )
