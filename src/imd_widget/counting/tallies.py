"""Sums over the rows of regions or leaves; ``+`` adds the sums of chunks of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over the rows of one group."""

    #: The leading channels of the target.
    counts: NDArray[np.int64]
    #: The outcome pairs that occur and in which the models differ.
    pairs: dict[int, int]
    #: Weight by which model is right; all 0 without ``y``.
    right: NDArray[np.int64]
    #: Coarse and fine parts of the sums; see `imd_widget._base.exact_sums`. ``n_sums`` is 0 for
    #: classes, 8 for numbers, and 15 for numbers with ``y``.
    sum_parts: NDArray[np.float64]

    @property
    def sums(self) -> NDArray[np.float64]:
        """Sums of numeric outputs: shape (n_sums,).

        In order: sum and sum of squares of the outputs of model 1, then of model 2; the sums of
        either model's outputs over the rows on which model 2 is higher, then over those on which it
        is lower. With ``y``, over the rows where it is known: the sums of ``abs(output - y)`` of
        either model, of its square, of ``output - y``, and of ``y``.
        """
        return np.asarray(self.sum_parts.sum(axis=0))

    def __add__(self, other: Tally) -> Tally:
        pairs = dict(self.pairs)
        for pair, weight in other.pairs.items():
            pairs[pair] = pairs.get(pair, 0) + weight
        return Tally(
            self.counts + other.counts,
            pairs,
            self.right + other.right,
            self.sum_parts + other.sum_parts,
        )


@dataclass(frozen=True, eq=False)
class Tallies:
    """Tallies of many groups: the arrays of `Tally` with one row per group.

    ``group``, ``pair`` and ``weight`` list the outcome pairs that differ, sorted by group and pair.
    """

    counts: NDArray[np.int64]
    right: NDArray[np.int64]
    sum_parts: NDArray[np.float64]
    group: NDArray[np.int64]
    pair: NDArray[np.int64]
    weight: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, number: int) -> Tally:
        start, stop = np.searchsorted(self.group, (number, number + 1))
        pairs = dict(
            zip(self.pair[start:stop].tolist(), self.weight[start:stop].tolist(), strict=True)
        )
        return Tally(self.counts[number], pairs, self.right[number], self.sum_parts[number])

    def __add__(self, other: Tallies) -> Tallies:
        """Add the sums of two sets of rows, group by group."""
        group = np.concatenate([self.group, other.group])
        pair = np.concatenate([self.pair, other.pair])
        n_pairs = int(pair.max(initial=0)) + 1
        key, entry = np.unique(group * n_pairs + pair, return_inverse=True)
        weight = np.zeros(len(key), dtype=np.int64)
        np.add.at(weight, entry, np.concatenate([self.weight, other.weight]))
        return Tallies(
            self.counts + other.counts,
            self.right + other.right,
            self.sum_parts + other.sum_parts,
            key // n_pairs,
            key % n_pairs,
            weight,
        )
