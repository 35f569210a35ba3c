"""How often patching a new model with the old one gains, and whether the bound on breaks holds.

Run it with ``python -m benchmarks.patch``. The test rows of each model pair of the quality
benchmark are halved: the patch is made on one half, which chooses its rules on some rows and
measures it on others, and judged on the other half. Either model is the new one, and there are
several halvings.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

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


def main() -> None:
    """Print a table with a row per model pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
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
