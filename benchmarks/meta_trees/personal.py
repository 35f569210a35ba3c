"""Trees with columns of their own for each user: what a line per user leaves is grown into a tree.

Meta trees of ratings split almost only on the mean rating of an item, since it explains most. Here
a line per user on that mean explains it first, and the trees of its residuals have the genres and
the year alone.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.meta_trees.random_effects import lines
from benchmarks.meta_trees.ratings import Ratings
from benchmarks.meta_trees.runs import controls, examples_of, questions, scores
from imd_widget.data.table import open_table
from imd_widget.learners import MetaTreeRegressor
from imd_widget.learners.meta_trees.estimators import _rows

#: Columns that the line explains.
STATISTICS = ["mean_rating", "n_ratings"]
#: What was compared on a split of the training part; the last was chosen.
CHOICES: dict[str, dict[str, Any]] = {
    "the defaults": {},
    "`hard_share=1`": {"hard_share": 1.0},
    "`max_repeats=1`": {"max_repeats": 1},
    "`max_repeats=1, hard_share=1`": {"max_repeats": 1, "hard_share": 1.0},
}
CHOSEN = [*CHOICES.values()][-1]


def measure_personal(ratings: Ratings, seed: int, **options: Any) -> dict[str, Any]:
    """RMSE and MAE of a line and a tree for each user, their columns, and controls."""
    train, test = ratings.train, ratings.test
    own = replace(ratings, items=ratings.items.drop(columns=STATISTICS))
    before, offset = (lines(replace(ratings, test=rows), 0) for rows in (train, test))
    rest, rest_test = train["rating"].to_numpy() - before, test["rating"].to_numpy() - offset
    X, users = own.table(train), train["user"].to_numpy()
    start = time.perf_counter()
    trees = MetaTreeRegressor(random_state=seed, **options).fit(X, rest, groups=users)
    found: dict[str, Any] = {"fit_s": time.perf_counter() - start}
    rows = _rows(open_table(own.table(test)), trees.features_)
    place = {user: number for number, user in enumerate(trees.groups_)}
    at = np.array([place[user] for user in test["user"]])
    examples = examples_of(trees, X, rest, users)
    found |= scores(trees.forest_, at, rows, rest_test)
    found |= controls(trees, examples, at, rows, rest_test, seed)
    found["line_rmse"] = float(np.sqrt((rest_test**2).mean()))
    return found | {"questions": questions(trees)}
