"""One tree as a page or as plain values."""

from __future__ import annotations

import json
from typing import Any

from imd_widget._base.plain import to_json
from imd_widget.export.page import page_around
from imd_widget.rules.tree_record import PlottableTree
from imd_widget.views.one_tree import one_tree_view


def tree_page(tree: PlottableTree) -> str:
    """Return the tree as an interactive page."""
    record = tree.to_record()
    return page_around(
        {"height": 720, "theme": "auto", "tree": to_json(one_tree_view(record))},
        title=record.title,
        summary=" ".join((record.title, *record.sentences)),
        what="the tree",
        holds="This page contains the tree: counts of rows, the names of the columns that it "
        "splits on, their thresholds and categories, and its predictions. It contains no rows of "
        "the table.",
    )


def tree_text(tree: Any) -> str:
    """Return what ``to_dict`` returns as the text of a JSON file."""
    return json.dumps(tree.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
