"""How well each method finds the differences, and in how many rules.

Run it with ``python -m benchmarks.quality`` or ``make quality``.

Twenty model pairs on ten of the paper's datasets: the pairs that its Table 1 names, elsewhere
logistic regression against random forest and gradient boosting against naive Bayes. Models are
fitted on 70 % of a dataset; diffs are fitted on another 70 % and measured on the rest, on several
splits. Data come from the folder IMD_DATA or from OpenML; outputs of the models are kept in
``out/cache``. The table is printed and written to ``out/quality.md``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from benchmarks.data import Dataset, load
from benchmarks.markdown import table
from imd_widget.comparison.confusion import Confusion
from imd_widget.data.table import open_table

CACHE = Path("out") / "cache"
REPORT = Path("out") / "quality.md"

MODELS: dict[str, Callable[[], Any]] = {
    "LR": lambda: LogisticRegression(max_iter=1000),
    "RF1": lambda: RandomForestClassifier(random_state=0),
    "RF2": lambda: RandomForestClassifier(max_depth=6, random_state=0),
    "GB": lambda: GradientBoostingClassifier(random_state=0),
    "GNB": GaussianNB,
    "KN1": lambda: KNeighborsClassifier(5),
    "KN2": lambda: KNeighborsClassifier(3),
    "DT1": lambda: DecisionTreeClassifier(random_state=0),
    "DT2": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "MLP1": lambda: MLPClassifier(random_state=0),
    "MLP2": lambda: MLPClassifier((50, 50), random_state=0),
}
DEFAULT = (("LR", "RF1"), ("GB", "GNB"))
PAIRS = {
    "bc": DEFAULT,
    "banknote": DEFAULT,
    "diabetes": DEFAULT,
    "tictactoe": (("LR", "GNB"), ("DT2", "KN2")),
    "redwine": (("RF1", "KN2"), ("KN1", "GNB")),
    "heloc": (("KN1", "RF2"), ("GB", "RF1")),
    "waveform": (("LR", "DT1"), ("MLP1", "RF2")),
    "magic": (("RF1", "GNB"), ("MLP2", "DT2")),
    "eye": (("RF1", "GNB"), ("LR", "MLP1")),
    "whitewine": DEFAULT,
}
#: Pairs that nothing was tuned on.
OTHER_PAIRS = {
    "adult": (("MLP1", "GB"), ("MLP2", "DT2")),
    "bankm": (("MLP2", "GB"), ("MLP1", "GNB")),
    "mushroom": (("GB", "GNB"),),
    "covtype": (("LR", "RF1"), ("GB", "GNB")),
}
_THREE = (("LR", "RF2"), ("GB", "GNB"), ("DT2", "KN2"))
#: Pairs on tables with categories of many levels, on which sets of levels were chosen.
CATEGORY_PAIRS = {"adult": (*_THREE, ("MLP2", "LR")), "heloc": _THREE, "diabetes": _THREE}
#: Positions of columns whose numbers are read as categories, in so many groups of equal size; None:
#: a category for each number.
AS_CATEGORIES: dict[str, dict[int, int | None]] = {
    "adult": {},
    "heloc": {9: None, 10: None, 4: 12, 3: 12, 0: 12},
    "diabetes": dict.fromkeys((0, 1, 2, 6, 7), 8),
}
#: Rows of these tables at most.
CATEGORY_ROWS = 12_000
VARIANTS: dict[str, dict[str, Any]] = {
    "calibrated (default)": {},
    "calibrated, refined once": {"refine": 1},
    "calibrated, diff_weight=3": {"diff_weight": 3},
    "calibrated, rule_cost=0": {"rule_cost": 0},
    "calibrated, rule_cost=0.01": {"rule_cost": 0.01},
    "calibrated, max_rules=5": {"max_rules": 5},
    "calibrated, sensitivity=0.9": {"sensitivity": 0.9},
    'calibrated, given="auto"': {"given": "auto"},
    "calibrated, scores=True": {"scores": True},
    "calibrated, sets=True": {"sets": True},
    "calibrated, scores=True, sets=True": {"scores": True, "sets": True},
    "calibrated, max_rules=3": {"max_rules": 3},
    "calibrated, scores=True, max_rules=3": {"scores": True, "max_rules": 3},
    'calibrated, augment="neighbours"': {"augment": "neighbours"},
    'calibrated, scores=True, augment="neighbours"': {"scores": True, "augment": "neighbours"},
    'calibrated, given="margins"': {"given": "margins"},
    "imd (the paper)": {"method": "imd"},
    "imd, refined once": {"method": "imd", "refine": 1},
    "separate surrogates": {"method": "separate"},
    "direct tree": {"method": "direct"},
}


@dataclass(frozen=True)
class Model:
    """A model of a dataset: fitted when it is first needed, and kept on disk."""

    data: Dataset
    name: str

    @property
    def fitted(self) -> Any:
        """The fitted pipeline."""
        path = CACHE / f"{self.data.name}-{self.name}.joblib"
        if not path.is_file():
            X, y = self.data.X, self.data.y
            text = [name for name in X if X[name].dtype.kind not in "iuf"]
            encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            prepare = ColumnTransformer([("text", encoder, text)], remainder=StandardScaler())
            rows, _ = train_test_split(np.arange(len(X)), test_size=0.3, random_state=0)
            fitted = make_pipeline(prepare, MODELS[self.name]()).fit(X.iloc[rows], y[rows])
            path.parent.mkdir(parents=True, exist_ok=True)
            joblib.dump(fitted, path)
        return joblib.load(path)

    @property
    def outputs(self) -> np.ndarray:
        """What it predicts for every row of the dataset; computed once, then kept."""
        return self._kept("", lambda fitted: fitted.predict(self.data.X).astype(str))

    @property
    def recorded(self) -> Recorded:
        """The model as a lookup of its kept probabilities."""
        proba = self._kept("-proba", lambda fitted: fitted.predict_proba(self.data.X))
        return Recorded(self.fitted.classes_, proba)

    def _kept(self, suffix: str, compute: Callable[[Any], np.ndarray]) -> np.ndarray:
        path = CACHE / f"{self.data.name}-{self.name}{suffix}.npy"
        if not path.is_file():
            found = compute(self.fitted)
            np.save(path, found)
        return np.load(path)


@dataclass(frozen=True)
class Recorded:
    """A model whose probabilities for the rows of one table are known, by their index."""

    classes_: np.ndarray
    proba: np.ndarray

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the kept probabilities of some rows."""
        return self.proba[X.index.to_numpy()]

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Return the likeliest class of some rows."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@dataclass(frozen=True)
class Pair:
    """A table, and two models with their outputs for it."""

    data: Dataset
    models: tuple[Model, Model]

    @classmethod
    def of(cls, data: Dataset, first: str, second: str) -> Pair:
        """Return a pair by the names of its models."""
        return cls(data, (Model(data, first), Model(data, second)))

    @property
    def name(self) -> str:
        """The dataset and the models."""
        first, second = self.models
        return f"{self.data.name} {first.name}-{second.name}"

    @property
    def X(self) -> pd.DataFrame:
        """The table."""
        return self.data.X

    @property
    def first(self) -> np.ndarray:
        """What model 1 predicts."""
        return self.models[0].outputs

    @property
    def second(self) -> np.ndarray:
        """What model 2 predicts."""
        return self.models[1].outputs

    def compared(self, options: dict[str, Any], rows: np.ndarray) -> tuple[Any, Any]:
        """What a diff with these options of some rows is made from: outputs, or callable models."""
        if "augment" in options:
            return tuple(model.fitted for model in self.models)
        if options.get("given") == "margins":
            return tuple(model.recorded for model in self.models)
        return self.first[rows], self.second[rows]


