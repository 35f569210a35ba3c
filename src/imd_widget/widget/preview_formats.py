"""The static preview of a widget, in each format that readers of a notebook use.

GitHub, nbviewer, nbconvert and a notebook without its kernel show the preview; a running widget
hides it (js/host/hidePreview.ts finds it by `MARK`).
"""

from __future__ import annotations

import base64
import html
import io
import os
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputWarning
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.rules.languages import numbered
from imd_widget.views.build import view_of
from imd_widget.views.comparison import comparison_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Rules that are listed beside the picture.
MOST_RULES = 5
#: Most characters of a line of the alternative text.
_LONGEST_LINE = 2000
#: Id of the root element of the SVG, by which the front-end recognises the picture.
MARK = "imd-widget-picture"

#: Environment variables of notebooks that isolate each output, so that the widget cannot hide the
#: picture after it.
_ISOLATING = ("VSCODE_PID", "DATABRICKS_RUNTIME_VERSION", "KAGGLE_KERNEL_RUN_TYPE")


def diff_preview(diff: ModelDiff) -> dict[str, Any]:
    """Return a picture of the diff by MIME type."""

    def draw() -> Figure:
        from imd_widget.plot import draw_report

        return draw_report(view_of(diff), max_rules=MOST_RULES)

    return forms_of(text_of(diff), draw)


def matrix_preview(comparison: ModelComparison) -> dict[str, Any]:
    """Return a picture of the matrix of a comparison by MIME type."""

    def draw() -> Figure:
        from imd_widget.plot import matrix_figure

        return matrix_figure(comparison_view(comparison))

    return forms_of(matrix_text(comparison), draw)


def forms_of(text: str, draw: Callable[[], Figure]) -> dict[str, Any]:
    """Return a text and a picture by MIME type; the text alone, with a warning, if drawing fails.

    SVG for the browser, PNG for a notebook that is not trusted, PDF for LaTeX, text for the rest.
    """
    forms: dict[str, Any] = {"text/plain": text}
    try:
        from imd_widget.plot import as_pdf, as_png, as_svg

        figure = draw()
        forms |= {
            "image/svg+xml": _marked(as_svg(figure), text),
            "image/png": base64.b64encode(_smaller(as_png(figure, dpi=100))).decode("ascii"),
            "application/pdf": base64.b64encode(as_pdf(figure)).decode("ascii"),
        }
    except Exception as error:  # a failed picture must not keep the widget from being shown
        warnings.warn(
            f"could not draw the static preview for saved notebooks ({error!r}); the widget itself "
            "works. picture=False skips the preview.",
            InputWarning,
            stacklevel=3,
        )
    return forms


def matrix_text(comparison: ModelComparison) -> str:
    """Return the summary of a comparison as text that UTF-8 can encode."""
    return encodable_text(comparison.summary())


def text_of(diff: ModelDiff) -> str:
    """Return the headline and the first `MOST_RULES` rules as text that UTF-8 can encode."""
    rules = numbered(enumerate(diff.rules[:MOST_RULES]), diff.names)
    more = len(diff.rules) - len(rules)
    if more > 0:
        rules.append(f"     and {more:,} more {'rule' if more == 1 else 'rules'}")
    return encodable_text("\n".join([diff.summary(), *rules]))


def can_be_hidden() -> bool:
    """Return whether a widget can hide the output after it: False if outputs are isolated."""
    if any(name in os.environ for name in _ISOLATING) or "google.colab" in sys.modules:
        return False
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return shell is None or "__vsc_ipynb_file__" not in shell.user_ns


#: Functions that return whether this code runs in a host that keeps no outputs in a file: marimo
#: requests a picture and drops it, and an app of Solara would show it below the widget.
_KEEPING_NONE = (
    ("marimo", "running_in_notebook"),
    ("solara.server.kernel_context", "has_current_context"),
)


def is_kept() -> bool:
    """Return whether there is a notebook that keeps the picture."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in _KEEPING_NONE)
    return not any(is_inside() for is_inside in found if is_inside is not None)


def _smaller(png: bytes) -> bytes:
    """Reduce a PNG to 256 colours, about a third of its size; the picture has few colours."""
    from PIL import Image

    file = io.BytesIO()
    reduced = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(file, "PNG", optimize=True)
    return file.getvalue()


def _marked(svg: str, text: str) -> str:
    """Return the SVG with `MARK` as its id and the text as its title, for screen readers."""
    from imd_widget.plot.text import harmless

    # names may contain control characters, which XML forbids
    lines = "\n".join(harmless(line, _LONGEST_LINE) for line in text.split("\n"))
    start = svg.index("<svg") + len("<svg")
    end = svg.index(">", start) + 1
    title = f"<title>{html.escape(lines)}</title>"
    return f'{svg[:start]} id="{MARK}" role="img"{svg[start:end]}{title}{svg[end:]}'
