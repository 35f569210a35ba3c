"""How often 95 % intervals contain the truth, on tables whose truth is known.

    python -m benchmarks.coverage                      # every design, 200 tables each
    python -m benchmarks.coverage cv hard --tables 50  # some designs
    python -m benchmarks.coverage --confirmed          # how often a rule is confirmed by chance

The probability of a difference is a known function of three columns (five in "multi"). The truth of
precision, recall and of each rule is that of the rules shown, over 16,384 quasi-random points. The
net is that of all rows, and of the rows inside each rule that were not used to find it: where the
models differ, the old one is right with a probability of 0.7.
Printed: the share of the intervals that contain the truth, in brackets their mean width.

``--confirmed``: the differences do not depend on the columns, so that no fitted rule is real.
Printed: the share of the tables in which `rule.confirmed` is true for any rule.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm, qmc

import imd_widget as imd

Array = NDArray[np.float64]
#: Points over which the truth of a set of rules is computed.
N_POINTS = 2**14
#: Share of the differing rows on which the old model is right, and what a differing row then loses.
OLD_IS_RIGHT = 0.7
LOSS = 2 * OLD_IS_RIGHT - 1
#: Effect of a group on the probability of a difference: standard deviation in probits.
GROUP_EFFECT = 1.0


def box(inside: float, outside: float) -> Callable[[Array], Array]:
    """One box with a probability of its own."""
    return lambda x: np.where((x[:, 0] > 0.4) & (x[:, 1] < 0.3), inside, outside)


def boxes(x: Array) -> Array:
    """Three boxes in five columns."""
    rate = np.full(len(x), 0.04)
    rate[(x[:, 0] > 0.8) & (x[:, 1] > 0)] = 0.9
    rate[(x[:, 0] < -0.5) & (x[:, 2] > 0.5)] = 0.45
    rate[(x[:, 3] > 1) & (x[:, 4] < 0)] = 0.3
    return rate


def smooth(x: Array) -> Array:
    """No box at all: a logistic function."""
    return np.asarray(1 / (1 + np.exp(2.2 - 1.2 * x[:, 0] - 0.8 * x[:, 1])))


def flat(x: Array) -> Array:
    """Nothing to find."""
    return np.full(len(x), 0.15)


@dataclass(frozen=True)
class Design:
    """A kind of table.

    ``weights`` is None, "free" (independent of the columns) or "linked" (made from a column).
    ``given`` lets rules ask about the outputs of a model, ``refinements`` are steps after the fit.
    ``in_parts`` writes the table to three Parquet files, which are read in partitions.
    """

    n_rows: int
    rate: Callable[[Array], Array]
    measure: str = "cv"
    n_columns: int = 3
    n_groups: int | None = None
    weights: str | None = None
    outputs: str = "class"
    given: str | None = None
    refinements: int = 0
    in_parts: bool = False
    sensitivity: float | None = None


CLEAR, WEAK = box(0.75, 0.05), box(0.5, 0.1)
DESIGNS = {
    "cv": Design(400, CLEAR),
    "hard": Design(400, WEAK),
    "multi": Design(400, boxes, n_columns=5),
    "multi 800": Design(800, boxes, n_columns=5),
    "smooth": Design(400, smooth),
    "null": Design(400, flat),
    "weights": Design(400, CLEAR, weights="free"),
    "linked": Design(400, CLEAR, weights="linked"),
    "12 groups": Design(400, CLEAR, n_groups=12),
    "50 groups": Design(500, CLEAR, n_groups=50),
    "24 groups, cv": Design(1500, CLEAR, n_groups=24),
    "holdout": Design(1500, CLEAR, "holdout"),
    "holdout 300": Design(300, CLEAR, "holdout"),
    "holdout, weights": Design(1500, CLEAR, "holdout", weights="free"),
    "holdout, linked": Design(1500, CLEAR, "holdout", weights="linked"),
    "holdout, 24 groups": Design(1500, CLEAR, "holdout", n_groups=24),
    "holdout, 100 groups": Design(1500, CLEAR, "holdout", n_groups=100),
    "auto, 24 groups": Design(1500, CLEAR, "auto", n_groups=24),
    "auto": Design(800, CLEAR, "auto"),
    "200 rows": Design(200, CLEAR),
    "values": Design(400, CLEAR, outputs="value"),
    "values, holdout": Design(1500, CLEAR, "holdout", outputs="value"),
    "probabilities": Design(400, CLEAR, outputs="proba"),
    "given": Design(400, CLEAR, given="m1"),
    "refined": Design(400, CLEAR, refinements=1),
    "refined, holdout": Design(1500, CLEAR, "holdout", refinements=1),
    "agreement": Design(400, box(0.1, 0.85)),
    "agreement, holdout": Design(1500, box(0.1, 0.85), "holdout"),
    "partitions": Design(1500, CLEAR, "holdout", in_parts=True),
    "partitions, weak": Design(20_000, WEAK, "auto", in_parts=True),
    "partitions, weights": Design(1500, CLEAR, "holdout", weights="free", in_parts=True),
}


#: Tables in which no rule is real, although rules are fitted: differences are at random.
NULLS = {
    "400 rows": Design(400, flat, "holdout", sensitivity=0.5),
    "800 rows": Design(800, flat, "holdout", sensitivity=0.5),
    "3,000 rows": Design(3000, flat, "holdout", sensitivity=0.5),
    "1,500 rows, 5 columns": Design(1500, flat, "holdout", n_columns=5, sensitivity=0.5),
    "1,500 rows, weights": Design(1500, flat, "holdout", weights="free", sensitivity=0.5),
    "1,500 rows, 100 groups": Design(1500, flat, "holdout", n_groups=100, sensitivity=0.5),
}


#: What has an interval.
MEASURED = ("precision", "recall", "rule", "cohort", "net", "rule net")


@dataclass
class Held:
    """Whether each interval contains the truth, and how wide it is."""

    contains: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    unknown: int = 0

    def add(self, interval: tuple[float, float] | None, truth: float) -> None:
        if interval is None or interval == (0.0, 1.0):
            self.unknown += 1
            return
        self.contains.append(interval[0] <= truth <= interval[1])
        self.widths.append(interval[1] - interval[0])

    @property
    def coverage(self) -> float:
        return float(np.mean(self.contains)) if self.contains else 1.0

    def __str__(self) -> str:
        if not self.contains:
            return "none"
        none = f", {self.unknown} unknown" if self.unknown else ""
        n = len(self.contains)
        return f"{100 * self.coverage:.0f} ({np.mean(self.widths):.2f}, {n}{none})"


def simulate(design: Design, seeds: Iterable[int]) -> dict[str, Held]:
    """Compare the intervals of one table per seed with the truth."""
    points = qmc.Sobol(design.n_columns, seed=5).random(N_POINTS)
    x = norm.ppf(np.clip(points, 1e-9, 1 - 1e-9))
    names = list("abcde")[: design.n_columns]
    population, rate = pd.DataFrame(x, columns=names), design.rate(x)
    weight = _weight(design, x, np.random.default_rng(0)) if design.weights == "linked" else None
    held = {name: Held() for name in MEASURED}
    given = (x[:, 0] > 0).astype(int) if design.given else None
    for seed in seeds:
        d, inside_cohort = _diff(design, names, seed)

        def mean(mask: NDArray[np.bool_]) -> float:
            return float(np.average(rate[mask], weights=None if weight is None else weight[mask]))

        held["cohort"].add(inside_cohort, mean((population["c"] > 0).to_numpy()))
        assert d.correctness is not None
        held["net"].add(d.correctness.net_share_interval, -LOSS * mean(np.ones(len(x), dtype=bool)))
        for rule in (*d.rules, *d.agreement):
            inside = rule.mask(population, given)
            if inside.any():
                held["rule"].add(rule.interval, mean(inside))
                if rule.correctness is not None:
                    held["rule net"].add(rule.correctness.net_share_interval, -LOSS * mean(inside))
        if not d.rules:
            continue
        covered = d.predict(population, given)
        everywhere = np.ones(len(x)) if weight is None else weight
        found = (everywhere * rate)[covered].sum() / (everywhere * rate).sum()
        metrics = d.metrics
        assert metrics.precision_interval is not None
        assert metrics.recall_interval is not None
        held["precision"].add(metrics.precision_interval, mean(covered))
        held["recall"].add(metrics.recall_interval, float(found))
    return held


@dataclass(frozen=True)
class Confirmed:
    """How many rules were fitted and confirmed, over some tables."""

    tables: int
    #: Tables in which a rule was tested, and in which one was confirmed.
    tested: int
    wrong: int
    rules: int


def confirmed(design: Design, seeds: Iterable[int]) -> Confirmed:
    """Count the tables in which a fitted rule is confirmed."""
    names = list("abcde")[: design.n_columns]
    found = [[rule.confirmed for rule in _diff(design, names, seed)[0].rules] for seed in seeds]
    tested = [[one for one in own if one is not None] for own in found]
    return Confirmed(
        len(found), sum(map(bool, tested)), sum(map(any, tested)), sum(map(len, tested))
    )


def _weight(design: Design, x: Array, rng: np.random.Generator) -> Array | None:
    if design.weights is None:
        return None
    if design.weights == "free":
        return np.asarray(rng.exponential(size=len(x)) + 0.01)
    return np.exp(x[:, 2] + 0.3 * x[:, 0])


def _diff(design: Design, names: list[str], seed: int) -> tuple[imd.ModelDiff, tuple[float, float]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(design.n_rows, design.n_columns))
    groups = None
    if design.n_groups is not None:
        groups = np.arange(design.n_rows) % design.n_groups
        x[:, 1] = 0.8 * rng.normal(size=design.n_groups)[groups] + 0.6 * x[:, 1]
    rate = design.rate(x)
    if groups is not None:
        # the mean over groups is the rate again
        effect = GROUP_EFFECT * rng.normal(size=design.n_groups)[groups]
        rate = norm.cdf(norm.ppf(rate) * np.sqrt(1 + GROUP_EFFECT**2) + effect)
    differs = rng.random(design.n_rows) < rate
    old = (x[:, 0] > 0).astype(float if design.outputs != "class" else int)
    new = np.where(differs, 1 - old, old)
    y = np.where(differs & (rng.random(design.n_rows) < OLD_IS_RIGHT), old, new)
    if design.outputs == "proba":
        old, new = 0.1 + 0.8 * old, 0.1 + 0.8 * new
    table = pd.DataFrame(x, columns=names)
    given = {"y": y, "m1": old, "m2": new, "sample_weight": _weight(design, x, rng)}
    with TemporaryDirectory() as folder:
        if design.in_parts:
            table = _in_parts(table, given, Path(folder))
            given = {name: None if one is None else name for name, one in given.items()}
        d = imd.diff(
            X=table,
            **given,
            outputs=design.outputs,
            tolerance=None if design.outputs == "class" else 0.2,
            given=design.given,
            measure=design.measure,
            sensitivity=design.sensitivity,
            groups=groups,
            random_state=seed,
        ).refine(design.refinements)
        return d, d.cohort("c > 0").interval


def _in_parts(table: pd.DataFrame, more: Mapping[str, Any], folder: Path) -> Path:
    """Write a table with further columns to three files, and return their folder."""
    whole = table.assign(**{name: column for name, column in more.items() if column is not None})
    for number, rows in enumerate(np.array_split(np.arange(len(whole)), 3)):
        whole.iloc[rows].to_parquet(folder / f"{number}.parquet")
    return folder


def main() -> None:
    """Print a table with a row per design."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("designs", nargs="*", choices=[*DESIGNS, []], help="by default all")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--confirmed", action="store_true", help="tables in which no rule is real")
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.tables)
    if given.confirmed:
        print("| tables | with a rule | rules | with a confirmed rule |\n|---|---:|---:|---:|")
        for name, design in NULLS.items():
            counted = confirmed(design, seeds)
            share = f"{100 * counted.wrong / counted.tables:.1f} %"
            print(f"| {name} | {counted.tested} | {counted.rules} | {share} |", flush=True)
        return
    print(f"| design | {' | '.join(MEASURED)} |\n|---{'|---' * len(MEASURED)}|")
    for name in given.designs or DESIGNS:
        held = simulate(DESIGNS[name], seeds)
        print(f"| {name} | {' | '.join(map(str, held.values()))} |", flush=True)


if __name__ == "__main__":
    main()
