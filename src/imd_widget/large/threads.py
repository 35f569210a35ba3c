"""Partitions of files on one machine: threads read them, memory-mapped files keep the results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from imd_widget._base.checkpoint import checkpoint
from imd_widget._base.parallel import n_threads
from imd_widget.large.mapped import Store
from imd_widget.large.partitions import Bar, Failure, checked, guarded, raise_failure
from imd_widget.tree.requests import add_up


class Reader(Protocol):
    """Reads partitions; several threads may call it at once."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns."""

    @property
    def size(self) -> int:
        """Number of partitions."""

    def label(self, number: int) -> str:
        """What error messages call a partition."""

    def read(self, number: int) -> pd.DataFrame:
        """Read one partition."""


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Context in which libraries with threads of their own use one: partitions run side by side."""
    try:
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError:  # it comes with scikit-learn, whose threads are those that matter
        yield
        return
    with threadpool_limits(1):
        yield


class ThreadPartitions:
    """Partitions that are read from files; a `Partitions`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns."""
        return self._reader.names

    @property
    def size(self) -> int:
        """Number of partitions."""
        return self._reader.size

    @property
    def lengths(self) -> list[int] | None:
        """Number of rows of each partition, if the reader knows; see `Partitions`."""
        lengths: list[int] | None = getattr(self._reader, "lengths", None)
        return lengths

    def label(self, number: int) -> str:
        """What error messages call a partition."""
        return self._reader.label(number)

    def read(self, number: int) -> pd.DataFrame:
        """Read one partition."""
        return self._reader.read(number)

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Accept every model: tasks run in this process."""

    def run(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> list[Any]:
        """Return ``task(frame, own[number], *shared)`` for each partition."""
        results: list[Any] = [None] * self.size

        def work(number: int) -> None:
            results[number] = guarded(self._on_file, number, number, task, own[number], *shared)
            if isinstance(results[number], Failure):
                raise_failure(results[number], self.label)

        in_threads(work, range(self.size), title)
        return results

    def persist(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> MappedItems:
        """Keep the same in memory-mapped files."""
        store = Store()

        def kept(frame: pd.DataFrame, *arguments: Any) -> Any:
            return store.put(task(frame, *arguments))

        try:
            items = self.run(kept, own, *shared, title=title)
            return MappedItems(items, (store,), self.label)
        except BaseException:
            store.close()
            raise

    def _on_file(self, number: int, task: Callable[..., Any], *arguments: Any) -> Any:
        return task(self._reader.read(number), *arguments)


def in_threads(work: Callable[[int], None], numbers: Sequence[int], title: str = "") -> None:
    """Call ``work`` with each number, in as many threads as there are processors.

    The first exception is raised once the calls that run have ended; no other begins.
    """
    with (
        one_thread_each(),
        Bar(title, len(numbers)) as bar,
        ThreadPoolExecutor(n_threads()) as pool,
    ):
        futures = [pool.submit(work, number) for number in numbers]
        try:
            for future in as_completed(futures):
                future.result()
                checkpoint()
                bar.step()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def parallel_map(work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Call a function with each item, in as many threads as there are processors.

    The results are in the order of the items. After an exception no other call begins.
    """
    with ThreadPoolExecutor(n_threads()) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True, eq=False)
class MappedItems:
    """Objects in memory-mapped files; a `PartitionedItems`."""

    items: Sequence[Any]
    stores: tuple[Store, ...]
    label: Callable[[int], str]

    @property
    def local_items(self) -> Sequence[Any]:
        """The items."""
        return self.items

    def map(
        self, task: Callable[..., Any], *shared: Any, only: Sequence[int] | None = None
    ) -> list[Any]:
        """Return ``task(item, *shared)`` for each item, or for those of some partitions."""
        numbers = range(len(self.items)) if only is None else only
        results = parallel_map(
            lambda number: guarded(task, number, self.items[number], *shared), numbers
        )
        return checked(results, self.label)

    def sum(self, task: Callable[..., Any], *shared: Any) -> Any:
        """Return the sum of ``task(item, *shared)`` over all items."""
        return added(self.map(task, *shared))

    def extend(self, task: Callable[..., Any], *shared: Any) -> MappedItems:
        """Keep ``item.extended(task(item, *shared))``; the arrays of the item are not copied."""
        store = Store()

        def extended(item: Any, *given: Any) -> Any:
            return item.extended(store.put(task(item, *given)))

        try:
            items = self.map(extended, *shared)
        except BaseException:
            store.close()
            raise
        return MappedItems(items, (*self.stores, store), self.label)

    def joined(self, others: Any) -> MappedItems:
        """Keep ``item.extended(other)``; no array is copied."""
        items = [item.extended(own) for item, own in zip(self.items, others.items, strict=True)]
        return MappedItems(items, (*self.stores, *others.stores), self.label)


def added(results: Sequence[Any]) -> Any:
    """The sum of results, or the list of the sums of their entries; a failure, if one is."""
    failed = next((result for result in results if isinstance(result, Failure)), None)
    if failed is not None:
        return failed
    return add_up(results)
