"""How long ten models take where two are compared otherwise: ``python -m benchmarks.many``.

The matrix of ten models and the diff of one pair of them, against `imd.diff` of two of them. All
outputs are at hand, so no model is called. Machines are noisy: everything is a ratio within one
run, the best of some repeats. The table is printed and written to ``out/many.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.speed import Line, seconds

REPORT = Path("out") / "many.md"
N_MODELS = 10


def problem(n_rows: int, kind: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """The outputs of ten models, and a table of 20 columns."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 20)), columns=[f"c{j}" for j in range(20)])
    score = (X["c0"] + 0.5 * X["c1"] * X["c2"]).to_numpy()
    models: dict[str, Any] = {}
    for number in range(N_MODELS):
        own = score + np.where(X[f"c{number + 3}"] > 1, 0.3, 0.0) * (number + 1) / N_MODELS
        if kind == "labels":
            own = (own > 0).astype(int)
        elif kind == "text":
            own = np.where(own > 0, "yes", "no").astype(object)
        models[f"model {number}"] = own
    return models, X


def compared(models: dict[str, Any], X: pd.DataFrame, **options: Any) -> None:
    """The matrix, its sentences and the diff of the first pair, rules and measures read."""
    c = imd.compare(models, X, **options)
    d = c["model 0", "model 9"]
    assert len(c.summary()) > 0
    assert d.metrics.n_rules == len(d.rules)


def one_diff(models: dict[str, Any], X: pd.DataFrame, **options: Any) -> None:
    """The diff of the same two models."""
    d = imd.diff(models["model 0"], models["model 9"], X, **options)
    assert d.metrics.n_rules == len(d.rules)


def lines(n_rows: int, repeats: int) -> Iterator[Line]:
    """One line for each kind of outputs."""
    weight = np.random.default_rng(1).integers(1, 5, n_rows)
    for kind, options in (
        ("labels", {}),
        ("labels, weighted", {"sample_weight": weight}),
        ("text", {}),
        ("values", {}),
    ):
        models, X = problem(n_rows, kind.split(",")[0])
        times = []
        for _ in range(repeats):  # by turns: whatever else the machine does hits both
            two = seconds(lambda: one_diff(models, X, **options), 1)  # noqa: B023
            times.append((two, seconds(lambda: compared(models, X, **options), 1)))  # noqa: B023
        two, ten = map(min, zip(*times, strict=True))
        what = f"{N_MODELS} models, {kind}, {n_rows:,} x 20: matrix and first diff"
        yield Line(what, ten, ten / two, "imd.diff of two", "at most 1.6")


def main() -> None:
    """Print the table and write it to ``out/many.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    found = []
    for line in lines(given.rows, given.repeats):
        print(" · ".join(line.cells()), file=sys.stderr, flush=True)
        found.append(line.cells())
    text = table([["what", "time", "ratio", "against", "target"], *found])
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
