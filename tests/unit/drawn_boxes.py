"""What the matplotlib side draws of a view, for the front-end to be compared with.

js/tree/{visible,first,content}.ts follow the same rules as plot/{visible,folding,content}.py. Left
out is what only one of them has: the numbers of rules beside a box (matplotlib), the count of rules
beside a leaf (browser), and the signs "≠" and "differ", which the browser draws apart from content.
Texts are those that stand where there is room for all: how much fits is a matter of the font.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from imd_widget.plot.colors import LIGHT
from imd_widget.plot.content import content_of
from imd_widget.plot.context import DrawingContext
from imd_widget.plot.folding import folded_to_fit
from imd_widget.plot.marks import Words
from imd_widget.plot.text import Font
from imd_widget.plot.visible import Box, Index
from imd_widget.views.schema import DiffView

_SIGNS = ("≠", "differ")
#: Ends of branches that there is room for.
ROOMS = (1, 2, 3, 4, 6, 8, 12)


class BoxGolden(TypedDict):
    id: str
    kind: str
    folded: bool
    rows: int
    differing: int
    rules: int
    texts: list[str]


class TreeGolden(TypedDict):
    """How a view is drawn: with these folds, or as much of it as fits into so many ends."""

    differences_only: bool
    folds: dict[str, bool]
    most_ends: int | None
    boxes: list[BoxGolden]


class _NoWidth(Font):
    """Letters without width: every text fits."""

    def width(self, text: str, size: float, bold: bool = False) -> float:
        return 0.0


def drawn(view: DiffView) -> list[TreeGolden]:
    """A view drawn as a whole, its differences, with a fold, and folded to fit."""
    index, context = Index.of(view), DrawingContext(view, False, _NoWidth.sure(), LIGHT)

    def golden(root: Box, only: bool, folds: Mapping[str, bool], most: int | None) -> TreeGolden:
        boxes = [_box(box, context) for box in root.walk()]
        return TreeGolden(differences_only=only, folds=dict(folds), most_ends=most, boxes=boxes)

    found = [golden(index.tree(only), only, {}, None) for only in (True, False)]
    inner = next((node.id for node in view.nodes[1:] if node.kind == "split"), None)
    if inner is not None:
        folds = {inner: True}
        found += [golden(index.tree(only, folds), only, folds, None) for only in (True, False)]
    for most in ROOMS:
        fitted = folded_to_fit(view, lambda root, most=most: _ends(root) <= most)  # type: ignore[misc]
        found.append(golden(fitted, True, {}, most))
    return found


def _ends(root: Box) -> int:
    return sum(not box.children for box in root.walk())


def _box(box: Box, context: DrawingContext) -> BoxGolden:
    box.numbers = []
    texts = [mark.text for mark in content_of(box, context).marks if isinstance(mark, Words)]
    node = box.node
    return BoxGolden(
        id=node.id,
        kind=box.kind,
        folded=box.folded,
        rows=node.rows,
        differing=node.differing,
        rules=len(node.rules),
        texts=[text for text in texts if text not in _SIGNS],
    )
