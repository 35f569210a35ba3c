"""Serialises code that changes matplotlib's rcParams, which are global to the process."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_DRAWING = RLock()


def serialised(draw: Callable[P, R]) -> Callable[P, R]:
    """Return the function, wrapped so that one thread at a time runs it or another such one."""

    @wraps(draw)
    def locked(*args: P.args, **kwargs: P.kwargs) -> R:
        with _DRAWING:
            return draw(*args, **kwargs)

    return locked
