"""Parquet files, folders of them and pyarrow datasets, as partitions of row groups."""

from __future__ import annotations

import glob
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

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
#: What is needed of files, in messages about those that were changed.
UNCHANGED = "files must not change while the diff is in use. Make the diff again with imd.diff"
#: Row groups are read together until they have this many rows.
FEW_ROWS = 250_000


@dataclass(frozen=True, eq=False)
class Piece:
    """Some row groups of one file."""

    fragment: Any
    path: str
    n_rows: int
    #: The values of the columns that the folders of the file are named after.
    keys: Mapping[str, Any]
    #: See `_stamp`.
    stamp: tuple[Any, ...] | None


class FileReader:
    """Reads row groups of Parquet files, or batches of files of a pyarrow dataset.

    Integers and booleans that are missing somewhere have the dtype that the whole table would have
    in pandas, in every partition. The names of folders such as "region=0" are the values of a
    column: a categorical for names of files and folders, as in pandas, and of the type in the
    schema for a pyarrow Dataset.

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
            by_name = isinstance(X, str | Path | list | tuple)
            if by_name:
                found = _found(X, argument)
                X = dataset.dataset([file.path for file in found], format="parquet")
                keys = typed_keys([file.keys for file in found])
            else:
                keys = _keys_in(X, dataset)
            fragments = list(X.get_fragments())
            # a column of the files themselves is taken before the names of their folders
            keys = [
                {name: own[name] for name in own if name not in fragment.physical_schema.names}
                for fragment, own in zip(fragments, keys, strict=True)
            ]
            self._schema = _with_keys(X.schema, keys)
            self._check_schemas(fragments, keys)
            self._pieces = tuple(_pieces(zip(fragments, keys, strict=True)))
            self._categories = {
                name: _distinct(own[name] for own in keys)
                for name in _names_of(keys)
                if by_name or _is_dictionary(X.schema.field(name).type)
            }
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
        import pyarrow as pa

        piece = self._pieces[number]
        columns = [name for name in self.names if name not in piece.keys]
        with reading(piece.path):
            now = _stamp(piece.fragment)
            if None not in (now, piece.stamp) and now != piece.stamp:
                raise InputError(f"{piece.path} has changed since it was opened: {UNCHANGED}.")
            table = piece.fragment.to_table(columns=columns, schema=self._schema)
        if len(table) != piece.n_rows:
            raise InputError(
                f"{piece.path} has {len(table)} rows, and had {piece.n_rows} when it was opened: "
                f"{UNCHANGED}."
            )
        for name in (name for name in piece.keys if name in self.names):
            value = pa.scalar(piece.keys[name], self._schema.field(name).type)
            table = table.append_column(name, pa.repeat(value, len(table)))
        frame: pd.DataFrame = table.select(self.names).to_pandas(
            ignore_metadata=True, date_as_object=False
        )
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
        narrow = [name for name in narrow if name in self.names]
        missing: set[str] = set()
        for piece in self._pieces:
            missing |= _with_nulls(piece, [name for name in narrow if name not in missing])
        dtypes: dict[str, Any] = {
            name: object if pa.types.is_boolean(self._schema.field(name).type) else float
            for name in missing
        }
        for name in (name for name in self._categories if name in self.names):
            values = pa.array(self._categories[name], self._schema.field(name).type)
            dtypes[name] = pd.CategoricalDtype(values.to_pandas())
        return dtypes

    def _check_schemas(self, fragments: Sequence[Any], keys: Sequence[Mapping[str, Any]]) -> None:
        if len(set(self._schema.names)) < len(self._schema.names):
            raise InputError(
                Argument(self._argument), " has two columns of one name: each needs its own."
            )
        for fragment, in_folders in zip(fragments, keys, strict=True):
            own = fragment.physical_schema
            differing = {*own.names, *in_folders} ^ set(self._schema.names)
            if differing:
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


@dataclass(frozen=True)
class FoundFile:
    """A file, and what its folders are named after: {"region": "0"} below "region=0".

    None stands for a missing value.
    """

    path: str
    keys: Mapping[str, str | None]


#: The name that Hive gives to the folder of rows without a value.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def _found(X: Any, argument: str) -> list[FoundFile]:
    """The files that ``X`` names, sorted within a pattern or a folder.

    The keys are those that pandas reads: of the folders inside a folder that is named alone, and of
    all folders in the paths of a list or a pattern. A file that is named alone has none.
    """
    found: list[FoundFile] = []
    several = isinstance(X, list | tuple)
    named = list(X) if several else [X]
    for one in named:
        path = Path(one)
        if isinstance(one, str) and not one.strip():
            raise InputError(
                Argument(argument),
                " is an empty name" if not several else " holds an empty name",
                ": name a Parquet file, a folder with .parquet files, or a pattern such as "
                '"scores/*.parquet". The present folder is ".".',
            )
        if path.suffix.lower() in OTHER_TABLES:
            raise InputError(
                Argument(argument),
                " names ",
                Quoted(str(one)),
                ", and files that are read in partitions are Parquet files. Read it first: ",
                f"pd.{OTHER_TABLES[path.suffix.lower()]}({str(one)!r}).",
            )
        root = Path()
        if path.is_dir():
            root = path if len(named) == 1 else root
            inside = sorted(str(file) for file in path.rglob("*.parquet"))
        elif path.is_file():
            root, inside = root if several else path.parent, [str(path)]
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
        found += [FoundFile(file, _keys_of(Path(file), root)) for file in inside]
    return found


def _keys_of(path: Path, root: Path) -> dict[str, str | None]:
    """What the folders of a file below ``root`` are named after."""
    keys: dict[str, str | None] = {}
    for folder in path.parent.parts[len(root.parts) :]:
        name, is_key, value = folder.partition("=")
        if name and is_key:
            keys[unquote(name)] = None if value == NO_VALUE else unquote(value)
    return keys


def _keys_in(given: Any, dataset: Any) -> list[dict[str, Any]]:
    """What the folders of each file of a pyarrow Dataset are named after, if its schema has it."""
    found = [
        dataset.get_partition_keys(fragment.partition_expression)
        for fragment in given.get_fragments()
    ]
    return [{name: own[name] for name in given.schema.names if name in own} for own in found]


def typed_keys(keys: Sequence[Mapping[str, str | None]]) -> list[dict[str, Any]]:
    """The keys of all files with their values as int if they all are 32-bit integers, else text."""
    import pyarrow as pa

    typed: list[dict[str, Any]] = [{} for _ in keys]
    for name in _names_of(keys):
        values = pa.array([own.get(name) for own in keys], pa.string())
        with suppress(pa.ArrowInvalid):
            values = values.cast(pa.int32())
        for own, value, given in zip(typed, values.to_pylist(), keys, strict=True):
            if name in given:
                own[name] = value
    return typed


def _with_keys(schema: Any, keys: Sequence[Mapping[str, Any]]) -> Any:
    """The schema with a field for each key, after those of the files; of values, not of codes."""
    import pyarrow as pa

    for name in _names_of(keys):
        at = schema.get_field_index(name)
        if at < 0:
            is_text = any(isinstance(own.get(name), str) for own in keys)
            schema = schema.append(pa.field(name, pa.string() if is_text else pa.int32()))
        elif _is_dictionary(schema.field(at).type):
            schema = schema.set(at, pa.field(name, schema.field(at).type.value_type))
    return schema


def _names_of(keys: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of the keys of all files."""
    return list(dict.fromkeys(name for own in keys for name in own))


