"""`draw_tree`: a tree with its legend, in a new figure or in given axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from matplotlib import rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from imd_widget._base.errors import InputError, warn
from imd_widget.plot.colors import LIGHT, theme_on
from imd_widget.plot.context import DrawingContext
from imd_widget.plot.flow import LONGEST, Block, Run, paragraphs
from imd_widget.plot.headline import headline_block
from imd_widget.plot.layout import Layout, lay_out
from imd_widget.plot.legend import legend_of
from imd_widget.plot.marks import Mark, Sheet
from imd_widget.plot.painter import EXACT, paint
from imd_widget.plot.rc_lock import serialised
from imd_widget.plot.text import SMALL, Font, harmless
from imd_widget.plot.visible import Box, visible_tree, whole_tree
from imd_widget.views.schema import DiffView, OneTreeView

ORIENTATIONS = ("right", "down")
MARGIN = 5.0
_ABOVE_LEGEND = 12.0
#: Least width at which the legend breaks its lines, however narrow the tree.
_LEAST_WIDTH = 300.0
#: The same if a headline stands above the tree.
_LEAST_HEADLINE = 440.0
#: Smallest readable text, in points.
_SMALLEST_TEXT = 5.0
#: Largest side of a figure, in inches: matplotlib limits the size of bitmaps.
_LARGEST_FIGURE = 400.0


@dataclass(frozen=True)
class Picture:
    """A tree with its legend, in points."""

    marks: list[Mark]
    width: float
    height: float
    layout: Layout


def picture_of(
    root: Box,
    context: DrawingContext,
    scale: float = 1,
    least: float = _LEAST_WIDTH,
    headline: bool = False,
) -> Picture:
    """Return the tree below a box, scaled, with its legend, not scaled, below it.

    The title of one tree stands above it; the headline of a diff only with ``headline``. The lines
    of the legend and of the title may be ``least`` points long, however narrow the tree.
    """
    tree = lay_out(root, context)
    w, h = scale * tree.width, scale * tree.height
    room = max(w, least, _LEAST_HEADLINE if headline and not context.alone else 0)
    legend = legend_of(root, context, room)
    title = _title(context, room, headline)
    width = max(w, legend.width, room if title.marks else 0)
    top = MARGIN + title.height
    sheet = Sheet()
    sheet.put(title.marks, MARGIN, MARGIN)
    sheet.put(tree.marks, MARGIN + ((width - w) / 2 if context.down else 0), top, scale)
    below = top + h + _ABOVE_LEGEND
    sheet.put(legend.marks, MARGIN + ((width - legend.width) / 2 if context.down else 0), below)
    return Picture(sheet.marks, width + 2 * MARGIN, below + legend.height + MARGIN, tree)


def _title(context: DrawingContext, room: float, headline: bool) -> Block:
    """Return the title and the sentences of one tree, or the headline of a diff if it is wanted."""
    if not context.alone:
        return headline_block(context, room) if headline else Block([], 0.0)
    tree, theme = cast(OneTreeView, context.view), context.theme
    tone = theme.amber if tree.careful else theme.soft
    runs = (
        Run(harmless(tree.title, LONGEST), theme.ink, bold=True),
        Run(harmless(" ".join(tree.sentences), LONGEST), tone),
    )
    return paragraphs(runs, context, room)


@serialised
def draw_tree(
    view: DiffView | OneTreeView,
    ax: Axes | None = None,
    *,
    differences_only: bool = True,
    orientation: str = "right",
    headline: bool = True,
) -> Axes:
    """Draw the joint tree of a diff, or one tree, with matplotlib.

    Parameters
    ----------
    view : DiffView or OneTreeView
        From `imd_widget.views.build.view_of` or `imd_widget.views.one_tree.one_tree_view`.
    ax : Axes, optional
        The axes to draw into; the tree and its text are scaled to fit. None: a new figure, as large
        as the tree needs with text of 8 to 9 points.
    differences_only : bool, default=True
        Whether subtrees without a rule are folded, and subtrees that are one rule as a whole too.
        One tree is always drawn whole.
    orientation : {"right", "down"}, default="right"
        The direction in which the tree grows.
    headline : bool, default=True
        Whether the headline of a diff and its bar of all rows stand above the tree. One tree always
        has its title.

    Returns
    -------
    Axes
        The axes drawn into.
    """
    down = _is_down(orientation)
    if ax is not None:
        check_axes(ax)
    background = rcParams["figure.facecolor"] if ax is None else ax.figure.get_facecolor()
    context = DrawingContext(view, down, Font.wanted(), theme_on(background))
    picture = picture_of(_root(context, differences_only), context, headline=headline)
    if ax is None:
        ax = new_axes(picture.width, picture.height)
    scale = paint(ax, picture.marks, picture.width, picture.height, context.font)
    if scale * SMALL < _SMALLEST_TEXT:
        _warn_of_small_text(picture, scale, context.alone, differences_only)
    return ax


def _root(context: DrawingContext, differences_only: bool) -> Box:
    if context.alone:
        return whole_tree(cast(OneTreeView, context.view))
    return visible_tree(context.joint, differences_only)


@serialised
def tree_figure(
    view: DiffView | OneTreeView,
    *,
    differences_only: bool = True,
    orientation: str = "right",
    headline: bool = True,
) -> Figure:
    """Return a tree in a figure that pyplot does not manage; for files.

    The font is the same on every machine.

    See `draw_tree` for the parameters.
    """
    context = DrawingContext(view, _is_down(orientation), Font.sure(), LIGHT)
    picture = picture_of(_root(context, differences_only), context, headline=headline)
    return figure_of(picture.marks, picture.width, picture.height, context.font)


def figure_of(marks: Sequence[Mark], width: float, height: float, font: Font) -> Figure:
    """Return a white figure of this size in points with the marks."""
    with rc_context(EXACT):
        figure = Figure(_inches(width, height), dpi=100, facecolor="white", edgecolor="none")
    # a layout engine from the rcParams would add margins
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


def check_axes(ax: object) -> None:
    """Raise an error unless ``ax`` is plain axes of matplotlib."""
    if not isinstance(ax, Axes):
        raise InputError(
            f"ax is a {type(ax).__name__}: pass one matplotlib Axes, or None for a new figure. "
            "From the array that plt.subplots(1, 2) returns, pass one element: axes[0]."
        )
    if ax.name != "rectilinear":
        raise InputError(
            f"ax has a {ax.name} projection: plain axes are needed, as plt.subplots() makes them."
        )


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new pyplot figure, which a notebook displays as any other."""
    from matplotlib import pyplot

    with rc_context(EXACT):
        figure = pyplot.figure(figsize=_inches(width, height))
    figure.set_layout_engine("none")
    return figure.add_axes((0, 0, 1, 1))


def _warn_of_small_text(
    picture: Picture, scale: float, alone: bool, differences_only: bool
) -> None:
    less = "" if alone else "; or d.change(max_depth=...) makes a smaller tree"
    if not (alone or differences_only):
        less = less.replace("or ", "or differences_only=True folds what agrees, ", 1)
    inches = f"{picture.width / 72:.1f} x {picture.height / 72:.1f} inches"
    warn(
        f"In these axes the text of the tree has {scale * SMALL:.1f} points, too small to read. "
        f"Give it up to {inches}, as a figure of its own has (ax=None){less}."
    )
