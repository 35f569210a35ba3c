"""What explanations cost, against other libraries: ``python -m benchmarks.explain``.

A logistic regression and a random forest of 100 trees, on tables of 30 columns. In one run, for the
rule with most rows: contributions against shap's permutation explainer, and the curves of both
models on the 8 columns that contribute most against scikit-learn's ``partial_dependence`` and
DALEX, on the same rows of the same table at the same points. Libraries that are not installed are
left out (``make bench`` installs DALEX and shap into an environment of their own). Times are CPU
seconds, which other processes of the machine hardly change; beside them stands the number of rows
that each model was called with. The table is printed and written to ``out/explain.md``.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
from imd_widget.explanations.remembering import forget

REPORT = Path("out") / "explain.md"
N_COLUMNS, N_CURVES, N_POINTS = 30, 8, 20
#: Rows that each model is called with for the first answer of the widget.
FIRST_CALLS = 10_000
#: Rows that shap explains.
SHAP_ROWS = 200


def problem(n_rows: int) -> tuple[Any, Any, pd.DataFrame]:
    """Two models that were fitted to 10,000 rows, and a table."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(n_rows, N_COLUMNS)), columns=[f"c{j}" for j in range(N_COLUMNS)]
    )
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
    return d.explain(rule, n_points=N_POINTS)


@contextmanager
def counted(models: list[Any]) -> Iterator[list[int]]:
    """Count the rows that each model is called with; its type does not change."""
    rows = [0] * len(models)
    for number, model in enumerate(models):

        def ask(X: Any, number: int = number, own: Any = model.predict_proba) -> Any:
            rows[number] += len(X)
            return own(X)

        model.predict_proba = ask
    try:
        yield rows
    finally:
        for model in models:
            del model.predict_proba


@dataclass(frozen=True)
class Cost:
    """What some work costs."""

    seconds: float
    #: Rows that model 1 was called with.
    rows: int


def cost_of(work: Callable[[], object], models: list[Any]) -> Cost:
    """CPU seconds of the work, and rows asked."""
    with counted(models) as rows:
        start = process_time()
        work()
        return Cost(process_time() - start, rows[0])


def permutation_explainer(
    models: list[Any], X: pd.DataFrame, rows: pd.DataFrame
) -> Callable[[], Any] | None:
    """The contributions to the difference of shap's permutation explainer; None without shap."""
    try:
        import shap
    except ImportError:
        return None

    def gap(values: Any) -> Any:
        first, second = (
            own.predict_proba(pd.DataFrame(values, columns=X.columns))[:, 1] for own in models
        )
        return first - second

    background = X.sample(10, random_state=0)  # each row is asked with each of them
    n_columns = X.shape[1]

    def work() -> Any:
        explainer = shap.PermutationExplainer(gap, background)
        return explainer(rows, max_evals=2 * n_columns + 1, silent=True).values

    return work


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


def cheapest(
    works: dict[str, Callable[[], object]], models: list[Any], repeats: int
) -> dict[str, Cost]:
    """The cheapest run of each work; they take turns, so that a busy minute hits them all."""
    best: dict[str, Cost] = {}
    for _ in range(repeats):
        for name, work in works.items():
            own = cost_of(work, models)
            if name not in best or own.seconds < best[name].seconds:
                best[name] = own
    return best


class Lines:
    """The lines of the report, which are printed as they come."""

    def __init__(self) -> None:
        self.rows = [["what", "CPU", "rows asked", "ratio", "against", "target"]]

    def add(
        self, what: str, cost: Cost, ratio: float | None = None, against: str = "", target: str = ""
    ) -> None:
        shown = "" if ratio is None else f"{ratio:.2f} x"
        line = [what, f"{cost.seconds:.3g} s", f"{cost.rows:,}", shown, against, target]
        print(" · ".join(cell for cell in line if cell), file=sys.stderr, flush=True)
        self.rows.append(line)


