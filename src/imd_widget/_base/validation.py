"""Checks of arguments that every package shares."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import Given, InputError


def is_number(value: Any) -> bool:
    """Whether ``value`` is a number and not a bool."""
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)


def check_whole(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Raise an `InputError` unless ``value`` is an integer and ``low <= value <= high``."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        limits = f"from {low} up" if high is None else f"from {low} to {high}"
        raise InputError(Given(name, value), f": a whole number {limits} is needed.")


def is_several(names: Any) -> bool:
    """Whether ``names`` is a sequence of names: not a single str, and not a set."""
    return isinstance(names, Sequence | np.ndarray | pd.Index) and not isinstance(names, str)
