"""Small data, models and slow twins for the tests of meta trees."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from imd_widget import datasets
from imd_widget.learners import MetaTreeClassifier, MetaTreeRegressor

#: Small networks that compile and train in a few seconds.
SMALL: dict[str, Any] = {"depth": 2, "width": 16, "hidden": 16, "max_iter": 6, "batch_size": 8}


@cache
def club() -> datasets.FilmClub:
    return datasets.film_club(n_members=10, n_ratings=12, n_films=60)


def odd_table(n_groups: int = 8, n_each: int = 10) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Every kind of column, with missing values; the target depends on group and columns."""
    rng = np.random.default_rng(0)
    n = n_groups * n_each
    size = pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True)
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(2)),
            "count": rng.geometric(0.05, n),
            "flag": rng.random(n) < 0.5,
            "colour": pd.Series(rng.choice(["red", "green", "blue"], n)).mask(rng.random(n) < 0.1),
            "size": size,
            "constant": 3,
        }
    )
    groups = np.repeat([f"g{k}" for k in range(n_groups)], n_each)
    y = np.where(np.repeat(np.arange(n_groups) % 2, n_each) == 1, X["flag"], ~X["flag"])
    return X, y + 0.1 * rng.normal(size=n), groups


@cache
def fitted_club(routing_depth: int = 2) -> MetaTreeRegressor:
    found = club()
    model = MetaTreeRegressor(**{**SMALL, "depth": routing_depth})
    return model.fit(
        found.ratings[found.film_columns], found.ratings["rating"], groups=found.ratings["member"]
    )


@cache
def fitted_odd() -> MetaTreeRegressor:
    X, y, groups = odd_table()
    return MetaTreeRegressor(**{**SMALL, "depth": 3}).fit(X, y, groups=groups)


@cache
def fitted_classes() -> MetaTreeClassifier:
    X, y, groups = odd_table()
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [0.3, 0.9])]
    return MetaTreeClassifier(**SMALL, dynamic=True).fit(X, labels, groups=groups)


def walked(plain: dict[str, Any], row: dict[str, Any]) -> list[float]:
    """The value of the leaf of one row, read off `to_dict` with Python's comparisons alone."""
    node = plain["nodes"][0]
    while "question" in node:
        question = node["question"]
        value = row[question["column"]]
        missing = value is None or value != value
        if question["kind"] == "missing" or missing:
            yes = question["missing"] if missing else False
        elif question["kind"] == "number":
            yes = value >= question["threshold"]
        elif question["kind"] == "order":
            order = question["order"]
            yes = order.index(value) >= order.index(question["threshold"])
        else:
            yes = value == question["threshold"]
        node = plain["nodes"][node["yes" if yes else "no"]]
    return node["value"]
