"""The sentences about the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from imd_widget.comparison.summary import short_name
from imd_widget.many.figures import Figures, Scores
from imd_widget.rules.languages import row_share

#: Two models that differ on at most this share of the rows are nearly the same.
NEAR = 0.05
#: The odd one out is this many times as far from its nearest as any other model from its own.
ODD = 2.0
#: Most pairs or groups that a sentence lists.
MOST_LISTED = 3

Pair = tuple[int, int]


def sentences(figures: Figures) -> tuple[str, ...]:
    """Return which models are alike, which stands apart, who is best, and when outputs differ."""
    return (*_likeness(figures), *_best(figures), *_tolerance(figures), *_notes(figures))


def _likeness(figures: Figures) -> tuple[str, ...]:
    k, n_rows = len(figures.names), figures.n_rows
    pairs = list(combinations(range(k), 2))
    rows = [int(figures.rows[pair]) for pair in pairs]
    every = f"all {n_rows:,} rows" if n_rows != 1 else "the only row"
    if k == 2:
        return (_two(figures, every),)
    if not max(rows):
        return (f"All {k} models agree on {every}.",)
    if min(rows) == n_rows:
        return (f"Every two of the {k} models differ on {every}.",)
    shares = {pair: float(figures.shares[pair]) for pair in pairs}
    least, most = min(shares.values()), max(shares.values())
    if least == most:
        return (f"Every two of the {k} models differ on {row_share(least)} of the rows.",)
    closest = [pair for pair in pairs if shares[pair] == least]
    furthest = [pair for pair in pairs if shares[pair] == most]
    alike = _same(figures, closest) if not least else _close(figures, closest, least)
    return (f"{alike}; {_apart(figures)}.", f"{_named(figures, furthest, most, 'most')}.")


def _two(figures: Figures, every: str) -> str:
    first, second = map(short_name, figures.names)
    differing, n_rows = int(figures.rows[0, 1]), figures.n_rows
    if not differing:
        return f"{first} and {second} agree on {every}."
    if differing == n_rows:
        return f"{first} and {second} differ on {every}."
    share = row_share(float(figures.shares[0, 1]))
    return f"{first} and {second} differ on {differing:,} of {n_rows:,} rows ({share})."


def _same(figures: Figures, pairs: Sequence[Pair]) -> str:
    """Say which models agree on all rows; within a tolerance that need not be transitive."""
    groups = _groups(pairs)
    n_inside = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    transitive = n_inside == len(pairs)
    if transitive and len(groups) == 1:
        return f"{_listed(figures, groups[0])} agree on all rows"
    if transitive and len(groups) <= MOST_LISTED:
        listed = "; ".join(_listed(figures, group) for group in groups)
        return f"{len(groups)} groups agree on all rows ({listed})"
    which = ""
    if len(pairs) <= MOST_LISTED:
        which = f": {', '.join(_listed(figures, pair) for pair in pairs)}"
    return f"{len(pairs):,} pairs agree on all rows{which}"


def _close(figures: Figures, pairs: Sequence[Pair], share: float) -> str:
    if len(pairs) == 1 and share <= NEAR:
        return f"{_listed(figures, pairs[0])} are nearly the same ({row_share(share)})"
    return _named(figures, pairs, share, "least")


def _named(figures: Figures, pairs: Sequence[Pair], share: float, how: str) -> str:
    """Say which pairs differ least, or most."""
    listed = [_listed(figures, pair) for pair in pairs]
    if len(pairs) == 1:
        return f"{listed[0]} differ {how} ({row_share(share)})"
    which = f": {', '.join(listed)}" if len(pairs) <= MOST_LISTED else ""
    return f"{len(pairs):,} pairs differ {how} ({row_share(share)} each){which}"


def _apart(figures: Figures) -> str:
    """Say which model is far from all others, or how far every model is from another at most."""
    shares = figures.shares + np.diag(np.full(len(figures.names), np.inf))
    nearest = shares.min(axis=1)
    far = float(nearest.max())
    at = int(nearest.argmax())
    others = float(np.delete(nearest, at).max())
    if far > 0 and far >= ODD * others:
        closest = [short_name(figures.names[j]) for j in np.flatnonzero(shares[at] == far)]
        which = f", {closest[0]}" if len(closest) == 1 else ""
        name = short_name(figures.names[at])
        return f"the odd one out is {name} ({row_share(far)} from the nearest{which})"
    if not far:
        return "every model agrees with another on all rows"
    return f"every model differs from the nearest one on at most {row_share(far)} of the rows"


def _best(figures: Figures) -> tuple[str, ...]:
    scores = figures.scores
    if scores is None:
        return ()
    best = [at for at, one in enumerate(scores.models) if one.best]
    points = [one.score for one in scores.models]
    leader = points.index(min(points) if scores.is_error else max(points))
    text, rows = scores.models[leader].text, _rows_with_truth(scores)
    everyone = len(best) == len(figures.names)
    if any(points[at] != points[leader] for at in best):
        return (_not_told_apart(figures, scores, leader, [at for at in best if at != leader]),)
    who = f"All {len(best)} models" if everyone and len(best) > 2 else _listed(figures, best)
    several = len(best) > 1
    if scores.is_error:
        have = "have the same" if everyone else f"{'have' if several else 'has'} the smallest"
        return (f"{who} {have} {scores.name}: {text} on {rows}.",)
    if everyone:
        return (f"{who} are right equally often: on {text} of {rows}.",)
    return (f"{who} {'are' if several else 'is'} right most often: on {text} of {rows}.",)


def _not_told_apart(figures: Figures, scores: Scores, leader: int, others: Sequence[int]) -> str:
    """Say which models have nearly the best score, so that none of them can be called the best."""
    text, rows = scores.models[leader].text, _rows_with_truth(scores)
    if len(others) == len(figures.names) - 1:
        who = _listed(figures, [leader, *others])
        if len(others) >= MOST_LISTED:
            who = f"the {len(figures.names)} models"
        ends = sorted({one.score: one.text for one in scores.models}.items())
        joint = " and " if len(scores.models) == 2 else " to "
        return (
            f"By {scores.name}, {who} cannot be told apart: {ends[0][1]}{joint}{ends[-1][1]} on "
            f"{rows}."
        )
    whom = f"{len(others)} others"
    if len(others) <= MOST_LISTED:
        whom = _joined(
            [f"{short_name(figures.names[at])} ({scores.models[at].text})" for at in others]
        )
    does = f"has the smallest {scores.name}" if scores.is_error else "is right most often"
    of = f"{text} on {rows}" if scores.is_error else f"on {text} of {rows}"
    return (
        f"{short_name(figures.names[leader])} {does}, {of}, but cannot be told apart from {whom}."
    )


def _rows_with_truth(scores: Scores) -> str:
    rows = f"{scores.n_rows:,} rows" if scores.n_rows != 1 else "1 row"
    return f"{rows} of the holdout with y" if scores.on_holdout else f"{rows} with y"


def _tolerance(figures: Figures) -> tuple[str, ...]:
    if figures.differs is None:
        return ()
    return (f"Two outputs differ if they are {figures.differs}.",)


def _notes(figures: Figures) -> tuple[str, ...]:
    notes = ("Shares are by weight.",) if figures.weighted else ()
    if not figures.skipped:
        return notes
    names = _joined([short_name(one.name) for one in figures.skipped])
    were = "was" if len(figures.skipped) == 1 else "were"
    return (*notes, f"{names} {were} left out.")


def _groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """Models that are connected by pairs, in the order of their first."""
    groups: list[set[int]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    return sorted(sorted(group) for group in groups)


def _listed(figures: Figures, models: Sequence[int]) -> str:
    return _joined([short_name(figures.names[at]) for at in models])


def _joined(parts: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
