"""The machinery behind docs/evidence.md: statistics, choice of pairs, and a small run of all."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.paper.__main__ import main
from benchmarks.paper.models import choose_pairs, features, fit
from benchmarks.paper.published import TABLE_1, TABLE_2, TABLE_3
from benchmarks.paper.runs import Job, jobs_of
from benchmarks.paper.statistics import against, friedman, mean_ranks

ROOT = Path(__file__).parents[2]


def test_ranks_share_ties() -> None:
    scores = pd.DataFrame({"a": [0.9, 0.5], "b": [0.9, 0.7], "c": [0.1, 0.6]})
    assert mean_ranks(scores).to_dict() == {"a": 2.25, "b": 1.25, "c": 2.5}


@given(st.integers(0, 500), st.integers(2, 6))
def test_holm_never_calls_significant_what_follows_a_failure(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(
        rng.normal(rng.normal(0, 0.5, n), 1, size=(20, n)), columns=[f"m{i}" for i in range(n)]
    )
    tests = against(scores, "m0")
    assert [test.p for test in tests] == sorted(test.p for test in tests)
    assert [test.threshold for test in tests] == [0.05 / k for k in range(n - 1, 0, -1)]
    verdicts = [test.significant for test in tests]
    assert verdicts == sorted(verdicts, reverse=True)
    first_failure = next((i for i, t in enumerate(tests) if t.p > t.threshold), n)
    assert verdicts == [i < first_failure for i in range(n - 1)]


def test_clear_differences_are_significant_and_equal_columns_are_not() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(30)
    scores = pd.DataFrame({"ours": base + 0.2, "worse": base, "same": base + 0.2})
    assert friedman(scores) < 1e-6
    found = {test.against: test for test in against(scores, "ours")}
    assert found["worse"].significant
    assert found["same"].p == 1
    assert not found["same"].significant


def test_published_tables_speak_of_the_same_pairs() -> None:
    assert TABLE_3.keys() == TABLE_1.keys()
    for name, lines in TABLE_1.items():
        for line, (before, _, _) in zip(lines, TABLE_3[name], strict=True):
            assert line.imd[0] == before, "Table 3 begins with the precision of Table 1"
        for line, f1 in zip(lines, TABLE_2.get(name, ()), strict=False):
            precision, recall, _ = line.imd
            assert f1[0] == pytest.approx(2 * precision * recall / (precision + recall), abs=0.02)


def test_pairs_are_those_of_largest_and_smallest_difference(tmp_path: Path) -> None:
    models = ("DT2", "LR", "GNB")
    [largest, smallest] = choose_pairs("bc", models, tmp_path)
    accuracy = {name: fit("bc", name, tmp_path).accuracy for name in models}
    assert all(0.8 < one <= 1 for one in accuracy.values())
    gaps = {
        frozenset((a, b)): abs(accuracy[a] - accuracy[b]) for a in models for b in models if a < b
    }
    assert gaps[frozenset(largest.models)] == max(gaps.values())
    assert gaps[frozenset(smallest.models)] == min(gaps.values())
    assert (largest.why, smallest.why) == (("max",), ("min",))
    assert len(list((tmp_path / "models").iterdir())) == 3
    jobs = list(jobs_of([largest], 2, curves=False))
    assert "grounded" in {job.variant for job in jobs}
    assert len({job.file(tmp_path) for job in jobs}) == len(jobs)
    assert Job(largest, "imd", 2).file(tmp_path) != Job(largest, "imd", 5).file(tmp_path)


def test_features_are_numbers() -> None:
    from benchmarks.data import Dataset

    X = pd.DataFrame({"age": [1.5, 2.0], "town": ["a", None]})
    table = features(Dataset("x", X, np.array(["0", "1"])))
    assert list(table) == ["age", "town=a"]
    assert table.to_numpy().tolist() == [[1.5, 1.0], [2.0, 0.0]]


@pytest.mark.slow
def test_the_quick_run_writes_every_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = ["--quick", "--out", str(tmp_path / "docs"), "--cache", str(tmp_path / "cache")]
    main([*quick, "--workers", "1"])
    text = (tmp_path / "docs" / "evidence.md").read_text(encoding="utf-8")
    tables = [f"## Table {number}" for number in range(1, 6)]
    for part in ("## In short", *tables, "## Accuracy against"):
        assert part in text
    assert "This is the quick run" in text
    assert not re.search(r"\bnan\b", text)
    assert (tmp_path / "docs" / "images" / "evidence" / "size.svg").stat().st_size > 5_000
    assert text in capsys.readouterr().out

    # the second time everything is there: an interrupted run goes on where it was
    kept = sorted((tmp_path / "cache" / "results").iterdir())
    times = [file.stat().st_mtime_ns for file in kept]
    kept[0].unlink()
    main([*quick, "--workers", "1"])
    assert [file.stat().st_mtime_ns for file in kept[1:]] == times[1:]
    assert kept[0].is_file()
