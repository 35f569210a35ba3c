"""Walks from background rows to the rows that are explained.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Multiples of it, less their whole part, are spread evenly between 0 and 1.
GOLDEN = (5**0.5 - 1) / 2


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


def by_gap(scores: NDArray[np.float64]) -> NDArray[np.intp]:
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
