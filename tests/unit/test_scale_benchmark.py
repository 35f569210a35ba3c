"""The benchmark of large tables: its quick run, and its arithmetic."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.scale.__main__ import main
from benchmarks.scale.problem import dask_frame, make_partition, sizes, whole_table
from benchmarks.scale.report import exponent


@pytest.mark.slow
def test_the_quick_run_writes_every_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--quick", "--out", str(tmp_path / "docs"), "--cache", str(tmp_path / "cache")])
    text = (tmp_path / "docs" / "scale-figures.md").read_text(encoding="utf-8")
    assert "This is the quick run" in text
    for part in ("| threads ", "| workers ", "| files ", "xgboost.dask", "| DisputedRows "):
        assert part in text
    assert not re.search(r"\bnan\b", text)
    assert text in capsys.readouterr().out

    # the second time everything is there: an interrupted run goes on where it was
    times = {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").iterdir()}
    main(["--quick", "--out", str(tmp_path / "docs"), "--cache", str(tmp_path / "cache")])
    assert {file: file.stat().st_mtime_ns for file in times} == times


def test_the_table_is_the_same_in_memory_and_in_partitions() -> None:
    assert sizes(25, 10) == [(0, 10), (1, 10), (2, 5)]
    assert make_partition((3, 5)).equals(make_partition((3, 5)))
    whole = whole_table(250, 100)
    assert whole.shape == (250, 20)
    frame = dask_frame(250, 100).compute().reset_index(drop=True)
    pd.testing.assert_frame_equal(frame, whole, check_categorical=False, check_dtype=False)


def test_the_exponent_is_the_slope_of_logarithms() -> None:
    results = [{"n_rows": n, "total": 3 * n**1.5} for n in (10, 100, 1000)]
    assert exponent(results) == pytest.approx(1.5)
    assert exponent(results[:1]) is None
