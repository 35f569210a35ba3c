"""The pairs of models whose diffs a file of a comparison holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.many.model_comparison import ModelComparison

#: Numbers of two models, the smaller first.
Pair = tuple[int, int]


def with_pairs(write: Callable[..., Any], n_pairs: int = 0) -> Callable[..., Any]:
    """Return ``write`` with pairs as users name them.

    Parameters
    ----------
    write : callable
        Returns the content of a file from a comparison and the numbers of its ``pairs``.
    n_pairs : int, default=0
        Number of pairs that the file holds by default: those that differ most.
    """

    def written(comparison: ModelComparison, *, pairs: Any = None, **page: Any) -> Any:
        if pairs is None:
            return write(comparison, pairs=default_pairs(comparison, n_pairs), **page)
        return write(comparison, pairs=read_pairs(comparison, pairs), **page)

    return written


def read_pairs(comparison: ModelComparison, pairs: Any) -> list[Pair]:
    """Return pairs of names or numbers as pairs of numbers, each once, the smaller first."""
    if isinstance(pairs, str) and pairs == "all":
        return default_pairs(comparison, len(comparison) ** 2)
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(
            Argument("pairs"),
            f' is {pairs!r}: a list of pairs of models is needed, [("{comparison.names[0]}", '
            f'"{comparison.names[1]}")], or "all".',
        )
    found: dict[Pair, None] = {}
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(
                Argument("pairs"), " holds ", Quoted(pair), ": each entry names two models."
            )
        first, second = sorted(comparison.number_of(model) for model in pair)
        if first == second:
            raise InputError(
                Argument("pairs"), " holds ", Quoted(pair), ": a model does not differ from itself."
            )
        found[first, second] = None
    return list(found)


def default_pairs(comparison: ModelComparison, n: int) -> list[Pair]:
    """The pairs that differ most, of those that can be opened; none that differs nowhere."""
    stored = comparison.diffs.stored
    pairs = [pair for pair in comparison.ranked_pairs() if stored is None or pair in stored]
    return pairs[:n]
