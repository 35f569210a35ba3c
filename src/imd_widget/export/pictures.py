"""The joint tree of a diff as a picture."""

from __future__ import annotations

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.base import Format
from imd_widget.views.build import view_of

# matplotlib is imported when a picture is written: its import takes longer than all others


def svg(diff: ModelDiff) -> str:
    """Return the tree as SVG, its text as text."""
    from imd_widget.plot import as_svg, tree_figure

    return as_svg(tree_figure(view_of(diff)))


def png(diff: ModelDiff) -> bytes:
    """Return the tree as PNG at 200 dots per inch."""
    from imd_widget.plot import as_png, tree_figure

    return as_png(tree_figure(view_of(diff)), dpi=200)


SVG = Format(".svg", "the tree, for papers", svg, is_drawn=True)
PNG = Format(".png", "the tree, for slides", png, binary=True, is_drawn=True)
