"""The HTML around the front-end and its data: one file that loads nothing and sends nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from string import Template
from typing import Any

from imd_widget._base.encodable import encodable_text
from imd_widget._base.static_files import static_text

# The page is self-contained, so its policy forbids loading anything, and any script or style sheet
# other than the two whose hashes are given.
_PAGE = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<style>$css</style>
</head>
<body>
<div id="imd-app"></div>
<noscript>
<h1>$title</h1>
<p>This page draws $what with JavaScript, which is switched off.</p>
<p>$summary</p>
$plain
</noscript>
<footer>$holds It loads nothing and sends nothing over the network.</footer>
<script type="application/json" id="imd-data">$data</script>
<script>$script</script>
</body>
</html>
"""
)
_STYLE = """
html { color-scheme: light dark; }
/* of the page itself: in a frame, the ground would be that of a host with the other scheme */
body { margin: 16px; background: Canvas; color: CanvasText; font-family: system-ui, sans-serif; }
noscript h1 { font-size: 24px; overflow-wrap: anywhere; }
noscript table { margin: 8px 0; border-collapse: collapse; font-size: 14px; }
noscript :is(th, td) { padding: 2px 10px; border: 1px solid; text-align: left; }
@media (width < 600px) {
  /* the cells of a rule below each other, each with the name of its column */
  noscript thead { display: none; }
  noscript :is(table, caption, tbody, tr, td) { display: block; }
  noscript caption { text-align: left; }
  noscript td { border: 0; }
  noscript td::before { opacity: 0.75; content: attr(data-name) ": "; }
  noscript tr { padding: 4px 0; border-top: 1px solid; }
}
.imd-plain-bar { display: block; width: 100%; height: 20px; outline: 1px solid GrayText; }
.imd-plain-key { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; list-style: none; }
.imd-plain-agree { fill: light-dark(#e9ecf2, #2a303a); }
.imd-plain-agreed { fill: light-dark(#868f9e, #757f8f); }
.imd-plain-inside { fill: light-dark(#c3bdf0, #514d96); }
.imd-plain-breaks { fill: light-dark(#868f9e, #757f8f); }
.imd-plain-fixes { fill: light-dark(#1b2430, #e8ebf0); }
.imd-plain-covered { fill: light-dark(#4338ca, #a5a0ff); }
:is(.imd-plain-missed, .imd-plain-differ) { fill: url(#imd-plain-hatch); }
noscript pre { overflow-x: auto; }
footer { margin-top: 8px; font-size: 12px; opacity: 0.75; }
"""


def page_around(
    data: Mapping[str, Any], *, title: str, summary: str, what: str, holds: str, plain: str = ""
) -> str:
    """Return an HTML page that draws some data.

    Parameters
    ----------
    data : mapping
        What the front-end reads: plain values.
    title : str
        Title of the page.
    summary : str
        Sentences that stand in its place without JavaScript.
    what : str
        What is drawn: "the joint tree".
    holds : str
        Sentences about the user's data in the page.
    plain : str
        Tables that stand below the summary without JavaScript: HTML whose text is escaped.
    """
    # inside a script element only "<" can end the element or open a comment
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    css = _STYLE + static_text("standalone.css")
    script = static_text("standalone.js").replace("</script", "<\\/script")
    page = _PAGE.substitute(
        policy=_policy(css, script),
        title=html.escape(title),
        summary=html.escape(summary),
        what=what,
        plain=plain,
        holds=html.escape(holds),
        css=css,
        script=script,
        data=text,
    )
    return encodable_text(page)


def _policy(css: str, script: str) -> str:
    """Return the Content-Security-Policy that allows this script and this style sheet only."""

    def hash_of(text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(css)}; "
        "base-uri 'none'; form-action 'none'"
    )
