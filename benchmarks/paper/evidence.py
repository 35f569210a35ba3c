"""The results of all jobs by benchmark and method, as they are stored beside docs/evidence.md."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

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
LIBRARIES = ("imd-widget", "numpy", "pandas", "scikit-learn", "scipy")
#: Ends the names of the columns of standard deviations in the stored results.
DEVIATION = "_deviation"


@dataclass(frozen=True)
class Run:
    """When and with what the results were measured."""

    date: str
    software: str
    machine: str
    n_splits: int
    quick: bool

    @classmethod
    def now(cls, n_splits: int, quick: bool) -> Run:
        """Today, on this machine."""
        versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return cls(
            str(date.today()),
            f"Python {platform.python_version()}, {versions}",
            f"{os.cpu_count()} cores, {memory:.0f} GB",
            n_splits,
            quick,
        )


@dataclass(frozen=True)
class Evidence:
    """Results by benchmark (a pair of models on a dataset) and variant, means over the splits."""

    means: pd.DataFrame
    #: Standard deviations over the splits.
    deviations: pd.DataFrame
    #: Test accuracy of each model, by dataset and model.
    accuracies: pd.Series
    run: Run

    @classmethod
    def of(cls, found: pd.DataFrame, accuracies: pd.Series, run: Run) -> Evidence:
        """Means and deviations of raw results."""
        keys = ["dataset", "pair", "models", "why", "method"]
        numbers = [*SCORES, "n_rules", "n_predicates", "disagreement"]
        grouped = found.groupby(keys, sort=False)[[*numbers, "seconds"]]
        means = grouped.mean().reset_index().set_index(["pair", "method"])
        deviations = grouped.std(ddof=0).reset_index().set_index(["pair", "method"])
        return cls(means, deviations.select_dtypes("number"), accuracies, run)

    @classmethod
    def read(cls, folder: Path) -> Evidence:
        """The results that `write` stored."""
        stored = pd.read_csv(folder / "results.csv").set_index(["pair", "method"])
        spread = [name for name in stored if name.endswith(DEVIATION)]
        return cls(
            stored.drop(columns=spread),
            stored[spread].rename(columns=lambda name: name.removesuffix(DEVIATION)),
            pd.read_csv(folder / "models.csv", index_col=["dataset", "model"])["accuracy"],
            Run(**json.loads((folder / "run.json").read_text(encoding="utf-8"))),
        )

    def write(self, folder: Path) -> None:
        """Store the results as results.csv, models.csv and run.json."""
        folder.mkdir(parents=True, exist_ok=True)
        table = self.means.join(self.deviations.add_suffix(DEVIATION))
        table.to_csv(folder / "results.csv", float_format="%.6f")
        self.accuracies.to_csv(folder / "models.csv", float_format="%.4f")
        run = json.dumps(asdict(self.run), indent=2) + "\n"
        (folder / "run.json").write_text(run, encoding="utf-8")

    @property
    def pairs(self) -> list[str]:
        """All pairs, those of one dataset together."""
        return list(self.means.index.get_level_values("pair").unique())

    @property
    def ends(self) -> list[str]:
        """The pairs of largest and smallest difference in accuracy; others only the paper names."""
        return [pair for pair in self.pairs if {"max", "min"} & set(self.about(pair).why.split())]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of Table 2 that were measured."""
        known = set(self.means.index.get_level_values("method"))
        return tuple(name for name in METHODS if name in known)

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

    def title(self, pair: str) -> str:
        """Dataset and models of a pair, for a sentence."""
        about = self.about(pair)
        return f"{about['dataset']} {about['models']}"

    def accuracy(self, pair: str) -> tuple[float, float]:
        """Test accuracies of both models."""
        about = self.about(pair)
        first, second = about["models"].split("-")
        return (
            self.accuracies.loc[(about["dataset"], first)],
            self.accuracies.loc[(about["dataset"], second)],
        )
