"""The results of all jobs by benchmark and method, and claims about them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from benchmarks.paper.runs import DEPTHS
from imd_widget.comparison.metrics import SCORES

#: Columns of Table 2 in the order of the paper, ours before them.
METHODS = ("calibrated", "imd", "separate", "direct_tree", "direct_boosting", "grounded")
NAMES = {
    "calibrated": "calibrated (ours)",
    "imd": "IMD",
    "separate": "separate",
    "direct_tree": "direct tree",
    "direct_boosting": "direct boosting",
    "grounded": "grounded rules",
    "ceiling": "the ceiling",
}


@dataclass(frozen=True)
class Evidence:
    """Results by benchmark (a pair of models on a dataset) and variant, means over the splits."""

    means: pd.DataFrame
    deviations: pd.DataFrame
    #: The pairs of largest and smallest difference in accuracy; others only the paper names.
    ends: list[str]
    n_splits: int

    @classmethod
    def of(cls, found: pd.DataFrame) -> Evidence:
        """Means and deviations of raw results."""
        keys = ["dataset", "pair", "models", "why", "method"]
        numbers = [*SCORES, "n_rules", "n_predicates", "disagreement"]
        grouped = found.groupby(keys, sort=False)[[*numbers, "seconds"]]
        means = grouped.mean().reset_index().set_index(["pair", "method"])
        deviations = grouped.std(ddof=0).reset_index().set_index(["pair", "method"])
        extreme = found["why"].str.contains("max|min")
        return cls(
            means, deviations, list(found.loc[extreme, "pair"].unique()), found["split"].nunique()
        )

    @property
    def pairs(self) -> list[str]:
        """All pairs, those of one dataset together."""
        return list(self.means.index.get_level_values("pair").unique())

    @property
    def has_curves(self) -> bool:
        """Whether other depths were measured."""
        return f"imd at {DEPTHS[0]}" in self.means.index.get_level_values("method")

    def scores(self, column: str, methods: tuple[str, ...], pairs: list[str]) -> pd.DataFrame:
        """A column by pair and method; pairs that lack one of the methods are left out."""
        by_pair = self.means[column].to_frame().pivot_table(column, "pair", "method", sort=False)
        return by_pair.loc[
            [pair for pair in pairs if pair in by_pair.index], list(methods)
        ].dropna()

    def about(self, pair: str) -> pd.Series:
        """What the pair is."""
        return self.means.loc[(pair, "imd")]

    def change(self, column: str, before: str, after: str) -> float:
        """Mean change in percent over the benchmarks, as the paper computes it."""
        table = self.scores(column, (before, after), self.ends)
        table = table[table[before] > 0]
        return float(100 * (table[after] / table[before] - 1).mean())


@dataclass(frozen=True)
class Claim:
    """Something that was expected, and what came out."""

    what: str
    expected: str
    measured: str
    holds: bool
