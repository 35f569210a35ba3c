"""Two files, each with the outputs of one model, that are joined by a key."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from imd_widget._base.errors import InputError, Quoted, warn
from imd_widget.cli.output import shown
from imd_widget.cli.reading import STDIN, SUFFIXES, DataFile, Kind, open_file

#: Most columns that a remark names.
MOST_NAMED = 5


def read_columns_of_files(given: argparse.Namespace) -> None:
    """Take the outputs from ``file:column``, and check that both models have a column.

    The namespace then has paths in ``files`` and names of columns in ``m1`` and ``m2``.
    """
    split = [_split(path) for path in given.files]
    columns = [column for _, column in split]
    if any(column is not None for column in columns):
        if len(split) != 2 or None in columns or given.m1 is not None or given.m2 is not None:
            raise InputError(
                "FILE:COLUMN names the outputs of a model: give two of them, the old model and the "
                "new one, without --m1 and --m2."
            )
        given.m1, given.m2 = columns
        given.files = [path for path, _ in split]
        if given.on is None and given.files[0] == given.files[1]:
            given.files = given.files[:1]
    lacking = [f"--{name}" for name in ("m1", "m2") if getattr(given, name) is None]
    if lacking:
        raise InputError(
            f"the following arguments are required: {', '.join(lacking)}, the columns with the "
            "outputs of the old and of the new model."
        )
    if given.on is not None and len(given.files) != 2:
        count = "1 file" if len(given.files) == 1 else f"{len(given.files)} files"
        raise InputError(
            f"--on joins two files, not {count}: name the file of the old model and that of the "
            "new one."
        )
    if given.on is not None and all(str(path) in STDIN for path in given.files):
        raise InputError("only one of the two files can be stdin: name the other one.")


def _split(path: Path) -> tuple[Path, str | None]:
    """Split ``file:column``; a file whose own name has a colon stays as it is."""
    file, colon, column = str(path).rpartition(":")
    is_own = not colon or not file or not column or path.exists()
    known = file in STDIN or Path(file).exists() or file.lower().endswith(tuple(SUFFIXES))
    return (path, None) if is_own or not known else (Path(file), column)


@dataclass(frozen=True)
class JoinedFiles:
    """Two files that are joined by a key, with the interface of `DataFile`."""

    old: DataFile
    new: DataFile
    #: Names of the columns of the key, which both files have.
    on: tuple[str, ...]
    #: Names of the columns with outputs, of the old and of the new file.
    m1: str
    m2: str

    @property
    def title(self) -> str:
        """How messages name the files."""
        return f"{self.old.title} and {self.new.title}"

    @property
    def path(self) -> str:
        """How progress names the files."""
        return f"{self.old.path} and {self.new.path}"

    @property
    def kind(self) -> Kind:
        """CSV if one of them is, since its values have no types."""
        kinds = [self.old.kind, self.new.kind]
        return "csv" if "csv" in kinds else kinds[0]

    @property
    def separator(self) -> str | None:
        """The separator of CSV."""
        return self.old.separator or self.new.separator

    @property
    def outputs(self) -> tuple[str, str]:
        """Names of the columns with outputs in the joined table."""
        if self.m1 != self.m2:
            return self.m1, self.m2
        first, second = (f"{self.m1} of {title}" for title in self._titles)
        return first, second

    @property
    def models(self) -> tuple[str, str]:
        """Names of the models: of the columns, or of the files if the columns are called alike."""
        if self.m1 != self.m2:
            return self.m1, self.m2
        stems = [Path(title).stem for title in self._titles]
        return (stems[0], stems[1]) if stems[0] != stems[1] else self._titles

    @property
    def _titles(self) -> tuple[str, str]:
        one, two = self.old.title, self.new.title
        return (one, two) if one != two else (str(self.old.path), str(self.new.path))

    @cached_property
    def _shared(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the columns that are read from the old and from the new file only."""
        taken = {self.m1, self.m2}
        first = tuple(name for name in self.old.names if name not in taken)
        second = tuple(name for name in self.new.names if name not in {*taken, *first})
        return first, second

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the joined table."""
        first, second = self._shared
        return (*first, *second, *self.outputs)

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """Read these columns of the rows that both files have, in the order of the old one."""
        first, second = self._shared
        one, two = self.outputs
        also = [name for name in first if name in self.new.names and name not in self.on]
        used = set(names)
        left = self.old.read(
            [*dict.fromkeys((*self.on, *(n for n in first if n in used))), self.m1]
        )
        right = self.new.read(
            [
                *dict.fromkeys((*self.on, *(n for n in (*second, *also) if n in used))),
                self.m2,
            ]
        )
        left, right = left.rename(columns={self.m1: one}), right.rename(columns={self.m2: two})
        keys = list(self.on)
        for file, frame in ((self.old, left), (self.new, right)):
            _check_keys(file, frame[keys])
        _check_kinds(self, left[keys], right[keys])
        joined = left.merge(right, on=keys, how="inner", suffixes=("", _OTHER), sort=False)
        self._report(len(left), len(right), len(joined))
        _remark_on_changes(self, joined, [name for name in also if name in used])
        return joined[list(dict.fromkeys(names))]

    def _report(self, n_old: int, n_new: int, n_both: int) -> None:
        """Warn of rows that only one file has; raise an error if they have none in common."""
        key = ", ".join(map(shown, self.on))
        if not n_both:
            raise InputError(
                f"--on: {self.old.title} and {self.new.title} have no value of {key} in common. "
                "Check that they hold the same rows, and that the key is written in the same way."
            )
        alone = [
            f"{n - n_both:,} of {n:,} rows of {file.title}"
            for n, file in ((n_old, self.old), (n_new, self.new))
            if n > n_both
        ]
        if alone:
            warn(
                f"{' and '.join(alone)} have no match in the other file and are left out; "
                f"{n_both:,} rows are compared."
            )


#: Ends the names of columns of the new file that the old one has too.
_OTHER = " (of the new file)\0"


def open_joined(given: argparse.Namespace) -> JoinedFiles:
    """Read the names of the columns of both files, and check those of the key and the outputs."""
    old, new = (open_file(path, given.separator if _is_csv(path) else None) for path in given.files)
    on = tuple(dict.fromkeys(given.on))
    for file, column, flag in ((old, given.m1, "--m1"), (new, given.m2, "--m2")):
        for name, option in ((column, flag), *((name, "--on") for name in on)):
            if name not in file.names:
                known = ", ".join(map(shown, file.names[:30]))
                raise InputError(
                    f"{option}: {file.title} has no column {shown(name)}. It has {known}."
                )
    if {given.m1, given.m2} & set(on):
        raise InputError("--on is the key that identifies a row, not a column of outputs.")
    return JoinedFiles(old, new, on, given.m1, given.m2)


def _is_csv(path: Path) -> bool:
    return str(path) in STDIN or not path.suffix.lower().startswith((".parquet", ".pq", ".jsonl"))


def _check_keys(file: DataFile, keys: pd.DataFrame) -> None:
    """Raise an error if a row has no key, or if two rows have the same one."""
    name = ", ".join(map(shown, keys.columns))
    missing = keys.isna().any(axis=1)
    if missing.any():
        raise InputError(
            f"--on: {int(missing.sum()):,} of {len(keys):,} rows of {file.title} have no value of "
            f"{name}; the first is row {int(missing.to_numpy().argmax()) + 1:,}. Remove these rows."
        )
    double = keys.duplicated(keep=False)
    if double.any():
        n_keys = len(keys[double].drop_duplicates())
        several = f"{n_keys:,} keys are" if n_keys != 1 else "1 key is"
        raise InputError(
            f"--on: {several} in more than one row of {file.title} ({int(double.sum()):,} rows, "
            f"the first is row {int(double.to_numpy().argmax()) + 1:,}), so rows cannot be "
            f"matched. Add columns to the key, --on {name} ..., or remove these rows."
        )


def _check_kinds(files: JoinedFiles, one: pd.DataFrame, two: pd.DataFrame) -> None:
    """Raise an error if a key is a number in one file and text in the other."""
    for name in one.columns:
        kinds = [pd.api.types.is_numeric_dtype(frame[name].dtype) for frame in (one, two)]
        if kinds[0] != kinds[1]:
            words = ["numbers" if number else "text" for number in kinds]
            raise InputError(
                f"--on: {shown(name)} is {words[0]} in {files.old.title} and {words[1]} in "
                f"{files.new.title}, so no row would match. Use the same type in both files."
            )


def _remark_on_changes(files: JoinedFiles, joined: pd.DataFrame, names: Sequence[str]) -> None:
    """Warn of columns whose values are not the same in both files."""
    changed = {}
    for name in names:
        one, two = (joined[own].astype(object) for own in (name, f"{name}{_OTHER}"))
        differs = (one != two) & ~(one.isna() & two.isna())
        if differs.any():
            changed[name] = int(differs.sum())
    if changed:
        worst = sorted(changed, key=lambda name: -changed[name])[:MOST_NAMED]
        rows = ", ".join(f"{changed[name]:,}" for name in worst)
        warn(
            "the files differ in ",
            Quoted(*worst),
            f" too, on {rows} of {len(joined):,} rows. The values of {files.old.title} are used.",
        )
