"""Checks that the figures of a file are possible: shares from 0 to 1, no part above its whole."""

from __future__ import annotations

from collections.abc import Iterable

from imd_widget._base.plain import shown
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.by_groups import ByGroups, FurtherGroups
from imd_widget.comparison.metrics import Metrics
from imd_widget.deciding.patch import PatchFigures
from imd_widget.many.figures import Scores
from imd_widget.outputs.correctness import Right
from imd_widget.rules.rule import Rule

#: Relative error of sums of weights.
ROUNDING = 1e-9
#: More rows than any table has.
MOST_ROWS = 1e12


def check_metrics(metrics: Metrics) -> None:
    """Raise ValueError if a metric of a diff is impossible."""
    for name in ("disagreement", "precision", "recall", "f1", "measured_disagreement", "explained"):
        _check_share(name, getattr(metrics, name))
    for name in ("agreement_precision", "agreement_recall"):
        _check_share(name, getattr(metrics, name))
    for name in ("precision_interval", "recall_interval"):
        _check_interval(name, getattr(metrics, name))
    _check_correlation("mcc", metrics.mcc)
    for surrogate in metrics.fidelity:  # of numbers it is a share of variance, which has no least
        _check_part("fidelity", surrogate, 1)
    _check_part("n_differing", metrics.n_differing, metrics.n_rows)
    for name in ("measured_differing", "measured_claimed", "agreement_claimed"):
        _check_part(name, getattr(metrics, name), metrics.measured_rows)


def check_rule(rule: Rule) -> None:
    """Raise ValueError if a figure of a rule is impossible."""
    for rows in ("", "holdout_"):
        weight = getattr(rule, f"{rows}weight")
        differing = getattr(rule, f"{rows}differing_weight")
        _check_part(f"{rows}differing_weight", differing, weight, least=0)
        support = getattr(rule, f"{rows}support")
        _check_part(f"{rows}differing", getattr(rule, f"{rows}differing"), support)
    _check_share("outcome_share", rule.outcome_share)
    _check_share("coverage", rule.coverage)
    _check_share("measured_rate", rule.measured_rate)
    _check_share("expected_rate", rule.expected_rate)
    _check_interval("the interval of a rule", rule.interval)
    for pair in rule.other_outcomes:
        _check_share("the share of an outcome", pair.share)
    for name in ("up", "down"):
        _check_part(name, getattr(rule, name), rule.differing_weight, least=0)
    check_right(rule.right)
    check_right(rule.holdout_right)
    check_right(rule.correctness)


def check_right(right: Right | None) -> None:
    """Raise ValueError if a number of rows by who is right, or a mean error, is negative."""
    if right is None:
        return
    counts = (right.both, right.first, right.second, right.neither, right.unknown)
    for number in (*counts, *(right.errors or ()), *(right.rmse or ())):
        if number < 0:
            raise ValueError(f"a number of rows by who is right is {shown(number)}")
    # with weights it may be more than the weight of the rows
    _check_part("effective_rows", right.effective_rows, MOST_ROWS, least=0)
    for name, value in (
        ("degrees", right.degrees),
        *(("degrees", loss.degrees) for loss in right.losses),
        *(("error", loss.error) for loss in right.losses),
    ):
        if value is not None and not value >= 0:
            raise ValueError(f"{name} is {shown(value)}, and 0 is the least")


def check_by(by: ByGroups | None) -> None:
    """Raise ValueError if a rate of a group is impossible."""
    for groups in () if by is None else (by.groups, *by.rules):
        for group in groups:
            _check_part("the differing rows of a group", group.differing, group.rows)
            _check_share("the rate of a group", group.rate)
            _check_interval("the interval of a group", group.interval)
            check_right(group.correctness)
            for way in group.ways:
                _check_part("the rows of a way to differ", way.rows, group.differing, least=0)
                _check_share("the share of a way to differ", way.share)


def check_further(further: FurtherGroups) -> None:
    """Raise ValueError if there are more groups than were counted, or their counts are wrong."""
    _check_part("the groups that are listed", len(further.groups), further.count, least=0)
    for group in further.groups:
        check_right(group.correctness)


def check_advice(advice: Iterable[Advice]) -> None:
    """Raise ValueError if a correlation is impossible."""
    for one in advice:
        _check_correlation("mcc", one.mcc)
        _check_correlation("present_mcc", one.present_mcc)
        if one.unsure is not None:
            for name in ("above", "below", "differing", "rows"):
                _check_share(name, getattr(one.unsure, name))


def check_figures(figures: PatchFigures | None) -> None:
    """Raise ValueError if a figure of a patch is impossible."""
    if figures is not None:
        check_right(figures.right)
        _check_share("breaks_bound", figures.breaks_bound)


def check_scores(scores: Scores) -> None:
    """Raise ValueError if a score of a model is impossible, or if no model is the best."""
    for model in scores.models:
        if scores.is_error:
            _check_part("score", 0, model.score)
        else:
            _check_share("score", model.score)
        _check_part("error", 0, model.error)
    if not any(model.best for model in scores.models):
        raise ValueError("no model is the best one")


def _check_share(name: str, share: float | None) -> None:
    _check_part(name, share, 1, least=0)


def _check_correlation(name: str, correlation: float | None) -> None:
    _check_part(name, correlation, 1, least=-1)


def _check_interval(name: str, ends: tuple[float, float] | None) -> None:
    if ends is not None:
        _check_share(name, ends[1])
        _check_part(name, ends[0], ends[1], least=0)


def _check_part(
    name: str, part: float | None, most: float | None, least: float | None = None
) -> None:
    """Raise ValueError unless ``least <= part <= most``, up to rounding; None is no bound."""
    if part is None or most is None:
        return
    if part > most + ROUNDING * max(1, abs(most)):
        raise ValueError(f"{name} is {shown(part)}, and {shown(most)} is the most that it can be")
    if least is not None and part < least - ROUNDING:
        raise ValueError(f"{name} is {shown(part)}, and {shown(least)} is the least")
