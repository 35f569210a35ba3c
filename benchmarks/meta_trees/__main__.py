"""``python -m benchmarks.meta_trees``: train, measure, write docs/evidence-meta-trees.md."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.meta_trees.baselines import all_baselines
from benchmarks.meta_trees.ratings import made_up, movielens
from benchmarks.meta_trees.report import write_report
from benchmarks.meta_trees.runs import ABLATIONS, CHOICES, VARIANTS, Job, run
from benchmarks.meta_trees.synthetic import measure

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
    ]


def main(arguments: list[str] | None = None) -> None:
    """Everything, or with --quick a small part of it on made-up data."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meta_trees", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="made-up data: a smoke test")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="folder of the report")
    parser.add_argument("--cache", type=Path, default=Path("out") / "meta-trees")
    parser.add_argument(
        "--report-only", action="store_true", help="write the report of what was measured so far"
    )
    given = parser.parse_args(arguments)
    ratings = made_up() if given.quick else movielens()
    out = given.out or (Path("out") / "meta-trees-quick" if given.quick else Path("docs"))
    cache = given.cache / "quick" if given.quick else given.cache
    results: dict[str, Any] = {}
    tasks = {"n_tasks": 30, "n_new": 5, "n_test": 20, **QUICK} if given.quick else {}
    depths = (1,) if given.quick else (2, 3)
    parts: dict[str, Callable[[], Any]] = {
        "baselines": lambda: all_baselines(ratings),
        **{f"synthetic-{depth}": partial(measure, depth, **tasks) for depth in depths},
    }
    for name, make in parts.items():
        path = cache / ratings.name / f"{name}.json"
        if given.report_only and not path.is_file():
            continue
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(make(), indent=1))
        results[name] = json.loads(path.read_text())
        print(name, results[name])
    for job in jobs_of(given.seeds, quick=given.quick):
        if given.report_only and not (cache / ratings.name / job.file).is_file():
            continue
        results[job.file] = run(job, ratings, cache)
        print(job.file, {k: v for k, v in results[job.file].items() if k.endswith("_rmse")})
    write_report(results, ratings, out, seeds=given.seeds, quick=given.quick)


if __name__ == "__main__":
    main()
