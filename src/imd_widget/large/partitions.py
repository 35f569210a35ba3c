"""Partitions of a table, where tasks run on them, and what the tasks leave there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pandas as pd

from imd_widget._base.bars import progress_bar
from imd_widget._base.errors import InputError

Item_co = TypeVar("Item_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Failure:
    """An exception that a task raised on one partition.

    A task returns it as its result: the other tasks go on, and no scheduler tries it again.
    """

    number: int
    error: Exception


def guarded(task: Callable[..., Any], number: int, *arguments: Any) -> Any:
    """Return the result of a task on a partition, or a `Failure`; a given failure is passed on."""
    for argument in arguments[:1]:
        if isinstance(argument, Failure):
            return argument
    try:
        return task(*arguments)
    except Exception as error:  # whatever a model raises
        return Failure(number, _picklable(error))


def _picklable(error: Exception) -> Exception:
    """The exception, or one with the same text if it cannot travel between processes."""
    import pickle

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        other = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            other.add_note(note)
        return other
    return error


class PartitionedItems(Protocol[Item_co]):
    """One object for each partition, kept where it was made."""

    def map(
        self, task: Callable[..., Any], *shared: Any, only: Sequence[int] | None = None
    ) -> list[Any]:
        """Return ``task(item, *shared)`` for each item, or for those of some partitions."""

    def sum(self, task: Callable[..., Any], *shared: Any) -> Any:
        """Return the sum, with ``+``, of ``task(item, *shared)`` over all items.

        If the task returns a list, the sum is one too, of the sums of its entries.
        """

    def extend(self, task: Callable[..., Any], *shared: Any) -> PartitionedItems[Any]:
        """Keep ``item.extended(task(item, *shared))`` for each item."""

    def joined(self, others: PartitionedItems[Any]) -> PartitionedItems[Any]:
        """Keep ``item.extended(other)`` for each item and the other object of its partition."""

    @property
    def local_items(self) -> Sequence[Any] | None:
        """The items, if they are in this process; None if they are elsewhere."""


class Partitions(Protocol):
    """The partitions of a table.

    Attributes
    ----------
    names : tuple
        Names of the columns.
    size : int
        Number of partitions.
    """

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns."""

    @property
    def size(self) -> int:
        """Number of partitions."""

    @property
    def lengths(self) -> list[int] | None:
        """Number of rows of each partition, of the same columns and types; None: not known yet."""

    def label(self, number: int) -> str:
        """What error messages call a partition."""

    def read(self, number: int) -> pd.DataFrame:
        """Read one partition into this process."""

    def run(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> list[Any]:
        """Return ``task(frame, own[number], *shared)`` for each partition.

        ``title`` stands beside a progress bar.
        """

    def persist(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> PartitionedItems[Any]:
        """Keep the same where it was made."""

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Raise InputError if a model cannot go where tasks run."""


def checked(results: Sequence[Any], label: Callable[[int], str]) -> list[Any]:
    """The results of tasks; raises the exception of the first that failed, naming its partition."""
    for result in results:
        if isinstance(result, Failure):
            raise_failure(result, label)
    return list(results)


def raise_failure(failure: Failure, label: Callable[[int], str]) -> None:
    """Raise the exception of a failure with the name of its partition."""
    where = label(failure.number)
    if isinstance(failure.error, InputError):
        raise InputError(f"{where}: {failure.error}") from failure.error
    failure.error.add_note(f"imd_widget: this was raised for {where}. Nothing was drawn.")
    raise failure.error


_SHOWN: ContextVar[bool] = ContextVar("whether progress bars are shown", default=True)


def bars_shown() -> bool:
    """Whether progress bars are shown."""
    return _SHOWN.get()


@contextmanager
def without_bars() -> Iterator[None]:
    """Context in which no progress bar of a large table is shown."""
    token = _SHOWN.set(False)
    try:
        yield
    finally:
        _SHOWN.reset(token)


class Bar:
    """A progress bar in a notebook or a terminal, shown after a second."""

    def __init__(self, title: str, total: int) -> None:
        hidden = not bars_shown()
        self._bar = progress_bar(
            total=total, desc=title, unit="partition", delay=1, leave=False, disable=hidden
        )

    def step(self) -> None:
        """One more partition is done."""
        self._bar.update()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
