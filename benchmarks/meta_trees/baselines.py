"""What meta trees are compared with: simple means, trees of scikit-learn, matrix factorisation."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from benchmarks.meta_trees.random_effects import linear_models, lines
from benchmarks.meta_trees.ratings import Ratings

Predicted = np.ndarray[Any, np.dtype[np.float64]]


#: Trees of nearest users are measured on so many users of a large dataset, chosen at random.
SOME_USERS = 500


def measure_baseline(name: str, ratings: Ratings) -> dict[str, float]:
    """RMSE and MAE; depths and penalties are chosen on a split of the training part."""
    predict, choices = BASELINES[name]
    start, split = time.perf_counter(), ratings.on_a_split()
    if name == "knn trees":
        ratings, split = (one.of_some_users(SOME_USERS) for one in (ratings, split))
    best = choices[0]
    if len(choices) > 1:
        best = min(choices, key=lambda choice: _scores(predict(split, choice), split)["rmse"])
    scores = _scores(predict(ratings, best), ratings)
    return {**scores, "choice": best, "seconds": time.perf_counter() - start}


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
    mine, asked = (_rows_by_user(rows) for rows in (ratings.train, ratings.test))
    predicted = np.full(len(X_test), y.mean())
    for user, rows in asked.items():
        if user in mine:
            tree = DecisionTreeRegressor(max_depth=int(depth), random_state=0)
            predicted[rows] = tree.fit(X[mine[user]], y[mine[user]]).predict(X_test[rows])
    return predicted


def _rows_by_user(rows: pd.DataFrame) -> dict[Any, np.ndarray[Any, np.dtype[np.intp]]]:
    return dict(rows.groupby("user").indices)


def boosted_trees(ratings: Ratings, n_leaves: float) -> Predicted:
    """Boosted trees for all users, on the columns of the item."""
    X, X_test, y = _tables(ratings)
    return _boosted(n_leaves).fit(X, y).predict(X_test)


def boosted_trees_of_users(ratings: Ratings, n_leaves: float) -> Predicted:
    """The same with the mean, the spread and the number of the user's ratings as columns."""
    X, X_test, y = _tables(ratings)
    found = ratings.train.groupby("user")["rating"].agg(["mean", "std", "count"]).fillna(0)
    own = [found.reindex(rows["user"]).to_numpy() for rows in (ratings.train, ratings.test)]
    both = [np.column_stack(pair) for pair in zip((X, X_test), own, strict=True)]
    return _boosted(n_leaves).fit(both[0], y).predict(both[1])


def _boosted(n_leaves: float) -> HistGradientBoostingRegressor:
    return HistGradientBoostingRegressor(max_leaf_nodes=int(n_leaves), random_state=0)


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


class Factors(NamedTuple):
    """Users and items as vectors, whose last place is a bias."""

    mean: float
    of_user: pd.DataFrame
    of_item: pd.DataFrame


def factors(ratings: Ratings, penalty: float, rank: int = 8, passes: int = 12) -> Factors:
    """Biased matrix factorisation by alternating ridge regressions."""
    train = ratings.train
    users = {user: at for at, user in enumerate(train["user"].unique())}
    items = {item: at for at, item in enumerate(ratings.items.index)}
    u, i = train["user"].map(users).to_numpy(), train["item"].map(items).to_numpy()
    y = train["rating"].to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    # the last column is the bias: 1 on the other side
    P = np.column_stack([rng.normal(0, 0.1, (len(users), rank)), np.zeros(len(users))])
    Q = np.column_stack([rng.normal(0, 0.1, (len(items), rank)), np.zeros(len(items))])
    overall = float(y.mean())
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
    return Factors(overall, pd.DataFrame(P, index=list(users)), pd.DataFrame(Q, index=list(items)))


def factorisation(ratings: Ratings, penalty: float) -> Predicted:
    """What the vectors of a user and an item predict together."""
    found = factors(ratings, penalty)
    P = found.of_user.loc[ratings.test["user"]].to_numpy()
    Q = found.of_item.loc[ratings.test["item"]].to_numpy()
    predicted = found.mean + P[:, -1] + Q[:, -1] + (P[:, :-1] * Q[:, :-1]).sum(axis=1)
    y = ratings.train["rating"]
    return np.clip(predicted, y.min(), y.max())


def svd(ratings: Ratings, _: float) -> Predicted:
    """SVD of scikit-surprise with its defaults."""
    from surprise import SVD

    return _surprised(SVD(random_state=0), ratings)


def svd_pp(ratings: Ratings, _: float) -> Predicted:
    """SVD++ of scikit-surprise with its defaults."""
    from surprise import SVDpp

    return _surprised(SVDpp(random_state=0), ratings)


def _surprised(model: Any, ratings: Ratings) -> Predicted:
    """What a model of scikit-surprise predicts, clipped to the range of the ratings."""
    from surprise import Dataset, Reader

    train, test = ratings.train, ratings.test
    reader = Reader(rating_scale=(train["rating"].min(), train["rating"].max()))
    data = Dataset.load_from_df(train[["user", "item", "rating"]], reader)
    model.fit(data.build_full_trainset())
    pairs = zip(test["user"], test["item"], strict=True)
    return np.array([model.predict(user, item).est for user, item in pairs])


def knn_trees(ratings: Ratings, k: float) -> Predicted:
    """A tree for each user from the rows of the k nearest users, who are at the smallest angle.

    The paper takes the vectors of SVD++; these are the ones of `factors`.
    """
    X, X_test, y = _tables(ratings)
    vectors = factors(ratings, 2.0).of_user.iloc[:, :-1]
    directions = vectors.to_numpy() / np.linalg.norm(vectors.to_numpy(), axis=1, keepdims=True)
    mine, asked = (_rows_by_user(rows) for rows in (ratings.train, ratings.test))
    predicted = np.full(len(X_test), y.mean())
    for user, rows in asked.items():
        angle = directions @ directions[vectors.index.get_loc(user)]
        near = vectors.index[np.argsort(-angle, kind="stable")[: int(k)]]
        pooled = np.concatenate([mine[one] for one in near])
        tree = DecisionTreeRegressor(max_depth=3, random_state=0)
        predicted[rows] = tree.fit(X[pooled], y[pooled]).predict(X_test[rows])
    return predicted


Baseline = Callable[[Ratings, float], Predicted]
BASELINES: dict[str, tuple[Baseline, tuple[float, ...]]] = {
    "global tree": (global_tree, (2, 3, 4, 5, 6)),
    "local trees": (local_trees, (1, 2, 3)),
    "knn trees": (knn_trees, (1, 5, 20, 50, 100)),
    "boosted trees": (boosted_trees, (4, 16, 31)),
    "boosted trees, users": (boosted_trees_of_users, (4, 16, 31)),
    "means": (means, (0,)),
    "line": (lines, (0,)),
    "linear models": (linear_models, (0,)),
    "matrix factorisation": (factorisation, (1.0, 2.0, 4.0)),
}
#: Those of scikit-surprise, which is measured where it is installed.
SURPRISE: dict[str, tuple[Baseline, tuple[float, ...]]] = {
    "svd": (svd, (0,)),
    "svd++": (svd_pp, (0,)),
}
if find_spec("surprise") is not None:
    BASELINES |= SURPRISE
