"""Ratings of items by users: MovieLens and Jester from IMD_DATA, or a made-up club for --quick."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from imd_widget import datasets

WHERE = (
    "MovieLens-100K may not be redistributed. Get ml-100k.zip from "
    "https://grouplens.org/datasets/movielens/100k/ and write two files into a folder: "
    "ml100k_ratings.csv.gz (user_id, item_id, rating, timestamp, split; split is 'base' for the "
    "rows of u1.base and 'test' for those of u1.test) and ml100k_items.csv.gz (item_id, title, "
    "year and the 19 genre flags of u.item). Then set IMD_DATA to that folder. "
    "--quick needs no data."
)
#: Ratings of the mean of all that an item's mean is drawn towards.
PRIOR = 5


@dataclass(frozen=True)
class Ratings:
    """Rows to learn from and rows to measure on; ``items`` has the columns of each item."""

    name: str
    train: pd.DataFrame
    test: pd.DataFrame
    items: pd.DataFrame

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The columns of the item of each row."""
        return self.items.loc[rows["item"]].reset_index(drop=True)

    def of_some_users(self, most: int, seed: int = 0) -> Ratings:
        """The same with the rows to measure on of at most so many users, chosen at random."""
        users = self.test["user"].unique()
        if len(users) <= most:
            return self
        chosen = np.random.default_rng(seed).choice(users, most, replace=False)
        return replace(self, test=self.test[self.test["user"].isin(chosen)].reset_index(drop=True))

    def on_a_split(self, seed: int = 0) -> Ratings:
        """A fifth of the rows to learn from becomes the rows to measure on, for choices."""
        aside = np.random.default_rng(seed).random(len(self.train)) < 0.2
        train, test = self.train[~aside], self.train[aside]
        known = test["user"].isin(train["user"])
        return with_statistics(f"{self.name}-split", train, test[known], self.items)


def with_statistics(
    name: str, train: pd.DataFrame, test: pd.DataFrame, items: pd.DataFrame
) -> Ratings:
    """Ratings whose items have their mean and number of ratings, from the training rows alone."""
    sums = train.groupby("item")["rating"].agg(["sum", "count"]).reindex(items.index).fillna(0)
    mean = (sums["sum"] + PRIOR * train["rating"].mean()) / (sums["count"] + PRIOR)
    items = items.assign(mean_rating=mean.round(4), n_ratings=sums["count"].astype(int))
    return Ratings(name, train.reset_index(drop=True), test.reset_index(drop=True), items)


def movielens() -> Ratings:
    """Fold u1 of MovieLens-100K."""
    folder = os.environ.get("IMD_DATA")
    if not folder or not (Path(folder) / "ml100k_ratings.csv.gz").is_file():
        raise SystemExit(WHERE)
    rows = pd.read_csv(Path(folder) / "ml100k_ratings.csv.gz")
    rows = rows.rename(columns={"user_id": "user", "item_id": "item"})
    items = pd.read_csv(Path(folder) / "ml100k_items.csv.gz").set_index("item_id")
    items = items.drop(columns=["title", "unknown"])
    parts = [rows[rows["split"] == split] for split in ("base", "test")]
    return with_statistics("u1", *parts, items)


def movielens_1m() -> Ratings:
    """MovieLens-1M with a random tenth to measure on; only the statistics of an item are known."""
    rows = _read("ml1m_ratings.csv.gz")
    items = pd.DataFrame(index=pd.Index(np.sort(rows["item"].unique()), name="item_id"))
    return _split("ml1m", rows, items)


def jester() -> Ratings:
    """The sample Jester5k with a random tenth to measure on."""
    items = pd.read_csv(_file("jester5k_items.csv.gz")).set_index("item_id")
    return _split("jester5k", _read("jester5k_ratings.csv.gz"), items)


def _split(name: str, rows: pd.DataFrame, items: pd.DataFrame) -> Ratings:
    parts = [rows[rows["split"] == split] for split in ("base", "test")]
    return with_statistics(name, *parts, items)


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(_file(name)).rename(columns={"user_id": "user", "item_id": "item"})


def _file(name: str) -> Path:
    path = Path(os.environ.get("IMD_DATA", "")) / name
    if not path.is_file():
        raise FileNotFoundError(path)
    return path


#: The datasets of the paper's Table 1 beside MovieLens-100K.
OTHERS = {"ml1m": movielens_1m, "jester5k": jester}


def made_up() -> Ratings:
    """A small film club, for the smoke test."""
    club = datasets.film_club(n_members=20, n_ratings=20, n_films=60)
    rows = club.ratings.rename(columns={"member": "user", "title": "item"})
    items = club.films.set_index("title").drop(columns="genre")
    aside = np.random.default_rng(0).random(len(rows)) < 0.3
    columns = ["user", "item", "rating"]
    return with_statistics("club", rows.loc[~aside, columns], rows.loc[aside, columns], items)
