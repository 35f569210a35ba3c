"""Trainings, each of which is measured once and kept as a JSON file."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from benchmarks.meta_trees.ratings import Ratings
from imd_widget.data.table import open_table
from imd_widget.learners import MetaTree, MetaTreeRegressor
from imd_widget.learners.meta_trees.estimators import _examples, _rows
from imd_widget.learners.meta_trees.forest import Forest
from imd_widget.learners.meta_trees.growth import grow

#: The form of the paper, whose figures stand beside; all else are the defaults.
MAIN: dict[str, Any] = {"evidence": False}
#: Rows of the paper's Table 2, by what they change.
ABLATIONS: dict[str, dict[str, Any]] = {
    "no sparse norm": {"sparsity": 0.0},
    "mean leaves": {"leaves": "mean"},
    "without r": {"context": False},
    "without beta": {"softness": "fixed"},
    "signed": {"softness": "fixed", "signed": True},
    "one-hot": {"one_hot": True},
    "hard loss": {"hard_share": 1.0},
    "train loss": {"measure_all": True},
}
#: Beyond the table.
VARIANTS: dict[str, dict[str, Any]] = {
    "loss as printed": {"hard_share": 0.0},
    "dynamic": {"dynamic": True, "depth": 5},
    "dynamic, evidence": {"dynamic": True, "depth": 5, "evidence": True},
    "mean leaves, evidence": {"leaves": "mean", "evidence": True},
    "evidence": {"evidence": True},
    "rich": {"evidence": True, "max_repeats": 2},
    "no feature twice": {"evidence": True, "max_repeats": 1},
    # its lambda, 0.1 for a sum over trees, is about 0.001 for means: 85 rows a tree, variance 1.27
    "paper sizes": {"width": 512, "hidden": 50, "sparsity": 0.001},
    "paper sizes, as printed": {"width": 512, "hidden": 50, "sparsity": 0.001, "hard_share": 0.0},
}
#: One option of the default at a time, as in the paper's appendix C.
SENSITIVITY: dict[str, dict[str, Any]] = {
    **{f"width {width}": {"evidence": True, "width": width} for width in (32, 64, 256, 512)},
    **{f"depth {depth}": {"evidence": True, "depth": depth} for depth in (1, 2, 4, 5)},
}
#: Steps on the larger datasets: about 16 and 31 passes over their users; 600 steps make 41 over
#: those of MovieLens-100K.
STEPS = {"ml1m": 1500, "jester5k": 2400}
#: What was compared on the split before u1.test was looked at.
CHOICES = ("main", "loss as printed", "evidence", "rich")


@dataclass(frozen=True)
class Job:
    """One training."""

    name: str
    seed: int = 0
    split: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The name of the file of its result."""
        where = "split" if self.split else "test"
        return f"{where}-{self.name.replace(' ', '_').replace(',', '')}-{self.seed}.json"

    def settings(self) -> dict[str, Any]:
        """The parameters of the estimator."""
        change = {**ABLATIONS, **VARIANTS, **SENSITIVITY}.get(self.name, {})
        return {**MAIN, **change, **self.options, "random_state": self.seed}


def table_jobs(dataset: str, seeds: int) -> list[Job]:
    """The trainings of a dataset for Table 1."""
    options = {"max_iter": STEPS[dataset]} if dataset in STEPS else {}
    first = [Job("evidence", seed, options=options) for seed in range(seeds)]
    return [*first, *(Job(name, options=options) for name in ("rich", "dynamic, evidence"))]


