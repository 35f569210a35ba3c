"""Boxes over derived columns in fewer conditions, which hold for the same rows.

Each part of dates is two columns with the same values in two orders, so that a range across the end
of the cycle (22 to 5 o'clock) is an interval in one of them. And all columns that are derived from
one raw column are missing in the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.data.derivation import Derivation
from imd_widget.data.point_score import PointScore


@dataclass(frozen=True)
class Cycle:
    """A part of dates as two columns with different orders."""

    #: Indices of the columns.
    first: int
    second: int
    #: The length of the cycle.
    n_values: int
    #: Code 0 of the second column has this code in the first one.
    shift: int

    @property
    def every(self) -> int:
        """All codes, as bits, with that of missing values."""
        return (1 << (self.n_values + 1)) - 1

    def codes(self, box: Box) -> int:
        """Return the codes that a box allows, as bits of the first column."""
        return box.get(self.first, self.every) & self._turned(
            box.get(self.second, self.every), self.shift
        )

    def constraint(self, codes: int) -> dict[int, int] | None:
        """Return a box with these codes in one column; None if they are no range of the cycle."""
        if codes == self.every:
            return {}
        values = (1 << self.n_values) - 1
        if is_run(codes & values):
            return {self.first: codes}
        turned = self._turned(codes, self.n_values - self.shift)
        return {self.second: turned} if is_run(turned & values) else None

    def _turned(self, codes: int, shift: int) -> int:
        """Return codes moved around the cycle; that of missing values stays."""
        values = (1 << self.n_values) - 1
        own = codes & values
        moved = (own << shift | own >> (self.n_values - shift)) & values
        return moved | (codes & ~values)


def cycles(columns: Sequence[Column]) -> list[Cycle]:
    """Return the parts of dates among columns."""
    found: dict[object, int] = {}
    pairs = []
    for index, column in enumerate(columns):
        name = column.name
        if not isinstance(name, Derivation) or not column.ordered:
            continue
        order = column.categories
        # with a code for each value
        if order is None or column.n_values != len(order):
            continue
        key = (name.source, name.at, name.part)
        if key in found:
            first = columns[found[key]].categories
            assert first is not None
            pairs.append(Cycle(found[key], index, len(order), first.index(order[0])))
        found.setdefault(key, index)
    return pairs


def tidied(box: Box, columns: Sequence[Column], parts: Sequence[Cycle]) -> Box:
    """Return a box with fewer constraints that contains the same rows.

    ``parts`` are the `cycles` of the columns.
    """
    result = dict(box)
    for cycle in parts:
        if cycle.first in result or cycle.second in result:
            constraint = cycle.constraint(cycle.codes(result))
            if constraint is not None:
                for column in (cycle.first, cycle.second):
                    result.pop(column, None)
                result |= constraint
    for shared in _of_one_source(result, columns):
        _share_missing(result, shared, columns)
    return result


def _of_one_source(box: Box, columns: Sequence[Column]) -> Iterator[list[int]]:
    """Yield the constrained columns of each raw column, if there are several."""
    sources: dict[int, list[int]] = {}
    derived = set()
    for index in box:
        column = columns[index]
        if isinstance(column.name, PointScore):  # which no value is missing of
            continue
        position = column.name.at if isinstance(column.name, Derivation) else column.position
        sources.setdefault(position, []).append(index)
        if isinstance(column.name, Derivation):
            derived.add(position)
    yield from (own for position, own in sources.items() if position in derived and len(own) > 1)


def _share_missing(box: dict[int, int], shared: Sequence[int], columns: Sequence[Column]) -> None:
    """Allow missing values in all constraints on one raw column or in none."""
    missing = {index: 1 << columns[index].n_values for index in shared}
    if all(box[index] & missing[index] for index in shared):
        return
    for index in shared:
        box[index] &= ~missing[index]
    # one of them is enough to say that there is a value
    for index in shared:
        others = [other for other in shared if other != index and other in box]
        if box[index] == missing[index] - 1 and others:
            del box[index]


def is_run(codes: int) -> bool:
    """Whether the set bits are consecutive; True if no bit is set."""
    lowest = codes & -codes
    return not codes or (codes // lowest) & (codes // lowest + 1) == 0
