"""What is written in each box, and so how large it is. Layout and drawing decide nothing of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from imd_widget.plot.colors import outcome_color, place_of
from imd_widget.plot.context import SWATCH, Pen, badge, swatch
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
from imd_widget.views.schema import NodeView

CIRCLE = 36.0
#: From the left edge of a leaf to its text: the band of its colour and the room around it.
_TEXT_X = 12.5
_BAND = (3.0, 5.5)
_PAD = 6.0
_HALF = 18.5
_LEAF = 34.0
_LINE = 11.0
#: How far the number of a rule stands above the box that it is fixed to.
_ABOVE = 6.5
_CONDITION_ROOM = 92.0
#: The shortest bar that can be read.
_SHORTEST_BAR = {"share": 30.0, "place": 48.0}


@dataclass(frozen=True)
class Content:
    """A box as it is drawn.

    Attributes
    ----------
    marks : list of Mark
        Around the upper left corner as (0, 0).
    w, h : float
        Its size.
    x, y : float
        The point in which links are centred: they arrive left of it or above, leave at the right
        or below.
    left, top, right, bottom : float
        The body, to which links lead and numbers are fixed.
    """

    marks: list[Mark] = field(repr=False)
    w: float
    h: float
    x: float
    y: float
    left: float
    top: float
    right: float
    bottom: float


def content_of(box: Box, pen: Pen) -> Content:
    """What a box says."""
    if box.kind == "stub":
        made = _stub(box, pen)
    elif box.kind == "pair":
        made = _pair(box, pen)
    elif box.kind == "or":
        made = _or(box, pen)
    elif box.kind == "leaf":
        made = _leaf(box, pen)
    else:
        made = _split(box, pen)
    return _numbered(made, box.numbers, pen) if box.numbers else made


def _plain(sheet: Sheet, w: float, h: float) -> Content:
    return Content(sheet.marks, w, h, x=w / 2, y=h / 2, left=0, top=0, right=w, bottom=h)


def _stub(box: Box, pen: Pen) -> Content:
    node, sheet = box.node, Sheet()
    rows = plural(node["rows"], "row")
    lines = [f"agree · {rows}"]
    if node["differing"]:
        lines = [f"no rule · {rows}", f"{count(node['differing'])} differ"]
    w = max(map(pen.small_width, lines)) + 12
    h = 10.0 * len(lines) + 6
    sheet.draw(rounded(0, 0, w, h, 4), fill=pen.theme.raised)
    for i, line in enumerate(lines):
        sheet.small(w / 2, 11 + 10 * i, line, pen.theme.soft, anchor="center")
    return _plain(sheet, w, h)


def _split(box: Box, pen: Pen) -> Content:
    node, sheet, theme = box.node, Sheet(), pen.theme
    lines = _question(node, pen)
    note = f"{count(node['differing'])} of {count(node['rows'])} differ"
    sayings = _sayings(node, pen) if box.folded else []
    if box.folded:
        note = f"{count(node['differing'])} differ"
    colors = len(sayings) * 29.0
    widest = max(*map(pen.text_width, lines), colors + pen.small_width(note))
    w, h = widest + 15, _LINE * len(lines) + 18.5
    if box.folded:
        # one more behind it: there is more inside
        sheet.draw(rounded(2.5, 2.5, w, h, 13), fill=theme.ground, stroke=theme.line, width=0.7)
    fill = theme.raised if node["side"] == 0 else theme.ground
    dash = DASHED if node["side"] == 2 else None
    stroke = theme.ink if box.numbers else theme.line
    sheet.draw(rounded(0, 0, w, h, 13), fill=fill, stroke=stroke, dash=dash)
    for i, line in enumerate(lines):
        sheet.text(w / 2, 12.5 + _LINE * i, line, theme.ink, anchor="center")
    y = 12.5 + _LINE * len(lines)
    left = (w - colors - pen.small_width(note)) / 2
    for i, saying in enumerate(sayings):
        x = left + 29 * i
        for color, at in zip(saying.colors, (0, 17), strict=True):
            swatch(sheet, x + at, y, color, theme)
        sheet.small(x + 12, y, "≠", theme.soft, anchor="center")
    sheet.small(left + colors, y, note, theme.soft)
    made = _plain(sheet, w, h)
    return Content(made.marks, w + 2.5 * box.folded, h + 2.5 * box.folded, w / 2, h / 2, 0, 0, w, h)


def _question(node: NodeView, pen: Pen) -> list[str]:
    """In one line or two; if those are too short, the name is cut and the question stays whole."""
    text, column = harmless(node["condition"] or ""), harmless(node["column"] or "")
    lines = wrap_two(text, _CONDITION_ROOM, pen.text_width)
    if not column or not text.startswith(column) or not any("…" in line for line in lines):
        return lines
    parts = [column, text[len(column) :].strip()]
    return [cut_middle(part, _CONDITION_ROOM, pen.text_width) for part in parts]


@dataclass(frozen=True)
class _Verdict:
    """What one model says at a leaf; ``doubt`` is how far it is from saying one thing."""

    name: str
    text: str
    color: str
    doubt: str | None
    place: float | None
    share: float

    @property
    def bar(self) -> float:
        """Length that its bar needs."""
        return _SHORTEST_BAR["share" if self.place is None else "place"]


def _verdict(node: NodeView, pen: Pen) -> _Verdict:
    outputs, purity = pen.view["outputs"], node["purity"]
    doubt = node["spread"]
    if doubt is None and purity is not None and purity < 1:
        doubt = percent(purity)
    return _Verdict(
        name=pen.model(node["side"] or 1),
        text=pen.label(node["said"]),
        color=outcome_color(outputs, node["label"], node["value"]),
        doubt=doubt,
        place=place_of(outputs, node["value"]),
        share=1.0 if purity is None else purity,
    )


def _band(sheet: Sheet, verdict: _Verdict, y: float, h: float, pen: Pen) -> None:
    """Colour at the left edge: full for a pure leaf, hatched for an impure one."""
    x, w = _BAND
    if verdict.doubt is None:
        sheet.draw(rounded(x, y, w, h, 1), fill=verdict.color, stroke=pen.theme.edge, width=0.4)
        return
    sheet.draw(stripes(x, y, w, h), fill=verdict.color)
    sheet.draw(rounded(x, y, w, h, 1), stroke=pen.theme.edge, width=0.4)


def _bar(sheet: Sheet, verdict: _Verdict, x: float, y: float, w: float, pen: Pen) -> None:
    """Of a class: filled as far as it is true. Of a number: a mark between low and high."""
    sheet.draw(rounded(x, y, w, 2, 1), fill=pen.theme.rule)
    if verdict.place is None:
        sheet.draw(rounded(x, y, max(1, w * verdict.share), 2, 1), fill=verdict.color)
        return
    at = x + (w - 3.6) * verdict.place
    ink = pen.theme.ink
    sheet.draw(rounded(at, y - 1.5, 3.6, 5, 1.2), fill=verdict.color, stroke=ink, width=0.5)


def _leaf(box: Box, pen: Pen) -> Content:
    sheet, theme, verdict = Sheet(), pen.theme, _verdict(box.node, pen)
    rows = plural(box.node["rows"], "row")
    if verdict.doubt is not None:
        rows += f" · {verdict.doubt}"
    widest = max(pen.text_width(verdict.text), pen.small_width(rows), verdict.bar)
    w, h = _TEXT_X + widest + _PAD, _LEAF
    dash = DASHED if box.node["side"] == 2 else None
    sheet.draw(rounded(0, 0, w, h, 3.5), fill=theme.ground, stroke=theme.line, dash=dash)
    _band(sheet, verdict, 3, h - 6, pen)
    sheet.text(_TEXT_X, 12, verdict.text, theme.ink)
    sheet.small(_TEXT_X, 22.5, rows, theme.soft)
    _bar(sheet, verdict, _TEXT_X, 27.5, widest, pen)
    return _plain(sheet, w, h)


def _pair(box: Box, pen: Pen) -> Content:
    node, sheet, theme = box.node, Sheet(), pen.theme
    assert box.pair is not None
    verdicts = [_verdict(leaf, pen) for leaf in box.pair]
    name_width = max(pen.small_width(verdict.name) for verdict in verdicts)
    said = max(
        max(
            pen.text_width(verdict.text)
            + (0 if verdict.doubt is None else 7 + pen.small_width(verdict.doubt)),
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
        _band(sheet, verdict, y + 3, _HALF - 6, pen)
        sheet.small(_TEXT_X, y + 11, verdict.name, theme.soft)
        sheet.text(label_x, y + 11, verdict.text, theme.ink)
        if verdict.doubt is not None:
            sheet.small(body - _PAD, y + 11, verdict.doubt, theme.soft, anchor="right")
        _bar(sheet, verdict, label_x, y + 14, said, pen)
    few = "agree" if node["differing"] == 0 else f"{count(node['differing'])} differ"
    top = f"≠ {percent(node['rate'])}" if box.differs else few
    bottom = plural(node["rows"], "row")
    if box.differs:
        bottom = f"{count(node['differing'])} of {count(node['rows'])}"
        # then a share is one of weights, and of the rows it would be another one
        bottom += " rows" if pen.view["outputs"]["weighted"] else ""
    return _beside(sheet, body, h, top, bottom, box.differs, pen)


def _beside(
    sheet: Sheet, body: float, h: float, top: str, bottom: str, strong: bool, pen: Pen
) -> Content:
    """How much differs: at the right of a box, or below it where the tree grows down."""
    theme = pen.theme
    top_width = pen.text_width(top, True) if strong else pen.small_width(top)
    width = max(top_width, pen.small_width(bottom))
    if not pen.down:
        x = body + 6
        if strong:
            sheet.text(x, h / 2 - 3, top, theme.ink, bold=True)
        else:
            sheet.small(x, h / 2 - 3, top, theme.soft)
        sheet.small(x, h / 2 + 8, bottom, theme.soft)
        return Content(sheet.marks, x + width, h, body / 2, h / 2, 0, 0, body, h)
    one_line = top_width + 6 + pen.small_width(bottom)
    y = h + 11
    if strong:
        sheet.text(0, y, top, theme.ink, bold=True)
    else:
        sheet.small(0, y, top, theme.soft)
    sheet.small(top_width + 6, y, bottom, theme.soft)
    return Content(sheet.marks, max(body, one_line), h + 14, body / 2, h / 2, 0, 0, body, h)


@dataclass(frozen=True)
class _Saying:
    """What the models say in the rules under a folded box."""

    colors: tuple[str, str]
    texts: tuple[str, str]


def _sayings(node: NodeView, pen: Pen) -> list[_Saying]:
    """Of the two kinds of rule with most differing rows."""
    if node["id"] not in pen.known:
        pen.known[node["id"]] = _work_out_sayings(node, pen)
    found: list[_Saying] = pen.known[node["id"]]
    return found


def _work_out_sayings(node: NodeView, pen: Pen) -> list[_Saying]:
    view = pen.view
    found: dict[object, tuple[int, int]] = {}
    for number in node["rules"]:
        rule = view["rules"][number]
        # the same two classes are one kind of rule; two numbers are hardly ever the same
        key = number if rule["outcomes"] is None else tuple(rule["outcomes"])
        first, differing = found.get(key, (number, 0))
        found[key] = first, differing + rule["differing"]
    most = sorted(found.values(), key=lambda kind: -kind[1])[:2]
    return [_saying(number, pen) for number, _ in most]


def _saying(number: int, pen: Pen) -> _Saying:
    rule, outputs = pen.view["rules"][number], pen.view["outputs"]
    first, second = (pen.label(said) for said in rule["said"])
    # of many outcomes one is an example; of numbers that go either way the means are no direction
    more = " …" if rule["outcome_share"] < 0.5 else ""
    if rule["direction"] == "either":
        more = " either way"
    labels, values = rule["outcomes"], rule["values"]
    one, two = (
        outcome_color(outputs, labels[i] if labels else None, values[i] if values else None)
        for i in (0, 1)
    )
    return _Saying((one, two), (first, second + more))


def _or(box: Box, pen: Pen) -> Content:
    node, sheet, theme = box.node, Sheet(), pen.theme
    r = CIRCLE / 2
    sheet.draw(
        circle(r, r, r - 0.9),
        fill=theme.ground,
        stroke=theme.ink if box.differs else theme.line,
        width=1.7,
        dash=DOTTED,
    )
    sheet.text(r, r - 0.5, short_count(node["differing"]), theme.ink, bold=True, anchor="center")
    sheet.small(r, r + 8.5, "differ", theme.soft, anchor="center")
    if not box.folded:
        return _plain(sheet, CIRCLE, CIRCLE)
    note = plural(len(node["rules"]), "rule")
    if node["region"]:
        note = f"≠ {percent(node['rate'])} of {plural(node['rows'], 'row')}"
    lines = [_said(saying, pen) for saying in _sayings(node, pen)]
    width = max([w for _, w in lines] + [pen.small_width(note)])
    height = 11.0 * (len(lines) + 1)
    if pen.down:
        x, y, w, h = 0.0, CIRCLE + 2, max(width, CIRCLE), CIRCLE + 3 + height
        middle = w / 2
        marks = [mark.moved(middle - r, 0) for mark in sheet.marks]
        sheet = Sheet(list(marks))
    else:
        x, y, w, h = CIRCLE + 6, (CIRCLE - height) / 2 - 0.5, CIRCLE + 6 + width, CIRCLE
        middle = r
    for i, (said, own) in enumerate(lines):
        sheet.put(said, x + ((w - own) / 2 if pen.down else 0), y + 9 + 11 * i)
    own = pen.small_width(note)
    sheet.small(x + ((w - own) / 2 if pen.down else 0), y + 9 + 11 * len(lines), note, theme.soft)
    return Content(sheet.marks, w, h, middle, r, middle - r, 0, middle + r, CIRCLE)


def _said(saying: _Saying, pen: Pen) -> tuple[list[Mark], float]:
    """Two swatches with their texts and a sign between; and how wide that is."""
    sheet, x = Sheet(), 0.0
    for i, (color, text) in enumerate(zip(saying.colors, saying.texts, strict=True)):
        if i:
            sheet.text(x + 3.5, 0, "≠", pen.theme.ink)
            x += 3.5 + pen.text_width("≠") + 3.5
        swatch(sheet, x, 0, color, pen.theme)
        sheet.text(x + SWATCH + 2.5, 0, text, pen.theme.ink)
        x += SWATCH + 2.5 + pen.text_width(text)
    return sheet.marks, x


def _numbered(made: Content, numbers: list[int], pen: Pen) -> Content:
    """With the numbers of its rules at the upper left corner."""
    marks, w = badge(numbers, pen)
    # what comes from above meets the body in its middle, where no number may be
    x = min(made.left, made.x - 5 - w) if pen.down else made.left
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
