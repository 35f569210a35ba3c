"""The title of a rule: the outputs on its differing rows, and the number of these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from imd_widget.outputs.interface import OutcomePair
from imd_widget.outputs.number_text import amount
from imd_widget.rules.languages import percent

if TYPE_CHECKING:
    from imd_widget.rules.rule import Rule

#: Smallest share of the differing rows in one direction for which a rule has that direction.
ONE_WAY = 0.75
#: Smallest share of the differing rows for which a title names one outcome pair only.
MOSTLY = 0.5
#: Smallest share that two outcome pairs have together for which a title names both.
BOTH = 0.9
#: Shares that sum to less than 1 by no more than this are all there are.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Title:
    """The outputs of the models on the differing rows of a rule."""

    #: Words before the pairs, such as "mostly"; empty if all differing rows have the pair.
    before: str
    #: One outcome pair, or two; none for a rule of agreement.
    pairs: tuple[OutcomePair, ...]
    #: "->" or "and", between the outputs of the two models.
    link: str = "->"
    #: Words after the pairs: the rows in either direction, for values and probabilities.
    after: str = ""
    #: Whether the shares of the pairs are a part of the title.
    shares: bool = False
    #: What a box of the tree writes after the first pair: "either way", "…" or nothing.
    more: str = ""

    def __str__(self) -> str:
        return self.text()

    def text(
        self, names: tuple[str, str] | None = None, shares: bool = True, arrow: str = "->"
    ) -> str:
        """Return the title in one line: ``mostly yes -> no (87 %)``.

        ``names`` are the names of the models; ``shares`` and ``after`` are left out on request.
        """
        link = arrow if self.link == "->" else self.link
        pairs = []
        for pair in self.pairs:
            one, two = pair.said
            if names:
                one, two = f"{names[0]} {one}", f"{names[1]} {two}"
            share = f" ({percent(pair.share)})" if shares and self.shares else ""
            pairs.append(f"{one} {link} {two}{share}")
        after = f"({self.after})" if shares and self.after else ""
        return " ".join(part for part in (self.before, " or ".join(pairs), after) if part)


def title(rule: Rule) -> Title:
    """Return the title of a rule, which is true of its differing rows used to fit."""
    said = OutcomePair(rule.outcomes, rule.said, rule.outcome_share)
    if rule.agrees:
        return Title("they agree", ())
    if rule.up is not None and rule.down is not None:
        return _title_of_numbers(rule, said, rule.up, rule.down)
    if not rule.outcome_pairs:
        return Title("predicted", (said,))
    return _title_of_pairs(rule.outcome_pairs, rule.n_outcomes)


def _title_of_numbers(rule: Rule, said: OutcomePair, up: float, down: float) -> Title:
    after = f"up on {amount(up)}, down on {amount(down)}" if up and down else ""
    if rule.direction == "either":
        before = f"{rule.differs or 'different'} either way, on average"
        return Title(before, (said,), "and", after, more="either way")
    return Title("", (said,), after=after)


def _title_of_pairs(known: Sequence[OutcomePair], n_outcomes: int | None) -> Title:
    """Return the title for the outcome pairs that are known, the most frequent first."""
    first = known[0]
    total = sum(pair.share for pair in known)
    if first.share >= 1 - ROUNDING:
        return Title("", (first,))
    both = sum(pair.share for pair in known[:2])
    if first.share < ONE_WAY and both >= BOTH:
        mirrored = known[0].said == known[1].said[::-1]
        before = "" if both >= 1 - ROUNDING else "mostly"
        more = "either way" if mirrored else "…"
        return Title(before, tuple(known[:2]), shares=True, more=more)
    if first.share >= MOSTLY:
        return Title("mostly", (first,), shares=True)
    if n_outcomes is None and total >= 1 - ROUNDING:
        n_outcomes = len(known)
    # files of earlier releases do not hold the number
    number = "several" if n_outcomes is None else f"{n_outcomes:,}"
    before = f"{number} different outcomes, most often"
    return Title(before, (first,), shares=True, more="…")
