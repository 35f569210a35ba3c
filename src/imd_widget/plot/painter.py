"""Adds marks to matplotlib's axes, scaled to the size of the axes when these are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patches import PathPatch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from imd_widget.plot.marks import Dash, Mark, Words
from imd_widget.plot.text import Font, quiet

#: rcParams that disable sketches and path effects, and keep the length of dashes.
EXACT: dict[Any, Any] = {"lines.scale_dashes": False, "path.sketch": None, "path.effects": []}


#: Largest scale of a picture, in axes that are larger than it needs.
LARGEST_SCALE = 2.0


class _Line(Text):
    """A text without warnings about glyphs that no font has."""

    def draw(self, renderer: RendererBase) -> None:
        with quiet():
            super().draw(renderer)

    def get_window_extent(
        self, renderer: RendererBase | None = None, dpi: float | None = None
    ) -> Bbox:
        with quiet():
            return super().get_window_extent(renderer, dpi)


class _Fit(Artist):
    """An artist that is drawn before all marks and rescales text and lines to the axes.

    A figure may be resized, or laid out again, after the tree was added to it. matplotlib then
    rescales the geometry, but not the size of text and the width of lines.
    """

    def __init__(self, ax: Axes, parts: list[tuple[Mark, Any]]) -> None:
        super().__init__()
        self.set_zorder(-1000)
        self.set_in_layout(False)
        self._ax, self._parts = ax, parts
        self._scale = 1.0
        self.fit()

    def draw(self, renderer: RendererBase) -> None:  # noqa: ARG002
        self.fit()

    def fit(self) -> None:
        scale = scale_of(self._ax)
        if abs(scale - self._scale) < 1e-6:
            return
        self._scale = scale
        with rc_context(EXACT):
            for mark, part in self._parts:
                if isinstance(mark, Words):
                    part.set_fontsize(scale * mark.size)
                elif mark.stroke is not None:
                    part.set_linewidth(scale * mark.width)
                    part.set_linestyle(_style(mark.dash, scale))


def scale_of(ax: Axes) -> float:
    """Return the points on paper of one point of the picture."""
    left, right = ax.get_xlim()
    return float(ax.bbox.width / ax.figure.dpi * 72 / (right - left))


def paint(ax: Axes, marks: Sequence[Mark], width: float, height: float, font: Font) -> float:
    """Fit a picture of this size in points into the axes and return its scale."""
    room_x, room_y = _room(ax)
    # the picture is centred in axes that are too large in both directions
    more_x = max(0.0, room_x / LARGEST_SCALE - width) / 2
    more_y = max(0.0, room_y / LARGEST_SCALE - height) / 2
    if not (more_x and more_y):
        more_x = more_y = 0.0
    ax.set_axis_off()
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.set_xlim(-more_x, width + more_x)
    ax.set_ylim(height + more_y, -more_y)
    ax.set_aspect("equal", adjustable="box")
    ax.apply_aspect()
    with rc_context(EXACT):
        parts = [(mark, _artist(mark, font)) for mark in marks]
    for _, part in parts:
        ax.add_artist(part)
    ax.add_artist(_Fit(ax, parts))
    return scale_of(ax)


def _room(ax: Axes) -> tuple[float, float]:
    """Return the width and height that the axes were given, in points."""
    position = ax.get_position(original=True).transformed(ax.figure.transSubfigure)
    return position.width / ax.figure.dpi * 72, position.height / ax.figure.dpi * 72


def _artist(mark: Mark, font: Font) -> Text | PathPatch:
    if isinstance(mark, Words):
        return _Line(
            mark.x,
            mark.y,
            mark.text,
            color=mark.color,
            fontproperties=font.properties(mark.size, mark.bold),
            horizontalalignment=mark.anchor,
            verticalalignment="baseline",
            rotation=90 if mark.upright else 0,
            rotation_mode="anchor",
            parse_math=False,
            usetex=False,
            clip_on=False,
        )
    stroked = mark.stroke is not None
    return PathPatch(
        mark.path,
        facecolor="none" if mark.fill is None else mark.fill,
        edgecolor=mark.stroke if stroked else "none",
        linewidth=mark.width if stroked else 0,
        linestyle=_style(mark.dash, 1),
        capstyle="round" if mark.dash is not None and mark.dash[0] < 0.1 else "butt",
        joinstyle="round",
        clip_on=False,
    )


def _style(dash: Dash | None, scale: float) -> Any:
    return "solid" if dash is None else (0, tuple(scale * part for part in dash))
