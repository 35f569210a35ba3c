"""Partitions of a Dask DataFrame: tasks run and results stay wherever Dask puts them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from imd_widget._base.checkpoint import checkpoint
from imd_widget._base.errors import InputError
from imd_widget._base.optional import needed
from imd_widget.large.memory import memory_used_again
from imd_widget.large.partitions import Bar, Failure, checked, guarded, raise_failure
from imd_widget.large.threads import added, one_thread_each

#: Results are added up in groups of this many, in the workers.
FAN_IN = 8
#: What is missing is named by the extra that brings it.
EXTRA, WHY = "dask", "tables of Dask need Dask"


def is_dask_frame(X: Any) -> bool:
    """Whether ``X`` is a Dask DataFrame; Dask is not imported."""
    kind = type(X)
    return kind.__module__.startswith("dask") and hasattr(X, "to_delayed") and hasattr(X, "columns")


class DaskPartitions:
    """The partitions of a Dask DataFrame; a `Partitions`.

    Whatever scheduler or client is active runs the tasks.
    """

    def __init__(self, frame: Any) -> None:
        self._dask = needed("dask", EXTRA, WHY)
        self._names = tuple(frame.columns)
        # lengths and rows must come from the same partitions, so the graph is optimised once
        self._parts = tuple(frame.to_delayed())

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns."""
        return self._names

    @property
    def size(self) -> int:
        """Number of partitions."""
        return len(self._parts)

    @property
    def lengths(self) -> None:
        """None: a partition may have any number of rows."""
        return

    def label(self, number: int) -> str:
        """The number of the partition, from 0 as Dask counts them."""
        return f"partition {number} of {self.size}"

    def read(self, number: int) -> pd.DataFrame:
        """Compute one partition and bring it here."""
        with _reaching_workers():
            [frame] = self._dask.compute(self._parts[number])
        return frame  # type: ignore[no-any-return]

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Raise InputError if a model cannot be pickled and tasks run in other processes."""
        if client() is None:
            return
        import cloudpickle

        for argument, model in models.items():
            try:
                cloudpickle.dumps(model)
            except Exception as error:
                raise InputError(
                    f"{argument} is a {type(model).__name__} and cannot be sent to Dask's "
                    f"workers ({type(error).__name__}: {error}). Pass a model that can be pickled, "
                    "or a function that loads it inside the worker; or close the client, and "
                    "Dask's threads run it in this process."
                ) from error

    def run(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> list[Any]:
        """Return ``task(frame, own[number], *shared)`` for each partition."""
        kept = self._persisted(task, own, shared, title)
        with _reaching_workers():
            return checked(self._dask.compute(*kept), self.label)

    def persist(
        self, task: Callable[..., Any], own: Sequence[Any], *shared: Any, title: str
    ) -> DaskItems:
        """Keep the same in the workers."""
        kept = self._persisted(task, own, shared, title)
        return DaskItems(self._dask, kept, self.label, client())

    def _persisted(
        self, task: Callable[..., Any], own: Sequence[Any], shared: tuple[Any, ...], title: str
    ) -> tuple[Any, ...]:
        literal = _literal(self._dask, shared)
        work = self._dask.delayed(_on_partition, pure=False, traverse=False)
        tasks = [
            work(part, number, _literal(self._dask, own[number]), task, literal)
            for number, part in enumerate(self._parts)
        ]
        with _reaching_workers():
            return _persist(self._dask, tasks, title)


@dataclass(frozen=True, eq=False)
class DaskItems:
    """Objects that Dask keeps; a `PartitionedItems`. The last reference drops them."""

    dask: Any
    items: tuple[Any, ...]
    label: Callable[[int], str]
    client: Any

    @cached_property
    def local_items(self) -> Sequence[Any] | None:
        """The items if Dask runs tasks in this process; None if a client has them."""
        if self.client is not None:
            return None
        [items] = self.dask.compute(self.items, scheduler="synchronous")
        return items  # type: ignore[no-any-return]

    def map(
        self, task: Callable[..., Any], *shared: Any, only: Sequence[int] | None = None
    ) -> list[Any]:
        """Return ``task(item, *shared)`` for each item, or for those of some partitions."""
        numbers = range(len(self.items)) if only is None else only
        with _reaching_workers():
            return checked(self.dask.compute(*self._tasks(task, shared, numbers)), self.label)

    def sum(self, task: Callable[..., Any], *shared: Any) -> Any:
        """Return the sum of ``task(item, *shared)`` over all items, added up in the workers."""
        level = self._tasks(task, shared, range(len(self.items)))
        while len(level) > 1:
            level = [
                self.dask.delayed(added, pure=False)(level[at : at + FAN_IN])
                for at in range(0, len(level), FAN_IN)
            ]
        with _reaching_workers():
            [result] = self.dask.compute(*level)
        if isinstance(result, Failure):
            raise_failure(result, self.label)
        return result

    def extend(self, task: Callable[..., Any], *shared: Any) -> DaskItems:
        """Keep ``item.extended(task(item, *shared))`` for each item."""
        tasks = self._tasks(_extended, (task, *shared), range(len(self.items)))
        with _reaching_workers():
            kept = _persist(self.dask, tasks, "comparing")
        return replace(self, items=kept)

    def joined(self, others: Any) -> DaskItems:
        """Keep ``item.extended(other)`` for each item and the other object of its partition."""
        self._check_client()
        work = self.dask.delayed(_on_item, pure=False, traverse=False)
        pairs = enumerate(zip(self.items, others.items, strict=True))
        tasks = [work(item, number, _joined, (own,)) for number, (item, own) in pairs]
        with _reaching_workers():
            kept = _persist(self.dask, tasks, "comparing")
        return replace(self, items=kept)

    def _tasks(
        self, task: Callable[..., Any], shared: tuple[Any, ...], numbers: Sequence[int]
    ) -> list[Any]:
        self._check_client()
        literal = _literal(self.dask, shared)
        work = self.dask.delayed(_on_item, pure=False, traverse=False)
        return [work(self.items[number], number, task, literal) for number in numbers]

    def _check_client(self) -> None:
        if self.client is not None and self.client.status != "running":
            raise InputError(
                "the Dask client that holds the rows of this diff is closed: start one and make "
                "the diff again with imd.diff."
            )


def _extended(item: Any, task: Callable[..., Any], *shared: Any) -> Any:
    return item.extended(task(item, *shared))


def _joined(item: Any, own: Any) -> Any:
    if isinstance(own, Failure):
        raise own.error
    return item.extended(own)


def _on_partition(
    frame: pd.DataFrame, number: int, own: Any, task: Callable[..., Any], shared: tuple[Any, ...]
) -> Any:
    with one_thread_each(), memory_used_again():
        return guarded(task, number, frame, own, *shared)


def _on_item(item: Any, number: int, task: Callable[..., Any], shared: tuple[Any, ...]) -> Any:
    with memory_used_again():
        return guarded(task, number, item, *shared)


def _literal(dask: Any, value: Any) -> Any:
    """An object as a part of the graph: it is sent again if the worker that has it is lost."""
    return dask.delayed(value, pure=False, traverse=False)


def client() -> Any:
    """The distributed client that runs tasks now; None if Dask runs them in this process."""
    try:
        from distributed import get_client

        found = get_client()
    except (ImportError, ValueError):
        return None
    return found if found.status == "running" else None


def _persist(dask: Any, tasks: Sequence[Any], title: str) -> tuple[Any, ...]:
    """Compute tasks with a progress bar, and leave their results where they are."""
    running = client()
    with Bar(title, len(tasks)) as bar:
        if running is None:
            with _counting(bar):
                return tuple(dask.persist(*tasks))
        import distributed

        as_completed: Any = distributed.as_completed  # Dask does not annotate them
        futures_of: Any = distributed.futures_of

        kept = dask.persist(*tasks)
        futures = futures_of(kept)
        try:
            for _ in as_completed(futures):
                checkpoint()
                bar.step()
        except BaseException:
            running.cancel(futures)
            raise
        return tuple(kept)


@contextmanager
def _counting(bar: Bar) -> Iterator[None]:
    """Context in which every finished task of a scheduler in this process moves a bar."""
    from dask import callbacks

    def finished(key: Any, *_: Any) -> None:
        if str(key).startswith((_on_partition.__name__, _on_item.__name__)):
            bar.step()

    callback: Any = callbacks.Callback
    with callback(posttask=finished):
        yield


@contextmanager
def _reaching_workers() -> Iterator[None]:
    """Convert an error of a scheduler that is gone into an `InputError`."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.startswith("distributed") or "client" in str(error).lower():
            raise InputError(
                "Dask no longer has the rows of this diff "
                f"({type(error).__name__}: {str(error)[:200]}). If the client or the cluster was "
                "closed, or all workers were lost, start one and make the diff again with imd.diff."
            ) from error
        raise
