"""What models answered, for all explanations of one pair of models."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import RLock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.table import Table
from imd_widget.explanations.memory import Memory
from imd_widget.models.pair import ComparedModels

#: Results of explanations that are kept, those used last: each may hold forests and curves.
MOST_MEMORIES = 20
#: Numbers of walks that are kept: 160 MB.
MOST_NUMBERS = 20_000_000


class WalkMemory:
    """The walks of each row that were made so far: contributions and scores at their starts."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Hashable, int], tuple[NDArray[np.float64], ...]] = {}
        self._size = 0
        self._lock = RLock()

    def get(self, key: Hashable, row: int) -> tuple[NDArray[np.float64], ...] | None:
        """Return the arrays of a row; None if there are none."""
        return self._rows.get((key, row))

    def put(self, key: Hashable, row: int, arrays: tuple[NDArray[np.float64], ...]) -> None:
        """Keep the arrays of a row, and drop those kept longest if there are too many."""
        with self._lock:
            self._drop((key, row))
            self._rows[key, row] = arrays
            self._size += sum(own.size for own in arrays)
            while self._size > MOST_NUMBERS and len(self._rows) > 1:
                self._drop(next(iter(self._rows)))

    def _drop(self, key: tuple[Hashable, int]) -> None:
        self._size -= sum(own.size for own in self._rows.pop(key, ()))


class ScoreMemory:
    """The scores of both models for rows of the table, by what is explained."""

    def __init__(self) -> None:
        self._scores: dict[Hashable, NDArray[np.float64]] = {}
        self._lock = RLock()

    def of(
        self,
        key: Hashable,
        rows: NDArray[np.intp],
        n_rows: int,
        ask: Callable[[NDArray[np.intp]], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return the scores of some rows: shape (2, n); ``ask`` is called for those not known."""
        with self._lock:
            known = self._scores.setdefault(key, np.full((2, n_rows), np.nan))
            missing = np.unique(rows[np.isnan(known[:, rows]).any(axis=0)])
            if len(missing):
                known[:, missing] = ask(missing)
            return known[:, rows]


@dataclass(eq=False)
class Remembered:
    """What was computed from a pair of models on one table; refined diffs share it."""

    table: Table
    #: Results of explanations, by what they explain.
    memories: dict[Hashable, Memory] = field(default_factory=dict)
    walks: WalkMemory = field(default_factory=WalkMemory)
    scores: ScoreMemory = field(default_factory=ScoreMemory)

    def memory(self, key: Hashable) -> Memory:
        """Return the results under a key; new ones if there are none."""
        found = self.memories.pop(key) if key in self.memories else Memory()
        self.memories[key] = found
        for oldest in list(self.memories)[:-MOST_MEMORIES]:
            self.memories.pop(oldest, None)
        return found


_PAIRS: WeakKeyDictionary[ComparedModels, Remembered] = WeakKeyDictionary()


def forget(pair: ComparedModels) -> None:
    """Forget what is remembered of a pair of models."""
    _PAIRS.pop(pair, None)


def remembered_of(pair: ComparedModels, table: Table) -> Remembered:
    """Return what is remembered of a pair of models, as long as the pair lives."""
    found = _PAIRS.get(pair)
    if found is None or found.table is not table:
        found = _PAIRS[pair] = Remembered(table)
    return found
