"""Threads over columns: NumPy releases the GIL in most operations."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


#: With fewer rows, starting threads costs more time than it saves.
MANY_ROWS = 20_000


def each(work: Callable[[Item], Result], items: Sequence[Item], n_rows: int) -> list[Result]:
    """Return ``work(item)`` for each item, in order, with one thread per core for many rows.

    The threads end with the call. A pool that outlived it would not exist in a forked process,
    which would wait for it forever.
    """
    if n_rows < MANY_ROWS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(pool.map(work, items))
