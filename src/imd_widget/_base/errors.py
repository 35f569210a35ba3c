"""Errors and warnings about what the user passed, independent of the words of one interface.

A message is a sequence of parts: plain text, and references such as ``Argument("m1")`` or
``Given("tolerance", 0.3)``. ``str`` of a reference is Python's wording: ``m1``, ``tolerance=0.3``.
Another interface passes its own wording to `Message.worded` and receives the same sentence in its
words: the command line writes ``--m1`` and ``--tolerance 0.3``. No interface parses the text.

An `InputError` also exposes what it is about as fields: ``argument``, ``value`` and ``hint``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

_PACKAGE = str(Path(__file__).parents[1])


@dataclass(frozen=True)
class Argument:
    """An argument of the public functions by its name, such as ``m1``."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Given(Argument):
    """An argument with the value that was passed: ``tolerance=-1``."""

    value: Any

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class Setting(Argument):
    """An argument as the user should write it: ``outputs="value"``; without values ``outputs=``."""

    values: tuple[Any, ...]

    def __init__(self, name: str, *values: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", values)

    def __str__(self) -> str:
        literals = ", ".join(map(_literal, self.values))
        return f"{self.name}=({literals})" if len(self.values) > 1 else f"{self.name}={literals}"


def _literal(value: Any) -> str:
    if value is ...:  # a placeholder: the user fills in the value
        return "..."
    return f'"{value}"' if isinstance(value, str) else repr(value)


@dataclass(frozen=True)
class Quoted:
    """Names or values of the user, each as its ``repr``, separated by commas."""

    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        object.__setattr__(self, "values", values)

    def __str__(self) -> str:
        return ", ".join(map(repr, self.values))


@dataclass(frozen=True)
class Foreign:
    """Text of another library, such as its error; it may be of any length."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Row:
    """A row of the table, by its position: the first is 0."""

    position: int

    def __str__(self) -> str:
        return f"row {self.position}"


@dataclass(frozen=True)
class Drop:
    """The advice to leave a column out of the table."""

    column: Hashable
    listed: bool = True

    def __str__(self) -> str:
        return f"X.drop(columns={[self.column] if self.listed else self.column!r})"


@dataclass(frozen=True)
class InPython:
    """Words for callers who write Python, and the words for all other users (default: none)."""

    text: str
    otherwise: str = ""

    def __str__(self) -> str:
        return self.text


Reference: TypeAlias = Argument | Quoted | Foreign | Row | Drop | InPython
Part: TypeAlias = str | Reference


class Message(str):
    """A text in Python's words, with the parts from which it can be worded for other interfaces.

    Parameters
    ----------
    *parts : str or reference
        Text, references, and other messages, whose parts are taken over.
    """

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Message:
        """Join the parts in Python's words."""
        flat: list[Part] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, Message) else [part])
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = tuple(flat)
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[Part, ...]]:
        return Message, self.parts

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that the message refers to, in reading order."""
        return tuple(part for part in self.parts if isinstance(part, Argument))

    def worded(self, wording: Callable[[Reference], str]) -> str:
        """The same text with each reference in the words of another interface."""
        return "".join(part if isinstance(part, str) else wording(part) for part in self.parts)


def some_of(values: Sequence[Any], most: int = 8) -> Message:
    """The first names or values of the user, each as its ``repr``; ", ..." if there are more."""
    return Message(Quoted(*values[:most]), ", ..." if len(values) > most else "")


class InputError(ValueError):
    """What came, what is accepted, and what to do about it.

    A ``ValueError``, so that code written for scikit-learn catches it too.

    Parameters
    ----------
    *message : str or reference
        Text and references, which are joined.
    hint : str, reference or Message, optional
        What to do; it follows the message.

    Attributes
    ----------
    message : Message
        The whole text, the hint included.
    argument : str or None
        The Python argument that the message is about: the first that it refers to.
    value : object
        The value that was passed for ``argument``; None if the message does not quote it.
    hint : Message or None
        What to do about it, where that is a sentence of its own.
    """

    # so that a traceback shows the public name
    __module__ = "imd_widget"

    def __init__(self, *message: Part, hint: Part = "") -> None:
        self.hint = Message(hint) if str(hint) else None
        self.message = Message(*message, *([" ", self.hint] if self.hint else []))
        super().__init__(str(self.message))
        first = next(iter(self.message.arguments), None)
        self.argument = None if first is None else first.name
        self.value = first.value if isinstance(first, Given) else None


class InputWarning(UserWarning):
    """Something that was given is used, but perhaps not as it was meant.

    Parameters
    ----------
    *message : str or reference
        Text and references, which are joined.
    """

    __module__ = "imd_widget"

    def __init__(self, *message: Part) -> None:
        self.message = Message(*message)
        super().__init__(str(self.message))


def warn(*message: Part) -> None:
    """Issue an `InputWarning` at the line of the user's code that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(InputWarning(*message), stacklevel=level)
