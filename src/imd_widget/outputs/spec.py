"""What two models speak of, and how it is said: classes, probabilities or values."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from imd_widget._base.kinds import OutputKind

#: A number is shown to about this part of the tolerance.
SHOWN_PART = 5
#: From how much on, and from how coarse a rounding on, which unit is taken, and its sign.
_LARGE = ((1e9, 1e6, 1e9, "bn"), (1e6, 1e2, 1e6, "M"), (1e4, 1e2, 1e3, "k"))


@dataclass(frozen=True, eq=False)
class ClassOutputs:
    """Labels that both models give.

    Attributes
    ----------
    labels : tuple
        Every label that at least one model gave, sorted.
    class_names : tuple of str
        How they are shown, same order.
    """

    kind: ClassVar[OutputKind] = "class"

    labels: tuple[Hashable, ...]
    class_names: tuple[str, ...]

    @property
    def what(self) -> str:
        """What an output is."""
        return "class"

    @property
    def differs(self) -> str | None:
        """When a row differs, in words; None: when the outputs are not equal."""
        return None


@dataclass(frozen=True, eq=False)
class ValueOutputs:
    """Numbers that both models give, and when two of them count as different.

    Attributes
    ----------
    kind : {"value", "proba"}
    what : str
        What an output is: "value", "probability of yes".
    tolerance : float
        A row differs when the two outputs are more than this apart.
    low, high : float
        Between these lie nearly all outputs: the ends of a scale.
    middle, spread : float
        Outputs are added up less the one and divided by the other.
    by_default : bool
        Whether the tolerance was chosen here.
    median_apart, most_apart : float
        How far apart the outputs of half of the rows are at most, and of all.
    """

    kind: Literal["value", "proba"]
    what: str
    tolerance: float
    low: float
    high: float
    middle: float
    spread: float
    by_default: bool
    median_apart: float
    most_apart: float

    @property
    def differs(self) -> str:
        """When a row differs, in words."""
        if not self.tolerance:
            return "not equal"
        return f"more than {exact_number(self.tolerance)} apart"

    @property
    def plural(self) -> str:
        """What several outputs are."""
        if self.kind == "value":
            return "values"
        return self.what.replace("probability", "probabilities", 1)

    def mean(self, total: float, weight: float) -> float:
        """The mean of outputs from their sum, to the digits that do not depend on their order."""
        scaled = round(float(total) / max(float(weight), 1.0), 12)
        return float(f"{scaled * self.spread + self.middle:.12g}")

    @property
    def slack(self) -> float:
        """Standard deviation up to which values count as one."""
        return self.tolerance / 4

    def text(self, value: float) -> str:
        """A value to the precision at which a difference shows: 310k, 0.31."""
        return short_number(value, self._finest)

    def error_text(self, error: float) -> str:
        """How far a value is off, to a digit more: errors are compared with each other."""
        return short_number(error, self._finest / 10)

    @property
    def smallest_error(self) -> str:
        """The smallest error that `error_text` tells from 0."""
        step = 10.0 ** math.floor(math.log10(self._finest / 10))
        return short_number(step, step)

    @property
    def _finest(self) -> float:
        return self.tolerance / SHOWN_PART or (self.high - self.low) / 10_000

    def said(self, value: float) -> str:
        """A value as a sentence says it: about 310k."""
        return f"about {self.text(value)}" if self.kind == "value" else self.text(value)


Outputs = ClassOutputs | ValueOutputs


def is_above(apart: Any, tolerance: float) -> Any:
    """Whether distances are above the tolerance, and not only because 0.4 - 0.3 is above 0.1."""
    return apart > tolerance * (1 + 1e-9)


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


def _plain(value: float, decimals: int) -> str:
    """With so many decimals at most; none where the number is whole."""
    whole = value == round(value)
    return f"{value:.{0 if whole else max(0, decimals)}f}"


def exact_number(value: float) -> str:
    """A number in full, without needless zeros."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
