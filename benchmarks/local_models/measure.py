"""What is measured, a job each: results stay on disk, so that a run goes on where it stopped."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.local_models.tables import FOLDS, load, split
from benchmarks.local_models.trees import pruned_tree
from imd_widget.datasets import small_cluster
from imd_widget.learners import LocalModelsClassifier, LocalModelsClassifierCV
from imd_widget.learners.local_models.columns import TableEncoder
from imd_widget.learners.local_models.em import Learned
from imd_widget.learners.local_models.parts import ConstantClassifier

Row = dict[str, Any]

TAU = 0.3
N_ITER = 5
#: Draws of a control that is random.
DRAWS = 3
#: Depth of a tree that fits on a page, for the choice by cross-validation.
READABLE = 3
TAUS = (0.05, 0.1, 0.2, 0.3)
N_LOCALS = (1, 2, 3)
#: Rows at most on which the kernel is chosen, and on which tau and the number of local models are.
KERNEL_ROWS = 2000
CHOICE_ROWS = 2000


class Staged(LocalModelsClassifier):
    """Keeps the states of all iterations."""

    def _keep(self, learned: Learned, X: Any) -> None:
        self.stages_ = [one.state for one in learned.history]
        super()._keep(learned, X)


# --- Figures 3 and 4 ------------------------------------------------------------------------------


def plane(seed: int) -> list[Row]:
    """The points of Figures 3 and 4, with a new draw for the test."""
    points, new = (small_cluster(n, random_state=seed + at) for n, at in ((200, 0), (4000, 10_000)))
    X, X_new = points[["x1", "x2"]].to_numpy(), new[["x1", "x2"]].to_numpy()
    y, cluster = points["label"].to_numpy(), points["cluster"].to_numpy()
    truth = new["true_label"].to_numpy()
    alone = svm({"kernel": "linear"}).fit(X, y)
    model = LocalModelsClassifier(
        SVC(kernel="linear"), SVC(kernel="linear"), tau=TAU, n_iter=1, random_state=seed
    ).fit(X, y)
    local = model.responsibilities(X)[:, 1:].sum(axis=1) > 0.5
    rng = np.random.default_rng(seed)
    regions = [
        random_region(
            X, y, X_new, int(local.sum()), SVC(kernel="linear"), SVC(kernel="linear"), rng
        )
        for _ in range(DRAWS)
    ]
    return [
        {
            "angle_before": angle(alone),
            "angle_after": angle(model.global_model_),
            "cluster_local": float(local[cluster].mean()),
            "rest_local": float(local[~cluster].mean()),
            "error_before": float((alone.predict(X_new) != truth).mean()),
            "error_global": float((model.global_model_.predict(X_new) != truth).mean()),
            "error_after": float((model.predict(X_new) != truth).mean()),
            "error_region": float(np.mean([(region != truth).mean() for region in regions])),
            "error_kernel": float((svm({}).fit(X, y).predict(X_new) != truth).mean()),
        }
    ]


def angle(model: Any) -> float:
    """Degrees between the line of a linear classifier and the first axis."""
    origin, right, up = model.decision_function([[0, 0], [1, 0], [0, 1]])
    return float(np.degrees(np.arctan(-(right - origin) / (up - origin))))


# --- section 6.1 ----------------------------------------------------------------------------------


def kernel(name: str) -> list[Row]:
    """Kernel and width that do best on all rows, as the paper chose them: beforehand."""
    table = load(name)
    rows = np.random.default_rng(0).permutation(len(table.y))[:KERNEL_ROWS]
    X, y = table.X.iloc[rows], table.y[rows]
    n_columns = X.shape[1]
    grid: list[Row] = [{"kernel": "linear"}]
    grid += [{"kernel": "rbf", "gamma": width / n_columns} for width in (0.1, 0.3, 1, 3)]
    scores = [cross_val_score(svm(options), X, y, cv=FOLDS).mean() for options in grid]
    return [{**grid[int(np.argmax(scores))], "accuracy": float(max(scores))}]


def svm(options: Row) -> Pipeline:
    """A support vector machine on scaled columns."""
    return make_pipeline(StandardScaler(), SVC(**options))


def table_line(name: str, repeat: int, fold: int, options: Row) -> list[Row]:
    """The combined model after each iteration, and the controls, on one fold."""
    table = load(name)
    train, test = split(table, repeat, fold)
    X, y, X_new, truth = (
        table.X.iloc[train],
        table.y[train],
        table.X.iloc[test],
        table.y[test],
    )
    start = time.perf_counter()
    model = Staged(
        pruned_tree(),
        SVC(**options),
        tau=TAU,
        n_iter=N_ITER,
        complexity="depth",
        random_state=repeat * FOLDS + fold,
    ).fit(X, y)
    seconds = time.perf_counter() - start
    chosen = int(model.history_.index[model.history_["chosen"]][0])
    rows = []
    for at, label in ((0, "1"), (1, "2"), (2, "3"), (chosen, "chosen")):
        # no row is left for a local model from there on: the same model, learned once more
        stage = model.stages_[min(at, len(model.stages_) - 1)]
        said = model.classes_[stage.proba(X_new, model._space.transform(X_new)).argmax(axis=1)]
        tree = stage.parts[0].model
        rows.append(
            {
                "model": label,
                **size_of(tree),
                "error": float((said != truth).mean()),
                "global_error": float((tree.predict(X_new) != truth).mean()),
                "disagreement": float((said != tree.predict(X_new)).mean()),
                "global_rows": stage.n_rows[0],
                "n_local": len(stage.parts) - 1,
                "seconds": seconds,
            }
        )
    controls = control_lines(model, chosen, X, y, X_new, truth, options)
    return [*rows, *controls]


def size_of(tree: Any) -> Row:
    """Depth and nodes."""
    return {"depth": tree.get_depth(), "nodes": 2 * tree.get_n_leaves() - 1}


def control_lines(
    model: Staged,
    chosen: int,
    X: pd.DataFrame,
    y: np.ndarray,
    X_new: pd.DataFrame,
    truth: np.ndarray,
    options: Row,
) -> list[Row]:
    """What is had without finding a region."""
    cut = max(1, int(0.75 * size_of(model.stages_[0].parts[0].model)["depth"]))
    global_rows = model.stages_[chosen].n_rows[0]
    rng = np.random.default_rng(len(y) + chosen)
    shallow = pruned_tree(cut).fit(X, y)
    wrong = float((shallow.predict(X_new) != truth).mean())
    rows = [{"model": "depth cut", **size_of(shallow), "error": wrong, "global_error": wrong}]
    for _ in range(DRAWS):
        some = rng.permutation(len(y))[:global_rows]
        fewer = pruned_tree(cut).fit(X.iloc[some], y[some])
        wrong = float((fewer.predict(X_new) != truth).mean())
        rows.append(
            {"model": "cut, random rows", **size_of(fewer), "error": wrong, "global_error": wrong}
        )
    space = TableEncoder().fit(X)
    Z, Z_new = space.transform(X), space.transform(X_new)
    for _ in range(DRAWS):
        tree = pruned_tree(cut)
        said = random_region(Z, y, Z_new, len(y) - global_rows, tree, SVC(**options), rng)
        alone = tree.predict(Z_new)
        rows.append(
            {
                "model": "cut, random region",
                **size_of(tree),
                "error": float((said != truth).mean()),
                "global_error": float((alone != truth).mean()),
                "disagreement": float((said != alone).mean()),
            }
        )
    kernel_alone = svm(options).fit(X, y)
    wrong = float((kernel_alone.predict(X_new) != truth).mean())
    return [*rows, {"model": "SVM alone", "error": wrong}]


def random_region(
    Z: np.ndarray,
    y: np.ndarray,
    Z_new: np.ndarray,
    n_local: int,
    global_model: Any,
    local_model: Any,
    rng: np.random.Generator,
) -> np.ndarray:
    """Classes of new rows if the local rows are those nearest to a row drawn at random."""
    center = Z[rng.integers(len(Z))]
    squared = ((Z - center) ** 2).sum(axis=1)
    order = np.argsort(squared, kind="stable")
    inside, outside = order[:n_local], order[n_local:]
    said = global_model.fit(Z[outside], y[outside]).predict(Z_new)
    if not n_local:
        return said
    one_class = len(set(y[inside])) == 1
    local = ConstantClassifier() if one_class else local_model
    local.fit(Z[inside], y[inside])
    near = ((Z_new - center) ** 2).sum(axis=1) <= squared[inside].max()
    return np.where(near, local.predict(Z_new), said)


# --- tau and the number of local models, chosen ---------------------------------------------------


def chosen_line(name: str, repeat: int, fold: int, options: Row) -> list[Row]:
    """A readable tree with local models, chosen by cross-validation, and each part alone."""
    table = load(name)
    train, test = split(table, repeat, fold)
    X, y, X_new, truth = (
        table.X.iloc[train],
        table.y[train],
        table.X.iloc[test],
        table.y[test],
    )
    some = np.random.default_rng(fold).permutation(len(y))[:CHOICE_ROWS]
    X, y = X.iloc[some], y[some]
    tree = DecisionTreeClassifier(max_depth=READABLE, min_samples_leaf=5, random_state=0)
    local = SVC(**options)
    model = LocalModelsClassifierCV(
        tree, local, taus=TAUS, n_locals=N_LOCALS, cv=3, n_iter=2, random_state=fold
    ).fit(X, y)
    fixed = LocalModelsClassifier(tree, local, tau=TAU, n_iter=2, random_state=fold).fit(X, y)
    rows: list[Row] = []
    for label, one in (("chosen", model), ("tau 0.3, one local", fixed)):
        said = one.predict(X_new)
        alone = one.global_model_.predict(X_new)
        rows.append(
            {
                "model": label,
                "error": float((said != truth).mean()),
                "leaves": one.global_model_.get_n_leaves(),
                "disagreement": float((said != alone).mean()),
                "local_share": float(1 - one.responsibilities(X_new)[:, 0].mean()),
                "tau": getattr(one, "tau_", TAU),
                "n_local": len(one.local_models_),
            }
        )
    alone = tree.fit(X, y)
    rows.append(
        {
            "model": "tree alone",
            "error": float((alone.predict(X_new) != truth).mean()),
            "leaves": alone.get_n_leaves(),
        }
    )
    wrong = float((svm(options).fit(X, y).predict(X_new) != truth).mean())
    return [*rows, {"model": "SVM alone", "error": wrong}]


# --- jobs -----------------------------------------------------------------------------------------

KINDS = {"plane": plane, "kernel": kernel, "table": table_line, "choice": chosen_line}


@dataclass(frozen=True)
class Job:
    """One measurement, with the name of its file."""

    kind: str
    arguments: tuple[Any, ...]

    def file(self, cache: Path) -> Path:
        """Where its results are kept."""
        return cache / f"{self.kind}-{'-'.join(map(str, self.arguments))}.json"


def run_job(job: Job, cache: Path) -> None:
    """Measure, and keep what came out."""
    warnings.simplefilter("ignore")
    extra = ()
    if job.kind in ("table", "choice"):
        extra = (kernel_of(job.arguments[0], cache),)
    rows = KINDS[job.kind](*job.arguments, *extra)
    file = job.file(cache)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(rows, default=float), encoding="utf-8")
    part.rename(file)


def kernel_of(name: str, cache: Path) -> Row:
    """The kernel that was chosen for a dataset."""
    [found] = json.loads(Job("kernel", (name,)).file(cache).read_text(encoding="utf-8"))
    return {key: value for key, value in found.items() if key != "accuracy"}


def jobs_of(datasets: tuple[str, ...], seeds: int, repeats: int) -> Iterator[Job]:
    """Everything but the kernels; five folds of the largest table take as long as all others."""
    for name in datasets:
        for fold in range(FOLDS):
            yield Job("choice", (name, 0, fold))
            for repeat in range(1 if name == "covtype" else repeats):
                yield Job("table", (name, repeat, fold))
    for seed in range(seeds):
        yield Job("plane", (seed,))


def results(jobs: list[Job], cache: Path, kind: str) -> pd.DataFrame:
    """All rows of a kind, with the arguments of their jobs."""
    rows = []
    for job in jobs:
        if job.kind == kind:
            names = ("seed",) if kind == "plane" else ("dataset", "repeat", "fold")
            keys = dict(zip(names, job.arguments, strict=False))
            found = json.loads(job.file(cache).read_text(encoding="utf-8"))
            rows += [{**keys, **row} for row in found]
    return pd.DataFrame(rows)
