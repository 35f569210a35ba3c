"""How many labels `d.to_label` saves, and whether the interval of `d.with_labels` holds.

Run it with ``python -m benchmarks.labels``. The test rows of each model pair of the quality
benchmark are the population. Each table is drawn from them with replacement, so that the true net
is known; 60 rows of it are labelled. "Random" labels 60 random rows of the same table.

``--groups`` measures tables whose rows belong to groups instead, such as the rows of a patient:
made-up worlds, in which groups differ in where the models differ and in which of them is right.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from scipy.special import ndtr

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.scored_rows import ScoredRows, scored_pairs
from imd_widget._base.intervals import SampleSize
from imd_widget._base.paired import net_interval

#: Most rows of a table.
MOST_ROWS = 3000
COLUMNS = (
    "pair",
    "rows",
    "differ",
    "bias",
    "coverage",
    "width",
    "random: coverage",
    "width",
    "worth",
)


#: Worlds with groups: their number, their mean size, how much they differ, and the labels.
WORLDS = (
    (200, 15, 0.0, 60),
    (200, 15, 0.5, 60),
    (60, 50, 0.5, 60),
    (60, 50, 1.0, 60),
    (60, 50, 1.0, 300),
    (20, 100, 0.5, 60),
)
#: Groups of the population of a world.
MANY_GROUPS = 40_000


def world(
    rng: np.random.Generator, n_groups: int, size: int, apart: float
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A table, the outputs of two models, the truth, and the group of each row."""
    group = np.repeat(np.arange(n_groups), rng.poisson(size, n_groups) + 1)
    shift, favour = rng.normal(size=(2, n_groups)) * apart
    a = np.clip(rng.integers(0, 100, len(group)) + 15 * shift[group], 0, 99).astype(int)
    old, better, worse = a >= 50, (a >= 44) & (a < 50), a >= 90
    new = np.where(better | worse | (rng.random(len(a)) < 0.01), ~old, old)
    right = ndtr(np.select([worse, better], [-1.28, 1.28], 0.0) + 2 * favour[group])
    y = np.where((old != new) & (rng.random(len(a)) < right), new, old)
    return pd.DataFrame({"a": a}), old, new, y, group


def measure_world(
    n_groups: int, size: int, apart: float, n_labels: int, n_tables: int
) -> list[str]:
    """Coverage and width of the interval with groups, and coverage without."""
    _, old, new, y, _ = world(np.random.default_rng(99), MANY_GROUPS, size, apart)
    truth = float((new == y).mean() - (old == y).mean())
    found = []
    for seed in range(n_tables):
        X, old, new, y, group = world(np.random.default_rng(seed), n_groups, size, apart)
        grouped = imd.diff(old, new, X, groups=group, measure="none")
        filled = grouped.to_label(n_labels, random_state=seed).frame
        filled["label"] = y[filled["row"]]
        plain = imd.diff(old, new, X, measure="none")
        ends = [d.with_labels(filled).net_share_interval for d in (grouped, plain)]
        (low, high), (first, last) = ends
        found.append((low <= truth <= high, high - low, first <= truth <= last))
    cover, width, without = np.mean(found, axis=0)
    cells = [f"{100 * cover:.0f} %", f"{100 * width:.1f}", f"{100 * without:.0f} %"]
    return [str(n_groups), str(size), f"{apart:g}", str(n_labels), *cells]


def net_of(rows: ScoredRows) -> np.ndarray:
    """1 where only the second model is right, -1 where only the first one is, else 0."""
    return (rows.second == rows.y).astype(int) - (rows.first == rows.y)


def measure(pair: ScoredRows, n_labels: int, n_tables: int) -> np.ndarray:
    """Error, cover and width of the estimate, cover and width of random labels, and their worth."""
    truth = float(net_of(pair).mean())
    found = []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        n_rows = min(len(pair.y), MOST_ROWS)
        own = pair.take(rng.integers(0, len(pair.y), n_rows))
        d = imd.diff(own.first, own.second, own.X, measure="none", random_state=seed)
        if not d.metrics.n_differing:
            continue
        drawn = d.to_label(n_labels, random_state=seed).frame
        known = set(d.labels)
        others = [label for label in np.unique(own.y) if label not in known]
        drawn["label"] = own.y[drawn["row"]]
        net = d.with_labels(drawn, other_labels=others)
        ends = net.net_share_interval
        assert ends is not None
        random = net_of(own)[rng.choice(n_rows, n_labels, replace=False)]
        share = (random < 0).mean(), (random > 0).mean()
        plain = net_interval(*share, SampleSize(float(n_labels)))
        assert plain is not None
        found.append(
            (
                net.net_share - truth,
                ends[0] <= truth <= ends[1],
                ends[1] - ends[0],
                plain[0] <= truth <= plain[1],
                plain[1] - plain[0],
                net.effective_rows,
            )
        )
    return np.array(found, dtype=float)


def main() -> None:
    """Print a table with a row per model pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--labels", type=int, default=60)
    parser.add_argument("--groups", action="store_true", help="tables whose rows belong to groups")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.groups:
        names = ["groups", "rows each", "apart", "labels", "coverage", "width", "without groups"]
        print(table([names, *(measure_world(*one, given.tables) for one in WORLDS)]))
        return
    cells, every = [list(COLUMNS)], []
    for pair in scored_pairs(given.datasets):
        found = measure(pair, given.labels, given.tables)
        every.append(found)
        differ = (pair.first != pair.second).mean()
        cells.append(
            line(pair.name, f"{min(len(pair.y), MOST_ROWS):,}", f"{100 * differ:.1f} %", found)
        )
        print(cells[-1], flush=True)
    cells.append(line("all", "", "", np.concatenate(every)))
    print(table(cells))


def line(name: str, rows: str, differ: str, found: np.ndarray) -> list[str]:
    """Mean figures of some tables; shares in percent, widths in percentage points."""
    bias, cover, width, random_cover, random_width, _ = found.mean(axis=0)
    cells = [f"{100 * bias:+.2f}", f"{100 * cover:.0f} %", f"{100 * width:.1f}"]
    cells += [f"{100 * random_cover:.0f} %", f"{100 * random_width:.1f}"]
    return [name, rows, differ, *cells, f"{np.median(found[:, -1]):,.0f}"]


if __name__ == "__main__":
    main()
