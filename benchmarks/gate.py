"""How often the gate and a track raise false alarms, and how soon they notice a planted region.

    python -m benchmarks.gate              # 500 seeds
    python -m benchmarks.gate --seeds 50

Gate: 800 rows with eight sites. Without a regression both models are wrong on 3 % of the rows,
independently of each other; at the limit, the new model loses exactly 5 % in a region. The planted
regression is 30 rows of one site in which the new model is always wrong.
Track: a first month of 800 rows and eleven more of 400, in which nothing changes. The drift begins
in the sixth month: from then on the new model is wrong in a region of 5 or 10 % of the rows.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.planted import Planted, planted

#: Limits of the gate without a regression; the last one is also the loss in "at the limit".
LIMITS = (0.0, 0.01, 0.05)
#: Months of a track, rows of a month, the month in which the drift begins, and its shares of rows.
N_MONTHS, N_ROWS, DRIFT, DRIFTED = 12, 400, 6, (0.05, 0.1)


def compared(made: Planted) -> imd.ModelDiff:
    """Compare the two models."""
    return imd.diff(made.old, made.new, made.X, y=made.y, by="site")


def at_the_limit(seed: int, loss: float = LIMITS[-1]) -> Planted:
    """Machines on which the new model loses exactly a share of the rows in a region."""
    random = np.random.default_rng(seed)
    made = planted(seed, n=800, broken=False, wrong=0.0)
    inside = (made.X["vibration"] > 0.7).to_numpy()
    chance, other = random.random(len(inside)), np.where(made.y == "runs", "stops", "runs")
    moves, middle = 0.4, (0.4 + loss) / 2
    new_is_wrong = inside & (chance < middle)
    old_is_wrong = inside & (chance >= middle) & (chance < moves)
    old, new = np.where(old_is_wrong, other, made.y), np.where(new_is_wrong, other, made.y)
    return Planted(made.X, made.y, old, new, inside)


def alarms_of_the_gate(seeds: range) -> Counter[str]:
    """Count the seeds for which a limit fails, by kind of limit and of table."""
    found: Counter[str] = Counter()
    for seed in seeds:
        d = compared(planted(seed, n=800, broken=False))
        for limit in LIMITS:
            found[f"no regression: rules, {limit:.0%}"] += not d.check(rule_breaks=limit)
            found[f"no regression: groups, {limit:.0%}"] += not d.check(group_breaks=limit)
        found["no regression: net, 0%"] += not d.check(net=0)
        edge = compared(at_the_limit(seed))
        found[f"at the limit: rules, {LIMITS[-1]:.0%}"] += not edge.check(rule_breaks=LIMITS[-1])
        for wrong in (0.03, 0.08):
            broken = compared(planted(seed, n=1200, wrong=wrong))
            found[f"planted, {wrong:.0%} wrong by chance: rules, 5%"] += not broken.check(
                rule_breaks=0.05
            )
    return found


def tracked(seed: int, drifted: float = 0.0) -> list[int]:
    """Return the months of a year with an alarm; ``drifted`` is the share of the rows."""
    n_inside = int(N_ROWS * (drifted or DRIFTED[0]))
    first = planted(10_000 + 100 * seed, n=2 * N_ROWS, n_inside=2 * n_inside, broken=False)
    months = {"0": imd.diff(first.old, first.new, first.X, y=first.y)}
    for month in range(1, N_MONTHS):
        is_broken = drifted > 0 and month >= DRIFT
        made = planted(10_000 + 100 * seed + month, n_inside, N_ROWS, broken=is_broken)
        months[str(month)] = (made.old, made.new, made.X, made.y)
    return [int(period) for period, _ in imd.track(months).alarms]


def main() -> None:
    """Print a table of the gate and one of the track."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=500)
    n = parser.parse_args().seeds
    found = alarms_of_the_gate(range(n))
    print(f"{n} tables each\n")
    shares = [[name, f"{100 * failed / n:.1f} %"] for name, failed in found.items()]
    print(table([["tables: what is limited", "failed"], *shares]), flush=True)
    false = sum(bool(tracked(seed)) for seed in range(n))
    print(f"\n{n} years without a change: {100 * false / n:.1f} % with an alarm", flush=True)
    for share in DRIFTED:
        years = range(n // 5)
        after = [[month for month in tracked(seed, share) if month >= DRIFT] for seed in years]
        delays = [min(months) - DRIFT for months in after if months]
        print(
            f"{len(years)} years with a drift of {share:.0%} of the rows: {len(delays)} with an "
            f"alarm, in the same month in {delays.count(0)}, {np.mean(delays or 0):.1f} months "
            "later on average"
        )


if __name__ == "__main__":
    main()
