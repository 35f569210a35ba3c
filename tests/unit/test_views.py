"""Views: they are JSON, match the diff, and equal the golden files that vitest reads too."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.export.html import contents
from imd_widget.plot.colors import color_slots
from imd_widget.plot.text import percent, plural, short_count
from imd_widget.rules.languages import condition_query, condition_sql, conditions_text, or_none
from imd_widget.rules.rule import Rule
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from tests.examples import examples
from tests.unit.drawn_boxes import drawn
from tests.unit.example_views import EXAMPLES
from tests.unit.strategies import Problem, problems

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, max_depth=4, method="imd")


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems())
def test_it_survives_json(problem: Problem) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, **problem.options)
    refined = d.refine()
    for view in map(to_json, (view_of(d), view_of(refined, d))):
        assert json.loads(json.dumps(view, allow_nan=False)) == view


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(), method=st.sampled_from(["calibrated", "imd", "separate", "direct"]))
def test_rules_and_nodes_point_at_each_other(problem: Problem, method: Any) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method=method, **problem.options)
    view = view_of(d)
    nodes = {node.id: node for node in view.nodes}
    assert len(nodes) == len(view.nodes)
    for node in view.nodes[1:]:
        assert nodes[node.parent].rows >= node.rows  # type: ignore[index]
    for rule in view.rules:
        assert rule.node in nodes
        for pair in rule.leaves:
            for side, leaf in enumerate(pair, start=1):
                assert nodes[leaf].kind == "leaf"
                assert nodes[leaf].side == side
                if method in ("imd", "separate") and rule.outcomes is not None:
                    assert nodes[leaf].label == rule.outcomes[side - 1]
                assert leaf.startswith(rule.node)
        above = [node.id for node in view.nodes if rule.number in node.rules]
        assert above == [
            i for i in nodes if any(leaf.startswith(i) for p in rule.leaves for leaf in p)
        ]


def test_shared_conditions_hold_for_every_row_of_the_or_node(d: imd.ModelDiff) -> None:
    view = view_of(d)
    flags = {c in rule.shared for rule in view.rules for c in rule.conditions}
    assert flags == {True, False}, "both kinds must occur for this to mean something"
    for shown, rule in zip(view.rules, d.rules, strict=True):
        here = d.reaches(rule.node)
        for place, condition in zip(shown.conditions, rule.conditions, strict=True):
            assert view.conditions[place].text == str(condition)
            if place in shown.shared:
                assert condition.mask(d.table)[here].all()
        tells = set(shown.conditions) - set(shown.shared)
        assert tells or not rule.conditions


def test_a_condition_is_sent_once(d: imd.ModelDiff) -> None:
    conditions = view_of(d).conditions
    assert len({c.text for c in conditions}) == len(conditions)
    assert len(conditions) < sum(len(rule.conditions) for rule in d.rules)


def test_a_refined_view_says_what_changed(d: imd.ModelDiff) -> None:
    refined = d.refine()
    refinement = view_of(refined, d).refinement
    assert refinement.steps == 1
    assert set(refinement.added) == set(refined.tree.ids) - set(d.tree.ids)
    assert re.fullmatch(
        r"([+−]|still )\d+ rules?, covers? \d+ % → \d+ % of the differences; "
        r"\d+ % → \d+ % of the covered rows differ",
        refinement.change or "",
    )


def test_reasons_why_nothing_can_be_refined(d: imd.ModelDiff) -> None:
    assert view_of(d).refinement.reason is None
    assert "No further split" in (view_of(d.refine(100)).refinement.reason or "")
    same = imd.diff([0, 1] * 20, [0, 1] * 20, [[i] for i in range(40)])
    assert "no rule" in (view_of(same).refinement.reason or "")


def test_the_golden_view_is_what_we_make_today() -> None:
    """Read by vitest as well. After a wanted change: IMD_WRITE_GOLDEN=1 pytest <this file>."""
    check_golden("quickstart.json", view_of(golden_diff()))
    check_golden("packed.json", packed(view_of(golden_diff())))


def test_the_golden_page_is_what_we_write_today() -> None:
    """The data of a page: refinement steps and a sample of the rows."""
    check_golden("page.json", contents(paged_diff(), (), refinements=2, rows=40))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_views_are_what_we_make_today(name: str) -> None:
    """The front-end's tests draw these views."""
    check_golden(f"views/{name}.json", packed(view_of(EXAMPLES[name]())))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_golden_boxes_are_what_matplotlib_draws(name: str) -> None:
    """Vitest checks that the browser draws the same: which boxes, how they are folded, texts."""
    check_golden(f"boxes/{name}.json", drawn(view_of(EXAMPLES[name]())))


