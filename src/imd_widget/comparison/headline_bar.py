"""The headline as a picture: one bar of all rows to scale, and one of fixes and breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.metrics import Metrics
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.number_text import amount
from imd_widget.rules.languages import percent

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: agree: outside every rule. agreed: inside a rule of agreement. inside: agree, but inside a diff
#: rule. covered: differ, inside a diff rule. missed: differ, outside. differ: differ, and it is not
#: known whether inside a rule.
PartKind = Literal["agree", "agreed", "inside", "covered", "missed", "differ"]

#: If fewer rows than this are of interest, the part of the others is drawn shorter than to scale.
LEAST_SHOWN = 0.05
#: Share of the bar that the shortened part then takes.
SHORTENED = 0.6
#: With fewer measured rows than this, counts are reported instead of shares.
FEW_MEASURED = 20


@dataclass(frozen=True)
class BarPart:
    """One part of the bar of all rows."""

    kind: PartKind
    #: Share of all rows, by weight; the shares add up to 1.
    share: float
    #: Share of the bar's length: ``share``, unless a part is cut.
    length: float
    #: Whether the part is drawn shorter than to scale: the others would be too small to see.
    cut: bool
    #: What the part is, for the legend: "28 % are not".
    text: str


@dataclass(frozen=True)
class TruthBar:
    """What going from model 1 to model 2 changes, if the truth is known."""

    #: Rows that it puts right and rows that it gets wrong; sums of weights if rows have weights.
    fixes: float
    breaks: float
    #: Both in words, as the bar has them, and the difference: "boost breaks 223, fixes 428" and
    #: "net +205".
    text: str
    net: str


def bar_of(diff: ModelDiff) -> tuple[BarPart, ...]:
    """Return the parts of the bar of all rows, from left to right; empty parts are left out.

    The share of all rows that differ is divided by the recall, and the share that agrees by the
    share of agreeing rows inside a rule: both are measured on rows that were not used to fit, if
    there are any.
    """
    metrics = diff.metrics
    differ = metrics.disagreement
    if diff.agreement:
        parts = _of_agreement(diff)
    elif not diff.rules or not metrics.measured_differing:
        parts = [("agree", 1 - differ, "agree"), ("differ", differ, "differ")]
    else:
        counts = measured_confusion(metrics)
        agreeing = counts.total - counts.differing
        inside = (counts.claimed - counts.both) / agreeing if agreeing > 0 else 0.0
        covered, missed = _words(diff)
        parts = [
            ("agree", (1 - differ) * (1 - inside), "agree"),
            ("inside", (1 - differ) * inside, "agree, but inside a rule"),
            ("covered", differ * metrics.recall, covered),
            ("missed", differ * (1 - metrics.recall), missed),
        ]
    return _drawn([BarPart(kind, share, share, False, text) for kind, share, text in parts])


def truth_bar(right: Right | None, second: str) -> TruthBar | None:
    """Return what changing to model 2, named ``second``, fixes and breaks; None if nothing."""
    if right is None or not (right.fixes or right.breaks):
        return None
    return TruthBar(
        fixes=right.fixes,
        breaks=right.breaks,
        text=f"{second} breaks {amount(right.breaks)}, fixes {amount(right.fixes)}",
        net=f"net {signed(right.net)}",
    )


def measured_confusion(metrics: Metrics) -> Confusion:
    """Return the measured rows by whether a rule covers them and they differ, as shares."""
    differing = metrics.measured_disagreement
    both = differing * metrics.recall
    claimed = metrics.measured_claimed / metrics.measured_rows if metrics.measured_rows else 0.0
    # the count of rows has no weights: the precision has
    claimed = both / metrics.precision if both else claimed
    return Confusion(claimed=min(1.0, claimed), differing=differing, both=both, total=1.0)


def has_few(diff: ModelDiff, *counts: int) -> bool:
    """Return whether there are so few measured rows that counts are clearer than shares."""
    return not diff.tree.target.weighted and min(counts) < FEW_MEASURED


def signed(number: float) -> str:
    """Return a number with its sign: "+205", "−3"."""
    return ("+" if number > 0 else "") + amount(number).replace("-", "−")


def plural_rules(n_rules: int) -> str:
    """Return "6 rules" or "1 rule"."""
    return f"{n_rules:,} rules" if n_rules != 1 else "1 rule"


_Part = tuple[PartKind, float, str]


def _words(diff: ModelDiff) -> tuple[str, str]:
    """Return what the legend calls the covered and the other differences."""
    metrics, rules = diff.metrics, plural_rules(len(diff.rules))
    recall, differing = metrics.recall, metrics.measured_differing
    if has_few(diff, differing):
        both = round(recall * differing)
        covered, missed = f"{both:,} of {differing:,} measured differences", f"{differing - both:,}"
    else:
        covered, missed = f"{percent(recall)} of the differences", percent(1 - recall)
    if not recall:
        return "", f"no measured difference is inside {rules}"
    if recall == 1:
        return f"all differences are inside {rules}", ""
    return f"{covered} {'is' if covered.startswith('1 of') else 'are'} inside {rules}", (
        f"{missed} {'is' if missed == '1' else 'are'} not"
    )


def _of_agreement(diff: ModelDiff) -> list[_Part]:
    """Return the parts if the models differ on most rows, with rules that show where they agree."""
    metrics, differ = diff.metrics, diff.metrics.disagreement
    agreed = metrics.agreement_recall or 0.0
    rules = plural_rules(len(diff.agreement))
    parts: list[_Part] = [
        ("agree", (1 - differ) * (1 - agreed), "agree"),
        ("agreed", (1 - differ) * agreed, f"agree, inside {rules} of agreement"),
    ]
    if not diff.rules or not metrics.measured_differing:
        return [*parts, ("differ", differ, "differ")]
    covered, missed = _words(diff)
    return [
        *parts,
        ("covered", differ * metrics.recall, covered),
        ("missed", differ * (1 - metrics.recall), missed),
    ]


def _drawn(parts: Sequence[BarPart]) -> tuple[BarPart, ...]:
    """Return the parts that are not empty; a long part of agreement is cut if the rest is tiny."""
    kept = [part for part in parts if part.share > 0]
    small = sum(part.share for part in kept[1:])
    if len(kept) < 2 or kept[0].kind != "agree" or small >= LEAST_SHOWN:
        return tuple(kept)
    first, *rest = kept
    return (
        replace(first, length=SHORTENED, cut=True, text="agree (not to scale)"),
        *(replace(part, length=(1 - SHORTENED) * part.share / small) for part in rest),
    )
