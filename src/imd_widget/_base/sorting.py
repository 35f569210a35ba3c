"""An order for values of any kind."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def sort_labels(labels: Any) -> tuple[Hashable, ...]:
    """Labels in their own order; of several types by type, then by what is shown."""
    found = list(labels)
    try:
        if not any(isinstance(label, frozenset) for label in found):
            return tuple(sorted(found))
    except TypeError:
        pass
    return tuple(sorted(found, key=lambda label: (type(label).__name__, str(label))))
