"""Reading of CSV, JSON Lines and Parquet files: names of the columns first, values afterwards."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import re
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError, warn
from imd_widget.cli.output import shown

Kind = Literal["csv", "jsonl", "parquet"]

#: Kinds of files by their suffix.
SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
#: What messages call each kind.
KINDS: dict[Kind, str] = {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}
#: Paths that mean stdin, which is CSV.
STDIN = ("-", "/dev/stdin")
#: Up to this share of text among numbers, the text is taken for a mistake.
MOST_TEXTS = 0.1
#: The name that pandas gives an unnamed index in a Parquet file.
_INDEX = re.compile(r"__index_level_\d+__")
_DATE = (
    r"\d{4}-\d\d-\d\d"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)


@dataclass(frozen=True)
class DataFile:
    """A file whose column names were read."""

    path: Path
    kind: Kind
    #: The separator of the values; None unless the file is CSV.
    separator: str | None
    #: Names of the columns, which are unique.
    names: tuple[str, ...]
    #: Positions of the columns in the file.
    positions: tuple[int, ...]
    #: What was read from stdin, which cannot be read twice; None for a file.
    content: bytes | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """How messages name the file."""
        return self.path.name

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """Read the values of these columns, in this order."""
        wanted = list(dict.fromkeys(names))
        with _reading(self.path, self.content):
            if self.kind == "parquet":
                frame = _read_parquet(self.path, wanted)
            elif self.separator is None:
                frame = _read_json_lines(self.path)[wanted]
                _check_flat(frame, self.path)
            else:
                positions = [self.positions[self.names.index(name)] for name in wanted]
                source = _source(self.path, self.content)
                frame = _read_csv(source, self.separator, positions).set_axis(wanted, axis=1)
        if frame.empty:
            raise InputError(f"{self.path} has the names of columns, but no rows.")
        return frame[wanted]


def open_file(path: Path, separator: str | None) -> DataFile:
    """Read the names of the columns of a file, or of stdin, and check them."""
    content = None
    if str(path) in STDIN:
        content = b"" if sys.stdin is None else sys.stdin.buffer.read()
        path = Path("stdin")
    with _reading(path, content):
        size = path.stat().st_size if content is None else len(content)
        if content is None and path.is_dir():
            raise InputError(f"{path} is a folder: name one file. ({_accepted()})")
        suffix = ".csv" if content is not None else _suffix(path)
        kind = SUFFIXES[suffix]
        if size == 0:
            raise InputError(f"{path} is empty: a table with the names of its columns is needed.")
        if kind == "csv":
            separator = separator or ("\t" if suffix.startswith(".tsv") else ",")
            names = _csv_names(_source(path, content), separator)
        elif separator is not None:
            raise InputError(f"--separator applies to CSV files, and {path.name} is {KINDS[kind]}.")
        else:
            names = (
                _parquet_names(path)
                if kind == "parquet"
                else list(map(str, _read_json_lines(path)))
            )
    return _named(DataFile(path, kind, separator, tuple(names), (), content))


def _source(path: Path, content: bytes | None) -> Path | io.BytesIO:
    return path if content is None else io.BytesIO(content)


def with_dates(X: pd.DataFrame) -> pd.DataFrame:
    """Convert each text column whose values are all ISO dates."""
    X = X.copy(deep=False)
    for name in X.columns:
        column = X[name]
        if pd.api.types.is_string_dtype(column.dtype) and (dates := _dates(column)) is not None:
            X[name] = dates
    return X


def remark_on_text(frame: pd.DataFrame, X: Sequence[str]) -> None:
    """Warn of each column of a CSV file that is text although most of its values are numbers.

    Columns outside of ``X`` hold outputs, whose labels may be numbers and words.
    """
    for name in frame.columns:
        column = frame[name].dropna()
        if not pd.api.types.is_string_dtype(column.dtype):
            continue
        # the first values are enough for most columns
        if not _are_numbers(column.iloc[:100].str.replace(",", "")).any():
            continue
        texts = column[~_are_numbers(column)]
        if texts.empty:  # for example numbers with blanks around them
            continue
        verb = "is not a number" if len(texts) == 1 else "are not numbers"
        because = (
            f"the column {shown(str(name))} is read as text, because {len(texts):,} of its values "
            f"{verb}, such as {shown(texts.iloc[0])}."
        )
        if _are_numbers(texts.str.replace(",", "")).all():
            warn(f"{because} Write numbers with a decimal point, and without commas.")
        elif name in X and len(texts) <= MOST_TEXTS * len(frame):
            warn(f"{because} Leave such values empty if the others are meant as numbers.")


def _are_numbers(texts: pd.Series[Any]) -> NDArray[np.bool_]:
    return np.asarray(pd.to_numeric(texts, errors="coerce").notna())


def _suffix(path: Path) -> str:
    lower = path.name.lower()
    suffix = next((suffix for suffix in SUFFIXES if lower.endswith(suffix)), None)
    if suffix is None:
        raise InputError(f"{path} cannot be read. {_accepted()}")
    return suffix


def _accepted() -> str:
    return f"Files that can be read end with {', '.join(SUFFIXES)}."


def _named(file: DataFile) -> DataFile:
    """The file without the columns that have no name; InputError if two have the same name."""
    path, names = file.path, file.names
    kept = [(position, name) for position, name in enumerate(names) if not _is_index(name)]
    columns = tuple(name for _, name in kept)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        first = "" if file.separator is None else " (The names are taken from the first line.)"
        raise InputError(
            f"{path} has more than one column called {', '.join(map(shown, twice[:5]))}: each "
            f"column needs a name of its own.{first}"
        )
    if len(kept) < len(names):
        left = next(at for at, name in enumerate(names, start=1) if _is_index(name))
        warn(
            f"column {left} of {path.name} has no name (pandas writes its index this way): it is "
            "left out. Give it a name if rules may use it."
        )
    return replace(file, names=columns, positions=tuple(position for position, _ in kept))


def _is_index(name: str) -> bool:
    return not name.strip() or _INDEX.fullmatch(name) is not None


@contextmanager
def _reading(path: Path, content: bytes | None = None) -> Iterator[None]:
    """Convert any error of reading into an `InputError` that names the file."""
    try:
        yield
    except InputError:
        raise
    except pd.errors.EmptyDataError:
        raise InputError(
            f"{path} is empty: a table with the names of its columns is needed."
        ) from None
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"the text of {path} is not UTF-8. Save it as UTF-8, for example with: "
            f"iconv -f {_likely_encoding(path, content)} -t utf-8 OLD.csv > NEW.csv"
        ) from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{path} ends with .gz, but could not be unpacked ({error}): is it complete?"
        ) from error
    except pd.errors.ParserWarning as error:
        raise InputError(
            f"the rows of {path} have more values than its first line has names: give every "
            "column a name."
        ) from error
    except pd.errors.ParserError as error:
        raise InputError(f"{path} could not be read: {_parser_words(str(error))}") from error
    except (ValueError, OSError, NotImplementedError) as error:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InputError(f"{path} could not be read: {why.rstrip('.')}.") from error


def _likely_encoding(path: Path, content: bytes | None) -> str:
    """The most likely encoding of a file that is not UTF-8."""
    if content is not None:
        return "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
    with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "cp1252"


def _parser_words(error: str) -> str:
    """A parser error of pandas in terms of lines and columns."""
    long = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error)
    if long:
        wanted, number, got = long.groups()
        return (
            f"line {number} has {got} values, and there are {wanted} columns. A value that holds "
            "the separator needs quotation marks around it."
        )
    if "EOF inside string" in error:
        return "a quotation mark is opened and never closed."
    return " ".join(error.split())


def _csv_names(source: Path | io.BytesIO, separator: str) -> list[str]:
    # header=None, because read_csv renames the second of two columns with the same name
    first = pd.read_csv(
        source, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False
    )
    return [str(name) for name in first.iloc[0]]


def _read_csv(source: Path | io.BytesIO, separator: str, positions: Sequence[int]) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        # without index_col=False, a first row with too many values would shift all columns by one
        return pd.read_csv(source, sep=separator, index_col=False, low_memory=False).iloc[
            :, list(positions)
        ]


def _read_json_lines(path: Path) -> pd.DataFrame:
    """Read an object of JSON per line: text that looks like a number or a date stays text."""
    records = []
    with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except json.JSONDecodeError:
                record = None
            if not isinstance(record, dict):
                raise InputError(
                    f"line {number} of {path} is not a JSON object: each line is one row, such as "
                    '{"age": 42, "old": "yes", "new": "no"}.'
                )
            records.append(record)
    return pd.DataFrame.from_records(records)


def _check_flat(frame: pd.DataFrame, path: Path) -> None:
    """Raise an `InputError` if a value is a list or an object of JSON."""
    for name in frame.columns:
        if any(isinstance(value, list | dict) for value in frame[name]):
            raise InputError(
                f"the column {shown(name)} of {path} holds lists or objects, and rules need "
                "numbers, text, true, false or null: leave it out with --drop."
            )


def _parquet_names(path: Path) -> list[str]:
    return list(_pyarrow_parquet(path).read_schema(path).names)


def _read_parquet(path: Path, names: Sequence[str]) -> pd.DataFrame:
    with _pyarrow_parquet(path).ParquetFile(path) as file:
        table = file.read(columns=list(names))
    # the metadata of pandas would turn a column into the index
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    return frame


def _pyarrow_parquet(path: Path) -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise InputError(
            f"{path} is a Parquet file, and pyarrow, which reads them, is not installed: "
            "pip install pyarrow"
        ) from error


def _dates(column: pd.Series[Any]) -> pd.Series[Any] | None:
    """Dates, if all texts are dates and either all or none have a time zone; else None."""
    texts = column.dropna()
    # the first value is enough for most columns
    if texts.empty or re.fullmatch(_DATE, str(texts.iloc[0])) is None:
        return None
    distinct = pd.Series(texts.unique()).astype(str)
    zones = distinct.str.extract(f"^{_DATE}$", expand=True)["zone"].notna()
    if not distinct.str.fullmatch(_DATE).all() or zones.any() != zones.all():
        return None
    try:
        return pd.to_datetime(column, format="ISO8601", utc=bool(zones.iloc[0]))
    except (ValueError, OverflowError):  # for example the 30th of February
        return None
