"""Memory of Dask's workers, used again within a task.

Dask starts workers with ``MALLOC_TRIM_THRESHOLD_``, so that glibc gives freed memory back to the
system. glibc then maps every array of more than 128 KiB anew, and to fill new pages takes longer
than most operations on arrays: tasks take twice the time.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

#: The variable that makes glibc return memory.
VARIABLE = "MALLOC_TRIM_THRESHOLD_"
#: Parameters of glibc's ``mallopt``, and their values while a task runs.
TRIM, MAPPED = -1, -3
WITHIN = {TRIM: 1 << 28, MAPPED: 1 << 25}
#: From this many bytes on, glibc maps memory by default.
USUAL_MAPPED = 1 << 17


class _Users:
    """How many tasks of this process run now."""

    def __init__(self) -> None:
        self.lock, self.count = Lock(), 0


_USERS = _Users()


@contextmanager
def memory_used_again() -> Iterator[None]:
    """Context in which glibc keeps freed memory; at its end what is free is given back.

    It has an effect only where ``MALLOC_TRIM_THRESHOLD_`` is set, and leaves that setting as it
    was. Several threads may be in it at once.
    """
    libc = _libc()
    if libc is None:
        yield
        return
    with _USERS.lock:
        _USERS.count += 1
        if _USERS.count == 1:
            _set(libc, WITHIN)
    try:
        yield
    finally:
        with _USERS.lock:
            _USERS.count -= 1
            if _USERS.count == 0:
                _set(libc, _outside())
                libc.malloc_trim(0)


@cache
def _libc() -> Any:
    """The C library, if it is glibc and returns memory; else None."""
    if not os.environ.get(VARIABLE, "").isdigit():
        return None
    try:
        libc = ctypes.CDLL(None)
    except (OSError, TypeError):  # of another system
        return None
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def _outside() -> dict[int, int]:
    """The settings of memory in the environment."""
    mapped = os.environ.get("MALLOC_MMAP_THRESHOLD_", "")
    return {
        TRIM: int(os.environ[VARIABLE]),
        MAPPED: int(mapped) if mapped.isdigit() else USUAL_MAPPED,
    }


def _set(libc: Any, values: dict[int, int]) -> None:
    for parameter, value in values.items():
        libc.mallopt(parameter, value)
