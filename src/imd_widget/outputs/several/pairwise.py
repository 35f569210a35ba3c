"""Counts of rows for each two of k models, in blocks of rows that fit the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Rows of a block. Sums of this many ones are exact in single precision.
BLOCK = 1 << 14

#: Rows that count.
Rows: TypeAlias = slice | NDArray[np.intp]
#: From the outputs of one model and of m others, shapes (n_rows,) and (m, n_rows), to whether they
#: differ: shape (m, n_rows).
Differ: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Differing:
    """On how many rows each two models differ."""

    #: Symmetric, with zeros on the diagonal.
    rows: NDArray[np.int64]
    #: The weight of these rows; a whole number if weights are.
    weight: NDArray[np.float64]


def count_differing(
    outputs: Sequence[NDArray[Any]], differ: Differ, weight: NDArray[np.float64] | None
) -> Differing:
    """Count the rows on which each two of k models differ.

    Parameters
    ----------
    outputs : sequence of k ndarrays of shape (n_rows,)
    differ : callable
    weight : ndarray of shape (n_rows,) or None
    """
    k, n_rows = len(outputs), len(outputs[0])
    rows, sums = np.zeros((k, k), dtype=np.int64), np.zeros((k, k))
    for start in range(0, n_rows, BLOCK):
        block = np.stack([own[start : start + BLOCK] for own in outputs])
        part = None if weight is None else weight[start : start + BLOCK]
        for one in range(k - 1):
            apart = differ(block[one], block[one + 1 :])
            rows[one, one + 1 :] += np.count_nonzero(apart, axis=1)
            if part is not None:
                sums[one, one + 1 :] += apart @ part
    rows += rows.T
    return Differing(rows, rows.astype(float) if weight is None else sums + sums.T)


def count_fixes(right: NDArray[np.bool_], known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of rows with a truth that model i gets wrong and model j right, shape (k, k)."""
    k, n_rows = right.shape
    found = np.zeros((k, k), dtype=np.int64)
    for start in range(0, n_rows, BLOCK):
        block, has = right[:, start : start + BLOCK], known[start : start + BLOCK]
        wrong = (~block & has).astype(np.float32)
        found += (wrong @ (block & has).astype(np.float32).T).astype(np.int64)
    return found


def most_said(codes: Sequence[NDArray[np.integer]], own: int) -> NDArray[np.intp]:
    """Index of a model whose label is, for each row, that of most models but ``own``.

    Where several labels are equally frequent, it is ``own`` if its label is one of them, else the
    first model that gives one of them.
    """
    others = [at for at in range(len(codes)) if at != own]
    found = np.full(len(codes[0]), own, dtype=np.intp)
    most = _votes(codes, own, others)
    counts = [_votes(codes, at, others) for at in others]
    for at, votes in zip(others, counts, strict=True):
        better = votes > most
        found[better] = at
        most[better] = votes[better]
    return found


def _votes(codes: Sequence[NDArray[Any]], at: int, others: Sequence[int]) -> NDArray[np.uint8]:
    """How many of the others agree with model ``at``."""
    votes = np.zeros(len(codes[at]), dtype=np.uint8)
    for other in others:
        votes += codes[other] == codes[at]
    return votes
