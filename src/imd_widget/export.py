"""A diff as a file, in the form that its name asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from imd_widget.compare import ModelDiff
from imd_widget.errors import InputError
from imd_widget.rules.languages import conditions_text
from imd_widget.summary import percent
from imd_widget.viewmodel import view_of

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
        raise InputError(f"{path.name!r} {came}. The ending says what to write: {known}.")
    return path


def write_page(diff: ModelDiff, path: Path, **page: Any) -> Path:
    """Write a page, whatever the name of its file is."""
    from imd_widget.page import page_text

    return _written(path, page_text(diff, **page))


def save(diff: ModelDiff, path: str | Path, **page: Any) -> Path:
    """Write a diff in the form that the name of the file asks for; its path.

    Parameters
    ----------
    **page
        Of a page: what `imd_widget.page.page_text` takes.
    """
    path = check_path(path)
    suffix = path.suffix.lower()
    if suffix == ".html":
        return write_page(diff, path, **page)
    return _written(path, _WRITTEN_AS[suffix](diff))


def _written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        # half a letter, as broken file names have, is written as JSON writes it
        content = content.encode("utf-8", errors="backslashreplace")
    path.write_bytes(content)
    return path


def _json(diff: ModelDiff) -> str:
    from imd_widget.files.writing import file_text

    return file_text(diff)


def _svg(diff: ModelDiff) -> str:
    from imd_widget.plot import as_svg, tree_figure

    return as_svg(tree_figure(view_of(diff)))


def _png(diff: ModelDiff) -> bytes:
    from imd_widget.plot import as_png, tree_figure

    return as_png(tree_figure(view_of(diff)), dpi=200)


def _csv(diff: ModelDiff) -> str:
    return str(diff.rules.to_frame().to_csv(index=False))


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
    """Text that stays text in a table: signs of Markdown and HTML mean nothing."""
    text = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#$~" else sign for sign in text)


_WRITTEN_AS: dict[str, Callable[[ModelDiff], str | bytes]] = {
    ".json": _json,
    ".svg": _svg,
    ".png": _png,
    ".csv": _csv,
    ".md": _markdown,
}
