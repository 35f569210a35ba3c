"""Shapley contributions of the columns to the scores of both models, and to their difference.

A walk leads from a background row to a row that is explained: one after the other, in a random
order, the columns take their values from the second row. The change of a score at each step is what
the column contributes in this walk, and the changes of a walk add up to the difference of the
scores of the two rows. Contributions are means over walks, so they add up too: exactly, for every
row, for both models and for their difference. Each random order is also walked backwards, which
halves the error of smooth models; both models walk the same walks.

The walks of a row depend on its position in the table and on the seed alone. So the walks that were
made for one region, or with a smaller number of calls, are used again for another.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError, Part, Quoted
from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.precision import cleared
from imd_widget.explanations.remembering import Remembered
from imd_widget.explanations.scores import Score, mapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Rows that each model is called with at most.
MAX_CALLS = 50_000
#: Most rows whose contributions are averaged, and background rows that walks begin at.
MOST_ROWS, MOST_BACKGROUND = 200, 1000
#: Fewest and most pairs of walks of one row.
FEWEST_PAIRS, MOST_PAIRS = 2, 500
#: Rows that a model is called with at once, at most, and seconds that a call should take.
CALL_ROWS, CALL_SECONDS = 10_000, 2.0
#: Rows of a call if nothing is known of what calls cost.
FIRST_ROWS = 2_000
#: Multiples of it, less their whole part, are spread evenly between 0 and 1.
GOLDEN = (5**0.5 - 1) / 2
#: Parts in which progress is reported.
N_PARTS = 10
#: Columns that are explained one by one, at most.
MOST_PLAYERS = 100
#: Name of the columns that are not explained one by one.
OTHERS = "other columns"
#: A model hardly uses a column whose mean absolute contribution is below this share of the other
#: model's.
UNUSED_SHARE = 0.05
#: Contributions below this share of the gap are not named in a sentence.
LEAST_NAMED = 0.05


@dataclass(frozen=True)
class Player:
    """A column, or a group of columns that change together."""

    #: Name of the column or group.
    name: Hashable
    #: Positions of its columns in the table.
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Contributions(FrozenArrays):
    """What each column contributes to the scores of both models, on average over some rows.

    ``base[0] + first.sum()`` is model 1's mean score on these rows, and the same holds for model 2
    and for the difference: ``base_gap + difference.sum() == gap``.

    Attributes
    ----------
    columns : tuple
        Names of the columns, or of groups of columns.
    names : tuple of two str
        Names of the models.
    what : str
        The score that is explained: "probability of yes".
    base : ndarray of shape (2,)
        Mean score of either model on the background rows.
    level : ndarray of shape (2,)
        Mean score of either model on the rows.
    first, second : ndarray of shape (n_columns,)
        Mean contribution of each column to either model's score.
    difference : ndarray of shape (n_columns,)
        ``first - second``.
    standard_error : ndarray of shape (n_columns,)
        Standard error of ``difference``: from the random walks and, if only some of the rows were
        explained, from the choice of the rows.
    size : ndarray of shape (3, n_columns)
        Mean absolute contribution to either model's score: how much the model uses the
        column, and to the difference.
    rows : ndarray of int
        Positions of the rows.
    n_selected : int
        Number of rows that were selected; ``rows`` are some of them.
    n_asked : int
        Number of rows that each model was called with.
    precision : float
        Contributions that are not larger are rounding.
    averages_out : bool
        Whether the rows are all rows of the table: contributions to the scores of all rows average
        out, and ``size`` tells more.
    positions : tuple of int or None
        Position of each column in the table; None for several columns together.
    values : tuple of str, or None
        For one row: the value that it has in each column, as text.
    """

    columns: tuple[Hashable, ...]
    names: tuple[str, str]
    what: str
    base: NDArray[np.float64]
    level: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    size: NDArray[np.float64]
    rows: NDArray[np.intp]
    n_selected: int
    n_asked: int
    precision: float = 0.0
    averages_out: bool = False
    positions: tuple[int | None, ...] = ()
    values: tuple[str | None, ...] | None = None

    @property
    def gap(self) -> float:
        """Model 1's mean score on the rows less model 2's."""
        return float(self.level[0] - self.level[1])

    @property
    def base_gap(self) -> float:
        """The same on the background rows: the part of the gap that no column explains."""
        return float(self.base[0] - self.base[1])

    @property
    def order(self) -> NDArray[np.intp]:
        """Numbers of the columns, the one that contributes most to the gap first.

        If contributions average out, the one with the largest ``size`` to the difference.
        """
        measure = self.size[2] if self.averages_out else np.abs(self.difference)
        return np.argsort(-measure, kind="stable")

    @property
    def n_decimals(self) -> int:
        """Decimals with which the figures are shown: two digits of the largest, 1.00 included."""
        shown = [self.gap, self.base_gap, *self.difference.tolist()]
        if self.averages_out:
            shown += self.size.ravel().tolist()
        largest = max(map(abs, shown))
        if largest <= self.precision:
            return 2
        return int(np.clip(1 - np.floor(np.log10(largest)), 2 if largest < 1 + 1e-9 else 0, 6))

    def text(self, value: float, *, signed: bool = False) -> str:
        """Return a figure as text, with as many decimals as the others; never "-0.00"."""
        places = self.n_decimals
        rounded = round(float(value), places)
        return f"{rounded + 0.0 if rounded else 0.0:{'+' if signed and rounded else ''},.{places}f}"

    def error_text(self, error: float) -> str:
        """Return a standard error as text, with at least one digit that is not 0."""
        text = self.text(error)
        return text if float(text.replace(",", "")) or error < 1e-6 else f"{error:.1g}"

    @property
    def headline(self) -> str:
        """Which model gives more on these rows and how much, and where most of it comes from."""
        gap, here = self.gap, "for this row" if self.values is not None else "on these rows"
        low, high = self.text(self.level[0]), self.text(self.level[1])
        if self.averages_out:
            here = "on all rows"
        if self.text(abs(gap)) == self.text(0.0):
            both = low if low == high else f"{low} and {high}"
            said = f"{self.names[0]} and {self.names[1]} give the same {self.what} {here}: {both}."
            return f"{said} {self._largest}" if self.averages_out else said
        more, less = (0, 1) if gap > 0 else (1, 0)
        levels = (low, high) if gap > 0 else (high, low)
        said = (
            f"{self.names[more]} gives a {self.what} that is {self.text(abs(gap))} higher than "
            f"{self.names[less]}'s {here}: {levels[0]} and {levels[1]}."
        )
        if self.averages_out:
            return f"{said} {self._largest}"
        sign = 1.0 if gap > 0 else -1.0
        largest = [
            at
            for at in self.order[:3].tolist()
            if sign * self.difference[at] > LEAST_NAMED * abs(gap)
        ]
        if not largest:
            return said
        named = [f"{self.columns[at]} ({self.text(sign * self.difference[at])})" for at in largest]
        share = sign * self.difference[largest[0]]
        if share > abs(gap):
            return f"{said} {self.columns[largest[0]]} alone contributes {self.text(share)}."
        if share > abs(gap) / 2:
            return f"{said} {self.columns[largest[0]]} accounts for {self.text(share)} of it."
        listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
        return f"{said} The largest contributions come from {listed}."

    @property
    def _largest(self) -> str:
        """Which columns move the models apart most on single rows, as a sentence."""
        named = [
            f"{self.columns[at]} ({self.text(self.size[2, at])})"
            for at in self.order[:3].tolist()
            if self.text(self.size[2, at]) != self.text(0.0)
        ]
        if not named:
            return "No column moves them apart."
        return f"On single rows the columns that move them apart most are {', '.join(named)}."

    def total(self, n: int = 3) -> str:
        """Return the gap as a sum: the gap on average, the ``n`` largest contributions, the rest.

        Parameters
        ----------
        n : int, default=3
            Number of columns that are named.
        """
        parts = [(self.base_gap, "on average over all rows")]
        nothing = self.text(0.0)
        shown = [at for at in self.order[:n] if self.text(abs(self.difference[at])) != nothing]
        parts += [(float(self.difference[at]), f"from {self.columns[at]}") for at in shown]
        rest = np.setdiff1d(self.order, shown)
        if len(rest):
            columns = "another column" if len(rest) == 1 else f"{len(rest)} other columns"
            parts.append((float(self.difference[rest].sum()), f"from {columns}"))
        words = f"{self.text(self.gap)} = {self.text(parts[0][0])} {parts[0][1]}"
        for value, words_of in parts[1:]:
            figure = self.text(abs(value))
            sign = "-" if value < 0 and figure != nothing else "+"
            words += f" {sign} {figure} {words_of}"
        return f"{words}."

    def unused(self) -> tuple[tuple[Hashable, str, str], ...]:
        """Return the columns that one model uses and the other does not, or hardly.

        Each with the name of the model that uses it and of the one that does not, in `order`.
        """
        return tuple(
            (self.columns[at], self.names[used], self.names[1 - used])
            for at, used in self._unused()
        )

    def _unused(self) -> list[tuple[int, int]]:
        """Number of the column and of the model that uses it."""
        found = []
        for at in self.order.tolist():
            sizes = self.size[:2, at]
            used = int(sizes.argmax())
            large = sizes[used] > max(self.precision, 0.1 * abs(self.gap))
            if large and sizes[1 - used] < UNUSED_SHARE * sizes[used]:
                found.append((at, used))
        return found

    @property
    def unused_sentences(self) -> tuple[str, ...]:
        """A sentence for each of `unused`."""
        return tuple(
            f"{self.names[used]} uses {self.columns[at]}, {self.names[1 - used]} "
            f"{'hardly does' if self.size[1 - used, at] > self.precision else 'does not'}."
            for at, used in self._unused()
        )

    @property
    def note(self) -> str:
        """How many rows were explained, and how often the models were called, as a sentence."""
        n, of = len(self.rows), self.n_selected
        if self.values is not None:
            rows = ""
        elif n == of:
            rows = f"Averages over {n:,} rows. "
        else:
            rows = f"Averages over {n:,} of {of:,} rows. "
        return f"{rows}Each model was called with {self.n_asked:,} rows."

    def summary(self, n: int = 3) -> str:
        """Return the gap, the ``n`` largest contributions to it and the rest, as text."""
        return " ".join([self.headline, self.total(n), *self.unused_sentences])

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per column, the largest contribution to the gap first."""
        import pandas as pd

        values = {} if self.values is None else {"value": list(self.values)}
        frame = pd.DataFrame(
            {
                "column": list(self.columns),
                **values,
                "first": self.first,
                "second": self.second,
                "difference": self.difference,
                "standard error": self.standard_error,
            }
        )
        return frame.iloc[self.order].reset_index(drop=True)

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the ``n`` largest contributions with matplotlib and return the axes.

        For one row, two waterfalls are drawn: from the average score of either model to its score
        for the row.
        """
        from imd_widget.explanations.drawing import draw_contributions, draw_waterfall

        return (draw_contributions if self.values is None else draw_waterfall)(self, ax, n)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Contributions: {self.summary()}>"


def read_players(
    table: Table, positions: Sequence[int], groups: Mapping[Hashable, Sequence[Hashable]] | None
) -> list[Player]:
    """Return the columns at some positions as players, or the groups that the user names.

    All columns that are left are one player, so that the contributions add up.
    """
    left = dict.fromkeys(range(len(table.names)))
    players = []
    for name, columns in (groups or {}).items():
        unknown = [column for column in columns if table.place.get(column) not in left]
        if unknown or not len(columns):
            raise InputError(
                Given("groups", {name: list(columns)}),
                ": a group needs columns of the table, each in one group only; ",
                Quoted(*map(str, unknown[:3])) if unknown else "this one has none",
                " cannot be used." if unknown else ".",
            )
        own = tuple(table.place[column] for column in dict.fromkeys(columns))
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


@dataclass(frozen=True, eq=False)
class Walks:
    """Pairs of walks: the row that each ends at, the row it begins at, and the order of players."""

    #: Numbers of the rows that are explained, in order.
    ends: NDArray[np.intp]
    #: Numbers of the background rows.
    starts: NDArray[np.intp]
    #: Step at which each player takes its value from the end, from 0.
    orders: NDArray[np.intp]

    @classmethod
    def draw(
        cls,
        rows: Sequence[int],
        known: Sequence[int],
        n_pairs: int,
        ladder: NDArray[np.intp],
        n_players: int,
        random_state: int,
    ) -> Walks:
        """Draw the pairs of some rows; those of a row depend on its position and the seed alone.

        Parameters
        ----------
        rows : sequence of int
            Positions of the rows in the table.
        known : sequence of int
            Number of pairs of each row that need not be drawn again: its first ones.
        n_pairs : int
            Number of pairs of each row, with those known.
        ladder : ndarray of int
            Numbers of the background rows, by score. The first pairs of a row begin at rows spread
            evenly over it, and after as many pairs as it has each was used once.
        n_players : int
        random_state : int
        """
        steps = _spread(len(ladder))
        ends, starts, orders = [], [], []
        for place, (row, have) in enumerate(zip(rows, known, strict=True)):
            if have >= n_pairs:
                continue
            generator = np.random.default_rng((random_state, row))
            offset = int(generator.integers(len(ladder)))
            keys = generator.random((n_pairs, n_players))[have:]
            orders.append(np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1))
            own = steps[np.arange(have, n_pairs) % len(ladder)]
            starts.append(ladder[(own + offset) % len(ladder)])
            ends.append(np.full(n_pairs - have, place))
        if not ends:
            empty = np.empty(0, dtype=np.intp)
            return cls(empty, empty, np.empty((0, n_players), dtype=np.intp))
        return cls(np.concatenate(ends), np.concatenate(starts), np.concatenate(orders))

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def n_players(self) -> int:
        """Number of players."""
        return int(self.orders.shape[1])

    def part(self, pairs: slice) -> Walks:
        """Return some of the pairs."""
        return Walks(self.ends[pairs], self.starts[pairs], self.orders[pairs])


def _by_gap(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order by the gap of the models, along the last axis; the same for swapped models."""
    first, second = scores
    gaps = first - second
    sign = -1.0 if gaps.mean() < 0 else 1.0
    return np.asarray(np.lexsort((first + second, sign * gaps), axis=-1))


