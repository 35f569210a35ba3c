"""Positions of the boxes, from left to right or from the top down, without overlaps.

A tidy tree by contours: each subtree has an outline, its extent on both sides at every depth, and
two neighbours are moved together until their outlines touch. Links and their labels are part of the
outline, so that they overlap nothing either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.path import Path
from numpy.typing import NDArray

from imd_widget.plot.content import Content, content_of
from imd_widget.plot.context import DrawingContext
from imd_widget.plot.marks import DASHED, Anchor, Mark, Shape, Words, polyline
from imd_widget.plot.text import SMALL
from imd_widget.plot.visible import Box

#: Gap between neighbours.
_GAP = 7.0
_GAP_DOWN = 10.0
#: Gap between one column and the next, and between one row and the next.
_COLUMN_GAP = 26.0
_ROW_GAP = 27.0
#: Distance from a box to the corner of a bracket.
_SPINE = 9.0
_WIDEST, _NARROWEST, _BRACKET = 5.0, 0.6, 1.1
#: Largest width of a dashed link: wider dashes would look like boxes.
_WIDEST_DASHED = 2.2
#: Length of a step of an outline.
_STEP = 3.0


@dataclass(frozen=True)
class Rect:
    """A rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float

    def turned(self, down: bool) -> Rect:
        """Return the rectangle with its axes exchanged if ``down``."""
        return Rect(self.y0, self.x0, self.y1, self.x1) if down else self


@dataclass(eq=False)
class _Cell:
    """A box and its position: ``u`` along the depth of the tree, ``v`` across."""

    box: Box
    content: Content
    children: list[_Cell]
    u: float = 0.0
    v: float = 0.0
    #: The ``u`` from which links may leave the parent's ``v``.
    lane: float = 0.0
    label: str = ""
    label_width: float = 0.0
    link_width: float = 0.0
    last: bool = False

    def walk(self) -> list[_Cell]:
        return [self, *(cell for child in self.children for cell in child.walk())]


@dataclass(frozen=True)
class Layout:
    """A tree with positions, its upper left corner at (0, 0)."""

    #: Links first, since boxes may cover their ends.
    marks: list[Mark]
    #: Rectangles of the boxes, in the order of ``Box.walk``, and of the labels of links.
    boxes: list[Rect]
    labels: list[Rect]
    width: float
    height: float


def lay_out(root: Box, context: DrawingContext) -> Layout:
    """Return the boxes and links of a tree with their positions."""
    cells = _cells(root, context, max(1, root.node.rows))
    _set_depths(cells, context)
    _Outlines(cells, context).place()
    return _drawn(cells, context)


def _cells(box: Box, context: DrawingContext, total: int) -> _Cell:
    cell = _Cell(
        box, content_of(box, context), [_cells(child, context, total) for child in box.children]
    )
    for i, child in enumerate(cell.children):
        edge, node = child.box.node.edge, child.box.node
        child.label = edge or ""
        child.last = i > 0
        child.link_width = max(_NARROWEST, _WIDEST * float(np.sqrt(node.rows / total)))
        if edge in ("model1", "model2"):
            child.label = f"{context.model(1 if edge == 'model1' else 2)} predicts"
            # both branches of a bracket have all rows: a width by rows would suggest a split
            child.link_width = _BRACKET
        elif node.side == 2:
            child.link_width = min(_WIDEST_DASHED, child.link_width)
        child.label_width = context.small_width(child.label)
    return cell


def _is_bracket(cell: _Cell) -> bool:
    return cell.box.node.kind == "or"


def _set_depths(root: _Cell, context: DrawingContext) -> None:
    """Set ``u`` of every cell: downwards by level, to the right as near to the parent as possible.

    Boxes are wide and flat: columns as wide as their widest box would be half empty.
    """
    levels: list[list[_Cell]] = [[root]]
    while below := [child for cell in levels[-1] for child in cell.children]:
        levels.append(below)
    for level in levels:
        leading = [cell for cell in level if cell.children]
        tallest = max((_length(cell, context) for cell in leading), default=0.0)
        for cell in leading:
            size = tallest if context.down else _length(cell, context)
            cell.lane = cell.u + size
            for child in cell.children:
                child.u = cell.lane + _link_length(cell, context)


def _length(cell: _Cell, context: DrawingContext) -> float:
    return cell.content.h if context.down else cell.content.w


def _link_length(cell: _Cell, context: DrawingContext) -> float:
    if context.down:
        return _ROW_GAP
    if not _is_bracket(cell):
        return _COLUMN_GAP
    return max(_COLUMN_GAP, _SPINE + 5 + max(child.label_width for child in cell.children))


