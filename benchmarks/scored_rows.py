"""The model pairs of the quality benchmark, on rows that no model was fitted on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.data import load
from benchmarks.quality import OTHER_PAIRS, PAIRS, outputs

#: Datasets with fewer test rows than this are left out.
FEWEST_ROWS = 100


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows of a dataset, the outputs of two models and the truth."""

    name: str
    X: pd.DataFrame
    first: np.ndarray
    second: np.ndarray
    y: np.ndarray

    def take(self, rows: np.ndarray) -> ScoredRows:
        """Some of the rows, in this order."""
        X = self.X.iloc[rows].reset_index(drop=True)
        return ScoredRows(self.name, X, self.first[rows], self.second[rows], self.y[rows])


def scored_pairs(names: list[str] | None = None) -> Iterator[ScoredRows]:
    """Every pair of the datasets with these names; None: of all."""
    for name, models in {**PAIRS, **OTHER_PAIRS}.items():
        if names and name not in names:
            continue
        data = load(name)
        # the split of `outputs`
        _, rows = train_test_split(np.arange(len(data.X)), test_size=0.3, random_state=0)
        if len(rows) < FEWEST_ROWS:
            continue
        for one, two in models:
            every = (outputs(data, one), outputs(data, two))
            whole = ScoredRows(
                f"{name} {one} {two}", data.X, *every, np.asarray(data.y).astype(str)
            )
            if (whole.first[rows] != whole.second[rows]).any():
                yield whole.take(rows)
