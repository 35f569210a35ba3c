"""One self-contained page: the same front-end, with all it may be asked for inside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from string import Template
from typing import Any, TypedDict

from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputError
from imd_widget._base.static_files import static_text
from imd_widget._base.validation import check_whole
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.html_rows import RowsOfPage, rows_of_page
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed

#: Refinement steps that a page can be asked to hold.
MOST_STEPS = 20
#: Letters of JSON that the way back may add to a page: nobody asked for it.
MOST_WAY_BACK = 8_000_000
NO_CHANGE = "A page holds what was compared: depth and sensitivity are changed in the notebook."
NO_SAVE = "This page is the saved file: copy it."
NO_ROWS = 'This page holds no rows: it was saved without. d.save("diff.html", rows=200) takes 200.'

# Everything is inside the page, so its policy forbids it to load anything at all, and to run or to
# follow anything but the one script and the one style sheet whose sums are given.
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
<noscript>$summary This page draws the joint tree with JavaScript, which is switched off.</noscript>
<footer>$holds</footer>
<script type="application/json" id="imd-data">$data</script>
<script>$script</script>
</body>
</html>
"""
)
_STYLE = """
html { color-scheme: light dark; }
body { margin: 16px; font-family: system-ui, sans-serif; }
footer { margin-top: 8px; font-size: 12px; opacity: 0.75; }
"""


class PageContents(TypedDict):
    """What js/host/pageModel.ts answers from.

    ``steps`` are the views after each refinement step, ``at`` says which of them is shown first.
    """

    steps: list[dict[str, Any]]
    at: int
    rows: RowsOfPage | None


def page_text(
    diff: ModelDiff,
    *,
    before: Sequence[ModelDiff] = (),
    refinements: int = 3,
    rows: int = 0,
    **state: Any,
) -> str:
    """The page of a diff.

    Parameters
    ----------
    before : sequence of ModelDiff
        What it was refined from, step by step. The last ones are taken along, as far as they fit
        in `MOST_WAY_BACK`.
    refinements : int
        Further refinement steps to take along, as far as there are any.
    rows : int
        Rows of the table to take along.
    **state
        By the names of the widget's traits, as it was opened there.
    """
    held = contents(diff, before, refinements, rows)
    data = {"height": 720, "theme": "auto", **state, **held}
    traced = state.get("traced")
    if traced and traced["row"] not in (held["rows"] or {"positions": []})["positions"]:
        data["traced"] = None  # it is a row, and a page holds those that were asked for
    # inside a script element only "<" could end it or open a comment
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    css = _STYLE + static_text("standalone.css")
    script = static_text("standalone.js").replace("</script", "<\\/script")
    page = _PAGE.substitute(
        policy=_policy(css, script),
        title=html.escape(f"{diff.names[0]} and {diff.names[1]}: where they differ"),
        summary=html.escape(diff.summary()),
        holds=html.escape(_holds(held)),
        css=css,
        script=script,
        data=text,
    )
    return encodable_text(page)  # which inside of JSON is what it was


def contents(
    diff: ModelDiff, before: Sequence[ModelDiff], refinements: int, rows: int
) -> PageContents:
    """What a page brings along; see `page_text`."""
    check_whole("refinements", refinements, 0, MOST_STEPS)
    check_whole("rows", rows, 0, None)
    if rows and not diff.has_rows:
        raise InputError(
            f"rows={rows}: this diff was read from a file, which holds no rows. Leave rows= out."
        )
    before = _last_that_fit(before)
    steps = [*before, diff, *_further(diff, int(refinements))]
    kept = rows_of_page(steps, int(rows)) if rows else None
    return PageContents(
        steps=[_view(steps, at, kept is not None) for at in range(len(steps))],
        at=len(before),
        rows=kept,
    )


def _last_that_fit(before: Sequence[ModelDiff]) -> Sequence[ModelDiff]:
    """The last of the diffs, as many as a page takes along without being asked to."""
    room = MOST_WAY_BACK
    for number, diff in enumerate(reversed(before[-MOST_STEPS:])):
        room -= len(json.dumps(packed(view_of(diff, redact=True))))
        if room < 0:
            return before[len(before) - number :]
    return before[-MOST_STEPS:]


def _further(diff: ModelDiff, steps: int) -> list[ModelDiff]:
    """The refinements that follow; none of a diff without rows."""
    found: list[ModelDiff] = []
    last = diff
    while diff.has_rows and len(found) < steps:
        refined = last.refine()
        if refined is last:
            break
        found.append(refined)
        last = refined
    return found


def _view(steps: Sequence[ModelDiff], at: int, with_rows: bool) -> dict[str, Any]:
    """What is shown after some steps, with what the page cannot do."""
    before = steps[at - 1] if at else None
    view = view_of(steps[at], before, undoable=at > 0, redact=True)
    lacks = {"change": NO_CHANGE, "save": NO_SAVE}
    if not with_rows:
        lacks["rows"] = NO_ROWS
    if at == len(steps) - 1:
        lacks["refine"] = view["refinement"]["reason"] or "This page holds no further step."
    view["lacks"] = lacks
    view["refinement"]["prepared"] = steps[-1].refinements
    return packed(view)


def _policy(css: str, script: str) -> str:
    def sum_of(text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {sum_of(script)}; style-src {sum_of(css)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _holds(held: PageContents) -> str:
    """What of the user's data is in the page, in words."""
    steps, rows = len(held["steps"]) - 1, held["rows"]
    refined = {0: "", 1: " and 1 refinement step"}.get(steps, f" and {steps} refinement steps")
    parts = (
        f"This page holds the tree{refined}: counts of rows, names of columns, the thresholds and "
        "categories that it asks about, and the range of those columns."
    )
    if rows is None:
        own = "It holds no row of the table."
    else:
        number, total = len(rows["positions"]), rows["total"]
        which = f"all {total:,}" if number == total else f"{number:,} of the {total:,}"
        own = (
            f"It holds {which} rows of the table, with all their columns and what both models say."
        )
    return f"{parts} {own} It loads nothing and sends nothing."
