"""How well bands of a probability describe two seeds, a moved cut-off or a recalibration.

Run it with ``python -m benchmarks.sureness``. Models are fitted on 70 % of a dataset; diffs are
fitted on 70 % of at most 8,000 rows and measured on the others, on two splits. The table is
printed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import imd_widget as imd
from benchmarks.data import Dataset, load
from benchmarks.markdown import table
from imd_widget.comparison.confusion import Confusion

#: The datasets on which choices are made; two classes, then more.
NAMES = ("diabetes", "tictactoe", "heloc", "magic", "eye", "redwine", "whitewine", "waveform")
MOST_ROWS, SPLITS = 8_000, 2
VARIANTS: dict[str, dict[str, Any]] = {"columns": {}, 'given="margins"': {"given": "margins"}}


@dataclass(frozen=True)
class Model:
    """A model whose probabilities for the rows of one table are known, by their index."""

    classes_: np.ndarray
    proba: np.ndarray
    cut: float = 0.5

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Return the kept probabilities of some rows."""
        return self.proba[X.index.to_numpy()]

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Return the likeliest class; of two the second above the cut."""
        proba = self.predict_proba(X)
        best = proba[:, 1] > self.cut if len(self.classes_) == 2 else proba.argmax(axis=1)
        return self.classes_[np.asarray(best, dtype=int)]


def pairs(data: Dataset) -> Iterator[tuple[str, Model, Model]]:
    """Yield the pairs of models of a dataset, each with its kind."""
    rows = np.random.default_rng(0).permutation(len(data.X))[: int(0.7 * len(data.X))]
    text = [name for name in data.X if data.X[name].dtype.kind not in "iuf"]

    def fitted(model: Any, cut: float = 0.5) -> Model:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        prepare = ColumnTransformer([("text", encoder, text)], remainder=StandardScaler())
        whole = make_pipeline(prepare, model).fit(data.X.iloc[rows], data.y[rows])
        return Model(whole.classes_, whole.predict_proba(data.X), cut)

    def boosting(seed: int = 0) -> Any:
        return HistGradientBoostingClassifier(max_iter=60, random_state=seed, early_stopping=True)

    def network(seed: int = 0) -> Any:
        return MLPClassifier(random_state=seed, max_iter=60)

    def forest(seed: int = 0) -> Any:
        return RandomForestClassifier(min_samples_leaf=2, random_state=seed)

    for make in (forest, boosting, network):
        yield f"two seeds, {make.__name__}", fitted(make(0)), fitted(make(1))
    if len(np.unique(data.y)) == 2:
        for make in (forest, boosting):
            one = fitted(make())
            yield f"cut 0.5 to 0.3, {make.__name__}", one, Model(one.classes_, one.proba, 0.3)
        for make, method in ((boosting, "isotonic"), (network, "sigmoid")):
            calibrated = CalibratedClassifierCV(make(), method=method)
            yield f"recalibrated, {make.__name__}", fitted(make()), fitted(calibrated)


def measured(X: pd.DataFrame, one: Model, other: Model, split: int, options: Any) -> list[float]:
    """Return the correlation on rows not used to fit, the rules and the conditions of a rule."""
    order = np.random.default_rng(split).permutation(len(X))[:MOST_ROWS]
    n_test = int(0.3 * len(order))
    test, fit = X.iloc[order[:n_test]], X.iloc[order[n_test:]]
    d = imd.diff(one, other, fit, test_size=0, measure="none", **options)
    scores = Confusion.of(d.predict(test), one.predict(test) != other.predict(test))
    conditions = [len(rule.conditions) for rule in d.rules]
    return [scores.mcc, len(d.rules), float(np.mean(conditions)) if conditions else 0.0]


def main() -> None:
    """Measure every pair of which at least 30 rows differ, and print the means by kind."""
    warnings.filterwarnings("ignore")
    found: dict[str, list[list[float]]] = {}
    for name in NAMES:
        data = load(name)
        for kind, one, other in pairs(data):
            if (one.predict(data.X) != other.predict(data.X)).sum() < 30:
                continue
            classes = "two classes" if len(one.classes_) == 2 else "more classes"
            own = [
                np.mean([measured(data.X, one, other, s, v) for s in range(SPLITS)], axis=0)
                for v in VARIANTS.values()
            ]
            found.setdefault(f"{kind} ({classes})", []).append(np.concatenate(own).tolist())
            print(name, kind, np.round(np.concatenate(own), 3), flush=True)
    head = [f"{variant}: {what}" for variant in VARIANTS for what in ("MCC", "rules", "conditions")]
    rows = [["pair", "datasets", *head]]
    every = [values for kind in found.values() for values in kind]
    for kind, values in [*found.items(), ("all", every)]:
        means = [f"{mean:.{n}f}" for mean, n in zip(np.mean(values, 0), (3, 1, 1) * 2, strict=True)]
        rows.append([kind, str(len(values)), *means])
    print(table(rows))


if __name__ == "__main__":
    main()
