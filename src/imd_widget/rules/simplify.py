"""Merges regions, such that fewer rules hold for exactly the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.rules.regions import Region


def merged(regions: Iterable[Region], columns: Sequence[Column]) -> list[Region]:
    """The regions with neighbours joined, until no two can be.

    Two regions become one when they have the same outcomes, allow the same codes in every column
    but one, and in that one touch. (In a column without order any two categories touch.) Not a
    single row more or less lies inside.
    """
    found = list(regions)
    before = -1
    while len(found) != before:
        before = len(found)
        for column in sorted({column for region in found for column in region.box}):
            found = _merged_along(found, column, columns[column])
    return found


def readable(region: Region, columns: Sequence[Column]) -> Region:
    """The region with fewer categories named, which holds for the same rows of the table."""
    box = {at: columns[at].shorter(codes) for at, codes in region.box.items()}
    return replace(region, box=box)


def _merged_along(regions: list[Region], at: int, column: Column) -> list[Region]:
    """Regions that differ in column ``at`` alone, joined where they touch."""
    every = (1 << column.n_codes) - 1
    alike: dict[object, list[Region]] = {}
    for region in regions:
        rest = frozenset((key, codes) for key, codes in region.box.items() if key != at)
        alike.setdefault((region.outcomes, rest), []).append(region)
    joined: list[Region] = []
    for group in alike.values():
        run = sorted(group, key=lambda region: _values(region.box.get(at, every), column))
        current = run[0]
        for following in run[1:]:
            both = current.box.get(at, every) | following.box.get(at, every)
            if not column.ordered or _is_run(_values(both, column)):
                current = _join(current, following, at, both, every)
            else:
                joined.append(current)
                current = following
        joined.append(current)
    return joined


def _join(first: Region, second: Region, at: int, codes: int, every: int) -> Region:
    """One region for two; a column that allows everything is no condition any more."""
    box: Box = {
        key: codes if key == at else old
        for key, old in first.box.items()
        if key != at or codes != every
    }
    return replace(
        first,
        box=box,
        leaves=first.leaves + second.leaves,
        nodes=first.nodes + second.nodes,
        fit=first.fit + second.fit,
        holdout=first.holdout + second.holdout,
    )


def _values(codes: int, column: Column) -> int:
    """The codes without the one for missing."""
    return codes & ((1 << column.n_values) - 1)


def _is_run(codes: int) -> bool:
    """Whether the bits that are set lie side by side, or none is."""
    lowest = codes & -codes
    return not codes or (codes // lowest) & (codes // lowest + 1) == 0
