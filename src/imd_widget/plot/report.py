"""`draw_report`: headline, tree and rules in one figure, for notebooks without a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Integral

from matplotlib.figure import Figure

from imd_widget._base.errors import InputError
from imd_widget.outputs.registry import hedge
from imd_widget.plot.colors import LIGHT
from imd_widget.plot.context import DrawingContext, badge, named_pairs
from imd_widget.plot.flow import Block, Run, flow
from imd_widget.plot.folding import folded_to_fit
from imd_widget.plot.headline import headline_block
from imd_widget.plot.layout import lay_out
from imd_widget.plot.marks import Sheet
from imd_widget.plot.rc_lock import serialised
from imd_widget.plot.text import Font, count, cut_middle, harmless, percent, plural
from imd_widget.plot.tree_figure import MARGIN, figure_of, picture_of
from imd_widget.plot.visible import Box
from imd_widget.rules.languages import set_apart
from imd_widget.views.schema import DiffView, RuleView

#: Largest and smallest width and largest height of a report, in points.
_WIDEST, _NARROWEST, _HIGHEST = 648.0, 470.0, 504.0
#: Least height of the tree, however long the rules are.
_LEAST_TREE = 190.0
#: Smallest scale of the tree; instead of a smaller one it is folded further.
_SMALLEST_SCALE = 0.85
#: Height of the legend, of the line about folding, and of the gaps between.
_BESIDES = 84.0
_BADGE_COLUMN = 24.0
_RULE_LINES = 3
_CONDITION_ROOM = 330.0


@serialised
def draw_report(view: DiffView, *, max_rules: int = 5) -> Figure:
    """Return a figure with the headline, the tree and the first rules, about 9 x 7 inches at most.

    The tree is folded further if it does not fit, and a line then states it. pyplot does not manage
    the figure, so it neither displays nor keeps it.

    Parameters
    ----------
    view : DiffView
        The view of a diff, from `imd_widget.views.build.view_of`.
    max_rules : int, default=5
        Most rules that are listed; a line gives the number of the others.

    Returns
    -------
    Figure
    """
    if not isinstance(max_rules, Integral) or isinstance(max_rules, bool) or max_rules < 0:
        raise InputError(
            f"max_rules={max_rules!r}: the number of rules to list is a whole number from 0."
        )
    context = DrawingContext(view, down=False, font=Font.sure(), theme=LIGHT)
    most, lines = int(max_rules), _RULE_LINES
    room = _WIDEST - 2 * MARGIN
    left = _HIGHEST - _BESIDES - headline_block(context, room).height
    if left - _rules(context, room, most, lines).height < _LEAST_TREE:
        lines -= 1
    high = max(_LEAST_TREE, left - _rules(context, room, most, lines).height)
    root = folded_to_fit(view, lambda box: _scale(box, context, room, high) >= _SMALLEST_SCALE)
    scale = min(1.0, _scale(root, context, room, high))

    def stacked(width: float) -> Block:
        room = width - 2 * MARGIN
        tree = picture_of(root, context, scale, room)
        return _below_each_other(
            [
                headline_block(context, room),
                Block([mark.moved(-MARGIN, 0) for mark in tree.marks], tree.height),
                *_folded(root, context),
                _rules(context, room, most, lines),
            ]
        )

    # as wide as the tree, unless the text then makes the figure too high
    width = max(_NARROWEST, scale * lay_out(root, context).width + 2 * MARGIN)
    whole = stacked(width)
    if whole.height > _HIGHEST:
        width = _WIDEST
        whole = stacked(width)
    return figure_of(whole.marks, width, whole.height, context.font)


def _below_each_other(blocks: Sequence[Block]) -> Block:
    sheet, y = Sheet(), MARGIN
    for block in blocks:
        sheet.put(block.marks, MARGIN, y)
        y += block.height
    return Block(sheet.marks, y + MARGIN)


def _scale(root: Box, context: DrawingContext, width: float, height: float) -> float:
    tree = lay_out(root, context)
    return min(width / tree.width, height / tree.height)


def _folded(root: Box, context: DrawingContext) -> list[Block]:
    """Return a line about how much is folded and how to see it; empty if nothing is."""
    # a box that is one rule as a whole hides no rule
    folded = [b.node for b in root.walk() if b.folded and b.node.rules and not _is_whole(b)]
    if not folded:
        return []
    rules = len({number for node in folded for number in node.rules})
    text = f"{plural(len(folded), 'part')} with {plural(rules, 'rule')} in "
    text += "it is" if len(folded) == 1 else "them are"
    text += " folded to fit; ModelDiff.plot() draws the whole tree."
    block = flow([Run(text, context.theme.soft)], context, _WIDEST)
    return [Block(block.marks, block.height + 2)]


def _is_whole(box: Box) -> bool:
    return box.kind == "or" and box.node.region


def _rules(context: DrawingContext, room: float, most: int, lines: int) -> Block:
    # where the models agree is what is looked for if they differ nearly everywhere
    rules = sorted(context.joint.rules, key=lambda rule: not rule.agrees)
    sheet, y = Sheet(), 4.0 if rules else 0.0
    for rule in rules[:most]:
        block = flow(_sentence(rule, context), context, room - _BADGE_COLUMN, lines)
        number, w = badge([rule.number], context)
        sheet.put(number, _BADGE_COLUMN - 6 - w, y + 1.4)
        sheet.put(block.marks, _BADGE_COLUMN, y)
        y += block.height + 2.5
    more = len(rules) - most
    if more > 0:
        text = f"and {plural(more, 'more rule')}" if most else plural(more, "rule")
        rest = flow([Run(text, context.theme.soft)], context, room - _BADGE_COLUMN)
        sheet.put(rest.marks, _BADGE_COLUMN, y)
        y += rest.height
    return Block(sheet.marks, y)


def _sentence(rule: RuleView, context: DrawingContext) -> list[Run]:
    """Return the outcome pair, the conditions, and the counts of a rule."""
    view, theme = context.joint, context.theme
    texts = [harmless(view.conditions[index].text) for index in rule.conditions]
    texts = set_apart(texts)
    # a line that ends in an operator reads badly: "age <" / "42"
    texts = [re.sub(r"(^|\s)([<>]=?) ", "\\1\\2\u00a0", text) for text in texts]
    texts = [cut_middle(text, _CONDITION_ROOM, context.text_width) for text in texts]
    verb = "agree" if rule.agrees else "differ"
    figures = f"{plural(rule.support, 'row')}, {_rate(rule, rule.rate)} {verb}"
    if rule.holdout_support:
        figures += f" ({_rate(rule, rule.holdout_rate)} of the rows kept aside)"
    elif rule.expected_rate is not None:
        figures += f" (expect {_rate(rule, rule.expected_rate)} of new rows)"
    if rule.agrees:
        return [
            Run("They agree:", theme.ink, True),
            Run(" and ".join(texts) or "always", theme.ink),
            Run(f"·\u00a0{figures}", theme.soft),
        ]
    return [
        Run(f"{_title(rule, context)}:", theme.ink, True),
        Run(" and ".join(texts) or "always", theme.ink),
        Run(f"·\u00a0{figures}", theme.soft),
    ]


def _rate(rule: RuleView, rate: float | None) -> str:
    """Return the share of rows that differ; for a rule of agreement, of those that agree."""
    return percent(1 - rate if rule.agrees and rate is not None else rate)


def _title(rule: RuleView, context: DrawingContext) -> str:
    """Return the title of a rule, with the names of the models; names and labels are cut to fit."""
    about = hedge(context.joint.outputs.kind)
    pairs = []
    for pair in named_pairs(rule):
        says = [
            f"{context.model(side)} {about}{context.label(said, True)}"
            for side, said in enumerate(pair.said, start=1)
        ]
        share = "" if pair.share is None else f" ({percent(pair.share)})"
        pairs.append(f" {rule.title_link} ".join(says) + share)
    ways = ""
    if rule.up and rule.down:
        ways = f"(up on {count(round(rule.up))}, down on {count(round(rule.down))})"
    return " ".join(part for part in (rule.title_before, " or ".join(pairs), ways) if part)
