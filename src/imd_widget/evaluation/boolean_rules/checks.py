"""What is asked of arguments, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.validation import is_number


def check_shape(name: str, y: Any, n_rows: int) -> NDArray[Any]:
    """One output for each row."""
    values = np.asarray(y)
    if values.shape != (n_rows,):
        raise InputError(
            f"{name} has the shape {values.shape}: one output for each of the {n_rows} rows is "
            f"needed, the shape ({n_rows},). Of a probability for each class take the most "
            "probable one: .argmax(axis=1)."
        )
    return values


def shown(values: Sequence[Any]) -> str:
    """Some of the values, for a message."""
    return ", ".join(repr(value) for value in values[:5]) + (" ..." if len(values) > 5 else "")


def check_cost(name: str, value: Any, high: float) -> None:
    """A number from 0 up."""
    if not is_number(value) or not 0 <= value <= high or np.isinf(value):
        limits = "from 0 up" if np.isinf(high) else f"from 0 to {high:g}"
        raise InputError(f"{name}={value!r}: a number {limits} is needed.")
