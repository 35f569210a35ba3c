"""The style sheets of the front-end: colours are tokens, which every theme sets.

Pictures compare the dark theme in some states only; these tests cover the colours of the others.
"""

from __future__ import annotations

import re
from pathlib import Path

JS = Path(__file__).parents[2] / "js"
TOKENS = JS / "styles" / "tokens.css"
COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch)\((?!var\(--imd-)[^)]*\)|:\s*(?:white|black)\b", re.I
)


def css(file: Path) -> str:
    """The rules of a style sheet, without comments."""
    return re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.S)


def tokens(selector: str) -> list[str]:
    """The tokens that the block of a selector sets."""
    block = css(TOKENS).split(selector + " {", 1)[1].split("}", 1)[0]
    return sorted(re.findall(r"(--imd-[a-z-]+):", block))


def test_both_themes_set_each_token() -> None:
    light = tokens(".imd-root")
    assert len(light) > 15
    assert tokens('.imd-root[data-theme="dark"]') == light


def test_other_style_sheets_use_tokens_for_colours() -> None:
    sheets = [file for file in JS.rglob("*.css") if file != TOKENS]
    assert len(sheets) > 20
    found = {(file.name, colour) for file in sheets for colour in COLOUR.findall(css(file))}
    # a shadow is dark in both themes
    assert {colour for _, colour in found} <= {"rgb(0 0 0 / 18%)"}, found


def test_used_tokens_are_set_by_a_style_sheet_or_a_component() -> None:
    sheets = "".join(css(file) for file in JS.rglob("*.css"))
    components = "".join(file.read_text(encoding="utf-8") for file in JS.rglob("*.ts*"))
    used = set(re.findall(r"var\((--imd-[a-z-]+)", sheets))
    known = set(re.findall(r"(--imd-[a-z-]+):", sheets))
    assert used - known <= set(re.findall(r'"(--imd-[a-z-]+)"', components))
