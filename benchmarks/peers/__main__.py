"""How well rule and subgroup learners of others find the differences, on the same splits as ours.

Run it with ``make quality`` or ``python -m benchmarks.peers``. A learner that does not install is
left out and named. Results are kept in ``out/peers``: an interrupted run goes on where it stopped.
The page ``docs/evidence-peers.md`` is written from them.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.models import features
from benchmarks.peers.learners import LEARNERS, Task
from benchmarks.peers.report import PAGE, page
from benchmarks.quality import OTHER_PAIRS, PAIRS, load, outputs
from imd_widget.comparison.confusion import Confusion

CACHE = Path("out") / "peers"
#: Rows to fit to and rows to measure on, at most; CPU seconds of a fit, at most.
FIT_ROWS, TEST_ROWS, LIMIT = 2_000, 5_000, 60


def run(dataset: str, models: tuple[str, str], split: int, learner: str) -> dict[str, Any]:
    """Fit and measure one learner; with an error, its name instead of figures."""
    data = load(dataset)
    X = features(data)
    first, second = (outputs(data, model) for model in models)
    order = np.random.default_rng(split).permutation(len(X))
    n_test = int(0.3 * len(order))
    test, fit = order[:n_test][:TEST_ROWS], order[n_test:][:FIT_ROWS]

    def rows(table: Any, numbers: Any) -> Any:
        return table.iloc[numbers].reset_index(drop=True)

    task = Task(rows(data.X, fit), rows(X, fit), first[fit], second[fit])
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        fitted = LEARNERS[learner](task)
        seconds = time.process_time() - start
        claimed = fitted.predict(rows(data.X, test), rows(X, test))
    except Exception as error:
        return {"error": type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    found = Confusion.of(np.asarray(claimed, dtype=bool), (first != second)[test])
    return {"mcc": found.mcc, "f1": found.f1, "rules": fitted.n_rules, "seconds": seconds}


def _stop(*_: Any) -> None:
    raise TimeoutError


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=2, help="pairs of models of each dataset")
    parser.add_argument("--stored", action="store_true", help="write the page, run nothing")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    signal.signal(signal.SIGPROF, _stop)
    kinds = {"development": PAIRS, "kept aside": OTHER_PAIRS}
    jobs = [
        (learner, split, kind, dataset, models)
        for split in range(given.splits)
        for learner in LEARNERS
        for kind, named in kinds.items()
        for dataset, pairs in named.items()
        for models in pairs[: given.pairs]
    ]
    found: list[dict[str, Any]] = []
    for learner, split, kind, dataset, models in jobs:
        name = f"{dataset}-{'-'.join(models)}-{split}-{learner.replace(' ', '_')}"
        file = CACHE / f"{name}.json"
        if not file.is_file() and not given.stored:
            CACHE.mkdir(parents=True, exist_ok=True)
            result = run(dataset, models, split, learner)
            file.write_text(json.dumps(result), encoding="utf-8")
            print(name, result, flush=True)
        if file.is_file():
            key = {"kind": kind, "pair": f"{dataset} {' '.join(models)}", "split": split}
            stored = json.loads(file.read_text(encoding="utf-8"))
            found.append({**key, "learner": learner, **stored})
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