def measure(n_rows: int, repeats: int, lines: Lines) -> None:
    """Explain the rule with most rows of a table of so many rows."""
    m1, m2, X = problem(n_rows)
    models = [m1, m2]
    d = imd.diff(m1, m2, X, names=("LR", "RF"))
    rule = widest(d, X)
    size = f"{n_rows:,} x {N_COLUMNS}"

    def answer(calls: int) -> Callable[[], object]:
        def work() -> object:
            fresh(d, rule)
            e = d.explain(rule, max_calls=calls)
            return e.contributions, e.conditions

        return work

    first = cheapest({"": answer(FIRST_CALLS)}, models, repeats)[""]
    lines.add(f"first answer (contributions, what if), {size}", first, target="at most 1 s")
    contributing = _contributions(d, rule, models, repeats, lines)
    _against_shap(models, X, contributing, repeats, lines)
    _curves(d, rule, models, X, repeats, lines)
    whole = cost_of(lambda: fresh(d, rule).compute(), models)
    lines.add(f"everything, {size}", whole, target="at most 15 s")


@dataclass(frozen=True)
class Contributing:
    """What contributions cost and how exact they are."""

    cost: Cost
    #: Standard error of the largest contribution.
    error: float
    #: Positions of the rows explained.
    rows: Any


def _contributions(
    d: imd.ModelDiff, rule: imd.Rule, models: list[Any], repeats: int, lines: Lines
) -> Contributing:
    def work() -> object:
        fresh(d, rule)
        return d.explain(rule).contributions

    cost = cheapest({"": work}, models, repeats)[""]
    found = d.explain(rule).contributions
    error = float(found.standard_error[found.order[0]])
    lines.add(f"contributions, {len(found.rows)} rows, standard error {error:.4f}", cost)
    return Contributing(cost, error, found.rows)


def _against_shap(
    models: list[Any], X: pd.DataFrame, ours: Contributing, repeats: int, lines: Lines
) -> None:
    rows = X.iloc[ours.rows[:SHAP_ROWS]]
    work = permutation_explainer(models, X, rows)
    if work is None:
        print("shap is not installed: not measured", file=sys.stderr)
        return
    values = work()
    cost = cheapest({"": work}, models, repeats)[""]
    largest = int(np.abs(values.mean(axis=0)).argmax())
    # the standard error of the mean over the rows, as ours
    error = float(values[:, largest].std(ddof=1) / len(values) ** 0.5)
    lines.add(f"shap's permutation explainer, {len(rows)} rows, standard error {error:.4f}", cost)
    # the error falls with the root of the work
    ratio = ours.cost.seconds * ours.error**2 / (cost.seconds * error**2)
    what = "contributions at equal standard error"
    lines.add(what, ours.cost, ratio, "shap", "at most 1.0")


def _curves(
    d: imd.ModelDiff,
    rule: imd.Rule,
    models: list[Any],
    X: pd.DataFrame,
    repeats: int,
    lines: Lines,
) -> None:
    curves = fresh(d, rule).curves(N_CURVES)
    columns = [str(own.column) for own in curves]
    rows = X.iloc[curves[0].rows]

    def ours() -> object:
        e = fresh(d, rule)
        positions = [own.position for own in curves]
        return [e.partial_dependence(columns[0]), e.curve_room.compute(positions[1:], lambda: None)]

    works: dict[str, Callable[[], object]] = {
        "ours": ours,
        "scikit-learn": scikit_learn(models, rows, columns),
    }
    theirs = dalex(models, rows, columns)
    if theirs is None:
        print("DALEX is not installed: not measured", file=sys.stderr)
    else:
        works["DALEX"] = theirs
    best = cheapest(works, models, repeats)
    lines.add(f"curves: {N_CURVES} columns x {N_POINTS} points x {len(rows)} rows", best["ours"])
    for name in list(works)[1:]:
        ratio = best["ours"].seconds / best[name].seconds
        lines.add(f"{name}: the same curves", best[name], ratio, "ours", "at most 1.0")


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 rows, each work once")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    lines = Lines()
    for n_rows in (5_000,) if given.quick else (10_000, 50_000):
        measure(n_rows, 1 if given.quick else given.repeats, lines)
    report = table(lines.rows)
    print(report)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
