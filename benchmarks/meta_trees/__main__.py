"""``python -m benchmarks.meta_trees``: train, measure, write docs/evidence-meta-trees.md."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.meta_trees import synthetic
from benchmarks.meta_trees.baselines import BASELINES, measure_baseline
from benchmarks.meta_trees.personal import CHOICES as CHOICES_OF_PERSONAL
from benchmarks.meta_trees.personal import CHOSEN, measure_personal
from benchmarks.meta_trees.ratings import OTHERS, Ratings, made_up, movielens
from benchmarks.meta_trees.report import write_report
from benchmarks.meta_trees.runs import (
    ABLATIONS,
    CHOICES,
    SENSITIVITY,
    VARIANTS,
    Job,
    measure,
    table_jobs,
)
from benchmarks.meta_trees.table_1 import write_table_1

#: Begins the names of the results of baselines.
BASELINE = "baseline-"
#: Small networks and few steps: a smoke test, not a measurement.
QUICK: dict[str, Any] = {"max_iter": 4, "width": 8, "hidden": 8, "batch_size": 8}


def jobs_of(seeds: int, *, quick: bool) -> list[Job]:
    """All trainings, the most important first, so that a stopped run has them."""
    if quick:
        return [Job("main", 0, options={**QUICK, "depth": 1})]
    return [
        *(Job("main", seed) for seed in range(seeds)),
        *(Job(name, 0, split=True) for name in CHOICES),
        *(Job(name, seed) for seed in range(seeds) for name in ("evidence", "rich")),
        *(Job(name) for name in (*ABLATIONS, *VARIANTS) if name not in ("evidence", "rich")),
        *(Job(name) for name in SENSITIVITY),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Everything, or with --quick a small part of it on made-up data."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meta_trees", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="made-up data: a smoke test")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--only",
        choices=("u1", *OTHERS),
        help="measure on one dataset: MovieLens-100K (u1), MovieLens-1M or Jester5k",
    )
    parser.add_argument("--out", type=Path, help="folder of the report")
    parser.add_argument("--cache", type=Path, default=Path("out") / "meta-trees")
    parser.add_argument(
        "--report-only", action="store_true", help="write the report of what was measured so far"
    )
    given = parser.parse_args(arguments)
    ratings = made_up() if given.quick else movielens()
    out = given.out or (Path("out") / "meta-trees-quick" if given.quick else Path("docs"))
    folder = given.cache / "quick" if given.quick else given.cache
    tasks = {"n_tasks": 30, "n_new": 5, "n_test": 20, **QUICK} if given.quick else {}
    depths = (1,) if given.quick else (2, 3)
    jobs = jobs_of(given.seeds, quick=given.quick)
    parts: dict[str, Callable[[], Any]] = {
        **_baseline_parts(lambda: ratings),
        **{f"synthetic-{depth}": partial(synthetic.measure, depth, **tasks) for depth in depths},
        **{job.file: partial(measure, job, ratings) for job in jobs},
    }
    if not given.quick:
        parts["synthetic-dynamic"] = partial(synthetic.measure, 4, dynamic=True)
        for seed in range(given.seeds):
            parts[f"personal-{seed}"] = partial(measure_personal, ratings, seed, **CHOSEN)
        for at, options in enumerate(CHOICES_OF_PERSONAL.values()):
            parts[f"personal-split-{at}"] = lambda options=options: measure_personal(
                ratings.on_a_split(), 0, **options
            )
    reading = given.report_only or given.only not in (None, ratings.name)
    results = _measured(folder / ratings.name, parts, reading=reading)
    others = {}
    for name, load in ({} if given.quick else OTHERS).items():
        reading = given.report_only or given.only not in (None, name)
        others[name] = _measured(
            folder / name, _other_parts(name, load, given.seeds), reading=reading
        )
    if given.only in (None, ratings.name):
        write_report(results, ratings, out, seeds=given.seeds, quick=given.quick)
    write_table_1({ratings.name: results, **others}, out, given.seeds)


def _other_parts(
    dataset: str, load: Callable[[], Ratings], seeds: int
) -> dict[str, Callable[[], Any]]:
    """What is measured on a dataset beside MovieLens-100K, the most important first."""
    loaded = cache(load)
    parts: dict[str, Callable[[], Any]] = {
        job.file: lambda job=job: measure(job, loaded()) for job in table_jobs(dataset, seeds)
    }
    return {**parts, **_baseline_parts(loaded)}


def _baseline_parts(load: Callable[[], Ratings]) -> dict[str, Callable[[], Any]]:
    """The measurements of all baselines; the report takes them together as "baselines"."""
    return {
        f"{BASELINE}{name}": lambda name=name: measure_baseline(name, load()) for name in BASELINES
    }


def _measured(
    folder: Path, parts: dict[str, Callable[[], Any]], *, reading: bool
) -> dict[str, Any]:
    """Results by name, from their files; measures those that are missing unless ``reading``."""
    found = {}
    for name, make in parts.items():
        path = folder / (name if name.endswith(".json") else f"{name}.json")
        if reading and not path.is_file():
            continue
        if not path.is_file():
            start = time.perf_counter()
            result = make()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(result, indent=1))
            print(
                f"{path.parent.name}/{path.stem}: {time.perf_counter() - start:.0f} s", flush=True
            )
        found[name] = json.loads(path.read_text())
        rmse = {k: v for k, v in found[name].items() if k.endswith("_rmse")}
        print(f"{path.parent.name}/{path.stem}", rmse or found[name], flush=True)
    baselines = {name: one for name, one in found.items() if name.startswith(BASELINE)}
    found["baselines"] = {name.removeprefix(BASELINE): one for name, one in baselines.items()}
    return found


if __name__ == "__main__":
    main()
