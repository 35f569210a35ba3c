"""What the columns contribute on the rows explained, and the order of the columns by it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.explanations.contributing import N_PARTS, contributions_of_rows
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.grid import point_value_text
from imd_widget.explanations.ground import Ground, draw_background, n_threads
from imd_widget.explanations.interactions import Interactions, interactions, n_rows_within
from imd_widget.explanations.players import MOST_PLAYERS, read_players
from imd_widget.explanations.ranking import n_parts, sensitivity
from imd_widget.explanations.remembering import remembered_of
from imd_widget.explanations.room import Room
from imd_widget.explanations.scores import in_threads

#: Groups of columns that change together, by name.
Groups = Mapping[Hashable, Sequence[Hashable]]
#: Share of ``max_calls`` for a quick look at the columns, if there are more than `MOST_PLAYERS`.
LOOK_SHARE = 0.2
#: Columns whose interactions are measured, the first ones.
INTERACTION_COLUMNS = 8


def _nothing() -> None:
    """Do nothing after a part of the work."""


@dataclass(frozen=True, eq=False)
class ContributionRoom(Room):
    """The contributions of the columns, and what follows from them."""

    @property
    def possible(self) -> bool:
        """Whether both models can be called, so that there are contributions."""
        return self.score.cannot is None and self.score.lacking is None

    @property
    def known(self) -> bool:
        """Whether the contributions on all rows explained were computed."""
        return self.key("contributions") in self.memory

    def known_of(self, row: int | None) -> bool:
        """Whether the contributions on one row were computed."""
        return self.memory.has_of_row(row, self.key("contributions"))

    def all(self, after_each: Callable[[], object] = _nothing) -> Contributions:
        """The contributions on all rows explained; ``after_each`` is called `n_parts` times."""
        return self.once("contributions", lambda: self._compute(None, None, after_each))

    def of_row(self, row: int) -> Contributions:
        """The contributions on one row."""
        return self.memory.of_row(
            row, self.key("contributions"), lambda: self._compute(None, row, _nothing)
        )

    def of_groups(self, groups: Groups, row: int | None) -> Contributions:
        """The contributions of groups of columns, on one row or on all."""
        return self._compute(groups, row, _nothing)

    def _compute(
        self, groups: Groups | None, row: int | None, after_each: Callable[[], object]
    ) -> Contributions:
        ground = self.ground(groups, after_each)
        row_weight = self.subject.rows.row_weight
        if row is None:
            rows, n_selected = self.explained_rows(ground), len(self.selection.rows)
        else:
            rows, n_selected = np.array([row], dtype=np.intp), 1
        found = contributions_of_rows(
            ground,
            rows,
            self.weights(rows),
            n_selected,
            self._calls,
            after_each,
            averages_out=row is None and n_selected == int((row_weight > 0).sum()),
        )
        return found if row is None else replace(found, values=self._values(found, row))

    def _values(self, found: Contributions, row: int) -> tuple[str | None, ...]:
        """The values of a row in the columns of contributions, as text."""
        one = np.array([row], dtype=np.intp)
        return tuple(
            None if at is None else point_value_text(self.table.values_at(at, one).iloc[0])
            for at in found.positions
        )

    def ground(
        self, groups: Groups | None = None, after_each: Callable[[], object] = _nothing
    ) -> Ground:
        """Return what contributions begin at; InputError if one of the models cannot be called."""
        self.score.check()
        if self.score.lacking is not None:
            raise InputError(self.score.lacking)
        fitted, state = self.subject.rows, self.options.random_state
        positions: Sequence[int] = self.positions
        if self._is_wide:
            positions = self._look(after_each)[: MOST_PLAYERS - 1]
        return Ground(
            self.score,
            self.table,
            self.subject.names,
            read_players(self.table, positions, groups),
            draw_background(fitted.row_weight, state),
            state,
            remembered_of(fitted.models, self.table),
            n_threads(in_threads(fitted.models)),
        )

    def explained_rows(self, ground: Ground) -> NDArray[np.intp]:
        """Positions of the rows whose contributions are averaged."""
        return self.rows(ground.n_explained(self._calls))

    @property
    def _is_wide(self) -> bool:
        return len(self.positions) > MOST_PLAYERS

    @property
    def _calls(self) -> int:
        """Rows that are left for contributions after a quick look at many columns."""
        calls = self.options.max_calls
        return calls - int(LOOK_SHARE * calls) if self._is_wide else calls

    @property
    def n_parts(self) -> int:
        """Number of parts of the work of `rank` and of `all`."""
        if self.score.cannot is not None:
            return 0
        look = n_parts(len(self.positions)) if self.score.lacking or self._is_wide else 0
        return look + (0 if self.score.lacking else N_PARTS)

    @property
    def is_ranked(self) -> bool:
        """Whether the columns were ranked."""
        return self.key("ranked") in self.memory

    def rank(self, after_each: Callable[[], object] = _nothing) -> list[int]:
        """Positions of the columns, the one that contributes most first.

        ``after_each`` is called `n_parts` times; it may raise to end the work.
        """

        def work() -> list[int]:
            if self.score.lacking is not None:
                return self._look(after_each)
            found = self.all(after_each)
            ranked = [at for at in (found.positions[own] for own in found.order) if at is not None]
            if len(ranked) < len(self.positions):
                ranked += [at for at in self._look() if at not in set(ranked)]
            if not self.options.shared:
                return ranked
            # a column of names or ids has no value that may be shown
            return [at for at in ranked if len(self.grid(at))]

        self.score.check()
        return self.once("ranked", work)

    def _look(self, after_each: Callable[[], object] = _nothing) -> list[int]:
        """Positions of the columns in the order of a quick look."""

        def work() -> list[int]:
            every = self.positions
            if self.options.shared:
                every = tuple(at for at in every if len(self.grid(at)))
            rows = self.rows(self.options.max_samples)
            most = int(LOOK_SHARE * self.options.max_calls)
            weights = self.weights(rows)
            found = sensitivity(self.score, self.table, rows, weights, every, most, after_each)
            return [every[at] for at in np.argsort(-found, kind="stable").tolist()]

        return self.once("look", work)

    def interact(self, after_each: Callable[[], object] = _nothing) -> Interactions:
        """Which pairs of the first columns interact most in the difference."""

        def work() -> Interactions:
            ground, calls = self.ground(), self.options.max_calls
            columns = sorted(self.rank()[:INTERACTION_COLUMNS])
            rows = self.rows(n_rows_within(ground, calls, len(columns)))
            return interactions(ground, columns, rows, self.weights(rows), calls, after_each)

        return self.once("interactions", work)
