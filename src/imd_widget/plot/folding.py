"""What is folded where there is no room for all: as in js/tree/first.ts."""

from __future__ import annotations

from collections.abc import Callable

from imd_widget.plot.visible import Box, visible_tree
from imd_widget.views import DiffView

#: Each try lays out what is visible: a limit keeps the picture of a huge tree quick.
_TRIES = 40
#: Ends of branches beyond which a tree is not even tried.
_MOST_ENDS = 60


def folded_to_fit(view: DiffView, fits: Callable[[Box], bool]) -> Box:
    """The differences of a view with as much unfolded as fits.

    From the root down: what is folded is opened, the part with most differing rows first, as long
    as the tree still fits. So every difference is there, if only as a number in a folded box.
    """
    whole = visible_tree(view, True)
    if sum(not box.children for box in whole.walk()) <= _MOST_ENDS and fits(whole):
        return whole
    folds = {child.node["id"]: True for child in whole.children if _opens(child)}
    best = visible_tree(view, True, folds)
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
        more = {key: True for key in folds if key != node["id"]}
        opened = _found(visible_tree(view, True, more), node["id"])
        more |= {child.node["id"]: True for child in opened.children if _opens(child)}
        tried = visible_tree(view, True, more)
        if fits(tried):
            folds, best = more, tried
        else:
            stuck.add(node["id"])
    return best


def _opens(box: Box) -> bool:
    """Whether something of interest hangs below."""
    return bool(box.children and box.node["rules"])


def _found(root: Box, node: str) -> Box:
    return next(box for box in root.walk() if box.node["id"] == node)
