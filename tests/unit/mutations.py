"""Seeded mutations of plain values, for files that are damaged or edited by hand."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

#: What a value is replaced by.
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 1.5, -0.5, 1e300, 1 << 70, "", "x", "r", [], [1], {}, {"a": 1}),
    *({"date": "x"}, {"float": "nan"}, {"float": "inf"}, [[]], ["a", "b"]),
)


def mutants(plain: Any, n: int, seed: int = 0) -> Iterator[tuple[str, Any]]:
    """``n`` copies of a plain value with one change each, and what was changed."""
    rng = random.Random(seed)
    paths = list(_paths(plain))
    for _ in range(n):
        *parents, last = rng.choice(paths)
        changed = copy.deepcopy(plain)
        holder = changed
        for step in parents:
            holder = holder[step]
        yield f"{[*parents, last]}: {_change(holder, last, rng)}", changed


def _paths(plain: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value; of a list that is long, to some of its values."""
    if isinstance(plain, dict):
        steps = list(plain)
    elif isinstance(plain, list):
        steps = [*range(min(3, len(plain)))]
    else:
        return
    for step in steps:
        yield (*above, step)
        yield from _paths(plain[step], (*above, step))


def _change(holder: Any, last: Any, rng: random.Random) -> str:
    """Change one value of a list or an object in place."""
    old = holder[last]
    how = rng.choice(["replace", "replace", "remove", "nudge", "repeat"])
    if how == "nudge" and isinstance(old, int | float) and not isinstance(old, bool):
        holder[last] = rng.choice([-old, old + 1, old - 1, old * 1000, old / 7])
    elif how == "remove":
        del holder[last]
        return "removed"
    elif how == "repeat" and isinstance(old, list):
        holder[last] = old + old
    else:
        holder[last] = rng.choice(ODD)
    return f"{str(old)[:40]} became {str(holder[last])[:40]}"
