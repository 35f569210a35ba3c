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


@dataclass(frozen=True, eq=False)
class Change:
    """How a score changes from one method to another, over benchmarks.

    Attributes
    ----------
    percent : Series
        Change in percent by benchmark; benchmarks where the score before is 0 have none.
    gap : Series
        Score after minus score before, of all benchmarks.
    """

    percent: pd.Series
    gap: pd.Series

    @classmethod
    def between(cls, before: pd.Series, after: pd.Series) -> Change:
        """From the scores of one method to those of another on the same benchmarks."""
        known = before > 0
        return cls(100 * (after[known] / before[known] - 1), after - before)

    @property
    def mean(self) -> float:
        """Mean change in percent, as the paper computes it."""
        return float(self.percent.mean())

    @property
    def median(self) -> float:
        """Median change in percent."""
        return float(self.percent.median())

    @property
    def higher(self) -> int:
        """Number of benchmarks on which the score is higher after."""
        return int((self.gap > 0).sum())

    @property
    def lower(self) -> int:
        """Number of benchmarks on which the score is lower after."""
        return int((self.gap < 0).sum())

    @property
    def p(self) -> float:
        """p of Wilcoxon's signed rank test; 1 if nothing changed."""
        return 1.0 if (self.gap == 0).all() else float(wilcoxon(self.gap).pvalue)

    @property
    def extremes(self) -> list[str]:
        """The two benchmarks with the largest change, up or down."""
        return list(self.percent.abs().nlargest(2).index)

    def without_extremes(self) -> Change | None:
        """The same without these two; None if fewer than four benchmarks would be left."""
        if len(self.percent) < 6:
            return None
        return Change(self.percent.drop(self.extremes), self.gap.drop(self.extremes))

    @property
    def found(self) -> str:
        """Higher, lower, or no significant difference."""
        return verdict(float(self.gap.median()), self.p)


def verdict(direction: float, p: float, level: float = 0.05) -> str:
    """Name the direction of a change if it is significant."""
    if p >= level or direction == 0:
        return "no significant difference"
    return "higher" if direction > 0 else "lower"


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
        found[name] = Change.between(scores[name], scores[ours]).p
    comparisons: list[Comparison] = []
    for i, (name, p) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        threshold = level / (len(found) - i)
        # what follows one that is not significant is not either
        significant = p <= threshold and all(before.significant for before in comparisons)
        comparisons.append(Comparison(name, p, threshold, significant))
    return comparisons
