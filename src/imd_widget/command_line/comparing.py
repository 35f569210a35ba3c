"""``imd-widget diff``: two columns of a file compared."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from imd_widget.command_line.arguments import PASSED_ON, Exit
from imd_widget.command_line.reading import DataFile, open_file, with_dates
from imd_widget.command_line.report import Verdict, json_report, text_report
from imd_widget.command_line.speaking import in_options, remarks, say
from imd_widget.compare import ModelDiff, diff
from imd_widget.errors import InputError
from imd_widget.export import check_path
from imd_widget.options import check_whole
from imd_widget.page import MOST_STEPS
from imd_widget.rules.languages import value_text

#: Names that are listed in an error, at most.
MOST_NAMES = 30


@dataclass(frozen=True)
class Choice:
    """Names of the columns that are used.

    Attributes
    ----------
    m1, m2 : str
    y, weight : str or None
    X : tuple of str
    """

    m1: str
    m2: str
    y: str | None
    weight: str | None
    X: tuple[str, ...]

    @property
    def roles(self) -> dict[str, str]:
        """What a column is used for, and its name."""
        roles = {"m1": self.m1, "m2": self.m2, "y": self.y, "weight": self.weight}
        return {role: name for role, name in roles.items() if name is not None}


def compare(given: argparse.Namespace) -> Exit:
    """Compare two columns of a file, write what is asked for, print what was found."""

    def progress(text: str) -> None:
        if not given.quiet:
            say(f"imd-widget: {text}", sys.stderr)

    with remarks() as remarked:
        # all that can be wrong with the command is told before the work starts
        outputs = _checked_outputs(given)
        file = open_file(given.file, given.separator)
        choice = _choose(file, given)
        make_folders(outputs)
        progress(f"reading {file.path}")
        frame = file.read([*choice.roles.values(), *choice.X])
        progress(f"comparing {choice.m1} and {choice.m2}: {len(frame):,} rows, {_columns(choice)}")
        d = _diff(file, frame, choice, given)
        for path in outputs:
            progress(f"writing {path}")
            _save(d, path, given)
        verdict = Verdict.of(d, given.fail_over, given.fail_breaks)
        if given.json:
            say(json_report(d, verdict, remarked, outputs), sys.stdout)
        else:
            say(in_options(text_report(d, outputs)), sys.stdout)
        for sentence in verdict.sentences:
            if verdict.failed or not given.quiet:
                say(f"imd-widget: {sentence}", sys.stderr)
    return Exit.DIFFER if verdict.failed else Exit.FINE


def _checked_outputs(given: argparse.Namespace) -> list[Path]:
    outputs: list[Path] = list(dict.fromkeys(given.output))
    for path in outputs:
        check_path(path)
        if path.exists() and given.file.exists() and path.samefile(given.file):
            raise InputError(f"-o {path} is the file to be read: name another one.")
    if not any(path.suffix.lower() == ".html" for path in outputs):
        for option in ("rows", "refinements"):
            if getattr(given, option) is not None:
                raise InputError(f"--{option} is of pages, and no -o ends with .html.")
    if given.refinements is not None:
        check_whole("refinements", given.refinements, 0, MOST_STEPS)
    if given.fail_breaks is not None and given.y is None:
        raise InputError(
            "--fail-breaks asks which model is right: name the column of the truth with --y."
        )
    return outputs


def _choose(file: DataFile, given: argparse.Namespace) -> Choice:
    roles = {
        role: getattr(given, role)
        for role in ("m1", "m2", "y", "weight")
        if getattr(given, role) is not None
    }
    for option, names in (
        *((f"--{role}", [name]) for role, name in roles.items()),
        ("--columns", given.columns or []),
        ("--drop", given.drop),
    ):
        for name in names:
            _check_name(file, option, name)
    used: dict[str, str] = {}
    for role, name in roles.items():
        if name in used:
            raise InputError(
                f"--{used[name]} and --{role} are the same column, {name!r}: give each its own."
            )
        used[name] = role
    for name in given.columns or []:
        if name in used:
            raise InputError(
                f"--columns has {name!r}, which is --{used[name]}: rules would speak of what they "
                "are to explain. Leave it out."
            )
    wanted = file.names if given.columns is None else tuple(dict.fromkeys(given.columns))
    X = tuple(name for name in wanted if name not in used and name not in given.drop)
    if not X:
        raise InputError(
            f"no column of {file.path.name} is left for rules to speak of: it has "
            f"{_listed(file.names)}. Besides the outputs at least one is needed; --drop fewer."
        )
    return Choice(given.m1, given.m2, given.y, given.weight, X)


def _check_name(file: DataFile, option: str, name: str) -> None:
    if name in file.names:
        return
    folded = {own.strip().casefold(): own for own in reversed(file.names)}
    near = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
    if len(file.names) == 1 and file.separator is not None:
        sign = "tab" if file.separator == "\t" else repr(file.separator)
        hint = f" Are its values not separated by {sign}? --separator tells by what."
    raise InputError(
        f"{option}: {file.path.name} has no column {name!r}.{hint} It has {_listed(file.names)}."
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    if more <= 0:
        return ", ".join(map(repr, names))
    # outputs are often the last ones
    half = MOST_NAMES // 2
    begin, end = (", ".join(map(repr, part)) for part in (names[:half], names[-half:]))
    return f"{begin}, {more} more, {end}"


def make_folders(outputs: Sequence[Path]) -> None:
    """Make the folders of files to be written, before the work starts."""
    for path in outputs:
        if path.is_dir():
            raise InputError(f"-o {path} is a folder: name the file to write in it.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"-o {path}: the folder {path.parent} cannot be made ({error.strerror})."
            ) from error
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(f"-o {path} cannot be written: you may not write there.")


def _columns(choice: Choice) -> str:
    return f"{len(choice.X):,} columns" if len(choice.X) != 1 else "1 column"


def _diff(
    file: DataFile, frame: pd.DataFrame, choice: Choice, given: argparse.Namespace
) -> ModelDiff:
    y = None if choice.y is None else frame[choice.y]
    weight = None if choice.weight is None else frame[choice.weight]
    _check_complete(file, frame, choice)
    if given.fail_breaks is not None and y is not None and not _counting(y, weight).any():
        raise InputError(
            f"--fail-breaks: no row that counts has a value in the column {choice.y!r} (--y), so "
            "nobody knows which model is right."
        )
    X = frame[list(choice.X)]
    if file.separator is not None:
        X = with_dates(X)
    options = {name: getattr(given, name) for name in PASSED_ON if hasattr(given, name)}
    if hasattr(given, "pos_label"):
        options["pos_label"] = _label(given.pos_label, y)
    try:
        return diff(
            frame[choice.m1],
            frame[choice.m2],
            X,
            y=y,
            names=given.names or (choice.m1, choice.m2),
            sample_weight=weight,
            **options,
        )
    except InputError as error:
        raise InputError(in_options(str(error)) + _who_is_who(str(error), choice)) from error


def _counting(y: pd.Series[Any], weight: pd.Series[Any] | None) -> pd.Series[bool]:
    """For each row: is its truth known, and does it count?"""
    if weight is None:
        return y.notna()
    return y.notna() & (pd.to_numeric(weight, errors="coerce") > 0)


def _check_complete(file: DataFile, frame: pd.DataFrame, choice: Choice) -> None:
    """Whether every row has both outputs."""
    for role in ("m1", "m2"):
        name = choice.roles[role]
        missing = frame[name].isna().to_numpy()
        if missing.any():
            text = "" if file.separator is None else " (In CSV, words such as NA and None are too.)"
            raise InputError(
                f"the column {name!r} (--{role}) is missing in {int(missing.sum()):,} of "
                f"{len(frame):,} rows, the first is row {int(missing.argmax()) + 1:,}.{text} "
                "Every row needs an output: leave those rows out, or write a label of their own "
                "such as 'no answer'."
            )


def _label(text: str, y: pd.Series[Any] | None) -> Any:
    """The label that is written like this: 1, if the truth is of numbers, not "1"."""
    known = [] if y is None else y.dropna().unique().tolist()
    return next((label for label in known if text in (str(label), value_text(label))), text)


def _who_is_who(error: str, choice: Choice) -> str:
    """Which columns the library speaks of."""
    spoken = [role for role in ("m1", "m2", "y") if re.search(rf"\b{role}\b", error)]
    known = [
        f"{role} is the column {choice.roles[role]!r}" for role in spoken if role in choice.roles
    ]
    return f" ({', '.join(known)})" if known else ""


def _save(d: ModelDiff, path: Path, given: argparse.Namespace) -> None:
    options: dict[str, int] = {}
    if path.suffix.lower() == ".html":
        options = {
            name: getattr(given, name)
            for name in ("refinements", "rows")
            if getattr(given, name) is not None
        }
    written(lambda: d.save(path, **options), path)


def written(save: Callable[[], Path], path: Path) -> Path:
    """Write a file; what the system has against it is told as an error of the command."""
    try:
        return save()
    except OSError as error:
        raise InputError(f"-o {path} could not be written: {error.strerror or error}.") from error