def test_the_golden_titles_are_those_of_the_rules() -> None:
    """Vitest checks that the browser writes the same titles, with its own signs for tiny shares."""
    titles = {}
    for name, make in EXAMPLES.items():
        d = make()
        if d.outputs == "class":
            titles[name] = [rule.title.text(arrow="→") for rule in (*d.rules, *d.agreement)]
    written = " ".join(text for texts in titles.values() for text in texts)
    for words in ("mostly", "different outcomes, most often", " or ", "they agree"):
        assert words in written
    check_golden("titles.json", titles)


def test_the_golden_numbers_are_what_matplotlib_writes() -> None:
    """Formatted numbers; vitest checks that the browser formats them alike."""
    shares = [0, 1e-9, 0.004, 0.005, 0.015, 0.125, 0.5, 0.925, 0.985, 0.994, 0.995, 0.9999, 1]
    halves = [1, 999, 9_999, 10_000, 12_250, 12_350, 99_949, 99_950, 999_949, 999_950, 999_999]
    counts = [0, *halves, 1_000_000, 1_250_000, 999_950_000, 2_450_000_000]
    numbers = {
        "percent": [[share, percent(share)] for share in [None, *shares]],
        "short_count": [[value, short_count(value)] for value in counts],
        "rows": [[value, plural(value, "row")] for value in counts],
    }
    check_golden("numbers.json", numbers)


def test_the_golden_colours_are_those_of_matplotlib() -> None:
    """Classes in the order in which they get a colour; vitest checks that the browser agrees."""
    slots = {}
    for name, make in EXAMPLES.items():
        view = view_of(make())
        slots[name] = color_slots(view.classes, view.crosstab)
    assert any(found is not None and found != sorted(found) for found in slots.values())
    check_golden("colours.json", slots)


def test_no_golden_is_left_over() -> None:
    for folder in ("views", "boxes"):
        assert {file.stem for file in (GOLDEN / folder).iterdir()} == set(EXAMPLES)


def test_the_golden_forms_are_what_we_write_today() -> None:
    """Rules in three languages, which the front-end assembles from their conditions."""
    check_golden("forms.json", [form_of(rule) for rule in odd_rules()])


def form_of(rule: Rule) -> dict[str, Any]:
    return {
        "conditions": [
            {
                "text": str(condition),
                "query": or_none(lambda c=condition: condition_query(c)),
                "sql": or_none(lambda c=condition: condition_sql(c)),
            }
            for condition in rule.conditions
        ],
        "text": conditions_text(rule.conditions),
        "query": or_none(rule.to_query),
        "sql": or_none(rule.to_sql),
    }


def odd_rules() -> list[Rule]:
    """No condition, missing values alone and in company, categories, a name that pandas refuses."""
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 90, n)),
            "town": rng.choice(["Berlin", "New York", "O'Fallon"], n),
            "back`tick": rng.random(n),
        }
    )
    zeros = np.zeros(n, int)
    old, town = X["age"].fillna(99) > 50, X["town"] == "New York"
    differ = [np.ones(n, bool), old, old & town, old & (X["back`tick"] > 0.5), ~town]
    found = [imd.diff(zeros, which.astype(int), X, test_size=0) for which in map(pd.Series, differ)]
    gaps = X.assign(race=rng.choice(["Asian", "Black", "White", "other", None], n))
    found += [
        imd.diff(zeros, (old & ~gaps["race"].isin(some)).astype(int), gaps, test_size=0)
        for some in (["Black"], ["Black", "White"])
    ]
    return [rule for d in found for rule in d.rules]


