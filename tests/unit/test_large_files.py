"""Parquet files and pyarrow datasets as partitions: folders with values, types, and changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

import imd_widget as imd
from imd_widget.large import files
from imd_widget.large.files import FileReader
from tests.unit.large_tables import contents

N = 600
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {"z": RNG.normal(size=N), "region": RNG.integers(8, 12, N), "town": RNG.choice(["x", "y z"], N)}
)
TABLE["old"] = (TABLE["z"] > 0).astype(int)
TABLE["new"] = np.where(TABLE["region"] == 9, 1 - TABLE["old"], TABLE["old"])


def hive(folder: Path, table: pd.DataFrame = TABLE, keys: tuple[str, ...] = ("region",)) -> Path:
    """The table in folders that are named after the values of columns."""
    table.to_parquet(folder, partition_cols=list(keys), index=False)
    return folder


def whole(reader: FileReader) -> pd.DataFrame:
    return pd.concat([reader.read(number) for number in range(reader.size)], ignore_index=True)


FORMS: dict[str, Any] = {
    "folder": lambda folder: folder,
    "text": str,
    "list of files": lambda folder: sorted(folder.rglob("*.parquet")),
    "list of folders": lambda folder: sorted(folder.iterdir()),
    "pattern": lambda folder: str(folder / "**" / "*.parquet"),
    "dataset": lambda folder: pads.dataset(folder, partitioning="hive"),
    "dataset of codes": lambda folder: pads.dataset(
        folder, partitioning=pads.HivePartitioning.discover(infer_dictionary=True)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_names_of_folders_are_the_values_of_a_column(form: str, tmp_path: Path) -> None:
    X = FORMS[form](hive(tmp_path / "scores"))
    d = imd.diff("old", "new", X)
    assert d.column_names == ("z", "town", "region")
    assert [str(rule.conditions[0]) for rule in d.rules] == ["region is 9"]
    assert d.metrics.n_differing == d.rules[0].mask(TABLE).sum() == (TABLE["region"] == 9).sum()
    page = d.save(tmp_path / "page.html", rows=20).read_text(encoding="utf-8")
    assert "region" in page
    assert d.cohort("region == 9").rate == 1


@pytest.mark.parametrize("keys", [("region",), ("town",), ("town", "region")])
@pytest.mark.parametrize("form", ["folder", "list of files"])
def test_a_table_is_what_pandas_reads(form: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    X = FORMS[form](hive(tmp_path / "scores", keys=keys))
    wanted = pd.read_parquet(X)
    table = whole(FileReader(X))
    assert list(table.columns) == list(wanted.columns)
    for name in keys:
        dtype, other = table[name].dtype, wanted[name].dtype
        assert isinstance(dtype, pd.CategoricalDtype)
        assert dtype.categories.dtype == other.categories.dtype
        assert set(dtype.categories) == set(other.categories)
    pd.testing.assert_frame_equal(table.astype(object), wanted.astype(object))


def test_models_get_the_column_in_every_partition_alike(tmp_path: Path) -> None:
    seen = set()

    def model(rows: pd.DataFrame) -> Any:
        seen.add((str(rows["region"].dtype), tuple(rows["region"].cat.categories)))
        return (rows["region"].astype(int) == 9).to_numpy()

    hive(tmp_path / "scores", TABLE[["z", "region"]])
    d = imd.diff(model, lambda rows: np.zeros(len(rows), dtype=bool), tmp_path / "scores")
    assert seen == {("category", (8, 9, 10, 11))}
    assert d.metrics.n_differing == (TABLE["region"] == 9).sum()


@pytest.mark.parametrize("form", ["folder", "dataset", "list of files"])
def test_a_folder_without_a_value_is_a_missing_value(form: str, tmp_path: Path) -> None:
    region = TABLE["region"].astype("Int64").mask(TABLE["region"] == 9)
    table = TABLE.assign(region=region, town=TABLE["town"].where(TABLE["z"] > -1))
    X = FORMS[form](hive(tmp_path / "scores", table, ("region", "town")))
    reader = FileReader(X)
    dtypes = {str(reader.read(number).dtypes.tolist()) for number in range(reader.size)}
    assert len(dtypes) == 1, dtypes
    found = whole(reader)
    for name in ("region", "town"):
        assert found[name].isna().sum() == table[name].isna().sum()
    d = imd.diff("old", "new", X)
    assert [str(rule.conditions[0]) for rule in d.rules] == ["region is missing"]


@pytest.mark.parametrize(
    "values, wanted",
    [
        (["01", "02"], [1, 2]),
        (["-3", "4"], [-3, 4]),
        (["1", "x"], ["1", "x"]),
        (["99999999999", "1"], ["99999999999", "1"]),
        (["2020-01-01", "a=b"], ["2020-01-01", "a=b"]),
        (["y%20z", "1.5"], ["y z", "1.5"]),
    ],
)
def test_values_are_read_as_pyarrow_reads_them(
    values: list[str], wanted: list[Any], tmp_path: Path
) -> None:
    for value in values:
        part = tmp_path / f"a%20key={value}"
        part.mkdir()
        pd.DataFrame({"z": [0.0]}).to_parquet(part / "part.parquet")
    table = whole(FileReader(tmp_path)).set_index("a key")
    assert sorted(table.index) == sorted(wanted)
    assert sorted(pd.read_parquet(tmp_path)["a key"]) == sorted(wanted)


def test_only_folders_inside_the_named_one_count(tmp_path: Path) -> None:
    """As in pandas, which also reads no value for a file that is named alone."""
    folder = tmp_path / "run=3" / "scores"
    folder.parent.mkdir()
    hive(folder)
    [first, *_] = sorted(folder.rglob("*.parquet"))
    assert FileReader(folder).names == ("z", "town", "old", "new", "region")
    assert FileReader([folder]).names == FileReader(folder).names
    assert FileReader(first).names == tuple(pd.read_parquet(first).columns)
    assert {"run", "region"} <= set(FileReader([first]).names)


def test_a_column_of_the_files_is_taken_before_the_names_of_folders(tmp_path: Path) -> None:
    for region in (8, 9):
        part = tmp_path / f"region={region}"
        part.mkdir()
        TABLE[TABLE["region"] == region].to_parquet(part / "part.parquet", index=False)
    reader = FileReader(tmp_path)
    assert reader.names == tuple(TABLE.columns)
    assert str(reader.read(0)["region"].dtype) == "int64"


def test_a_file_that_lacks_the_value_is_named(tmp_path: Path) -> None:
    folder = hive(tmp_path / "scores")
    TABLE.drop(columns="region").to_parquet(folder / "rest.parquet", index=False)
    with pytest.raises(imd.InputError, match=r"has other columns .*'region' is in one of them"):
        imd.diff("old", "new", folder)


def test_a_dataset_with_a_schema_of_its_own_keeps_to_it(tmp_path: Path) -> None:
    folder = hive(tmp_path / "scores")
    schema = pads.dataset(folder).schema
    assert "region" not in schema.names
    d = imd.diff("old", "new", pads.dataset(folder, schema=schema, partitioning="hive"))
    assert d.column_names == ("z", "town")


def test_a_dataset_of_no_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(imd.InputError, match="X has files, but no row"):
        imd.diff("old", "new", pads.dataset(tmp_path, schema=pa.schema([("a", pa.int64())])))


@pytest.mark.parametrize("X", ["", "  ", [""], ["", "other"]])
def test_an_empty_name_is_not_the_present_folder(
    X: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    TABLE.to_parquet("other.parquet")
    with pytest.raises(imd.InputError, match=r'an empty name: name a Parquet.*The present.*"\."'):
        imd.diff("old", "new", X)
    assert imd.diff("old", "new", ".").rules


# --- types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_value_that_is_missing_in_one_file_gives_all_files_the_same_types(
    at: int, statistics: bool, tmp_path: Path
) -> None:
    for number in range(3):
        missing = [number == at, False]
        table = pa.table(
            {
                "count": pa.array([1, 2], mask=np.array(missing)),
                "flag": pa.array([True, False], mask=np.array(missing)),
                "full": pa.array([1, 2]),
            }
        )
        pq.write_table(table, tmp_path / f"{number}.parquet", write_statistics=statistics)
    reader = FileReader(tmp_path)
    for number in range(3):
        frame = reader.read(number)
        assert frame.dtypes.map(str).tolist() == ["float64", "object", "int64"]
        assert bool(frame["count"].isna().any()) is (number == at)


def test_the_child_of_a_struct_is_no_column(tmp_path: Path) -> None:
    """Neither one with a column's name, nor one whose path is a column's name."""
    for number, last in enumerate((3, None)):
        table = pa.table(
            {
                "s": pa.array([{"x": 1, "y": 2}] * 3),
                "x": pa.array([1, 2, last]),
                "s.y": pa.array([4, 5, last]),
                "y": pa.array([7, 8, 9]),
            }
        )
        pq.write_table(table, tmp_path / f"{number}.parquet")
    reader = FileReader(tmp_path, only={"x", "s.y", "y"})
    for number in range(2):
        assert reader.read(number).dtypes.map(str).tolist() == ["float64", "float64", "int64"]


# --- files that change ----------------------------------------------------------------------------


def written_again(path: Path, table: pd.DataFrame) -> None:
    """Write a file again, a second later."""
    before = path.stat().st_mtime_ns
    table.to_parquet(path, index=False)
    os.utime(path, ns=(before + 10**9, before + 10**9))


@pytest.mark.parametrize("change", ["other values", "fewer rows", "same size"])
def test_a_file_that_changed_is_named(change: str, tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    TABLE.to_parquet(path, index=False)
    d = imd.diff("old", "new", tmp_path)
    assert d.cohort("z > 0").rows == (TABLE["z"] > 0).sum()
    d.table.reader._read.clear()
    other = {
        "other values": TABLE.assign(z=-TABLE["z"]),
        "fewer rows": TABLE.head(50),
        "same size": TABLE,
    }
    written_again(path, other[change])
    with pytest.raises(imd.InputError, match=r"part\.parquet has changed since it was opened: .*"):
        d.cohort("z > 1")


def test_a_file_of_other_rows_is_noticed_where_no_time_tells(tmp_path: Path) -> None:
    """As many bytes and the same time, as some copies have, and another number of rows."""
    path = tmp_path / "part.csv"
    path.write_text("a,b\n" + "1,1\n" * 20, encoding="utf-8")
    reader = FileReader(pads.dataset(path, format="csv"))
    assert len(reader.read(0)) == 20
    times = path.stat()
    path.write_text("a,b\n" + "100,100\n" * 10, encoding="utf-8")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(imd.InputError, match=r"part\.csv has 10 rows, and had 20 when it was"):
        reader.read(0)


def test_a_file_system_without_times_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_stamp", lambda fragment: None)
    TABLE.to_parquet(tmp_path / "part.parquet", index=False)
    d = imd.diff("old", "new", tmp_path)
    assert contents(d)["rules"]
