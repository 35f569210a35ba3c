"""The matrix of a comparison as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget.many.model_comparison import ModelComparison
from imd_widget.views.comparison import comparison_view

# matplotlib is imported when a picture is written: its import takes longer than all others


def svg(comparison: ModelComparison, *, pairs: Sequence[tuple[int, int]]) -> str:
    """Return the matrix as SVG, its text as text."""
    from imd_widget.plot import as_svg, matrix_figure

    del pairs
    return as_svg(matrix_figure(comparison_view(comparison)))


def png(comparison: ModelComparison, *, pairs: Sequence[tuple[int, int]]) -> bytes:
    """Return the matrix as PNG at 200 dots per inch."""
    from imd_widget.plot import as_png, matrix_figure

    del pairs
    return as_png(matrix_figure(comparison_view(comparison)), dpi=200)
