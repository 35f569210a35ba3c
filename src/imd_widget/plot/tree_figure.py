"""`draw_tree`: the joint tree with its legend, in a figure of its own or in axes that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from imd_widget._base.errors import InputError, warn
from imd_widget.plot.colors import LIGHT, theme_on
from imd_widget.plot.context import Pen
from imd_widget.plot.layout import Layout, lay_out
from imd_widget.plot.legend import legend_of
from imd_widget.plot.marks import Mark, Sheet
from imd_widget.plot.painter import EXACT, paint
from imd_widget.plot.rc_lock import alone
from imd_widget.plot.text import SMALL, Font
from imd_widget.plot.visible import Box, visible_tree
from imd_widget.views.schema import DiffView

ORIENTATIONS = ("right", "down")
MARGIN = 5.0
_ABOVE_LEGEND = 12.0
#: A legend may be this long before it breaks its lines, however narrow the tree.
_LEAST_WIDTH = 300.0
#: Text below this many points is not read.
_SMALLEST_TEXT = 5.0
#: Inches of a figure beyond which no bitmap of it could be made.
_LARGEST_FIGURE = 400.0


@dataclass(frozen=True)
class Picture:
    """A tree with its legend, in points."""

    marks: list[Mark]
    width: float
    height: float
    layout: Layout


def picture_of(root: Box, pen: Pen, scale: float = 1, least: float = _LEAST_WIDTH) -> Picture:
    """The tree below a box, scaled, and its legend, not scaled, below it.

    ``least`` is how long the legend may be at least, however narrow the tree.
    """
    tree = lay_out(root, pen)
    w, h = scale * tree.width, scale * tree.height
    legend = legend_of(root, pen, max(w, least))
    width = max(w, legend.width)
    sheet = Sheet()
    sheet.put(tree.marks, MARGIN + ((width - w) / 2 if pen.down else 0), MARGIN, scale)
    below = MARGIN + h + _ABOVE_LEGEND
    sheet.put(legend.marks, MARGIN + ((width - legend.width) / 2 if pen.down else 0), below)
    return Picture(sheet.marks, width + 2 * MARGIN, below + legend.height + MARGIN, tree)


@alone
def draw_tree(
    view: DiffView,
    ax: Axes | None = None,
    *,
    differences_only: bool = True,
    orientation: str = "right",
) -> Axes:
    """The joint tree of a view, drawn with matplotlib.

    Parameters
    ----------
    view : DiffView
        What `imd_widget.views.build.view_of` makes of a diff.
    ax : Axes, optional
        Where to draw: the tree is scaled to fit, its text with it. None: a new figure, as large as
        the tree needs it with text of 8 to 9 points.
    differences_only : bool, default=True
        Whether parts in which the models agree are folded, and regions that are one rule as a
        whole are not taken apart.
    orientation : {"right", "down"}, default="right"
        Where the tree grows to.

    Returns
    -------
    Axes
        The axes drawn into.
    """
    down = _is_down(orientation)
    if ax is not None:
        _check_axes(ax)
    background = rcParams["figure.facecolor"] if ax is None else ax.figure.get_facecolor()
    pen = Pen(view, down, Font.wanted(), theme_on(background))
    picture = picture_of(visible_tree(view, differences_only), pen)
    if ax is None:
        ax = _own_axes(picture)
    scale = paint(ax, picture.marks, picture.width, picture.height, pen.font)
    if scale * SMALL < _SMALLEST_TEXT:
        _warn_of_small_text(picture, scale, differences_only)
    return ax


@alone
def tree_figure(
    view: DiffView, *, differences_only: bool = True, orientation: str = "right"
) -> Figure:
    """The joint tree in a figure that pyplot does not know, the same on every machine: for files.

    See `draw_tree` for the parameters.
    """
    pen = Pen(view, _is_down(orientation), Font.sure(), LIGHT)
    picture = picture_of(visible_tree(view, differences_only), pen)
    return figure_of(picture.marks, picture.width, picture.height, pen.font)


def figure_of(marks: Sequence[Mark], width: float, height: float, font: Font) -> Figure:
    """A white figure of this size in points, filled with marks."""
    with rc_context(EXACT):
        figure = Figure(_inches(width, height), dpi=100, facecolor="white", edgecolor="none")
    # one that the rcParams ask for would add margins
    figure.set_layout_engine("none")
    paint(figure.add_axes((0, 0, 1, 1)), marks, width, height, font)
    return figure


def _inches(width: float, height: float) -> tuple[float, float]:
    return min(_LARGEST_FIGURE, width / 72), min(_LARGEST_FIGURE, height / 72)


def _is_down(orientation: str) -> bool:
    if orientation not in ORIENTATIONS:
        raise InputError(
            f'orientation={orientation!r}: a tree grows to the "right" or "down"; choose one.'
        )
    return orientation == "down"


def _check_axes(ax: object) -> None:
    if not isinstance(ax, Axes):
        raise InputError(
            f"ax is a {type(ax).__name__}: one matplotlib Axes is accepted, or None for a figure "
            "of its own. Of the array that plt.subplots(1, 2) gives, take one: axes[0]."
        )
    if ax.name != "rectilinear":
        raise InputError(
            f"ax has a {ax.name} projection: a tree needs plain axes, as plt.subplots() makes them."
        )


def _own_axes(picture: Picture) -> Axes:
    """Of a new figure that pyplot knows, so that a notebook shows it as any other."""
    from matplotlib import pyplot

    with rc_context(EXACT):
        figure = pyplot.figure(figsize=_inches(picture.width, picture.height))
    figure.set_layout_engine("none")
    return figure.add_axes((0, 0, 1, 1))


def _warn_of_small_text(picture: Picture, scale: float, differences_only: bool) -> None:
    less = "d.change(max_depth=...) makes a smaller tree"
    if not differences_only:
        less = f"differences_only=True folds what agrees, {less}"
    inches = f"{picture.width / 72:.1f} x {picture.height / 72:.1f} inches"
    warn(
        f"In these axes the text of the tree has {scale * SMALL:.1f} points, too small to read. "
        f"Give it up to {inches}, as a figure of its own has (ax=None); or {less}."
    )
