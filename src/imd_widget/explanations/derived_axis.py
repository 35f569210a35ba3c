"""The rows explained with other values of a column that rules derive: a word, a weekday, a length.

Models get the table as it is, so such a value is a value of the raw column. A word is removed from
the text of a row, or written behind it. In place of a date stands the nearest date in the table
with the other hour, weekday or month; in place of a text, that of another row with the other length
or sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.date_parts import DATE_PARTS
from imd_widget.data.derivation import Derivation
from imd_widget.data.native import as_moments
from imd_widget.data.table import Table, open_table
from imd_widget.data.words import as_texts, contains, without_word
from imd_widget.explanations.grid import Grid, grid_of, nearest_points
from imd_widget.explanations.room import Room
from imd_widget.rules.derived_languages import derived_point_text


@dataclass(frozen=True, eq=False)
class DerivedAxis:
    """The values of a derived column, and the rows of the table that have them."""

    derived: Derivation
    #: The derived values.
    grid: Grid
    #: For each of them the positions of rows with this value, or of the nearest.
    donors: tuple[NDArray[np.intp], ...]
    random_state: int

    @classmethod
    def of(cls, room: Room, derived: Derivation) -> DerivedAxis:
        """Return the values of a derived column over all rows of the table."""
        options = room.options
        rows, weights = room.every_row()
        values = room.table.take(rows).find(derived, derived.at)
        frame, places = open_table(pd.DataFrame({0: values})), np.arange(len(rows))
        n_points = options.n_points
        if derived.part in DATE_PARTS:
            n_points = max(n_points, DATE_PARTS[derived.part].n_values)
        grid = grid_of(frame, 0, places, weights, n_points, None, options.least)
        nearest = nearest_points(frame, 0, places, grid)
        donors = [rows[nearest == point] for point in range(len(grid))]
        kept = [point for point, own in enumerate(donors) if len(own)]
        grid = Grid(
            tuple(grid.values[point] for point in kept),
            tuple(derived_point_text(derived, grid.values[point]) for point in kept),
            None if grid.numbers is None or derived.is_flag else grid.numbers[kept],
            np.full(len(kept), -1),
            grid.shares[kept],
        )
        return cls(derived, grid, tuple(donors[point] for point in kept), options.random_state)

    def filled(self, table: Table, rows: NDArray[np.intp]) -> Table:
        """Return each of the rows with each of the values, the values of a row one by one."""
        position = self.derived.at
        sources = np.stack([self._sources(table, rows, own) for own in self.donors], axis=1)
        takes = [np.repeat(rows, len(self.grid))] * len(table.names)
        takes[position] = sources.ravel()
        filled = open_table(table.mix(takes), table.argument)
        if self.derived.part != "word":
            return filled
        texts = np.empty(sources.shape, dtype=object)
        texts[:] = np.array(as_texts(filled.get(position)), dtype=object).reshape(sources.shape)
        own = as_texts(table.values_at(position, rows))
        for point, value in enumerate(self.grid.values):
            if value is not None:
                texts[:, point] = [self._worded(text or "", bool(value)) for text in own]
        return filled.with_values(position, texts.ravel())

    def _sources(
        self, table: Table, rows: NDArray[np.intp], donors: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Positions of the rows whose raw value stands in for that of each of the rows."""
        if not self.derived.of_text:
            every = as_moments(table.get(self.derived.at)).to_numpy(dtype="datetime64[us]")
            moments, own = every[donors], every[rows]
            if not np.isnat(moments).any() and not np.isnat(own).any():
                order = np.argsort(moments, kind="stable")
                ordered = moments[order]
                after = np.searchsorted(ordered, own).clip(0, len(order) - 1)
                before = (after - 1).clip(0)
                nearer = np.abs(ordered[before] - own) < np.abs(ordered[after] - own)
                return np.asarray(donors[order[np.where(nearer, before, after)]])
        generator = np.random.default_rng(self.random_state)
        return np.asarray(generator.choice(donors, len(rows)))

    def _worded(self, text: str, wanted: bool) -> str:
        """The text of a row with the word, or without it."""
        word = self.derived.word
        if bool(contains([text], [word])[0, 0]) == wanted:
            return text
        return f"{text} {word}".strip() if wanted else without_word(text, word)

    def after(self, inside: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the points outside, with hours and weekdays in the order after those inside."""
        outside = np.flatnonzero(~inside & (self.grid.shares > 0))
        if self.derived.part not in DATE_PARTS or not inside.any() or not len(outside):
            return outside
        n = len(inside)
        last = next(at for at in range(n) if inside[at] and not inside[(at + 1) % n])
        return outside[np.argsort((outside - last) % n, kind="stable")]
