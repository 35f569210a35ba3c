"""Figures as files: the same figure gives the same bytes."""

from __future__ import annotations

import io
import re
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from imd_widget.plot.rc_lock import alone
from imd_widget.plot.text import SURE, quiet

#: What the user's rcParams say of saved figures does not hold here.
_PLAIN: dict[Any, Any] = {
    "savefig.bbox": None,
    "savefig.facecolor": "auto",
    "savefig.edgecolor": "auto",
    "savefig.transparent": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "imd",
    # letters of a PDF can be searched for, and publishers take them
    "pdf.fonttype": 3,
    # letters stay where they were measured
    "text.hinting": "no_hinting",
}
#: Since what is written in a picture has its angle brackets escaped, this finds tags only.
_TAG = re.compile(r"<(?:!--.*?--|[^<>]*)>", re.DOTALL)
_NUMBER = re.compile(r"-?\d+\.\d+")


def as_svg(figure: Figure) -> str:
    """The figure as SVG; its text stays text."""
    return _shorter(_saved(figure, "svg", {"Date": None, "Creator": None}).decode("utf-8"))


def as_png(figure: Figure, dpi: int = 144) -> bytes:
    """The figure as PNG."""
    return _saved(figure, "png", {"Software": None}, dpi=dpi)


def as_pdf(figure: Figure) -> bytes:
    """The figure as PDF, its fonts inside."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


@alone
def _saved(figure: Figure, form: str, metadata: dict[str, None], **options: Any) -> bytes:
    file = io.BytesIO()
    with rc_context(_PLAIN), quiet():
        figure.savefig(file, format=form, metadata=metadata, **options)
    return file.getvalue()


def _shorter(svg: str) -> str:
    """Half as long: hundredths of a point are enough, and nobody asks for the names of groups."""
    for needless in (r"<!DOCTYPE[^<>]*>\s*", r"<metadata>.*?</metadata>\s*"):
        svg = re.sub(needless, "", svg, count=1, flags=re.DOTALL)
    groups = re.findall(r"<g\b[^<>]*>", svg)
    bare = all(re.fullmatch(r'<g id="[^"]*">', group) for group in groups)

    def short(found: re.Match[str]) -> str:
        tag = found.group()
        if tag.startswith("<!--") or (bare and tag.startswith(("<g ", "</g>"))):
            return ""
        if tag.startswith("<path"):
            tag = re.sub(r"\s+", " ", tag)
        elif tag.startswith("<text"):
            tag = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", tag)
            # where it is read the font may be missing: this one is as wide, others are narrower
            tag = tag.replace(f"'{SURE}'", f"'{SURE}', Verdana, sans-serif")
        return _NUMBER.sub(_hundredths, tag) if tag.startswith(("<path", "<text")) else tag

    return re.sub(r"\s*\n\s*", "\n", _TAG.sub(short, svg))


def _hundredths(found: re.Match[str]) -> str:
    return f"{float(found.group()):.2f}".rstrip("0").rstrip(".")
