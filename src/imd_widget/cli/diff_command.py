"""``imd-widget diff``: compare two columns of a file."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from imd_widget._base.errors import InputError
from imd_widget.api.diff import diff
from imd_widget.cli.arguments import flag_of, given_values
from imd_widget.cli.exits import Exit
from imd_widget.cli.joining import JoinedFiles, open_joined, read_columns_of_files
from imd_widget.cli.output import (
    print_error,
    print_note,
    print_result,
    remarks,
    shown,
)
from imd_widget.cli.outputs import Output, checked_outputs, files_of, write_all
from imd_widget.cli.parts import DataParts, check_possible, is_parts, open_parts
from imd_widget.cli.reading import DataFile, open_file, remark_on_text, with_dates
from imd_widget.cli.report import json_report, text_report
from imd_widget.cli.wording import Wording
from imd_widget.comparison.gate import ALL_ROWS, check
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.verdict import Limits, Verdict
from imd_widget.export.formats import formats_of
from imd_widget.export.json_format.reading import load
from imd_widget.large.partitions import without_bars
from imd_widget.models.files import is_model_file, read_model
from imd_widget.rules.languages import value_text

#: Maximal number of names that an error lists.
MOST_NAMES = 30
#: Separators that are looked for in a file that seems to have one column.
SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Choice:
    """Names of the columns that are used."""

    #: Names of columns by the arguments of `imd.diff` that they stand for, such as "m1".
    roles: dict[str, str]
    #: Names of the columns that rules may use.
    X: tuple[str, ...]
    #: Names of the columns whose groups are reported.
    by: tuple[str, ...] = ()
    #: Models that were read from files, by the arguments that they stand for.
    models: dict[str, Any] = field(default_factory=dict)


def compare(given: argparse.Namespace) -> Exit:
    """Compare two columns of a file, write the output files and print a report."""

    def progress(text: str) -> None:
        if not given.quiet:
            print_note(text)

    with remarks(Wording.of(given).text) as remarked, _bars(given.quiet):
        # every error of the command is raised before the work starts
        read_columns_of_files(given)
        outputs = checked_outputs(given, ModelDiff)
        check_limits(given)
        baseline = _baseline(given)
        d = _compared(given, outputs, progress)
        for source, parts in d.derived.items():
            progress(f"derived from {source}: {', '.join(parts)}")
        limits = limits_of(given)
        labels = None
        if given.labels is not None:
            labels = d.with_labels(given.labels, other_labels=given.other_labels)
        verdict = None
        if limits:
            verdict = check(d, Limits(**limits), given.min_rows, baseline, labels)
        content = partial(_content, d, given=given, verdict=verdict)
        written, failures = write_all(outputs, content, progress)
        if given.to_label is not None:
            written = [*written, d.to_label(given.n_labels).save(given.to_label)]
        report = text_report(d, verdict, written, labels)
        if given.json:
            report = json_report(d, verdict, remarked, written, labels)
        if not any(output.is_stdout for output in outputs):
            failures += print_result(report)
        for sentence in () if verdict is None else _notes(verdict, given.quiet):
            print_note(sentence)
        for failure in failures:
            print_error(failure)
    if failures:
        return Exit.UNWRITTEN
    return Exit.FINE if verdict is None or verdict.passed else Exit.DIFFER


def _baseline(given: argparse.Namespace) -> Any:
    """The diff of last time; None if none was given."""
    if given.baseline is None:
        return None
    if Path(given.baseline).suffix.lower() != ".json":
        raise InputError(
            f"--baseline {given.baseline}: name the .json file of last time, which -o last.json "
            "writes."
        )
    try:
        return load(given.baseline)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"--baseline {given.baseline} cannot be read: {reason}.") from error


def _notes(verdict: Verdict, quiet: bool) -> list[str]:
    """What stderr reports of a verdict: what failed, and what held for all rows."""
    failed = list(verdict.reasons)
    if quiet:
        return failed
    held = [one.text for one in verdict.checks if one.passed and one.where == ALL_ROWS]
    return [*failed, *held]


def _compared(
    given: argparse.Namespace, outputs: Sequence[Output], progress: Callable[[str], None]
) -> ModelDiff:
    """Read and compare; nothing is made or read before everything that can be checked is."""

    def comparing(n_rows: int) -> None:
        progress(f"comparing {given.m1} and {given.m2}: {n_rows:,} rows, {columns_text(choice)}")

    if given.on is None and is_parts(given.files):
        check_possible(given)
        parts = open_parts(given.files, given.separator)
        choice = choose(parts, given)
        make_folders(files_of(outputs))
        progress(f"reading {parts.title} in parts")
        comparing(parts.n_rows)
        return _diff_parts(parts, choice, given)
    file: DataFile | JoinedFiles
    if given.on is None:
        file = open_file(given.files[0], given.separator)
    else:
        file = open_joined(given)
        given.names = given.names or file.models
        given.m1, given.m2 = file.outputs
        # a key describes no property of a row
        given.drop = [*given.drop, *(name for name in file.on if name not in (given.columns or ()))]
    choice = choose(file, given)
    make_folders(files_of(outputs))
    progress(f"reading {file.path}")
    frame = file.read(list(dict.fromkeys((*choice.roles.values(), *choice.X, *choice.by))))
    comparing(len(frame))
    return _diff(file, frame, choice, given)


def _bars(quiet: bool) -> AbstractContextManager[None]:
    """Context in which progress bars are shown in a terminal only."""
    in_terminal = sys.stderr is not None and sys.stderr.isatty()
    return without_bars() if quiet or not in_terminal else nullcontext()


def limits_of(given: argparse.Namespace) -> dict[str, float]:
    """The limits that were given, by the arguments of `ModelDiff.check`."""
    names = [one.name for one in fields(Limits)]
    every = {name: getattr(given, _dest(name)) for name in names}
    return {name: value for name, value in every.items() if value is not None}


def _dest(limit: str) -> str:
    return str(flag_of(limit)).removeprefix("--").replace("-", "_")


def check_limits(given: argparse.Namespace) -> None:
    """Raise an `InputError` if a limit needs a column that was not named."""
    limits = limits_of(given)
    _check_label_files(given)
    if given.min_rows < 1:
        raise InputError(f"--min-rows {given.min_rows}: a whole number from 1 up is needed.")
    for name in limits:
        by_labels = name == "net" and given.labels is not None
        if name not in ("disagreement", "same") and given.y is None and not by_labels:
            raise InputError(f"{flag_of(name)} needs the true outputs: name their column with --y.")
    if "group_breaks" in limits and not hasattr(given, "by"):
        raise InputError("--fail-group needs groups: name a column with --by.")
    if given.baseline is not None and not {"disagreement", "breaks", "rule_breaks"} & set(limits):
        raise InputError(
            "--baseline leaves out regions that are known, and there is no limit that counts "
            "regions: add --fail-rule-breaks, --fail-over or --fail-breaks."
        )
    if limits.get("same") == 0:
        raise InputError(
            "--fail-unless-same 0: no number of rows shows that two models are the same on every "
            "row. Give the share of rows that does not matter, such as 1%; --fail-over 0 fails if "
            "one row differs."
        )


def _check_label_files(given: argparse.Namespace) -> None:
    """Raise an `InputError` if a file of rows to label cannot be written, or read."""
    if given.to_label is not None:
        if Path(given.to_label).suffix.lower() != ".csv":
            raise InputError(f"--to-label {given.to_label}: name a .csv file.")
        make_folders([Path(given.to_label)], "--to-label")
    if given.labels is not None and not Path(given.labels).is_file():
        raise InputError(f"--labels {given.labels}: there is no such file.")


def choose(
    file: DataFile | DataParts | JoinedFiles, given: argparse.Namespace, models: Sequence[str] = ()
) -> Choice:
    """Return the columns that are used; ``models`` are those of ``--models``."""
    roles = given_values(given, "column")
    in_files: dict[str, str] = {
        role: roles.pop(role)
        for role in ("m1", "m2")
        if role in roles and roles[role] not in file.names and is_model_file(roles[role])
    }
    flagged = [(str(flag_of(role)), name) for role, name in roles.items()]
    flagged += [("--models", name) for name in models]
    by: list[str] = getattr(given, "by", [])
    for option, names in (
        *((flag, [name]) for flag, name in flagged),
        ("--by", by),
        ("--columns", given.columns or []),
        ("--drop", given.drop),
    ):
        for name in names:
            _check_name(file, option, name)
    used: dict[str, str] = {}
    for flag, name in flagged:
        if name in used:
            raise InputError(
                f"{used[name]} and {flag} are the same column, {shown(name)}: give each its own."
            )
        used[name] = flag
    for name in given.columns or []:
        if name in used:
            raise InputError(
                f"--columns has {shown(name)}, which is {used[name]}: rules would use what "
                "they are to explain. Leave it out."
            )
    wanted = file.names if given.columns is None else tuple(dict.fromkeys(given.columns))
    X = tuple(name for name in wanted if name not in used and name not in given.drop)
    if not X:
        raise InputError(
            f"no column of {file.title} is left for rules: it has "
            f"{_listed(file.names)}. Besides the outputs at least one is needed; --drop fewer."
        )
    loaded: dict[str, Any] = {role: read_model(name) for role, name in in_files.items()}
    return Choice(roles, X, tuple(by), loaded)


def _check_name(file: DataFile | DataParts | JoinedFiles, option: str, name: str) -> None:
    if name in file.names:
        return
    folded = {column.strip().casefold(): column for column in reversed(file.names)}
    near = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    hint = f" Did you mean {shown(folded[near[0]])}?" if near else ""
    if len(file.names) == 1 and file.separator is not None:
        hint = _separator_hint(file.names[0], file.separator)
    raise InputError(
        f"{option}: {_has(file)} no column {shown(name)}.{hint} "
        f"{'They have' if isinstance(file, JoinedFiles) else 'It has'} {_listed(file.names)}."
    )


def _has(file: DataFile | DataParts | JoinedFiles) -> str:
    return f"{file.title} {'have' if isinstance(file, JoinedFiles) else 'has'}"


def _separator_hint(name: str, separator: str) -> str:
    """The advice for a file that seems to have a single column."""
    used = "a tab" if separator == "\t" else repr(separator)
    within = [sign for sign in SEPARATORS if sign != separator and sign in name]
    if not within:
        return f" Are its values not separated by {used}? Use --separator."
    sign = max(within, key=name.count)
    typed = "tab" if sign == "\t" else f"'{sign}'"
    return f" Its values do not seem to be separated by {used}: try --separator {typed}."


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    if more <= 0:
        return ", ".join(map(shown, names))
    # the first and the last names: outputs are often the last columns
    half = MOST_NAMES // 2
    begin, end = (", ".join(map(shown, part)) for part in (names[:half], names[-half:]))
    return f"{begin}, {more} more, {end}"


def make_folders(outputs: Sequence[Path], flag: str = "-o") -> None:
    """Create the folders of the output files, and check that these can be written."""
    for path in outputs:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{flag} {path}: the folder {path.parent} cannot be made ({error.strerror})."
            ) from error
        try:
            exists = _exists(path)
        except OSError as error:  # such as a name that is too long
            raise InputError(f"{flag} {path} cannot be written: {error.strerror}.") from error
        if path.is_dir():
            raise InputError(f"{flag} {path} is a folder: name the file to write in it.")
        if not os.access(path if exists else path.parent, os.W_OK):
            raise InputError(f"{flag} {path} cannot be written: you may not write there.")


def _exists(path: Path) -> bool:
    """Whether a file exists; raises OSError for an invalid name, as `Path.exists` may not."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def columns_text(choice: Choice) -> str:
    """How many columns rules may use."""
    return f"{len(choice.X):,} columns" if len(choice.X) != 1 else "1 column"