class _Outlines:
    """The extent of each subtree at every depth, in steps, relative to the middle of its root."""

    def __init__(self, root: _Cell, context: DrawingContext) -> None:
        self.root, self.context = root, context
        self.gap = _GAP_DOWN if context.down else _GAP
        end = max(cell.u + _length(cell, context) for cell in root.walk())
        self.steps = int(end / _STEP) + 2

    def place(self) -> None:
        """Set ``v`` of every cell."""
        self._outline(self.root)
        for cell in self.root.walk():
            for child in cell.children:
                child.v += cell.v

    def _outline(self, cell: _Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        low, high = np.full(self.steps, np.inf), np.full(self.steps, -np.inf)
        for child in cell.children:
            child_low, child_high = self._outline(child)
            if child.last:
                child.v = float((high - child_low).max()) + self.gap
            np.minimum(low, child_low + child.v, out=low)
            np.maximum(high, child_high + child.v, out=high)
        if cell.children:
            middle = (cell.children[0].v + cell.children[-1].v) / 2
            low -= middle
            high -= middle
            for child in cell.children:
                child.v -= middle
            half = max(child.link_width for child in cell.children) / 2
            fan = [child.v for child in cell.children]
            self._stamp(low, high, cell.lane, cell.children[0].u, fan[0] - half, fan[-1] + half)
            self._stamp(low, high, cell.u, cell.lane, -half, half)
        for room in (_box_room(cell, self.context), _label_room(cell, self.context)):
            if room is not None:
                turned = room.turned(self.context.down)
                v = cell.v
                self._stamp(low, high, turned.x0, turned.x1, turned.y0 - v, turned.y1 - v)
        return low, high

    def _stamp(
        self,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        u0: float,
        u1: float,
        v0: float,
        v1: float,
    ) -> None:
        # a label at the root's level may lie before the first step
        steps = slice(max(0, int(u0 / _STEP)), int(u1 / _STEP) + 1)
        np.minimum(low[steps], v0, out=low[steps])
        np.maximum(high[steps], v1, out=high[steps])


def _corner(cell: _Cell, context: DrawingContext) -> tuple[float, float]:
    if context.down:
        return cell.v - cell.content.x, cell.u
    return cell.u, cell.v - cell.content.y


def _box_room(cell: _Cell, context: DrawingContext) -> Rect:
    x, y = _corner(cell, context)
    return Rect(x, y, x + cell.content.w, y + cell.content.h)


def _label_room(cell: _Cell, context: DrawingContext) -> Rect | None:
    """Return the rectangle of a label: outside the fan of links, so that none crosses it."""
    if not cell.label:
        return None
    away, w = cell.link_width / 2 + 2, cell.label_width
    if context.down:
        x = cell.v + away + 1 if cell.last else cell.v - away - 1 - w
        return Rect(x, cell.u - 10.5, x + w, cell.u - 1.5)
    y = cell.v + away if cell.last else cell.v - away - 8
    return Rect(cell.u - 4 - w, y, cell.u - 4, y + 8)


def _drawn(root: _Cell, context: DrawingContext) -> Layout:
    cells = root.walk()
    boxes = [_box_room(cell, context) for cell in cells]
    labels = [room for room in (_label_room(cell, context) for cell in cells) if room is not None]
    x0, y0 = (min(getattr(r, side) for r in boxes + labels) for side in ("x0", "y0"))
    x1, y1 = (max(getattr(r, side) for r in boxes + labels) for side in ("x1", "y1"))
    links: list[Mark] = []
    written: list[Mark] = []
    for cell in cells:
        for child in cell.children:
            links.append(_link(cell, child, context))
            written.append(_label(child, context))
        x, y = _corner(cell, context)
        written.extend(mark.moved(x, y) for mark in cell.content.marks)

    def shifted(room: Rect) -> Rect:
        return Rect(room.x0 - x0, room.y0 - y0, room.x1 - x0, room.y1 - y0)

    return Layout(
        marks=[mark.moved(-x0, -y0) for mark in links + written],
        boxes=[shifted(room) for room in boxes],
        labels=[shifted(room) for room in labels],
        width=x1 - x0,
        height=y1 - y0,
    )


def _label(cell: _Cell, context: DrawingContext) -> Words:
    room = _label_room(cell, context)
    assert room is not None
    anchor: Anchor = "left" if context.down and cell.last else "right"
    x = room.x0 if anchor == "left" else room.x1
    return Words(x, room.y1 - 1.8, cell.label, context.theme.soft, SMALL, anchor=anchor)


def _link(parent: _Cell, child: _Cell, context: DrawingContext) -> Shape:
    corner = _corner(parent, context)
    start = corner[1] + parent.content.bottom if context.down else corner[0] + parent.content.right
    end = child.u + (child.content.top if context.down else 0)
    if _is_bracket(parent):
        path = _bracket_path(start, parent.v, parent.lane + _SPINE, end, child.v)
    else:
        path = _split_path(start, parent.v, parent.lane, end, child.v)
    if context.down:
        path = Path(np.asarray(path.vertices)[:, ::-1], path.codes)
    color = context.theme.ink if _is_bracket(parent) else context.theme.line
    dash = DASHED if child.box.node.side == 2 else None
    return Shape(path, stroke=color, width=child.link_width, dash=dash)


def _split_path(u0: float, v0: float, lane: float, u1: float, v1: float) -> Path:
    middle = (lane + u1) / 2
    points = [(u0, v0), (lane, v0), (middle, v0), (middle, v1), (u1, v1)]
    return Path(points, [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])


def _bracket_path(u0: float, v0: float, spine: float, u1: float, v1: float) -> Path:
    """Return a path with square corners, which distinguish a bracket from a split."""
    return polyline([(u0, v0), (spine, v0), (spine, v1), (u1, v1)])
