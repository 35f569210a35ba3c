"""The gate: compares a diff with limits, over all rows, inside each rule and in each group.

A share of all rows is compared with its limit as it is. The net loss inside a rule or a group is
an estimate from few rows, and there are many of them: it fails the gate only if it is above the
limit beyond chance, at a level of 5 % over all rules, or all groups, together (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted
from imd_widget._base.intervals import SampleSize, share_interval
from imd_widget._base.paired import LEVEL, holm, loss_above_of_parts
from imd_widget._base.validation import check_whole
from imd_widget._base.verbs import verb
from imd_widget.comparison.equivalence import equivalent
from imd_widget.comparison.measuring import rule_correctness
from imd_widget.comparison.record import DiffRecord
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.comparison.verdict import Check, LimitName, Limits, Verdict
from imd_widget.outputs.correctness import PairedNet, Right
from imd_widget.rules.languages import conditions_text, percent

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.rules.rule import Rule

ALL_ROWS = "all rows"
#: Rules and groups with fewer rows than this are not checked.
FEWEST_ROWS = 10


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
    if limits.rule_breaks is not None:
        found = _rules(diff, limits.rule_breaks, min_rows, known)
        checks, notes = [*checks, *found[0]], [*notes, *found[1]]
    if limits.group_breaks is not None:
        found = _groups(diff, limits.group_breaks, min_rows)
        checks, notes = [*checks, *found[0]], [*notes, *found[1]]
    ordered = sorted(checks, key=lambda one: one.passed)
    return Verdict(all(one.passed for one in checks), tuple(ordered), tuple(notes))


def _known(diff: ModelDiff, baseline: Any) -> NDArray[np.bool_] | None:
    """Return a mask of the rows inside rules of the baseline; None without one."""
    if baseline is None:
        return None
    if isinstance(baseline, str | PathLike):
        baseline = verb("load")(baseline)
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
            ": it has to be a diff of the same two models. If they are the same, give them the "
            "same names, with ",
            Argument("names"),
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
        yield from _losses("net", limits.net, [_Loss(ALL_ROWS, judged)])
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
    diff: ModelDiff, allowed: float, min_rows: int, known: NDArray[np.bool_] | None
) -> tuple[list[Check], list[str]]:
    """Compare the net loss inside each rule, on rows not used to fit, with the limit."""
    notes, found = [], []
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
            few = f"{n_rows:,} rows are fewer than {min_rows:,}"
            if share is not None:
                few = f"{percent(share)} of its rows were known, and {n_rows:,} new ones are fewer"
                few += f" than {min_rows:,}"
            notes.append(f"{where}: not checked, {few}.")
        elif right is None or right.size is None:
            notes.append(f"{where}: not checked, it was not found again on rows not used to fit.")
        else:
            known_share = None if share is None else (share, int(inside.sum()))
            known_way = every if allowed and _is_plain(diff) else None
            found.append(_Loss(where, right, known_share, known_way))
    return _losses("rule_breaks", allowed, found), notes


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


def _groups(diff: ModelDiff, allowed: float, min_rows: int) -> tuple[list[Check], list[str]]:
    """Compare the net loss in each group with the limit."""
    by = redacted_groups(diff)
    if by is None:
        raise InputError(
            Given("group_breaks", allowed),
            " limits what is broken in each group: pass ",
            Argument("by"),
            ", the column of the groups.",
        )
    notes, found = [], []
    for group in by.groups:
        where, right = f"{by.name} is {group.value}", group.correctness
        if right is None or not right.known:
            notes.append(f"{where}: not checked, no row has a truth.")
        elif group.rows < min_rows:
            few = f"{group.rows:,} rows are fewer than {min_rows:,}"
            notes.append(f"{where}: not checked, {few}.")
        elif right.size is None or not right.size.is_enough:
            notes.append(f"{where}: not checked, there are too few independent rows.")
        else:
            found.append(_Loss(where, right))
    return _losses("group_breaks", allowed, found), notes


@dataclass(frozen=True)
class _Loss:
    """Rows on which the net loss is compared with a limit."""

    #: The rows in words.
    where: str
    #: Who is right on them.
    right: PairedNet
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
    rows = "rows"
    if loss.known is not None:
        rows = f"new rows ({percent(loss.known[0])} of the rule's rows were known)"
    text = f"{loss.where}: {_loss_text(right, interval)} of {right.known:,.0f} {rows}, "
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
