"""Metrics are defined in one list, which views, files and reports read."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import numpy as np
import pytest

import imd_widget as imd
from imd_widget._base.plain import made
from imd_widget.cli.report import Verdict, json_report
from imd_widget.comparison.metrics import METRICS, SCORES, Confusion, Metrics
from imd_widget.evaluation.evaluate import COLUMNS
from imd_widget.export.json_format.reading import diff_of
from imd_widget.export.json_format.writing import file_text
from imd_widget.views.schema import MetricsView

X = np.arange(200).reshape(200, 1)
D = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)


@dataclass(frozen=True)
class NewerMetrics(Metrics):
    """Metrics of a later release."""

    mcc: float | None = None


def plain_diff() -> dict[str, object]:
    return dict(json.loads(file_text(D)))


def test_every_metric_is_listed_shown_and_kept() -> None:
    names = [metric.name for metric in METRICS]
    assert names == [own.name for own in fields(Metrics)]
    assert names == list(MetricsView.__annotations__)
    assert names == list(D.to_dict()["metrics"])
    assert names == list(json.loads(file_text(D))["metrics"])


def test_every_metric_is_described() -> None:
    documented = Metrics.__doc__ or ""
    for metric in METRICS:
        assert f"    {metric.name} : " in documented
        assert metric.description.endswith(".")
        assert metric.description in documented


def test_scores_are_scores_of_a_confusion_and_columns_of_evaluate() -> None:
    assert SCORES == ("precision", "recall", "f1")
    assert set(SCORES) <= set(COLUMNS)
    confusion = Confusion(claimed=8, differing=10, both=4, total=40)
    assert [getattr(confusion, name) for name in SCORES] == pytest.approx([0.5, 0.4, 4 / 9])


def test_the_report_has_the_metrics_that_say_so() -> None:
    report = json.loads(json_report(D, Verdict.of(D, None, None), [], []))
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
    read = made(NewerMetrics, written)
    assert read.mcc is None
    assert read.f1 == D.metrics.f1


def test_a_file_with_a_newer_metric_is_read() -> None:
    plain = plain_diff()
    metrics = plain["metrics"]
    assert isinstance(metrics, dict)
    metrics["mcc"] = 0.5
    assert diff_of(plain).metrics == D.metrics


def test_a_file_without_a_metric_of_the_first_files_is_refused() -> None:
    plain = plain_diff()
    metrics = plain["metrics"]
    assert isinstance(metrics, dict)
    del metrics["f1"]
    with pytest.raises(KeyError, match="f1"):
        diff_of(plain)
