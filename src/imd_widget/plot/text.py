"""Text before it is drawn: made harmless, measured, cut and wrapped; numbers for people."""

from __future__ import annotations

import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

#: Sizes of text at scale 1, in points.
TEXT, SMALL = 9.0, 8.0
#: Comes with matplotlib, so it is always there; its letters are wide, so what replaces it fits too.
SURE = "DejaVu Sans"
#: Asked for the letters that the chosen font lacks, where they are installed.
_MORE = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Arial Unicode MS",
    "WenQuanYi Zen Hei",
    "Noto Sans Symbols2",
    "Segoe UI Symbol",
    "Noto Emoji",
)
#: Letters of which there would be room for none but the first and the last.
LONGEST = 160
_AROUND_A_JOIN = "\u200c\u200d"


@dataclass(frozen=True)
class Font:
    """Families in the order in which they are asked for a letter."""

    families: tuple[str, ...]

    @classmethod
    def sure(cls) -> Font:
        """The same on every machine."""
        return cls((SURE, *_installed()))

    @classmethod
    def wanted(cls) -> Font:
        """The one of the user's rcParams, so that a figure has the letters of its paper."""
        # asked for by a file, since a family such as "serif" may mean another one when it is drawn
        file = fontManager.findfont(FontProperties(family=rcParams["font.family"]))
        name = get_font(file).family_name
        return cls(tuple(dict.fromkeys((name, SURE, *_installed()))))

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Room for a text in one line, in points."""
        # on a screen letters are moved to whole pixels
        return 1.03 * self.length(text, size, bold)

    def length(self, text: str, size: float, bold: bool = False) -> float:
        """The text itself, without that room."""
        return _width(self.families, text, bold) * size

    def properties(self, size: float, bold: bool) -> FontProperties:
        """What matplotlib wants to know."""
        weight = "bold" if bold else "normal"
        return FontProperties(
            family=list(self.families),
            style="normal",
            variant="normal",
            stretch="normal",
            weight=weight,
            size=size,
        )


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    names = set(fontManager.get_font_names())
    return tuple(name for name in _MORE if name in names)


@lru_cache(maxsize=20_000)
def _width(families: tuple[str, ...], text: str, bold: bool) -> float:
    """Of a text at size 1."""
    if not text:
        return 0.0
    properties = Font(families).properties(100, bold)
    with quiet():
        width, _, _ = text_to_path.get_text_width_height_descent(text, properties, ismath=False)
    return float(width) / 100


@contextmanager
def quiet() -> Iterator[None]:
    """Without matplotlib's warning of a letter that no font has: it is drawn as a frame."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


def harmless(text: str, longest: int = LONGEST) -> str:
    """In one line, without what no font shows and no XML file may hold; its ends if it is long."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_harmless, text))


def _harmless(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    if kind == "Cs" or (ord(letter) & 0xFFFE) == 0xFFFE:
        return "\ufffd"
    return "" if kind == "Cf" and letter not in _AROUND_A_JOIN else letter


def cut_middle(text: str, room: float, width: Callable[[str], float]) -> str:
    """Cut in the middle: names that share a beginning are told apart by their end."""
    if width(text) <= room:
        return text

    def cut(kept: int) -> str:
        head = (kept + 1) // 2
        return f"{text[:head].rstrip()}…{text[len(text) - (kept - head) :].lstrip()}"

    low, high = 1, max(1, len(text) - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if width(cut(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return cut(low)


def wrap_two(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """One line where it fits, else two of about the same length, each cut if it must be."""
    if width(text) <= room:
        return [text]
    best, narrowest = [text], float("inf")
    # of a very long text only the ends can be shown
    places = [at for at, letter in enumerate(text) if letter == " "]
    for at in places if len(places) < 40 else places[:20] + places[-20:]:
        lines = [text[:at], text[at + 1 :]]
        # a line that ends in an operator reads badly: "age <" / "42"
        if not all(lines) or re.search(r"(^|\s)[<>=≤≥≠]+$", lines[0]):
            continue
        widest = max(map(width, lines))
        if widest < narrowest:
            best, narrowest = lines, widest
    return [cut_middle(line, room, width) for line in best]


def count(value: float) -> str:
    """A number of rows."""
    return f"{value:,.0f}"


def short_count(value: float) -> str:
    """A number of rows for places that hold five characters."""
    if value < 10_000:
        return count(value)
    # what rounds to 1,000K is 1M, and half a tenth is rounded up: as in a browser
    for power, sign in ((1e3, "K"), (1e6, "M")):
        if (tenths := _rounded(10 * value / power)) < 10_000:
            return f"{tenths / 10:.1f}".removesuffix(".0") + sign
    return f"{_rounded(value / 1e8) / 10:,.1f}".removesuffix(".0") + "B"


def percent(share: float | None) -> str:
    """Never says 0 % or 100 % of something that is not."""
    if share is None:
        return "–"
    whole = _rounded(share * 100)
    if whole == 0 and share > 0:
        return "<1\u00a0%"
    if whole == 100 and share < 1:
        return ">99\u00a0%"
    return f"{whole}\u00a0%"


def _rounded(value: float) -> int:
    """The nearest whole number, of two the larger one, as JavaScript rounds; Python's is even."""
    return math.floor(value + 0.5)


def plural(value: float, one: str) -> str:
    """A number and what it counts."""
    return f"{count(value)} {one if value == 1 else one + 's'}"


def rule_numbers(numbers: list[int]) -> str:
    """Rules by the numbers that they have in ``d.rules`` and in the browser: "0", "2–5, 8"."""
    return ", ".join(_run_text(*run) for run in _runs(numbers))


def numbers_within(numbers: list[int], room: float, width: Callable[[str], float]) -> str:
    """As many of the numbers as there is room for, and "…" where that is not all of them.

    The number of texts that are measured depends on the room, not on how many numbers there are.
    """
    # a number is never shorter than one digit and the comma before it
    most = 1 + max(1, int(room / max(width(", 1"), 1e-6)))
    runs = list(islice(_runs(numbers), most + 1))
    if len(runs) <= most:
        text = ", ".join(_run_text(*run) for run in runs)
        if len(numbers) == 1 or width(text) <= room:
            return text

    def fits(shown: str) -> bool:
        return width(f"{shown}, …") <= room

    shown = ""
    for first, last in runs:
        before = f"{shown}, " if shown else ""
        kept = _most_that_fit(last - first + 1, partial(_run_fits, before, first, fits))
        if kept:
            shown = before + _run_text(first, first + kept - 1)
        if kept <= last - first:
            break
    return f"{shown or numbers[0]}, …"


def _run_fits(before: str, first: int, fits: Callable[[str], bool], kept: int) -> bool:
    return fits(before + _run_text(first, first + kept - 1))


def _most_that_fit(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``most`` that fits, 0 for none; from 3 on, larger is wider."""
    if fits(most):
        return most
    # "4, 5" is wider than "4–6": 1 and 2 are looked at by themselves
    low, high = 3, most - 1
    while low <= high:
        middle = (low + high) // 2
        if fits(middle):
            low = middle + 1
        else:
            high = middle - 1
    if low > 3:
        return low - 1
    return next((kept for kept in (2, 1) if kept < most and fits(kept)), 0)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as first and last of those that follow each other."""
    ends: tuple[int, int] | None = None
    for number in numbers:
        if ends is not None and number == ends[1] + 1:
            ends = ends[0], number
            continue
        if ends is not None:
            yield ends
        ends = number, number
    if ends is not None:
        yield ends


def _run_text(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}–{last}" if last - first > 1 else f"{first}, {last}"
