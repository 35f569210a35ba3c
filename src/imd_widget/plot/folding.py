"""Folds a tree until it fits, by the same rules as js/tree/initialFolds.ts."""

from __future__ import annotations

from collections.abc import Callable

from imd_widget.plot.visible import Box, Index
from imd_widget.views.schema import DiffView, RuleView

#: Most attempts to unfold a node. Each lays out the tree, so the limit bounds the time.
_TRIES = 40
#: Most leaf boxes of a tree that is tried unfolded.
_MOST_ENDS = 60


def folded_to_fit(view: DiffView, fits: Callable[[Box], bool]) -> Box:
    """Return the tree of the differences of a view, with as much unfolded as fits.

    Starting at the root, the folded node on the way to the largest rule is unfolded next if the
    tree still fits, or-nodes last. Every rule is thus visible, if only as a number in a folded box.
    """
    told = [_told(rule) for rule in view.rules]
    index = Index.of(view)
    whole = index.tree(True)
    boxes = {box.node.id: box for box in whole.walk()}
    if sum(not box.children for box in boxes.values()) <= _MOST_ENDS and fits(whole):
        return whole
    folds = _folds(whole)
    best = index.tree(True, folds)
    stuck: set[str] = set()
    for _ in range(_TRIES):
        open_next = [
            box.node for box in best.walk() if box.node.id in folds and box.node.id not in stuck
        ]
        if not open_next:
            break
        node = max(
            open_next,
            # what is inside an or-node comes last: its circle shows the difference already
            key=lambda node: (
                node.kind != "or",
                max(told[number] for number in node.rules),
                node.differing,
            ),
        )
        more = {key: True for key in folds if key != node.id} | _folds(boxes[node.id])
        tried = index.tree(True, more)
        if fits(tried):
            folds, best = more, tried
        else:
            stuck.add(node.id)
    return best


def _told(rule: RuleView) -> int:
    """Return the number of rows that a rule is about: those that differ, or agree."""
    return rule.support - rule.differing if rule.agrees else rule.differing


def _folds(box: Box) -> dict[str, bool]:
    """Return the children of a box that stay folded when it is unfolded: those with rules below."""
    return {child.node.id: True for child in box.children if child.children and child.node.rules}
