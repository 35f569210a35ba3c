"""Merge regions, so that fewer rules hold for exactly the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.rules.cycles import Cycle, cycles, is_run, tidied
from imd_widget.rules.regions import Region


def merged(regions: Iterable[Region], columns: Sequence[Column]) -> list[Region]:
    """Merge adjacent regions until no two can be merged.

    Two regions are merged if they have the same outcomes, allow the same codes in every column but
    one, and are adjacent in that one. (In a column without order any two categories are adjacent.)
    The merged regions contain exactly the same rows.
    """
    parts = cycles(columns)
    result = list(regions)
    if parts:
        result = [replace(one, box=tidied(one.box, columns, parts)) for one in result]
    before = -1
    while len(result) != before:
        before = len(result)
        for column in sorted({column for region in result for column in region.box}):
            result = _merged_along(result, column, columns[column])
        for cycle in parts:
            result = _merged_around(result, cycle)
    return result


def readable(region: Region, columns: Sequence[Column]) -> Region:
    """Return the region with fewer named categories that contains the same rows of the table."""
    box = {position: columns[position].shorter(codes) for position, codes in region.box.items()}
    return replace(region, box=tidied(box, columns, cycles(columns)))


def _merged_along(regions: list[Region], position: int, column: Column) -> list[Region]:
    """Merge adjacent regions that differ only in the column at ``position``."""
    every = (1 << column.n_codes) - 1
    alike: dict[object, list[Region]] = {}
    for region in regions:
        rest = frozenset((key, codes) for key, codes in region.box.items() if key != position)
        alike.setdefault((region.outcomes, rest), []).append(region)
    joined: list[Region] = []
    for group in alike.values():
        run = sorted(group, key=lambda region: _values(region.box.get(position, every), column))
        current = run[0]
        for following in run[1:]:
            both = current.box.get(position, every) | following.box.get(position, every)
            if not column.ordered or is_run(_values(both, column)):
                current = _join(current, following, position, both, every)
            else:
                joined.append(current)
                current = following
        joined.append(current)
    return joined


def _merged_around(regions: list[Region], cycle: Cycle) -> list[Region]:
    """Merge regions that differ only in a part of dates, and join to one range of its cycle."""
    own = (cycle.first, cycle.second)
    alike: dict[object, list[Region]] = {}
    for region in regions:
        rest = frozenset((key, codes) for key, codes in region.box.items() if key not in own)
        alike.setdefault((region.outcomes, rest), []).append(region)
    joined: list[Region] = []
    for group in alike.values():
        waiting = list(group)
        while waiting:
            current = waiting.pop(0)
            for other in waiting:
                both = cycle.constraint(cycle.codes(current.box) | cycle.codes(other.box))
                if both is not None:
                    waiting.remove(other)
                    rest_box = {k: codes for k, codes in current.box.items() if k not in own}
                    waiting.insert(0, _united(current, other, rest_box | both))
                    break
            else:
                joined.append(current)
    return joined


def _join(first: Region, second: Region, position: int, codes: int, every: int) -> Region:
    """Return the union of two regions; a column that allows every code leaves the box."""
    box: Box = {
        key: codes if key == position else old
        for key, old in first.box.items()
        if key != position or codes != every
    }
    return _united(first, second, box)


def _united(first: Region, second: Region, box: Box) -> Region:
    """Return two regions as one with this box."""
    return replace(
        first,
        box=box,
        leaves=first.leaves + second.leaves,
        nodes=first.nodes + second.nodes,
        fit=first.fit + second.fit,
        holdout=first.holdout + second.holdout,
    )


def _values(codes: int, column: Column) -> int:
    """Return the codes without the code of missing values."""
    return codes & ((1 << column.n_values) - 1)
