"""How long a comparison of two models takes, as ratios in one run: ``python -m benchmarks.speed``.

The joint tree of *two* models, binning included, against scikit-learn's decision tree of the same
depth for *one* model. Machines are noisy: read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd

DEPTH = 6


def problem(n_rows: int, n_columns: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table and the outputs of two models that differ in part of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    y1 = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] > 0
    y2 = np.where(X[:, 3] > 1, X[:, 0] > 0.3, y1)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(n_columns)])
    return frame, y1.astype(int), y2.astype(int)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The shortest of some runs: what disturbs a run only makes it longer."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line a size of table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[4_000, 100_000])
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(f"{'rows':>10} {'joint tree':>11} {'one tree':>11} {'ratio':>7}   (depth {DEPTH})")
    for n_rows in given.rows:
        X, y1, y2 = problem(n_rows, given.columns)
        ours = seconds(lambda: imd.diff(y1, y2, X, max_depth=DEPTH, test_size=0), given.repeats)  # noqa: B023
        tree = DecisionTreeClassifier(max_depth=DEPTH, criterion="entropy")
        theirs = seconds(lambda: tree.fit(X, y1), given.repeats)  # noqa: B023
        print(f"{n_rows:>10,} {ours:>10.3f}s {theirs:>10.3f}s {ours / theirs:>7.2f}")


if __name__ == "__main__":
    main()
