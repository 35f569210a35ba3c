"""What the contributions of all rows of a table begin at: models, background rows, known walks."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Part
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.players import Player
from imd_widget.explanations.remembering import Remembered
from imd_widget.explanations.scores import ExplainedScore, mapped
from imd_widget.explanations.walks import Walks, by_gap, walked

#: Most rows whose contributions are averaged, and background rows that walks begin at.
MOST_ROWS, MOST_BACKGROUND = 2000, 1000
#: Fewest pairs of walks of one row.
FEWEST_PAIRS = 2
#: Rows that a model is called with at once, at most, and seconds that a call should take.
CALL_ROWS, CALL_SECONDS = 10_000, 2.0
#: Rows of a call if nothing is known of what calls cost.
FIRST_ROWS = 2_000


@dataclass(frozen=True, eq=False)
class Ground:
    """What the contributions of all rows of a table begin at."""

    score: ExplainedScore
    #: The user's table.
    table: Table
    #: Names of the models.
    names: tuple[str, str]
    #: Together all columns of the table, each in one of them.
    players: Sequence[Player]
    #: Positions of the rows that walks begin at.
    background: NDArray[np.intp]
    random_state: int
    #: Walks and scores that are known.
    remembered: Remembered
    #: Threads in which the models may be called.
    threads: int = 1

    @property
    def key(self) -> Hashable:
        """What walks depend on, beside the row."""
        players = tuple(player.positions for player in self.players)
        return self.score.what, players, self.random_state, len(self.background)

    def left_of(self, max_calls: int, n_rows: int) -> int:
        """Rows that are left for walks, once the rows explained and the background were asked."""
        return max(0, max_calls - n_rows - len(self.background))

    def n_explained(self, max_calls: int) -> int:
        """Return how many rows can be explained with `FEWEST_PAIRS` pairs of walks each."""
        each = 1 + 2 * FEWEST_PAIRS * max(1, len(self.players) - 1)
        return int(np.clip(self.left_of(max_calls, 0) // each, 1, MOST_ROWS))

    def scores(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Scores of both models for rows of the table: shape (2, n)."""
        return self.remembered.scores.of(
            self.score.what,
            rows,
            self.table.n_rows,
            lambda missing: self.asked(self.table.take(missing)),
        )

    def asked(self, table: Table) -> NDArray[np.float64]:
        """Scores of both models for every row of a table: shape (2, n)."""

        def told(missing: NDArray[np.bool_]) -> list[Part]:
            n = int(missing.sum())
            rows = "a row" if n == 1 else f"{n:,} rows"
            return [f"{rows} of {len(missing):,} whose values come from two rows of the table."]

        return np.stack([self.score.asked(model, table, told, WALKS_NEED) for model in (0, 1)])

    def ladder(self) -> NDArray[np.intp]:
        """Numbers of the background rows by the gap of the models; the same for swapped models."""
        return by_gap(self.scores(self.background))

    def walk(
        self,
        walks: Walks,
        ends: Table,
        at_ends: NDArray[np.float64],
        after_each: Callable[[int], object],
    ) -> NDArray[np.float64]:
        """Return the contributions of each pair of walks to rows of a table.

        Parameters
        ----------
        walks : Walks
        ends : Table
            The rows that walks end at, with the columns of the user's table.
        at_ends : ndarray of shape (2, n_rows)
            Their scores.
        after_each : callable
            Called with the number of pairs done after each call of the models; an exception that it
            raises ends the work.
        """
        at_starts = self.scores(self.background)
        starts = self.table.take(self.background)
        small = ends.stacked([starts]) if starts.stacks_on(ends) else None
        player_of = np.empty(len(self.table.names), dtype=np.intp)
        for number, player in enumerate(self.players):
            player_of[list(player.positions)] = number

        def work(part: Walks) -> NDArray[np.float64]:
            def ask(mask: NDArray[np.bool_], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
                end, start = part.ends[pairs], part.starts[pairs]
                if small is None:
                    return self.asked(_joined(ends, starts, mask[:, player_of], end, start))
                by_player = [np.where(own, end, ends.n_rows + start) for own in mask.T]
                takes = [by_player[player] for player in player_of.tolist()]
                return self.asked(open_table(small.mix(takes), self.table.argument))

            return walked(part, ask, at_ends[:, part.ends], at_starts[:, part.starts])

        done = 0
        found = [np.empty((2, 0, len(self.players)))]
        while done < len(walks):
            parts = self._parts(walks, done)
            sizes = iter(map(len, parts))

            def count(sizes: Iterator[int] = sizes) -> None:
                nonlocal done
                done += next(sizes)
                after_each(done)

            found += mapped(work, parts, self.threads, count)
        return np.concatenate(found, axis=1)

    def _parts(self, walks: Walks, done: int) -> list[Walks]:
        """The next pairs, one part for each thread, of calls that take about `CALL_SECONDS`.

        What calls cost is known from those before.
        """
        steps = max(1, 2 * (len(self.players) - 1))
        within = self.score.rows_within(CALL_SECONDS) or FIRST_ROWS
        at_once = max(1, min(CALL_ROWS, within) // steps)
        at_once = max(1, min(at_once, -(-(len(walks) - done) // self.threads)))
        stop = min(len(walks), done + self.threads * at_once)
        return [walks.part(slice(at, min(at + at_once, stop))) for at in range(done, stop, at_once)]


#: What to do about a model that gives no output for a row of a walk.
WALKS_NEED: tuple[Part, ...] = (
    " Contributions need an output for every such row: pass a function that answers them too.",
)


def _joined(
    ends: Table,
    starts: Table,
    of_end: NDArray[np.bool_],
    end: NDArray[np.intp],
    start: NDArray[np.intp],
) -> Table:
    """Rows with values of two tables whose columns have different types."""
    mixed = starts.take(start)
    for position in range(len(starts.names)):
        own = starts.values_at(position, start).astype(object).to_numpy(copy=True)
        other = ends.values_at(position, end).astype(object).to_numpy()
        mask = of_end[:, position]
        own[mask] = other[mask]
        mixed = mixed.with_values(position, own)
    return mixed


def n_threads(possible: bool) -> int:
    """Return in how many threads models are called, if that is possible."""
    return os.cpu_count() or 1 if possible else 1


def draw_background(weights: NDArray[np.float64], random_state: int) -> NDArray[np.intp]:
    """Draw background rows from all rows, in proportion to their weights.

    Rows with whole weights, of at most `MOST_BACKGROUND` in all, are repeated: they are the
    background of a table with repeated rows.
    """
    generator = np.random.default_rng(random_state)
    counting = np.flatnonzero(weights > 0)
    own = weights[counting]
    if (own == own[0]).all():
        n = min(MOST_BACKGROUND, len(counting))
        return np.sort(generator.choice(counting, n, replace=False))
    if own.sum() <= MOST_BACKGROUND and (own == np.rint(own)).all():
        return np.repeat(counting, own.astype(np.intp))
    # evenly spaced on the scale of summed weights
    ends = np.cumsum(own)
    wanted = (np.arange(MOST_BACKGROUND) + generator.random()) * (ends[-1] / MOST_BACKGROUND)
    places = np.minimum(np.searchsorted(ends, wanted, side="right"), len(counting) - 1)
    return np.asarray(counting[places])
