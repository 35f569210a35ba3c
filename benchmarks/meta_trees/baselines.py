"""What meta trees are compared with: simple means, trees of scikit-learn, matrix factorisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from benchmarks.meta_trees.ratings import Ratings

Predicted = np.ndarray[Any, np.dtype[np.float64]]


def all_baselines(ratings: Ratings) -> dict[str, dict[str, float]]:
    """RMSE and MAE of each; depths and penalties are chosen on a split of the training part."""
    split = ratings.on_a_split()
    found = {}
    for name, (predict, choices) in BASELINES.items():
        best = min(choices, key=lambda choice: _scores(predict(split, choice), split)["rmse"])
        found[name] = {**_scores(predict(ratings, best), ratings), "choice": best}
    return found


def _scores(predicted: Predicted, ratings: Ratings) -> dict[str, float]:
    error = predicted - ratings.test["rating"].to_numpy()
    return {"rmse": float(np.sqrt((error**2).mean())), "mae": float(np.abs(error).mean())}


def _tables(ratings: Ratings) -> tuple[Any, Any, Any]:
    tables = [ratings.table(rows).astype(float).fillna(0) for rows in (ratings.train, ratings.test)]
    return tables[0].to_numpy(), tables[1].to_numpy(), ratings.train["rating"].to_numpy()


def global_tree(ratings: Ratings, depth: float) -> Predicted:
    """One tree for all users."""
    X, X_test, y = _tables(ratings)
    return DecisionTreeRegressor(max_depth=int(depth), random_state=0).fit(X, y).predict(X_test)


def local_trees(ratings: Ratings, depth: float) -> Predicted:
    """A tree for each user, from the user's rows alone."""
    X, X_test, y = _tables(ratings)
    users, of_test = ratings.train["user"].to_numpy(), ratings.test["user"].to_numpy()
    predicted = np.full(len(X_test), y.mean())
    for user in np.unique(of_test):
        mine, asked = users == user, of_test == user
        if mine.any():
            tree = DecisionTreeRegressor(max_depth=int(depth), random_state=0).fit(X[mine], y[mine])
            predicted[asked] = tree.predict(X_test[asked])
    return predicted


def means(ratings: Ratings, _: float) -> Predicted:
    """User mean + item mean - mean."""
    train, test = ratings.train, ratings.test
    overall = train["rating"].mean()
    of_user = train.groupby("user")["rating"].mean()
    of_item = train.groupby("item")["rating"].mean()
    predicted = (
        test["user"].map(of_user).fillna(overall)
        + test["item"].map(of_item).fillna(overall)
        - overall
    )
    return np.clip(predicted.to_numpy(), train["rating"].min(), train["rating"].max())


def factorisation(ratings: Ratings, penalty: float, rank: int = 8, passes: int = 12) -> Predicted:
    """Biased matrix factorisation by alternating ridge regressions."""
    train, test = ratings.train, ratings.test
    users = {user: at for at, user in enumerate(train["user"].unique())}
    items = {item: at for at, item in enumerate(ratings.items.index)}
    u, i = train["user"].map(users).to_numpy(), train["item"].map(items).to_numpy()
    y = train["rating"].to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    # the last two columns are the biases: 1 on the other side
    P = np.column_stack([rng.normal(0, 0.1, (len(users), rank)), np.zeros(len(users))])
    Q = np.column_stack([rng.normal(0, 0.1, (len(items), rank)), np.zeros(len(items))])
    overall = y.mean()
    for _ in range(passes):
        for own, other, mine, theirs in ((P, Q, u, i), (Q, P, i, u)):
            order = np.argsort(mine, kind="stable")
            starts = np.searchsorted(mine[order], np.arange(len(own) + 1))
            for at in range(len(own)):
                rows = order[starts[at] : starts[at + 1]]
                if not len(rows):
                    own[at] = 0
                    continue
                seen = np.column_stack([other[theirs[rows], :-1], np.ones(len(rows))])
                left = y[rows] - overall - other[theirs[rows], -1]
                damping = penalty * np.r_[np.full(rank, len(rows) ** 0.5 * 2), 1.0]
                own[at] = np.linalg.solve(seen.T @ seen + np.diag(damping), seen.T @ left)
    tu = test["user"].map(users).to_numpy()
    ti = test["item"].map(items).to_numpy()
    predicted = overall + P[tu, -1] + Q[ti, -1] + (P[tu, :-1] * Q[ti, :-1]).sum(axis=1)
    return np.clip(predicted, y.min(), y.max())


Baseline = Callable[[Ratings, float], Predicted]
BASELINES: dict[str, tuple[Baseline, tuple[float, ...]]] = {
    "global tree": (global_tree, (2, 3, 4, 5, 6)),
    "local trees": (local_trees, (1, 2, 3)),
    "means": (means, (0,)),
    "matrix factorisation": (factorisation, (1.0, 2.0, 4.0)),
}
