# ruff: noqa: E501 - the text of the page is as wide as the other pages
"""``python -m benchmarks.meta_trees.appendix``: appendices D, E and F of the paper, kinds of trees, and what edits cost."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from benchmarks.markdown import table, wrapped
from benchmarks.meta_trees.baselines import factorisation
from benchmarks.meta_trees.random_effects import lines
from benchmarks.meta_trees.ratings import Ratings, made_up, movielens
from imd_widget.learners import MetaTree, MetaTreeRegressor

SEED = 0
#: Shares of a user's rows that are left out, and how often each is drawn.
LEFT_OUT, DRAWS = (0.1, 0.3, 0.5, 0.7), 1
SIZES = (0, 20, 40, 80, 160, np.inf)
CORRELATIONS = (-1.01, 0.0, 0.2, 0.4, 0.6, 1.01)
STATISTICS = {"mean_rating", "n_ratings"}
Result = dict[str, Any]

COLD = (
    "The first columns are the number of ratings of a user to learn from; the others are RMSE on the test part, and the share of trees that ask "
    "about the mean rating alone. In the paper, this share falls with the number of ratings, and the RMSE is about that of SVD++ everywhere."
)
CONTRARY = (
    "The first columns are the correlation of a user's ratings with the mean ratings of the items, in the training part. The paper finds that its "
    "trees are better than SVD++ for users with a negative correlation."
)
ROBUST = (
    "how often it has the same columns at the same nodes, how often the same set of columns, and the Jaccard index of the sets. Local trees are "
    "those of scikit-learn, of depth 3. Meta trees are far more robust in the paper."
)
KINDS = (
    '"Feature specific" trees ask about more than the mean and the number of ratings. "Classic" trees ask about these alone, and what they '
    'predict rises with the mean rating over the items of the user; in "reverse" trees it falls. In the paper, most trees are feature specific. The first user of each kind:'
)


class Subject:
    """The trained trees, the ratings, and what others predict for the test part."""

    def __init__(self, ratings: Ratings, path: Path, options: Result) -> None:
        self.ratings = ratings
        self.X, self.X_test = ratings.table(ratings.train), ratings.table(ratings.test)
        self.y = ratings.train["rating"].to_numpy(dtype=float)
        self.users = ratings.train["user"].to_numpy()
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            trained = MetaTreeRegressor(random_state=SEED, **options)
            trained.fit(self.X, self.y, groups=self.users).save(path)
        self.trees = MetaTreeRegressor.load(path)
        self.exported: dict[Any, MetaTree] = {
            user: self.trees.tree_of(user) for user in self.trees.groups_
        }
        groups = ratings.test["user"].to_numpy()
        self.predicted = {
            "meta trees, soft": self.trees.predict(self.X_test, groups=groups, routing="soft"),
            "meta trees, hard": self.trees.predict(self.X_test, groups=groups),
            "a line per user": lines(ratings),
            "matrix factorisation": factorisation(ratings, 1.0),
        }

    def rows_of_users(self) -> Iterator[tuple[Any, Any]]:
        """Each user with the places of the user's rows."""
        yield from self.ratings.train.groupby("user").indices.items()


def form(tree: MetaTree) -> tuple[str, ...]:
    """The columns of a tree's nodes, in order; empty in leaves."""
    return tuple("" if n.question is None else str(n.question.column) for n in tree.nodes)


def robustness(subject: Subject) -> Result:
    """How often trees ask the same after some of a user's rows are left out (appendix D)."""
    rng = np.random.default_rng(SEED)
    values = subject.X.astype(float).fillna(0).to_numpy()
    found: Result = {}
    for share in LEFT_OUT:
        scores: dict[str, list[list[float]]] = {"meta": [], "local": []}
        for user, rows in subject.rows_of_users():
            if len(rows) < 10:
                continue
            whole_local = _local(values, subject.y, rows)
            for _ in range(DRAWS):
                kept = rng.permutation(rows)[: max(2, round((1 - share) * len(rows)))]
                tree = subject.trees.tree_for(subject.X.iloc[kept], subject.y[kept])
                scores["meta"].append(_same(form(subject.exported[user]), form(tree)))
                scores["local"].append(_same(whole_local, _local(values, subject.y, kept)))
        found[str(share)] = {name: np.mean(rows, axis=0).tolist() for name, rows in scores.items()}
    return found


