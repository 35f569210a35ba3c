"""Results as a notebook shows them and as Markdown, and diffs that are equal."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.displayed import Report
from imd_widget._base.markdown_text import cell

HOSTILE = "<b>|*a*"
X = pd.DataFrame({HOSTILE: np.tile(np.arange(20, 70), 8), "job": np.repeat(["cook", "nurse"], 200)})
OLD = np.where(X[HOSTILE] >= 40, "yes", "no")
NEW = np.where(X["job"] == "cook", OLD, "no")


def old(table: pd.DataFrame) -> Any:
    return np.where(table[HOSTILE] >= 40, "yes", "no")


def new(table: pd.DataFrame) -> Any:
    return np.where(table["job"] == "cook", old(table), "no")


DIFF = imd.diff(old, new, X, y=OLD)
RESULTS = {
    "diff": DIFF,
    "rules": DIFF.rules,
    "rule": DIFF.rules[0],
    "stability": DIFF.stability(3),
    "alternatives": DIFF.alternatives(),
    "cohort": DIFF.cohort(np.asarray(X[HOSTILE] < 45)),
    "explanation": DIFF.explain(),
    "verdict": DIFF.check(rule_breaks=0.05),
    "correctness": DIFF.correctness,
    "equivalence": DIFF.equivalent(0.5),
    "measured": DIFF.measure(old, new, X, y=OLD),
    "origin": imd.diff(old, new, X, tags={HOSTILE: "1"}).origin,
    "rows to label": DIFF.to_label(20),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_html_and_markdown_in_which_names_are_text(name: str) -> None:
    html, markdown = RESULTS[name]._repr_html_(), RESULTS[name].to_markdown()
    assert "<p>" in html or "<table" in html
    assert "<b>" not in html
    assert "<b>" not in markdown.replace("\\<b", "")
    if name not in ("cohort", "alternatives", "correctness", "equivalence"):
        assert "&lt;b&gt;|" in html
        assert r"\<b\>" in markdown


def test_correctness_is_a_sentence() -> None:
    assert str(DIFF.correctness) == "0 fixes, 120 breaks, net −120 (−139 to −103), p < 0.001"
    assert DIFF.correctness is not None
    assert DIFF.correctness.to_markdown() == f"{cell(str(DIFF.correctness))}.\n"
    none = imd.diff(old, new, X, y=pd.Series([None] * 399 + ["yes"], dtype=object)).correctness
    assert str(none).startswith("0 fixes, ")
    values = imd.diff(X[[HOSTILE]] * 1.0, X[[HOSTILE]] + 1.5, X, y=X[HOSTILE], outputs="value")
    assert values.correctness is not None
    assert "| absolute error | 0 | 1.5 | +1.5 | \\< 0.001 |" in values.correctness.to_markdown()


def test_a_comparison_of_models_is_markdown() -> None:
    text = imd.compare({HOSTILE: old, "new": new}, X, y=OLD).to_markdown()
    assert text.startswith("# 2 models: which of them differ\n")
    assert r"| \<b\>\|\*a\* | **100.0 %** | 30.0 % |" in text


def test_the_rows_to_label_are_a_frame() -> None:
    to_label = DIFF.to_label(20)
    pd.testing.assert_frame_equal(to_label.to_frame(), to_label.frame)
    assert to_label.to_markdown().startswith("20 rows to label: ")


def test_the_origin_is_a_sentence() -> None:
    origin = imd.diff(old, new, X, tags={"release": "2.1"}).origin
    assert origin is not None
    assert str(origin) == f"made on {origin.date} with imd-widget {origin.version}, release 2.1"


def test_the_frame_of_a_diff_is_that_of_its_rules() -> None:
    pd.testing.assert_frame_equal(DIFF.to_frame(), DIFF.rules.to_frame())


def test_missing_values_and_line_breaks_stay_in_their_cells() -> None:
    report = Report(table=pd.DataFrame({"a": [np.nan, None], "b": ["x\ny", 1.23456]}))
    assert report.markdown().splitlines() == [
        "|  | a | b |",
        "| --- | --- | --- |",
        "| 0 |  | x y |",
        "| 1 |  | 1.23 |",
    ]
    assert Report().markdown() == "\n"


def test_diffs_are_equal_if_their_files_would_be(tmp_path: Path) -> None:
    again = imd.diff(old, new, X, y=OLD)
    loaded = imd.load(DIFF.save(tmp_path / "d.json"))
    pickled = pickle.loads(pickle.dumps(DIFF))
    for same in (copy.copy(DIFF), copy.deepcopy(DIFF), again, loaded, pickled):
        assert same == DIFF
        assert hash(same) == hash(DIFF)
    others = [
        imd.diff(old, new, X),
        imd.diff(old, new, X, y=NEW),
        imd.diff(old, new, X, y=OLD, names=("a", "b")),
        imd.diff(old, new, X[:300], y=OLD[:300]),
        imd.diff(old, new, X, y=OLD, max_depth=2),
    ]
    for other in others:
        assert other != DIFF
    assert DIFF != "a diff"
