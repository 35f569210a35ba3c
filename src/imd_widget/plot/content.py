"""The content of each box, which determines its size; layout and painting do not change it."""

from __future__ import annotations

from dataclasses import dataclass, field

from imd_widget.plot.colors import scale_position
from imd_widget.plot.context import SWATCH, DrawingContext, badge, named_pairs, swatch
from imd_widget.plot.marks import DASHED, DOTTED, Mark, Sheet, circle, rounded, stripes
from imd_widget.plot.text import (
    count,
    cut_middle,
    harmless,
    percent,
    plural,
    short_count,
    wrap_two,
)
from imd_widget.plot.visible import Box
from imd_widget.views.schema import NodeView, RuleView

CIRCLE = 36.0
#: From the left edge of a leaf to its text: the coloured band and its margins.
_TEXT_X = 12.5
_BAND = (3.0, 5.5)
_PAD = 6.0
_HALF = 18.5
_LEAF = 34.0
_LINE = 11.0
#: Distance of the number of a rule above the top of its box.
_ABOVE = 6.5
_CONDITION_ROOM = 92.0
#: The shortest readable bar.
_SHORTEST_BAR = {"share": 30.0, "position": 48.0}


@dataclass(frozen=True)
class Content:
    """The marks of a box and its geometry."""

    #: The upper left corner is (0, 0).
    marks: list[Mark] = field(repr=False)
    #: Its size.
    w: float
    h: float
    #: The centre of the links, which arrive from the left or from above and leave to the right or
    #: below.
    x: float
    y: float
    #: The body, at which links end and numbers are fixed.
    left: float
    top: float
    right: float
    bottom: float


def content_of(box: Box, context: DrawingContext) -> Content:
    """Return the content of a box."""
    if box.kind == "stub":
        made = _stub(box, context)
    elif box.kind == "pair":
        made = _pair(box, context)
    elif box.kind == "or":
        made = _or(box, context)
    elif box.kind == "leaf":
        made = _leaf(box, context)
    else:
        made = _split(box, context)
    return _numbered(made, box.numbers, context) if box.numbers else made


def _plain(sheet: Sheet, w: float, h: float) -> Content:
    return Content(sheet.marks, w, h, x=w / 2, y=h / 2, left=0, top=0, right=w, bottom=h)


def _stub(box: Box, context: DrawingContext) -> Content:
    node, sheet = box.node, Sheet()
    rows = plural(node.rows, "row")
    lines = [f"agree · {rows}"]
    if box.agrees:
        lines = [f"{_agree_text(node)} · {rows}"]
    elif node.differing:
        lines = [f"no rule · {rows}", f"{count(node.differing)} differ"]
    w = max(map(context.small_width, lines)) + 12
    h = 10.0 * len(lines) + 6
    theme = context.theme
    stroke, ink = (theme.ink, theme.ink) if box.agrees else (None, theme.soft)
    sheet.draw(rounded(0, 0, w, h, 4), fill=theme.raised, stroke=stroke)
    for i, line in enumerate(lines):
        sheet.small(w / 2, 11 + 10 * i, line, ink, anchor="center")
    return _plain(sheet, w, h)


def _agree_text(node: NodeView) -> str:
    """Return how often the models agree at a node whose rules are rules of agreement."""
    rate = node.rate
    return f"agree {percent(None if rate is None else 1 - rate)}"


