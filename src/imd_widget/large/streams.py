"""Tables that are read in batches: kept in memory, or written to files that become partitions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from imd_widget._base.optional import needed
from imd_widget.data.other_tables import Stream, stream_of
from imd_widget.large.files import FileReader
from imd_widget.large.mapped import Store

#: Bytes of batches from which on a table is read in partitions.
MOST_IN_MEMORY = 2**30


class StreamReader(FileReader):
    """Reads the batches of a table from a temporary file, which is removed with the reader."""

    def __init__(self, batches: Iterable[Any], stream: Stream, argument: str) -> None:
        self._store = Store()
        path = self._store.folder / "table.parquet"
        _write(path, map(stream.to_arrow, batches))
        super().__init__(path, argument)


def in_memory_or_files(X: Any, argument: str = "X") -> Any:
    """Return a table that is read in batches as a table in memory, or a reader if it is large.

    Any other table is returned unchanged.
    """
    stream = stream_of(X, argument)
    if stream is None:
        return X
    batches, size = [], 0
    for batch in stream.batches:
        batches.append(batch)
        size += batch.estimated_size() if hasattr(batch, "estimated_size") else batch.nbytes
        if size > MOST_IN_MEMORY:
            return StreamReader(chain(batches, stream.batches), stream, argument)
    return stream.joined(batches)


def _write(path: Path, tables: Iterable[Any]) -> None:
    parquet = needed("pyarrow.parquet", "parquet", "large tables are written to files by pyarrow")
    writer = None
    try:
        for table in tables:
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write(table)
    finally:
        if writer is not None:
            writer.close()
