"""How long a comparison of two models takes and what it needs: ``python -m benchmarks.speed``.

The joint tree of *two* models, binning, rules and measures included, against one tree for *one*
model of the libraries that people have. Machines are noisy: everything is a ratio within one run,
of medians of runs in turn or of the best of some repeats. The table is printed and written to
``out/speed.md``.

LightGBM, XGBoost and AIX360 are measured where they are installed (``make bench`` installs them
into an environment of its own).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import itertools
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from benchmarks.markdown import table
from imd_widget._base import parallel
from imd_widget.comparison.problem import fit_problem, make_problem

DEPTH = 6
REPORT = Path("out") / "speed.md"


@dataclass(frozen=True)
class Line:
    """One line of the report: what was measured, what came out, and what was hoped for."""

    what: str
    seconds: float | None
    ratio: float
    against: str
    target: str

    def cells(self) -> list[str]:
        """The line in words."""
        seconds = "" if self.seconds is None else f"{self.seconds:.3g} s"
        return [self.what, seconds, f"{self.ratio:.3g} x", self.against, self.target]


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
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def diff(X: pd.DataFrame, y1: np.ndarray, y2: np.ndarray, method: str) -> imd.ModelDiff:
    """The whole comparison on all rows, rules and measures read."""
    d = imd.diff(y1, y2, X, max_depth=DEPTH, test_size=0, method=method)
    assert d.metrics.n_rules == len(d.rules)
    return d


def histogram_libraries(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, Callable[[], object]]]:
    """One tree of depth 6 of each library that is there, its binning included."""
    boosting = HistGradientBoostingClassifier(
        max_iter=1, max_depth=DEPTH, max_leaf_nodes=64, early_stopping=False
    )
    yield "HistGradientBoosting", lambda: boosting.fit(X, y)
    try:
        import lightgbm
    except ImportError:
        print("LightGBM is not installed: not measured", file=sys.stderr)
    else:
        options = {"objective": "binary", "num_leaves": 64, "max_depth": DEPTH, "verbose": -1}
        yield "LightGBM", lambda: lightgbm.train(options, lightgbm.Dataset(X, y), 1)
    try:
        import xgboost
    except ImportError:
        print("XGBoost is not installed: not measured", file=sys.stderr)
    else:
        model = xgboost.XGBClassifier(n_estimators=1, max_depth=DEPTH, tree_method="hist")
        yield "XGBoost hist", lambda: model.fit(X, y)


@contextlib.contextmanager
def threads(most: int) -> Iterator[None]:
    """Let us use at most so many threads; the other libraries use what they want."""
    before, parallel.MAX_THREADS = parallel.MAX_THREADS, most
    try:
        yield
    finally:
        parallel.MAX_THREADS = before


def in_turn(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """The times of each work, all run once in each round, so that a disturbance meets them all."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(seconds(work, 1))
    return times


def with_threads(work: Callable[[], object], most: int) -> Callable[[], object]:
    """The same work with at most so many threads of ours."""

    def limited() -> object:
        with threads(most):
            return work()

    return limited


