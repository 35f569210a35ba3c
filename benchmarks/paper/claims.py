"""In short: what the paper claims and what was expected of our method, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from benchmarks.markdown import table
from benchmarks.paper import published
from benchmarks.paper.evidence import METHODS, NAMES, Evidence
from benchmarks.paper.statistics import Change, verdict

SCORE_NAMES = {"f1": "F1", "mcc": "MCC", "n_rules": "number of rules"}
VARIANT_NAMES = {"imd 6+1": "IMD refined once", "imd 7": "IMD of depth 7", "imd": "IMD"}
#: Datasets on which no choice of the calibrated method was made (docs/method.md).
NO_CHOICES = ("adult", "bankm", "mushroom")


def change(
    evidence: Evidence, column: str, before: str, after: str, pairs: list[str] | None = None
) -> Change:
    """Change of a score over some benchmarks, if none are named over all."""
    scores = evidence.scores(column, (before, after), evidence.ends if pairs is None else pairs)
    return Change.between(scores[before], scores[after])


def two_classes(evidence: Evidence) -> list[str]:
    """The benchmarks with two classes, on which rule sets are learned."""
    return list(evidence.scores("f1", ("imd", "grounded"), evidence.ends).index)


def in_short(evidence: Evidence) -> str:
    """All claims, the paper's first."""
    return "\n\n".join(["## In short", *papers_claims(evidence), *our_claims(evidence)])


# --- the paper's claims ---------------------------------------------------------------------------


def papers_claims(evidence: Evidence) -> Iterator[str]:
    """The paper's claims about IMD: a table, and sentences about what it hides."""
    binary = two_classes(evidence)
    changes = {
        claim: change(evidence, *claim, pairs=binary if claim[0] == "f1" else None)
        for claim in published.CHANGES
    }
    yield "### Claims of the paper about IMD"
    yield (
        "Changes are in percent over the benchmarks. F1 next to a figure of the paper is over the "
        f'{len(binary)} benchmarks with two classes, as in the paper. "Higher / lower" counts '
        'benchmarks, p is from Wilcoxon\'s signed-rank test, and "without two" leaves out the two '
        "benchmarks with the largest change in either direction."
    )
    head = ["change", "paper", "mean", "median", "higher / lower", "p", "without two", "found"]
    rows = [
        [
            from_to(*claim),
            paper_cell(published.CHANGES[claim]),
            *figures(one),
            without_two(one),
            beside_paper(one, published.CHANGES[claim]),
        ]
        for claim, one in changes.items()
    ]
    if len(binary) < len(evidence.ends):
        for other in ("separate", "direct_tree", "direct_boosting"):
            one = change(evidence, "f1", other, "imd")
            name = f"{from_to('f1', other, 'imd')}, all {len(one.gap)} benchmarks"
            rows.append([name, "", *figures(one), without_two(one), one.found])
    yield table([head, *rows])
    yield rules_sentence(evidence)
    for claim, one in changes.items():
        yield from outlier_sentence(evidence, claim, one)
    yield grounded_sentences(evidence, changes["f1", "grounded", "imd"])


def from_to(column: str, before: str, after: str) -> str:
    """What changes, from which method to which."""
    return f"{SCORE_NAMES.get(column, column)}, {method_name(before)} to {method_name(after)}"


def method_name(variant: str) -> str:
    """The name of a method or of a variant of it."""
    return VARIANT_NAMES.get(variant) or NAMES[variant]


def figures(one: Change) -> list[str]:
    """Mean, median, benchmarks up and down, and p."""
    return [
        f"{one.mean:+.1f} %",
        f"{one.median:+.1f} %",
        f"{one.higher} / {one.lower}",
        f"{one.p:.2g}",
    ]


def without_two(one: Change) -> str:
    """Mean change and p without the two extreme benchmarks; nothing of fewer than six."""
    rest = one.without_extremes()
    return "" if rest is None else f"{rest.mean:+.1f} %, p {rest.p:.2g}"


def paper_cell(told: published.Told) -> str:
    """The paper's mean change and p."""
    return f"{told.percent:+.2f} %" + ("" if told.p is None else f", p {told.p:g}")


def beside_paper(one: Change, told: published.Told) -> str:
    """What was found, and whether the paper found the same."""
    p = 0.0 if told.p is None else told.p
    theirs = verdict(told.percent, p)
    if one.found == theirs:
        return f"{one.found}, as in the paper"
    if p >= told.threshold:
        theirs += f", but not significant at its corrected level of {told.threshold}"
    return f"**{one.found}**; the paper: {theirs}"


