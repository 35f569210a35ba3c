"""Which of several models are better than which, beyond what chance explains.

Every two models are compared on the same rows. Which one is best is seen on these rows too, so the
level of 5 % holds for all pairs together (Holm, 1979).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.paired import LEVEL, holm, mcnemar, mean_p_value


def told_apart(
    losses: NDArray[np.float64] | NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> NDArray[np.bool_]:
    """Return which models have different mean losses, a symmetric matrix.

    Parameters
    ----------
    losses : ndarray of shape (n_models, n_rows)
        Errors, or whether each model is wrong.
    weight : ndarray of shape (n_rows,), optional
    groups : ndarray of int, shape (n_rows,), optional
        Rows of a group depend on each other.
    """
    k = len(losses)
    pairs = list(combinations(range(k), 2))
    chances = holm([_chance(losses[i], losses[j], weight, groups) for i, j in pairs])
    apart = np.zeros((k, k), dtype=bool)
    for pair, chance in zip(pairs, chances, strict=True):
        apart[pair] = apart[pair[::-1]] = chance <= LEVEL
    return apart


def _chance(
    one: NDArray[np.float64] | NDArray[np.bool_],
    other: NDArray[np.float64] | NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    groups: NDArray[np.integer] | None,
) -> float:
    """The p-value of two models having the same mean loss, two-sided.

    Of rows that are right or wrong it is that of McNemar's exact test; with weights or groups, on
    as many rows as they are worth, and not below that of the mean difference.
    """
    differs = one != other
    if not differs.any():
        return 1.0
    equal = weight is None or bool((weight == weight[0]).all())
    binary = one.dtype == np.bool_
    if binary and equal and groups is None:
        return mcnemar(int((one & differs).sum()), int((other & differs).sum()))
    weight = np.ones(len(one)) if weight is None else weight
    number = np.arange(len(one)) if groups is None else np.unique(groups, return_inverse=True)[1]
    chance = _mean_differs(one.astype(float) - other.astype(float), weight, number)
    if not binary:
        return chance
    here = weight[differs]
    size = _worth(np.bincount(number[differs], weights=here))
    share = float(here[one[differs]].sum() / here.sum())
    return max(chance, mcnemar(round(share * size), size - round(share * size)))


def _mean_differs(
    difference: NDArray[np.float64], weight: NDArray[np.float64], number: NDArray[np.integer]
) -> float:
    """Student's test of a weighted mean of 0, with the variance of sums over groups."""
    sizes, total = np.bincount(number, weights=weight), weight.sum()
    mean = float(difference @ weight / total)
    off = np.bincount(number, weights=weight * (difference - mean))
    n_groups = int(np.count_nonzero(sizes))
    if n_groups < 2:
        return 1.0
    error = float(np.sqrt((off**2).sum() * n_groups / (n_groups - 1)) / total)
    return mean_p_value(mean, error, max(_worth(sizes) - 1, 1))


def _worth(sizes: NDArray[Any]) -> int:
    """How many groups of equal weight vary as little as these: Kish's effective size."""
    return int(sizes.sum() ** 2 / (sizes**2).sum() * (1 + 1e-12))
