"""Text of numbers: as short as a tolerance allows, or exact."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: From how much on, and from how coarse a rounding on, which unit is taken, and its sign.
_LARGE = ((1e9, 1e6, 1e9, "bn"), (1e6, 1e2, 1e6, "M"), (1e4, 1e2, 1e3, "k"))


def short_number(value: float, finest: float) -> str:
    """A number rounded to the power of ten at or below ``finest``; 310k, 1.25M for large ones."""
    if not math.isfinite(value):
        return str(value)
    if finest <= 0 or not math.isfinite(finest):
        return exact_number(value)
    place = math.floor(math.log10(finest))
    rounded = round(value, -place)
    if rounded == 0:
        return "0"
    if abs(rounded) >= 1e15 or abs(rounded) < 1e-4:
        digits = max(1, math.floor(math.log10(abs(rounded))) - place + 1)
        return f"{rounded:.{min(digits, 12)}g}"
    for least, coarse, unit, letter in _LARGE:
        if abs(rounded) >= least and 10**place >= coarse:
            text = _plain(rounded / unit, round(math.log10(unit)) - place)
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text}{letter}"
    return _plain(rounded, -place)


def short_numbers(values: Sequence[float]) -> list[str]:
    """Numbers that are compared with each other, to three digits of the largest."""
    finest = max(map(abs, values), default=0.0) / 100
    return [short_number(value, finest) for value in values]


def _plain(value: float, decimals: int) -> str:
    """With so many decimals at most; none where the number is whole."""
    whole = value == round(value)
    return f"{value:.{0 if whole else max(0, decimals)}f}"


def exact_number(value: float) -> str:
    """A number in full, without needless zeros."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def amount(rows: float) -> str:
    """Return a number of rows, or a weight, as text with thousands separators."""
    return f"{rows:,.0f}" if float(rows).is_integer() or abs(rows) >= 100 else f"{rows:,.1f}"
