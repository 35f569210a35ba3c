"""Dask: threads, a real cluster of two processes, and what happens when one of them dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.large import dask_partitions, remote_source
from imd_widget.tree.requests import Histograms
from tests.unit.large_tables import FEATURES, contents, made_up

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

FRAME = made_up(1500)
COLUMNS = [*FEATURES, "old", "new", "truth", "weight"]
NAMED = {"y": "truth", "sample_weight": "weight"}

# Dask opens sockets and processes that it closes late.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*unclosed.*"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]


@pytest.fixture(scope="module")
def wanted() -> imd.ModelDiff:
    return imd.diff(
        FRAME["old"],
        FRAME["new"],
        FRAME[FEATURES],
        y=FRAME["truth"],
        sample_weight=FRAME["weight"],
        names=("old", "new"),
        measure="holdout",
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as started:
        yield started


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    cluster.scale(2)
    with distributed.Client(cluster) as started:
        started.wait_for_workers(2)
        yield started


def frame(n_partitions: int = 5, empty: bool = False) -> Any:
    ddf = dd.from_pandas(FRAME[COLUMNS], npartitions=n_partitions, sort=False)
    if empty:
        ddf = dd.concat([ddf, ddf.loc[ddf["age"] > 1000], ddf.loc[ddf["age"] > 1000]])
    return ddf


@pytest.mark.parametrize("n_partitions", [1, 7, 50])
def test_threads_give_the_diff_of_the_whole_table(n_partitions: int, wanted: imd.ModelDiff) -> None:
    d = imd.diff("old", "new", frame(n_partitions), **NAMED)
    assert len(d.rules) > 0
    assert contents(d) == contents(wanted)


def test_empty_partitions_change_nothing(wanted: imd.ModelDiff) -> None:
    assert contents(imd.diff("old", "new", frame(3, empty=True), **NAMED)) == contents(wanted)


def test_a_cluster_gives_the_diff_of_the_whole_table(client: Any, wanted: imd.ModelDiff) -> None:
    del client
    d = imd.diff("old", "new", frame(), **NAMED)
    assert contents(d) == contents(wanted)
    assert contents(d.refine()) == contents(wanted.refine())
    assert d.trace(1499) == wanted.trace(1499)
    np.testing.assert_array_equal(d.covered(), wanted.covered())


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
def test_scores_are_those_of_the_whole_table(n_partitions: int) -> None:
    columns = [*FEATURES, "slanted", "steeper"]
    X = dd.from_pandas(FRAME[columns], npartitions=n_partitions, sort=False)
    d = imd.diff("slanted", "steeper", X, scores=True)
    whole = imd.diff(
        FRAME["slanted"], FRAME["steeper"], FRAME[FEATURES], scores=True, measure="holdout"
    )
    assert whole.rules.scores
    assert contents(d) == contents(whole)


def test_a_cluster_gives_the_scores_of_the_whole_table(client: Any) -> None:
    del client
    test_scores_are_those_of_the_whole_table(2)


def kill_one(cluster: Any) -> None:
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)


def test_nothing_is_lost_with_a_worker(
    client: Any, cluster: Any, wanted: imd.ModelDiff, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker dies between two levels, and another inside of one."""
    levels: list[int] = []
    answer = remote_source.RemoteSource.answer

    def counted(self: Any, request: Any) -> Any:
        if isinstance(request, Histograms):
            levels.append(len(request.paths))
            if len(levels) == 2:
                kill_one(cluster)
            if len(levels) == 3:
                threading.Timer(0.02, kill_one, [cluster]).start()
        return answer(self, request)

    monkeypatch.setattr(remote_source.RemoteSource, "answer", counted)
    d = imd.diff("old", "new", frame(7), **NAMED)
    assert len(levels) >= 3
    assert contents(d) == contents(wanted)
    client.wait_for_workers(2)


def test_a_model_that_cannot_be_pickled_is_named(client: Any) -> None:
    del client
    lock = threading.Lock()

    def locked(table: pd.DataFrame) -> Any:
        with lock:
            return table["age"] > 40

    with pytest.raises(imd.InputError, match="m1 is a function and cannot be sent to Dask's"):
        imd.diff(locked, lambda table: table["age"] > 50, frame()[FEATURES])


def fails_on_old_age(table: pd.DataFrame) -> Any:
    if (table["income"] == table["income"].max()).any() and table.index[0] >= 1000:
        raise ZeroDivisionError("too old")
    return (table["age"] > 40).to_numpy()


def test_a_model_that_fails_names_the_partition(client: Any) -> None:
    del client
    with pytest.raises(ZeroDivisionError, match="too old") as caught:
        imd.diff(fails_on_old_age, fails_on_old_age, frame(3)[FEATURES])
    notes = " ".join(caught.value.__notes__)
    assert "m1 (fails_on_old_age) raised this" in notes
    assert "partition 2 of 3" in notes


def test_a_closed_client_is_said_at_once(cluster: Any) -> None:
    started = distributed.Client(cluster)
    d = imd.diff("old", "new", frame(), **NAMED)
    started.close()
    with pytest.raises(imd.InputError, match="is closed: start one and make the diff again"):
        d.change(max_depth=2)


def test_partitions_of_other_types_are_named() -> None:
    def changed(part: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
        if partition_info and partition_info["number"] == 1:
            return part.astype({"age": float})
        return part

    ddf = frame(3).map_partitions(changed, meta=frame(3)._meta)
    with pytest.raises(imd.InputError, match="'age' is int64 in partition 0 of 3 and float64"):
        imd.diff("old", "new", ddf, **NAMED)


def test_what_is_kept_is_dropped_with_the_diff(client: Any) -> None:
    d = imd.diff("old", "new", frame(), **NAMED)
    assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) > 0
    del d
    import gc

    gc.collect()
    deadline = time.monotonic() + 30
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_size_of_what_is_kept_is_known_to_dask() -> None:
    from dask.sizeof import sizeof

    d = imd.diff("old", "new", frame(1), **NAMED)
    [size] = d.rows.dataset.chunks.map(sizeof)  # type: ignore[attr-defined]
    assert size > len(FRAME) * len(FEATURES)


def test_dask_is_imported_when_it_is_needed_only() -> None:
    code = (
        "import sys, numpy as np, imd_widget as imd;"
        "imd.diff(np.arange(99) < 40, np.arange(99) < 60, np.arange(99).reshape(-1, 1));"
        "assert not any(name.split('.')[0] in ('dask', 'distributed') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_dask_the_line_to_type_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ddf = frame()
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(imd.InputError, match=r"pip install 'imd-widget\[dask\]'"):
        dask_partitions.DaskPartitions(ddf)


def test_partitions_that_shrink_are_noticed() -> None:
    """As those have that are made of a random sample, or of a query that is run again."""
    frame, reads = FRAME[COLUMNS], []

    def part(number: int) -> pd.DataFrame:
        reads.append(number)
        own = frame.iloc[number * 500 : (number + 1) * 500]
        return own if len(reads) <= 4 else own.iloc[:-5]

    X = dd.from_map(part, [0, 1, 2], meta=frame.iloc[:0])
    with pytest.raises(imd.InputError, match=r"it has 495 rows, and had 500 .*X\.persist\(\)"):
        imd.diff("old", "new", X)
