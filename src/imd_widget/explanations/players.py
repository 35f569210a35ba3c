"""Columns, or groups of columns that change together, whose contributions are computed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from imd_widget._base.errors import Given, InputError, Quoted
from imd_widget.data.table import Table

#: Columns that are explained one by one, at most.
MOST_PLAYERS = 100
#: Name of the columns that are not explained one by one.
OTHERS = "other columns"


@dataclass(frozen=True)
class Player:
    """A column, or a group of columns that change together."""

    #: Name of the column or group.
    name: Hashable
    #: Positions of its columns in the table.
    positions: tuple[int, ...]


def read_players(
    table: Table, positions: Sequence[int], groups: Mapping[Hashable, Sequence[Hashable]] | None
) -> list[Player]:
    """Return the columns at some positions as players, or the groups that the user names.

    All columns that are left are one player, so that the contributions add up.
    """
    left = dict.fromkeys(range(len(table.names)))
    players = []
    for name, given in (groups or {}).items():
        columns: list[Any] = [given] if isinstance(given, str) else list(given)
        group = Given("groups", {name: columns})
        if not columns:
            raise InputError(group, ": a group needs columns of the table; this one has none.")
        unknown = [
            own for own in columns if not isinstance(own, Hashable) or own not in table.place
        ]
        if unknown:
            raise InputError(
                group,
                ": a group needs columns of the table, and there is no column ",
                Quoted(*unknown[:3]),
                ".",
            )
        twice = [own for own in columns if columns.count(own) > 1 or table.place[own] not in left]
        if twice:
            raise InputError(
                group,
                ": the column ",
                Quoted(twice[0]),
                " is repeated: each column is in one group, once.",
            )
        own = tuple(table.place[column] for column in columns)
        for position in own:
            del left[position]
        players.append(Player(name, own))
    for position in positions:
        if position in left:
            del left[position]
            players.append(Player(table.names[position], (position,)))
    if left:
        players.append(Player(OTHERS, tuple(left)))
    return players
