"""Points at which long work can be stopped: between levels of a tree, and between partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], object] | None] = ContextVar("check", default=None)


def checkpoint() -> None:
    """Call the check of the work that runs, if it has one; it raises an exception to stop it."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def checking(check: Callable[[], object]) -> Iterator[None]:
    """Context in which `checkpoint` calls ``check``, in this thread."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
