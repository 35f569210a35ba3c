"""`derive` on the command line, and for Parquet files and Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.cli import main
from tests.unit.test_dates import texts
from tests.unit.test_words import reviews


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    X, has = reviews("refund", n=600)
    start = pd.Timestamp("2024-01-01")
    X["sent"] = start + pd.to_timedelta(np.arange(600) * 5, unit="h")
    return X.assign(old=0, new=has.astype(int))


def run(scored: pd.DataFrame, folder: Path, *options: str) -> Any:
    """The diff that the command line writes."""
    scored.to_parquet(folder / "scored.parquet")
    arguments = ["diff", str(folder / "scored.parquet"), "--m1", "old", "--m2", "new"]
    assert main([*arguments, "-o", str(folder / "d.json"), *options]) == 0
    return imd.load(folder / "d.json")


def test_the_command_line_derives_by_itself(scored: pd.DataFrame, tmp_path: Path) -> None:
    assert texts(run(scored, tmp_path)) == ["review contains 'refund'"]


def test_the_command_line_takes_columns_and_parts(scored: pd.DataFrame, tmp_path: Path) -> None:
    d = run(scored, tmp_path, "--derive", "review=words,length", "--derive", "sent=weekend")
    assert texts(d) == ["review contains 'refund'"]


def test_the_command_line_derives_nothing_on_request(
    scored: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    d = run(scored, tmp_path, "--derive", "none")
    assert not [text for text in texts(d) if "contains" in text]
    assert "review" in capsys.readouterr().err  # a column that rules cannot use


@pytest.mark.parametrize("given", ["review", "=words", "review="])
def test_a_part_without_a_column_is_explained(
    scored: pd.DataFrame, tmp_path: Path, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scored.to_parquet(tmp_path / "scored.parquet")
    file = str(tmp_path / "scored.parquet")
    with pytest.raises(SystemExit):
        main(["diff", file, "--m1", "old", "--m2", "new", "--derive", given])
    assert "such as review=words,length" in capsys.readouterr().err


def test_parquet_files_and_dask_give_the_rules_of_pandas(
    scored: pd.DataFrame, tmp_path: Path
) -> None:
    dask = pytest.importorskip("dask.dataframe")
    X = scored.drop(columns=["old", "new"])
    own = imd.diff(scored["old"], scored["new"], X, measure="holdout", names=("old", "new"))
    for number, start in enumerate(range(0, 600, 250)):
        scored[start : start + 250].to_parquet(tmp_path / f"part-{number}.parquet")
    for table in (str(tmp_path), dask.from_pandas(scored, npartitions=4)):
        d = imd.diff("old", "new", table)
        assert texts(d) == texts(own) == ["review contains 'refund'"]
        assert d.metrics == own.metrics
        assert (d.predict(X) == own.predict(X)).all()
