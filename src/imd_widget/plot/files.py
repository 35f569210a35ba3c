"""Writes figures as files; equal figures give equal bytes."""

from __future__ import annotations

import io
import re
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from imd_widget.plot.rc_lock import serialised
from imd_widget.plot.text import SURE, quiet

#: rcParams of saved figures, which replace those of the user.
_PLAIN: dict[Any, Any] = {
    "savefig.bbox": None,
    "savefig.facecolor": "auto",
    "savefig.edgecolor": "auto",
    "savefig.transparent": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "imd",
    # the text of the PDF can be searched, and publishers accept the font type
    "pdf.fonttype": 3,
    # glyphs keep their measured positions
    "text.hinting": "no_hinting",
}
#: Matches tags only: matplotlib escapes angle brackets in text.
_TAG = re.compile(r"<(?:!--.*?--|[^<>]*)>", re.DOTALL)
_NUMBER = re.compile(r"-?\d+\.\d+")


def as_svg(figure: Figure) -> str:
    """Return the figure as SVG; its text stays text."""
    return _shorter(_saved(figure, "svg", {"Date": None, "Creator": None}).decode("utf-8"))


def as_png(figure: Figure, dpi: int = 144) -> bytes:
    """Return the figure as PNG."""
    return _saved(figure, "png", {"Software": None}, dpi=dpi)


def as_pdf(figure: Figure) -> bytes:
    """Return the figure as PDF with embedded fonts."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


@serialised
def _saved(figure: Figure, form: str, metadata: dict[str, None], **options: Any) -> bytes:
    file = io.BytesIO()
    with rc_context(_PLAIN), quiet():
        figure.savefig(file, format=form, metadata=metadata, **options)
    return file.getvalue()


def _shorter(svg: str) -> str:
    """Return the SVG at about half its length: hundredths of a point, and no ids of groups."""
    for needless in (r"<!DOCTYPE[^<>]*>\s*", r"<metadata>.*?</metadata>\s*"):
        svg = re.sub(needless, "", svg, count=1, flags=re.DOTALL)
    groups = re.findall(r"<g\b[^<>]*>", svg)
    bare = all(re.fullmatch(r'<g id="[^"]*">', group) for group in groups)

    def short(match: re.Match[str]) -> str:
        tag = match.group()
        if tag.startswith("<!--") or (bare and tag.startswith(("<g ", "</g>"))):
            return ""
        if tag.startswith("<path"):
            tag = re.sub(r"\s+", " ", tag)
        elif tag.startswith("<text"):
            tag = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", tag)
            # fallbacks if the reader lacks the font: Verdana is as wide, others are narrower
            tag = tag.replace(f"'{SURE}'", f"'{SURE}', Verdana, sans-serif")
        return _NUMBER.sub(_hundredths, tag) if tag.startswith(("<path", "<text")) else tag

    return re.sub(r"\s*\n\s*", "\n", _TAG.sub(short, svg))


def _hundredths(match: re.Match[str]) -> str:
    return f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
