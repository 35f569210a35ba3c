"""A rule says the same in a view, a report, a table and a file."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.plain import from_json, json_names
from imd_widget.cli.report import json_report
from imd_widget.export.json_format.diff_reading import diff_of
from imd_widget.export.json_format.writing import file_text
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import RightView
from imd_widget.rules.rule import RuleMeasures

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=300), "b": RNG.choice(list("xyz"), 300)})
OLD = X["a"] * 10
NEW = OLD + np.where((X["b"] == "x") & (X["a"] > 0), 9, 0)
CASES = {
    "class": (OLD > 2, NEW > 2, OLD > 1),
    "value": (OLD, NEW, OLD + 1),
    "proba": (1 / (1 + np.exp(-OLD)), 1 / (1 + np.exp(-NEW)), OLD > 0),
}


MEASURE: Any = "holdout"


def diff_of_kind(kind: Any, test_size: float = 0.25) -> imd.ModelDiff:
    m1, m2, y = CASES[kind]
    return imd.diff(m1, m2, X, y=y, outputs=kind, test_size=test_size, measure=MEASURE)


def known(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value


@pytest.mark.parametrize("test_size", [0.25, 0])
@pytest.mark.parametrize("kind", CASES)
def test_measures_are_the_same_everywhere(kind: str, test_size: float) -> None:
    d = diff_of_kind(kind, test_size)
    assert d.rules
    frame = d.rules.to_frame()
    report = json.loads(json_report(d, None, [], []))
    for number, rule in enumerate(d.rules):
        expected = {name: known(getattr(rule, name)) for name in RuleMeasures.__annotations__}
        assert expected["support"] > 0
        assert (expected["holdout_rate"] is None) == (test_size == 0)
        interval = expected.pop("interval")
        for written in (d.to_dict()["rules"][number], report["rules"][number]):
            assert {name: written[name] for name in expected} == expected
            assert tuple(written["interval"]) == interval
        assert {name: known(frame[name][number]) for name in expected} == expected
        ends = tuple(frame[f"measured_rate_{end}"][number] for end in ("low", "high"))
        assert ends == interval


@pytest.mark.parametrize("kind", CASES)
def test_right_is_the_same_everywhere(kind: str) -> None:
    d = diff_of_kind(kind)
    right = d.right
    assert right is not None
    view = d.to_dict()["right"]
    assert list(json_names(RightView)) == list(view)
    # what the statistics are computed from is in files only
    inner = {"losses", "effective_rows", "degrees"}
    assert {own.name for own in fields(Right)} - inner <= view.keys()
    assert view["net_interval"] == list(right.net_interval or ())
    counts = ("both", "first", "second", "neither", "unknown")
    assert {name: getattr(right, name) for name in counts}.items() <= view.items()
    report = json.loads(json_report(d, None, [], []))["right"]
    assert (
        report.items()
        >= {
            "both_right": right.both,
            "fixes": right.second,
            "breaks": right.first,
            "net": right.second - right.first,
            "neither_right": right.neither,
            "unknown": right.unknown,
            "accuracy": list(right.accuracy),
        }.items()
    )
    assert from_json(Right, json.loads(file_text(d))["right"]) == right


def test_no_truth_stays_no_truth() -> None:
    d = imd.diff([0, 1] * 20, [0, 1] * 20, [[i] for i in range(40)])
    assert d.to_dict()["right"] is None
    assert json.loads(file_text(d))["right"] is None
    assert diff_of(json.loads(file_text(d))).right is None
