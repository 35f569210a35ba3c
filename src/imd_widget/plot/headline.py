"""The headline above a tree: the first sentence, the bars of `HeadlineView`, and a sentence."""

from __future__ import annotations

from imd_widget.comparison.headline_bar import BarPart, PartKind, TruthBar
from imd_widget.plot.colors import Theme
from imd_widget.plot.context import DrawingContext
from imd_widget.plot.flow import LONGEST, TITLE, Block, Run, flow
from imd_widget.plot.marks import Mark, Sheet, polyline, rounded, stripes
from imd_widget.plot.text import SMALL, cut_middle, harmless

_HIGH = 9.0
_LINE = 13.0
_KEY = 7.0
_BETWEEN = 12.0
#: Width of the bar of fixes and breaks, and the space before it.
_TRUTH, _BEFORE_TRUTH = 165.0, 16.0
_BELOW = 3.0
#: Least width of a part that is not empty.
_LEAST = 1.5


def headline_block(context: DrawingContext, room: float) -> Block:
    """Return the headline of a diff, in lines of at most ``room``."""
    line, theme = context.joint.headline, context.theme
    title = Run(harmless(line.sentences[0], LONGEST), theme.ink, True, TITLE)
    blocks = [flow([title], context, room), _bars(context, room)]
    if line.short:
        tone = theme.amber if line.tone == "weak" else theme.soft
        blocks.append(flow([Run(harmless(line.short, LONGEST), tone)], context, room))
    sheet, y = Sheet(), 0.0
    for block in blocks:
        sheet.put(block.marks, 0, y)
        y += block.height + _BELOW
    return Block(sheet.marks, y + _BELOW)


def _bars(context: DrawingContext, room: float) -> Block:
    line = context.joint.headline
    if not line.bar:
        return Block([], 0.0)
    sheet = Sheet()
    truth = line.truth if room > 3 * _TRUTH else None
    wide = room - (_TRUTH + _BEFORE_TRUTH if truth else 0)
    sheet.put(rows_bar(line.bar, wide, context.theme), 0, 0)
    key = _key(line.bar, wide, context)
    sheet.put(key.marks, 0, _HIGH + 2)
    height = key.height
    if truth:
        own = _truth_bar(truth, context)
        sheet.put(own.marks, wide + _BEFORE_TRUTH, 0)
        height = max(height, own.height)
    return Block(sheet.marks, _HIGH + 2 + height)


def rows_bar(parts: tuple[BarPart, ...], wide: float, theme: Theme) -> list[Mark]:
    """Return the bar of all rows, ``wide`` points long; a part that is not empty can be seen."""
    sheet, x = Sheet(), 0.0
    for part in parts:
        w = max(_LEAST, wide * part.length)
        _fill(sheet, part.kind, x, w, theme)
        if part.cut:
            for off in (-2.0, 2.0):
                slant = [(x + w / 2 + off + 1.5, -0.5), (x + w / 2 + off - 1.5, _HIGH + 0.5)]
                sheet.draw(polyline(slant), stroke=theme.line, width=0.9)
        x += w
    sheet.draw(rounded(0, 0, x, _HIGH, 1.5), stroke=theme.line, width=0.5)
    return sheet.marks


def _fill(
    sheet: Sheet, kind: PartKind, x: float, w: float, theme: Theme, high: float = _HIGH
) -> None:
    box = rounded(x, 0, w, high, 0)
    if kind in ("missed", "differ"):
        sheet.draw(stripes(x, 0, w, high, 3.4, 1.6), fill=theme.accent)
        sheet.draw(box, stroke=theme.accent, width=0.5)
        return
    fills = {"agree": theme.agree, "agreed": theme.line, "inside": theme.accent_mid}
    sheet.draw(box, fill=fills.get(kind, theme.accent))


def _key(parts: tuple[BarPart, ...], room: float, context: DrawingContext) -> Block:
    """Return what each part is, in lines of at most ``room``."""
    sheet, x, y = Sheet(), 0.0, 9.0
    for part in parts:
        text = cut_middle(harmless(part.text), room - 12, context.small_width)
        w = _KEY + 3.5 + context.small_width(text)
        if x and x + w > room:
            x, y = 0.0, y + _LINE
        mark = Sheet()
        _fill(mark, part.kind, 0, _KEY, context.theme, _KEY)
        mark.draw(rounded(0, 0, _KEY, _KEY, 1), stroke=context.theme.line, width=0.4)
        sheet.put(mark.marks, x, y - 6.5)
        sheet.small(x + _KEY + 3.5, y, text, context.theme.ink)
        x += w + _BETWEEN
    return Block(sheet.marks, y + 5)


def _truth_bar(truth: TruthBar, context: DrawingContext) -> Block:
    """Return breaks to the left of the middle and fixes to the right, on one scale."""
    theme, sheet, half = context.theme, Sheet(), _TRUTH / 2
    most = max(truth.fixes, truth.breaks, 1e-9)
    sheet.draw(rounded(0, 0, _TRUTH, _HIGH, 1.5), fill=theme.agree)
    broken, fixed = (half * rows / most for rows in (truth.breaks, truth.fixes))
    if broken:
        box = rounded(half - broken, 0, broken, _HIGH, 0)
        sheet.draw(box, fill=theme.line)  # stripes mean "not covered"
        sheet.draw(box, stroke=theme.ink, width=0.5)
    if fixed:
        sheet.draw(rounded(half, 0, fixed, _HIGH, 0), fill=theme.ink)
    sheet.draw(polyline([(half, -1.5), (half, _HIGH + 1.5)]), stroke=theme.ink, width=0.7)
    text = harmless(f"{truth.text}, {truth.net}", LONGEST)
    words = flow([Run(text, theme.ink, size=SMALL)], context, _TRUTH)
    sheet.put(words.marks, 0, _HIGH + 2.5)
    return Block(sheet.marks, words.height + 3)
