"""Explanations that a page takes along: which, how many, and what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.export import html_why
from imd_widget.export.html import contents
from imd_widget.export.html_why import why_of_page
from imd_widget.views import schema
from tests.unit.conformance import departures

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "a": RNG.uniform(size=600),
        "b": RNG.uniform(size=600),
        "job": RNG.choice(["cook", "nurse"], 600),
    }
)


def old(table: pd.DataFrame) -> Any:
    return table["a"]


def new(table: pd.DataFrame) -> Any:
    high = (table["b"] > 0.8) | ((table["b"] < 0.3) & (table["job"] == "cook"))
    return table["a"] + np.where(high, 1.0, 0.0)


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(old, new, X, names=("old", "new"), outputs="value", tolerance=0.1)


def with_value(rows: pd.DataFrame, column: str, point: Any) -> pd.DataFrame:
    value = point["text"] if column == "job" else point["number"]
    return rows.assign(**{column: value})


def test_all_rows_and_each_rule_have_the_curves_of_the_models(d: imd.ModelDiff) -> None:
    assert len(d.rules) > 1
    why = to_json(why_of_page(d))
    assert departures(why, schema.PageWhy) == []
    n_rules = len(d.rules) + len(d.agreement)
    assert [answer["rules"] for answer in why["answers"]] == [[], *([n] for n in range(n_rules))]
    for answer in why["answers"]:
        own = answer["why"]
        assert own is not None
        rows = X[d.covered(answer["rules"])] if answer["rules"] else X
        assert own["rows"] == len(rows)
        assert {curve["column"] for curve in own["curves"]} == {"a", "b", "job"}
        for curve in own["curves"]:
            for point in curve["points"]:
                asked = with_value(rows, curve["column"], point)
                assert point["first"] == pytest.approx(np.mean(old(asked)), rel=1e-5)
                assert point["second"] == pytest.approx(np.mean(new(asked)), rel=1e-5)
    assert why["other"].startswith("This page explains all rows and each rule.")


def test_columns_that_rules_may_not_ask_about_are_not_explained() -> None:
    table = X.assign(secret=RNG.uniform(size=len(X)))
    d = imd.diff(
        lambda t: t["a"] + t["secret"],
        lambda t: new(t) + t["secret"] * 1.1,
        table,
        outputs="value",
        tolerance=0.2,
        columns=["a", "b"],
    )
    for answer in to_json(why_of_page(d))["answers"]:
        assert "secret" not in json.dumps(answer)
        assert "job" not in json.dumps(answer)


def test_a_column_of_names_has_no_curve_and_a_rare_category_no_point() -> None:
    table = X.assign(name=[f"n{at}" for at in range(len(X))])
    table.loc[0, "job"] = "judge"
    with pytest.warns(imd.InputWarning, match="'name' holds a different value in nearly every row"):
        d = imd.diff(old, new, table, outputs="value", tolerance=0.1)
    why = to_json(why_of_page(d))["answers"][0]["why"]
    assert why is not None
    curves = {curve["column"]: curve for curve in why["curves"]}
    assert curves.keys() == {"a", "b", "job"}
    assert {point["text"] for point in curves["job"]["points"]} == {"cook", "nurse"}
    assert "judge" not in json.dumps(why)


def test_trees_in_a_page_name_only_what_many_rows_have() -> None:
    """A tree of few categories may be said by those that it leaves, also by rare ones."""
    table = X.assign(kind=np.where(np.arange(len(X)) % 2, "left", "right"))
    table.loc[:7, "kind"] = "SECRET"
    d = imd.diff(
        old, lambda t: old(t) + np.where(t["kind"] == "left", 0.0, 1.0), table, outputs="value"
    )
    notebook = json.dumps(d.explain().compute().to_dict()["trees"])
    assert "left" in notebook
    for answer in to_json(why_of_page(d))["answers"]:
        assert "SECRET" not in json.dumps(answer["why"] and answer["why"]["trees"])


def test_a_node_with_the_rows_of_a_rule_is_explained_by_it(d: imd.ModelDiff) -> None:
    found = 0
    for answer in to_json(why_of_page(d))["answers"][1:]:
        for node in answer["nodes"]:
            assert np.array_equal(d.reaches(node), d.covered(answer["rules"]))
            found += 1
    assert found


def test_there_is_a_bound_of_rules_and_of_characters(
    d: imd.ModelDiff, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_rules = len(d.rules) + len(d.agreement)
    monkeypatch.setattr(html_why, "MOST_RULES", 1)
    why = to_json(why_of_page(d))
    assert [answer["rules"] for answer in why["answers"]] == [[], [0]]
    assert f"explains all rows and the first 1 of {n_rules} rules." in why["other"]
    monkeypatch.setattr(html_why, "MOST_CHARACTERS", len(json.dumps(why["answers"][0])) + 10)
    assert [answer["rules"] for answer in to_json(why_of_page(d))["answers"]] == [[]]
    monkeypatch.setattr(html_why, "MOST_CHARACTERS", 10)
    nothing = to_json(why_of_page(d))
    assert nothing["answers"] == []
    assert "This page explains nothing" in nothing["other"]


def test_a_rule_with_few_rows_says_so() -> None:
    few = X.head(300)
    d = imd.diff(
        old,
        lambda t: t["a"] + np.where(t["b"] > 0.955, 5.0, 0.0),
        few,
        outputs="value",
        tolerance=0.1,
    )
    [answer] = [a for a in to_json(why_of_page(d))["answers"] if a["rules"] == [0]]
    assert answer["why"] is None
    assert re.match(r"\d+ rows lie inside \(b >= .*at least 20 are needed", answer["error"] or "")


def test_arrays_are_explained_by_surrogates() -> None:
    known = X[["b", "job"]]
    d = imd.diff(old(X), new(X), known, outputs="value", tolerance=0.1)
    why = to_json(why_of_page(d))["answers"][0]["why"]
    assert why is not None
    assert "arrays of outputs" in (why["cannot"] or "")
    assert why["trees"]
    assert why["importance"]


def test_the_page_says_what_it_holds(d: imd.ModelDiff, tmp_path: Path) -> None:
    page = d.save(tmp_path / "why.html", explain=True).read_text(encoding="utf-8")
    assert "contributions and importance of columns, curves over 3 columns, trees" in page
    assert "categories that fewer than 10 rows have are left out" in page
    assert page == d.to_html(tmp_path / "other.html", explain=True).read_text(encoding="utf-8")
    plain = d.save(tmp_path / "plain.html").read_text(encoding="utf-8")
    assert "It explains both models" not in plain
    held = contents(d, (), 0, 0)
    assert held.why is None
    assert "explain=True" in held.steps[0].lacks["explain"]
    assert "explain" not in contents(d, (), 0, 0, explain=True).steps[0].lacks
    w = imd.show(d)
    assert '"why": {"answers"' in w.save(tmp_path / "w.html", explain=True).read_text()


def test_a_diff_from_a_file_has_nothing_to_explain_with(d: imd.ModelDiff, tmp_path: Path) -> None:
    loaded = imd.load(d.save(tmp_path / "d.json"))
    with pytest.raises(imd.InputError, match="explain=True: this diff was read from a file, which"):
        loaded.save(tmp_path / "d.html", explain=True)
    sentence = (
        "This diff was read from a file, which holds neither rows nor models: make it again with "
        "imd.diff(m1, m2, X) to see why they differ."
    )
    assert imd.show(loaded).view["lacks"]["explain"] == sentence
    assert contents(loaded, (), 0, 0).steps[0].lacks["explain"] == sentence


def test_a_page_holds_contributions_and_conditions_but_no_row(d: imd.ModelDiff) -> None:
    for answer in to_json(why_of_page(d))["answers"]:
        own = answer["why"]
        assert own["row_contributions"] is None
        found = own["contributions"]
        listed = [*found["columns"], *([found["others"]] if found["others"] else [])]
        total = found["base_gap"] + sum(one["difference"] for one in listed)
        assert total == pytest.approx(found["gap"], abs=1e-4), "rounded to six digits"
        assert all(one["value"] is None for one in listed)
        asked = {c.column for number in answer["rules"] for c in d.rule_at(number).conditions}
        assert {one["column"] for one in own["conditions"]} == asked
        values = {name: X[name].value_counts() for name in X}
        for one in own["conditions"]:
            for point in one["curve"]["points"]:
                shown = point["text"] if one["column"] == "job" else point["number"]
                assert values[one["column"]].get(shown, 10) >= 10, "no value of a single row"
            assert one["sentence"].startswith(f"If {one['column']} were ")


def test_a_report_explains_the_rules(d: imd.ModelDiff, tmp_path: Path) -> None:
    plain = d.save(tmp_path / "a.md").read_text(encoding="utf-8")
    assert "Why they differ" not in plain
    text = d.save(tmp_path / "b.md", explain=True).read_text(encoding="utf-8")
    assert text.startswith(plain.rstrip("\n"))
    assert "**All rows.** " in text
    assert "**Rule 0.** " in text
    assert "the gap would be " in text
