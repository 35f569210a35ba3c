"""How often patching a new model with the old one gains, and whether the bound on breaks holds.

Run it with ``python -m benchmarks.patch``. The test rows of each model pair of the quality
benchmark are halved: the patch is made on one half, which chooses its rules on some rows and
measures it on others, and judged on the other half. Either model is the new one, and there are
several halvings.

``--worlds 1000`` simulates worlds whose truth is known instead: in how many of them the patch
breaks more new rows than the bound that was stated with 95 % confidence.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.scored_rows import ScoredRows, scored_pairs

#: Most rows of a pair, so that a table has some thousand as in use.
MOST_ROWS = 20_000
COLUMNS = ("pair", "new is worse", "patched", "rules", "gain", "gain if patched", "over the better")
COLUMNS = (*COLUMNS, "lost", "bound held", "found again")


def measure(pair: ScoredRows, n_splits: int) -> np.ndarray:
    """Figures of each patch; a row for each halving and direction."""
    found: list[tuple[float, ...] | None] = []
    for seed in range(n_splits):
        order = np.random.default_rng(seed).permutation(len(pair.y))[:MOST_ROWS]
        half = len(order) // 2
        one, two = pair.take(order[:half]), pair.take(order[half:])
        found += [_patched(one, two, swapped, seed) for swapped in (False, True)]
    return np.array([row for row in found if row is not None], dtype=float)


def _patched(
    one: ScoredRows, two: ScoredRows, swapped: bool, seed: int
) -> tuple[float, ...] | None:
    def both(rows: ScoredRows) -> tuple[np.ndarray, np.ndarray]:
        return (rows.second, rows.first) if swapped else (rows.first, rows.second)

    old, new = both(one)
    d = imd.diff(old, new, one.X, y=one.y, random_state=seed)
    if not len(d.rules):
        return None
    patched = imd.patch("old", "new", d, random_state=seed)
    old, new = both(two)
    scored = two.X.assign(old=old, new=new)
    own = patched.predict(scored)
    before, after = (new == two.y), (own == two.y)
    figures = patched.figures
    gain = after.mean() - before.mean()
    better = max((old == two.y).mean(), before.mean())
    n_rules = len(patched.rules)
    again = np.nan
    if n_rules:
        shown = imd.diff("new", patched, scored, measure="none")
        changed = own != new
        again = (shown.predict(two.X) == patched.patch.mask(two.X))[changed].mean()
    return (
        (old == two.y).mean() > before.mean(),
        n_rules > 0,
        n_rules,
        gain,
        gain if n_rules else np.nan,
        after.mean() - better if n_rules else np.nan,
        gain < 0,
        (before & ~after).mean() <= figures.breaks_bound if n_rules else np.nan,
        again,
    )


@dataclass(frozen=True)
class World:
    """Two models that differ in three regions, and how often the new one is right there."""

    n_rows: int
    #: Probability that the new model is right in each region.
    new_is_right: tuple[float, float, float]

    def table(self, seed: int, n_rows: int | None = None) -> tuple[pd.DataFrame, np.ndarray]:
        """Return rows with the outputs of both models, and the region of each; -1: they agree."""
        random = np.random.default_rng(seed)
        n_rows = self.n_rows if n_rows is None else n_rows
        X = pd.DataFrame({"a": random.integers(0, 100, n_rows), "b": random.integers(0, 4, n_rows)})
        a, b = X["a"].to_numpy(), X["b"].to_numpy()
        region = np.select([a < 8, (a >= 50) & (b == 1), (a > 90) & (b == 3)], [0, 1, 2], -1)
        old = a >= 30
        return X.assign(old=old, new=old ^ (region >= 0)), region


WORLDS = {
    "old is better in two regions": World(1000, (0.2, 0.35, 0.7)),
    "old is better everywhere": World(1000, (0.3, 0.3, 0.3)),
    "old is a little better": World(2000, (0.4, 0.4, 0.4)),
    "300 rows": World(300, (0.3, 0.45, 0.6)),
}
#: Rows of the population over which the truth of a patch is computed.
N_POPULATION = 100_000


def bound_misses(world: World, seeds: range) -> tuple[int, int]:
    """Return how many worlds have a patch, and in how many it breaks more than its bound."""
    population, region = world.table(10**6, N_POPULATION)
    right = np.array([*world.new_is_right, 0.0])  # the last one: the models agree
    n_patched = missed = 0
    for seed in seeds:
        scored, own = world.table(seed)
        random = np.random.default_rng([seed, 1])
        is_right = random.random(len(own)) < right[own]
        y = np.where(is_right, scored["new"], scored["old"])
        X = scored[["a", "b"]]
        d = imd.diff(scored["old"], scored["new"], X, y=y, random_state=seed)
        if not len(d.rules):
            continue
        patch = imd.patch("old", "new", d, y=y, random_state=seed)
        if not len(patch.rules):
            continue
        n_patched += 1
        breaks = (right[region] * patch.patch.mask(population)).mean()
        missed += breaks > patch.figures.breaks_bound
    return n_patched, missed


def print_worlds(n_worlds: int) -> None:
    """Print how often the bound is missed, for each kind of world."""
    cells = [["worlds", "patched", "bound missed", "of all worlds", "of the patched ones"]]
    for name, world in WORLDS.items():
        n_patched, missed = bound_misses(world, range(n_worlds))
        shares = [f"{100 * missed / max(n, 1):.1f} %" for n in (n_worlds, n_patched)]
        cells.append([name, f"{n_patched} of {n_worlds}", str(missed), *shares])
        print(cells[-1], flush=True)
    print(table(cells))


def main() -> None:
    """Print a table with a row per model pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--worlds", type=int, help="simulate so many worlds instead")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.worlds:
        print_worlds(given.worlds)
        return
    cells, every = [list(COLUMNS)], []
    for pair in scored_pairs(given.datasets):
        found = measure(pair, given.splits)
        if len(found):
            every.append(found)
            cells.append(line(pair.name, found))
            print(cells[-1], flush=True)
    cells.append(line("all", np.concatenate(every)))
    print(table(cells))


def line(name: str, found: np.ndarray) -> list[str]:
    """Counts of patches, means of the figures in percentage points."""
    worse, patched, n_rules, gain, if_patched, over, lost, held, again = found.T
    n = len(found)

    def points(values: np.ndarray) -> str:
        known = values[~np.isnan(values)]
        return f"{100 * known.mean():+.2f}" if len(known) else "–"

    return [
        name,
        f"{worse.sum():.0f} of {n}",
        f"{patched.sum():.0f} of {n}",
        f"{n_rules.mean():.1f}",
        points(gain),
        points(if_patched),
        points(over),
        f"{lost.sum():.0f} of {n}",
        f"{np.nansum(held):.0f} of {patched.sum():.0f}",
        f"{100 * again[~np.isnan(again)].mean():.0f} %" if (~np.isnan(again)).any() else "–",
    ]


if __name__ == "__main__":
    main()
