"""Results that are computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

Result = TypeVar("Result")

#: Rows whose own results are kept: a widget may be asked about each row of a table.
MOST_ROWS = 50


class Memory:
    """Results by key. One thread computes at a time; work that raises leaves nothing behind."""

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._rows: dict[int, dict[Hashable, Any]] = {}
        self._lock = RLock()

    def get(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of ``work``, which is called if there is none yet."""
        with self._lock:
            if key not in self._results:
                self._results[key] = work()
            result: Result = self._results[key]
            return result

    def of_row(self, row: int, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return a result of one row, which is kept while it is among the last `MOST_ROWS` rows."""
        with self._lock:
            own = self._rows[row] = self._rows.pop(row, {})
            while len(self._rows) > MOST_ROWS:
                del self._rows[next(iter(self._rows))]
            if key not in own:
                own[key] = work()
            result: Result = own[key]
            return result

    def has_of_row(self, row: int | None, key: Hashable) -> bool:
        """Whether there is a result of one row."""
        return row is not None and key in self._rows.get(row, {})

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result."""
        with self._lock:
            self._results.setdefault(key, result)

    def __getitem__(self, key: Hashable) -> Any:
        return self._results[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._results
