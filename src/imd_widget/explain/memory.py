"""Results that are computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

Result = TypeVar("Result")


class Memory:
    """Results by key. One thread computes at a time; work that raises leaves nothing behind."""

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._lock = RLock()

    def get(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of ``work``, which is called if there is none yet."""
        with self._lock:
            if key not in self._results:
                self._results[key] = work()
            result: Result = self._results[key]
            return result

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result."""
        with self._lock:
            self._results.setdefault(key, result)

    def __getitem__(self, key: Hashable) -> Any:
        return self._results[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._results
