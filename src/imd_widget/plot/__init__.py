"""Trees and matrices as matplotlib figures: for papers and slides, and for saved notebooks.

The package reads views: of a diff for its joint tree, of a comparison for its matrix, of one tree.
Only ``results`` reads diffs, comparisons and trees themselves, to make their views. ``visible``
selects the boxes, ``content`` draws each of them, ``layout`` positions them, ``painter`` adds them
to the axes.
"""

from __future__ import annotations

from imd_widget._base.optional import importing

with importing("drawing"):
    from imd_widget.plot.files import as_pdf, as_png, as_svg
    from imd_widget.plot.matrix_figure import draw_matrix, matrix_figure
    from imd_widget.plot.report import draw_report
    from imd_widget.plot.tree_figure import draw_tree, tree_figure

__all__ = [
    "as_pdf",
    "as_png",
    "as_svg",
    "draw_matrix",
    "draw_report",
    "draw_tree",
    "matrix_figure",
    "tree_figure",
]
