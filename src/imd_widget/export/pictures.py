"""A diff, a comparison or a tree as a picture."""

from __future__ import annotations

from typing import Any

# matplotlib is imported when a picture is written: its import takes longer than all others


def svg(thing: Any, **_: Any) -> str:
    """Return the picture as SVG, its text as text."""
    from imd_widget.plot import as_svg
    from imd_widget.plot.results import figure

    return as_svg(figure(thing))


def png(thing: Any, **_: Any) -> bytes:
    """Return the picture as PNG at 200 dots per inch."""
    from imd_widget.plot import as_png
    from imd_widget.plot.results import figure

    return as_png(figure(thing), dpi=200)
