"""``python -m benchmarks.local_models``: measure, and write docs/evidence-local-models.md."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.local_models.measure import Job, jobs_of, run_job
from benchmarks.local_models.report import write_report
from benchmarks.local_models.tables import DATASETS, QUICK, load
from benchmarks.paper.runs import in_parallel


def main(arguments: list[str] | None = None) -> None:
    """Everything, or with --quick a small part of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.local_models", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="two seeds, and one fold of a dataset that comes with scikit-learn: seconds",
    )
    parser.add_argument("--seeds", type=int, default=20, help="draws of Figures 3 and 4")
    parser.add_argument("--repeats", type=int, default=3, help="of five folds; covtype has one")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--out",
        type=Path,
        help="folder of the report: docs, or out/local-models-quick with --quick",
    )
    parser.add_argument("--cache", type=Path, default=Path("out") / "local-models")
    given = parser.parse_args(arguments)
    datasets, seeds, repeats = DATASETS, given.seeds, given.repeats
    folder = given.out or Path("docs")
    if given.quick:
        datasets, seeds, repeats = (QUICK,), 2, 1
        folder = given.out or Path("out") / "local-models-quick"
    # a process a core: more threads inside would only stand in each other's way
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    for name in datasets:  # what is missing is said before anything is measured
        load(name)
    jobs = list(jobs_of(datasets, seeds, repeats))
    if given.quick:
        jobs = [job for job in jobs if job.kind == "plane" or job.arguments[2] == 0]
    _run("kernels", [Job("kernel", (name,)) for name in datasets], given)
    # the longest first
    _run("measurements", [*jobs[::-1]] if given.quick else sorted(jobs, key=_length), given)
    write_report(jobs, given.cache, folder, quick=given.quick)


def _length(job: Job) -> tuple[bool, bool]:
    return "covtype" not in job.arguments, job.kind != "choice"


def _run(what: str, jobs: list[Job], given: argparse.Namespace) -> None:
    left = [(job, given.cache) for job in jobs if not job.file(given.cache).is_file()]
    if given.workers > 1:
        in_parallel(what, run_job, left, given.workers)
    else:
        for call in left:
            run_job(*call)


if __name__ == "__main__":
    main()