def _is_dictionary(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind))


def _distinct(values: Iterable[Any]) -> list[Any]:
    return sorted({value for value in values if value is not None})


def _stamp(fragment: Any) -> tuple[Any, ...] | None:
    """Size and time of the last change of a file; None if the file system has none."""
    system = getattr(fragment, "filesystem", None)
    if system is None or not fragment.path:
        return None
    info = system.get_file_info(fragment.path)
    return (info.size, info.mtime_ns) if info.is_file else None


def _pieces(files: Iterable[tuple[Any, Mapping[str, Any]]]) -> Iterator[Piece]:
    for fragment, keys in files:
        stamp = _stamp(fragment)
        if not hasattr(fragment, "split_by_row_group"):  # of another format than Parquet
            n_rows = fragment.count_rows()
            if n_rows:
                yield Piece(fragment, fragment.path, n_rows, keys, stamp)
            continue
        groups: list[int] = []
        n_rows = 0
        for group in fragment.row_groups:
            groups.append(group.id)
            n_rows += group.num_rows
            if n_rows >= FEW_ROWS:
                part = fragment.subset(row_group_ids=groups)
                yield Piece(part, fragment.path, n_rows, keys, stamp)
                groups, n_rows = [], 0
        if n_rows:
            part = fragment.subset(row_group_ids=groups)
            yield Piece(part, fragment.path, n_rows, keys, stamp)


def _with_nulls(piece: Piece, names: Sequence[str]) -> set[str]:
    """The columns that have nulls, by the statistics of the file or, without them, its values."""
    metadata = getattr(piece.fragment, "metadata", None)
    places: dict[str, list[int]] = {}
    if metadata is not None:
        for at in range(len(metadata.schema)):
            places.setdefault(metadata.schema.column(at).path, []).append(at)
    return {name for name in names if _has_nulls(piece, name, places.get(name, []))}


def _has_nulls(piece: Piece, name: str, places: Sequence[int]) -> bool:
    """Whether a column has nulls.

    ``places`` are those of the leaves of the Parquet schema whose path is the name: the column
    itself, and perhaps the child of a struct, since the child x of s has the path "s.x".
    """
    if name in piece.keys:
        return piece.keys[name] is None
    if len(places) == 1:
        counts = []
        for group in piece.fragment.row_groups:
            column = piece.fragment.metadata.row_group(group.id).column(places[0])
            if column.statistics is None or not column.statistics.has_null_count:
                break
            counts.append(column.statistics.null_count)
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