def rules_sentence(evidence: Evidence) -> str:
    """Numbers of rules of IMD and of separate surrogates."""
    rules = evidence.scores("n_rules", ("separate", "imd"), evidence.ends).mean()
    told = published.MEAN_RULES
    one = change(evidence, "n_rules", "separate", "imd")
    return (
        f"IMD has {rules['imd']:.1f} rules on average and separate surrogates have "
        f"{rules['separate']:.1f}, {rules['separate'] / rules['imd']:.1f} times as many (paper: "
        f"{told['imd']:.1f} and {told['separate']:.1f}, {told['separate'] / told['imd']:.1f} times "
        f"as many). IMD has fewer on {one.lower} of {len(one.gap)} benchmarks (p = {one.p:.2g})."
    )


def outlier_sentence(evidence: Evidence, claim: tuple[str, str, str], one: Change) -> Iterator[str]:
    """A warning where mean and median point in opposite directions."""
    rest = one.without_extremes()
    if one.mean * one.median >= 0 or rest is None:
        return
    extremes = " and ".join(
        f"{evidence.title(pair)} ({one.percent[pair]:+.0f} %)" for pair in one.extremes
    )
    yield (
        f"*{sentence_case(from_to(*claim))}*: the mean change of {one.mean:+.1f} % is misleading. "
        f"The score is lower on {one.lower} of {len(one.gap)} benchmarks and higher on "
        f"{one.higher}, with a median change of {one.median:+.1f} %. The mean depends on two "
        f"benchmarks, {extremes}, and is {rest.mean:+.1f} % without them."
    )


def sentence_case(text: str) -> str:
    """The first letter as a capital."""
    return text[:1].upper() + text[1:]


def grounded_sentences(evidence: Evidence, one: Change) -> str:
    """Grounded rules beside the paper's "BRCG Diff.": another baseline, and what differs."""
    pairs = list(one.gap.index)
    f1 = evidence.scores("f1", ("imd", "grounded"), pairs).mean()
    rules = evidence.scores("n_rules", ("grounded",), pairs)["grounded"]
    told = published.CHANGES["f1", "grounded", "imd"]
    zero = [evidence.title(pair) for pair in pairs if pair not in one.percent.index]
    left_out = (
        f" There is no change in percent for {' and '.join(zero)}, because grounded rules have an "
        "F1 of 0."
        if zero
        else ""
    )
    printed = printed_f1()
    means = printed.mean()
    gap_of_baseline = abs(f1["grounded"] - means["grounded"])
    gap_of_imd = abs(f1["imd"] - means["imd"])
    return (
        f'*Grounded rules* (the paper\'s "BRCG Diff."): from them to IMD, F1 changes by '
        f"{one.mean:+.1f} % here and by {told.percent:+.1f} % in the paper.{left_out} Grounded "
        f"rules have a mean F1 of {f1['grounded']:.2f} here and {means['grounded']:.2f} in the "
        f"paper's Table 2, IMD has {f1['imd']:.2f} and {means['imd']:.2f}: the "
        f"{'baseline' if gap_of_baseline > gap_of_imd else 'method'} differs more than the "
        f"{'method' if gap_of_baseline > gap_of_imd else 'baseline'}. Ours have "
        f"{rules.mean():.1f} rules on average (median {rules.median():.1f}), those of the paper "
        f"{published.MEAN_RULES_TWO_CLASSES['grounded']:.1f}; the paper does not print the costs "
        f"of rules. {about_printed(printed)}"
    )


def printed_f1() -> pd.DataFrame:
    """F1 of the paper's Table 2, a row a line."""
    lines = {
        f"{dataset} {end}": line
        for dataset, both in published.TABLE_2.items()
        for end, line in zip(("max", "min"), both, strict=True)
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=METHODS[1:])


def about_printed(printed: pd.DataFrame) -> str:
    """How far the paper's own mean gain over grounded rules depends on two lines."""
    theirs = Change.between(printed["grounded"], printed["imd"])
    rest = theirs.without_extremes()
    assert rest is not None, "the table has 18 lines"
    extremes = " and ".join(f"{line} ({theirs.percent[line]:+.0f} %)" for line in theirs.extremes)
    return (
        f"The paper's mean also depends on two lines of its Table 2, {extremes}: the median of "
        f"that table is {theirs.median:+.0f} %, and the mean without the two {rest.mean:+.0f} %."
    )