def _local(values: Any, y: Any, rows: Any) -> tuple[str, ...]:
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(values[rows], y[rows]).tree_
    return tuple("" if feature < 0 else str(feature) for feature in tree.feature)


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> list[float]:
    """Whether two forms are equal, whether their sets of columns are, and the Jaccard index."""
    first, second = set(one) - {""}, set(other) - {""}
    union = len(first | second)
    return [
        float(one == other),
        float(first == second),
        len(first & second) / union if union else 1.0,
    ]


def cold_start(subject: Subject) -> Result:
    """RMSE, and the share of trees on the mean rating alone, by the number of ratings (E)."""
    counts = subject.ratings.train["user"].value_counts()
    found = _by_bins(subject, counts, SIZES)
    for at, one in enumerate(found):
        users = counts.index[(counts >= SIZES[at]) & (counts < SIZES[at + 1])]
        only = [set(subject.exported[user].columns) <= {"mean_rating"} for user in users]
        one["only the mean rating"] = float(np.mean(only)) if only else None
    return {"bins": found}


def contrarians(subject: Subject) -> Result:
    """RMSE by the correlation of a user's ratings with the mean ratings of the items (F)."""
    both = subject.ratings.train.assign(mean=subject.X["mean_rating"].to_numpy())
    correlation = both.groupby("user")[["rating", "mean"]].apply(lambda own: own.corr().iloc[0, 1])
    return {"bins": _by_bins(subject, correlation.fillna(0), CORRELATIONS)}


def _by_bins(subject: Subject, of_user: pd.Series[Any], edges: tuple[float, ...]) -> list[Result]:
    test = subject.ratings.test
    own = test["user"].map(of_user).to_numpy()
    truth = test["rating"].to_numpy()
    found = []
    for low, high in pairwise(edges):
        inside = (own >= low) & (own < high)
        one: Result = {
            "n_users": int(((of_user >= low) & (of_user < high)).sum()),
            "n_ratings": int(inside.sum()),
        }
        for name, predicted in subject.predicted.items():
            error = predicted[inside] - truth[inside]
            one[name] = float(np.sqrt((error**2).mean())) if inside.any() else None
        found.append(one)
    return found


def kinds(subject: Subject) -> Result:
    """How many trees are of the paper's three kinds, with an example of each."""
    groups: dict[str, list[Any]] = {
        "feature specific": [],
        "classic": [],
        "reverse": [],
        "one leaf": [],
    }
    rows = dict(subject.rows_of_users())
    for user, tree in subject.exported.items():
        if tree.n_leaves == 1:
            kind = "one leaf"
        elif set(tree.columns) - STATISTICS:
            kind = "feature specific"
        else:
            own = subject.X.iloc[rows[user]]
            means, values = own["mean_rating"].to_numpy(), tree.predict(own)
            falls = ((means - means.mean()) * (values - values.mean())).sum() < 0
            kind = "reverse" if falls else "classic"
        groups[kind].append(user)
    examples = {kind: str(subject.exported[users[0]]) for kind, users in groups.items() if users}
    return {"counts": {kind: len(users) for kind, users in groups.items()}, "examples": examples}


def edits(subject: Subject) -> Result:
    """What it costs to round the value of each user's most frequent leaf to a whole star."""
    changes, moved = [], []
    for user, rows in subject.rows_of_users():
        tree, X = subject.exported[user], subject.X.iloc[rows]
        leaf = int(np.bincount(tree.leaf_of(X)).argmax())
        before = tree.nodes[leaf].value[0]
        cost = tree.edit(leaf, value=round(before)).edit_cost(X, subject.y[rows])
        changes.append(cost.after - cost.before)
        moved.append(abs(round(before) - before))
    return {
        "mean": float(np.mean(changes)),
        "worst": float(np.max(changes)),
        "better": float(np.mean(np.array(changes) < 0)),
        "moved": float(np.mean(moved)),
    }


PARTS: dict[str, Callable[[Subject], Result]] = {
    "cold start": cold_start,
    "contrarians": contrarians,
    "kinds": kinds,
    "edits": edits,
    "robustness": robustness,
}


