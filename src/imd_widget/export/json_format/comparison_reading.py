"""Restores a comparison from plain values and checks it: files may be edited by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import Plain, from_json, listed, matches_type, shown, whole
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.json_format.checks import check_scores
from imd_widget.export.json_format.diff_reading import diff_of
from imd_widget.many.figures import Figures, Scores
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.many.models import FEWEST, MOST
from imd_widget.many.pairs import StoredPairs

#: More rows than any table has.
_MOST_ROWS = 1 << 53


def comparison_of(plain: Plain) -> ModelComparison:
    """Return the comparison from the values that `comparison_writing.comparison_contents` wrote."""
    names = _names(plain)
    n_rows = whole(plain["n_rows"], "n_rows", 1, _MOST_ROWS)
    rows = _matrix(plain, "rows", len(names), int).astype(np.int64)
    shares = _matrix(plain, "shares", len(names), float).astype(float)
    for name, matrix, most in (("rows", rows, n_rows), ("shares", shares, 1)):
        if (matrix != matrix.T).any() or matrix.diagonal().any() or matrix.max() > most:
            raise ValueError(f"{name} is not the matrix of shares of two models")
    order = listed(plain, "order")
    if not matches_type(tuple(order), tuple[int, ...]) or sorted(order) != list(range(len(names))):
        raise ValueError(f"order is {shown(order)}")
    figures = from_json(
        Figures,
        plain,
        names=names,
        n_rows=n_rows,
        rows=rows,
        shares=shares,
        order=tuple(order),
        scores=_scores(plain["scores"], len(names)),
    )
    return ModelComparison(figures, StoredPairs(names, _diffs(plain, names)))


def _names(plain: Plain) -> tuple[str, ...]:
    names = tuple(listed(plain, "names"))
    if not matches_type(names, tuple[str, ...]) or len(set(names)) != len(names):
        raise ValueError(f"names are {shown(names)}")
    if not FEWEST <= len(names) <= MOST:
        raise ValueError(f"there are {len(names)} names")
    return names


def _matrix(plain: Plain, name: str, k: int, kind: type) -> NDArray[Any]:
    """A k by k matrix of numbers from 0 up."""
    lines = tuple(tuple(row) if isinstance(row, list) else row for row in listed(plain, name))
    square = len(lines) == k and all(isinstance(row, tuple) and len(row) == k for row in lines)
    if not square or not matches_type(lines, tuple[tuple[kind, ...], ...]):  # type: ignore[valid-type]
        raise ValueError(f"{name} is not a matrix of {k} by {k} numbers")
    matrix = np.array(lines)
    if matrix.min() < 0:
        raise ValueError(f"{name} holds {matrix.min()}")
    return matrix


def _scores(plain: Plain | None, k: int) -> Scores | None:
    if plain is None:
        return None
    fixes = _matrix(plain, "fixes", k, int).astype(np.int64)
    n_rows = whole(plain["n_rows"], "n_rows", 1, _MOST_ROWS)
    if fixes.diagonal().any() or fixes.max() > n_rows:
        raise ValueError(
            "fixes is not a matrix of rows that one model gets right and another wrong"
        )
    apart = None
    if plain.get("apart") is not None:  # files of earlier versions lack it
        apart = _matrix(plain, "apart", k, bool)
        if apart.diagonal().any() or (apart != apart.T).any():
            raise ValueError("apart is not a symmetric matrix of pairs of models")
    scores = from_json(Scores, plain, fixes=fixes, apart=apart)
    if len(scores.models) != k:
        raise ValueError(f"there are {len(scores.models)} scores for {k} models")
    check_scores(scores)
    return scores


def _diffs(plain: Plain, names: tuple[str, ...]) -> dict[tuple[int, int], ModelDiff]:
    found: dict[tuple[int, int], ModelDiff] = {}
    for one in listed(plain, "diffs"):
        pair = listed(one, "pair")
        if not matches_type(tuple(pair), tuple[int, int]) or not pair[0] < pair[1] < len(names):
            raise ValueError(f"pair is {shown(pair)}")
        first, second = pair
        diff = diff_of(one["diff"])
        if diff.names != (names[first], names[second]):
            raise ValueError(f"the diff of {shown(pair)} is that of {shown(diff.names)}")
        found[first, second] = diff
    return found
