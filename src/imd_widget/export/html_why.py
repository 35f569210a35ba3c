"""Why the models differ, for an HTML page, which has no models to call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from imd_widget._base.bars import progress_bar
from imd_widget._base.plain import to_json
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.explanations.api import explain
from imd_widget.explanations.explanation import Explanation
from imd_widget.explanations.options import FIRST_CURVES
from imd_widget.explanations.selection import FewRowsError
from imd_widget.explanations.surrogate_room import SURROGATE_PARTS
from imd_widget.views.explaining import why_view
from imd_widget.views.schema import PageAnswer, PageWhy

#: Most rules that a page explains; and most characters of JSON of all its explanations.
MOST_RULES, MOST_CHARACTERS = 20, 2_000_000
#: Significant digits of the numbers in a page.
DIGITS = 6


def why_of_page(diff: ModelDiff) -> PageWhy:
    """Return the explanations of all rows and of each rule, as many as a page takes.

    The rules come in the order of ``d.rules``, those of agreement last. Only columns that rules may
    ask about are explained, and no value is shown that fewer than `FEWEST_SHARED` rows have.
    """
    n_rules = len(diff.rules) + len(diff.agreement)
    answers: list[PageAnswer] = []
    room = MOST_CHARACTERS
    for answer in _answers(diff, min(n_rules, MOST_RULES)):
        room -= len(json.dumps(to_json(answer)))
        if room < 0:
            break
        answers.append(answer)
    return PageWhy(answers=tuple(answers), other=_other(len(answers) - 1, n_rules))


def _answers(diff: ModelDiff, n_rules: int) -> Iterator[PageAnswer]:
    selections = progress_bar([None, *range(n_rules)], desc="explaining", delay=1, leave=False)
    for number in selections:
        where = None if number is None else diff.rule_at(number)
        answer = PageAnswer(
            rules=() if number is None else (number,),
            nodes=("", "r") if number is None else _same_rows(diff, number),
            why=None,
            error=None,
        )
        try:
            own = explain(diff, where, shared=True)
            why = why_view(_computed(own), surrogates=True)
            answer = replace(answer, why=rounded(why))
        except FewRowsError as error:
            answer = replace(answer, error=str(error).removeprefix("where: "))
        yield answer


def _computed(e: Explanation) -> Explanation:
    """Compute contributions, the first curves and surrogates; the page has a bar of its own."""
    if e.can_contribute:
        e.conditions  # noqa: B018 they are computed and remembered
    if e.score.cannot is None:
        e.curves(FIRST_CURVES, after_each=lambda _: None)
    for part in SURROGATE_PARTS:
        e.surrogate_room.compute(part)
    return e


def _same_rows(diff: ModelDiff, number: int) -> tuple[str, ...]:
    """Ids of the nodes that have the rows of a rule and no others."""
    rule, inside = diff.rule_at(number), diff.covered([number])
    nodes = (rule.node, *rule.nodes)
    same = (node for node in dict.fromkeys(nodes) if np.array_equal(diff.reaches(node), inside))
    return tuple(same)


def _other(n_explained: int, n_rules: int) -> str:
    """Why a page does not explain something, as a sentence."""
    if n_explained < 0:
        held = f"explains nothing: all rows would take more than {MOST_CHARACTERS:,} characters"
    elif n_rules == 0:
        held = "explains all rows"
    elif n_explained == n_rules:
        held = "explains all rows and each rule"
    else:
        held = f"explains all rows and the first {n_explained} of {n_rules} rules"
    return f"This page {held}. Anything else is explained in the notebook, where the models are."


def rounded(value: Any) -> Any:
    """Return a record with `DIGITS` digits: a picture shows no more."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{name: rounded(own) for name, own in vars(value).items()})
    if isinstance(value, tuple):
        return tuple(map(rounded, value))
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