def against_one_tree(n_rows: int, repeats: int) -> Iterator[Line]:
    """The joint tree of two models against one tree for one model: medians of interleaved runs."""
    X, y1, y2 = problem(n_rows, 20)
    values = X.to_numpy()
    size = f"{n_rows:,} x 20"
    libraries = dict(histogram_libraries(values, y1))
    counted = {"1 thread": 1, f"{parallel.n_threads()} threads": parallel.n_threads()}
    ours = {
        (method, label): with_threads(partial(diff, X, y1, y2, method), most)
        for method in ("calibrated", "imd")
        for label, most in counted.items()
    }
    growing = {
        (f"{method}, without binning", label): with_threads(partial(grow, d), most)
        for method in ("calibrated", "imd")
        for d in [diff(X, y1, y2, method)]
        for label, most in counted.items()
    }
    works: dict[Any, Callable[[], object]] = {**libraries, **ours, **growing}
    times = {name: median(taken) for name, taken in in_turn(works, repeats).items()}
    fastest = min(libraries, key=lambda name: times[name])
    tree = DecisionTreeClassifier(max_depth=DEPTH, criterion="entropy")
    one_tree = seconds(lambda: tree.fit(values, y1), 1)
    for method, label in (*ours, *growing):
        taken, what = times[method, label], f"{method}, {label}, {size}"
        for name in libraries:
            goal = "at most 0.75" if name == fastest and (method, label) in ours else ""
            yield Line(what, taken, taken / times[name], name, goal if label != "1 thread" else "")
        if (method, label) in ours:
            yield Line(what, taken, taken / one_tree, "DecisionTreeClassifier", "at most 0.1")


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """The least CPU time of some runs, over all threads."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def layouts(n_rows: int, repeats: int) -> Iterator[Line]:
    """An array stored row by row against a table of contiguous columns."""
    X, y1, y2 = problem(n_rows, 20)
    by_column = pd.DataFrame({name: np.ascontiguousarray(X[name]) for name in X})
    by_row = np.ascontiguousarray(X.to_numpy())
    works = {"rows": lambda: diff(by_row, y1, y2, "calibrated")}
    works["columns"] = lambda: diff(by_column, y1, y2, "calibrated")
    wall = {name: median(taken) for name, taken in in_turn(works, repeats).items()}
    cpu = {name: cpu_seconds(work, repeats) for name, work in works.items()}
    for what, times in (("wall", wall), ("CPU", cpu)):
        yield Line(
            f"array stored row by row, {what}, {n_rows:,} x 20",
            times["rows"],
            times["rows"] / times["columns"],
            "contiguous columns",
            "at most 1.15",
        )


def changes(sizes: list[int], repeats: int) -> Iterator[Line]:
    """A change of an option that keeps the grown tree against the fit, both without measures."""
    for n_rows in sizes:
        X, y1, y2 = problem(n_rows, 20)
        d = imd.diff(y1, y2, X, max_depth=DEPTH, measure="none")
        fit = cpu_seconds(lambda: grow(d), repeats)  # noqa: B023
        for option, value in (("sensitivity", 0.9), ("max_rules", 2)):
            method = d.change(**{option: value}).rows.method
            taken = cpu_seconds(lambda: d.rows.changed(method), repeats)  # noqa: B023
            what = f"change of {option}, CPU, {n_rows:,} x 20"
            yield Line(what, taken, taken / fit, "a fit", "at most 0.1")


def grow(d: imd.ModelDiff) -> object:
    """The fit alone: codes and outputs are there, a source of counts is made from them anew."""
    fitted = d.rows
    return fit_problem(make_problem(fitted.dataset, fitted.compared, fitted.method))


def growth_with(what: str, sizes: list[tuple[int, int]], repeats: int) -> Iterator[Line]:
    """The exponent with which time grows from the first to the last size."""
    times = []
    for n_rows, n_columns in sizes:
        X, y1, y2 = problem(n_rows, n_columns)
        times.append(seconds(lambda: diff(X, y1, y2, "calibrated"), repeats))  # noqa: B023
    cells = [n_rows * n_columns for n_rows, n_columns in sizes]
    exponent = math.log(times[-1] / times[0]) / math.log(cells[-1] / cells[0])
    shown = " to ".join(f"{rows:,} x {columns}" for rows, columns in (sizes[0], sizes[-1]))
    yield Line(f"exponent of time in {what}, {shown}", times[-1], exponent, "", "at most 1.1")


def refinement(n_rows: int, repeats: int) -> Iterator[Line]:
    """One refinement step against the first fit."""
    X, y1, y2 = problem(n_rows, 20)
    for method in ("calibrated", "imd"):
        d = diff(X, y1, y2, method)
        first = seconds(lambda: diff(X, y1, y2, method), repeats)  # noqa: B023
        step = seconds(lambda: d.refine().metrics, repeats)  # noqa: B023
        yield Line(
            f"refine {method}, {n_rows:,} x 20", step, step / first, "its first fit", "at most 0.25"
        )


def by_outputs(n_rows: int, repeats: int) -> Iterator[Line]:
    """Many classes, values and weights against two classes of equal rows."""
    rng = np.random.default_rng(0)
    X, y1, y2 = problem(n_rows, 20)
    two = seconds(lambda: diff(X, y1, y2, "calibrated"), repeats)
    size = f"{n_rows:,} x 20"
    for n_classes, target in ((10, ""), (40, ""), (300, "at most 30")):
        first = rng.normal(size=(20, n_classes))
        second = first + 0.3 * rng.normal(size=first.shape)
        many = [(X.to_numpy() @ own).argmax(axis=1) for own in (first, second)]
        taken = seconds(lambda: diff(X, *many, "calibrated"), 1)  # noqa: B023
        yield Line(f"{n_classes} classes, {size}", taken, taken / two, "two classes", target)
    scores = [X.to_numpy() @ rng.normal(size=20) for _ in range(2)]
    taken = seconds(lambda: diff(X, scores[0], scores[0] + 0.2 * scores[1], "calibrated"), repeats)
    yield Line(f"values, {size}", taken, taken / two, "two classes", "at most 6")
    weight = rng.random(n_rows)
    taken = seconds(
        lambda: imd.diff(y1, y2, X, max_depth=DEPTH, test_size=0, sample_weight=weight), repeats
    )
    yield Line(f"weights, {size}", taken, taken / two, "two classes", "at most 4")


def many_leaf_pairs() -> Iterator[Line]:
    """Reading the rules of two separate trees with 256 leaves each, as many as at depth 8."""
    # two columns of 256 values; the share of ones rises evenly along one for each model, without
    # noise, so that both trees grow a leaf for every value
    a = np.repeat(np.arange(256), 64)
    b = np.random.default_rng(0).permutation(a)
    X = pd.DataFrame({"a": a, "b": b})
    y1, y2 = ((X.groupby(name).cumcount() < X[name] / 4).to_numpy(int) for name in "ab")
    d = imd.diff(y1, y2, X, max_depth=9, method="separate", test_size=0)
    from imd_widget.rules.regions import differing_pairs
    from imd_widget.tree.requests import LeafPairs

    source = d.rows.problem.source
    taken = seconds(lambda: differing_pairs(d.tree, source.answer(LeafPairs(d.tree))), 1)
    pairs = math.prod(len(d.tree.leaves(int(branch))) for branch in d.tree.children[0])
    yield Line(f"reading {pairs:,} pairs of leaves", taken, taken, "one second", "at most 1")


def peak_memory(n_rows: int) -> Iterator[Line]:
    """Extra memory at its peak, per byte of the table, in a process of its own."""
    code = f"""
