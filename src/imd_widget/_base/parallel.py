"""Threads over columns and over chunks of rows: NumPy releases the GIL in most operations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


#: With fewer rows, starting threads costs more time than it saves.
MANY_ROWS = 20_000
#: Largest number of threads of one call.
MAX_THREADS = 8


def n_threads() -> int:
    """Number of threads of one call: the cores that this process may use, at most `MAX_THREADS`."""
    return max(1, min(_n_cores(), MAX_THREADS))


def _n_cores() -> int:
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(work: Callable[[Item], Result], items: Sequence[Item], n_rows: int) -> list[Result]:
    """Return ``work(item)`` for each item, in order, with one thread per core for many rows.

    The threads end with the call. A pool that outlived it would not exist in a forked process,
    which would wait for it forever.
    """
    size = min(n_threads(), len(items))
    if n_rows < MANY_ROWS or size < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(max_workers=size) as pool:
        return list(pool.map(work, items))


class Team:
    """The thread of the caller and threads that help it; see `team`.

    Parameters
    ----------
    helpers : ThreadPoolExecutor or None
        None: the caller works alone.
    """

    def __init__(self, helpers: ThreadPoolExecutor | None) -> None:
        self._helpers = helpers

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return ``work(item)`` for each item, in order.

        The caller works on the first one, and then on those that no other thread has begun: where
        other programs use the cores, it does not wait for a thread to wake up.

        No work runs once this returns or raises: if the work on one item fails, or the caller is
        interrupted, what has begun is waited for and the rest is not begun.
        """
        if self._helpers is None or len(items) < 2:
            return [work(item) for item in items]
        helped = [self._helpers.submit(work, item) for item in items[1:]]
        try:
            first = work(items[0])
            pairs = zip(items[1:], helped, strict=True)
            return [first, *(work(item) if one.cancel() else one.result() for item, one in pairs)]
        finally:
            for future in helped:
                future.cancel()
            wait(helped)


@contextmanager
def team(size: int) -> Iterator[Team]:
    """Context with a `Team` of ``size`` threads, the caller's included; they end with it."""
    if size < 2:
        yield Team(None)
        return
    with ThreadPoolExecutor(max_workers=size - 1, thread_name_prefix="imd-count") as helpers:
        yield Team(helpers)
