"""What a fit does, watched from outside: seconds of its phases, memory, and bytes that travel."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from imd_widget.large import api
from imd_widget.large.dask_partitions import DaskItems, DaskPartitions
from imd_widget.large.threads import ThreadPartitions
from imd_widget.tree.requests import CountRequest

#: The phases of a fit, in order; "rest" is whatever lies between and after them.
PHASES = ("look", "describe", "encode and predict", "compare", "grow")
#: Phases by the title of a progress bar.
TITLES = {
    "looking at partitions": "look",
    "encoding and predicting partitions": "encode and predict",
}
INTERVAL = 0.02


class Watch:
    """Seconds by phase, and the size of each request while growing."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.requests: list[dict[str, Any]] = []

    @contextmanager
    def patched(self) -> Iterator[None]:
        """Context in which the functions of the package are watched."""
        patches: list[tuple[Any, str, Any]] = []

        def patch(owner: Any, name: str, wrap: Callable[..., Any]) -> None:
            patches.append((owner, name, vars(owner)[name]))
            setattr(owner, name, wrap(vars(owner)[name]))

        # ThreadPartitions.persist calls run, so only run is patched
        for kind, name in (
            (DaskPartitions, "run"),
            (DaskPartitions, "persist"),
            (ThreadPartitions, "run"),
        ):
            patch(kind, name, self._by_title)
        for name, phase in (
            ("describe_columns", "describe"),
            ("compare_parts", "compare"),
            ("fit_rows", "grow"),
        ):
            patch(api, name, lambda work, phase=phase: self._timed(work, phase))
        patch(DaskItems, "sum", self._sized)
        try:
            yield
        finally:
            for owner, name, original in reversed(patches):
                setattr(owner, name, original)

    def _timed(self, work: Callable[..., Any], phase: str) -> Callable[..., Any]:
        def timed(*arguments: Any, **settings: Any) -> Any:
            start = time.perf_counter()
            result = work(*arguments, **settings)
            self.seconds[phase] += time.perf_counter() - start
            return result

        return timed

    def _by_title(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, title: str, **settings: Any) -> Any:
            phase = TITLES.get(title)
            call = work if phase is None else self._timed(work, phase)
            return call(*arguments, title=title, **settings)

        return timed

    def _sized(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def sized(items: Any, task: Any, *shared: Any) -> Any:
            start = time.perf_counter()
            result = work(items, task, *shared)
            taken = time.perf_counter() - start
            if shared and isinstance(shared[-1], CountRequest):
                sent, returned = len(pickle.dumps(shared)), len(pickle.dumps(result))
                name = type(shared[-1]).__name__
                line = {"request": name, "seconds": taken, "sent": sent, "returned": returned}
                self.requests.append(line)
            return result

        return sized


class Memory:
    """The largest memory of this process and of its largest child, above what they had before.

    Pages of files are not counted: the system takes them back when it needs room.
    """

    def __init__(self) -> None:
        self._own = psutil.Process()
        self._stop = threading.Event()
        self._before: dict[int, int] = {}
        self.driver = 0
        self.worker = 0

    def __enter__(self) -> Memory:
        self._before = self._now()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _now(self) -> dict[int, int]:
        memory = {}
        for process in (self._own, *self._own.children(recursive=True)):
            try:
                info = process.memory_info()
            except psutil.Error:  # it has just ended
                continue
            memory[process.pid] = info.rss - getattr(info, "shared", 0)
        return memory

    def _sample(self) -> None:
        while not self._stop.wait(INTERVAL):
            more = {pid: now - self._before.get(pid, 0) for pid, now in self._now().items()}
            self.driver = max(self.driver, more.pop(self._own.pid, 0))
            self.worker = max(self.worker, *more.values(), 0)
