"""Tables that are not in memory: whatever gives batches of Arrow, and lazy frames."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import imd_widget as imd
from imd_widget.data.table import open_table
from imd_widget.large import streams

N_ROWS = 400
RNG = np.random.default_rng(0)
PANDAS = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N_ROWS),
        "city": RNG.choice(["Lima", "Oslo", "Rome"], N_ROWS),
        "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N_ROWS), "D"),
        "income": np.where(RNG.random(N_ROWS) < 0.1, np.nan, RNG.integers(20, 100, N_ROWS)),
    }
)
OLD = np.where(PANDAS["age"] > 45, "yes", "no")
NEW = np.where((PANDAS["city"] == "Oslo") & (PANDAS["age"] < 60), "no", OLD)
TABLE = PANDAS.assign(old=OLD, new=NEW)
ARROW = pa.Table.from_pandas(TABLE, preserve_index=False)
EXPECTED = imd.diff(OLD, NEW, PANDAS, names=("old", "new"))


class Capsule:
    """What a library that nobody knows gives: the interface, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def relation() -> Any:
    frame = TABLE  # noqa: F841  (DuckDB finds it by its name)
    return duckdb.sql("SELECT * FROM frame")


def filtered() -> Any:
    extended = pa.concat_tables(
        [
            ARROW,
            ARROW.slice(0, 50).set_column(
                ARROW.schema.get_field_index("age"), "age", pa.array([-1] * 50)
            ),
        ]
    )
    return pyarrow.dataset.dataset(extended).filter(pyarrow.dataset.field("age") >= 0)


TABLES: dict[str, tuple[Callable[[], Any], type]] = {
    "LazyFrame of polars": (lambda: pl.from_pandas(TABLE).lazy(), pl.DataFrame),
    "relation of DuckDB": (relation, pd.DataFrame),
    "object with the interface": (lambda: Capsule(ARROW), pd.DataFrame),
    "RecordBatchReader": (lambda: ARROW.to_reader(max_chunksize=64), pa.Table),
    "RecordBatch": (lambda: ARROW.combine_chunks().to_batches()[0], pa.Table),
    "Scanner": (lambda: pyarrow.dataset.dataset(ARROW).scanner(), pa.Table),
    "Dataset in memory": (lambda: pyarrow.dataset.dataset(ARROW), pa.Table),
    "filtered Dataset": (filtered, pa.Table),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_rules_are_those_of_the_same_rows_in_pandas(name: str) -> None:
    make, kind = TABLES[name]
    assert isinstance(open_table(make()).native, kind)
    d = imd.diff("old", "new", make())
    assert str(d.rules) == str(EXPECTED.rules)
    assert d.metrics == EXPECTED.metrics


@pytest.mark.parametrize("name", TABLES)
def test_large_ones_are_read_in_partitions_from_files_that_are_removed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_IN_MEMORY", 1000)
    folders: list[Path] = []
    write = streams._write

    def recorded(path: Path, tables: Any) -> None:
        folders.append(path.parent)
        write(path, tables)

    monkeypatch.setattr(streams, "_write", recorded)
    d = imd.diff("old", "new", TABLES[name][0]())
    pyarrow.parquet.write_table(ARROW, tmp_path / "table.parquet")
    by_file = imd.diff("old", "new", tmp_path / "table.parquet")
    assert str(d.rules) == str(by_file.rules)
    assert d.metrics == by_file.metrics
    assert folders[0].exists()
    del d
    gc.collect()
    assert not folders[0].exists()


def test_a_comparison_of_several_models_collects_them() -> None:
    c = imd.compare(["old", "new"], relation())
    assert c["old", "new"].rules == EXPECTED.rules


def test_nothing_is_read_twice() -> None:
    reader = ARROW.to_reader()
    imd.diff("old", "new", reader)
    with pytest.raises(imd.InputError, match="X has 0 rows"):
        imd.diff("old", "new", reader)


def test_an_array_of_arrow_is_no_table() -> None:
    with pytest.raises(imd.InputError, match="Column, which could not be read as a table"):
        imd.diff("old", "new", Column())


@pytest.mark.parametrize("module", ["mine", "pyspark.sql.classic.dataframe"])
def test_a_table_that_breaks_off_is_refused(module: str) -> None:
    """As a database that is closed, or workers of Spark without pyarrow."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield ARROW.to_batches()[0]
        raise OSError("the connection is closed")

    class DataFrame:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            reader = pa.RecordBatchReader.from_batches(ARROW.schema, batches())
            return reader.__arrow_c_stream__(requested_schema)

    DataFrame.__module__ = module
    for read in (lambda X: imd.diff("old", "new", X), open_table):
        with pytest.raises(imd.InputError, match="could not be read as a table") as raised:
            read(DataFrame())
        assert "the connection is closed" in str(raised.value)
        assert ("X=X.toPandas()" in str(raised.value)) == module.startswith("pyspark")


class Column:
    """A column of numbers with the interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return pa.array([1, 2, 3]).__arrow_c_array__(requested_schema)


def test_an_empty_lazy_frame_has_no_rows() -> None:
    with pytest.raises(imd.InputError, match="0 rows and 2 columns"):
        imd.diff([], [], pl.LazyFrame({"a": [], "b": []}))


def test_files_of_pyarrow_are_read_in_partitions_and_filtered_ones_are_not(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(ARROW, tmp_path / "table.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path)
    d = imd.diff("old", "new", dataset)
    assert d.metrics.n_differing == EXPECTED.metrics.n_differing
    few = imd.diff("old", "new", dataset.filter(pyarrow.dataset.field("age") > 45))
    assert few.metrics.n_rows == int((PANDAS["age"] > 45).sum())
