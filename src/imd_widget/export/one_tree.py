"""One tree as a page, a picture or plain values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputError, Quoted
from imd_widget.export.page import page_around
from imd_widget.rules.drawn_tree import Drawable
from imd_widget.views.one_tree import one_tree_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inches that a leaf and a level take in a picture.
LEAF_WIDTH, LEVEL_HEIGHT = 1.5, 1.15


def save_tree(tree: Drawable, path: str | Path) -> Path:
    """Write a tree in the format of the path's suffix; return the path."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(
            Quoted(path.name),
            f" {came}. The ending says what to write: .html (an interactive page), .svg, .png (a "
            "picture), .json (plain values).",
        )
    content = WRITERS[suffix](tree)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content if isinstance(content, bytes) else encodable_text(content).encode())
    return path


def tree_page(tree: Drawable) -> str:
    """Return the tree as an interactive page."""
    drawn = tree.drawn_tree()
    return page_around(
        {"height": 720, "theme": "auto", "tree": one_tree_view(drawn)},
        title=drawn.title,
        summary=" ".join((drawn.title, *drawn.sentences)),
        what="the tree",
        holds="This page holds the tree: counts of rows, the names of the columns that it asks "
        "about, their thresholds and categories, and what it predicts. It holds no row of the "
        "table. It loads nothing and sends nothing.",
    )


def tree_picture(tree: Drawable) -> Figure:
    """Return a figure of its own with the tree, as large as it needs."""
    from matplotlib.figure import Figure

    nodes = tree.drawn_tree().nodes
    leaves = sum(node.question is None for node in nodes)

    def below(at: int | None) -> int:
        return 0 if at is None else 1 + max(below(nodes[at].yes), below(nodes[at].no))

    size = max(4.0, LEAF_WIDTH * leaves), max(2.5, LEVEL_HEIGHT * below(0) + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    tree.plot(figure.subplots())
    return figure


def _svg(tree: Drawable) -> str:
    from imd_widget.plot.files import as_svg

    return as_svg(tree_picture(tree))


def _png(tree: Drawable) -> bytes:
    from imd_widget.plot.files import as_png

    return as_png(tree_picture(tree), dpi=200)


def _json(tree: Any) -> str:
    return json.dumps(tree.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)


#: What is written, by suffix.
WRITERS: dict[str, Callable[[Drawable], str | bytes]] = {
    ".html": tree_page,
    ".svg": _svg,
    ".png": _png,
    ".json": _json,
}
