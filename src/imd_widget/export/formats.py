"""A diff as a file, in the form that its name asks for."""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputError, Quoted
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.rules.conditions import Condition
from imd_widget.rules.languages import conditions_text, percent
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.views.build import view_of

#: What each form is for, by the end of the file's name.
FORMS = {
    ".html": "an interactive page",
    ".svg": "the tree, for papers",
    ".png": "the tree, for slides",
    ".json": "all of it, for imd.load",
    ".csv": "a line for each rule",
    ".md": "headline and rules, for people",
}


def check_path(path: str | Path) -> Path:
    """The path, if its name says which form to write."""
    path = Path(path)
    if path.suffix.lower() not in FORMS:
        known = ", ".join(f"{suffix} ({what})" for suffix, what in FORMS.items())
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(Quoted(path.name), f" {came}. The ending says what to write: {known}.")
    return path


def write_page(diff: ModelDiff, path: Path, **page: Any) -> Path:
    """Write a page, whatever the name of its file is."""
    from imd_widget.export.html import page_text

    return _written(path, page_text(diff, **page))


def save(diff: ModelDiff, path: str | Path, **page: Any) -> Path:
    """Write a diff in the form that the name of the file asks for; its path.

    Parameters
    ----------
    **page
        Of a page: what `imd_widget.export.html.page_text` takes.
    """
    path = check_path(path)
    suffix = path.suffix.lower()
    if suffix == ".html":
        return write_page(diff, path, **page)
    return _written(path, _WRITTEN_AS[suffix](diff))


def _written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = encodable_text(content).encode("utf-8")
    write_whole(path, content)
    return path


def _json(diff: ModelDiff) -> str:
    from imd_widget.export.json_format.writing import file_text

    return file_text(diff)


def _svg(diff: ModelDiff) -> str:
    from imd_widget.plot import as_svg, tree_figure

    return as_svg(tree_figure(view_of(diff)))


def _png(diff: ModelDiff) -> bytes:
    from imd_widget.plot import as_png, tree_figure

    return as_png(tree_figure(view_of(diff)), dpi=200)


def _csv(diff: ModelDiff) -> str:
    frame = RuleSet(tuple(map(_encodable_rule, diff.rules))).to_frame()
    for name, column in frame.items():
        if not (is_numeric_dtype(column.dtype) or is_datetime64_any_dtype(column.dtype)):
            cells = [computes_nothing(value) for value in column]
            frame[name] = pd.Series(cells, index=frame.index, dtype=object)
    return str(frame.to_csv(index=False))


def _encodable_rule(rule: Rule) -> Rule:
    """The rule with names and labels that a column of text can hold."""
    conditions = tuple(replace(c, **_encodable_fields(c)) for c in rule.conditions)
    first, second = map(_encodable_value, rule.outcomes)
    return replace(rule, conditions=conditions, outcomes=(first, second))


def _encodable_fields(c: Condition) -> dict[str, Any]:
    names = ("column", "low", "high", "values", "order")
    return {name: _encodable_value(getattr(c, name)) for name in names if hasattr(c, name)}


def _encodable_value(value: Any) -> Any:
    if isinstance(value, str):
        return encodable_text(value)
    return tuple(map(_encodable_value, value)) if type(value) is tuple else value


def computes_nothing(value: Any) -> Any:
    """A cell that a spreadsheet takes for text, or for a number, and never for a formula.

    Text that begins as a formula does gets a single quote before it, as OWASP recommends.
    """
    if isinstance(value, numbers.Number):
        return value
    # a carriage return is not quoted, and what follows it would be the first cell of another line
    text = re.sub("\r\n?", "\n", str(value))
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


_FORMULA = (*"=+-@\t\n", *"＝＋－＠")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def _markdown(diff: ModelDiff) -> str:
    """The headline and a table of the rules."""
    one, two = map(_cell, diff.names)
    lines = [f"# {one} and {two}: where they differ", "", _cell(diff.summary()), ""]
    if len(diff.rules):
        aside = diff.metrics.on_holdout
        head = ["rule", "where", one, two, "rows", "differ", *(["kept aside"] if aside else [])]
        lines += [_row(head), _row(["---"] * len(head))]
        for number, rule in enumerate(diff.rules):
            cells = [
                str(number),
                _cell(conditions_text(rule.conditions)),
                *map(_cell, rule.said),
                f"{rule.support:,}",
                percent(rule.rate) if rule.support else "",
            ]
            if aside:
                kept = f"{percent(rule.holdout_rate)} of {rule.holdout_support:,}"
                cells.append(kept if rule.holdout_support else "no row")
            lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Text that stays text: signs of Markdown and HTML mean nothing, nobody is mentioned.

    GitHub looks for people, issues and addresses after it has read the Markdown, so neither a
    backslash nor an entity keeps it from finding them. In code it does not look.
    """
    words = [_as_code(word) if _ACTIVE.search(word) else _escaped(word) for word in text.split()]
    # at the beginning of a line these make a list or a line across the page
    return _OPENING.sub(r"\1\\\2", " ".join(words))


def _escaped(word: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#$~&" else sign for sign in word)


def _as_code(word: str) -> str:
    """Between backticks; a bar stays outside, where it can be escaped without a doubt."""
    return "\\|".join(_code(part) if part else "" for part in word.split("|"))


def _code(text: str) -> str:
    # more backticks than it has itself
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


_OPENING = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+=][-+=\s]|[-+=]$))(.)")
#: What GitHub makes something of: people, teams, e-mail addresses and commits of others; issues;
#: formulas; addresses; advisories; commits; emoji, but for the minutes of a time.
_ACTIVE = re.compile(
    r"@|#\d|\$|://|\bwww\.|\b(?:mailto|xmpp):|\b(?:gh|ghsa|cve)-\w"
    r"|\b(?=\d*[a-f])[0-9a-f]{7,64}\b|:(?!\d\d:)[\w+-]+:",
    re.IGNORECASE,
)


_WRITTEN_AS: dict[str, Callable[[ModelDiff], str | bytes]] = {
    ".json": _json,
    ".svg": _svg,
    ".png": _png,
    ".csv": _csv,
    ".md": _markdown,
}
