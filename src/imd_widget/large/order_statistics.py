"""Exact order statistics of numbers that are spread over partitions, in a few passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.large.partitions import PartitionedItems

#: Bits of a number that a pass finds, and passes that find all 64.
DIGIT, N_PASSES = 16, 4

#: From an item to the numbers in question, by name.
Numbers = Callable[..., Mapping[str, NDArray[np.float64]]]


def at_ranks(
    kept: PartitionedItems[Any],
    numbers: Numbers,
    arguments: Sequence[Any],
    ranks: Mapping[str, Sequence[int]],
) -> dict[str, list[float]]:
    """The numbers of some ranks, from 0, for each name: those of the sorted whole, to the bit.

    Each pass counts the next 16 bits of the numbers that share the bits found so far.

    Parameters
    ----------
    kept : PartitionedItems
    numbers : callable
        Called with an item and ``arguments``.
    arguments : sequence
    ranks : mapping from name to sequence of int
    """
    # the bits found so far, and the rank among the numbers that share them
    found = {name: [(0, rank) for rank in wanted] for name, wanted in ranks.items()}
    for number in range(N_PASSES):
        prefixes = {name: sorted({bits for bits, _ in own}) for name, own in found.items()}
        counts = kept.sum(_digit_counts, numbers, tuple(arguments), prefixes, number)
        for name, own in found.items():
            by_prefix = dict(zip(prefixes[name], counts[list(found).index(name)], strict=True))
            found[name] = [_next_digit(by_prefix[bits], bits, rank) for bits, rank in own]
    return {name: [_as_float(bits) for bits, _ in own] for name, own in found.items()}


def _digit_counts(
    item: Any,
    numbers: Numbers,
    arguments: Sequence[Any],
    prefixes: Mapping[str, Sequence[int]],
    number: int,
) -> list[NDArray[np.int64]]:
    """For each name and prefix, how often the next digit has each value."""
    own = numbers(item, *arguments)
    counts = []
    for name, wanted in prefixes.items():
        bits = _as_bits(own[name])
        digit = (bits >> np.uint64(64 - DIGIT * (number + 1))) & np.uint64((1 << DIGIT) - 1)
        by_prefix = np.zeros((len(wanted), 1 << DIGIT), dtype=np.int64)
        for place, prefix in enumerate(wanted):
            inside = digit
            if number:
                inside = digit[bits >> np.uint64(64 - DIGIT * number) == np.uint64(prefix)]
            by_prefix[place] = np.bincount(inside.astype(np.intp), minlength=1 << DIGIT)
        counts.append(by_prefix)
    return counts


def _next_digit(counts: NDArray[np.int64], bits: int, rank: int) -> tuple[int, int]:
    upto = np.cumsum(counts)
    digit = int(np.searchsorted(upto, rank, side="right"))
    return (bits << DIGIT) | digit, rank - int(upto[digit] - counts[digit])


def _as_bits(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Whole numbers in the same order as finite floats; -0.0 counts as 0.0."""
    bits = (numbers + 0.0).view(np.uint64)
    negative = bits >> np.uint64(63) == 1
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _as_float(bits: int) -> float:
    raw = bits & ~(1 << 63) if bits >> 63 else ~bits & ((1 << 64) - 1)
    return float(np.array([raw], dtype=np.uint64).view(np.float64)[0])
