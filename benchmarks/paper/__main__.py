"""``python -m benchmarks.paper``: fit the models, measure every method, write docs/evidence.md."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.data import load
from benchmarks.paper.evidence import Evidence, Run
from benchmarks.paper.models import MODELS, accuracies, choose_pairs, fit
from benchmarks.paper.report import write_report
from benchmarks.paper.runs import in_parallel, jobs_of, results, run_job

#: The paper's thirteen, the largest last but begun first.
DATASETS = (
    *("bc", "tictactoe", "diabetes", "banknote", "redwine", "whitewine", "waveform", "mushroom"),
    *("heloc", "eye", "magic", "bankm", "adult"),
)
QUICK_MODELS = ("DT1", "RF2", "LR", "GNB")


def main(arguments: list[str] | None = None) -> None:
    """Everything, or with --quick a small part of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one dataset that comes with scikit-learn, four models, two splits: a minute",
    )
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=DATASETS)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-curves", action="store_true", help="without accuracy against size")
    parser.add_argument(
        "--out", type=Path, help="folder of the report: docs, or out/paper-quick with --quick"
    )
    parser.add_argument(
        "--stored",
        action="store_true",
        help="measure nothing: write the report again from the results stored beside it",
    )
    parser.add_argument("--cache", type=Path, default=Path("out") / "paper")
    given = parser.parse_args(arguments)
    datasets, models, splits = tuple(given.datasets), tuple(MODELS), given.splits
    folder = given.out or Path("docs")
    if given.quick:
        datasets, models, splits = ("bc",), QUICK_MODELS, 2
        folder = given.out or Path("out") / "paper-quick"
    if given.stored:
        write_report(folder)
        return
    # a process a core: more threads inside would only stand in each other's way
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    for name in datasets:  # so that no two processes fetch the same
        load(name)
    to_fit = [(name, model, given.cache) for name in datasets[::-1] for model in models]
    in_parallel("models", fit, to_fit, given.workers)
    pairs = [pair for name in datasets for pair in choose_pairs(name, models, given.cache)]
    jobs = list(jobs_of(pairs, splits, curves=not given.no_curves))
    left = [job for job in jobs if not job.file(given.cache).is_file()]
    in_parallel("diffs", run_job, [(job, given.cache) for job in left[::-1]], given.workers)
    found = Evidence.of(
        results(jobs, given.cache), accuracies(pairs, given.cache), Run.now(splits, given.quick)
    )
    found.write(folder / "images" / "evidence")
    write_report(folder)


if __name__ == "__main__":
    main()
