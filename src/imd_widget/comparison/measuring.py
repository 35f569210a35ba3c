"""The stage that measures a fit: the rates of its rules, and its metrics, on rows not used to fit.

Either on the rows kept aside, or by five fits to four fifths of the rows each (cross-fitting).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.intervals import SampleSize, Spread, share_interval
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.cross_fit import Kind
from imd_widget.comparison.metrics import (
    Evidence,
    Measured,
    Metrics,
    Score,
    measure,
    measured_rows,
)
from imd_widget.comparison.paired import confirmed, cross_fitted_right, with_statistics
from imd_widget.data.boxes import Box
from imd_widget.outputs.correctness import Right
from imd_widget.rules.regions import Region
from imd_widget.rules.rule import Rule, RuleSet

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows


@dataclass(frozen=True, eq=False)
class MeasuredRules:
    """Rules with their measured rates, and the metrics."""

    #: The diff rules.
    rules: RuleSet
    #: The rules of agreement.
    agreement: RuleSet
    metrics: Metrics
    #: The mean of F1 and Matthews' correlation.
    score: float


def measure_rules(rows: DiffRows) -> MeasuredRules:
    """Measure the rules of a fit, as ``rows.measured_by`` requires."""
    rules, agreement = rows.ranked, rows.ranked_agreement
    numbers = tuple(range(len(rules), len(rules) + len(agreement)))
    names = rows.models.names
    measured = _measured(rows)
    totals = rows.totals
    metrics = Metrics.of(
        Evidence(
            n_rows=totals.n_rows,
            n_differing=totals.n_differing,
            disagreement=totals.disagreement,
            n_rules=len(rules),
            n_predicates=RuleSet(tuple(rule for rule, _ in rules)).n_predicates,
            measured_by=rows.measured_by,
            measured=measured,
            mean_difference=totals.mean_difference(rows.compared.outputs),
        )
    )
    total = (measured.rows, measured.differing)
    return MeasuredRules(
        RuleSet(_with_rates(rows, "rules", rules, total), names),
        RuleSet(_with_rates(rows, "agreement", agreement, total), names, numbers),
        metrics,
        measured.confusion.balanced,
    )


def _with_rates(
    rows: DiffRows, kind: Kind, ranked: list[tuple[Rule, Region]], total: tuple[int, int]
) -> tuple[Rule, ...]:
    """Return rules with what was measured on rows not used to fit."""
    with_rate = _cross_fitted if rows.measured_by == "cv" else _held_out
    boxes = [(rule, region.box) for rule, region in ranked]
    found = confirmed(rows, boxes, total, kind == "agreement")
    measured = [with_rate(rows, kind, rule, region.box) for rule, region in ranked]
    return tuple(
        replace(_with_expected(rows, rule), confirmed=sure)
        for rule, sure in zip(measured, found, strict=True)
    )


def _with_expected(rows: DiffRows, rule: Rule) -> Rule:
    """Return a rule with the rate to expect on new rows."""
    base = rows.totals.disagreement
    if rule.measured_rate is not None or not rows.has_dependent_rows:
        return rule.with_expected(base)
    fit = rows.dataset.fit
    return rule.with_expected(base, rows.sample_size(fit[rows.in_box_at(rule.box, fit)]).n)


def _held_out(rows: DiffRows, _: Kind, rule: Rule, box: Box) -> Rule:
    """Return a rule with its rate on the rows kept aside."""
    if not rule.holdout_support:
        return rule
    size, right = SampleSize(rule.holdout_support), rule.holdout_right
    inside: NDArray[np.integer] = np.zeros(0, dtype=np.intp)
    if rows.has_dependent_rows or (right is not None and rows.has_losses):
        holdout = rows.dataset.holdout
        inside = holdout[rows.in_box_at(box, holdout)]
    if rows.has_dependent_rows:
        size = rows.sample_size(inside)
    interval = share_interval(rule.holdout_rate, size)
    judged = with_statistics(right, rows, inside)
    return replace(
        rule,
        measured_rate=rule.holdout_rate,
        interval=interval,
        correctness=judged,
        measured_rows=rule.holdout_support,
    )


def _cross_fitted(rows: DiffRows, kind: Kind, rule: Rule, box: Box) -> Rule:
    """Return a rule with the rate of similar rules on rows held out of their fit."""
    fit, weights = rows.dataset.fit, rows.dataset.weights
    inside = rows.in_box_at(box, fit)
    weight = np.ones(len(fit)) if weights is None else weights.whole[fit]
    matched = rows.cross_fit.matched(kind, inside, weight)
    if matched is None:
        return rule
    found = rows.cross_fit.matched_rate(matched, rows.differs_at(fit), weight)
    interval = share_interval(found.rate, rows.sample_size(fit[inside]), found.spread)
    judged = None
    if rule.right is not None:
        judged = cross_fitted_right(rows, matched, inside, fit)
    n_rows = int((matched.held_out & (weight > 0)).sum())
    return replace(
        rule,
        measured_rate=found.rate,
        interval=interval,
        correctness=judged,
        measured_rows=n_rows,
    )


def rule_correctness(rows: DiffRows, box: Box, kept: NDArray[np.bool_]) -> Right | None:
    """Return who is right on some rows inside a rule that were not used to fit.

    Parameters
    ----------
    rows : DiffRows
    box : Box
        The box of the rule.
    kept : ndarray of bool, shape (n_rows,)
        The rows of the table that count; rows kept aside in a table of their own do not.
    """
    numbers = rows.dataset.fit if rows.measured_by == "cv" else rows.dataset.holdout
    numbers = numbers[numbers < len(kept)]
    inside = rows.in_box_at(box, numbers)
    if rows.measured_by != "cv":
        own = numbers[inside & kept[numbers]]
        return with_statistics(rows.right_of(own), rows, own)
    weights = rows.dataset.weights
    weight = np.ones(len(numbers)) if weights is None else weights.whole[numbers]
    matched = rows.cross_fit.matched("rules", inside, weight)
    if matched is None:
        return None
    return cross_fitted_right(rows, matched.only(kept[numbers]), inside & kept[numbers], numbers)


def _measured(rows: DiffRows) -> Measured:
    """Return the scores of the rules and surrogates, and their intervals."""
    fit, dataset, by = rows.fit, rows.dataset, rows.measured_by
    on_holdout = by == "holdout"
    if by != "cv" and not rows.has_dependent_rows:
        return measure(rows.tree, fit.counts, fit.regions, on_holdout, fit.agreement)
    if by == "cv":
        found = rows.cross_fit
        numbers, fidelity = found.rows, found.fidelity
        claimed, agreeing = found.covered("rules"), found.covered("agreement")
    else:
        numbers = dataset.holdout if on_holdout else dataset.fit
        claimed = rows.covered_at(rows.boxes, numbers)
        agreeing = rows.covered_at(rows.agreement_boxes, numbers)
        fidelity = measure(rows.tree, fit.counts, fit.regions, on_holdout).fidelity
    differs = rows.differs_at(numbers)
    weight = None if dataset.weights is None else dataset.weights.whole[numbers]

    def interval(
        mask: NDArray[np.bool_], event: NDArray[np.bool_], score: Score
    ) -> tuple[float, float]:
        spread: Spread | None = None
        if by == "cv":
            spread = rows.cross_fit.spread(
                score, lambda covered: getattr(Confusion.of(covered, differs, weight), score)
            )
        share = getattr(Confusion.of(claimed, differs, weight), score)
        return share_interval(share, rows.sample_size(numbers[mask], event[mask]), spread)

    return measured_rows(differs, claimed, agreeing, weight, fidelity, interval)
