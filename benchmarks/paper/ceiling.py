"""What the columns tell at best: a boosted classifier for each model, and the best threshold.

The chance that two models differ on a row is ``1 - sum over labels of p1(label) p2(label)``, where
``p1`` and ``p2`` come from gradient boosting fitted to the outputs of either model. The threshold
is chosen on the rows that are measured, for the largest Matthews' correlation. No method may do
that: the result is a ceiling.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import ShuffleSplit

from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.metrics import SCORES

#: Thresholds that are tried.
N_THRESHOLDS = 200


def ceiling(X: pd.DataFrame, first: np.ndarray, second: np.ndarray, n_splits: int) -> pd.DataFrame:
    """Measure the ceiling on the splits that `imd_widget.evaluate` makes by default."""
    n_aside = round(0.3 * len(X))
    splitter = ShuffleSplit(
        n_splits, test_size=n_aside, train_size=len(X) - n_aside, random_state=0
    )
    rows = []
    for split, (fit, aside) in enumerate(splitter.split(np.zeros(len(X)))):
        start = time.perf_counter()
        chance = difference(X, first, second, np.sort(fit), np.sort(aside))
        seconds = time.perf_counter() - start
        aside = np.sort(aside)
        best = best_confusion(chance, (first != second)[aside])
        rows.append(
            {
                "method": "ceiling",
                "split": split,
                **{name: getattr(best, name) for name in SCORES},
                "n_rules": None,
                "n_predicates": None,
                "disagreement": best.differing / best.total,
                "n_rows": len(aside),
                "seconds": seconds,
            }
        )
    return pd.DataFrame(rows)


def difference(
    X: pd.DataFrame, first: np.ndarray, second: np.ndarray, fit: np.ndarray, aside: np.ndarray
) -> np.ndarray:
    """The chance that the models differ on each of the rows ``aside``."""
    labels = np.unique(np.concatenate([first, second]))
    chances = []
    for outputs in (first, second):
        chance = np.zeros((len(aside), len(labels)))
        seen = np.unique(outputs[fit])
        if len(seen) == 1:
            chance[:, np.searchsorted(labels, seen[0])] = 1
        else:
            model = HistGradientBoostingClassifier(random_state=0)
            model.fit(X.iloc[fit].to_numpy(float), outputs[fit])
            found = model.predict_proba(X.iloc[aside].to_numpy(float))
            chance[:, np.searchsorted(labels, model.classes_)] = found
        chances.append(chance)
    return np.asarray(1 - (chances[0] * chances[1]).sum(axis=1))


def best_confusion(chance: np.ndarray, differs: np.ndarray) -> Confusion:
    """The confusion of the threshold with the largest Matthews' correlation."""
    thresholds = np.unique(np.quantile(chance, np.linspace(0, 1, N_THRESHOLDS)))
    found = [Confusion.of(chance >= threshold, differs) for threshold in thresholds]
    return max(found, key=lambda confusion: confusion.mcc)
