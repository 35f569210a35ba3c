"""What is folded where there is no room for all: as in js/tree/initialFolds.ts."""

from __future__ import annotations

from collections.abc import Callable

from imd_widget.plot.visible import Box, Index
from imd_widget.views.schema import DiffView

#: Each try lays out what is visible: a limit keeps the picture of a huge tree quick.
_TRIES = 40
#: Ends of branches beyond which a tree is not even tried.
_MOST_ENDS = 60


def folded_to_fit(view: DiffView, fits: Callable[[Box], bool]) -> Box:
    """The differences of a view with as much unfolded as fits.

    From the root down: what is folded is opened, the part with most differing rows first, as long
    as the tree still fits. So every difference is there, if only as a number in a folded box.
    """
    index = Index.of(view)
    whole = index.tree(True)
    boxes = {box.node["id"]: box for box in whole.walk()}
    if sum(not box.children for box in boxes.values()) <= _MOST_ENDS and fits(whole):
        return whole
    folds = _folds(whole)
    best = index.tree(True, folds)
    stuck: set[str] = set()
    for _ in range(_TRIES):
        open_next = [
            box.node
            for box in best.walk()
            if box.node["id"] in folds and box.node["id"] not in stuck
        ]
        if not open_next:
            break
        node = max(open_next, key=lambda node: node["differing"])
        more = {key: True for key in folds if key != node["id"]} | _folds(boxes[node["id"]])
        tried = index.tree(True, more)
        if fits(tried):
            folds, best = more, tried
        else:
            stuck.add(node["id"])
    return best


def _folds(box: Box) -> dict[str, bool]:
    """What is folded below a box when it is opened: all in which something of interest hangs."""
    return {
        child.node["id"]: True for child in box.children if child.children and child.node["rules"]
    }
