"""A diff as a file, in the format that its name asks for: a registry of formats.

A new format is a module with a `Format`, and its line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.errors import InputError, Quoted
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.base import Format
from imd_widget.export.csv_table import CSV
from imd_widget.export.html import HTML
from imd_widget.export.json_format.writing import JSON
from imd_widget.export.markdown import MARKDOWN
from imd_widget.export.pictures import PNG, SVG

#: By suffix, in the order in which they are listed.
FORMATS: Mapping[str, Format] = {
    form.suffix: form for form in (HTML, SVG, PNG, JSON, CSV, MARKDOWN)
}


def check_path(path: str | Path) -> Path:
    """The path, if its name says which format to write."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(f"{form.suffix} ({form.description})" for form in FORMATS.values())
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(Quoted(path.name), f" {came}. The ending says what to write: {known}.")
    return path


def write_page(diff: ModelDiff, path: Path, **page: Any) -> Path:
    """Write a page, whatever the name of its file is."""
    return _written(diff, path, HTML, page)


def save(diff: ModelDiff, path: str | Path, **page: Any) -> Path:
    """Write a diff in the format that the name of the file asks for; its path.

    Parameters
    ----------
    **page
        Of a page: what `imd_widget.export.html.page_text` takes.
    """
    path = check_path(path)
    return _written(diff, path, FORMATS[path.suffix.lower()], page)


def _written(diff: ModelDiff, path: Path, form: Format, page: Mapping[str, Any]) -> Path:
    content = form.content(diff, **page)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return path
