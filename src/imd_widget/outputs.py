"""What two models speak of, and how it is said: classes, probabilities or values."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal

OutputKind = Literal["class", "proba", "value"]

#: A number is shown to about this part of the tolerance.
SHOWN_PART = 5
#: From how much on, which unit, and its sign.
_LARGE = ((1e9, 1e9, "bn"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))


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
    middle, decimals : float, int
        Taken off before outputs are added up, and decimals that a mean is given with.
    """

    kind: Literal["value", "proba"]
    what: str
    tolerance: float
    low: float
    high: float
    middle: float
    decimals: int

    @property
    def differs(self) -> str:
        """When a row differs, in words."""
        return f"more than {exact_number(self.tolerance)} apart"

    @property
    def plural(self) -> str:
        """What several outputs are."""
        if self.kind == "value":
            return "values"
        return self.what.replace("probability", "probabilities", 1)

    @property
    def slack(self) -> float:
        """Standard deviation up to which values count as one."""
        return self.tolerance / 2

    def text(self, value: float) -> str:
        """A value to the precision at which a difference shows: 310k, 0.31."""
        finest = self.tolerance / SHOWN_PART or (self.high - self.low) / 1000
        return short_number(value, finest)

    def said(self, value: float) -> str:
        """A value as a sentence says it: about 310k."""
        return f"about {self.text(value)}" if self.kind == "value" else self.text(value)


Outputs = ClassOutputs | ValueOutputs


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
    if abs(rounded) >= 1e15 or abs(rounded) < 1e-6:
        return f"{rounded:.3g}"
    for least, unit, letter in _LARGE:
        if abs(rounded) >= least and 10**place >= unit / 100:
            decimals = max(0, round(math.log10(unit)) - place)
            return f"{rounded / unit:.{decimals}f}{letter}"
    return f"{rounded:.{max(0, -place)}f}"


def exact_number(value: float) -> str:
    """A number in full, without needless zeros."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
