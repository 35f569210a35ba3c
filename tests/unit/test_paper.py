"""The machinery behind docs/evidence.md: statistics, choice of pairs, and a small run of all."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from benchmarks.paper.__main__ import main
from benchmarks.paper.claims import our_expectations, papers_claims
from benchmarks.paper.evidence import Evidence
from benchmarks.paper.models import choose_pairs, features, fit
from benchmarks.paper.published import TABLE_1, TABLE_2, TABLE_3
from benchmarks.paper.report import page
from benchmarks.paper.runs import Job, jobs_of
from benchmarks.paper.statistics import Change, against, friedman, mean_ranks
from tests.examples import examples

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


STORED = ROOT / "docs" / "images" / "evidence"


@pytest.fixture(scope="module")
def stored() -> Evidence:
    """The results behind docs/evidence.md."""
    return Evidence.read(STORED)


def with_scores(evidence: Evidence, column: str, method: str, values: pd.Series) -> Evidence:
    """The same evidence with other means of one method, by pair."""
    means = evidence.means.copy()
    means.loc[[(pair, method) for pair in values.index], column] = values.to_numpy()
    return dataclasses.replace(evidence, means=means)


def test_the_page_is_what_the_stored_results_give(stored: Evidence) -> None:
    assert page(stored) == (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")


def test_stored_results_are_read_as_they_were_written(stored: Evidence, tmp_path: Path) -> None:
    stored.write(tmp_path)
    again = Evidence.read(tmp_path)
    pd.testing.assert_frame_equal(again.means, stored.means)
    pd.testing.assert_frame_equal(again.deviations, stored.deviations)
    pd.testing.assert_series_equal(again.accuracies, stored.accuracies)
    assert again.run == stored.run


def test_a_change_is_counted_and_tested_without_its_extremes() -> None:
    before = pd.Series([0.5, 0.4, 0.2, 0.5, 0.5, 0.1, 0.0, 0.8], index=list("abcdefgh"))
    after = pd.Series([0.45, 0.36, 0.19, 0.48, 0.5, 0.4, 0.1, 0.2], index=list("abcdefgh"))
    one = Change.between(before, after)
    assert "g" not in one.percent, "there is no change in percent from 0"
    assert (one.higher, one.lower) == (2, 5)
    assert one.extremes == ["f", "h"]
    assert one.mean == pytest.approx(np.mean([-10, -10, -5, -4, 0, 300, -75]))
    assert one.median == pytest.approx(-5)
    assert one.p == wilcoxon(after - before).pvalue
    rest = one.without_extremes()
    assert rest is not None
    assert rest.mean == pytest.approx(np.mean([-10, -10, -5, -4, 0]))
    assert list(rest.gap.index) == list("abcdeg")


@settings(max_examples=examples(25))
@given(st.lists(st.floats(-0.2, 0.2), min_size=5, max_size=30))
def test_a_change_is_called_higher_only_if_its_median_is(gaps: list[float]) -> None:
    before = pd.Series(0.5, index=range(len(gaps)))
    one = Change.between(before, before + pd.Series(gaps))
    if one.found == "higher":
        assert one.gap.median() > 0
        assert one.p < 0.05
    elif one.found == "lower":
        assert one.gap.median() < 0
        assert one.p < 0.05
    else:
        assert one.p >= 0.05 or one.gap.median() == 0


def test_the_papers_claims_are_judged_by_the_data(stored: Evidence) -> None:
    def found(evidence: Evidence) -> str:
        text = "\n".join(papers_claims(evidence))
        return next(x for x in text.splitlines() if x.startswith("| precision, separate to IMD"))

    def with_precision(factor: float) -> Evidence:
        return with_scores(stored, "precision", "imd", factor * separate)

    separate = stored.scores("precision", ("separate",), stored.ends)["separate"]
    assert "no significant difference, as in the paper" in found(stored)
    assert "**lower**; the paper: no significant difference" in found(with_precision(0.9))
    assert "**higher**; the paper: no significant difference" in found(with_precision(1.1))
    # two pairs raise the mean above 0: it is said, and the score is still called lower
    outliers = 0.9 * separate
    outliers.iloc[:2] *= 5
    text = "\n".join(papers_claims(with_scores(stored, "precision", "imd", outliers)))
    assert "| **lower**; the paper: no significant difference" in text
    [sentence] = re.findall(r"^\*Precision, separate to IMD\*: .*$", text, re.M)
    assert "is misleading" in sentence
    for pair in outliers.index[:2]:
        assert f"{stored.title(pair)} (+350 %)" in sentence
    assert "and is -10.0 % without them" in sentence
    assert "*Precision" not in "\n".join(papers_claims(with_precision(0.9)))


@pytest.mark.parametrize(
    "factor, outliers, holds",
    [(1.2, 1, "yes"), (0.9, 1, "**no**"), (0.95, 5, "**not shown**")],
)
def test_what_was_expected_holds_only_if_it_is_significant(
    stored: Evidence, factor: float, outliers: float, holds: str
) -> None:
    separate = stored.scores("mcc", ("separate",), stored.ends)["separate"]
    changed = factor * separate
    changed.iloc[:2] *= outliers
    evidence = with_scores(stored, "mcc", "calibrated", changed)
    claims = {claim.what: claim.holds for claim in our_expectations(evidence)}
    assert claims["mean MCC of calibrated against separate"] == holds


def test_grounded_rules_are_described_by_the_data(stored: Evidence) -> None:
    text = "\n".join(papers_claims(stored))
    assert "F1 changes by -5.7 % here and by +98.5 % in the paper" in text
    assert "the baseline differs more than the method" in text
    weak = stored.scores("f1", ("grounded",), stored.ends)["grounded"] * 0.5
    text = "\n".join(papers_claims(with_scores(stored, "f1", "grounded", weak)))
    assert "F1 changes by +88.7 % here" in text
    assert "| **higher**; " not in text, "both are higher then"
    assert "higher, as in the paper" in text
