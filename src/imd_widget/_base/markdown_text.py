"""Text and tables as Markdown that GitHub shows as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence


def table_row(cells: Sequence[str]) -> str:
    """Return a row of a table; the cells are escaped already."""
    return f"| {' | '.join(cells)} |"


def cell(text: str) -> str:
    """Escape text for a cell: it contains no Markdown, HTML, mention or link.

    GitHub detects mentions, issues and URLs after parsing the Markdown, so neither a backslash
    nor an entity prevents that. It does not search code spans.
    """
    words = [_as_code(word) if _ACTIVE.search(word) else _escaped(word) for word in text.split()]
    # at the beginning of a line these start a list or a horizontal rule
    return _OPENING.sub(r"\1\\\2", " ".join(words))


def _escaped(word: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#$~&" else sign for sign in word)


def _as_code(word: str) -> str:
    """Return a word as code spans; a bar stays outside, where every renderer unescapes it."""
    return "\\|".join(_code(part) if part else "" for part in word.split("|"))


def _code(text: str) -> str:
    # the fence is longer than any run of backticks inside
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


_OPENING = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+=][-+=\s]|[-+=]$))(.)")
#: Text that GitHub replaces: mentions, e-mail addresses and commits of others; issues; formulas;
#: URLs; advisories; commits; emoji, except for the minutes of a time.
_ACTIVE = re.compile(
    r"@|#\d|\$|://|\bwww\.|\b(?:mailto|xmpp):|\b(?:gh|ghsa|cve)-\w"
    r"|\b(?=\d*[a-f])[0-9a-f]{7,64}\b|:(?!\d\d:)[\w+-]+:",
    re.IGNORECASE,
)
