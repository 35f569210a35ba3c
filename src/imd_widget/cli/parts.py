"""Several Parquet files, or a folder of them: read in parts, never all at once."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from imd_widget._base.errors import InputError
from imd_widget.cli.arguments import flag_of
from imd_widget.cli.reading import DataFile, open_file
from imd_widget.comparison.options import OPTIONS
from imd_widget.large.files import FileReader


@dataclass(frozen=True)
class DataParts:
    """Parquet files that are one table."""

    #: The files and folders that the user named.
    paths: tuple[Path, ...]
    #: How messages name them.
    title: str
    #: Names of the columns, at the end of those that folders are named after ("region=0").
    names: tuple[str, ...]
    separator: None = None

    def reader(self, names: Sequence[str]) -> FileReader:
        """A reader of some columns."""
        return FileReader(list(self.paths), self.title, set(names))

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return sum(self.reader(self.names).lengths)

    def frames(self, names: Sequence[str]) -> Iterator[pd.DataFrame]:
        """Some columns, part by part."""
        reader = self.reader(names)
        return map(reader.read, range(reader.size))


def is_parts(paths: Sequence[Path]) -> bool:
    """Whether files are read in parts: there are several, or there is a folder."""
    return len(paths) > 1 or paths[0].is_dir()


def open_parts(paths: Sequence[Path], separator: str | None) -> DataParts:
    """Find the files and read the names of their columns."""
    files = [file for path in paths for file in _files_of(path)]
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise InputError(f"{file} is named twice: its rows would count twice.")
        seen.add(file.resolve())
    first = _parquet(files[0], separator)
    for file in files[1:]:
        _parquet(file, separator)
    title = str(paths[0]) if len(paths) == 1 else f"{files[0]} and {len(files) - 1} more"
    every = FileReader(list(paths), title).names  # all files have the same columns
    in_folders = [str(name) for name in every if name not in first.names]
    return DataParts(tuple(paths), title, (*first.names, *in_folders))


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = sorted(path.rglob("*.parquet"))
    if not inside:
        raise InputError(f"{path} is a folder without a file that ends with .parquet.")
    return inside


def _parquet(path: Path, separator: str | None) -> DataFile:
    file = open_file(path, separator)
    if file.kind != "parquet":
        raise InputError(
            f"{path} is not a Parquet file: several files are read in parts, which needs Parquet. "
            "Name one file, or write Parquet. To compare the outputs in two files, join them by a "
            "key: --on id."
        )
    return file


def check_possible(given: argparse.Namespace) -> None:
    """Raise an `InputError` for an option that files read in parts do not support."""
    if given.baseline is not None:
        raise InputError(
            "--baseline is not supported for several files or a folder, which are read in parts: "
            "its rules are looked up in a table in memory. Leave it out, or write one file."
        )
    for name, option in OPTIONS.items():
        value = getattr(given, name, None)
        refused = option.not_large
        if value is not None and refused is not None and refused.refuses(value):
            shown = f" {value}" if name == "measure" else ""
            raise InputError(
                f"{flag_of(name)}{shown} is not supported for several files or a folder, which are "
                f"read in parts: {refused.reason}. Leave it out, or write one file."
            )