def outputs(data: Dataset, model: str) -> np.ndarray:
    """What a model says about every row of a dataset."""
    return Model(data, model).outputs


def with_categories(name: str) -> Dataset:
    """A dataset in which some columns are categories of several levels, without missing values."""
    data = load(name)
    rows = np.random.default_rng(1).permutation(len(data.X))[:CATEGORY_ROWS]
    X = data.X.iloc[rows].reset_index(drop=True)
    for column in X.select_dtypes("object"):
        X[column] = X[column].fillna("?")
    for at, groups in AS_CATEGORIES[name].items():
        column = X.columns[at]
        codes = X[column]
        if groups is not None:
            codes = pd.qcut(codes, groups, labels=False, duplicates="drop")
        X[column] = "c" + codes.astype(int).astype(str)
    return Dataset(f"{name}-categories", X, data.y[rows])


def category_pairs() -> Iterator[Pair]:
    """Every pair on the tables with categories, in order."""
    for name, models in CATEGORY_PAIRS.items():
        data = with_categories(name)
        for first, second in models:
            yield Pair.of(data, first, second)


def pairs(named: dict[str, tuple[tuple[str, str], ...]]) -> Iterator[Pair]:
    """Every model pair, in order."""
    for name, models in named.items():
        data = load(name)
        for first, second in models:
            yield Pair.of(data, first, second)


