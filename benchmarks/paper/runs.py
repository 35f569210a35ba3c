"""Every measurement of the evidence: a job each, kept on disk, resumed after an interruption."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

import imd_widget as imd
from benchmarks.boolean_rules import grounded_baseline
from benchmarks.data import load
from benchmarks.paper.ceiling import ceiling
from benchmarks.paper.models import Pair, features, fit

DEPTH = 6
DEPTHS = (2, 3, 4, 5, 6, 7, 8)

#: What the tables compare.
VARIANTS: dict[str, dict[str, Any]] = {
    "imd": {"method": "imd"},
    "separate": {"method": "separate"},
    "direct_tree": {"method": "direct_tree"},
    "direct_boosting": {"method": "direct_boosting"},
    "grounded": {"method": grounded_baseline},
    "calibrated": {"method": "calibrated"},
    "imd 6+1": {"method": "imd", "refinements": 1},
    "imd 7": {"method": "imd", "max_depth": 7},
    "calibrated 6+1": {"method": "calibrated", "refinements": 1},
    "calibrated given": {"method": "calibrated", "given": "auto"},
    "ceiling": {},
}
#: Accuracy against size.
CURVES: dict[str, dict[str, Any]] = {
    f"{method} at {depth}": {"method": method, "max_depth": depth}
    for method in ("calibrated", "imd", "separate", "direct_tree")
    for depth in DEPTHS
    if depth != DEPTH
}


@dataclass(frozen=True)
class Job:
    """One variant on one pair, on all splits."""

    pair: Pair
    variant: str
    n_splits: int

    def file(self, cache: Path) -> Path:
        """Where its results are kept."""
        variant = self.variant.replace(" ", "_")
        return cache / "results" / f"{self.pair.name}-{variant}-{self.n_splits}.csv"


def jobs_of(pairs: Iterable[Pair], n_splits: int, curves: bool) -> Iterator[Job]:
    """Everything to measure; rule sets only of two classes, as in the paper."""
    variants = [*VARIANTS, *(CURVES if curves else ())]
    for pair in pairs:
        n_classes = len(set(load(pair.dataset).y))
        for variant in variants:
            if variant != "grounded" or n_classes == 2:
                yield Job(pair, variant, n_splits)


def run_job(job: Job, cache: Path) -> float:
    """Measure, and keep what came out; the seconds it took."""
    start = time.perf_counter()
    warnings.simplefilter("ignore")
    first, second = (fit(job.pair.dataset, name, cache).outputs for name in job.pair.models)
    X = features(load(job.pair.dataset))
    if job.variant == "ceiling":
        found = ceiling(X, first, second, job.n_splits)
    else:
        options = {**VARIANTS, **CURVES}[job.variant]
        found = imd.evaluate(
            first,
            second,
            X,
            methods={job.variant: options},
            n_splits=job.n_splits,
            max_depth=DEPTH,
        )
    file = job.file(cache)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    found.to_csv(part, index=False)
    part.rename(file)
    return time.perf_counter() - start


def in_parallel(
    what: str, work: Callable[..., Any], calls: list[tuple[Any, ...]], workers: int
) -> None:
    """Do all calls in processes, with a bar; the longest should come first."""
    if workers == 1:
        for call in tqdm(calls, desc=what, smoothing=0):
            work(*call)
    if not calls or workers == 1:
        return
    # started anew: a fork inherits the threads of OpenMP in a state that ends it
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(work, *call): call for call in calls}
        bar = tqdm(as_completed(waiting), total=len(waiting), desc=what, smoothing=0)
        for done in bar:
            done.result()


def results(jobs: Iterable[Job], cache: Path) -> pd.DataFrame:
    """All results as one table: a row a job and split."""
    parts = []
    for job in jobs:
        part = pd.read_csv(job.file(cache))
        first, second = job.pair.models
        parts.append(
            part.assign(
                dataset=job.pair.dataset,
                pair=job.pair.name,
                models=f"{first}-{second}",
                why=" ".join(job.pair.why),
            )
        )
    return pd.concat(parts, ignore_index=True)
