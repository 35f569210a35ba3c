"""Paired statistics: is one model right more often than the other, and is a rule more than chance.

The counts of `Right` come from sums over rows. What is added here needs the rows: how many
independent rows they are worth, and the paired differences of losses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from imd_widget._base.intervals import (
    FEWEST_DEGREES,
    FEWEST_GROUPS,
    SampleSize,
    Spread,
    counting_rows,
    mean_spread,
    net_size,
    sample_size,
    with_spread,
)
from imd_widget._base.paired import LEVEL, fisher, holm
from imd_widget.comparison.losses import losses_at
from imd_widget.counting.observations import ONLY_FIRST, ONLY_SECOND, UNKNOWN
from imd_widget.outputs.correctness import PairedLoss, Right

if TYPE_CHECKING:
    from imd_widget.comparison.cross_fit import Matched
    from imd_widget.comparison.diff_rows import DiffRows
    from imd_widget.data.boxes import Box
    from imd_widget.rules.rule import Rule

#: Paired losses are not computed for more independent rows than this.
MOST_ROWS = 5_000_000


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Rows with a truth, on which both models are judged."""

    #: 1 where only model 2 is right, -1 where only model 1 is, otherwise 0.
    net: NDArray[np.float64]
    #: Losses of both models, by their names.
    losses: dict[str, NDArray[np.float64]]
    #: The name of the loss that the user asked for.
    asked: str | None
    weight: NDArray[np.float64] | None
    groups: NDArray[np.integer] | None

    @classmethod
    def of(cls, rows: DiffRows, numbers: NDArray[np.integer]) -> PairedRows:
        """Return those of some rows that have a truth and a weight."""
        observed, dataset = rows.compared.observations, rows.dataset
        assert observed.right is not None
        right = np.asarray(observed.right[numbers])
        counts = right != UNKNOWN
        if dataset.weights is not None:
            counts &= dataset.weights.whole[numbers] > 0
        numbers, right = numbers[counts], right[counts]
        found = list(losses_at(rows, numbers))
        return cls(
            (right == ONLY_SECOND).astype(float) - (right == ONLY_FIRST),
            {name: losses for name, _, losses in found},
            next((name for name, asked, _ in found if asked), None),
            None if dataset.weights is None else dataset.weights.whole[numbers],
            None if dataset.groups is None else dataset.groups[numbers],
        )

    def __len__(self) -> int:
        return len(self.net)

    def mean(self, values: NDArray[np.float64]) -> float:
        """Return the mean of values of these rows, by weight; NaN without rows."""
        return float(np.average(values, weights=self.weight)) if len(self) else math.nan

    def size(self) -> SampleSize:
        """Return the effective sample size of the rows for the net."""
        return net_size(self.net, self.weight, self.groups)

    def loss(self, name: str, spread: Spread | None = None) -> PairedLoss:
        """Return the mean loss of both models, and the error of their difference."""
        first, second = self.losses[name]
        weight, (_, groups) = counting_rows(self.weight, None, self.groups)
        found = mean_spread(second - first, weight, groups)
        variance, degrees = found.variance, found.degrees
        if spread is not None and spread.variance > 0 and degrees > 0:
            variance, degrees = with_spread(variance, degrees, spread)
        few = FEWEST_GROUPS if groups is not None else 2
        is_enough = found.n_units >= few and (groups is None or degrees >= FEWEST_DEGREES)
        return PairedLoss(
            name,
            (_rounded(self.mean(first)), _rounded(self.mean(second))),
            _rounded(found.mean),
            _rounded(math.sqrt(variance)) if is_enough else None,
            _rounded(degrees),
            name == self.asked,
        )


def _rounded(value: float) -> float:
    """Return 12 digits: the last ones of a sum of floats depend on the order of the rows."""
    return float(f"{value:.12g}")


def with_statistics(
    right: Right | None, rows: DiffRows, numbers: NDArray[np.integer] | range
) -> Right | None:
    """Return counts over some rows with the statistics that need the rows; None without ``y``."""
    if right is None or not right.known:
        return right
    has_losses = rows.has_losses
    if not rows.has_dependent_rows and not (has_losses and len(numbers) <= MOST_ROWS):
        return replace(right, effective_rows=float(right.known))
    return _judged(right, PairedRows.of(rows, np.asarray(numbers)))


def _judged(right: Right, judged: PairedRows, size: SampleSize | None = None) -> Right:
    size = judged.size() if size is None else size
    return replace(
        right,
        losses=tuple(judged.loss(name) for name in judged.losses),
        effective_rows=size.n if size.is_enough else 0.0,
        degrees=None if math.isinf(size.degrees) else size.degrees,
    )


