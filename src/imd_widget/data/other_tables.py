"""Tables that must be converted before they are read, and the lines of code that do so."""

from __future__ import annotations

from typing import Any, NamedTuple

from imd_widget._base.errors import Argument, InputError


class Conversion(NamedTuple):
    """Lines of code that convert a table ``X``."""

    #: An expression for the table in memory.
    in_memory: str
    #: A statement that writes Parquet files, which are read in partitions; empty if there is none.
    to_files: str = ""


#: Conversions by the first part of the module and the name of a class.
CONVERSIONS = {
    ("polars", "LazyFrame"): Conversion("X.collect()", 'X.sink_parquet("table.parquet")'),
    ("duckdb", "DuckDBPyRelation"): Conversion(
        "X.to_arrow_table()", 'X.write_parquet("table.parquet")'
    ),
    ("pyspark", "DataFrame"): Conversion("X.toPandas()", 'X.write.parquet("table.parquet")'),
    ("pyarrow", "RecordBatch"): Conversion("pyarrow.Table.from_batches([X])"),
    ("pyarrow", "RecordBatchReader"): Conversion("X.read_all()"),
}
#: Of what pyarrow's datasets make, other than Datasets of files, which are read in partitions.
_OF_DATASETS = Conversion(
    "X.to_table()", 'pyarrow.dataset.write_dataset(X, "table.parquet", format="parquet")'
)


def check_converted(X: Any, argument: str) -> None:
    """Raise InputError with the lines to write if ``X`` must be converted before it is read."""
    kind = type(X)
    conversion = CONVERSIONS.get((kind.__module__.partition(".")[0], kind.__name__))
    if conversion is None and kind.__module__.startswith("pyarrow._dataset"):
        files = hasattr(X, "files") and getattr(X, "_scan_options", None) in (None, {})
        conversion = None if files else _OF_DATASETS
    if conversion is None:
        return
    partitions = ""
    if conversion.to_files:
        partitions = (
            f" If the table does not fit in memory, write it to files and pass their name: "
            f'{conversion.to_files}, then {argument}="table.parquet".'
        )
    what = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    raise InputError(
        Argument(argument),
        f" is a {what}, which is not read as it is. Pass the table in memory: ",
        f"{argument}={conversion.in_memory}.{partitions}",
    )
