"""The still picture that stands after the widget in a notebook's file.

GitHub, nbviewer, nbconvert and a notebook that is opened without its kernel show this; where the
widget runs, it hides the picture (js/host/hideStill.ts knows it by `MARK`).
"""

from __future__ import annotations

import base64
import html
import io
import os
import sys
import warnings
from typing import Any

from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputWarning
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.rules.languages import numbered
from imd_widget.views.build import view_of

#: Rules that are listed beside the picture.
MOST_RULES = 5
#: Letters of a line of what is said in place of the picture.
_LONGEST_LINE = 2000
#: How a picture is known for ours, inside its SVG.
MARK = "imd-widget-picture"

#: Notebooks that keep each output apart, so that the widget could not hide a picture after it:
#: what tells them, in the environment of the kernel.
_APART = ("VSCODE_PID", "DATABRICKS_RUNTIME_VERSION", "KAGGLE_KERNEL_RUN_TYPE")


def still(diff: ModelDiff) -> dict[str, Any]:
    """A picture of the diff in every form that a notebook's readers ask for, by MIME type.

    SVG for the browser, PNG for a notebook that is not trusted, PDF for LaTeX, text for the rest.
    """
    forms: dict[str, Any] = {"text/plain": text_of(diff)}
    try:
        from imd_widget.plot import as_pdf, as_png, as_svg, draw_report

        figure = draw_report(view_of(diff), max_rules=MOST_RULES)
        forms |= {
            "image/svg+xml": _marked(as_svg(figure), forms["text/plain"]),
            "image/png": base64.b64encode(_smaller(as_png(figure, dpi=100))).decode("ascii"),
            "application/pdf": base64.b64encode(as_pdf(figure)).decode("ascii"),
        }
    except Exception as error:  # the widget is worth more than its picture
        warnings.warn(
            f"the still picture for saved notebooks could not be drawn ({error!r}); the widget is "
            "not concerned. picture=False leaves it out.",
            InputWarning,
            stacklevel=2,
        )
    return forms


def text_of(diff: ModelDiff) -> str:
    """Headline and top rules; text that can be sent."""
    rules = numbered(diff.rules[:MOST_RULES], diff.names)
    more = len(diff.rules) - len(rules)
    if more > 0:
        rules.append(f"     and {more:,} more {'rule' if more == 1 else 'rules'}")
    return encodable_text("\n".join([diff.summary(), *rules]))


def can_be_hidden() -> bool:
    """Whether the notebook lets a widget hide the output after it, as far as can be told."""
    if any(name in os.environ for name in _APART) or "google.colab" in sys.modules:
        return False
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    return shell is None or "__vsc_ipynb_file__" not in shell.user_ns


def is_kept() -> bool:
    """Whether what a notebook shows is kept as it is; marimo asks for a picture and drops it."""
    is_inside = getattr(sys.modules.get("marimo"), "running_in_notebook", None)
    return is_inside is None or not is_inside()


def _smaller(png: bytes) -> bytes:
    """A third of the size: a picture of few colours needs no more than 256 of them."""
    from PIL import Image

    file = io.BytesIO()
    reduced = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(file, "PNG", optimize=True)
    return file.getvalue()


def _marked(svg: str, words: str) -> str:
    """The picture with its mark, and in words for whoever does not see it."""
    from imd_widget.plot.text import harmless

    # no XML may hold the control signs that a name can have
    spoken = "\n".join(harmless(line, _LONGEST_LINE) for line in words.split("\n"))
    at = svg.index("<svg") + len("<svg")
    end = svg.index(">", at) + 1
    title = f"<title>{html.escape(spoken)}</title>"
    return f'{svg[:at]} id="{MARK}" role="img"{svg[at:end]}{title}{svg[end:]}'
