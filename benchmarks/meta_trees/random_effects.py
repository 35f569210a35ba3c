"""A linear model for every user, drawn towards the mean of all users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.meta_trees.ratings import Ratings

Floats = NDArray[np.float64]
PASSES = 15


def lines(ratings: Ratings, _: float = 0) -> Floats:
    """A line for each user on the mean rating of the item."""
    parts = [
        _standardised(ratings, ["mean_rating"], rows) for rows in (ratings.train, ratings.test)
    ]
    return _fitted(ratings, *parts)


def linear_models(ratings: Ratings, _: float = 0) -> Floats:
    """A linear model for each user on all columns, with the squares of the two statistics."""
    columns = list(ratings.items.columns)
    squares = [("mean_rating", "mean_rating"), ("mean_rating", "n_ratings"), ("n_ratings",) * 2]
    parts = []
    for rows in (ratings.train, ratings.test):
        X = _standardised(ratings, columns, rows)
        at = {name: 1 + place for place, name in enumerate(columns)}
        products = [X[:, at[one]] * X[:, at[two]] for one, two in squares]
        parts.append(np.column_stack([X, *products]))
    return _fitted(ratings, *parts)


def _standardised(ratings: Ratings, columns: list[str], rows: pd.DataFrame) -> Floats:
    """A column of ones, and the columns of the items of the rows; counts by their logarithm."""
    values = ratings.items[columns].astype(float)
    if "n_ratings" in values:
        values["n_ratings"] = np.log1p(values["n_ratings"])
    seen = values.loc[ratings.train["item"]]
    values = ((values - seen.mean()) / seen.std().replace(0, 1)).fillna(0)
    return np.column_stack([np.ones(len(rows)), values.loc[rows["item"]].to_numpy()])


def _fitted(ratings: Ratings, X: Floats, X_test: Floats) -> Floats:
    """Predictions of the coefficients of each user, given the normal distribution of all users'.

    The mean, the covariance and the noise are those of the largest likelihood (EM).
    """
    y = ratings.train["rating"].to_numpy(dtype=float)
    place, users = pd.factorize(ratings.train["user"])
    n_users, n_columns = len(users), X.shape[1]
    gram = np.empty((n_users, n_columns, n_columns))
    cross = np.empty((n_users, n_columns))
    for i in range(n_columns):
        cross[:, i] = np.bincount(place, X[:, i] * y, n_users)
        for j in range(i + 1):
            gram[:, i, j] = gram[:, j, i] = np.bincount(place, X[:, i] * X[:, j], n_users)
    squares = np.bincount(place, y * y, n_users)
    mean: Any = np.linalg.lstsq(X, y, rcond=None)[0]
    covariance, noise = 0.2 * y.var() * np.eye(n_columns), 0.7 * y.var()
    for _ in range(PASSES):
        precision = np.linalg.inv(covariance + 1e-9 * np.eye(n_columns))
        spread = np.linalg.inv(gram / noise + precision)
        own = np.einsum("uij,uj->ui", spread, cross / noise + precision @ mean)
        mean = own.mean(axis=0)
        apart = own - mean
        covariance = (apart.T @ apart + spread.sum(axis=0)) / n_users
        missed = squares - 2 * (own * cross).sum(axis=1)
        missed += np.einsum("ui,uij,uj->u", own, gram, own)
        missed += np.einsum("uij,uji->u", spread, gram)
        noise = float(missed.sum() / len(y))
    at = users.get_indexer(ratings.test["user"])
    return np.clip((own[at] * X_test).sum(axis=1), y.min(), y.max())
