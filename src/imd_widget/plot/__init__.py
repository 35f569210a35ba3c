"""The joint tree as a matplotlib picture: for papers and slides, and for saved notebooks.

Reads the plain view and nothing else of a diff. ``visible`` decides which boxes there are,
``content`` what each of them says, ``layout`` where they go, ``painter`` puts them on the axes.
"""

from __future__ import annotations

from imd_widget.plot.files import as_pdf, as_png, as_svg
from imd_widget.plot.report import draw_report
from imd_widget.plot.tree_figure import draw_tree, tree_figure

__all__ = ["as_pdf", "as_png", "as_svg", "draw_report", "draw_tree", "tree_figure"]
