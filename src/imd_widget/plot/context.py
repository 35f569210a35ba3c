"""The drawing context, which every part of a picture shares, and small glyphs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from imd_widget.plot.colors import Theme, color_slots, outcome_color
from imd_widget.plot.marks import Mark, Sheet, circle, polyline, rounded
from imd_widget.plot.text import SMALL, TEXT, Font, cut_middle, harmless, numbers_within
from imd_widget.views.schema import DiffView, OneTreeView, RuleView

SWATCH = 7.0
_BADGE = 10.0
_BADGE_ROOM = 46.0
_LABEL_ROOM = 80.0
_NAME_ROOM = 54.0


@dataclass(frozen=True)
class DrawingContext:
    """The view of the joint tree or of one tree, its orientation, the font and the colours.

    ``cache`` holds values derived from the rules below a node, by its id: while a tree is folded
    to fit, the same box is drawn many times.
    """

    view: DiffView | OneTreeView
    down: bool
    font: Font
    theme: Theme
    cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def alone(self) -> bool:
        """Whether one tree is drawn, without a second model to differ from."""
        return isinstance(self.view, OneTreeView)

    @property
    def joint(self) -> DiffView:
        """The view of a joint tree."""
        return cast(DiffView, self.view)

    @cached_property
    def slots(self) -> list[int] | None:
        """The place of each class in the palette, if not every class has one."""
        return None if self.alone else color_slots(self.view.classes, self.joint.crosstab)

    def color(self, label: int | None, value: float | None) -> str:
        """Return the colour of an output."""
        return outcome_color(self.view.outputs, label, value, self.slots)

    def text_width(self, text: str, bold: bool = False) -> float:
        """Return the width of text of size `TEXT`, in points."""
        return self.font.width(text, TEXT, bold)

    def small_width(self, text: str, bold: bool = False) -> float:
        """Return the width of text of size `SMALL`, in points."""
        return self.font.width(text, SMALL, bold)

    def model(self, side: int) -> str:
        """Return the name of a model, cut to fit."""
        return cut_middle(harmless(self.joint.names[side - 1]), _NAME_ROOM, self.small_width)

    def label(self, said: str | None, bold: bool = False) -> str:
        """Return the text of an output, cut to fit."""
        return cut_middle(
            harmless(said or ""), _LABEL_ROOM, lambda text: self.text_width(text, bold)
        )


@dataclass(frozen=True)
class NamedPair:
    """An outcome pair that the title of a rule names; ``share`` is None if all rows have it."""

    outcomes: tuple[int, int] | None
    values: tuple[float, float] | None
    said: tuple[str, str]
    share: float | None


def named_pairs(rule: RuleView) -> list[NamedPair]:
    """Return the outcome pairs that the title of a rule names."""
    own = rule.outcomes, rule.values, rule.said, rule.outcome_share
    others = ((pair.outcomes, None, pair.said, pair.share) for pair in rule.others)
    known = [
        NamedPair(labels, values, said, share if labels is not None and share < 1 else None)
        for labels, values, said, share in (own, *others)
    ]
    return [known[place] for place in rule.title_pairs]


def swatch(sheet: Sheet, x: float, base: float, color: str, theme: Theme) -> None:
    """Draw a small square of a colour on a line of text."""
    square = rounded(x, base - SWATCH + 0.3, SWATCH, SWATCH, 1.6)
    sheet.draw(square, fill=color, stroke=theme.edge, width=0.5)


def badge(numbers: list[int], context: DrawingContext) -> tuple[list[Mark], float]:
    """Return the marks of the numbers of rules, light on dark, and their width."""
    sheet = Sheet()
    text = numbers_within(numbers, _BADGE_ROOM, lambda text: context.small_width(text, True))
    w = max(_BADGE, context.small_width(text, True) + 5.5)
    sheet.draw(rounded(0, 0, w, _BADGE, _BADGE / 2), fill=context.theme.ink)
    sheet.small(w / 2, _BADGE - 2.2, text, context.theme.ground, bold=True, anchor="center")
    return sheet.marks, w


def bracket_glyph(theme: Theme) -> tuple[list[Mark], float]:
    """Return the marks of a small or-node with its two branches, and their width."""
    sheet = Sheet()
    sheet.draw(circle(4.5, -3, 3.8), stroke=theme.ink, width=1.3, dash=(0.01, 2.17))
    sheet.draw(polyline([(8.6, -3), (11.5, -3)]), stroke=theme.ink, width=0.9)
    sheet.draw(polyline([(11.5, -3), (11.5, -6.5), (17, -6.5)]), stroke=theme.ink, width=0.9)
    dashed = polyline([(11.5, -3), (11.5, 0.5), (17, 0.5)])
    sheet.draw(dashed, stroke=theme.ink, width=0.9, dash=(2.0, 1.4))
    return sheet.marks, 17.0