def _split(box: Box, context: DrawingContext) -> Content:
    node, sheet, theme = box.node, Sheet(), context.theme
    lines = _condition_lines(node, context)
    note = f"{count(node.differing)} of {count(node.rows)} differ"
    sayings = _sayings(node, context) if box.folded else []
    if context.alone:
        note = f"{context.label(node.said)} · {plural(node.rows, 'row')}"
    elif box.folded:
        note = _agree_text(node) if box.agrees else f"{count(node.differing)} differ"
    colors = len(sayings) * 29.0
    widest = max(*map(context.text_width, lines), colors + context.small_width(note))
    w, h = widest + 15, _LINE * len(lines) + 18.5
    if box.folded:
        # a second outline behind the first marks a folded box
        sheet.draw(rounded(2.5, 2.5, w, h, 13), fill=theme.ground, stroke=theme.line, width=0.7)
    fill = theme.raised if node.side == 0 else theme.ground
    dash = DASHED if node.side == 2 else None
    stroke = theme.ink if box.numbers else theme.line
    sheet.draw(rounded(0, 0, w, h, 13), fill=fill, stroke=stroke, dash=dash)
    for i, line in enumerate(lines):
        sheet.text(w / 2, 12.5 + _LINE * i, line, theme.ink, anchor="center")
    y = 12.5 + _LINE * len(lines)
    left = (w - colors - context.small_width(note)) / 2
    for i, saying in enumerate(sayings):
        x = left + 29 * i
        for color, offset in zip(saying.colors, (0, 17), strict=True):
            swatch(sheet, x + offset, y, color, theme)
        sheet.small(x + 12, y, "≠", theme.soft, anchor="center")
    sheet.small(left + colors, y, note, theme.soft)
    made = _plain(sheet, w, h)
    return Content(made.marks, w + 2.5 * box.folded, h + 2.5 * box.folded, w / 2, h / 2, 0, 0, w, h)


def _condition_lines(node: NodeView, context: DrawingContext) -> list[str]:
    """Return the condition in one line or two; if too long, the name of the column is cut first."""
    text, column = harmless(node.condition or ""), harmless(node.column or "")
    lines = wrap_two(text, _CONDITION_ROOM, context.text_width)
    if not column or not text.startswith(column) or not any("…" in line for line in lines):
        return lines
    parts = [column, text[len(column) :].strip()]
    return [cut_middle(part, _CONDITION_ROOM, context.text_width) for part in parts]


@dataclass(frozen=True)
class _Verdict:
    """The prediction of one surrogate at a leaf; ``doubt`` is its purity or spread, as text."""

    name: str
    text: str
    color: str
    doubt: str | None
    position: float | None
    share: float

    @property
    def bar(self) -> float:
        """The least length of its bar."""
        return _SHORTEST_BAR["share" if self.position is None else "position"]


def _verdict(node: NodeView, context: DrawingContext) -> _Verdict:
    outputs, purity = context.view.outputs, node.purity
    doubt = node.spread
    if doubt is None and purity is not None and purity < 1:
        doubt = percent(purity)
    return _Verdict(
        name="" if context.alone else context.model(node.side or 1),
        text=context.label(node.said),
        color=context.color(node.label, node.value),
        doubt=doubt,
        position=scale_position(outputs, node.value),
        share=1.0 if purity is None else purity,
    )


def _band(sheet: Sheet, verdict: _Verdict, y: float, h: float, context: DrawingContext) -> None:
    """Draw the colour at the left edge: full for a pure leaf, hatched for an impure one."""
    x, w = _BAND
    if verdict.doubt is None:
        sheet.draw(rounded(x, y, w, h, 1), fill=verdict.color, stroke=context.theme.edge, width=0.4)
        return
    sheet.draw(stripes(x, y, w, h), fill=verdict.color)
    sheet.draw(rounded(x, y, w, h, 1), stroke=context.theme.edge, width=0.4)


def _bar(
    sheet: Sheet, verdict: _Verdict, x: float, y: float, w: float, context: DrawingContext
) -> None:
    """Draw the purity of a class as a filled bar, or a number as a mark between low and high."""
    sheet.draw(rounded(x, y, w, 2, 1), fill=context.theme.rule)
    if verdict.position is None:
        sheet.draw(rounded(x, y, max(1, w * verdict.share), 2, 1), fill=verdict.color)
        return
    left = x + (w - 3.6) * verdict.position
    ink = context.theme.ink
    sheet.draw(rounded(left, y - 1.5, 3.6, 5, 1.2), fill=verdict.color, stroke=ink, width=0.5)


def _leaf(box: Box, context: DrawingContext) -> Content:
    sheet, theme, verdict = Sheet(), context.theme, _verdict(box.node, context)
    rows = plural(box.node.rows, "row")
    if verdict.doubt is not None:
        rows += f" · {verdict.doubt}"
    widest = max(context.text_width(verdict.text), context.small_width(rows), verdict.bar)
    w, h = _TEXT_X + widest + _PAD, _LEAF
    dash = DASHED if box.node.side == 2 else None
    sheet.draw(rounded(0, 0, w, h, 3.5), fill=theme.ground, stroke=theme.line, dash=dash)
    _band(sheet, verdict, 3, h - 6, context)
    sheet.text(_TEXT_X, 12, verdict.text, theme.ink)
    sheet.small(_TEXT_X, 22.5, rows, theme.soft)
    _bar(sheet, verdict, _TEXT_X, 27.5, widest, context)
    return _plain(sheet, w, h)


