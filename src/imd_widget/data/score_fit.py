"""Fits a `PointScore`: a logistic model on few columns, with its weights as whole points.

Everything is computed in a fixed order and without random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.point_score import LARGEST, ScoreItem

#: A score has at most this many items.
MOST_TERMS = 5
#: Points of the item that matters most, for about one standard deviation of its column.
MOST_POINTS = 10
#: Standardised values are cut off here to fit the weights.
CLIPPED = 3.0
#: The penalty of squared weights.
RIDGE = 1.0
#: A score is kept if it ranks at least this share of pairs of rows as the model does.
LEAST_AUC = 0.8
#: Steps of Newton's method.
STEPS = 25
#: Statistics are compared in so many digits: sums depend on the order of rows in the last ones.
DIGITS = 9


@dataclass(frozen=True, eq=False)
class Term:
    """A column, or a level of one, that may become an item of a score."""

    #: The item, without points.
    item: ScoreItem
    #: What the points are for, per row: numbers without missing ones, or 0 and 1.
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms, standardised."""

    terms: tuple[Term, ...]
    scale: NDArray[np.float64]
    #: Standardised values, one row per term.
    standard: NDArray[np.float64]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, terms: Sequence[Term], weight: NDArray[np.float64]) -> Terms:
        """Standardise terms; those without variance are left out."""
        kept, scales, rows = [], [], []
        total = weight.sum()
        for term in terms:
            mean = float(weight @ term.values) / total
            scale = math.sqrt(float(weight @ (term.values - mean) ** 2) / total)
            if not scale > max(1e-60, 1e-9 * abs(mean)):
                continue
            kept.append(term)
            scales.append(scale)
            rows.append(np.clip((term.values - mean) / scale, -CLIPPED, CLIPPED))
        standard = np.array(rows) if rows else np.empty((0, len(weight)))
        return cls(tuple(kept), np.array(scales), standard, weight)


@dataclass(frozen=True)
class FittedScore:
    """A constant and items, whose sum ranks rows as the model does."""

    constant: int
    items: tuple[ScoreItem, ...]


def fit_score(terms: Terms, target: NDArray[np.bool_]) -> FittedScore | None:
    """Return the score of a class; None if it does not rank rows well enough.

    Parameters
    ----------
    terms : Terms
    target : ndarray of bool, shape (n_rows,)
        Whether the model predicts the class.
    """
    chosen, slopes = _selected(terms, target.astype(float))
    if not chosen:
        return None
    largest = np.abs(slopes).max()
    items, total = [], np.zeros(len(target))
    for index, slope in zip(chosen, slopes.tolist(), strict=True):
        term, scale = terms.terms[index], float(terms.scale[index])
        per = 1.0 if term.item.of_level else _unit(scale)
        # rounded first: the last digits depend on the order of rows
        points = round(round(MOST_POINTS * slope / scale * per / largest, DIGITS))
        if points:
            items.append(replace(term.item, points=points, per=per))
            total += term.values * items[-1].factor
    constant = _constant(total, target, terms.weight)
    if not items or constant is None:
        return None
    if _auc(np.floor(total + (constant + 0.5)), target, terms.weight) < LEAST_AUC:
        return None
    return FittedScore(constant, tuple(items))


def _selected(terms: Terms, target: NDArray[np.float64]) -> tuple[list[int], NDArray[np.float64]]:
    """Return the terms of a forward selection, and their weights in a logistic model."""
    weight, n_rows = terms.weight, len(target)
    chosen: list[int] = []
    solution = np.zeros(1)
    design = np.ones((1, n_rows))
    for _ in range(min(MOST_TERMS, len(terms.terms))):
        solution = _logistic(design, target, weight, solution)
        fitted = _expit(solution @ design)
        slope = weight * fitted * (1 - fitted)
        residual = weight * (target - fitted)
        # each term minus its weighted projection on the chosen ones
        products = (design * slope) @ design.T
        onto = np.linalg.lstsq(products, (design * slope) @ terms.standard.T, rcond=None)[0]
        rest = terms.standard - onto.T @ design
        variance = (rest * rest) @ slope
        own = (terms.standard * terms.standard) @ slope
        gain = np.zeros(len(terms.terms))
        usable = variance > 1e-6 * np.maximum(own, 1e-300)
        usable[chosen] = False
        gain[usable] = (rest[usable] @ residual) ** 2 / variance[usable]
        best = int(np.argmax(_rounded(gain)))
        if gain[best] < math.log(n_rows):
            break
        chosen.append(best)
        design = np.vstack([design, terms.standard[best]])
        solution = np.append(solution, 0.0)
    solution = _logistic(design, target, weight, solution)
    return chosen, solution[1:]


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers rounded to `DIGITS` digits, so that equal terms are equal."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in values.tolist()])


def _logistic(
    design: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weights of a logistic model with a ridge penalty, but none of the constant."""
    penalty = np.full(len(design), RIDGE)
    penalty[0] = 1e-6
    solution, linear = start, start @ design
    loss = value = _loss(linear, target, weight, solution, penalty)
    for _ in range(STEPS):
        fitted = _expit(linear)
        gradient = design @ (weight * (fitted - target)) + penalty * solution
        curvature = (design * (weight * fitted * (1 - fitted))) @ design.T
        step = np.linalg.solve(curvature + np.diag(penalty), gradient)
        size = 1.0
        while True:
            tried = solution - size * step
            linear = tried @ design
            value = _loss(linear, target, weight, tried, penalty)
            if value <= loss or size <= 1e-4:
                break
            size /= 2
        solution, before, loss = tried, loss, value
        if size <= 1e-4 or before - loss <= 1e-10 * max(1.0, abs(before)):
            break
    return solution


def _loss(
    linear: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    solution: NDArray[np.float64],
    penalty: NDArray[np.float64],
) -> float:
    """Return the penalised logistic loss."""
    rows = np.logaddexp(0.0, linear) - target * linear
    return float(weight @ rows + 0.5 * penalty @ (solution * solution))


def _expit(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * linear)))


def _unit(scale: float) -> float:
    """Return 1, 2 or 5 times a power of ten, the nearest to a number on a log scale."""
    power = math.floor(math.log10(scale))
    units = [float(f"{digit}e{power + more}") for more in (0, 1) for digit in (1, 2, 5)]
    return min(units, key=lambda unit: abs(math.log(unit / scale)))


def _constant(
    total: NDArray[np.float64], target: NDArray[np.bool_], weight: NDArray[np.float64]
) -> int | None:
    """Return what is added to sums so that 0 is where the class is as likely as not."""
    mean = float(weight @ total) / weight.sum()
    spread = math.sqrt(float(weight @ (total - mean) ** 2) / weight.sum())
    if not spread > 0:
        return None
    design = np.stack([np.ones(len(total)), (total - mean) / spread])
    first, slope = _logistic(design, target.astype(float), weight, np.zeros(2)).tolist()
    if not slope > 0:
        return None
    constant = round(first / slope * spread - mean, DIGITS - 3)
    return round(constant) if abs(constant) < LARGEST else None


def _auc(
    score: NDArray[np.float64], target: NDArray[np.bool_], weight: NDArray[np.float64]
) -> float:
    """Return the share of pairs of rows, one of the class, that the score ranks right."""
    _, place = np.unique(score, return_inverse=True)
    inside = np.bincount(place, weight * target)
    outside = np.bincount(place, weight * ~target)
    below = np.cumsum(outside) - outside
    pairs = inside.sum() * outside.sum()
    return float((inside * (below + outside / 2)).sum() / pairs) if pairs > 0 else 0.0
