"""The kinds of derived columns, and the columns of the table that each is computed from."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeGuard

from imd_widget._base.plain import Plain
from imd_widget.data.derivation import Derivation
from imd_widget.data.level_sets import LevelSets
from imd_widget.data.point_score import PointScore

#: The name of a derived column: how it is computed.
Derived = Derivation | PointScore | LevelSets


def is_derived(name: Hashable) -> TypeGuard[Derived]:
    """Whether a name is that of a derived column."""
    return isinstance(name, Derivation | PointScore | LevelSets)


def derived_from_plain(plain: Plain) -> Derived:
    """Return the derivation, score or ranks that ``to_plain`` wrote, checked."""
    if plain.get("kind") == "score":
        return PointScore.from_plain(plain)
    if plain.get("kind") == "sets":
        return LevelSets.from_plain(plain)
    return Derivation.from_plain(plain)


def raw_columns(name: Hashable, position: int) -> tuple[tuple[Hashable, int], ...]:
    """Return the names and positions of the columns that a column is, or is computed from."""
    return name.sources if is_derived(name) else ((name, position),)


def raw_positions(name: Hashable, position: int) -> tuple[int, ...]:
    """Return the positions of the columns of the table that a column is computed from."""
    return tuple(at for _, at in raw_columns(name, position))