def _pair(box: Box, context: DrawingContext) -> Content:
    node, sheet, theme = box.node, Sheet(), context.theme
    assert box.pair is not None
    verdicts = [_verdict(leaf, context) for leaf in box.pair]
    name_width = max(context.small_width(verdict.name) for verdict in verdicts)
    said = max(
        max(
            context.text_width(verdict.text)
            + (0 if verdict.doubt is None else 7 + context.small_width(verdict.doubt)),
            verdict.bar,
        )
        for verdict in verdicts
    )
    label_x = _TEXT_X + name_width + 6
    body, h = label_x + said + _PAD, 2 * _HALF
    for i, verdict in enumerate(verdicts):
        y = i * _HALF
        corners, dash = ("top", None) if i == 0 else ("bottom", DASHED)
        outline = rounded(0, y, body, _HALF, 3.5, corners)
        stroke = theme.ink if box.differs else theme.line
        sheet.draw(outline, fill=theme.ground, stroke=stroke, dash=dash)
        _band(sheet, verdict, y + 3, _HALF - 6, context)
        sheet.small(_TEXT_X, y + 11, verdict.name, theme.soft)
        sheet.text(label_x, y + 11, verdict.text, theme.ink)
        if verdict.doubt is not None:
            sheet.small(body - _PAD, y + 11, verdict.doubt, theme.soft, anchor="right")
        _bar(sheet, verdict, label_x, y + 14, said, context)
    few = "agree" if node.differing == 0 else f"{count(node.differing)} differ"
    few = _agree_text(node) if box.agrees else few
    top = f"≠ {percent(node.rate)}" if box.differs else few
    bottom = plural(node.rows, "row")
    if box.differs or box.agrees:
        counted = node.rows - node.differing if box.agrees else node.differing
        bottom = f"{count(counted)} of {count(node.rows)}"
        # with weights the rate above is not the ratio of these two numbers of rows
        bottom += " rows" if context.view.outputs.weighted else ""
    return _beside(sheet, body, h, top, bottom, box.differs, context)


def _beside(
    sheet: Sheet,
    body: float,
    h: float,
    top: str,
    bottom: str,
    strong: bool,
    context: DrawingContext,
) -> Content:
    """Add the rate and counts to the right of a box, or below it if the tree grows down."""
    theme = context.theme
    top_width = context.text_width(top, True) if strong else context.small_width(top)
    width = max(top_width, context.small_width(bottom))
    if not context.down:
        x = body + 6
        if strong:
            sheet.text(x, h / 2 - 3, top, theme.ink, bold=True)
        else:
            sheet.small(x, h / 2 - 3, top, theme.soft)
        sheet.small(x, h / 2 + 8, bottom, theme.soft)
        return Content(sheet.marks, x + width, h, body / 2, h / 2, 0, 0, body, h)
    one_line = top_width + 6 + context.small_width(bottom)
    y = h + 11
    if strong:
        sheet.text(0, y, top, theme.ink, bold=True)
    else:
        sheet.small(0, y, top, theme.soft)
    sheet.small(top_width + 6, y, bottom, theme.soft)
    return Content(sheet.marks, max(body, one_line), h + 14, body / 2, h / 2, 0, 0, body, h)


@dataclass(frozen=True)
class _Saying:
    """The outcome pair of a rule below a folded box."""

    colors: tuple[str, str]
    texts: tuple[str, str]


def _sayings(node: NodeView, context: DrawingContext) -> list[_Saying]:
    """Return the two outcome pairs with most differing rows in the rules below a node."""
    if node.id not in context.cache:
        context.cache[node.id] = _compute_sayings(node, context)
    sayings: list[_Saying] = context.cache[node.id]
    return sayings


def _compute_sayings(node: NodeView, context: DrawingContext) -> list[_Saying]:
    view = context.joint
    groups: dict[object, list[RuleView]] = {}
    for number in node.rules:
        rule = view.rules[number]
        if rule.agrees:
            continue
        # rules with the same two classes are grouped; pairs of means are rarely equal
        labels = named_pairs(rule)[0].outcomes
        groups.setdefault(number if labels is None else tuple(labels), []).append(rule)
    most = sorted(groups.values(), key=lambda rules: -sum(rule.differing for rule in rules))[:2]
    return [_saying(rules, context) for rules in most]