def _diff(
    file: DataFile | JoinedFiles,
    frame: pd.DataFrame,
    choice: Choice,
    given: argparse.Namespace,
) -> ModelDiff:
    column = {role: frame[name] for role, name in choice.roles.items()}
    y, weight = column.get("y"), column.get("sample_weight")
    for role in (role for role in ("m1", "m2") if role in choice.roles):
        check_complete(file, frame, choice.roles[role], str(flag_of(role)))
    if needs_truth(given) and y is not None and not _counting(y, weight).any():
        raise _unknown_truth(given)
    X = frame[list(choice.X)]
    if file.kind == "csv":
        remark_on_text(frame, choice.X)
    if file.kind != "parquet":
        X = with_dates(X)
    options = {**given_values(given, "diff"), **groups_of(frame, given)}
    if hasattr(given, "pos_label"):
        options["pos_label"] = label_of(given.pos_label, y)
    outputs = column | choice.models
    with _calling(choice):
        return diff(
            outputs["m1"],
            outputs["m2"],
            X,
            y=y,
            names=given.names or (given.m1, given.m2),
            sample_weight=weight,
            groups=column.get("groups"),
            **options,
        )


@contextmanager
def _calling(choice: Choice) -> Iterator[None]:
    """Convert any error of a model from a file into an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not choice.models:
            raise
        why = " ".join(str(error).split())
        raise InputError(
            f"a model could not be called with the table ({type(error).__name__}: {why[:300]}). "
            "Its columns need the names and types that it was trained with."
        ) from error


def groups_of(frame: pd.DataFrame, given: argparse.Namespace) -> dict[str, Any]:
    """The argument ``by``, which may be columns that rules may not use; empty if not given."""
    if not hasattr(given, "by"):
        return {}
    names = list(dict.fromkeys(given.by))
    return {"by": frame[names[0]] if len(names) == 1 else frame[names]}


def _diff_parts(parts: DataParts, choice: Choice, given: argparse.Namespace) -> ModelDiff:
    """The same of files that are read in parts: columns are passed by their names."""
    roles = choice.roles
    _check_complete_parts(parts, {role: roles[role] for role in ("m1", "m2") if role in roles})
    y, weight = roles.get("y"), roles.get("sample_weight")
    if needs_truth(given) and y is not None:
        frames = parts.frames([y, *([weight] if weight else [])])
        if not any(_counting(part[y], part[weight] if weight else None).any() for part in frames):
            raise _unknown_truth(given)
    options = given_values(given, "diff")
    if hasattr(given, "pos_label"):
        known = None
        if y is not None:
            known = pd.concat([part[y].drop_duplicates() for part in parts.frames([y])])
        options["pos_label"] = label_of(given.pos_label, known)
    outputs = roles | choice.models
    with _calling(choice):
        return diff(
            outputs["m1"],
            outputs["m2"],
            parts.reader([*roles.values(), *choice.X]),
            y=y,
            names=given.names or (given.m1, given.m2),
            sample_weight=weight,
            **options,
        )


def _check_complete_parts(parts: DataParts, names: Mapping[str, str]) -> None:
    """Raise an `InputError` if an output of any file is missing."""
    gaps = {role: _Gaps(name) for role, name in names.items()}
    for frame in parts.frames(list(names.values())):
        for gap in gaps.values():
            gap.add(frame)
    for role, gap in gaps.items():
        gap.check(str(flag_of(role)), is_csv=False)


def needs_truth(given: argparse.Namespace) -> str | None:
    """The first option that was given which compares outputs with the truth."""
    needing = [name for name in limits_of(given) if name not in ("disagreement", "same")]
    return flag_of(needing[0]) if needing else None


def _unknown_truth(given: argparse.Namespace) -> InputError:
    return InputError(
        f"{needs_truth(given)}: no row that counts has a value in the column {shown(given.y)} "
        "(--y), so it is unknown which model is right."
    )


def _counting(y: pd.Series[Any], weight: pd.Series[Any] | None) -> pd.Series[bool]:
    """Mask of the rows where y is known and the weight is positive."""
    if weight is None:
        return y.notna()
    return y.notna() & (pd.to_numeric(weight, errors="coerce") > 0)


def check_complete(file: DataFile | JoinedFiles, frame: pd.DataFrame, name: str, flag: str) -> None:
    """Raise an `InputError` if an output is missing in a row."""
    gaps = _Gaps(name)
    gaps.add(frame)
    gaps.check(flag, is_csv=file.separator is not None)


@dataclass
class _Gaps:
    """Rows without a value in a column: how many, and which is the first."""

    name: str
    n_rows: int = 0
    n_missing: int = 0
    first: int = 0
    is_numeric: bool = True

    def add(self, frame: pd.DataFrame) -> None:
        """Count the next rows."""
        missing = frame[self.name].isna().to_numpy()
        if missing.any() and not self.n_missing:
            self.first = self.n_rows + int(missing.argmax())
        self.n_rows += len(frame)
        self.n_missing += int(missing.sum())
        self.is_numeric &= pd.api.types.is_numeric_dtype(frame[self.name].dtype)

    def check(self, flag: str, is_csv: bool) -> None:
        """Raise an `InputError` if there are such rows."""
        if not self.n_missing:
            return
        text = ""
        if is_csv:
            text = " (In a CSV file, words such as NA and None count as no value.)"
        instead = "" if self.is_numeric else ", or write a label of their own such as 'no answer'"
        raise InputError(
            f"the column {shown(self.name)} ({flag}) has no value in {self.n_missing:,} of "
            f"{self.n_rows:,} rows, the first of them is row {self.first + 1:,}."
            f"{text} Every row needs an output: leave those rows out{instead}."
        )


def label_of(text: str, y: pd.Series[Any] | None) -> Any:
    """The label of y whose text is ``text`` (1, if y has numbers); else the text itself."""
    known = [] if y is None else y.dropna().unique().tolist()
    return next((label for label in known if text in (str(label), value_text(label))), text)


def _content(
    d: ModelDiff, output: Output, given: argparse.Namespace, verdict: Verdict | None
) -> bytes:
    if output.suffix == ".md":
        return d.to_markdown(verdict).encode("utf-8")
    page = given_values(given, "page") if output.is_page else {}
    return formats_of(ModelDiff)[output.suffix].content(d, **page)
