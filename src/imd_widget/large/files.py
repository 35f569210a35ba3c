"""Parquet files, folders of them and pyarrow datasets, as partitions of row groups."""

from __future__ import annotations

import glob
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget._base.optional import needed
from imd_widget.data.other_tables import check_converted

#: How pandas reads tables of other formats.
OTHER_TABLES = {
    ".csv": "read_csv",
    ".tsv": "read_table",
    ".xlsx": "read_excel",
    ".json": "read_json",
    ".feather": "read_feather",
}
#: Row groups are read together until they have this many rows.
FEW_ROWS = 250_000


@dataclass(frozen=True, eq=False)
class Piece:
    """Some row groups of one file.

    Attributes
    ----------
    fragment : pyarrow.dataset.Fragment
    path : str
    n_rows : int
    """

    fragment: Any
    path: str
    n_rows: int


class FileReader:
    """Reads row groups of Parquet files, or batches of files of a pyarrow dataset.

    Integers and booleans that are missing somewhere have the dtype that the whole table would have
    in pandas, in every partition.

    Parameters
    ----------
    X : str, Path, list of them, or pyarrow Dataset
        A file, a folder, or a pattern such as "scores/*.parquet".
    argument : str
        The Python argument that it was passed as.
    only : collection of str, optional
        The columns that are read; by default all.
    """

    def __init__(
        self, X: Any, argument: str = "X", only: Collection[Hashable] | None = None
    ) -> None:
        self._argument = argument
        self._only = only
        check_converted(X, argument)
        dataset = needed("pyarrow.dataset", "parquet", "Parquet files are read by pyarrow")
        with reading(argument):
            given = X
            if isinstance(X, str | Path | list | tuple):
                given = dataset.dataset(_paths(X, argument), format="parquet")
            self._schema = given.schema
            self._check_schemas(list(given.get_fragments()))
            self._pieces = tuple(_pieces(given.get_fragments()))
        if not self._pieces:
            raise InputError(Argument(argument), " has files, but no row.")

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns."""
        return tuple(
            name
            for name in self._schema.names
            if not name.startswith("__index_level_") and (self._only is None or name in self._only)
        )

    @property
    def size(self) -> int:
        """Number of partitions."""
        return len(self._pieces)

    @property
    def lengths(self) -> list[int]:
        """Number of rows of each partition, from the metadata of the files."""
        return [piece.n_rows for piece in self._pieces]

    def label(self, number: int) -> str:
        """The name of the file, and which part of it."""
        piece = self._pieces[number]
        same = [at for at, other in enumerate(self._pieces) if other.path == piece.path]
        name = Path(piece.path).name or f"part {number + 1}"
        return name if len(same) == 1 else f"{name} (part {same.index(number) + 1} of {len(same)})"

    def read(self, number: int) -> pd.DataFrame:
        """Read one partition, with the dtypes that the whole table would have."""
        piece = self._pieces[number]
        with reading(piece.path):
            table = piece.fragment.to_table(columns=list(self.names), schema=self._schema)
        if len(table) != piece.n_rows:
            raise InputError(
                f"{piece.path} has {len(table)} rows, and had {piece.n_rows} when it was opened: "
                "files must not change while they are read."
            )
        frame: pd.DataFrame = table.to_pandas(ignore_metadata=True, date_as_object=False)
        return frame.astype(self._dtypes)

    @cached_property
    def _dtypes(self) -> dict[str, Any]:
        """The dtype of columns that are missing somewhere, where pandas widens them."""
        import pyarrow as pa

        narrow = [
            field.name
            for field in self._schema
            if pa.types.is_integer(field.type) or pa.types.is_boolean(field.type)
        ]
        widened = {}
        for name in (name for name in narrow if name in self.names):
            if any(_has_nulls(piece, name) for piece in self._pieces):
                is_flag = pa.types.is_boolean(self._schema.field(name).type)
                widened[name] = object if is_flag else float
        return widened

    def _check_schemas(self, fragments: Sequence[Any]) -> None:
        if len(set(self._schema.names)) < len(self._schema.names):
            raise InputError(
                Argument(self._argument), " has two columns of one name: each needs its own."
            )
        for fragment in fragments:
            own = fragment.physical_schema
            if set(own.names) != set(self._schema.names):
                differing = set(own.names) ^ set(self._schema.names)
                raise InputError(
                    f"{fragment.path} has other columns than the first file: ",
                    Quoted(*sorted(differing)[:5]),
                    " is in one of them only. All files need the same columns.",
                )
            for name in own.names:
                if own.field(name).type != self._schema.field(name).type:
                    raise InputError(
                        f"{fragment.path} has the column ",
                        Quoted(name),
                        f" as {own.field(name).type}, the first file as "
                        f"{self._schema.field(name).type}: all files need the same types.",
                    )


def _paths(X: Any, argument: str) -> list[str]:
    """The files that ``X`` names, sorted within a pattern or a folder."""
    found: list[str] = []
    for one in X if isinstance(X, list | tuple) else [X]:
        path = Path(one)
        if path.suffix.lower() in OTHER_TABLES:
            raise InputError(
                Argument(argument),
                " names ",
                Quoted(str(one)),
                ", and files that are read in partitions are Parquet files. Read it first: ",
                f"pd.{OTHER_TABLES[path.suffix.lower()]}({str(one)!r}).",
            )
        if path.is_dir():
            inside = sorted(str(file) for file in path.rglob("*.parquet"))
        elif path.is_file():
            inside = [str(path)]
        else:
            inside = sorted(glob.glob(str(one), recursive=True))
        if not inside:
            raise InputError(
                Argument(argument),
                " names no file: ",
                Quoted(str(one)),
                " is neither a Parquet file, nor a folder with .parquet files, nor a pattern that "
                'a file matches, such as "scores/*.parquet".',
            )
        found += inside
    return found


def _pieces(fragments: Iterator[Any]) -> Iterator[Piece]:
    for fragment in fragments:
        if not hasattr(fragment, "split_by_row_group"):  # of another format than Parquet
            n_rows = fragment.count_rows()
            if n_rows:
                yield Piece(fragment, fragment.path, n_rows)
            continue
        groups: list[int] = []
        n_rows = 0
        for group in fragment.row_groups:
            groups.append(group.id)
            n_rows += group.num_rows
            if n_rows >= FEW_ROWS:
                yield Piece(fragment.subset(row_group_ids=groups), fragment.path, n_rows)
                groups, n_rows = [], 0
        if n_rows:
            yield Piece(fragment.subset(row_group_ids=groups), fragment.path, n_rows)


def _has_nulls(piece: Piece, name: str) -> bool:
    """Whether a column has nulls, by the statistics of the file or, without them, its values."""
    if hasattr(piece.fragment, "metadata"):
        metadata = piece.fragment.metadata
        position = metadata.schema.names.index(name)
        counts = []
        for group in piece.fragment.row_groups:
            statistics = metadata.row_group(group.id).column(position).statistics
            if statistics is None or not statistics.has_null_count:
                break
            counts.append(statistics.null_count)
        else:
            return any(counts)
    with reading(piece.path):
        return bool(piece.fragment.to_table(columns=[name]).column(0).null_count)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Convert any error of reading files into an `InputError` that names the file."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(
            f"{what} could not be read: a file is not there (any more). Files must stay where they "
            "are while the diff is in use."
        ) from error
    except (OSError, ValueError, NotImplementedError) as error:
        why = " ".join(str(error).split())
        raise InputError(
            f"{what} could not be read: {why[:300].rstrip('.')}. Is the file complete?"
        ) from error
