"""Are methods different, or is it chance? Ranks and tests over benchmarks, as Demšar recommends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata, wilcoxon


def mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Mean rank of each column over the rows; 1 is the best, ties share."""
    ranks = np.vstack([rankdata(-row) for row in scores.to_numpy(dtype=float)])
    return pd.Series(ranks.mean(axis=0), index=scores.columns)


def friedman(scores: pd.DataFrame) -> float:
    """p that all columns are alike."""
    return float(friedmanchisquare(*(scores[name] for name in scores)).pvalue)


@dataclass(frozen=True)
class Comparison:
    """Wilcoxon's signed rank test of a method against another, and what Holm makes of it."""

    against: str
    p: float
    threshold: float
    significant: bool


def against(scores: pd.DataFrame, ours: str, level: float = 0.05) -> list[Comparison]:
    """``ours`` against every other column, the smallest p first, with Holm's correction."""
    found = {}
    for name in scores.columns.drop(ours):
        gap = scores[ours] - scores[name]
        found[name] = 1.0 if (gap == 0).all() else float(wilcoxon(gap).pvalue)
    comparisons: list[Comparison] = []
    for i, (name, p) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        threshold = level / (len(found) - i)
        # what follows one that is not significant is not either
        significant = p <= threshold and all(before.significant for before in comparisons)
        comparisons.append(Comparison(name, p, threshold, significant))
    return comparisons
