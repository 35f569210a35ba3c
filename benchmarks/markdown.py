"""Reports as Markdown."""

from __future__ import annotations

import textwrap

#: Width of the text of a page.
WIDTH = 140


def wrapped(text: str) -> str:
    """A paragraph in lines of the width of a page."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table(rows: list[list[str]]) -> str:
    """Rows of cells as a Markdown table."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
