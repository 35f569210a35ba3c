"""Wraps text of several colours, weights and sizes in lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from imd_widget.plot.context import DrawingContext
from imd_widget.plot.marks import Mark, Sheet, Words
from imd_widget.plot.text import TEXT, cut_middle


@dataclass(frozen=True)
class Run:
    """Text of one colour, weight and size."""

    text: str
    color: str
    bold: bool = False
    size: float = TEXT


@dataclass(frozen=True)
class Block:
    """Marks with a height, to be stacked."""

    marks: list[Mark]
    height: float


_Word = tuple[str, Run]
_Piece = tuple[float, str, Run]
#: Size of the first paragraph of a headline.
TITLE = 11.5
#: Most characters of a paragraph of a headline.
LONGEST = 1000
#: Height of a line of size `TEXT`.
_LINE = 12.5
#: Space between runs, for text of size 1.
_SPACE = 0.34
_BELOW = 6.0


def paragraphs(runs: Sequence[Run], context: DrawingContext, room: float) -> Block:
    """Stack runs as paragraphs, each wrapped in lines of at most ``room``."""
    sheet, y = Sheet(), 0.0
    for block in (flow([run], context, room) for run in runs):
        sheet.put(block.marks, 0, y)
        y += block.height
    return Block(sheet.marks, y + _BELOW)


def flow(
    runs: Sequence[Run], context: DrawingContext, room: float, most: int | None = None
) -> Block:
    """Wrap runs in lines of at most ``room``; beyond ``most`` lines the middle is omitted."""
    words = [(word, run) for run in runs for word in run.text.split(" ") if word]
    lines = _lines(words, context, room)
    if most is not None and len(lines) > most:
        # the last run, the counts, is kept
        end = [(word, run) for word, run in words if run is runs[-1]]
        kept = words[: len(words) - len(end)]
        gap = [("…", runs[-1])]
        # fewer words never need more lines
        low, high = 0, len(kept) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if len(_lines([*kept[:middle], *gap, *end], context, room)) <= most:
                low = middle
            else:
                high = middle - 1
        lines = _lines([*kept[:low], *gap, *end], context, room)
    size = max(run.size for run in runs)
    height = _LINE * size / TEXT
    marks: list[Mark] = []
    for i, line in enumerate(lines):
        for x, text, run in line:
            marks.append(Words(x, height * i + size, text, run.color, run.size, run.bold))
    return Block(marks, height * len(lines))


def _lines(words: Sequence[_Word], context: DrawingContext, room: float) -> list[list[_Piece]]:
    """Return lines of pieces: x, text and run of each."""
    lines: list[list[_Piece]] = []
    for whole, run in words:
        word = cut_middle(whole, room, partial(_width_of, context, run))
        if lines:
            x, before, last = lines[-1][-1]
            same = run is last
            text = f"{before} {word}" if same else word
            if not same:
                x += context.font.length(before, last.size, last.bold) + _SPACE * run.size
            if x + _width_of(context, run, text) <= room:
                lines[-1][len(lines[-1]) - same :] = [(x, text, run)]
                continue
        lines.append([(0.0, word, run)])
    return lines


def _width_of(context: DrawingContext, run: Run, text: str) -> float:
    return context.font.width(text, run.size, run.bold)
