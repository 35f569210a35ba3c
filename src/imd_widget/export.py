"""One self-contained page: the same front-end, with no kernel behind it."""

from __future__ import annotations

import html
import json
from pathlib import Path
from string import Template
from typing import Any

from imd_widget.compare import ModelDiff
from imd_widget.packing import packed
from imd_widget.static_files import static_text
from imd_widget.viewmodel import view_of

# Everything is inside the page, so its policy forbids it to load anything at all.
_PAGE = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';">
<title>$title</title>
<style>
html { color-scheme: light dark; }
body { margin: 16px; font-family: system-ui, sans-serif; }
$css
</style>
</head>
<body>
<div id="imd-app"></div>
<noscript>$summary This page draws the joint tree with JavaScript, which is switched off.</noscript>
<script type="application/json" id="imd-data">$data</script>
<script>
$script
</script>
</body>
</html>
"""
)


def write_page(diff: ModelDiff, path: Path, **state: Any) -> Path:
    """Write the page of a diff to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page_text(diff, **state), encoding="utf-8")
    return path


def page_text(diff: ModelDiff, **state: Any) -> str:
    """The page of a diff; ``state`` by the names of the widget's traits, as it was opened there."""
    state = {"height": 720, "theme": "auto", **state, "view": packed(view_of(diff))}
    # inside a script element only "<" could end it or open a comment
    data = json.dumps(state, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return _PAGE.substitute(
        title=html.escape(f"{diff.names[0]} and {diff.names[1]}: where they differ"),
        summary=html.escape(diff.summary()),
        css=static_text("standalone.css"),
        script=static_text("standalone.js").replace("</script", "<\\/script"),
        data=data,
    )
