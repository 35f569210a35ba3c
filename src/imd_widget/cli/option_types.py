"""Types of option values: each converts the text, or raises an error with what is accepted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from imd_widget._base.shares import read_percent


def file_name(text: str) -> Path:
    """Convert the name of a file or folder, which is not empty: that would be this folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a name: give a file or a folder; the present folder is '.'."
        )
    return Path(text)


def share(text: str) -> float:
    """Convert a share of the rows: a number from 0 to 1, or a percentage."""
    given = text.strip()
    try:
        read = read_percent(given) if given.endswith("%") else float(given)
    except ValueError:
        read = None
    if read is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a share of the rows: give a number from 0 to 1, such as 0.05, or a "
            "percentage, such as 5%."
        )
    if not 0 <= read <= 1:
        is_percent = not given.endswith("%") and 1 < read <= 100
        hint = f" Did you mean {given}%?" if is_percent else ""
        raise argparse.ArgumentTypeError(
            f"{text!r} is not between 0 and 1 (0% and 100%), none and all of the rows.{hint}"
        )
    return read


def whole(text: str) -> int:
    """Convert an integer that is at least 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up.")
    return value


def distance(text: str) -> float | str:
    """Convert a tolerance: a number, or a percentage of the larger output, which stays a text."""
    return text if text.strip().endswith("%") else number(text)


def number(text: str) -> float:
    """Convert a float."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number.") from None


def separator(text: str) -> str:
    """Convert the separator of a CSV file: one character, or "tab"."""
    sign = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(sign) != 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not one sign: give for example ';', '|' or tab."
        )
    return sign


class TagAction(argparse.Action):
    """Collects "KEY=TEXT" of several options into a dict."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add one tag to those before it."""
        del option_string
        key, equals, text = values.partition("=")
        if not (key and equals):
            parser.error(f"argument --tag: {values!r} is not KEY=TEXT, such as release=2.1.")
        before = getattr(namespace, self.dest, None) or {}
        setattr(namespace, self.dest, {**before, key: text})


class DeriveAction(argparse.Action):
    """Collects "COL=PART,PART" of several options into a dict, which is empty for "none"."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add one value to those before it."""
        del option_string
        if values in ("auto", "none"):
            setattr(namespace, self.dest, {} if values == "none" else values)
            return
        column, equals, parts = values.rpartition("=")
        if not (column and equals and parts):
            parser.error(
                f"argument --derive: {values!r} is neither auto nor none nor a column and what to "
                "derive from it, such as review=words,length."
            )
        before = getattr(namespace, self.dest, None)
        known = before if isinstance(before, dict) else {}
        setattr(namespace, self.dest, {**known, column: tuple(parts.split(","))})
