"""matplotlib's settings are the whole process's: who changes them for a while does so alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_DRAWING = RLock()


def alone(draw: Callable[P, R]) -> Callable[P, R]:
    """The same function, which waits until no other thread draws."""

    @wraps(draw)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        with _DRAWING:
            return draw(*args, **kwargs)

    return waiting