def cross_fitted_right(
    rows: DiffRows, matched: Matched, inside: NDArray[np.bool_], numbers: NDArray[np.integer]
) -> Right | None:
    """Return who is right on the held-out rows of the rules that match a rule; None without ``y``.

    The net has the variance of the rows inside the rule itself, and that of the matching rules, as
    the rate of a rule has after cross-fitting.

    Parameters
    ----------
    rows : DiffRows
    matched : Matched
        The rows of the matching rules of the folds.
    inside : ndarray of bool, shape (n_rows,)
        The rows inside the rule.
    numbers : ndarray of shape (n_rows,)
        The numbers of the rows.
    """
    right = rows.right_of(numbers[matched.held_out])
    if right is None or not right.known:
        return right
    held_out = PairedRows.of(rows, numbers[matched.held_out])
    folds = [PairedRows.of(rows, numbers[same]) for same in matched.same]
    size = PairedRows.of(rows, numbers[inside]).size()
    of_row = max((right.first + right.second) / right.known - right.net_share**2, 1 / (size.n + 2))
    spread = _spread([fold.mean(fold.net) for fold in folds])
    if spread.variance > 0 and size.is_enough:
        total, degrees = with_spread(of_row / size.n, size.degrees, spread)
        size = replace(size, n=of_row / total, degrees=degrees)
    judged = _judged(right, held_out, size)
    losses = tuple(
        held_out.loss(name, _spread([fold.mean(fold.losses[name][1] - fold.losses[name][0])
                                     for fold in folds]))
        for name in held_out.losses
    )  # fmt: skip
    return replace(judged, losses=losses)


def _spread(means: Sequence[float]) -> Spread:
    known = np.array([mean for mean in means if not math.isnan(mean)])
    if len(known) < 2:
        return Spread(0.0, 1.0)
    return Spread(float(np.var(known, ddof=1)), len(known) - 1)


def confirmed(
    rows: DiffRows, ranked: Sequence[tuple[Rule, Box]], total: tuple[int, int], agree: bool
) -> list[bool | None]:
    """Return which rules differ more often than the other rows kept aside, beyond chance.

    The rules were fitted on other rows, so the tests are independent of the choice of the rules;
    the level of 5 % holds for all of them together (Holm). None for each rule if no rows are kept
    aside, and for a rule that none of them lies inside.

    Parameters
    ----------
    rows : DiffRows
    ranked : sequence of (Rule, Box)
        The rules and their boxes.
    total : tuple of two int
        Number of rows kept aside, and of those on which the models differ.
    agree : bool
        Whether these are rules of agreement, which differ less often.
    """
    found: list[bool | None] = [None] * len(ranked)
    if rows.measured_by != "holdout":
        return found
    tested = [at for at, (rule, _) in enumerate(ranked) if rule.holdout_support]
    if rows.has_dependent_rows:
        chances = _dependent(rows, [ranked[at][1] for at in tested], agree)
    else:
        chances = [_counted(ranked[at][0], total, agree) for at in tested]
    for at, chance in zip(tested, holm(chances), strict=True):
        found[at] = chance <= LEVEL
    return found


def _counted(rule: Rule, total: tuple[int, int], agree: bool) -> float:
    """Return the p-value of a rule whose rows are independent, from counts."""
    n_in, events_in = rule.holdout_support, rule.holdout_differing
    n_out, events_out = total[0] - n_in, total[1] - events_in
    if agree:
        events_in, events_out = n_in - events_in, n_out - events_out
    return fisher(events_in, n_in, events_out, n_out) if n_out else 1.0


def _dependent(rows: DiffRows, boxes: Sequence[Box], agree: bool) -> list[float]:
    """Return the p-values of rules if rows have weights or belong to groups."""
    holdout, weights, groups = rows.dataset.holdout, rows.dataset.weights, rows.dataset.groups
    if weights is not None:
        holdout = holdout[weights.whole[holdout] > 0]
    event = rows.differs_at(holdout) != agree
    weight = None if weights is None else weights.whole[holdout]
    units = None if groups is None else groups[holdout]
    return [more_often(event, rows.in_box_at(box, holdout), weight, units) for box in boxes]


def more_often(
    event: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    groups: NDArray[np.integer] | None = None,
) -> float:
    """Return the one-sided p-value of an event that is not more frequent inside than outside.

    Fisher's exact test. With weights or groups it is made with as many rows as they are worth, and
    the p-value is not below that of the difference of both shares (Student's t).
    """
    if inside.all() or not inside.any():
        return 1.0
    if weight is None and groups is None:
        counts = [int(mask.sum()) for mask in (inside & event, inside, ~inside & event, ~inside)]
        return fisher(*counts)
    weight = np.ones(len(event)) if weight is None else weight
    effective: list[int] = []
    units = np.arange(len(event)) if groups is None else np.unique(groups, return_inverse=True)[1]
    residual, degrees, difference = np.zeros(int(units.max()) + 1), math.inf, 0.0
    for mask, sign in ((inside, 1), (~inside, -1)):
        own = None if groups is None else groups[mask]
        size = sample_size(event[mask], weight[mask], own)
        if not size.is_enough:
            return 1.0
        share = float(np.average(event[mask], weights=weight[mask]))
        effective += [math.floor(share * size.n + 1e-9), math.floor(size.n + 1e-9)]
        part = weight[mask] * (event[mask] - share) / weight[mask].sum()
        residual += sign * np.bincount(units[mask], weights=part, minlength=len(residual))
        degrees, difference = min(degrees, size.degrees), difference + sign * share
    n_units = len(residual)
    error = math.sqrt(float((residual**2).sum()) * n_units / max(n_units - 1, 1))
    exact = fisher(*effective)
    if not error:
        return exact
    return max(exact, float(stdtr(min(degrees, 1e12), -difference / error)))
