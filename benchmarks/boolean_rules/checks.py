"""Checks of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError
from imd_widget._base.validation import is_number


def check_shape(name: str, y: Any, n_rows: int) -> NDArray[Any]:
    """Convert ``y`` to an array; raise an `InputError` unless its shape is ``(n_rows,)``."""
    values = np.asarray(y)
    if values.shape != (n_rows,):
        raise InputError(
            Argument(name),
            f" has the shape {values.shape}: one output for each of the {n_rows} rows is "
            f"needed, the shape ({n_rows},). Of a probability for each class take the most "
            "probable one: .argmax(axis=1).",
        )
    return values


def shown(values: Sequence[Any]) -> str:
    """The first five values, for a message."""
    return ", ".join(repr(value) for value in values[:5]) + (" ..." if len(values) > 5 else "")


def check_cost(name: str, value: Any, high: float) -> None:
    """Raise an `InputError` unless ``0 <= value <= high`` and it is finite."""
    if not is_number(value) or not 0 <= value <= high or np.isinf(value):
        limits = "from 0 up" if np.isinf(high) else f"from 0 to {high:g}"
        raise InputError(Given(name, value), f": a number {limits} is needed.")
