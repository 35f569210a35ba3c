"""Sanitises, measures, cuts and wraps text; formats numbers."""

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
#: Installed with matplotlib; its glyphs are wide, so that a replacement fits too.
SURE = "DejaVu Sans"
#: Fallbacks for glyphs that the chosen font lacks, if they are installed.
_FALLBACKS = (
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
#: Most characters of a text; of a longer one only the first and the last would fit.
LONGEST = 160
_AROUND_A_JOIN = "\u200c\u200d"


@dataclass(frozen=True)
class Font:
    """Font families, in the order in which they are searched for a glyph."""

    families: tuple[str, ...]

    @classmethod
    def sure(cls) -> Font:
        """Return `SURE`, the same on every machine, with the installed fallbacks."""
        return cls((SURE, *_installed()))

    @classmethod
    def wanted(cls) -> Font:
        """Return the font of the user's rcParams, so that a figure has the font of its paper."""
        # resolved by file, since a generic family such as "serif" may change before drawing
        file = fontManager.findfont(FontProperties(family=rcParams["font.family"]))
        name = get_font(file).family_name
        return cls(tuple(dict.fromkeys((name, SURE, *_installed()))))

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Return the width to reserve for a line of text, in points."""
        # on a screen glyphs are moved to whole pixels, which may widen the text
        return 1.03 * self.length(text, size, bold)

    def length(self, text: str, size: float, bold: bool = False) -> float:
        """Return the width of a line of text as measured, in points."""
        return _width(self.families, text, bold) * size

    def properties(self, size: float, bold: bool) -> FontProperties:
        """Return matplotlib's font properties."""
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
    return tuple(name for name in _FALLBACKS if name in names)


@lru_cache(maxsize=20_000)
def _width(families: tuple[str, ...], text: str, bold: bool) -> float:
    """Return the width of a text at size 1."""
    if not text:
        return 0.0
    properties = Font(families).properties(100, bold)
    with quiet():
        width, _, _ = text_to_path.get_text_width_height_descent(text, properties, ismath=False)
    return float(width) / 100


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore matplotlib's warnings about glyphs that no font has; it draws a frame instead."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


def harmless(text: str, longest: int = LONGEST) -> str:
    """Return one line without control and format characters; the middle of long text is cut."""
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
    """Return the text, cut in the middle to fit: names with a common prefix differ at the end."""
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
    """Return one line if it fits, else two of similar width, each cut if necessary."""
    if width(text) <= room:
        return [text]
    best, narrowest = [text], float("inf")
    # of a very long text only the ends can be shown
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    for i in spaces if len(spaces) < 40 else spaces[:20] + spaces[-20:]:
        lines = [text[:i], text[i + 1 :]]
        # a line that ends in an operator reads badly: "age <" / "42"
        if not all(lines) or re.search(r"(^|\s)[<>=≤≥≠]+$", lines[0]):
            continue
        widest = max(map(width, lines))
        if widest < narrowest:
            best, narrowest = lines, widest
    return [cut_middle(line, room, width) for line in best]


def count(value: float) -> str:
    """Return a number of rows with thousands separators."""
    return f"{value:,.0f}"


def short_count(value: float) -> str:
    """Return a number of rows in about five characters."""
    if value < 10_000:
        return count(value)
    # a number that rounds to 1,000K is 1M, and halves are rounded up, as in the browser
    for power, sign in ((1e3, "K"), (1e6, "M")):
        if (tenths := _rounded(10 * value / power)) < 10_000:
            return f"{tenths / 10:.1f}".removesuffix(".0") + sign
    return f"{_rounded(value / 1e8) / 10:,.1f}".removesuffix(".0") + "B"


def percent(share: float | None) -> str:
    """Return a share in per cent; 0 % and 100 % only if share is exactly 0 or 1."""
    if share is None:
        return "–"
    whole = _rounded(share * 100)
    if whole == 0 and share > 0:
        return "<1\u00a0%"
    if whole == 100 and share < 1:
        return ">99\u00a0%"
    return f"{whole}\u00a0%"


def _rounded(value: float) -> int:
    """Return floor(value + 0.5), as JavaScript's Math.round; Python rounds halves to even."""
    return math.floor(value + 0.5)


def plural(value: float, one: str) -> str:
    """Return a count and its noun."""
    return f"{count(value)} {one if value == 1 else one + 's'}"


def rule_numbers(numbers: list[int]) -> str:
    """Return numbers of rules, which are indices into ``d.rules``, as text: "0", "2–5, 8"."""
    return ", ".join(_run_text(*run) for run in _runs(numbers))


def numbers_within(numbers: list[int], room: float, width: Callable[[str], float]) -> str:
    """Return as many of the numbers as fit, with "…" if some are omitted.

    The number of texts that are measured depends on ``room``, not on the number of numbers.
    """
    # a number takes at least one digit and the comma before it
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
    """Return the largest number <= ``most`` that fits, or 0; ``fits`` is monotone from 3 on."""
    if fits(most):
        return most
    # "4, 5" is wider than "4–6": 1 and 2 are checked separately
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
    """Iterate over the runs of consecutive numbers, as (first, last); the numbers ascend."""
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
