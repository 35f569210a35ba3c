"""The legend. It explains the bracket of an or-node, which is easily mistaken for a split."""

from __future__ import annotations

from dataclasses import dataclass

from imd_widget.plot.colors import PALETTE, has_scale, scale_color
from imd_widget.plot.context import SWATCH, DrawingContext, badge, bracket_glyph, swatch
from imd_widget.plot.marks import DASHED, Mark, Sheet, polyline, rounded, stripes
from imd_widget.plot.text import count, cut_middle, harmless
from imd_widget.plot.visible import Box
from imd_widget.views.schema import NodeView

_ROOM = 160.0
_BETWEEN = 13.0
_LINE = 13.0
_SCALE = 48.0


@dataclass(frozen=True)
class Legend:
    """The marks of a legend, its upper left corner at (0, 0)."""

    marks: list[Mark]
    width: float
    height: float


_Item = tuple[list[Mark], float]


def legend_of(root: Box, context: DrawingContext, room: float) -> Legend:
    """Return the legend of a tree, in lines of at most ``room`` points or a single item."""
    sheet, x, y, width = Sheet(), 0.0, 9.0, 0.0
    for marks, w in _items(root, context):
        if x and x + w > room:
            x, y = 0.0, y + _LINE
        sheet.put(marks, x, y)
        width = max(width, x + w)
        x += w + _BETWEEN
    return Legend(sheet.marks, width, y + 3)


def _items(root: Box, context: DrawingContext) -> list[_Item]:
    theme, outputs = context.theme, context.view.outputs
    items = [] if root.kind == "stub" else _classes(context)
    if has_scale(outputs):
        items = _scale(context)
    # without branches there is no line or bracket to explain
    if not context.alone and (root.children or root.kind not in ("leaf", "stub")):
        items += _models(context)
    shown = list(root.walk())
    if any(box.numbers for box in shown):
        mark, w = badge([0], context)
        sheet = Sheet()
        sheet.put(mark, 0, -8)
        items.append(_item(sheet.marks, w, "rule number", context))
    if any(leaf.purity not in (None, 1) or leaf.spread for leaf in _leaves(shown)):
        sheet = Sheet()
        sheet.draw(stripes(0, -6.5, 9, 7), fill=theme.line)
        sheet.draw(rounded(0, -6.5, 9, 7, 1), stroke=theme.edge, width=0.4)
        what = "mean ± spread" if has_scale(outputs) else "not on all rows"
        items.append(_item(sheet.marks, 9, what, context))
    fitted = root.node.rows
    if not context.alone and fitted < context.joint.metrics.n_rows:
        items.append(_item([], 0, f"counts: the {count(fitted)} rows used to fit", context))
    if outputs.weighted:
        items.append(_item([], 0, "shares are by weight", context))
    return items


def _models(context: DrawingContext) -> list[_Item]:
    """Return the line of each model, and the bracket."""
    items, theme = [], context.theme
    for name, dash in zip(context.joint.names, (None, DASHED), strict=True):
        line = Sheet()
        line.draw(polyline([(0, -2.7), (17, -2.7)]), stroke=theme.ink, width=1.1, dash=dash)
        items.append(_item(line.marks, 17, name, context))
    items.append(_item(*bracket_glyph(theme), "same rows, seen by both models", context))
    return items


def _leaves(boxes: list[Box]) -> list[NodeView]:
    return [
        leaf for box in boxes if box.kind in ("leaf", "pair") for leaf in (box.pair or (box.node,))
    ]


def _item(marks: list[Mark], w: float, text: str, context: DrawingContext) -> _Item:
    text = cut_middle(harmless(text), _ROOM, context.small_width)
    sheet = Sheet(list(marks))
    x = w + 3.5 if marks else 0.0
    sheet.small(x, 0, text, context.theme.soft)
    return sheet.marks, x + context.small_width(text)


def _classes(context: DrawingContext) -> list[_Item]:
    classes = context.view.classes
    items = []
    slots = context.slots or range(len(classes))
    colored = sorted(
        (label for label in range(len(classes)) if slots[label] < len(PALETTE)),
        key=lambda label: slots[label],
    )
    for label in colored:
        sheet = Sheet()
        swatch(sheet, 0, 0, context.color(label, None), context.theme)
        items.append(_item(sheet.marks, SWATCH, classes[label], context))
    if len(classes) > len(PALETTE):
        items.append(_item([], 0, f"and {count(len(classes) - len(PALETTE))} more", context))
    return items


def _scale(context: DrawingContext) -> list[_Item]:
    """Return the colour scale with its ends, and the tolerance."""
    outputs, sheet, theme = context.view.outputs, Sheet(), context.theme
    what = cut_middle(harmless(outputs.what), _ROOM, context.small_width)
    before = f"{what} {outputs.low_text}"
    sheet.small(0, 0, before, theme.soft)
    x, steps = context.small_width(before) + 3.5, 24
    for i in range(steps):
        part = rounded(x + i * _SCALE / steps, -6.5, _SCALE / steps + 0.3, 7, 0)
        sheet.draw(part, fill=scale_color(i / (steps - 1)))
    x += _SCALE + 3.5
    after = outputs.high_text or ""
    sheet.small(x, 0, after, theme.soft)
    items = [(sheet.marks, x + context.small_width(after))]
    if outputs.differs:
        items.append(_item([], 0, f"differ: {outputs.differs}", context))
    return items