def write_page(found: dict[str, Result], folder: Path) -> None:
    """Write the page into a folder."""
    names = ["meta trees, soft", "meta trees, hard", "a line per user", "matrix factorisation"]
    seconds = ", ".join(f"{name} {one['seconds']:.0f} s" for name, one in found.items())

    def cell(value: float | None, digits: int = 3) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    def bins(part: str, edges: tuple[float, ...], extra: tuple[str, ...] = ()) -> str:
        rows = [["from", "below", "users", "test ratings", *names, *extra]]
        for at, one in enumerate(found[part]["bins"]):
            low, high = (
                "" if not np.isfinite(edge) else f"{edge:g}" for edge in edges[at : at + 2]
            )
            counts = [f"{one['n_users']:,}", f"{one['n_ratings']:,}"]
            rows.append([low, high, *counts, *(cell(one[name]) for name in (*names, *extra))])
        return table(rows)

    robust = [
        [
            "left out",
            *(
                f"{which}: {what}"
                for which in ("meta", "local")
                for what in ("same tree", "same columns", "Jaccard")
            ),
        ]
    ]
    for share, one in found["robustness"].items():
        if share != "seconds":
            robust.append(
                [
                    f"{100 * float(share):.0f} %",
                    *(cell(v) for which in ("meta", "local") for v in one[which]),
                ]
            )
    counts = found["kinds"]["counts"]
    total = sum(counts.values())
    kind_rows = [
        ["kind", "trees", "share"],
        *([k, f"{n:,}", f"{100 * n / total:.1f} %"] for k, n in counts.items()),
    ]
    examples = "\n".join(
        f"{kind}:\n\n```text\n{text}\n```\n" for kind, text in found["kinds"]["examples"].items()
    )
    edit = found["edits"]
    head = wrapped(
        "Measured by `python -m benchmarks.meta_trees.appendix` on the fold u1 of MovieLens-100K, with the default and seed "
        f"{SEED}. Time: {seconds}, without the training. The paper shows these results as plots, without figures."
    )
    edited = wrapped(
        f"The value of the leaf with most of a user's ratings, rounded to a whole star (by {edit['moved']:.2f} stars on average): the RMSE on "
        f"the user's own ratings changes by {edit['mean']:+.3f} on average and by {edit['worst']:+.3f} at most; for "
        f"{100 * edit['better']:.0f} % of the users it falls."
    )
    draws = f"Rows of a user are left out at random ({DRAWS} draw for each user and share), and the tree is grown again: "
    text = f"""# Evidence: the appendices of the meta trees paper

{head}

## Small sets of ratings (appendix E)

{bins("cold start", SIZES, ("only the mean rating",))}

{wrapped(COLD)}

## Contrarian users (appendix F)

{bins("contrarians", CORRELATIONS)}

{wrapped(CONTRARY)}

## Robustness (appendix D)

{table(robust)}

{wrapped(draws + ROBUST)}

## Kinds of trees (Figure 4)

{table(kind_rows)}

{wrapped(KINDS)}

{examples}
## What an edit costs

{edited}
"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evidence-meta-trees-appendix.md").write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meta_trees.appendix")
    parser.add_argument("--quick", action="store_true", help="made-up data: a smoke test")
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--cache", type=Path, default=Path("out") / "meta-trees")
    given = parser.parse_args(arguments)
    ratings = made_up() if given.quick else movielens()
    options: Result = {"max_iter": 4, "width": 8, "hidden": 8, "depth": 2} if given.quick else {}
    folder = given.cache / ratings.name
    missing = [name for name in PARTS if not (folder / f"appendix-{name}.json").is_file()]
    subject = Subject(ratings, folder / "appendix.npz", options) if missing else None
    found = {}
    for name, measure in PARTS.items():
        path = folder / f"appendix-{name}.json"
        if not path.is_file() and subject is not None:
            start = time.perf_counter()
            result = measure(subject)
            result["seconds"] = time.perf_counter() - start
            path.write_text(json.dumps(result, indent=1))
        found[name] = json.loads(path.read_text())
        print(name, flush=True)
    write_page(found, given.out)


if __name__ == "__main__":
    main()
