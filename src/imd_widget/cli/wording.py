"""Messages of the library in the words of the command line."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imd_widget._base.errors import (
    Argument,
    Drop,
    Foreign,
    Given,
    InputError,
    InPython,
    Message,
    Quoted,
    Reference,
    Row,
    Setting,
)
from imd_widget.cli.arguments import flag_of, given_values
from imd_widget.cli.output import LONGEST_FOREIGN, cut, shown
from imd_widget.many.models import model_argument


@dataclass(frozen=True)
class Wording:
    """The words of one command."""

    #: Names of columns of the file by the Python arguments that they stand for.
    columns: Mapping[str, str] = field(default_factory=dict)
    #: Whether ``--columns`` was given, which excludes ``--drop``.
    by_columns: bool = False
    #: Names of the columns of ``--models`` by what the library calls them.
    models: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: argparse.Namespace) -> Wording:
        """The words that fit the options of a command."""
        models = getattr(given, "models", None) or []
        names = getattr(given, "names", None) or models
        return cls(
            given_values(given, "column"),
            getattr(given, "columns", None) is not None,
            {model_argument(name): own for name, own in zip(names, models, strict=False)},
        )

    def error(self, error: InputError) -> str:
        """The text of an error, followed by the columns of the options that it names."""
        text = self.text(error.message)
        named = {argument.name for argument in error.message.arguments}
        columns = [
            f"{flag_of(argument)} is the column {shown(column)}"
            for argument, column in self.columns.items()
            if argument in named
        ]
        return f"{text} ({', '.join(columns)}.)" if columns else text

    def text(self, message: str) -> str:
        """A text of the library; without references it stays as it is."""
        return message.worded(self._reference) if isinstance(message, Message) else message

    def _reference(self, reference: Reference) -> str:
        match reference:
            case Argument(name) if name in self.models:
                return f"the column {shown(self.models[name])}"
            case Argument(name):
                return _option(reference, flag_of(name))
            case Quoted(values):
                return ", ".join(cut(repr(value)) for value in values)
            case Foreign(text):
                return cut(text, LONGEST_FOREIGN)
            case Row(position):
                return f"row {position + 1:,}"
            case Drop(column):
                option = "--columns without" if self.by_columns else "--drop"
                return f"{option} {_typed(column)}"
            case InPython(_, otherwise):
                return otherwise


def _option(reference: Argument, flag: str | None) -> str:
    match reference:
        case _ if flag is None:
            return str(reference)
        case Given(_, value):
            return f"{flag} {_typed(value)}"
        case Setting(_, values):
            return " ".join([flag, *map(_typed, values)])
        case _:
            return flag


def _typed(value: Any) -> str:
    """A value as it is typed at a prompt."""
    if value is ...:
        return "..."
    return shlex.quote(value) if isinstance(value, str) else str(value)
