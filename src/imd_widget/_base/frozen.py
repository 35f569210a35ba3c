"""Arrays that results hand out: they cannot be written to, so that a result stays what it is."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def read_only(array: Array) -> Array:
    """Return a view of an array that cannot be written to; the array itself stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays:
    """A frozen dataclass whose arrays cannot be written to."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # a subclass is a dataclass
            value = getattr(self, field.name)
            if type(value) is np.ndarray:
                object.__setattr__(self, field.name, read_only(value))