def _spread(n: int) -> NDArray[np.intp]:
    """The numbers from 0 to n - 1, in an order whose first ones are spread evenly."""
    step = max(1, round(n * GOLDEN))
    while math.gcd(step, n) > 1:
        step += 1
    return np.arange(n) * step % n


def walked(
    walks: Walks,
    ask: Callable[[NDArray[np.bool_], NDArray[np.intp]], NDArray[np.float64]],
    at_ends: NDArray[np.float64],
    at_starts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the contributions of each pair of walks: shape (2, n_pairs, n_players).

    Parameters
    ----------
    walks : Walks
    ask : callable
        From a mask of shape (n, n_players), True where a player has its value of the end, and the
        number of the pair of each of the n rows to the scores of both models: shape (2, n).
    at_ends, at_starts : ndarray of shape (2, n_pairs)
        Scores of both models for the rows where the walks end and begin.
    """
    n_pairs, n_players = walks.orders.shape
    steps = n_players - 1
    both = np.stack([walks.orders, steps - walks.orders])  # forwards and backwards
    scores = np.empty((2, 2, n_pairs, n_players + 1))
    scores[..., 0] = at_starts[:, None]
    scores[..., -1] = at_ends[:, None]
    if steps and n_pairs:
        mask = both[:, :, None, :] < np.arange(1, n_players)[None, None, :, None]
        numbers = np.broadcast_to(np.arange(n_pairs)[None, :, None], (2, n_pairs, steps)).ravel()
        asked = ask(mask.reshape(-1, n_players), numbers)
        scores[..., 1:-1] = asked.reshape(2, 2, n_pairs, steps)
    changes = np.diff(scores, axis=-1)
    found = np.empty((2, n_pairs, n_players))
    for model in (0, 1):
        forwards, backwards = (
            np.take_along_axis(changes[model, way], both[way], axis=1) for way in (0, 1)
        )
        found[model] = (forwards + backwards) / 2
    return found


@dataclass(frozen=True, eq=False)
class Ground:
    """What the contributions of all rows of a table begin at."""

    score: Score
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
        return _by_gap(self.scores(self.background))

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


def contributions_of_rows(
    ground: Ground,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    n_selected: int,
    max_calls: int,
    after_each: Callable[[], object] = lambda: None,
    *,
    averages_out: bool = False,
) -> Contributions:
    """Compute the contributions of the players on some rows of the table.

    Parameters
    ----------
    ground : Ground
    rows : ndarray of int
        Positions of the rows that are explained.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    n_selected : int
        Number of rows that they were chosen from.
    max_calls : int
        Most rows that each model is called with, if they allow two pairs of walks for each row.
    after_each : callable
        Called `N_PARTS` times; an exception that it raises ends the work, and the walks made so far
        are lost.
    averages_out : bool
        Whether they were chosen from all rows of the table.
    """
    n_pairs = n_pairs_of(len(rows), len(ground.players), ground.left_of(max_calls, len(rows)))
    memory, key = ground.remembered.walks, ground.key
    stored = [memory.get(key, row) for row in rows.tolist()]
    known = [0 if own is None else own[0].shape[1] for own in stored]
    at_rows = ground.scores(rows)
    walks = Walks.draw(
        rows.tolist(),
        known,
        n_pairs,
        ground.ladder(),
        len(ground.players),
        ground.random_state,
    )
    new = ground.walk(walks, ground.table.take(rows), at_rows, _in_parts(len(walks), after_each))
    begun = ground.scores(ground.background)[:, walks.starts]
    by_row, at_starts = [], []
    for place, row in enumerate(rows.tolist()):
        mine = walks.ends == place
        own = (new[:, mine], begun[:, mine])
        before = stored[place]
        if before is not None:
            own = (
                np.concatenate([before[0], own[0]], axis=1),
                np.concatenate([before[1], own[1]], axis=1),
            )
        if mine.any():
            memory.put(key, row, own)
        by_row.append(own[0][:, :n_pairs])
        at_starts.append(own[1][:, :n_pairs])
    return _averaged(
        ground,
        np.stack(by_row, axis=1),
        np.stack(at_starts, axis=1),
        at_rows,
        weights,
        rows,
        n_selected,
        averages_out,
    )


def contributions_of_other_row(
    ground: Ground, row: Table, max_calls: int, after_each: Callable[[], object] = lambda: None
) -> Contributions:
    """Compute the contributions of the players to the scores of a row that is in no table."""
    n_pairs = n_pairs_of(1, len(ground.players), ground.left_of(max_calls, 1))
    scores = ground.asked(row)
    ladder = ground.ladder()
    walks = Walks.draw([0], [0], n_pairs, ladder, len(ground.players), ground.random_state)
    found = ground.walk(walks, row, scores, _in_parts(len(walks), after_each))
    begun = ground.scores(ground.background)[:, walks.starts]
    nowhere = np.empty(0, dtype=np.intp)
    return _averaged(ground, found[:, None], begun[:, None], scores, np.ones(1), nowhere, 1)


def _in_parts(total: int, after_each: Callable[[], object]) -> Callable[[int], None]:
    """Return a function of the number done, which calls ``after_each`` `N_PARTS` times in all."""
    told = 0

    def count(done: int) -> None:
        nonlocal told
        while told < N_PARTS and told < done * N_PARTS // max(total, 1):
            told += 1
            after_each()

    if not total:
        count(1)
    return count


def _averaged(
    ground: Ground,
    per_row: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    at_rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    rows: NDArray[np.intp],
    n_selected: int,
    averages_out: bool = False,
) -> Contributions:
    """Average walks: of shape (2, n_rows, n_pairs, n_players), and scores at their starts."""
    players, precision = ground.players, ground.score.precision
    n_rows, n_pairs = per_row.shape[1:3]
    share = weights / weights.sum()
    individual = per_row.mean(axis=2)
    means = np.einsum("r,mrp->mp", share, individual)
    # what is cleared in all columns together is not more than rounding either
    clean = cleared(means, precision / len(players))
    gaps = per_row[0] - per_row[1]
    n_known = len(np.union1d(rows, ground.background)) + (not len(rows))
    return Contributions(
        columns=tuple(player.name for player in players),
        names=ground.names,
        what=ground.score.what,
        base=at_starts.mean(axis=2) @ share,
        level=at_rows @ share,
        first=clean[0],
        second=clean[1],
        difference=cleared(clean[0] - clean[1], precision / len(players)),
        standard_error=_standard_error(gaps, at_starts, share, n_selected),
        size=cleared(
            np.einsum("r,mrp->mp", share, np.abs([*individual, individual[0] - individual[1]])),
            precision,
        ),
        rows=rows,
        n_selected=n_selected,
        n_asked=n_known + 2 * n_rows * n_pairs * (len(players) - 1),
        precision=precision,
        averages_out=averages_out,
        positions=tuple(
            player.positions[0] if len(player.positions) == 1 and player.name != OTHERS else None
            for player in players
        ),
    )


def _standard_error(
    gaps: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    share: NDArray[np.float64],
    n_selected: int,
) -> NDArray[np.float64]:
    """Standard error of the mean, from gaps of shape (n_rows, n_pairs, n_players).

    The starts of a row are spread evenly over the background, by their gap, so neighbours in this
    order are compared: their differences hold the chance of orders and of what else differs.
    """
    n_rows, n_pairs = gaps.shape[:2]
    along = _by_gap(at_starts)
    ordered = np.take_along_axis(gaps, along[:, :, None], axis=1)
    within = (np.diff(ordered, axis=1) ** 2).mean(axis=1) / 2 / n_pairs
    variance = (share**2) @ within
    explained = n_rows / n_selected
    if explained < 1 and n_rows > 1:  # two stages: rows from those selected, then walks of a row
        means = gaps.mean(axis=1)
        deviations = means - share @ means
        between = (share**2) @ deviations**2 * n_rows / (n_rows - 1)
        variance = (1 - explained) * between + explained * variance
    return np.asarray(np.sqrt(variance))


def n_pairs_of(n_rows: int, n_players: int, max_calls: int) -> int:
    """Return the number of pairs of walks of each row."""
    steps = max(1, n_players - 1)
    return int(np.clip(max_calls // (2 * steps * n_rows), FEWEST_PAIRS, MOST_PAIRS))


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
