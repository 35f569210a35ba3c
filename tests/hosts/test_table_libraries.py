"""Tables of libraries that give batches of Arrow: the real ones, and the rows of docs/where.md."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import adbc_driver_sqlite.dbapi
import duckdb
import ibis
import nanoarrow
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import imd_widget as imd
from imd_widget.data.table import open_table
from tests.hosts.recipes import line_of

#: Ibis 12 calls a method that DuckDB 2 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

N_ROWS = 400
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N_ROWS),
        "city": RNG.choice(["Lima", "Oslo", "Rome"], N_ROWS),
        "income": np.where(RNG.random(N_ROWS) < 0.1, np.nan, RNG.integers(20, 100, N_ROWS)),
    }
)
OLD = np.where(X["age"] > 45, "yes", "no")
NEW = np.where((X["city"] == "Oslo") & (X["age"] < 60), "no", OLD)
TABLE = X.assign(old=OLD, new=NEW)
ARROW = pa.Table.from_pandas(TABLE, preserve_index=False)


@contextmanager
def result_of_adbc() -> Iterator[Any]:
    """What a cursor of ADBC returns for a query of SQLite."""
    with adbc_driver_sqlite.dbapi.connect() as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("scored", ARROW)
        cursor.execute("SELECT * FROM scored")
        yield eval(line_of("a query of ADBC"), {"cursor": cursor})


@contextmanager
def table_of_ibis() -> Iterator[Any]:
    """An expression on a table of a database that Ibis is connected to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scored.duckdb"
        with duckdb.connect(str(path)) as database:
            database.from_arrow(ARROW).create("scored")
        connected = ibis.duckdb.connect(path)
        scored = connected.table("scored")
        yield scored.filter(scored.age >= 0)
        connected.disconnect()


#: A table of each library, as a person would make it.
TABLES: dict[str, Callable[[], Any]] = {
    "result of ADBC": result_of_adbc,
    "relation of DuckDB": lambda: nullcontext(duckdb.from_arrow(ARROW)),
    "table of Ibis": table_of_ibis,
    "table in memory of Ibis": lambda: nullcontext(ibis.memtable(ARROW)),
    "array of nanoarrow": lambda: nullcontext(nanoarrow.Array(ARROW)),
    "stream of nanoarrow": lambda: nullcontext(nanoarrow.ArrayStream(ARROW)),
    "C stream of nanoarrow": lambda: nullcontext(nanoarrow.c_array_stream(ARROW)),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_rules_are_those_of_the_same_rows_in_pandas(name: str) -> None:
    expected = imd.diff("old", "new", TABLE)
    with TABLES[name]() as table:
        d = imd.diff("old", "new", table)
    assert str(d.rules) == str(expected.rules)
    assert d.metrics == expected.metrics


@pytest.mark.parametrize("name", TABLES)
def test_models_get_the_table_that_the_docs_name(name: str) -> None:
    with TABLES[name]() as table:
        native = open_table(table).native
    assert isinstance(native, pa.Table if name == "result of ADBC" else pd.DataFrame)
    if isinstance(native, pa.Table):
        native = native.to_pandas()
    pd.testing.assert_frame_equal(native, TABLE, check_dtype=False)
