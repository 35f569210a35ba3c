"""What every part of a picture is written with: the view, the font, the colours, small signs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from imd_widget.plot.colors import Theme
from imd_widget.plot.marks import Mark, Sheet, circle, polyline, rounded
from imd_widget.plot.text import SMALL, TEXT, Font, cut_middle, harmless, numbers_within
from imd_widget.views.schema import DiffView

SWATCH = 7.0
_BADGE = 10.0
_BADGE_ROOM = 46.0
_LABEL_ROOM = 80.0
_NAME_ROOM = 54.0


@dataclass(frozen=True)
class Pen:
    """All that is needed to write: the view, its orientation, the font and the colours.

    ``known`` keeps what was worked out of the rules below a node, by its id: while a tree is folded
    to fit, the same box is written again and again.
    """

    view: DiffView
    down: bool
    font: Font
    theme: Theme
    known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def text_width(self, text: str, bold: bool = False) -> float:
        """Of text of the first size."""
        return self.font.width(text, TEXT, bold)

    def small_width(self, text: str, bold: bool = False) -> float:
        """Of text of the second size."""
        return self.font.width(text, SMALL, bold)

    def model(self, side: int) -> str:
        """What a model is called, cut to fit."""
        return cut_middle(harmless(self.view["names"][side - 1]), _NAME_ROOM, self.small_width)

    def label(self, said: str | None, bold: bool = False) -> str:
        """What a model says, cut to fit."""
        return cut_middle(
            harmless(said or ""), _LABEL_ROOM, lambda text: self.text_width(text, bold)
        )


def swatch(sheet: Sheet, x: float, base: float, color: str, theme: Theme) -> None:
    """A small square of a colour on a line of text."""
    square = rounded(x, base - SWATCH + 0.3, SWATCH, SWATCH, 1.6)
    sheet.draw(square, fill=color, stroke=theme.edge, width=0.5)


def badge(numbers: list[int], pen: Pen) -> tuple[list[Mark], float]:
    """The numbers of rules, white on black; and how wide that is."""
    sheet = Sheet()
    text = numbers_within(numbers, _BADGE_ROOM, lambda text: pen.small_width(text, True))
    w = max(_BADGE, pen.small_width(text, True) + 5.5)
    sheet.draw(rounded(0, 0, w, _BADGE, _BADGE / 2), fill=pen.theme.ink)
    sheet.small(w / 2, _BADGE - 2.2, text, pen.theme.ground, bold=True, anchor="center")
    return sheet.marks, w


def bracket_glyph(theme: Theme) -> tuple[list[Mark], float]:
    """An or-node with its two branches, as small as a word."""
    sheet = Sheet()
    sheet.draw(circle(4.5, -3, 3.8), stroke=theme.ink, width=1.3, dash=(0.01, 2.17))
    sheet.draw(polyline([(8.6, -3), (11.5, -3)]), stroke=theme.ink, width=0.9)
    sheet.draw(polyline([(11.5, -3), (11.5, -6.5), (17, -6.5)]), stroke=theme.ink, width=0.9)
    dashed = polyline([(11.5, -3), (11.5, 0.5), (17, 0.5)])
    sheet.draw(dashed, stroke=theme.ink, width=0.9, dash=(2.0, 1.4))
    return sheet.marks, 17.0
