"""Tables that are not in memory: what is read in batches, and what must be converted first."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import Argument, Foreign, InputError
from imd_widget._base.optional import needed

#: How a query of SQL begins.
_QUERY = re.compile(r"\s*(?:select|with)\s", re.IGNORECASE)
#: The methods of the Arrow PyCapsule interface.
CAPSULES = ("__arrow_c_stream__", "__arrow_c_array__")


@dataclass(frozen=True, eq=False)
class Stream:
    """A table that is read in batches, once."""

    batches: Iterator[Any]
    #: Makes one table in memory of the batches.
    joined: Callable[[list[Any]], Any]
    #: Converts a batch to a RecordBatch or Table of Arrow.
    to_arrow: Callable[[Any], Any]


def stream_of(X: Any, argument: str = "X") -> Stream | None:
    """Return the batches of a table that is not in memory; None for any other.

    A LazyFrame of polars becomes a DataFrame of polars; readers, scanners and datasets of pyarrow
    become a Table of pyarrow; whatever else has the Arrow PyCapsule interface, such as relations of
    DuckDB, tables of Ibis and of Spark and streams of nanoarrow, becomes a pandas table.
    """
    if isinstance(X, pd.DataFrame | np.ndarray | list | tuple | str | int | float):
        return None
    library = type(X).__module__.partition(".")[0]
    if library == "polars" and type(X).__name__ == "LazyFrame":
        return _of_polars(X)
    is_dataset = type(X).__module__.startswith("pyarrow._dataset")
    if is_dataset:
        if is_files(X):
            return None
        return _of_arrow((X if hasattr(X, "to_reader") else X.scanner()).to_reader(), "pyarrow")
    if not any(hasattr(X, name) for name in CAPSULES) or _is_in_memory(X):
        return None
    arrow = needed("pyarrow", "parquet", f"{argument} is read through Arrow by pyarrow")
    with _reading(X, argument):
        if hasattr(X, CAPSULES[0]):
            reader = arrow.RecordBatchReader.from_stream(X)
        else:
            reader = arrow.record_batch(X).to_reader()
        stream = _of_arrow(reader, library)
    return replace(stream, batches=_read(stream.batches, X, argument))


@contextmanager
def _reading(X: Any, argument: str) -> Iterator[None]:
    """Raise InputError for whatever another library raises, such as for an array."""
    try:
        yield
    except Exception as error:
        raise InputError(
            Argument(argument),
            f" is a {type(X).__module__}.{type(X).__name__}, which could not be read as a table (",
            Foreign(" ".join(str(error).split())[:300]),
            ").",
            *([_in_spark(argument)] if _is_of_spark(X) else []),
        ) from error


def _read(batches: Iterator[Any], X: Any, argument: str) -> Iterator[Any]:
    """Yield the batches, which a database may fail to send."""
    while True:
        with _reading(X, argument):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def collected(X: Any, argument: str = "X") -> Any:
    """Return a table that is read in batches as one in memory; any other unchanged."""
    stream = stream_of(X, argument)
    return X if stream is None else stream.joined(list(stream.batches))


def check_converted(X: Any, argument: str) -> None:
    """Raise InputError with the lines to write if ``X`` must be converted before it is read."""
    if isinstance(X, str) and _QUERY.match(X) and not os.path.exists(X):
        raise InputError(
            Argument(argument),
            " is a query of SQL, which is not run. Pass its result, which DuckDB gives as a "
            f'relation: {argument}=duckdb.sql("SELECT ..."). For another database, ADBC gives it '
            f"as batches: {argument}=cursor.fetch_record_batch().",
        )
    # newer releases of Spark have the Arrow interface
    if _is_of_spark(X) and not any(hasattr(X, name) for name in CAPSULES):
        raise InputError(
            Argument(argument),
            " is a pyspark.DataFrame, which is not read as it is.",
            _in_spark(argument),
        )


def _is_of_spark(X: Any) -> bool:
    return (type(X).__module__.partition(".")[0], type(X).__name__) == ("pyspark", "DataFrame")


def _in_spark(argument: str) -> str:
    return (
        f" Pass the table in memory: {argument}=X.toPandas(). If the table does not fit in memory, "
        'write it to files and pass their name: X.write.parquet("table.parquet"), then '
        f'{argument}="table.parquet".'
    )


def is_files(X: Any) -> bool:
    """Whether a pyarrow Dataset is of files and not filtered, so that it is read in partitions."""
    return hasattr(X, "files") and getattr(X, "_scan_options", None) in (None, {})


def _is_in_memory(X: Any) -> bool:
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    return isinstance(frame, nw.DataFrame | nw.Series)


def _of_polars(X: Any) -> Stream:
    import polars as pl

    # releases before 1.33 collect the whole table at once
    batches = X.collect_batches() if hasattr(X, "collect_batches") else [X.collect()]

    def joined(frames: list[Any]) -> Any:
        return pl.concat(frames) if frames else X.head(0).collect()

    return Stream(iter(batches), joined, lambda frame: frame.to_arrow())


def _of_arrow(reader: Any, library: str) -> Stream:
    import pyarrow as pa

    def joined(batches: list[Any]) -> Any:
        table = pa.Table.from_batches(batches, reader.schema)
        if library == "pyarrow":
            return table
        return table.to_pandas(ignore_metadata=True, date_as_object=False)

    return Stream(iter(reader), joined, lambda batch: batch)