from pathlib import Path
from benchmarks.speed import diff, problem

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024

X, y1, y2 = problem({n_rows}, 20)
diff(X[:20_000], y1[:20_000], y2[:20_000], "calibrated")  # what is imported late is no extra
Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
before = memory("VmRSS")
diff(X, y1, y2, "calibrated")
print((memory("VmHWM") - before) / X.to_numpy().nbytes)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    yield Line(
        f"peak extra memory, {n_rows:,} x 20",
        None,
        float(done.stdout),
        "the bytes of X",
        "at most 0.4",
    )


def against_aix360(repeats: int) -> Iterator[Line]:
    """The only other public implementation, on 4,000 rows."""
    try:
        from aix360.algorithms.imd.imd import IMDExplainer
    except ImportError:
        print("AIX360 is not installed: not measured", file=sys.stderr)
        return
    X, y1, y2 = problem(4_000, 12)
    ours = seconds(lambda: diff(X, y1, y2, "imd"), max(repeats, 3))
    explainer = IMDExplainer()
    for name, value in (("NINF", -np.inf), ("Inf", np.inf)):
        setattr(np, name, value)  # names that NumPy 2 dropped and AIX360 still asks for
    with contextlib.redirect_stdout(io.StringIO()):  # it prints while it works
        theirs = seconds(lambda: explainer.fit(X, y1, y2, max_depth=DEPTH, verbose=False), 1)
    yield Line("AIX360's IMDExplainer, 4,000 x 12", theirs, theirs / ours, "imd", "at least 1000")


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, some seconds in all")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    rows = 100_000 if given.quick else 1_000_000
    most = 10 * rows
    sizes = [(10**power, 20) for power in range(4, int(math.log10(most)) + 1)]
    lines: list[Line] = []
    for line in itertools.chain(
        against_one_tree(rows, given.repeats),
        by_outputs(20_000, given.repeats),
        refinement(100_000, given.repeats),
        layouts(rows, given.repeats),
        changes([10_000, 100_000], given.repeats),
        many_leaf_pairs(),
        growth_with("columns", [(100_000, 5), (100_000, 80)], given.repeats),
        growth_with("rows", sizes, 1),
        peak_memory(most),
        () if given.quick else against_aix360(given.repeats),
    ):
        print(" · ".join(cell for cell in line.cells() if cell), file=sys.stderr, flush=True)
        lines.append(line)
    report = table(
        [["what", "time", "ratio", "against", "target"], *(line.cells() for line in lines)]
    )
    print(report)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