# --- what was expected of the calibrated method ---------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """Something that was expected, and what was measured.

    Attributes
    ----------
    reached : bool
        Whether the measured mean is what was expected.
    change : Change or None
        The change over the benchmarks, for a claim about two methods.
    needs_test : bool
        Whether the claim is that one method is better than another: then the change must be
        significant too.
    """

    what: str
    expected: str
    measured: str
    reached: bool
    change: Change | None = None
    needs_test: bool = False

    @property
    def holds(self) -> str:
        """Yes, no, or not shown where the difference may be chance."""
        if not self.reached:
            return "**no**"
        if self.needs_test and self.change is not None and self.change.found != "higher":
            return "**not shown**"
        return "yes"

    @property
    def row(self) -> list[str]:
        """The claim as a row of a table."""
        cells = [""] * 3 if self.change is None else figures(self.change)[1:]
        return [self.what, self.expected, self.measured, *cells, self.holds]


def ratio_claim(
    evidence: Evidence, column: str, before: str, least: float, after: str = "calibrated"
) -> Claim:
    """The mean score of a method is at least ``least`` times that of another."""
    scores = evidence.scores(column, (before, after), evidence.ends)
    means = scores.mean()
    ratio = means[after] / means[before]
    given = after == "calibrated given"
    return Claim(
        f"mean {SCORE_NAMES[column]} "
        + (
            "given one model against the columns alone"
            if given
            else f"of calibrated against {NAMES[before]}"
        ),
        f"above {least} x" if least == 1 else f"at least {least} x",
        f"{ratio:.3f} x ({means[after]:.3f} against {means[before]:.3f})",
        bool(ratio > least if least == 1 else ratio >= least),
        Change.between(scores[before], scores[after]),
        needs_test=least >= 1,
    )


def our_expectations(evidence: Evidence) -> Iterator[Claim]:
    """What was expected of the calibrated method."""
    for other in ("imd", "separate", "direct_boosting"):
        yield ratio_claim(evidence, "mcc", other, 1.0)
    yield ratio_claim(evidence, "mcc", "ceiling", 0.6)
    yield ratio_claim(evidence, "mcc", "calibrated", 1.8, after="calibrated given")
    rules = evidence.scores("n_rules", ("calibrated", "calibrated given"), evidence.ends).mean()
    yield Claim(
        "rules given one model, on average",
        f"no more than {rules['calibrated']:.1f}",
        f"{rules['calibrated given']:.1f}",
        bool(rules["calibrated given"] <= rules["calibrated"]),
    )
    for other, least in (("imd", 1.25), ("separate", 1.0), ("direct_boosting", 1.0)):
        yield ratio_claim(evidence, "f1", other, least)
    yield Claim(
        "rules of calibrated, on average",
        "at most 9",
        f"{rules['calibrated']:.1f}",
        bool(rules["calibrated"] <= 9),
    )


def our_claims(evidence: Evidence) -> Iterator[str]:
    """Expected, measured, and whether it holds."""
    yield "### What was expected of the calibrated method"
    head = ["", "expected", "measured", "median change", "higher / lower", "p", "holds"]
    yield table([head, *(claim.row for claim in our_expectations(evidence))])
    yield (
        '"Not shown": the mean is as expected, but the difference is not significant at 0.05 and '
        "may be due to chance."
    )
    yield trade_table(evidence)
    aside = [pair for pair in evidence.ends if evidence.about(pair)["dataset"] in NO_CHOICES]
    if aside:
        yield kept_aside_sentence(evidence, aside)


def trade_table(evidence: Evidence) -> str:
    """Precision and recall of the calibrated method against IMD and separate surrogates."""
    head = ["change", "mean", "median", "higher / lower", "p", "without two", "found"]
    rows = []
    for other in ("imd", "separate"):
        for column in ("precision", "recall"):
            one = change(evidence, column, other, "calibrated")
            name = from_to(column, other, "calibrated")
            rows.append([name, *figures(one), without_two(one), one.found])
    return table([head, *rows])


def kept_aside_sentence(evidence: Evidence, aside: list[str]) -> str:
    """Correlation where choices were made, and where none was."""
    methods = ("calibrated", "imd", "separate")
    others = [pair for pair in evidence.ends if pair not in aside]
    fresh = evidence.scores("mcc", methods, aside).mean()
    text = (
        f"No choice of the calibrated method was made on {', '.join(NO_CHOICES)} "
        "([what was measured](method.md#what-was-measured)). Its "
        f"mean MCC is {fresh['calibrated']:.3f} on the {len(aside)} benchmarks of these (IMD "
        f"{fresh['imd']:.3f}, separate {fresh['separate']:.3f})"
    )
    if not others:
        return text + "."
    chosen = evidence.scores("mcc", methods, others).mean()
    return text + (
        f" and {chosen['calibrated']:.3f} on the {len(others)} others (IMD {chosen['imd']:.3f}, "
        f"separate {chosen['separate']:.3f})."
    )
