"""Metrics are defined in one list, which views, files and reports read."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef, mutual_info_score

import imd_widget as imd
from imd_widget._base.plain import from_json
from imd_widget.cli.report import json_report
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.metrics import METRICS, SCORES, Metrics
from imd_widget.evaluation.evaluate import COLUMNS
from imd_widget.export.json_format.reading import diff_of
from imd_widget.export.json_format.writing import file_text

X = np.arange(200).reshape(200, 1)
D = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)


@dataclass(frozen=True)
class NewerMetrics(Metrics):
    """Metrics of a later release."""

    later: float | None = None


def plain_diff() -> dict[str, object]:
    return dict(json.loads(file_text(D)))


def test_every_metric_is_listed_shown_and_kept() -> None:
    names = [metric.name for metric in METRICS]
    assert names == [own.name for own in fields(Metrics)]
    assert names == list(D.to_dict()["metrics"])
    assert names == list(json.loads(file_text(D))["metrics"])


def test_every_metric_is_described() -> None:
    documented = Metrics.__doc__ or ""
    for metric in METRICS:
        assert f"    {metric.name} : " in documented
        assert metric.description.endswith(".")
        assert metric.description in documented


def test_scores_are_scores_of_a_confusion_and_columns_of_evaluate() -> None:
    assert SCORES == ("precision", "recall", "f1", "mcc", "explained", "f1_over_always")
    assert set(SCORES) <= set(COLUMNS)
    confusion = Confusion(claimed=8, differing=10, both=4, total=40)
    bits = 40 * entropy(10 / 40)
    left = 8 * entropy(4 / 8) + 32 * entropy(6 / 32)
    mcc = (4 * 40 - 8 * 10) / np.sqrt(8 * 10 * 32 * 30)
    expected = [0.5, 0.4, 4 / 9, mcc, 1 - left / bits, 4 / 9 - 0.4]
    assert [getattr(confusion, name) for name in SCORES] == pytest.approx(expected)


def entropy(share: float) -> float:
    return float(-share * np.log2(share) - (1 - share) * np.log2(1 - share))


@given(rows=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_the_correlation_is_that_of_scikit_learn(rows: list[tuple[bool, bool]]) -> None:
    claimed, differs = (np.array(own) for own in zip(*rows, strict=True))
    confusion = Confusion.of(claimed, differs)
    constant = len(set(claimed)) < 2 or len(set(differs)) < 2
    expected = 0.0 if constant else matthews_corrcoef(differs, claimed)
    assert confusion.mcc == pytest.approx(expected, abs=1e-12)
    mutual = mutual_info_score(differs, claimed)
    whole = mutual_info_score(differs, differs)
    assert confusion.explained == pytest.approx(mutual / whole if whole > 1e-12 else 0, abs=1e-9)


def test_always_is_worth_nothing() -> None:
    always = Confusion(claimed=40, differing=22, both=22, total=40)
    assert (always.mcc, always.explained) == (0, 0)
    assert always.f1_over_always == pytest.approx(0)
    never = Confusion(claimed=0, differing=22, both=0, total=40)
    assert (never.mcc, never.explained) == (0, 0)
    perfect = Confusion(claimed=22, differing=22, both=22, total=40)
    assert (perfect.mcc, perfect.explained) == (pytest.approx(1), pytest.approx(1))


def test_the_report_has_the_metrics_that_say_so() -> None:
    report = json.loads(json_report(D, None, [], []))
    assert {m.name for m in METRICS} & set(report) == {m.name for m in METRICS if m.in_report}
    assert report["f1"] == D.metrics.f1


def test_masks_are_counted_by_weight() -> None:
    claimed = np.array([True, True, False, False])
    differs = np.array([True, False, True, False])
    assert Confusion.of(claimed, differs) == Confusion(2, 2, 1, 4)
    weight = np.array([1.0, 2.0, 4.0, 8.0])
    assert Confusion.of(claimed, differs, weight) == Confusion(3.0, 5.0, 1.0, 15.0)


def test_a_file_without_a_newer_metric_is_read() -> None:
    written = plain_diff()["metrics"]
    assert isinstance(written, dict)
    read = from_json(NewerMetrics, written)
    assert read.later is None
    assert read.f1 == D.metrics.f1


def test_a_file_with_a_newer_metric_is_read() -> None:
    plain = plain_diff()
    metrics = plain["metrics"]
    assert isinstance(metrics, dict)
    metrics["later"] = 0.5
    assert diff_of(plain).metrics == D.metrics


def test_a_file_without_a_metric_of_the_first_files_is_refused() -> None:
    plain = plain_diff()
    metrics = plain["metrics"]
    assert isinstance(metrics, dict)
    del metrics["f1"]
    with pytest.raises(KeyError, match="f1"):
        diff_of(plain)
