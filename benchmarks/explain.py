"""How long it takes to explain two models: ``python -m benchmarks.explain``.

A logistic regression and a random forest of 100 trees, on 50,000 rows of 30 columns. The curves of
both models on the 8 columns that matter most are timed against scikit-learn's own
``partial_dependence`` and against DALEX (where it is installed; ``make bench`` installs it into an
environment of its own), on the same rows of the same table at the same points, in the same run.
Contributions are measured in CPU seconds and rows asked, against shap's permutation explainer where
it is installed. The table is printed and written to ``out/explain.md``.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.speed import seconds
from imd_widget.explanations.remembering import forget

REPORT = Path("out") / "explain.md"
N_COLUMNS, N_CURVES, N_POINTS, N_SAMPLES = 30, 8, 20, 1000


def problem(n_rows: int) -> tuple[Any, Any, pd.DataFrame]:
    """Two models that were fitted to 10,000 rows, and a table."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, N_COLUMNS)), columns=[f"c{j}" for j in range(30)])
    y = (X["c0"] + X["c1"] * X["c2"] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
    some, target = X.head(10_000), y.head(10_000)
    m1 = make_pipeline(StandardScaler(), LogisticRegression()).fit(some, target)
    m2 = RandomForestClassifier(100, random_state=0).fit(some, target)
    return m1, m2, X


def widest(d: imd.ModelDiff, X: pd.DataFrame) -> imd.Rule:
    """The rule with most rows."""
    return max(d.rules, key=lambda rule: rule.mask(X).sum())


def fresh(d: imd.ModelDiff, rule: imd.Rule) -> imd.Explanation:
    """An explanation that remembers nothing."""
    vars(d).pop("explanations", None)
    forget(d.rows.models)
    return d.explain(rule, n_points=N_POINTS, max_samples=N_SAMPLES)


class Counted:
    """A model that counts the rows it is called with."""

    def __init__(self, model: Any) -> None:
        self.model, self.rows = model, 0
        self.classes_ = model.classes_

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        self.rows += len(X)
        return self.model.predict_proba(X)


def contributing(d: imd.ModelDiff, rule: imd.Rule, max_calls: int) -> tuple[float, float, int]:
    """CPU seconds, standard error of the largest contribution, and rows asked."""
    fresh(d, rule)  # nothing is remembered
    start = process_time()
    found = d.explain(rule, max_calls=max_calls).contributions
    taken = process_time() - start
    return taken, float(found.standard_error[found.order[0]]), found.n_asked


def permutation_explainer(
    models: list[Any], X: pd.DataFrame, rows: pd.DataFrame, n_columns: int
) -> tuple[float, float, int] | None:
    """The same of shap's permutation explainer for the difference; None if it is not installed.

    Its standard error is that of the mean over the rows, as ours.
    """
    try:
        import shap
    except ImportError:
        return None
    counted = [Counted(model) for model in models]

    def gap(values: Any) -> Any:
        first, second = (
            own.predict_proba(pd.DataFrame(values, columns=X.columns))[:, 1] for own in counted
        )
        return first - second

    background = X.sample(10, random_state=0)  # each row is asked with each of them
    start = process_time()
    explainer = shap.PermutationExplainer(gap, background)
    found = explainer(rows, max_evals=2 * n_columns + 1, silent=True).values
    taken = process_time() - start
    largest = int(np.abs(found.mean(axis=0)).argmax())
    error = float(found[:, largest].std(ddof=1) / len(found) ** 0.5)
    return taken, error, counted[0].rows


def scikit_learn(models: list[Any], rows: pd.DataFrame, columns: list[str]) -> Callable[[], object]:
    """Partial dependence and ICE of each model, one column after the other."""

    def work() -> list[Any]:
        return [
            partial_dependence(
                model,
                rows,
                [column],
                method="brute",
                kind="both",
                grid_resolution=N_POINTS,
                response_method="predict_proba",
            )
            for model in models
            for column in columns
        ]

    return work


def dalex(models: list[Any], rows: pd.DataFrame, columns: list[str]) -> Callable[[], object] | None:
    """Profiles of each model, as DALEX makes them; None if it is not installed."""
    try:
        import dalex as dx
    except ImportError:
        return None
    explainers = [dx.Explainer(model, rows, verbose=False) for model in models]

    def work() -> list[Any]:
        return [
            explainer.model_profile(
                type="partial",
                N=None,
                variables=columns,
                grid_points=N_POINTS,
                verbose=False,
            )
            for explainer in explainers
        ]

    return work


def shortest(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The shortest time of each work; they take turns, so that a busy minute hits them all."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work, 1))
    return best


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 rows, each time once")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    n_rows, repeats = (5_000, 1) if given.quick else (50_000, given.repeats)
    m1, m2, X = problem(n_rows)
    d = imd.diff(m1, m2, X, names=("LR", "RF"))
    rule = widest(d, X)
    shown = f"{n_rows:,} x {N_COLUMNS}"
    lines = [["what", "time", "ratio", "against", "target"]]

    def add(what: str, taken: float, ratio: float | None, against: str, target: str) -> None:
        line = [what, f"{taken:.3g} s", "" if ratio is None else f"{ratio:.2f} x", against, target]
        print(" · ".join(cell for cell in line if cell), file=sys.stderr, flush=True)
        lines.append(line)

    curves = fresh(d, rule).curves(N_CURVES)
    columns = [str(own.column) for own in curves]
    rows = X.iloc[curves[0].rows]
    works = {
        "ours": lambda: fresh(d, rule).curves(N_CURVES),
        "scikit-learn": scikit_learn([m1, m2], rows, columns),
    }
    theirs = dalex([m1, m2], rows, columns)
    if theirs is None:
        print("DALEX is not installed: not measured", file=sys.stderr)
    else:
        works["DALEX"] = theirs
    best = shortest(works, repeats)
    points = f"{N_CURVES} columns x {N_POINTS} points x {len(rows)} rows"
    add(f"first curves of a rule, {shown}: {points}", best["ours"], None, "", "at most 2 s")
    for name in list(works)[1:]:
        add(f"{name}, both models, same rows and columns", best[name], None, "", "")
    fastest = min(list(works)[1:], key=best.__getitem__)
    ratio = best["ours"] / best[fastest]
    add("first curves, columns chosen on the way", best["ours"], ratio, fastest, "at most 0.5")
    for calls in (10_000, 50_000):
        taken, error, asked = contributing(d, rule, calls)
        shown_error = f"standard error {error:.4f}, {asked:,} rows asked of each model"
        add(f"contributions (CPU), {shown_error}", taken, None, "", "first answer 1 s")
    some = X.iloc[fresh(d, rule).contributions.rows]
    other = permutation_explainer([m1, m2], X, some, N_COLUMNS)
    if other is None:
        print("shap is not installed: not measured", file=sys.stderr)
    else:
        their_error = f"standard error {other[1]:.4f}, {other[2]:,} rows asked of each model"
        # CPU at equal standard error: the error falls with the root of the work
        ratio = taken * error**2 / (other[0] * other[1] ** 2)
        add(f"shap's permutation explainer (CPU), {their_error}", other[0], None, "", "")
        add("contributions at equal standard error (CPU)", taken, ratio, "shap", "at most 1.0")
    whole = seconds(lambda: fresh(d, rule).compute(), 1)
    add(f"everything, {shown}", whole, None, "", "at most 15 s")
    report = table(lines)
    print(report)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
