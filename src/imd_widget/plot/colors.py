"""Colours of a picture. Hue encodes the output of a model only, as in js/ui/colors.ts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.colors import to_rgba

from imd_widget.comparison.crosstab import CrossTable
from imd_widget.views.schema import OutputsView

#: Okabe and Ito's palette, distinguishable under the common colour-vision deficiencies.
PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#f0e442",
    "#000000",
)
#: Further classes: more than eight colours cannot be told apart, so only the text names them.
GREY = "#8a8a8a"
#: The middle of viridis: even steps of lightness, which remain in grey print.
SCALE = ("#3b528b", "#2a788e", "#1f9e89", "#44bf70", "#9bd93c")


@dataclass(frozen=True)
class Theme:
    """Colours of everything that is not an outcome."""

    ground: str
    raised: str
    ink: str
    soft: str
    rule: str
    line: str
    edge: str
    amber: str
    #: The parts of the bar of all rows: differences, and rows that agree inside a rule or outside.
    accent: str
    accent_mid: str
    agree: str


LIGHT = Theme(
    ground="#ffffff",
    raised="#f1f3f6",
    ink="#1b2430",
    soft="#4d5766",
    rule="#dfe3e9",
    line="#868f9e",
    edge="#5b6472",
    amber="#8a5300",
    accent="#4338ca",
    accent_mid="#c3bdf0",
    agree="#e9ecf2",
)
DARK = Theme(
    ground="#14171c",
    raised="#1e2229",
    ink="#e8ebf0",
    soft="#a4adba",
    rule="#3a414d",
    line="#757f8f",
    edge="#c3c9d2",
    amber="#f0b955",
    accent="#a5a0ff",
    accent_mid="#514d96",
    agree="#2a303a",
)


def theme_on(background: Any) -> Theme:
    """Return the theme that is readable on a background; a transparent one counts as white."""
    red, green, blue, alpha = to_rgba(background)
    lightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return DARK if alpha > 0.5 and lightness < 0.4 else LIGHT


def has_scale(outputs: OutputsView) -> bool:
    """Return whether outputs are numbers, which a colour scale encodes."""
    return outputs.low is not None


def scale_position(outputs: OutputsView, value: float | None) -> float | None:
    """Return the position of a number on the scale, from 0 (low) to 1 (high); None for a class."""
    low, high = outputs.low, outputs.high
    if value is None or low is None or high is None:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5


def color_slots(classes: Sequence[str], crosstab: CrossTable | None) -> list[int] | None:
    """Return the rank of each class by the number of rows on which only one model gives it.

    The first eight get the colours of the palette. None if every class has one.
    """
    if len(classes) <= len(PALETTE) or crosstab is None:
        return None
    differing = [0] * len(classes)
    for one, two, rows in crosstab.cells:
        if one != two:
            differing[one] += rows
            differing[two] += rows
    order = sorted(range(len(classes)), key=lambda label: (-differing[label], label))
    slots = [0] * len(classes)
    for slot, label in enumerate(order):
        slots[label] = slot
    return slots


def outcome_color(
    outputs: OutputsView,
    label: int | None,
    value: float | None,
    slots: Sequence[int] | None = None,
) -> str:
    """Return the colour of an output, for leaves, bars, swatches and hatches.

    ``slots`` are those of `color_slots`.
    """
    position = scale_position(outputs, value)
    if position is not None:
        return scale_color(position)
    if label is None:
        return GREY
    slot = slots[label] if slots is not None else label
    return PALETTE[slot] if 0 <= slot < len(PALETTE) else GREY


def scale_color(position: float) -> str:
    """Return the colour at a position of the scale from 0 (low) to 1 (high), by interpolation."""
    step = position * (len(SCALE) - 1)
    below = min(len(SCALE) - 2, int(step))
    ends = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in SCALE[below : below + 2]]
    mixed = [round(a + (b - a) * (step - below)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)
