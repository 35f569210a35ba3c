"""Which pairs of columns interact in the difference of the models.

Two columns interact in a score if the effect of one depends on the value of the other. With the
values of a row x and of a background row z, the interaction of columns i and j is

    f(x_i, x_j, rest) - f(x_i, z_j, rest) - f(z_i, x_j, rest) + f(z_i, z_j, rest)

once with the rest of z and once with the rest of x; the mean of both is taken. It is 0 for every
row if the model adds up what each column contributes by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.data.table import open_table
from imd_widget.explanations.ground import Ground
from imd_widget.explanations.scores import mapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Rows that are explained, at most.
MOST_ROWS = 60
#: Fewest background rows of each row: halves of them are compared.
FEWEST_STARTS = 4
#: Rows that a model is called with at once.
CALL_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class Interactions(FrozenArrays):
    """How much pairs of columns interact, in units of the score; the strongest pair first.

    Attributes
    ----------
    pairs : tuple of two names
        The columns of each pair.
    positions : tuple of two int
        Their positions in the table.
    names : tuple of two str
        Names of the models.
    what : str
        The score.
    strength : ndarray of shape (3, n_pairs)
        Root of the mean squared interaction over the rows: in model 1, in model 2 and in the
        difference.
    standard_error : ndarray of shape (n_pairs,)
        Standard error of the strength in the difference.
    n_rows, n_asked : int
        Number of rows explained, and of rows that each model was called with.
    """

    pairs: tuple[tuple[Hashable, Hashable], ...]
    positions: tuple[tuple[int, int], ...]
    names: tuple[str, str]
    what: str
    strength: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    n_rows: int
    n_asked: int

    def sentence(self, at: int) -> str:
        """Return one pair in words."""
        one, other = self.pairs[at]
        first, second, difference = self.strength[:, at].tolist()
        if not difference:
            return f"{one} and {other} do not interact in the difference."
        return (
            f"{one} and {other}: {difference:.2g} in the difference, {first:.2g} in "
            f"{self.names[0]} and {second:.2g} in {self.names[1]}."
        )

    def summary(self, n: int = 3) -> str:
        """Return the ``n`` strongest pairs as text."""
        found = [at for at in range(min(n, len(self.pairs))) if self.strength[2, at] > 0]
        if not found:
            return "No two columns interact in the difference."
        return " ".join(
            ["Strongest interactions, in units of the score.", *map(self.sentence, found)]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per pair."""
        import pandas as pd

        return pd.DataFrame(
            {
                "column": [one for one, _ in self.pairs],
                "other": [other for _, other in self.pairs],
                "first": self.strength[0],
                "second": self.strength[1],
                "difference": self.strength[2],
                "standard error": self.standard_error,
            }
        )

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the ``n`` strongest pairs as bars with matplotlib and return the axes."""
        from imd_widget.explanations.drawing import draw_reasons

        names = [f"{one} and {other}" for one, other in self.pairs[:n]]
        series = [own[:n] for own in self.strength]
        return draw_reasons(names, series, (*self.names, "difference"), self.summary(1), ax)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Interactions: {self.summary(1)}>"


def interactions(
    ground: Ground,
    positions: Sequence[int],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    max_calls: int,
    after_each: Callable[[], object] = lambda: None,
) -> Interactions:
    """Measure the interactions of all pairs of some columns.

    Parameters
    ----------
    ground : Ground
        Models, table and background.
    positions : sequence of int
        Positions of the columns.
    rows : ndarray of int
        Positions of the rows that are explained.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    max_calls : int
        Most rows that each model is called with, if they allow `FEWEST_STARTS` background rows for
        each row explained.
    after_each : callable
        Called after each call of the models; an exception that it raises ends the work.
    """
    every = frozenset(range(len(ground.table.names)))
    sets = _sets(positions, every)
    left = ground.left_of(max_calls, len(rows))
    n_starts = _n_starts(len(rows) * max(1, len(sets)), len(ground.background), left)
    generator = np.random.default_rng(ground.random_state)
    starts = np.concatenate(
        [generator.permutation(len(ground.background))[:n_starts] for _ in rows]
    )
    ends = np.repeat(np.arange(len(rows)), n_starts)
    scores = _scores(ground, sets, rows, ends, starts, after_each)
    at_ends = ground.scores(rows)[:, ends]
    at_starts = ground.scores(ground.background)[:, starts]
    known = {own: scores[:, at] for at, own in enumerate(sets)}
    of = {**known, frozenset[int](): at_starts, every: at_ends}
    share = weights / weights.sum()
    pairs = list(combinations(positions, 2))
    strength, errors = np.zeros((3, len(pairs))), np.zeros(len(pairs))
    for at, (one, other) in enumerate(pairs):
        i, j = frozenset({one}), frozenset({other})
        alone = of[i | j] - of[i] - of[j] + at_starts
        among = at_ends - of[every - i] - of[every - j] + of[every - i - j]
        both = ((alone + among) / 2).reshape(2, len(rows), n_starts)
        measured = np.stack([both[0], both[1], both[0] - both[1]])
        halves = measured[..., ::2].mean(axis=2), measured[..., 1::2].mean(axis=2)
        products = halves[0] * halves[1]  # the chance of walks is independent in the two
        squares = np.maximum(products @ share, 0.0)
        strength[:, at] = np.sqrt(squares)
        deviations = products[2] - products[2] @ share
        spread = np.sqrt((share**2) @ deviations**2)
        errors[at] = spread / (2 * strength[2, at]) if strength[2, at] else np.sqrt(spread)
    strength = np.where(strength > ground.score.precision, strength, 0.0)
    order = np.argsort(-strength[2], kind="stable")
    names = ground.table.names
    return Interactions(
        pairs=tuple((names[pairs[at][0]], names[pairs[at][1]]) for at in order),
        positions=tuple(pairs[at] for at in order),
        names=ground.names,
        what=ground.score.what,
        strength=strength[:, order],
        standard_error=errors[order],
        n_rows=len(rows),
        n_asked=len(rows) + len(ground.background) + len(ends) * len(sets),
    )


def n_rows_within(ground: Ground, max_calls: int, n_columns: int) -> int:
    """Return how many rows can be explained with `FEWEST_STARTS` background rows each."""
    n_sets = n_columns * (n_columns + 1)  # of one, two, all but one and all but two columns
    each = 1 + FEWEST_STARTS * n_sets
    return int(np.clip(ground.left_of(max_calls, 0) // each, 1, MOST_ROWS))


def _sets(positions: Sequence[int], every: frozenset[int]) -> list[frozenset[int]]:
    """Sets of columns that come from the row explained: one, two, all but one, all but two."""
    few = [frozenset(own) for n in (1, 2) for own in combinations(positions, n)]
    sets = dict.fromkeys([*few, *(every - own for own in few)])
    return [own for own in sets if own and own != every]


def _n_starts(n_asked_each: int, n_background: int, max_calls: int) -> int:
    """An even number of background rows for each row explained."""
    wanted = max(FEWEST_STARTS, max_calls // n_asked_each)
    return max(2, min(wanted, n_background) // 2 * 2)


def _scores(
    ground: Ground,
    sets: Sequence[frozenset[int]],
    rows: NDArray[np.intp],
    ends: NDArray[np.intp],
    starts: NDArray[np.intp],
    after_each: Callable[[], object],
) -> NDArray[np.float64]:
    """Scores of both models with each set of columns from the end: shape (2, n_sets, n)."""
    small = ground.table.take(np.concatenate([rows, ground.background]))
    begin = len(rows) + starts

    def work(together: Sequence[frozenset[int]]) -> NDArray[np.float64]:
        takes = [
            np.concatenate([ends if position in own else begin for own in together])
            for position in range(len(ground.table.names))
        ]
        asked = ground.asked(open_table(small.mix(takes), ground.table.argument))
        return asked.reshape(2, len(together), -1)

    at_once = max(1, CALL_ROWS // len(ends))
    parts = [sets[at : at + at_once] for at in range(0, len(sets), at_once)]
    found = mapped(work, list(parts), ground.threads, after_each)
    return np.concatenate([np.empty((2, 0, len(ends))), *found], axis=1)