def measure(job: Job, ratings: Ratings) -> dict[str, Any]:
    """Train, grow, and measure; controls with the main job."""
    if job.split:
        ratings = ratings.on_a_split()
    X, X_test = ratings.table(ratings.train), ratings.table(ratings.test)
    y, y_test = ratings.train["rating"].to_numpy(), ratings.test["rating"].to_numpy()
    users = ratings.train["user"].to_numpy()
    clock: list[float] = []
    trees = MetaTreeRegressor(**job.settings())
    start = time.perf_counter()
    trees.fit(X, y, groups=users, on_step=lambda _: clock.append(time.perf_counter()) or None)
    whole = time.perf_counter() - start
    warm = min(20, len(clock) // 2)  # by then everything is compiled
    training = (clock[-1] - clock[warm]) / max(1, len(clock) - 1 - warm) * len(clock)
    rows = _rows(open_table(X_test), trees.features_)
    place = {user: at for at, user in enumerate(trees.groups_)}
    at = np.array([place[user] for user in ratings.test["user"]])
    result: dict[str, Any] = {"settings": job.settings(), "fit_s": whole, "training_s": training}
    result |= scores(trees.forest_, at, rows, y_test)
    result["questions"] = questions(trees)
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if job.name in ("main", "evidence"):
        examples = examples_of(trees, X, y, users)
        result |= controls(trees, examples, at, rows, y_test, job.seed)
        result |= speed(trees, examples, X, y, users)
    return result


def examples_of(trees: MetaTreeRegressor, X: Any, y: Any, users: Any) -> Any:
    """The rows that trees are grown from."""
    place = {user: at for at, user in enumerate(trees.groups_)}
    return _examples(
        _rows(open_table(X), trees.features_),
        y,
        trees.targets_,
        np.array([place[user] for user in users]),
        len(place),
    )


def scores(forest: Forest, at: Any, rows: Any, y: Any, prefix: str = "") -> dict[str, float]:
    """RMSE and MAE of both routings."""
    found = {}
    for routing in ("soft", "hard"):
        predict = forest.predict_soft if routing == "soft" else forest.predict_hard
        error = predict(at, rows)[:, 0] - y
        found[f"{prefix}{routing}_rmse"] = float(np.sqrt((error**2).mean()))
        found[f"{prefix}{routing}_mae"] = float(np.abs(error).mean())
    return found


def controls(
    trees: MetaTreeRegressor, examples: Any, at: Any, rows: Any, y: Any, seed: int
) -> dict[str, float]:
    """Another user's tree; trees from labels shuffled within a user; rules of several columns."""
    rng = np.random.default_rng(seed)
    n_groups = len(trees.groups_)
    other = (at + rng.integers(1, n_groups, n_groups)[at]) % n_groups
    found = scores(trees.forest_, other, rows, y, "other ")
    order = np.lexsort((rng.random(len(examples.group)), examples.group))
    sorted_rows = np.argsort(examples.group, kind="stable")
    taken = np.empty(len(order), dtype=int)
    taken[sorted_rows] = order
    shuffled = replace(examples, targets=examples.targets[taken], outcomes=examples.outcomes[taken])
    form = (trees.parameters_, trees.architecture_, trees.features_)
    found |= scores(grow(*form, shuffled), at, rows, y, "shuffled ")
    dense = grow(*form, examples, sparse=False)
    return found | scores(dense, at, rows, y, "semi-sparse ")


def questions(trees: MetaTreeRegressor) -> dict[str, Any]:
    """What the exported trees ask about: shares of questions, and of users, by column."""
    exported = [trees.tree_of(group) for group in trees.groups_]
    asked: dict[str, int] = {}
    users: dict[str, int] = {}
    for tree in exported:
        for node in tree.nodes:
            if node.question is not None:
                name = str(node.question.column)
                asked[name] = asked.get(name, 0) + 1
        for name in map(str, tree.columns):
            users[name] = users.get(name, 0) + 1
    total = max(1, sum(asked.values()))
    return {
        "asked": {name: count / total for name, count in sorted(asked.items())},
        "users": {name: count / len(exported) for name, count in sorted(users.items())},
        "forms": len(
            {tuple(str(n.question and n.question.column) for n in t.nodes) for t in exported}
        ),
        "leaves": float(np.mean([tree.n_leaves for tree in exported])),
    }


def _form(tree: MetaTree) -> tuple[str, ...]:
    """The columns that a tree asks about, in the places of its nodes."""
    return tuple(str(node.question and node.question.column) for node in tree.nodes)


def speed(trees: MetaTreeRegressor, examples: Any, X: Any, y: Any, users: Any) -> dict[str, float]:
    """Seconds to grow all trees, to grow one for somebody new, and of scikit-learn's trees."""
    from sklearn.tree import DecisionTreeRegressor

    form = (trees.parameters_, trees.architecture_, trees.features_)
    growing = min(_timed(lambda: grow(*form, examples)) for _ in range(5))
    some = np.flatnonzero(users == users[0])[:30]
    few = X.iloc[some]
    new = min(_timed(lambda: trees.tree_for(few, y[some])) for _ in range(10))
    values = X.to_numpy(dtype=float, na_value=0)
    mine = [np.flatnonzero(users == user) for user in trees.groups_]
    local = _timed(
        lambda: [DecisionTreeRegressor(max_depth=3).fit(values[rows], y[rows]) for rows in mine]
    )
    return {"growing_s": growing, "tree_for_s": new, "sklearn_s": local}


def _timed(call: Any) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
