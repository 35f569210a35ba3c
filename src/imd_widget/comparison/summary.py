"""The headline: how often the models differ, and how much of the differences rules cover."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from imd_widget._base.intervals import UNKNOWN
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.given import NUMBERS
from imd_widget.comparison.headline_bar import (
    BarPart,
    TruthBar,
    bar_of,
    has_few,
    plural_rules,
    truth_bar,
)
from imd_widget.comparison.margins import MARGIN
from imd_widget.comparison.unsure import Unsure
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import RightView
from imd_widget.outputs.number_text import amount
from imd_widget.rules.languages import percent, row_share, with_interval

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: Below this precision or recall the headline is worded as a warning.
WEAK = 0.5
#: The same holds if precision closes less than this share of the gap between base rate and 1.
SMALL_GAIN = 0.1
#: Rules are no better than chance if precision exceeds the base rate by fewer standard errors.
CHANCE = 1.5
#: From this many rules on, the headline also reports what the first three of them cover.
LONG_LIST = 10
#: Largest number of columns that a sentence names.
MOST_NAMED = 5
#: With fewer rows than this to fit on, no rule can be trusted.
FEW_ROWS = 50

Tone = Literal["good", "weak", "none"]

#: Largest number of characters of a name in a sentence.
LONGEST_NAME = 48


@dataclass(frozen=True)
class Headline:
    """Sentences in reading order, their tone and further notes; the same as a picture.

    The picture is the first sentence, the bars, and ``short`` in place of all that follows.
    """

    sentences: tuple[str, ...]
    tone: Tone
    notes: tuple[str, ...] = ()
    #: The sentence below the bar; empty if the bar is all there is.
    short: str = ""
    #: All rows by whether the models differ and whether a rule covers them.
    bar: tuple[BarPart, ...] = ()
    #: What a change of models fixes and breaks; null without ground truth.
    truth: TruthBar | None = None

    def __str__(self) -> str:
        return " ".join((*self.sentences, *self.notes))


def headline(diff: ModelDiff) -> Headline:
    """Return the headline of a diff, in words and as a picture."""
    words = _in_words(diff)
    right, _ = _known_right(diff)
    truth = truth_bar(right, short_name(diff.names[1])) if diff.metrics.n_differing else None
    return replace(words, bar=bar_of(diff), truth=truth)


def _in_words(diff: ModelDiff) -> Headline:
    first, second = map(short_name, diff.names)
    metrics = diff.metrics
    n_rows, n_differing = metrics.n_rows, metrics.n_differing
    outputs = diff.tree.outputs
    if n_differing == 0:
        if len(diff.class_names) == 1:
            return Headline(
                (f"{first} and {second} always predict {short_name(diff.class_names[0])}.",), "none"
            )
        together = f"{first} and {second} agree on {_all_rows(n_rows)}{outputs.agreement}."
        # within the tolerance, the mean outputs may still differ
        shift = _mean_difference(diff) if metrics.mean_difference else ()
        return Headline((together,), "none", shift)
    if n_differing == n_rows:
        opening = f"{first} and {second} {outputs.disagree} on {_all_rows(n_rows)}."
    else:
        share = row_share(metrics.disagreement)
        share += " by weight" if diff.tree.target.weighted else ""
        rows = f"{n_differing:,} of {_rows(n_rows)}"
        opening = f"{first} and {second} {outputs.disagree} on {rows} ({share})."
    derived = "; ".join(diff.derivations)
    notes = (
        *([f"Rules may use {derived}."] if derived else []),
        *_known_rules(diff),
        *_identifiers(diff),
        *((f"There are no scores: {diff.no_scores}.",) if diff.no_scores else ()),
        *_mean_difference(diff),
        *outputs.distance_notes(),
        *_who_is_right(diff),
    )
    few = _few_rows(diff)
    hints = (*few, *_advice(diff))
    if diff.agreement:
        return _mostly_different(diff, opening, hints, notes)
    if not diff.rules:
        none = "No rules were found: too few differences, or too scattered for this tree."
        if _is_tunable(diff):
            none = f"{none[:-1]}; raise the sensitivity to see likely regions."
        none = _as_given(diff, none)
        return Headline((opening, none, *hints), "weak", notes, short=_joined(none, *few))
    if diff.has_known_rules:
        return Headline((opening, *_measured(diff)), "good", notes, short=_short(diff))
    if _spread_everywhere(diff):
        spread = "The differences are not localised: no split isolates them."
        spread = _as_given(diff, spread)
        return Headline((opening, spread, *hints), "weak", notes, short=_joined(spread, *few))
    if _is_chance(diff):
        chance = _chance(diff)
        return Headline((opening, chance, *hints), "weak", notes, short=_joined(chance, *few))
    weak = _is_weak(diff)
    care = (_care(diff),) if weak and not few else ()
    tone: Tone = "weak" if few or weak else "good"
    return Headline(
        (opening, *_measured(diff), *_first_rules(diff), *few, *care, *_advice(diff)),
        tone,
        notes,
        short=_joined(_short(diff), *few, *(_short_care(diff) if care else ())),
    )


def _joined(*sentences: str) -> str:
    return " ".join(sentences)


def _mostly_different(
    diff: ModelDiff, opening: str, hints: tuple[str, ...], notes: tuple[str, ...]
) -> Headline:
    """Return the headline of models that differ on most rows and have rules of agreement."""
    metrics, n_rules = diff.metrics, len(diff.agreement)
    precision, recall = metrics.agreement_precision or 0.0, metrics.agreement_recall or 0.0
    base, claimed = 1 - metrics.measured_disagreement, metrics.agreement_claimed or 0
    they = "they cover" if n_rules != 1 else "it covers"
    rules = f"{n_rules:,} rules show" if n_rules != 1 else "1 rule shows"
    if claimed:
        covered = f"{percent(recall)} of the agreement, and {percent(precision)} of the rows {they}"
        where = f"{rules} where they agree: {_measured_on(diff)}{they} {covered} agree."
    else:
        where = f"{rules} where they agree, but no measured row is inside."
    chance = claimed and precision - base < CHANCE * (base * (1 - base) / claimed) ** 0.5
    if metrics.measured_by != "none" and (chance or not claimed):
        where += " That is not shown to be better than chance."
    sure = precision >= WEAK and precision - base >= SMALL_GAIN * (1 - base)
    tone: Tone = "good" if sure and not chance and recall >= WEAK and not hints else "weak"
    differ: tuple[str, ...] = ()
    if diff.rules and not _is_chance(diff):
        differ = _measured(diff)
    where = _as_given(diff, where)
    inside = (
        f"{percent(precision)} of the rows inside {'rules' if n_rules != 1 else 'the rule'} of "
    )
    both = (_short(diff), f"{inside}agreement agree.") if differ and claimed else (where,)
    short = _joined(*both, *_few_rows(diff))
    return Headline((opening, where, *differ, *hints), tone, notes, short=short)


def _advice(diff: ModelDiff) -> tuple[str, ...]:
    """Return a sentence for each change of the comparison that would explain more."""
    return tuple(_advice_text(diff, advice) for advice in diff.suggestions)


def _advice_text(diff: ModelDiff, advice: Advice) -> str:
    if advice.kind == "outputs":
        return "Comparing probabilities instead of classes may explain more."
    more = ""
    if advice.mcc is not None and advice.present_mcc is not None:
        more = f" (MCC {advice.mcc:.2f} instead of {advice.present_mcc:.2f})"
    if advice.kind == "tolerance":
        present, other = diff.tolerance, advice.value
        return f"A tolerance of {other:g} instead of {present:g} would explain more{more}."
    if advice.unsure is not None:
        return _unsure_text(diff, advice.unsure, more)
    name = short_name(diff.names[0 if advice.value == "m1" else 1])
    return f"Conditioning on {name}'s output would explain more{more}."


def _unsure_text(diff: ModelDiff, unsure: Unsure, more: str) -> str:
    name = short_name(diff.names[NUMBERS[unsure.model]])
    where = f"{percent(unsure.differing)} of the differences are where {name}"
    rows = row_share(unsure.rows)
    if unsure.what == MARGIN:
        apart = f"on which its two likeliest classes are less than {unsure.below:g} apart"
        return f"{where} is unsure: the {rows} of the rows {apart}{more}."
    band = f"between {unsure.above:.2f} and {unsure.below:.2f}"
    if unsure.above <= 0:
        band = f"below {unsure.below:.2f}"
    elif unsure.below >= 1:
        band = f"at least {unsure.above:.2f}"
    whose = " is unsure: its" if unsure.is_doubt else "'s"
    return f"{where}{whose} {unsure.what} is {band} ({rows} of the rows){more}."


def change(before: ModelDiff, after: ModelDiff) -> str:
    """Return a sentence about what a refinement step changed."""
    more = len(after.rules) - len(before.rules)
    rules = f"{'+' if more > 0 else '−'}{abs(more)} {'rule' if abs(more) == 1 else 'rules'}"
    if more == 0:
        rules = f"still {len(after.rules)} {'rule' if len(after.rules) == 1 else 'rules'}"
    old, new = before.metrics, after.metrics
    return (
        f"{rules}, {'cover' if len(after.rules) != 1 else 'covers'} {percent(old.recall)} → "
        f"{percent(new.recall)} of the differences; {percent(old.precision)} → "
        f"{percent(new.precision)} of the covered rows differ"
    )


def _as_given(diff: ModelDiff, sentence: str) -> str:
    """Return the sentence, preceded by the model that the rules are conditioned on, if any."""
    if diff.given is None:
        return sentence
    if diff.given == "margins":
        return f"Given how sure they are, {sentence[0].lower()}{sentence[1:]}"
    name = short_name(diff.names[0 if diff.given == "m1" else 1])
    return f"Given {name}'s output, {sentence[0].lower()}{sentence[1:]}"


def _measured(diff: ModelDiff) -> tuple[str, ...]:
    metrics = diff.metrics
    n_rules = len(diff.rules)
    rules = _as_given(diff, plural_rules(n_rules))
    show = "show" if n_rules != 1 else "shows"
    if metrics.measured_differing == 0:  # only a holdout may have no difference
        return (
            f"{rules} {show} where.",
            f"The holdout ({_rows(metrics.measured_rows)}) has no differences, so precision and "
            "recall are unknown.",
        )
    they = "they cover" if n_rules != 1 else "it covers"
    explained = f"{they} {_covered(diff, they)}"
    where = "where they differ" if diff.agreement else "where"
    if diff.given in ("m1", "m2"):  # such rules describe the other model
        where = f"where {short_name(diff.names[1 if diff.given == 'm1' else 0])} disagrees"
    measured = f"{rules} {show} {where}: {_measured_on(diff)}{explained}"
    if _measured_by(diff) == "none":
        return measured, "Measured on the rows used to fit: expect less on new rows."
    if UNKNOWN in (metrics.precision_interval, metrics.recall_interval):
        why = "the weights are too unequal" if diff.tree.target.weighted else "too few groups"
        return measured, f"No confidence interval: {why}."
    return (measured,)


def _known_rules(diff: ModelDiff) -> tuple[str, ...]:
    if not diff.has_known_rules:
        return ()
    return ("The rules are those of the patch; elsewhere the models agree.",)


def _identifiers(diff: ModelDiff) -> tuple[str, ...]:
    """Return a sentence that names columns with a different value in nearly every row."""
    names = [short_name(name) for name in diff.identifiers[:MOST_NAMED]]
    if not names:
        return ()
    more = len(diff.identifiers) - len(names)
    listed = [*names, *([f"{more} more"] if more else [])]
    which = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    columns = "column" if len(listed) == 1 else "columns"
    return (f"No rule can use the {columns} {which}: nearly every row has a value of its own.",)


def _short(diff: ModelDiff) -> str:
    """Return how many of the rows inside the rules differ, and which rows were measured."""
    metrics, n_rules = diff.metrics, len(diff.rules)
    inside = "inside the rules" if n_rules != 1 else "inside the rule"
    if diff.agreement:  # rules of both kinds
        inside += " of difference"
    differing, claimed = metrics.measured_differing, metrics.measured_claimed
    by = _measured_by(diff)
    how = {
        "cv": ", measured by five-fold cross-fitting",
        "none": " (measured on the rows used to fit: expect less on new rows)",
    }.get(by, f", measured on {_rows(metrics.measured_rows, 'held-out row')}")
    if not differing:
        rows = _rows(metrics.measured_rows)
        return f"The holdout ({rows}) has no differences, so precision and recall are unknown."
    if not claimed:
        text = f"No measured row is {inside}{how}."
    elif has_few(diff, differing, claimed):
        both = round(metrics.recall * differing)
        rows = f"{both:,} of the {_rows(claimed)}" if claimed != 1 else "the only row"
        text = f"{rows} {inside} {'differ' if both != 1 else 'differs'}{how}."
        if claimed == 1 and not both:
            text = f"The only row {inside} does not differ{how}."
    else:
        interval = None if by == "none" else metrics.precision_interval
        text = f"{with_interval(metrics.precision, interval)} of the rows {inside} differ{how}."
    return _as_given(diff, f"{text[0].upper()}{text[1:]}")


def _measured_by(diff: ModelDiff) -> str:
    metrics = diff.metrics
    return metrics.measured_by or ("holdout" if metrics.on_holdout else "none")


def _measured_on(diff: ModelDiff) -> str:
    """Return the rows that a measure comes from, to be followed by the measure."""
    by = _measured_by(diff)
    if by == "cv":
        return "in five-fold cross-fitting "
    if by == "none":
        return ""
    return f"on {_rows(diff.metrics.measured_rows, 'held-out row')} "


def _first_rules(diff: ModelDiff) -> tuple[str, ...]:
    """Return a sentence on what the first three rules of a long list cover."""
    metrics, first = diff.metrics, diff.rules[:3]
    if len(diff.rules) < LONG_LIST or not metrics.measured_differing:
        return ()
    if _measured_by(diff) == "cv":  # the folds have other rules: use the rows used to fit
        return (f"The first three alone cover {percent(sum(r.coverage for r in first))} of them.",)
    differing = [rule.holdout_differing if metrics.on_holdout else rule.differing for rule in first]
    share = percent(sum(differing) / metrics.measured_differing)
    return (f"The first three alone cover {share} of the differences.",)


def _covered(diff: ModelDiff, they: str) -> str:
    """Return recall and precision as text; counts if there are fewer than `FEW_MEASURED` rows."""
    metrics = diff.metrics
    differing, claimed = metrics.measured_differing, metrics.measured_claimed
    differences = f"{differing:,} {'differences' if differing != 1 else 'difference'}"
    if not claimed:
        return f"no rows and none of the {differences}."
    if not has_few(diff, differing, claimed):
        # on the rows used to fit an interval would promise too much
        fitted = _measured_by(diff) == "none"
        recall, precision = (
            percent(share) if fitted else with_interval(share, interval)
            for share, interval in (
                (metrics.recall, metrics.recall_interval),
                (metrics.precision, metrics.precision_interval),
            )
        )
        covered, right = f"{recall} of the differences", precision
        return f"{covered}, and {right} of the rows {they} differ."
    both = round(metrics.recall * differing)
    covered = (
        f"{both:,} of the {differences}" if (both, differing) != (1, 1) else "the only difference"
    )
    right = f"{both:,} of the {_rows(claimed)}" if claimed != 1 else "the only row"
    if claimed == 1 and not both:
        return f"{covered}, and the only row {they} does not differ."
    return f"{covered}, and {right} {they} {'differ' if both != 1 else 'differs'}."


def _is_chance(diff: ModelDiff) -> bool:
    """Whether precision exceeds the base rate by less than `CHANCE` standard errors."""
    metrics = diff.metrics
    base, n_claimed = metrics.measured_disagreement, metrics.measured_claimed
    if _measured_by(diff) == "none" or not n_claimed or not 0 < base < 1:
        return False
    noise = (base * (1 - base) / n_claimed) ** 0.5
    return bool(metrics.precision - base < CHANCE * noise)


def _chance(diff: ModelDiff) -> str:
    metrics = diff.metrics
    n_rules = len(diff.rules)
    rules = "A rule was found, but it is"
    if n_rules != 1:
        rules = f"{n_rules:,} rules were found, but they are"
    rules = _as_given(diff, rules)
    return (
        f"{rules} not shown to be better than chance: {_measured_on(diff).strip()}, "
        f"{row_share(metrics.precision)} of the rows inside differ, and "
        f"{row_share(metrics.measured_disagreement)} of all rows."
    )


def _mean_difference(diff: ModelDiff) -> tuple[str, ...]:
    names = tuple(map(short_name, diff.names))
    return diff.tree.outputs.mean_difference_notes(diff.metrics.mean_difference, names)


def _known_right(diff: ModelDiff) -> tuple[Right | None, str]:
    """Return who is right on the rows that the headline reports, and the kind of these rows."""
    return diff.correctness, "held-out " if diff.has_own_holdout else ""


def _who_is_right(diff: ModelDiff) -> tuple[str, ...]:
    """Return a sentence on how often either model is right, if ``y`` was given."""
    right, kind = _known_right(diff)
    if right is None or not right.known:
        return ()
    first, second = map(short_name, diff.names)
    by_weight = " (by weight: 1 for an average row)" if diff.tree.target.weighted else ""
    texts = diff.tree.outputs.right_texts(right)
    shares = [row_share(share) for share in right.accuracy]
    rows = f"{amount(right.known)} {kind}rows with y"
    change = f"going from {first} to {second} fixes {amount(right.fixes)} and breaks "
    change += f"{amount(right.breaks)}, net {right.net_text()}{by_weight}"
    loss = _loss(texts, (first, second))
    if texts.within is not None:
        near = f"{first} is {texts.within} of y on {shares[0]} and {second} on {shares[1]}"
        errors = _errors(right, texts, (first, second), rows)
        return (*errors, *loss, f"On the {rows}, {near}: {change}.")
    off = ""
    if texts.errors is not None:
        off = f", off by {texts.errors[0]} and {texts.errors[1]} on average"
    right_on = f"{first} is right on {shares[0]} and {second} on {shares[1]}"
    return (f"On the {rows}, {right_on}{off}: {change}.", *loss)


def _loss(texts: RightView, names: tuple[str, str]) -> tuple[str, ...]:
    """Return a sentence on the loss that the user asked for."""
    loss = texts.loss
    if loss is None:
        return ()
    means = " and ".join(f"{mean} for {name}" for mean, name in zip(loss.means, names, strict=True))
    return (f"The mean {loss.name} is {means}, a difference of {loss.difference}.",)


def _errors(right: Right, texts: RightView, names: tuple[str, str], rows: str) -> tuple[str, ...]:
    """Return sentences on the means of ``y`` and of both models, and on the errors of both."""
    if texts.errors is None:
        return ()
    (first, second), (mae_1, mae_2) = names, texts.errors
    absolute = f"The mean absolute error is {mae_1} for {first} and {mae_2} for {second}"
    if texts.rmse is None or texts.mean_outputs is None:  # the diff is from an older file
        return (f"{absolute}.",)
    (rmse_1, rmse_2), (mean_1, mean_2) = texts.rmse, texts.mean_outputs
    better = "" if texts.closer is None else f": {names[texts.closer]} is closer to y"
    if texts.closer is None and mae_1 != mae_2 and rmse_1 != rmse_2:
        better = ": which one is closer to y depends on the metric"
    if right.errors_may_be_chance and better:
        better = ": the difference may be chance"
    return (
        f"On the {rows}, y is {texts.mean_y} on average, {first} {mean_1} and {second} {mean_2}.",
        f"{absolute}, the root mean squared error {rmse_1} and {rmse_2}{better}.",
    )


def _care(diff: ModelDiff) -> str:
    """Return a caveat for rules with a low precision or recall."""
    if _is_sure(diff):
        elsewhere = f"{percent(1 - diff.metrics.recall)} of the differences lie elsewhere"
        return f"{elsewhere}{'; raise the sensitivity to cover more' * _is_tunable(diff)}."
    return f"Treat the {'rule as a hint' if len(diff.rules) == 1 else 'rules as hints'}."


def _short_care(diff: ModelDiff) -> tuple[str, ...]:
    """Return the caveat below the bar, which shows already how many differences lie elsewhere."""
    if not _is_sure(diff):
        return (_care(diff),)
    return ("Raise the sensitivity to cover more.",) if _is_tunable(diff) else ()


def _is_tunable(diff: ModelDiff) -> bool:
    """Whether the sensitivity can be raised."""
    return diff.is_tunable and (diff.sensitivity or 0) < 1


def _is_weak(diff: ModelDiff) -> bool:
    return diff.metrics.recall < WEAK or not _is_sure(diff)


def _is_sure(diff: ModelDiff) -> bool:
    """Whether precision is at least `WEAK` and clearly above the base rate."""
    metrics = diff.metrics
    if metrics.measured_differing == 0 or metrics.precision < WEAK:
        return False
    base = metrics.measured_disagreement
    return metrics.precision - base >= SMALL_GAIN * (1 - base)


def _spread_everywhere(diff: ModelDiff) -> bool:
    """Whether the only rule is "always" although the models do not always differ."""
    alone = len(diff.rules) == 1 and not diff.rules[0].conditions
    return alone and diff.metrics.n_differing < diff.metrics.n_rows


def _few_rows(diff: ModelDiff) -> tuple[str, ...]:
    n_fit = int(diff.tree.rows[0])
    if n_fit >= FEW_ROWS:
        return ()
    return (f"Fitted on only {_rows(n_fit)}: too few to trust a rule.",)


def _all_rows(n: int) -> str:
    return f"all {n:,} rows" if n != 1 else "the only row"


def _rows(n: int, row: str = "row") -> str:
    return f"{n:,} {row}s" if n != 1 else f"1 {row}"


def short_name(name: str) -> str:
    """Return a name, shortened in the middle to `LONGEST_NAME` characters."""
    if len(name) <= LONGEST_NAME:
        return name
    half = (LONGEST_NAME - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
