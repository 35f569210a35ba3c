"""Registry of file formats; a diff is written in the format of the path's suffix.

A new format needs a module with a `Format`, and a line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.errors import InputError, InPython, Quoted
from imd_widget._base.optional import check_drawing
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.base import Format
from imd_widget.export.csv_table import CSV
from imd_widget.export.html import HTML
from imd_widget.export.json_format.writing import JSON
from imd_widget.export.markdown import MARKDOWN
from imd_widget.export.pictures import PNG, SVG

#: Formats by suffix, in the order of error messages.
FORMATS: Mapping[str, Format] = {
    form.suffix: form for form in (HTML, SVG, PNG, JSON, CSV, MARKDOWN)
}


def check_path(path: str | Path) -> Path:
    """Return the path; InputError if its suffix is not that of a format that can be written."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(f"{form.suffix} ({form.description})" for form in FORMATS.values())
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(
            Quoted(path.name),
            f" {came}. The ending says what to write: {known}.",
            InPython("", " For another path, --format names it."),
        )
    if FORMATS[path.suffix.lower()].is_drawn:
        check_drawing()
    return path


def write_page(diff: ModelDiff, path: Path, **page: Any) -> Path:
    """Write an HTML page, whatever the suffix of the path."""
    return _written(diff, path, HTML, page)


def save(diff: ModelDiff, path: str | Path, **page: Any) -> Path:
    """Write a diff in the format of the path's suffix; return the path.

    Parameters
    ----------
    **page
        Options of an HTML page: see `imd_widget.export.html.page_text`.
    """
    path = check_path(path)
    return _written(diff, path, FORMATS[path.suffix.lower()], page)


def _written(diff: ModelDiff, path: Path, form: Format, page: Mapping[str, Any]) -> Path:
    content = form.content(diff, **page)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return path
