"""Shapley contributions of the columns to the scores of both models, and to their difference.

A walk leads from a background row to a row that is explained: one after the other, in a random
order, the columns take their values from the second row. The change of a score at each step is what
the column contributes in this walk, and the changes of a walk add up to the difference of the
scores of the two rows. Contributions are means over walks, so they add up too: exactly, for every
row, for both models and for their difference. Each random order is also walked backwards, which
halves the error of smooth models; both models walk the same walks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError, Part, Quoted
from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.precision import cleared
from imd_widget.explanations.scores import Score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Rows that each model is called with at most.
MAX_CALLS = 50_000
#: Most rows whose contributions are averaged, and background rows that walks begin at.
MOST_ROWS, MOST_BACKGROUND = 100, 1000
#: Fewest and most pairs of walks of one row.
FEWEST_PAIRS, MOST_PAIRS = 2, 500
#: Rows that a model is called with at once.
CALL_ROWS = 10_000
#: Name of the columns that are not explained one by one.
OTHERS = "other columns"
#: A model does not use a column whose mean absolute contribution is below this share of the other
#: model's.
UNUSED_SHARE = 0.05


@dataclass(frozen=True)
class Player:
    """A column, or a group of columns that change together.

    Attributes
    ----------
    name : Hashable
        Name of the column or group.
    positions : tuple of int
        Positions of its columns in the table.
    """

    name: Hashable
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
    size : ndarray of shape (2, n_columns)
        Mean absolute contribution to either model's score: how much the model uses the column.
    rows : ndarray of int
        Positions of the rows.
    n_asked : int
        Number of rows that each model was called with.
    precision : float
        Contributions that are not larger are rounding.
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
    n_asked: int
    precision: float = 0.0

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
        """Numbers of the columns, the one that contributes most to the gap first."""
        return np.argsort(-np.abs(self.difference), kind="stable")

    def unused(self) -> tuple[tuple[Hashable, str, str], ...]:
        """Return the columns that one model uses and the other does not.

        Each with the name of the model that uses it and of the one that does not, in `order`.
        """
        found = []
        for at in self.order.tolist():
            sizes = self.size[:, at]
            used = int(sizes.argmax())
            large = sizes[used] > max(self.precision, 0.1 * abs(self.gap))
            if large and sizes[1 - used] < UNUSED_SHARE * sizes[used]:
                found.append((self.columns[at], self.names[used], self.names[1 - used]))
        return tuple(found)

    def summary(self, n: int = 3) -> str:
        """Return the gap, the ``n`` largest contributions to it and the rest, as text."""
        gap = self.gap
        more, less = (0, 1) if gap >= 0 else (1, 0)
        sign = 1.0 if gap >= 0 else -1.0
        text = _two_digits
        parts = [
            f"{text(sign * self.difference[at])} from {self.columns[at]}"
            for at in self.order[:n].tolist()
            if abs(self.difference[at]) > self.precision
        ]
        rest = sign * float(self.difference[self.order[n:]].sum())
        if len(self.columns) > n and abs(rest) > self.precision:
            parts.append(f"{text(rest)} from the other columns")
        parts.append(f"{text(sign * self.base_gap)} on average over all rows")
        sentences = [
            f"{self.names[more]} gives a {self.what} that is {text(abs(gap))} higher than "
            f"{self.names[less]}'s: {', '.join(parts)}."
        ]
        sentences += [
            f"{used} uses {column}, {other} hardly does." for column, used, other in self.unused()
        ]
        return " ".join(sentences)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per column, the largest contribution to the gap first."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "column": list(self.columns),
                "first": self.first,
                "second": self.second,
                "difference": self.difference,
                "standard error": self.standard_error,
            }
        )
        return frame.iloc[self.order].reset_index(drop=True)

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the ``n`` largest contributions with matplotlib and return the axes."""
        from imd_widget.explanations.drawing import draw_contributions

        return draw_contributions(self, ax, n)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Contributions: {self.summary()}>"


