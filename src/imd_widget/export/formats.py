"""The file formats of what can be saved; the suffix of a path selects one.

A new format needs a function that writes it and a line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputError, InPython, Quoted
from imd_widget._base.optional import check_drawing
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.track import Track
from imd_widget.deciding.patch import Patch
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.export.comparison.csv_table import pair_table
from imd_widget.export.comparison.html import comparison_page
from imd_widget.export.comparison.markdown import comparison_report
from imd_widget.export.comparison.pairs import with_pairs
from imd_widget.export.csv_table import rule_table
from imd_widget.export.html import page_text
from imd_widget.export.json_format.comparison_writing import comparison_text
from imd_widget.export.json_format.patches import patch_text
from imd_widget.export.json_format.writing import file_text
from imd_widget.export.markdown import report
from imd_widget.export.model_page import model_page
from imd_widget.export.model_report import model_report
from imd_widget.export.pictures import png, svg
from imd_widget.export.release_test import release_test
from imd_widget.export.track import track_page, track_report, track_table, track_text
from imd_widget.export.tree import tree_page, tree_text
from imd_widget.many.model_comparison import PAIRS_IN_FILES, ModelComparison
from imd_widget.rules.tree_record import PlottableTree


@dataclass(frozen=True)
class Format:
    """A file format of one type of thing."""

    #: The type that is written: `ModelDiff`, `ModelComparison`, `PlottableTree`, `Patch`, `Track`
    #: or `ModelExplanation`.
    kind: type
    #: Suffix of its files, in lower case.
    suffix: str
    #: Its purpose, as error messages list it.
    description: str
    #: Returns the content of the file, text or bytes, from the thing and its options.
    write: Callable[..., str | bytes]
    #: Names of the options that ``write`` takes; None: all of them, as a page does.
    options: tuple[str, ...] | None = ()
    #: Whether it is drawn by matplotlib.
    is_drawn: bool = False

    def content(self, thing: Any, **options: Any) -> bytes:
        """Return the content of the file; options of other formats are ignored."""
        own = self.options
        taken = {name: value for name, value in options.items() if own is None or name in own}
        content = self.write(thing, **taken)
        return content if isinstance(content, bytes) else encodable_text(content).encode("utf-8")


_DIFF, _MANY, _TREE = ModelDiff, ModelComparison, PlottableTree
_MODEL = ModelExplanation
_PAIRS, _ROWS = ("pairs",), ("rows",)
_SOME = PAIRS_IN_FILES
#: Formats by type and suffix, in the order of error messages.
FORMATS: dict[tuple[type, str], Format] = {
    (form.kind, form.suffix): form
    for form in (
        Format(_DIFF, ".html", "an interactive page", page_text, None),
        Format(_DIFF, ".svg", "the tree, for papers", svg, is_drawn=True),
        Format(_DIFF, ".png", "the tree, for slides", png, is_drawn=True),
        Format(_DIFF, ".json", "all of it, for imd.load", file_text),
        Format(_DIFF, ".csv", "a line for each rule", rule_table),
        Format(_DIFF, ".md", "headline and rules, for people", report, ("explain",)),
        Format(_DIFF, ".py", "the rules as tests, for pytest", release_test),
        Format(_MANY, ".html", "an interactive page", with_pairs(comparison_page, _SOME), None),
        Format(_MANY, ".svg", "the matrix, for papers", with_pairs(svg), _PAIRS, is_drawn=True),
        Format(_MANY, ".png", "the matrix, for slides", with_pairs(png), _PAIRS, is_drawn=True),
        Format(
            _MANY,
            ".json",
            "the matrix and some diffs, for imd.load",
            with_pairs(comparison_text, _SOME),
            _PAIRS,
        ),
        Format(_MANY, ".csv", "a line for each pair", with_pairs(pair_table), _PAIRS),
        Format(_MANY, ".md", "the matrix, for people", with_pairs(comparison_report), _PAIRS),
        Format(_TREE, ".html", "an interactive page", tree_page),
        Format(_TREE, ".svg", "the tree, for papers", svg, is_drawn=True),
        Format(_TREE, ".png", "the tree, for slides", png, is_drawn=True),
        Format(_TREE, ".json", "plain values", tree_text),
        Format(_MODEL, ".html", "an interactive page", model_page, _ROWS),
        Format(_MODEL, ".md", "a report, for people", model_report, _ROWS),
        Format(Track, ".html", "an interactive page", track_page),
        Format(Track, ".svg", "the picture, for papers", svg, is_drawn=True),
        Format(Track, ".png", "the picture, for slides", png, is_drawn=True),
        Format(Track, ".json", "plain values", track_text),
        Format(Track, ".csv", "a line for each region and period", track_table),
        Format(Track, ".md", "headline and table, for people", track_report),
        Format(Patch, ".json", "rules and figures, for imd.load", patch_text),
    )
}


def formats_of(kind: type) -> Mapping[str, Format]:
    """Return the formats of a type by suffix; InputError if it has none."""
    found = {suffix: form for (own, suffix), form in FORMATS.items() if issubclass(kind, own)}
    if not found:
        raise InputError(
            f"a {kind.__name__} cannot be saved: a diff, a comparison, a tree, a track and the "
            "explanation of one model can."
        )
    return found


def format_of(kind: type, path: str | Path) -> Format:
    """Return the format of a path; InputError if its suffix is that of none, or matplotlib lacks.

    A type may have a ``default_suffix``, the format of any other path.
    """
    path, formats = Path(path), formats_of(kind)
    form = formats.get(path.suffix.lower()) or formats.get(getattr(kind, "default_suffix", ""))
    if form is None:
        known = ", ".join(f"{form.suffix} ({form.description})" for form in formats.values())
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(
            Quoted(path.name),
            f" {came}. The suffix chooses the format: {known}.",
            InPython("", " For another path, --format names it."),
        )
    if form.is_drawn:
        check_drawing()
    return form


def save(thing: Any, path: str | Path, *, suffix: str | None = None, **options: Any) -> Path:
    """Write a diff, a comparison or a tree in the format of the path's suffix; return the path.

    Parameters
    ----------
    thing : ModelDiff, ModelComparison or PlottableTree
    path : str or Path
    suffix : str, optional
        The suffix of the format, whatever that of the path.
    **options
        For a comparison ``pairs``, see `imd_widget.export.comparison.pairs.read_pairs`. For a page
        its options: see `imd_widget.export.html.page_text`. Other formats ignore these.
    """
    path = Path(path)
    form = format_of(type(thing), path if suffix is None else f"x{suffix}")
    content = form.content(thing, **options)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return path