def check_golden(name: str, made: Any) -> None:
    """Compare with a file of tests/golden, or write it."""
    made = _rounded(json.loads(json.dumps(to_json(made))))
    file = GOLDEN / name
    if os.environ.get("IMD_WRITE_GOLDEN") == "1":
        file.parent.mkdir(exist_ok=True)
        text = _short_json(made) if "/" in name else json.dumps(made, indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8")) == made


def _short_json(value: Any, indent: str = "") -> str:
    """Return JSON with lines of readable length."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= 160 or not isinstance(value, list | dict):
        return line
    inner = indent + " "
    if isinstance(value, list):
        items = [_short_json(item, inner) for item in value]
    else:
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {_short_json(item, inner)}"
            for key, item in value.items()
        ]
    start, end = "[]" if isinstance(value, list) else "{}"
    return f"{start}\n" + ",\n".join(inner + item for item in items) + f"\n{indent}{end}"


def golden_diff() -> imd.ModelDiff:
    """A diff that depends on no library's random numbers: two hand-made scores."""
    from sklearn.datasets import load_breast_cancer

    X = load_breast_cancer(as_frame=True).data
    scores = X["worst perimeter"] / 110, X["worst concave points"] / 0.15
    m1 = (scores[0] + 0.5 * X["worst texture"] / 25 > 1.5).map({True: "malignant", False: "benign"})
    m2 = ((scores[0] > 1) | (scores[1] > 1)).map({True: "malignant", False: "benign"})
    return imd.diff(m1, m2, X, names=("Score", "Checklist"), max_depth=5)


def paged_diff() -> imd.ModelDiff:
    """Few rows, some values missing, leaves that refinement splits more than once."""
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.integers(18, 90, n)),
            "income": rng.integers(10, 90, n) * 100,
            "town": rng.choice(["Bonn", "Rome"], n),
        }
    )
    m1 = (X["income"] > 4000) ^ (rng.random(n) < 0.1)
    m2 = (X["income"] + 30 * X["age"].fillna(40) > 5500) ^ (rng.random(n) < 0.1)
    names = {True: "yes", False: "no"}
    return imd.diff(m1, m2, X, class_names=names, method="imd", max_depth=2, names=("old", "new"))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value


def test_with_weights_a_node_counts_rows_and_shares_are_by_weight() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    said = [rng.choice(["no", "yes", "maybe"], 400), np.where(X["a"] > 0, "no", "yes")]
    weight = rng.random(400) * 10
    d = imd.diff(*said, X, sample_weight=weight, test_size=0)
    for diff in (d, loaded(d)):
        root, *_ = to_json(view_of(diff))["nodes"]
        for model, counts in enumerate(root["counts"]):
            assert sum(rows for _, rows, _ in counts) == root["rows"] == 400
            for label, rows, share in counts:
                own = said[model] == d.labels[int(label)]
                assert rows == own.sum()
                assert share == pytest.approx(weight[own].sum() / weight.sum(), rel=1e-6)


def loaded(d: imd.ModelDiff) -> imd.ModelDiff:
    with TemporaryDirectory() as folder:
        return imd.load(d.save(Path(folder, "diff.json")))


@pytest.mark.parametrize("method", ["calibrated", "imd"])
def test_what_models_say_most_often_inside_a_rule(method: Any) -> None:
    """A rule "late -> on time" may lie where both say "on time" most of the time."""
    rng = np.random.default_rng(0)
    n = 4000
    X = pd.DataFrame({"hour": rng.integers(0, 24, n), "wind": rng.uniform(size=n)})
    late = (X["hour"] > 20) & (rng.random(n) < 0.4)
    y1 = np.where(late, "late", "on time")
    options: dict[str, Any] = {"test_size": 0, "method": method}
    if method == "calibrated":
        options["sensitivity"] = 1.0
    d = imd.diff(y1, np.full(n, "on time"), X, **options)
    view = d.to_dict()
    assert len(view["rules"]) == len(d.rules)
    for rule, shown in zip(d.rules, view["rules"], strict=True):
        if not rule.nodes:
            assert shown["usual"] is None
            continue
        inside = rule.mask(X)
        usual = [pd.Series(own)[inside].mode()[0] for own in (y1, np.full(n, "on time"))]
        assert shown["usual"] == usual
    if method == "calibrated":
        assert [rule["said"] for rule in view["rules"]] == [["late", "on time"]]
        assert [rule["usual"] for rule in view["rules"]] == [["on time", "on time"]]


def test_values_have_no_usual_label() -> None:
    X = pd.DataFrame({"a": np.arange(200.0)})
    d = imd.diff(X["a"] * 2, X["a"] * 2 + 50 * (X["a"] < 50), X, tolerance=5)
    assert [rule["usual"] for rule in d.to_dict()["rules"]] == [None] * len(d.rules)
