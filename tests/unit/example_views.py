"""Diffs whose views the front-end's tests draw: tests/golden/views has one file of each.

What the models say is a rule of thumb with some noise, so that no library's fitting changes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import imd_widget as imd

EXAMPLES: dict[str, Callable[[], imd.ModelDiff]] = {}


def example(make: Callable[[], imd.ModelDiff]) -> Callable[[], imd.ModelDiff]:
    EXAMPLES[make.__name__] = make
    return make


def flipped(rng: np.random.Generator, said: Any, how_often: Any) -> np.ndarray[Any, Any]:
    """Yes and no, with some of them the other way round."""
    return np.asarray(np.asarray(said) ^ (rng.random(len(said)) < how_often))


def small_table(n: int = 400) -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"age": rng.choice([24, 30, 36, 60], n), "hours per week": np.full(n, 40)})
    old = (X["age"] > 42).to_numpy()
    first = np.where(old & (rng.random(n) < 0.9), "yes", "no")
    return X, first, np.where(old & (rng.random(n) < 0.06), "yes", "no")


@example
def small() -> imd.ModelDiff:
    """One question, one or-node that differs, one that agrees."""
    X, first, second = small_table()
    return imd.diff(first, second, X, names=("old", "new"))


@example
def weighted() -> imd.ModelDiff:
    """The same with weights that are not whole numbers: shares are not those of the rows."""
    X, first, second = small_table()
    weight = np.where(first == second, 3.25, 0.5) * np.random.default_rng(1).uniform(0.5, 1.5, 400)
    return imd.diff(first, second, X, names=("old", "new"), sample_weight=weight)


def cancer_table() -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(5)
    n = 1200
    X = pd.DataFrame(
        {
            "worst perimeter": rng.uniform(50, 250, n).round(1),
            "worst concave points": rng.uniform(0, 0.3, n).round(3),
            "worst texture": rng.uniform(12, 50, n).round(1),
            "mean concavity": rng.uniform(0, 0.43, n).round(3),
            "worst smoothness": rng.uniform(0.07, 0.22, n).round(3),
        }
    )
    wide = (X["worst perimeter"] > 170).to_numpy()
    spiky = (X["worst concave points"] > 0.16).to_numpy()
    rough = (X["worst texture"] > 28).to_numpy()
    hollow = (X["mean concavity"] > 0.1).to_numpy()
    smooth = (X["worst smoothness"] > 0.16).to_numpy()
    first = np.where(wide, hollow | rough, spiky & rough & ~smooth)
    second = np.where(wide, True, spiky & hollow)
    return X, flipped(rng, first, 0.03), flipped(rng, second, 0.02)


CANCER = {True: "malignant", False: "benign"}
BRANCHES: Any = {"method": "imd", "max_depth": 4, "alpha": 0.8, "class_names": CANCER}


@example
def cancer() -> imd.ModelDiff:
    """Two classes, shared splits, branches of either model, rules in both directions."""
    X, first, second = cancer_table()
    return imd.diff(first, second, X, names=("LR", "RF"), **BRANCHES)


@example
def judged() -> imd.ModelDiff:
    """The same with ground truth, which is not known for every tenth row or so."""
    X, first, second = cancer_table()
    y = (X["worst texture"] > 31).astype(object).where(X.index % 10 > 0)
    return imd.diff(first, second, X, names=("LR", "RF"), y=y, **BRANCHES)


@example
def regions() -> imd.ModelDiff:
    """Rules that hold subtrees as a whole, as the default method makes them; categories."""
    rng = np.random.default_rng(7)
    n = 1200
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "hours per week": rng.integers(10, 60, n),
            "town": rng.choice(["Bonn", "Oslo", "Rome"], n),
        }
    )
    old, rome = X["age"] >= 42, X["town"] == "Rome"
    first = np.where(old, rng.choice(["yes", "perhaps"], n, p=[0.8, 0.2]), "no")
    second = np.where(old & rome, rng.choice(["yes", "no"], n), "no")
    second = np.where(~old & rome & (rng.random(n) < 0.6), "yes", second)
    return imd.diff(first, second, X, names=("old", "new"), max_depth=4, sensitivity=0.95)


@example
def three_classes() -> imd.ModelDiff:
    rng = np.random.default_rng(3)
    n = 900
    names = ["petal length", "petal width", "sepal width"]
    X = pd.DataFrame({name: rng.uniform(0, 5, n).round(1) for name in names})
    short, thin = X["petal length"] < 1.8, X["petal width"] < 3
    first = np.select(
        [short, thin & (X["sepal width"] < 2.5)], ["setosa", "versicolor"], "virginica"
    )
    second = np.select([short, thin], ["setosa", "versicolor"], "virginica")
    odd = rng.random(n) < 0.05
    second = np.where(odd & ~short, "versicolor", second)
    return imd.diff(first, second, X, names=("boosting", "naive Bayes"), method="imd", max_depth=4)


@example
def values() -> imd.ModelDiff:
    """Two regressions of house prices: higher here, lower there."""
    rng = np.random.default_rng(2)
    n = 1600
    X = pd.DataFrame(
        {
            "living area": rng.integers(40, 260, n),
            "distance to centre": rng.uniform(0, 30, n).round(1),
            "year built": rng.integers(1890, 2020, n),
            "rooms": rng.integers(1, 10, n),
        }
    )
    large, near = X["living area"] > 160, X["distance to centre"] < 9
    old, few = X["year built"] < 1980, X["rooms"] < 5
    first = np.select([large & near, large, near], [420_000, 330_000, 240_000], 170_000)
    second = np.select([large & old, large, near & few], [375_000, 330_000, 190_000], first)
    noise = rng.normal(0, 5_000, (2, n)) * large.to_numpy()
    options: dict[str, Any] = {"method": "imd", "max_depth": 3, "alpha": 0.8, "tolerance": 20_000}
    return imd.diff(first + noise[0], second + noise[1], X, names=("linear", "boosting"), **options)


@example
def probabilities() -> imd.ModelDiff:
    rng = np.random.default_rng(4)
    n = 900
    columns = ["worst perimeter", "mean concavity", "worst texture"]
    X = pd.DataFrame({name: rng.uniform(0, 100, n).round(1) for name in columns})
    wide, hollow = X["worst perimeter"] > 50, X["mean concavity"] > 40
    first = np.select([wide & hollow, wide], [0.99, 0.93], 0.03)
    second = np.select([wide & hollow, wide], [0.97, 0.66], 0.03)
    second = np.where(~wide & (X["worst texture"] > 60), 0.4, second)
    second = np.clip(second + rng.normal(0, 0.05, n) * (wide & ~hollow), 0, 1)
    return imd.diff(first, second, X, names=("LR", "RF"), outputs="proba", max_depth=2)


@example
def many_classes() -> imd.ModelDiff:
    """As many classes as there are products in a shop: most of them without a colour."""
    rng = np.random.default_rng(6)
    n = 3000
    X = pd.DataFrame({name: rng.uniform(0, 100, n).round(0) for name in ("width", "height")})
    shelf = (X["width"] // 26 * 4 + X["height"] // 26).astype(int).to_numpy()
    often = rng.random(n) < 0.9
    first = np.where(often, shelf * 19, rng.integers(0, 300, n))
    second = shelf * 19 + 1
    labels = np.array([f"product {i:03}" for i in range(300)], dtype=object)
    return imd.diff(
        labels[first], labels[second], X, names=("old", "new"), method="imd", max_depth=4
    )


@example
def mixed_outcomes() -> imd.ModelDiff:
    """Rules with several outcome pairs, of which none has half of the differing rows."""
    rng = np.random.default_rng(11)
    n = 2000
    X = pd.DataFrame({"stroke": rng.integers(0, 100, n), "height": rng.integers(0, 100, n)})
    letters = np.array(list("ABCDEFGH"), dtype=object)
    first = rng.choice(2, n, p=[0.8, 0.2])
    tall, thick = X["height"] >= 60, X["stroke"] >= 70
    second = np.where(thick & ~tall, 1 - first, first)
    turn = np.where(rng.random(n) < 0.5, 2, 3)
    first, second = (
        np.where(tall, turn, first),
        np.where(tall, np.where(thick, 5 - turn, turn), second),
    )
    many = (X["stroke"] < 25) & ~tall
    first = np.where(many, rng.integers(0, 8, n), first)
    second = np.where(many, rng.integers(0, 8, n), second)
    return imd.diff(letters[first], letters[second], X, names=("forest", "tree"))


@example
def mostly_different() -> imd.ModelDiff:
    """Models that differ on most rows: rules of agreement, by town, against the truth."""
    rng = np.random.default_rng(9)
    n = 1600
    X = pd.DataFrame(
        {"age": rng.integers(18, 90, n), "town": rng.choice(["Bonn", "Oslo", "Rome"], n)}
    )
    truth = np.where(rng.random(n) < 0.5, "yes", "no")
    agree = ((X["age"] < 40) & (X["town"] != "Rome")).to_numpy() ^ (rng.random(n) < 0.08)
    said = np.where(agree, truth, np.where(truth == "yes", "no", "yes"))
    return imd.diff(said, truth, X, names=("model", "truth"), by="town", max_depth=4)


@example
def no_difference() -> imd.ModelDiff:
    x = np.arange(300) / 300
    return imd.diff(x < 0.5, x < 0.5, pd.DataFrame({"x": x}), names=("LR", "LR again"))


@example
def always() -> imd.ModelDiff:
    """The root is an or-node: one rule that always holds."""
    X = pd.DataFrame({"x": np.arange(200)})
    return imd.diff(["yes"] * 200, ["no"] * 200, X, names=("yes-man", "nay-sayer"))


@example
def hostile() -> imd.ModelDiff:
    """Names as someone who means harm, or knows nothing of HTML, would choose them."""
    rng = np.random.default_rng(8)
    n = 400
    long = 'a very long name of a column that never seems to end, truly &amp; "quoted"'
    X = pd.DataFrame(
        {"__proto__": rng.uniform(size=n).round(2), long: rng.uniform(size=n).round(2)}
    )
    labels = np.array(["<img src=x onerror=alert(2)>", "constructor", "__proto__"], dtype=object)
    left, low = (X["__proto__"] < 0.5).to_numpy(), (X[long] < 0.5).to_numpy()
    first = labels[np.select([left, low], [0, 2], 1)]
    second = labels[np.ones(n, dtype=int)]
    names = ("<script>alert(1)</script>", "__proto__")
    return imd.diff(first, second, X, names=names, method="imd", max_depth=3)
