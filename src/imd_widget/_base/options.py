"""Options declared once: the field of a record holds default, check, description and flag.

`imd_widget.diff` and its relatives, the command line and docs/options.md read these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Flag:
    """An option of the command line."""

    #: As it is typed, such as "--max-depth".
    name: str
    help: str
    #: Name of the value in the help; None if the value is one of some choices.
    metavar: str | None = None
    #: Whether it takes one value or more, as a list.
    several: bool = False


@dataclass(frozen=True)
class NotLarge:
    """Values of an option that a table read in partitions cannot have."""

    #: Why not; empty: it needs a table in memory, and there is no more to say.
    reason: str
    #: Whether a value is one of them; by default every value but None.
    refuses: Callable[[Any], bool] = lambda value: value is not None


@dataclass(frozen=True)
class Option:
    """An option of `imd_widget.diff`."""

    name: str
    default: Any
    #: The type, as a docstring writes it.
    type: str
    description: str
    #: Takes the name and the value, and returns the value to use; raises InputError if the value is
    #: not accepted.
    check: Callable[[str, Any], Any] | None = None
    #: The option of the command line.
    flag: Flag | None = None
    #: What a table that is read in partitions cannot have; None if it can have all of it.
    not_large: NotLarge | None = None

    @property
    def default_text(self) -> str:
        """The default, as a docstring writes it."""
        if self.default is None:
            return "optional"
        if isinstance(self.default, str):
            return f'default="{self.default}"'
        return f"default={self.default:,}".removesuffix(".0")

    def checked(self, value: Any) -> Any:
        """Return the value to use."""
        return value if self.check is None else self.check(self.name, value)


def option(
    default: Any,
    type: str,
    description: str,
    *,
    check: Callable[[str, Any], Any] | None = None,
    flag: Flag | None = None,
    not_large: NotLarge | None = None,
) -> Any:
    """Return a field of a record of options; see `Option`."""
    declared = {
        "type": type,
        "description": description,
        "check": check,
        "flag": flag,
        "not_large": not_large,
    }
    return field(default=default, metadata={"option": declared})


def options_of(record: Any) -> Iterator[Option]:
    """Yield the options that a record declares, in the order of its fields."""
    for own in fields(record):
        if own.init and "option" in own.metadata:
            assert own.default is not MISSING
            yield Option(own.name, own.default, **own.metadata["option"])


def check_options(record: Any) -> None:
    """Check and convert the options of a new record, which may be frozen."""
    for declared in options_of(record):
        value = declared.checked(getattr(record, declared.name))
        object.__setattr__(record, declared.name, value)
