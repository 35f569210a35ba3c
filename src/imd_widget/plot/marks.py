"""The marks of a picture: text and outlines, in points, the y axis pointing down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from matplotlib.path import Path

from imd_widget.plot.text import SMALL, TEXT

Anchor = Literal["left", "center", "right"]
Dash = tuple[float, ...]

#: Line styles of model 2 and of an or-node's circle.
DASHED: Dash = (3.2, 2.2)
DOTTED: Dash = (0.01, 2.9)


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its base line."""

    x: float
    y: float
    text: str
    color: str
    size: float = TEXT
    bold: bool = False
    anchor: Anchor = "left"
    #: Whether it is read from below to above.
    upright: bool = False

    def moved(self, x: float, y: float, scale: float = 1) -> Words:
        """Return a copy that is scaled, then translated by (x, y)."""
        return replace(self, x=x + scale * self.x, y=y + scale * self.y, size=scale * self.size)


@dataclass(frozen=True)
class Shape:
    """A path that is filled, stroked, or both."""

    path: Path
    fill: str | None = None
    stroke: str | None = None
    width: float = 0.8
    dash: Dash | None = None

    def moved(self, x: float, y: float, scale: float = 1) -> Shape:
        """Return a copy that is scaled, then translated by (x, y)."""
        path = Path(np.asarray(self.path.vertices) * scale + (x, y), self.path.codes)
        dash = None if self.dash is None else tuple(scale * part for part in self.dash)
        return replace(self, path=path, width=scale * self.width, dash=dash)


Mark = Words | Shape


@dataclass
class Sheet:
    """A list of marks to which more can be added."""

    marks: list[Mark] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        *,
        bold: bool = False,
        anchor: Anchor = "left",
    ) -> None:
        """Add a line of text of size `TEXT`."""
        self.marks.append(Words(x, y, text, color, TEXT, bold, anchor))

    def small(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        *,
        bold: bool = False,
        anchor: Anchor = "left",
    ) -> None:
        """Add a line of text of size `SMALL`."""
        self.marks.append(Words(x, y, text, color, SMALL, bold, anchor))

    def draw(self, path: Path, **look: object) -> None:
        """Add a shape."""
        self.marks.append(Shape(path, **look))  # type: ignore[arg-type]

    def put(self, marks: Iterable[Mark], x: float, y: float, scale: float = 1) -> None:
        """Add marks, scaled and then translated by (x, y)."""
        self.marks.extend(mark.moved(x, y, scale) for mark in marks)


_LINE, _CURVE = Path.LINETO, Path.CURVE3


def polyline(points: Sequence[tuple[float, float]]) -> Path:
    """Return straight lines through points."""
    return Path(np.array(points), [Path.MOVETO] + [_LINE] * (len(points) - 1))


def rounded(x: float, y: float, w: float, h: float, r: float, corners: str = "all") -> Path:
    """Return a rectangle with round corners: all four, or only those of its top or bottom."""
    r = min(r, w / 2, h / 2)
    top = r if corners in ("all", "top") else 0.0
    bottom = r if corners in ("all", "bottom") else 0.0
    x1, y1 = x + w, y + h
    points = [(x + top, y), (x1 - top, y), (x1, y), (x1, y + top), (x1, y1 - bottom), (x1, y1)]
    points += [(x1 - bottom, y1), (x + bottom, y1), (x, y1), (x, y1 - bottom), (x, y + top), (x, y)]
    points += [(x + top, y), (x + top, y)]
    turn = [_CURVE, _CURVE]
    codes = [Path.MOVETO, _LINE, *turn, _LINE, *turn, _LINE, *turn, _LINE, *turn, Path.CLOSEPOLY]
    return Path(np.array(points), codes)


def circle(x: float, y: float, r: float) -> Path:
    """Return a circle around a point."""
    unit = Path.unit_circle()
    return Path(np.asarray(unit.vertices) * r + (x, y), unit.codes)


def stripes(x: float, y: float, w: float, h: float, every: float = 3.6, thick: float = 2.0) -> Path:
    """Return slanting stripes in a rectangle.

    matplotlib's hatch is no alternative: it keeps its size when a picture is scaled.
    """
    corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    parts = []
    start = x + y - every / 2
    for n in range(int((w + h) / every) + 2):
        low = start + n * every
        part = _clip(_clip(corners, low, 1), low + thick, -1)
        if len(part) > 2:
            parts.append(Path([*part, part[0]], closed=True))
    return Path.make_compound_path(*parts)


def _clip(corners: list[tuple[float, float]], c: float, sign: int) -> list[tuple[float, float]]:
    """Return the part of a polygon where sign * (x + y - c) >= 0."""
    kept = []
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        here, there = sign * (x0 + y0 - c), sign * (x1 + y1 - c)
        if here >= 0:
            kept.append((x0, y0))
        if (here > 0 > there) or (here < 0 < there):
            part = here / (here - there)
            kept.append((x0 + part * (x1 - x0), y0 + part * (y1 - y0)))
    return kept