def _saying(rules: list[RuleView], context: DrawingContext) -> _Saying:
    pair = named_pairs(rules[0])[0]
    first, second = (context.label(said) for said in pair.said)
    marks = {rule.title_more for rule in rules}
    more = marks.pop() if len(marks) == 1 else "…"
    labels, values = pair.outcomes, pair.values
    one, two = (
        context.color(labels[i] if labels else None, values[i] if values else None) for i in (0, 1)
    )
    return _Saying((one, two), (first, f"{second} {more}" if more else second))


def _or(box: Box, context: DrawingContext) -> Content:
    node, sheet, theme = box.node, Sheet(), context.theme
    r = CIRCLE / 2
    sheet.draw(
        circle(r, r, r - 0.9),
        fill=theme.ground,
        stroke=theme.ink if box.differs else theme.line,
        width=1.7,
        dash=DOTTED,
    )
    sheet.text(r, r - 0.5, short_count(node.differing), theme.ink, bold=True, anchor="center")
    sheet.small(r, r + 8.5, "differ", theme.soft, anchor="center")
    if not box.folded:
        return _plain(sheet, CIRCLE, CIRCLE)
    note = plural(len(node.rules), "rule")
    if node.region:
        note = f"≠ {percent(node.rate)} of {plural(node.rows, 'row')}"
    elif box.agrees:
        note = f"{_agree_text(node)} of {plural(node.rows, 'row')}"
    lines = [_said(saying, context) for saying in _sayings(node, context)]
    width = max([w for _, w in lines] + [context.small_width(note)])
    height = 11.0 * (len(lines) + 1)
    if context.down:
        x, y, w, h = 0.0, CIRCLE + 2, max(width, CIRCLE), CIRCLE + 3 + height
        middle = w / 2
        marks = [mark.moved(middle - r, 0) for mark in sheet.marks]
        sheet = Sheet(list(marks))
    else:
        x, y, w, h = CIRCLE + 6, (CIRCLE - height) / 2 - 0.5, CIRCLE + 6 + width, CIRCLE
        middle = r
    for i, (said, said_width) in enumerate(lines):
        sheet.put(said, x + ((w - said_width) / 2 if context.down else 0), y + 9 + 11 * i)
    note_x = x + ((w - context.small_width(note)) / 2 if context.down else 0)
    sheet.small(note_x, y + 9 + 11 * len(lines), note, theme.soft)
    return Content(sheet.marks, w, h, middle, r, middle - r, 0, middle + r, CIRCLE)


def _said(saying: _Saying, context: DrawingContext) -> tuple[list[Mark], float]:
    """Return two swatches with their texts and a sign between, and the width of these marks."""
    sheet, x = Sheet(), 0.0
    for i, (color, text) in enumerate(zip(saying.colors, saying.texts, strict=True)):
        if i:
            sheet.text(x + 3.5, 0, "≠", context.theme.ink)
            x += 3.5 + context.text_width("≠") + 3.5
        swatch(sheet, x, 0, color, context.theme)
        sheet.text(x + SWATCH + 2.5, 0, text, context.theme.ink)
        x += SWATCH + 2.5 + context.text_width(text)
    return sheet.marks, x


def _numbered(made: Content, numbers: list[int], context: DrawingContext) -> Content:
    """Return the content with the numbers of its rules at the upper left corner."""
    marks, w = badge(numbers, context)
    # a link from above ends in the middle of the body, which the numbers must not cover
    x = min(made.left, made.x - 5 - w) if context.down else made.left
    shift = max(0.0, -x)
    sheet = Sheet()
    sheet.put(made.marks, shift, _ABOVE)
    sheet.put(marks, x + shift, 0.0)
    return Content(
        sheet.marks,
        w=max(made.w + shift, x + shift + w),
        h=made.h + _ABOVE,
        x=made.x + shift,
        y=made.y + _ABOVE,
        left=made.left + shift,
        top=made.top + _ABOVE,
        right=made.right + shift,
        bottom=made.bottom + _ABOVE,
    )
