"""One measurement in a process of its own: ``python -m benchmarks.scale.measure '{...}'``.

The last line of what it prints is the result as JSON.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import imd_widget as imd
from benchmarks.scale.problem import dask_frame, make_partition, new_model, old_model, sizes
from benchmarks.scale.rivals import fit_rival
from benchmarks.scale.watch import PHASES, Memory, Watch

#: Rows of a file.
FILE = 1_000_000


def write_files(folder: Path, n_rows: int, partition: int) -> None:
    """Write the table as Parquet files."""
    for which in sizes(n_rows, partition):
        make_partition(which).to_parquet(folder / f"part-{which[0]:04d}.parquet")


def table_of(given: dict[str, Any], stack: ExitStack) -> Any:
    """The table of a measurement: a folder of files, or a Dask DataFrame."""
    n_rows, partition = given["n_rows"], given["partition"]
    if given["how"] == "files":
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_files(folder, n_rows, min(FILE, 4 * partition))
        return folder
    return dask_frame(n_rows, partition)


def start_cluster(stack: ExitStack) -> Any:
    """A client of two worker processes of one thread each, which have done something."""
    from distributed import Client, LocalCluster, wait

    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.ERROR,
    )
    client = stack.enter_context(Client(stack.enter_context(cluster)))
    wait(client.map(_warm_up, range(8), pure=False))
    return client


def _warm_up(number: int) -> None:
    """Import what tasks need."""
    import imd_widget.large.api  # noqa: F401

    time.sleep(0.05)
    del number


def fit(X: Any) -> dict[str, Any]:
    """Compare both models, and read rules and measures."""
    watch = Watch()
    with watch.patched(), Memory() as memory:
        start = time.perf_counter()
        d = imd.diff(old_model, new_model, X)
        assert d.metrics.n_rules == len(d.rules)
        total = time.perf_counter() - start
    seconds = {phase: watch.seconds[phase] for phase in PHASES}
    return {
        "seconds": seconds | {"rest": total - sum(seconds.values())},
        "total": total,
        "driver": memory.driver,
        "worker": memory.worker,
        "requests": watch.requests,
        "n_rules": d.metrics.n_rules,
        "f1": d.metrics.f1,
    }


def measure(given: dict[str, Any]) -> dict[str, Any]:
    """The result of one measurement.

    ``given`` has "how" ("threads", "cluster", "kept", "files", or a name of `RIVALS`), "n_rows" and
    "partition". "kept" is a cluster whose workers have the table in memory before.
    """
    with ExitStack() as stack:
        how = given["how"]
        client = None if how in ("threads", "files") else start_cluster(stack)
        X = table_of(given, stack)
        if how.endswith(".dask"):
            return given | fit_rival(how, client, X)
        if how == "kept":
            from distributed import wait

            X = X.persist()
            wait(X)
        return given | fit(X)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    print(json.dumps(measure(json.loads(sys.argv[1]))))
