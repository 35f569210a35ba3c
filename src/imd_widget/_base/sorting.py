"""A total order for values of any type."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def sort_labels(labels: Any) -> tuple[Hashable, ...]:
    """Sort labels by value; if they are not comparable, by the name of their type, then as text."""
    unsorted = list(labels)
    try:
        # frozensets have only a partial order, so that the result would depend on the input order
        if not any(isinstance(label, frozenset) for label in unsorted):
            return tuple(sorted(unsorted))
    except TypeError:
        pass
    return tuple(sorted(unsorted, key=lambda label: (type(label).__name__, str(label))))
