"""Large tables: ``python -m benchmarks.scale``.

Tables of 20 columns and 10^6 to 10^8 rows, made partition by partition, and the same as Parquet
files: seconds of each phase, memory, how seconds grow with the rows, and xgboost.dask and
lightgbm.dask fitting one tree to the outputs of one model. Every measurement has a process of its
own. The figures are printed and written to ``docs/scale-figures.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.scale.problem import N_COLUMNS, PARTITION
from benchmarks.scale.report import Result, report
from benchmarks.scale.rivals import RIVALS

#: Seconds after which a measurement is given up.
LONGEST = 3600


def plan(
    most: int, workers_most: int, rivals_most: int, partition: int
) -> Iterator[dict[str, Any]]:
    """The measurements, the shortest first."""
    for n_rows in (10**6, 10**7, 10**8):
        if n_rows > most:
            continue
        yield {"how": "threads", "n_rows": n_rows, "partition": partition}
        if n_rows <= workers_most:
            yield {"how": "cluster", "n_rows": n_rows, "partition": partition}
        if n_rows <= rivals_most:
            yield {"how": "kept", "n_rows": n_rows, "partition": partition}
            yield {"how": "files", "n_rows": n_rows, "partition": partition}
            for name in RIVALS:
                yield {"how": name, "n_rows": n_rows, "partition": partition}


def quick_plan() -> Iterator[dict[str, Any]]:
    """Small measurements that show that everything runs."""
    for how, n_rows in (("threads", 4_000), ("threads", 8_000), ("cluster", 4_000)):
        yield {"how": how, "n_rows": n_rows, "partition": 1_000}
    yield {"how": "files", "n_rows": 4_000, "partition": 1_000}
    yield {"how": "xgboost.dask", "n_rows": 4_000, "partition": 1_000}


def run(given: dict[str, Any]) -> Result:
    """One measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale.measure", json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise RuntimeError(f"{given} failed:\n{done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{given['how']} {given['n_rows']:,}: {result['total']:.1f} s", file=sys.stderr, flush=True
    )
    return result


def measured(given: dict[str, Any], cache: Path | None) -> Result:
    """A measurement, or what an earlier run wrote of it."""
    if cache is None:
        return run(given)
    file = cache / f"{given['how']}-{given['n_rows']}-{given['partition']}.json"
    if not file.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(run(given)), encoding="utf-8")
    result: Result = json.loads(file.read_text(encoding="utf-8"))
    return result


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="some thousand rows: a minute")
    parser.add_argument("--most", type=float, default=1e8, help="largest number of rows")
    parser.add_argument("--workers-most", type=float, default=1e8, help="of worker processes")
    parser.add_argument("--out", type=Path, help="folder: docs, or out/scale-quick with --quick")
    parser.add_argument("--cache", type=Path, help="folder of measurements that are not repeated")
    given = parser.parse_args(arguments)
    folder = given.out or (Path("out") / "scale-quick" if given.quick else Path("docs"))
    most = int(given.most), int(given.workers_most)
    jobs = quick_plan() if given.quick else plan(*most, 10**7, PARTITION)
    results = [measured(job, given.cache) for job in jobs]
    about = (
        f"The tables have {N_COLUMNS} columns (15 of floats, 3 of them with missing values, 4 of "
        f"integers and one of categories), in partitions of {PARTITION:,} rows. Both models are a "
        f"few array operations. The machine has {os.cpu_count()} processors."
    )
    text = report(results, about, given.quick)
    print(text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scale-figures.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
