"""The models that the paper compares: fitted once, what they say kept on disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import Dataset, load
from benchmarks.paper.published import TABLE_1

#: The paper names the families; which two settings some have is not in it, so these are ours.
MODELS: dict[str, Callable[[], Any]] = {
    "DT1": lambda: DecisionTreeClassifier(random_state=0),
    "DT2": lambda: DecisionTreeClassifier(max_depth=8, random_state=0),
    "RF1": lambda: RandomForestClassifier(random_state=0),
    "RF2": lambda: RandomForestClassifier(max_depth=6, random_state=0),
    "KN1": lambda: KNeighborsClassifier(),
    "KN2": lambda: KNeighborsClassifier(15),
    "LR": lambda: LogisticRegression(random_state=0),
    "GB": lambda: GradientBoostingClassifier(random_state=0),
    "MLP1": lambda: MLPClassifier(random_state=0),
    "MLP2": lambda: MLPClassifier((50, 50), random_state=0),
    "GNB": lambda: GaussianNB(),
}
#: Share of the rows on which a pair must differ: with less, a split has a handful to measure on.
LEAST_DIFFERENCE = 0.01


@dataclass(frozen=True)
class ModelOutput:
    """What a model says of every row of a dataset, and how often it is right on its test rows."""

    outputs: np.ndarray
    accuracy: float


@dataclass(frozen=True)
class Pair:
    """Two models on one dataset, and why they are compared."""

    dataset: str
    models: tuple[str, str]
    #: "max" and "min": of the difference in test accuracy; "table": the paper names them.
    why: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name for files and tables."""
        return f"{self.dataset}-{self.models[0]}-{self.models[1]}"


def features(data: Dataset) -> pd.DataFrame:
    """The table as the paper prepares it: categories one by one, numbers as they are."""
    text = [name for name in data.X if data.X[name].dtype.kind not in "iuf"]
    return pd.get_dummies(data.X, columns=text, prefix_sep="=", dtype=np.uint8)


def fit(dataset: str, model: str, cache: Path) -> ModelOutput:
    """A model fitted on 70 % of a dataset; from disk the second time."""
    file = cache / "models" / f"{dataset}-{model}.npz"
    if not file.is_file():
        data = load(dataset)
        X = features(data)
        rows, rest = train_test_split(np.arange(len(X)), test_size=0.3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "did not converge": defaults are what is asked for
            fitted = MODELS[model]().fit(X.iloc[rows], data.y[rows])
        outputs = np.asarray(fitted.predict(X), dtype=str)
        accuracy = float((outputs[rest] == data.y[rest].astype(str)).mean())
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = file.with_suffix(".part.npz")
        np.savez_compressed(kept, outputs=outputs, accuracy=accuracy)
        kept.rename(file)
    with np.load(file) as kept_file:
        return ModelOutput(kept_file["outputs"], float(kept_file["accuracy"]))


def choose_pairs(dataset: str, models: tuple[str, ...], cache: Path) -> list[Pair]:
    """The pairs of largest and smallest difference in test accuracy, and those of Table 1."""
    said = {name: fit(dataset, name, cache) for name in models}

    def gap(pair: tuple[str, str]) -> float:
        return abs(said[pair[0]].accuracy - said[pair[1]].accuracy)

    differing = [
        pair
        for pair in combinations(models, 2)
        if (said[pair[0]].outputs != said[pair[1]].outputs).mean() >= LEAST_DIFFERENCE
    ]
    why: dict[tuple[str, str], list[str]] = {}
    why.setdefault(max(differing, key=gap), []).append("max")
    why.setdefault(min(differing, key=gap), []).append("min")
    for line in TABLE_1.get(dataset, ()):
        if set(line.models) <= set(models):
            same = line.models if line.models in why else line.models[::-1]
            why.setdefault(same if same in why else line.models, []).append("table")
    return [Pair(dataset, pair, tuple(reasons)) for pair, reasons in why.items()]


def accuracies(pairs: Iterable[Pair], cache: Path) -> pd.Series:
    """Test accuracies of the models of some pairs, by dataset and model."""
    models = dict.fromkeys((pair.dataset, model) for pair in pairs for model in pair.models)
    return pd.Series(
        [fit(dataset, model, cache).accuracy for dataset, model in models],
        index=pd.MultiIndex.from_tuples(models, names=["dataset", "model"]),
        name="accuracy",
    )
