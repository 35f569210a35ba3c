"""Write the table of docs/options.md from the declarations of the options.

Run it after a change of an option: python tools/generate_options.py
"""

from __future__ import annotations

import re
from pathlib import Path

from imd_widget._base.options import Option
from imd_widget.comparison.options import OPTIONS

FILE = Path(__file__).parents[1] / "docs" / "options.md"
BEGIN, END = "<!-- options: generated -->\n", "<!-- end of options -->\n"


def table() -> str:
    """Return the table of all options as Markdown."""
    rows = ["| option | default | meaning | command line |", "|---|---|---|---|"]
    rows += [_row(one) for one in OPTIONS.values()]
    return "\n".join(rows) + "\n"


def _row(option: Option) -> str:
    default = "none" if option.default is None else f"`{_literal(option.default)}`"
    flag = "" if option.flag is None else f"`{option.flag.name}`"
    # reStructuredText marks code with two backticks, and names with one
    meaning = re.sub(r"`+", "`", option.description)
    return f"| `{option.name}` | {default} | {meaning} | {flag} |"


def _literal(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:_}" if whole else str(value)


def page_text(present: str) -> str:
    """Return the page with the table as it is declared."""
    before, rest = present.split(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    FILE.write_text(page_text(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{FILE} written")
