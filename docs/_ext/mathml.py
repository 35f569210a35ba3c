"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from latex2mathml.exceptions import NoAvailableTokensError
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

#: What an index hangs on is taken for as deep as a p: where a machine has no font for formulas,
#: browsers would else write the index of an n on the line.
DEEP = re.compile(r"(<msub(?:sup)?>)(<mi>.</mi>)")


def mathml(latex: str, display: str) -> str:
    """A formula in LaTeX as MathML."""
    try:
        plain = convert(latex.strip(), display=display)
    except NoAvailableTokensError as error:
        raise ExtensionError(f"the formula {latex!r} cannot be read: {error!r}") from error
    return DEEP.sub(r'\1<mpadded depth="0.2em">\2</mpadded>', plain)


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line of text."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula that stands by itself; a wide one can be scrolled."""
    translator.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer it as ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
