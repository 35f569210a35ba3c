"""Draws diffs, comparisons and trees; everything else in this package reads their views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.track import Track
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.plot import draw_matrix, draw_tree, matrix_figure, tree_figure
from imd_widget.plot.track import draw_track, track_figure
from imd_widget.rules.tree_record import PlottableTree
from imd_widget.views.build import view_of
from imd_widget.views.comparison import comparison_view
from imd_widget.views.one_tree import one_tree_view
from imd_widget.views.track import track_view

#: The function that makes a view, and those that draw it into axes and as a figure.
Drawers = tuple[Callable[[Any], Any], Callable[..., Any], Callable[..., Figure]]

DRAWERS: dict[type, Drawers] = {
    ModelDiff: (view_of, draw_tree, tree_figure),
    ModelComparison: (comparison_view, draw_matrix, matrix_figure),
    Track: (track_view, draw_track, track_figure),
    PlottableTree: (lambda tree: one_tree_view(tree.to_record()), draw_tree, tree_figure),
}


def plot(
    thing: ModelDiff | ModelComparison | PlottableTree | Track, ax: Any = None, **options: Any
) -> Any:
    """Draw the tree of a diff, the matrix of a comparison, one tree, or a track; return the axes.

    ``options`` are those of `draw_tree` or `draw_matrix`; a track has axes for each region.
    """
    view, draw, _ = _drawers(thing)
    return draw(view(thing), ax, **options)


def figure(thing: ModelDiff | ModelComparison | PlottableTree | Track) -> Figure:
    """Return the same drawing in a figure that pyplot does not manage; for files."""
    view, _, draw = _drawers(thing)
    return draw(view(thing))


def _drawers(thing: object) -> Drawers:
    return next(drawers for kind, drawers in DRAWERS.items() if isinstance(thing, kind))