def measured(pair: Pair, split: int, options: dict[str, Any]) -> list[float]:
    """Scores, rules, conditions a rule, fidelity and seconds of one diff."""
    options = dict(options)
    steps = options.pop("refine", 0)
    order = np.random.default_rng(split).permutation(len(pair.X))
    n_test = int(0.3 * len(order))
    test, fit = order[:n_test], order[n_test:]
    start = time.perf_counter()
    d = imd.diff(*pair.compared(options, fit), pair.X.iloc[fit], test_size=0, **options)
    d = d.refine(steps)
    taken = time.perf_counter() - start
    rest = pair.X.iloc[test]
    outputs = {"m1": pair.first, "m2": pair.second}
    said_by_given = outputs[d.given][test] if d.given in outputs else None
    if d.given == "margins":
        said_by_given = d.rows.outputs_of(open_table(rest))
    differs, claimed = (pair.first != pair.second)[test], d.predict(rest, given=said_by_given)
    scores = Confusion.of(claimed, differs)
    said = d.tree.predict(rest, said_by_given)
    faithful = [(said[:, 0] == pair.first[test]).mean(), (said[:, 1] == pair.second[test]).mean()]
    conditions = [len(rule.conditions) for rule in d.rules]
    return [
        scores.precision,
        scores.recall,
        scores.f1,
        scores.mcc,
        scores.explained,
        scores.f1_over_always,
        len(d.rules),
        float(np.mean(conditions)) if conditions else 0.0,
        float(np.mean(faithful)),
        taken,
    ]


def main() -> None:
    """Measure every variant, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--other", action="store_true", help="the four datasets not tuned on")
    parser.add_argument("--categories", action="store_true", help="tables with many levels")
    parser.add_argument("--verbose", action="store_true", help="the correlation of each pair too")
    parser.add_argument("--only", nargs="+", choices=sorted(VARIANTS), default=list(VARIANTS))
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    named = OTHER_PAIRS if given.other else PAIRS
    names = ("precision", "recall", "F1", "MCC", "explained", "F1 over always")
    rows = [["method", *names, "rules", "conditions", "fidelity", "seconds", "MCC up, down"]]
    digits = (3, 3, 3, 3, 3, 3, 1, 1, 3, 2)
    base: np.ndarray | None = None
    for name in given.only:
        every = list(category_pairs() if given.categories else pairs(named))
        found = np.array(
            [
                np.mean([measured(pair, s, VARIANTS[name]) for s in range(given.splits)], axis=0)
                for pair in every
            ]
        )
        mcc = found[:, names.index("MCC")]
        base = mcc if base is None else base
        if given.verbose:
            for pair, own, first in zip(every, mcc, base, strict=True):
                print(f"  {pair.name}: MCC {own:.3f}, {own - first:+.3f}", flush=True)
        up, down = (mcc > base + 0.0005).sum(), (mcc < base - 0.0005).sum()
        means = [f"{mean:.{n}f}" for mean, n in zip(found.mean(axis=0), digits, strict=True)]
        rows.append([name, *means, f"{up}, {down}"])
        print(" · ".join(rows[-1]), flush=True)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(table(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
