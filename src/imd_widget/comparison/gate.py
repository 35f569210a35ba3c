"""The gate: compares a diff with limits, over all rows, inside each rule and in each group.

A share of all rows is compared with its limit as it is. The net loss inside a rule or a group is
an estimate from few rows, and there are many of them: it fails the gate only if it is above the
limit beyond chance, at a level of 5 % over all rules, or all groups, together (Holm).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted, Setting
from imd_widget._base.intervals import SampleSize, share_interval
from imd_widget._base.paired import LEVEL, holm, loss_above_of_parts
from imd_widget._base.validation import check_whole
from imd_widget._base.verbs import verb
from imd_widget.comparison.by_groups import (
    MOST_FURTHER,
    MOST_GROUPS,
    MOST_JOINT_GROUPS,
    OTHERS,
    ByGroups,
)
from imd_widget.comparison.equivalence import equivalent
from imd_widget.comparison.fit_input import MeasuredBy
from imd_widget.comparison.measuring import rule_correctness
from imd_widget.comparison.record import DiffRecord
from imd_widget.comparison.redaction import FEWEST_SHARED, redacted_further, redacted_groups
from imd_widget.comparison.verdict import Check, LimitName, Limits, Verdict
from imd_widget.outputs.correctness import PairedNet, Right
from imd_widget.rules.languages import conditions_text, percent

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.rules.rule import Rule

ALL_ROWS = "all rows"
#: Rules and groups with fewer rows than this are not checked.
FEWEST_ROWS = 10
#: Which rows the net loss of a rule is measured on.
KEPT_ASIDE: Mapping[MeasuredBy | None, str] = {
    "holdout": "kept-aside ",
    "cv": "held-out ",
    "none": "",
    None: "",
}
#: Why groups that a file does not hold are not checked.
NOT_IN_FILE = (
    f"the file holds no group of fewer than {FEWEST_SHARED} rows, and at most {MOST_FURTHER:,} "
    "beyond those that are shown"
)
#: Notes on groups that are checked together only.
IN_RANGES = "whole numbers are checked in ranges. To check each of them, pass them as text."
TOGETHER = "checked together, since the file is from an earlier release. Make the diff again."


def check(
    diff: ModelDiff, limits: Limits, min_rows: int, baseline: Any, labels: PairedNet | None = None
) -> Verdict:
    """Compare a diff with limits; ``labels`` are the net from labels of a few rows."""
    check_whole("min_rows", min_rows, 1, None)
    needing = [one for one in limits.needs_truth if labels is None or one[0] != "net"]
    if needing and (diff.correctness is None or not diff.correctness.known):
        raise InputError(
            Given(*needing[0]),
            " limits what the change breaks, which needs the truth: pass ",
            Argument("y"),
            ".",
        )
    known = _known(diff, baseline)
    checks = [*_shares(diff, limits, known), *_overall(diff, limits, labels)]
    notes: list[str] = []
    unchecked: list[str] = []
    for name, allowed, part in (
        ("rule_breaks", limits.rule_breaks, partial(_rules, diff, known)),
        ("group_breaks", limits.group_breaks, partial(_groups, diff)),
    ):
        if allowed is not None:
            found: _Found = part(allowed, min_rows)
            checks, notes = [*checks, *found.checks], [*notes, *found.notes]
            unchecked += [] if found.checks else [f"{name}: {found.why_none}"]
    ordered = sorted(checks, key=lambda one: one.passed)
    passed = all(one.passed for one in checks)
    return Verdict(passed, tuple(ordered), tuple(notes), tuple(unchecked))


@dataclass(frozen=True)
class _Found:
    """What was compared with a limit for rules or groups."""

    checks: Sequence[Check]
    notes: Sequence[str]
    #: Why nothing was compared, if nothing was.
    why_none: str


def _why_none(what: str, n_all: int, n_few: int, min_rows: int, rows: str = "rows") -> str:
    """Return why no rule, or no group, was compared with the limit."""
    if not n_all:
        return f"there are no {what}s"
    if n_few < n_all:
        return f"no {what} can be judged, see the notes"
    which = f"the only {what} has" if n_all == 1 else f"all {n_all:,} {what}s have"
    return f"{which} fewer than {min_rows:,} {rows}"


def _known(diff: ModelDiff, baseline: Any) -> NDArray[np.bool_] | None:
    """Return a mask of the rows inside rules of the baseline; None without one."""
    if baseline is None:
        return None
    if isinstance(baseline, str | PathLike):
        try:
            baseline = verb("load")(baseline)
        except OSError as error:
            raise InputError(
                Given("baseline", str(baseline)),
                f" cannot be read: {error.strerror or error}.",
            ) from error
    if not isinstance(baseline, DiffRecord):
        raise InputError(
            Argument("baseline"),
            " is not a diff: pass the diff of last time, or its .json file.",
        )
    names = baseline.names
    if names != diff.names:
        raise InputError(
            Argument("baseline"),
            " compares ",
            Quoted(*names),
            ", and this diff ",
            Quoted(*diff.names),
            ": it has to be a diff of the same two models. If they are the same, give both diffs "
            "the same names: ",
            Setting("names", "old", "new"),
            ".",
        )
    table = diff.table
    used = {str(condition.column) for rule in baseline.rules for condition in rule.conditions}
    missing = sorted(
        used
        - {str(name) for name in table.names}
        - {f"{name} {verb}" for name in names for verb in ("predicts", "says")}
    )
    if missing:
        raise InputError(
            Argument("baseline"),
            " has rules about ",
            Quoted(*missing[:3]),
            ", which this table does not have. Make a new baseline.",
        )
    return np.concatenate([baseline.predict(block) for _, block in table.blocks()])


def _shares(diff: ModelDiff, limits: Limits, known: NDArray[np.bool_] | None) -> Iterator[Check]:
    """Compare the shares of all rows that differ, and that break, with their limits."""
    new = " outside the regions of the baseline" if known is not None else ""
    if limits.disagreement is not None:
        share, rows = diff.metrics.disagreement, float(diff.metrics.n_rows)
        if known is not None:
            weight = diff.rows.row_weight
            share = float(weight[diff.differs & ~known].sum() / weight.sum())
        text = f"the models differ on {{}} of the rows{new}"
        yield _share_check("disagreement", share, limits.disagreement, rows, text)
    right = diff.right
    if limits.breaks is not None and right is not None:
        share = right.breaks / right.known
        if known is not None:
            outside = diff.rows.right_of(np.flatnonzero(~known))
            share = 0.0 if outside is None else outside.breaks / right.known
        within = diff.tree.outputs.right_texts(right).within
        good = "right" if within is None else f"{within} of the truth"
        text = f"only {diff.names[0]} is {good} on {{}} of the rows that have a truth{new}"
        yield _share_check("breaks", share, limits.breaks, right.known, text)


def _share_check(name: LimitName, share: float, allowed: float, rows: float, text: str) -> Check:
    passed = share <= allowed
    shown, limit = distinguishable(share, allowed)
    verdict = "within" if passed else "above"
    sentence = f"{text.format(shown)}, {verdict} the limit of {limit}."
    return Check(
        limit=name,
        allowed=allowed,
        where=ALL_ROWS,
        rows=rows,
        estimate=share,
        passed=passed,
        text=sentence,
    )


def _overall(diff: ModelDiff, limits: Limits, labels: PairedNet | None) -> Iterator[Check]:
    """Compare the net loss over all rows with its limit, and test equivalence."""
    right = diff.correctness
    judged = right if labels is None else labels
    if limits.net is not None and judged is not None:
        yield from _losses("net", limits.net, [_Loss(ALL_ROWS, judged, _n_rows(judged))])
    if limits.same is not None:
        found = equivalent(diff, limits.same, None)
        rows = float(diff.metrics.n_rows) if right is None else right.known
        yield Check(
            limit="same",
            allowed=limits.same,
            where=ALL_ROWS,
            rows=rows,
            estimate=found.estimate,
            interval=found.interval,
            p_value=found.p_value,
            passed=found.passed,
            text=f"{found}.",
        )


def _rules(
    diff: ModelDiff, known: NDArray[np.bool_] | None, allowed: float, min_rows: int
) -> _Found:
    """Compare the net loss inside each rule, on rows not used to fit, with the limit."""
    notes, found, n_few = [], [], 0
    new = "" if known is None else "new "
    aside = KEPT_ASIDE[diff.metrics.measured_by]
    for number, rule in enumerate(diff.rules):
        where = f"rule {number}: {conditions_text(rule.conditions)}"
        n_rows = rule.support + rule.holdout_support
        right, share, every = rule.correctness, None, _every_row(rule)
        if known is not None:
            inside = diff.rows.inside(rule.box) & (diff.rows.row_weight > 0)
            share = float(known[inside].mean()) if inside.any() else 0.0
            n_rows = int((inside & ~known).sum())
            right = rule_correctness(diff.rows, rule.box, ~known)
            every = diff.rows.right_of(np.flatnonzero(inside & ~known))
        if n_rows < min_rows:
            n_few += 1
            few = f"{n_rows:,} rows are fewer than {min_rows:,}"
            if share is not None:
                few = f"{percent(share)} of its rows were known, and {n_rows:,} new ones are fewer"
                few += f" than {min_rows:,}"
            notes.append(f"{where}: not checked, {few}.")
        elif right is None or right.size is None:
            none = "no rows are kept aside, since the diff is not measured"
            if aside:
                none = "it was not found again on rows not used to fit"
            notes.append(f"{where}: not checked, {none}.")
        else:
            known_share = None if share is None else (share, int(inside.sum()))
            known_way = every if allowed and _is_plain(diff) else None
            rows = f"{right.known:,.0f} {new}{aside}rows ({n_rows:,} in all"
            if share is not None:
                rows += f", {percent(share)} of the rule's rows were known"
            found.append(_Loss(where, right, f"{rows})", known_share, known_way))
    why_none = _why_none("rule", len(diff.rules), n_few, min_rows, f"{new}rows")
    return _Found(_losses("rule_breaks", allowed, found), notes, why_none)


def _every_row(rule: Rule) -> Right | None:
    """Return who is right on all rows of the table inside a rule."""
    first, second = rule.right, rule.holdout_right
    if first is None or second is None:
        return first or second
    return replace(first, first=first.first + second.first, second=first.second + second.second)


def _is_plain(diff: ModelDiff) -> bool:
    """Whether rows are independent, of one weight and one table."""
    overall = diff.correctness
    return overall is not None and overall.degrees is None and not diff.has_own_holdout


def _groups(diff: ModelDiff, allowed: float, min_rows: int) -> _Found:
    """Compare the net loss in each group with the limit, also in those that are not shown."""
    by = redacted_groups(diff)
    if by is None:
        raise InputError(
            Given("group_breaks", allowed),
            " limits what is broken in each group: pass ",
            Argument("by"),
            ", the column of the groups.",
        )
    further = diff.rows.further_groups(min_rows, None) if diff.has_rows else diff.further_groups
    further = redacted_further(further, by.name)
    shown = [(by.where(at), one.rows, one.correctness) for at, one in enumerate(by.groups)]
    if further.count:  # the last one is all further groups together
        shown.pop()
    found, notes = [], []
    why_not: Counter[str] = Counter()
    for where, n_rows, right in shown:
        why = _why_not(n_rows, right, min_rows)
        if why or right is None:
            why_not[why] += 1
            notes.append(f"{where}: not checked, {why}.")
        else:
            found.append(_Loss(where, right, _n_rows(right)))
    more: Counter[str] = Counter()
    for one in further.groups:
        why = _why_not(one.rows, one.correctness, min_rows)
        if why or one.correctness is None:
            more[why] += 1
        else:
            found.append(_Loss(one.where, one.correctness, _n_rows(one.correctness)))
    is_complete = min_rows >= FEWEST_SHARED and len(further.groups) < MOST_FURTHER
    few = _few(min_rows)
    absent = few if diff.has_rows or is_complete else NOT_IN_FILE
    more[absent] += further.count - len(further.groups)
    notes += [f"{_more(n)} by {by.name}: not checked, {why}." for why, n in more.items() if n]
    notes += [f"{column}: {IN_RANGES}" for column in further.in_ranges]
    if _is_older(by) and by.groups[-1].value.strip("()").endswith(OTHERS):
        notes.append(f"{by.where(-1)}: {TOGETHER}")
    n_all = len(shown) + further.count
    why_none = _why_none("group", n_all, why_not[few] + more[few], min_rows)
    return _Found(_losses("group_breaks", allowed, found), notes, why_none)


def _is_older(by: ByGroups) -> bool:
    """Whether the rates are from a file of a release that lists no groups beyond those shown."""
    return not by.conditions and len(by.groups) in (MOST_GROUPS, MOST_JOINT_GROUPS)


def _why_not(n_rows: int, right: Right | None, min_rows: int) -> str:
    """Return why a group is not checked; empty if it is."""
    if right is None or not right.known:
        return "no row has a truth"
    if n_rows < min_rows:
        return _few(min_rows)
    if right.size is None or not right.size.is_enough:
        return "too few independent rows"
    return ""


def _more(n: int) -> str:
    return f"{n:,} more groups" if n != 1 else "1 more group"


def _few(min_rows: int) -> str:
    return f"fewer than {min_rows:,} rows"


def _n_rows(right: PairedNet) -> str:
    return f"{right.known:,.0f} rows"


@dataclass(frozen=True)
class _Loss:
    """Rows on which the net loss is compared with a limit."""

    #: The rows in words.
    where: str
    #: Who is right on them.
    right: PairedNet
    #: Their number in words.
    rows: str
    #: With a baseline: the share of them that is known, and their number.
    known: tuple[float, int] | None = None
    #: Who is right on all rows inside a rule, those used to find it too. How many rows move may
    #: only be counted on ``right``; which of them break also here, since rules are found without
    #: ``y``. None: only ``right`` counts.
    every: Right | None = None

    def p_value(self, allowed: float) -> float | None:
        """Return the p-value of a true net loss within the limit."""
        right, every = self.right, self.every
        if every is None or right.size is None:
            return right.loss_p_value(allowed)
        moved = (right.breaks + right.fixes) / right.known
        return loss_above_of_parts(moved, right.size, every.breaks, every.fixes, allowed)


def _losses(name: LimitName, allowed: float, found: Sequence[_Loss]) -> list[Check]:
    """Return a check for each net loss, tested together."""
    own = [one.p_value(allowed) for one in found]
    adjusted = holm([1.0 if chance is None else chance for chance in own])
    return [
        _loss_check(name, allowed, one, chance) for one, chance in zip(found, adjusted, strict=True)
    ]


def _loss_check(name: LimitName, allowed: float, loss: _Loss, chance: float) -> Check:
    right, known = loss.right, loss.known
    ends = right.net_share_interval
    interval = None if ends is None else (-ends[1], -ends[0])
    passed = chance > LEVEL or -right.net_share <= allowed
    known_ends = None if known is None else share_interval(known[0], SampleSize(float(known[1])))
    return Check(
        limit=name,
        allowed=allowed,
        where=loss.where,
        rows=right.known,
        estimate=-right.net_share,
        interval=interval,
        p_value=chance,
        known=None if known is None else known[0],
        known_interval=known_ends,
        passed=passed,
        text=_sentence(allowed, loss, interval, passed),
    )


def _sentence(
    allowed: float, loss: _Loss, interval: tuple[float, float] | None, passed: bool
) -> str:
    """Return the net loss on some rows, and whether it is within its limit."""
    right, limit = loss.right, percent(allowed, 1)
    text = f"{loss.where}: {_loss_text(right, interval)} of {loss.rows}, "
    if passed and -right.net_share > allowed:
        return f"{text}above the limit of {limit}, but this may be chance."
    text += f"{'within' if passed else 'above'} the limit of {limit}."
    if not passed and loss.every is not None and (interval is None or interval[0] <= allowed):
        every = loss.every
        text += f" Of all rows inside, {every.breaks:,.0f} break and {every.fixes:,.0f} are fixed."
    return text


def _loss_text(right: PairedNet, interval: tuple[float, float] | None) -> str:
    """Return the net loss, or gain, and its interval."""
    loss = -right.net_share
    ends = ""
    if interval is not None:
        low, high = interval if loss >= 0 else (-interval[1], -interval[0])
        ends = f" ({100 * low:.1f} to {100 * high:.1f} %)".replace("-", "−")
    return f"net {'loss' if loss >= 0 else 'gain'} {percent(abs(loss), 1)}{ends}"


def distinguishable(share: float, allowed: float) -> tuple[str, str]:
    """Two shares in percent, with enough digits to show which is larger."""
    for digits in range(1, 8):
        texts = percent(share, digits), percent(allowed, digits)
        if texts[0] != texts[1]:
            break
    return texts if share != allowed else (percent(share, 1), percent(allowed, 1))
