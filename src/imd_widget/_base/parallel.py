"""Work on columns side by side: NumPy lets go of the interpreter for most of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


#: Rows of a table from which on threads pay for themselves.
MANY_ROWS = 20_000


def each(work: Callable[[Item], Result], items: Sequence[Item], n_rows: int) -> list[Result]:
    """Results of ``work`` in the order of ``items``; for a table of many rows, a thread a core.

    The threads end with the call: kept ones would be missing in a forked process, which would wait
    for them for ever.
    """
    if n_rows < MANY_ROWS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(pool.map(work, items))
