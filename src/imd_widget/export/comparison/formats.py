"""Registry of the file formats of a comparison; it is written in the format of the path's suffix.

A new format needs a `ComparisonFormat` and a line in `COMPARISON_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import Argument, InputError, InPython, Quoted
from imd_widget._base.optional import check_drawing
from imd_widget.export.comparison.csv_table import pair_table
from imd_widget.export.comparison.html import comparison_page
from imd_widget.export.comparison.markdown import comparison_report
from imd_widget.export.comparison.pictures import png, svg
from imd_widget.export.json_format.comparison_writing import comparison_text
from imd_widget.many.model_comparison import PAIRS_IN_FILES, ModelComparison

#: Numbers of two models, the smaller first.
Pair = tuple[int, int]

__all__ = [
    "COMPARISON_FORMATS",
    "ComparisonFormat",
    "check_comparison_path",
    "comparison_content",
    "save_comparison",
]


@dataclass(frozen=True)
class ComparisonFormat:
    """A file format of a comparison.

    Attributes
    ----------
    suffix : str
        Suffix of its files, in lower case.
    description : str
        Its purpose, as error messages list it.
    write : callable
        Returns the content of the file: from a comparison, and by keyword what the file holds:
        ``pairs``, and of a page ``refinements`` and ``rows``.
    n_pairs : int, default=0
        Number of pairs whose diffs it holds if the user names none: those that differ most.
    binary : bool, default=False
    is_page : bool, default=False
        Whether ``write`` takes ``refinements`` and ``rows``.
    is_drawn : bool, default=False
        Whether it is drawn by matplotlib.
    """

    suffix: str
    description: str
    write: Callable[..., Any]
    n_pairs: int = 0
    binary: bool = False
    is_page: bool = False
    is_drawn: bool = False

    def content(
        self, comparison: ModelComparison, pairs: Sequence[Pair] | None, **page: Any
    ) -> bytes:
        """Return the content of the file."""
        if pairs is None:
            pairs = default_pairs(comparison, self.n_pairs)
        content = self.write(comparison, pairs=pairs, **(page if self.is_page else {}))
        return bytes(content if self.binary else encodable_text(content).encode("utf-8"))


#: Formats by suffix, in the order of error messages.
COMPARISON_FORMATS: Mapping[str, ComparisonFormat] = {
    form.suffix: form
    for form in (
        ComparisonFormat(
            ".html", "an interactive page", comparison_page, PAIRS_IN_FILES, is_page=True
        ),
        ComparisonFormat(".svg", "the matrix, for papers", svg, is_drawn=True),
        ComparisonFormat(".png", "the matrix, for slides", png, binary=True, is_drawn=True),
        ComparisonFormat(
            ".json", "the matrix and some diffs, for imd.load", comparison_text, PAIRS_IN_FILES
        ),
        ComparisonFormat(".csv", "a line for each pair", pair_table),
        ComparisonFormat(".md", "the matrix, for people", comparison_report),
    )
}


def check_comparison_path(path: str | Path) -> Path:
    """Return the path; InputError if its suffix is not that of a format."""
    path = Path(path)
    if path.suffix.lower() not in COMPARISON_FORMATS:
        known = ", ".join(f"{f.suffix} ({f.description})" for f in COMPARISON_FORMATS.values())
        came = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        raise InputError(
            Quoted(path.name),
            f" {came}. The ending says what to write: {known}.",
            InPython("", " For another path, --format names it."),
        )
    if COMPARISON_FORMATS[path.suffix.lower()].is_drawn:
        check_drawing()
    return path


def save_comparison(
    comparison: ModelComparison, path: str | Path, pairs: Any = None, **page: Any
) -> Path:
    """Write a comparison in the format of the path's suffix; return the path.

    Parameters
    ----------
    comparison : ModelComparison
    path : str or Path
    pairs : sequence of pairs of models, "all" or None
        Pairs whose diffs the file holds. None: as many as the format has by default.
    **page
        Options of an HTML page.
    """
    path = check_comparison_path(path)
    content = comparison_content(comparison, path.suffix.lower(), pairs, **page)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return path


def comparison_content(
    comparison: ModelComparison, suffix: str, pairs: Any = None, **page: Any
) -> bytes:
    """Return the content of a file of the format with this suffix; see `save_comparison`."""
    wanted = None if pairs is None else read_pairs(comparison, pairs)
    return COMPARISON_FORMATS[suffix].content(comparison, wanted, **page)


def read_pairs(comparison: ModelComparison, pairs: Any) -> list[Pair]:
    """Return pairs of names or numbers as pairs of numbers, each once, the smaller first."""
    if isinstance(pairs, str) and pairs == "all":
        return default_pairs(comparison, len(comparison) ** 2)
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(
            Argument("pairs"),
            f' is {pairs!r}: a list of pairs of models is needed, [("{comparison.names[0]}", '
            f'"{comparison.names[1]}")], or "all".',
        )
    found: dict[Pair, None] = {}
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(
                Argument("pairs"), " holds ", Quoted(pair), ": each entry names two models."
            )
        first, second = sorted(comparison._number(model) for model in pair)
        if first == second:
            raise InputError(
                Argument("pairs"), " holds ", Quoted(pair), ": a model does not differ from itself."
            )
        found[first, second] = None
    return list(found)


def default_pairs(comparison: ModelComparison, n: int) -> list[Pair]:
    """The pairs that differ most, of those that can be opened; none that differs nowhere."""
    stored = comparison._pairs.stored
    pairs = [pair for pair in comparison._largest() if stored is None or pair in stored]
    return pairs[:n]