def _two_digits(value: float) -> str:
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


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
    """Pairs of walks: the row that each ends at, the row it begins at, and the order of players.

    Attributes
    ----------
    ends : ndarray of shape (n_pairs,)
        Numbers of the rows that are explained, each the same number of times, in order.
    starts : ndarray of shape (n_pairs,)
        Numbers of the background rows.
    orders : ndarray of shape (n_pairs, n_players)
        Step at which each player takes its value from the end, from 0.
    """

    ends: NDArray[np.intp]
    starts: NDArray[np.intp]
    orders: NDArray[np.intp]

    @classmethod
    def draw(
        cls, n_rows: int, n_background: int, n_players: int, max_calls: int, random_state: int
    ) -> Walks:
        """Draw as many pairs as ``max_calls`` allow: at least two for each row."""
        generator = np.random.default_rng(random_state)
        steps = max(1, n_players - 1)
        most = max_calls // (2 * steps)
        pairs = int(np.clip(most // n_rows, FEWEST_PAIRS, MOST_PAIRS))
        n_pairs = n_rows * pairs
        # every background row once before one is used again, each time in another order
        rounds = [generator.permutation(n_background) for _ in range(-(-n_pairs // n_background))]
        starts = np.concatenate(rounds)[:n_pairs]
        keys = generator.random((n_pairs, n_players))
        orders = np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1, kind="stable")
        return cls(np.repeat(np.arange(n_rows), pairs), starts, orders)

    @property
    def n_players(self) -> int:
        """Number of players."""
        return int(self.orders.shape[1])


def walked(
    walks: Walks,
    ask: Callable[[NDArray[np.bool_], NDArray[np.intp]], NDArray[np.float64]],
    at_ends: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    after_each: Callable[[], object] = lambda: None,
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
    after_each : callable
        Called after each call of the models; an exception that it raises ends the work.
    """
    n_pairs, n_players = walks.orders.shape
    steps = n_players - 1
    found = np.empty((2, n_pairs, n_players))
    at_once = max(1, CALL_ROWS // max(1, 2 * steps))
    for begin in range(0, n_pairs, at_once):
        pairs = np.arange(begin, min(begin + at_once, n_pairs))
        n = len(pairs)
        own = walks.orders[pairs]
        both = np.stack([own, n_players - 1 - own])  # forwards and backwards
        scores = np.empty((2, 2, n, n_players + 1))
        scores[..., 0] = at_starts[:, None, pairs]
        scores[..., -1] = at_ends[:, None, pairs]
        if steps:
            taken = np.arange(1, n_players)
            mask = both[:, :, None, :] < taken[None, None, :, None]
            numbers = np.broadcast_to(pairs[None, :, None], (2, n, steps)).ravel()
            asked = ask(mask.reshape(-1, n_players), numbers)
            scores[..., 1:-1] = asked.reshape(2, 2, n, steps)
        changes = np.diff(scores, axis=-1)
        for model in (0, 1):
            forwards, backwards = (
                np.take_along_axis(changes[model, way], both[way], axis=1) for way in (0, 1)
            )
            found[model, pairs] = (forwards + backwards) / 2
        after_each()
    return found


def n_calls(walks: Walks) -> int:
    """Number of calls of the models that `walked` makes."""
    at_once = max(1, CALL_ROWS // max(1, 2 * (walks.n_players - 1)))
    return -(-len(walks.ends) // at_once)


def contributions(
    score: Score,
    table: Table,
    names: tuple[str, str],
    players: Sequence[Player],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    background: NDArray[np.intp],
    *,
    of_all: bool,
    max_calls: int,
    random_state: int,
    after_each: Callable[[], object] = lambda: None,
) -> Contributions:
    """Compute the contributions of the players on some rows.

    Parameters
    ----------
    score : Score
    table : Table
        The user's table.
    names : tuple of two str
        Names of the models.
    players : sequence of Player
        Together all columns of the table, each in one of them.
    rows : ndarray of int
        Positions of the rows that are explained.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    background : ndarray of int
        Positions of the rows that walks begin at.
    of_all : bool
        Whether these are all rows that the user selected, and not a sample of them.
    max_calls : int
        Most rows that each model is called with, if they allow two pairs of walks for each row.
    random_state : int
    after_each : callable
        Called after each call of the models; an exception that it raises ends the work.
    """
    score.check()
    walks = Walks.draw(len(rows), len(background), len(players), max_calls, random_state)
    small = table.take(np.concatenate([rows, background]))
    ends, starts = walks.ends, len(rows) + walks.starts
    player_of = np.empty(len(table.names), dtype=np.intp)
    for number, player in enumerate(players):
        player_of[list(player.positions)] = number

    def scores(mixed: Table) -> NDArray[np.float64]:
        def told(missing: NDArray[np.bool_]) -> list[Part]:
            return [f"a row that joins values of two rows ({int(missing.sum())} such rows)."]

        return np.stack([score.asked(model, mixed, told) for model in (0, 1)])

    def ask(mask: NDArray[np.bool_], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
        end, start = ends[pairs], starts[pairs]
        by_player = [np.where(own, end, start) for own in mask.T]
        takes = [by_player[player] for player in player_of.tolist()]
        return scores(open_table(small.mix(takes), table.argument))

    known = scores(small)
    by_pair = walked(walks, ask, known[:, ends], known[:, starts], after_each)
    per_row = by_pair.reshape(2, len(rows), -1, len(players))
    share = weights / weights.sum()
    individual = per_row.mean(axis=2)
    means = np.einsum("r,mrp->mp", share, individual)
    base = known[:, starts].reshape(2, len(rows), -1).mean(axis=2) @ share
    clean = cleared(means, score.precision)
    return Contributions(
        columns=tuple(player.name for player in players),
        names=names,
        what=score.what,
        base=base,
        level=known[:, : len(rows)] @ share,
        first=clean[0],
        second=clean[1],
        difference=cleared(clean[0] - clean[1], score.precision),
        standard_error=_standard_error(per_row[0] - per_row[1], share, of_all),
        size=np.einsum("r,mrp->mp", share, np.abs(individual)),
        rows=rows,
        n_asked=small.n_rows + 2 * len(walks.ends) * (len(players) - 1),
        precision=score.precision,
    )


def _standard_error(
    gaps: NDArray[np.float64], share: NDArray[np.float64], of_all: bool
) -> NDArray[np.float64]:
    """Standard error of the mean, from gaps of shape (n_rows, n_pairs, n_players)."""
    n_rows, n_pairs = gaps.shape[:2]
    within = gaps.var(axis=1, ddof=1) / n_pairs
    variance = (share**2) @ within
    if not of_all and n_rows > 1:  # the variance of row means holds that of the walks
        means = gaps.mean(axis=1)
        deviations = means - share @ means
        variance = (share**2) @ deviations**2 * n_rows / (n_rows - 1)
    return np.asarray(np.sqrt(variance))


def n_explained(n_players: int, max_calls: int) -> int:
    """Return how many rows can be explained with two pairs of walks each."""
    walks = max_calls // (2 * max(1, n_players - 1))
    return int(np.clip(walks // FEWEST_PAIRS, 10, MOST_ROWS))


def draw_background(weights: NDArray[np.float64], random_state: int) -> NDArray[np.intp]:
    """Draw background rows from all rows, in proportion to their weights."""
    generator = np.random.default_rng(random_state)
    counting = np.flatnonzero(weights > 0)
    own = weights[counting]
    if (own == own[0]).all():
        n = min(MOST_BACKGROUND, len(counting))
        return np.sort(generator.choice(counting, n, replace=False))
    return np.sort(generator.choice(counting, MOST_BACKGROUND, p=own / own.sum()))
