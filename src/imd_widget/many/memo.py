"""Remembers what was made once, also when several threads need it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Memo(Generic[Made]):
    """Values by key, each of them made once. It is pickled and copied empty."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._locks: dict[Hashable, Lock] = {}
        self._made: dict[Hashable, Made] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the value of a key; make it the first time."""
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:  # of two threads that need the same, one waits for the other
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def __reduce__(self) -> tuple[type[Memo[Made]], tuple[()]]:
        return Memo, ()
