"""A diff as JSON and back: nothing is lost or executed, and errors name the fault of a file."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base import plain as checks
from imd_widget._base.intervals import wilson
from imd_widget._base.plain_values import from_plain, to_plain
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data import columns
from imd_widget.export.html import NO_GROWTH
from imd_widget.export.json_format import diff_reading
from imd_widget.export.json_format.reading import diff_of
from imd_widget.export.json_format.writing import file_text
from imd_widget.methods import METHOD_TYPES, Calibrated
from imd_widget.rules.rule import Rule
from imd_widget.tree.shape import TreeShape
from imd_widget.views.build import NO_MODELS, view_of
from tests.examples import examples
from tests.unit.strategies import Problem, problems
from tests.unit.test_comparison_views import data_of


def optional_fields(kind: Any) -> list[str]:
    """The fields of a dataclass that have a default."""
    values = [one for one in fields(kind) if one.init]
    return [o.name for o in values if (o.default, o.default_factory) != (MISSING, MISSING)]


law = settings(max_examples=examples(60), deadline=None)
OPTIONS = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["calibrated", "imd", "separate", "direct"]),
        "max_depth": st.integers(1, 4),
        "test_size": st.sampled_from([0, 0.3]),
    }
)


def small_diff(**options: Any) -> imd.ModelDiff:
    rng = np.random.default_rng(0)
    n = 240
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.integers(18, 90, n)),
            "town": rng.choice(["Bonn", "Rome", "Paris"], n),
        }
    )
    m1 = X["age"].fillna(0) > 40
    m2 = m1 ^ (X["town"] == "Rome") ^ (rng.random(n) < 0.05)
    return imd.diff(m1.to_numpy(), m2.to_numpy(), X, names=("old", "new"), **options)


@law
@given(problems(), OPTIONS, st.integers(0, 1))
def test_what_is_read_is_what_was_written(
    problem: Problem, options: dict[str, Any], steps: int
) -> None:
    made = imd.diff(problem.y1, problem.y2, problem.X, **problem.options, **options)
    d = made.refine(steps)
    text = file_text(d)
    back = diff_of(json.loads(text))
    assert replace(view_of(back), lacks={}) == view_of(d, redact=True)
    assert back.rules == d.rules
    assert back.metrics == d.metrics
    assert back.tree.ids == d.tree.ids
    assert back.predict(problem.X).tolist() == d.predict(problem.X).tolist()
    assert str(back.tree.predict(problem.X)) == str(d.tree.predict(problem.X))
    assert file_text(back) == text


@law
@given(problems(), OPTIONS)
def test_it_predicts_the_same_on_rows_it_has_never_seen(
    problem: Problem, options: dict[str, Any]
) -> None:
    seen = problem.taken(np.arange(0, len(problem.X), 2))
    if not seen.counts.any():
        return
    d = imd.diff(seen.y1, seen.y2, seen.X, **seen.options, **options)
    back = diff_of(json.loads(file_text(d)))
    assert back.predict(problem.X).tolist() == d.predict(problem.X).tolist()
    assert back.rules.mask(problem.X).tolist() == d.rules.mask(problem.X).tolist()


def test_a_category_that_no_question_names_is_not_written(tmp_path: Path) -> None:
    """Neither to a file nor to a page, not even as the name of a bar."""
    d = small_diff(max_depth=2)
    for name in ("diff.json", "diff.html"):
        text = d.save(tmp_path / name).read_text(encoding="utf-8")
        assert "Rome" in text
        assert "all others" in text
        assert "Paris" not in text
        assert "Bonn" not in text
    assert "Paris" in str(d.to_dict()["nodes"])


def test_load(tmp_path: Path) -> None:
    d = small_diff(y=np.arange(240) % 2 == 0)
    back = imd.load(d.save(tmp_path / "diff.json"))
    assert isinstance(back, imd.ModelDiff)
    assert (back.has_rows, d.has_rows) == (False, True)
    assert back.summary() == d.summary()
    assert back.right == d.right
    bars, whole = back.bars("r"), d.bars("r")
    assert (sum(bars.same), sum(bars.differ)) == (sum(whole.same), sum(whole.differ))
    assert (back.method, back.max_depth, back.refinements) == ("calibrated", 6, 0)
    X = pd.DataFrame({"age": [20.0, 60.0, np.nan], "town": ["Rome", "Oslo", "Rome"]})
    assert back.predict(X).tolist() == d.predict(X).tolist() == [True, False, True]


def test_what_needs_rows_says_so() -> None:
    back = diff_of(json.loads(file_text(small_diff())))
    needs: list[Callable[[], Any]] = [
        lambda: back.refine(1),
        lambda: back.change(max_depth=2),
        lambda: back.trace(0),
        lambda: back.reaches("r"),
        lambda: back.table,
        lambda: back.differs,
        lambda: back.predictions,
        lambda: back.truth,
        lambda: back.kept_aside,
    ]
    for ask in needs:
        with pytest.raises(imd.InputError, match=r"holds neither rows nor models.*imd\.diff\(m1"):
            ask()


def test_it_is_shown_saved_and_said_again(tmp_path: Path) -> None:
    d = small_diff()
    back = diff_of(json.loads(file_text(d)))
    w = imd.show(back)
    without_rows = {"rows", "trace", "csv", "histograms", "stability", "cohort", "explain"}
    without_rows |= {"alternatives", "interactions", "map", "what_if", "smallest_change", "growth"}
    assert w.view["lacks"].keys() == {"refine", "change", *without_rows}
    assert "read from a file" in w.view["lacks"]["rows"]
    for name in ("diff.html", "diff.csv", "diff.md", "diff.json"):
        written = [
            one.save(tmp_path / which / name, refinements=0)
            for one, which in ((d, "made"), (back, "read"))
        ]
        made, read = (path.read_text() for path in written)
        if name.endswith(".html"):
            contents = data_of(made)
            # a page can never hold explanations or the growth of a diff that was read
            assert contents.pop("growth")
            contents["growth"] = None
            for step in contents["steps"]:
                step["lacks"] |= {"explain": NO_MODELS, "growth": NO_GROWTH}
            assert contents == data_of(read)
        else:
            assert made == read
    heard: list[Any] = []
    w.observe(heard.append, "selected_rows")
    w.selected_rules = [0]
    assert heard == []
    assert back.refine(0) is back
    with pytest.raises(imd.InputError, match=r"rows=5.*holds no rows"):
        back.save(tmp_path / "diff.html", rows=5)


LABELS = [
    (1, 2.5),
    (dt.date(2024, 2, 29), dt.date(2025, 1, 1)),
    (pd.Timestamp("2024-02-29 12:00:00.000000001"), pd.Timestamp("2025-01-01")),
    (("a", 1), ("b", 2)),
    (Decimal("1.10"), Decimal("2")),
    (b"\x00\xff", b"x"),
    (pd.Interval(0, 1.5), pd.Interval(1.5, 3)),
    (pd.Period("2024-01", freq="M"), pd.Period("2024-02", freq="M")),
    (pd.Timedelta(days=1, nanoseconds=3), dt.timedelta(seconds=1)),
    (dt.timedelta(hours=5), dt.timedelta(days=-400 * 365, microseconds=1)),
    (dt.datetime(2024, 2, 29, 12), dt.datetime(2024, 2, 29, tzinfo=dt.UTC)),
    (pd.Timedelta(hours=5), pd.Timedelta(-1)),
    (dt.time(12, 30), dt.time(13)),
    (True, False),
    (float("inf"), 0),
]


@pytest.mark.parametrize("pair", LABELS, ids=lambda pair: type(pair[0]).__name__)
def test_labels_of_many_types_come_back(pair: tuple[Any, Any]) -> None:
    for value in pair:
        plain = json.loads(json.dumps(to_plain(value, "the label"), allow_nan=False))
        back = from_plain(plain)
        assert back == value
        assert hash(back) == hash(value)
        assert (type(back), str(back)) == (type(value), str(value))


@pytest.mark.parametrize(
    "value", [np.float32(0.7), np.float16(0.7), np.longdouble(1) / 3, np.int8(3), np.bool_(True)]
)
def test_numpy_scalars_come_back(value: Any) -> None:
    back = from_plain(json.loads(json.dumps(to_plain(value, "the bound"))))
    assert back == value
    if isinstance(value, np.floating):
        assert type(back) is type(value)


def test_durations_of_python_read_the_same_afterwards(tmp_path: Path) -> None:
    hours = np.arange(120) % 6
    mixed = [dt.timedelta(hours=int(h)) if h < 4 else f"{h} hours" for h in hours]
    X = pd.DataFrame({"wait": pd.Series(mixed, dtype=object)})
    d = imd.diff(hours == 2, hours == 3, X)
    assert "2:00:00" in str(d.rules)
    back = imd.load(d.save(tmp_path / "diff.json"))
    assert (str(back.rules), back.rules) == (str(d.rules), d.rules)


def test_long_doubles_come_back(tmp_path: Path) -> None:
    thirds = np.arange(120) / np.longdouble(3)
    X = pd.DataFrame({"x": thirds})
    d = imd.diff(thirds < 20, thirds < np.longdouble(70) / 3, X)
    back = imd.load(d.save(tmp_path / "diff.json"))
    assert (str(back.rules), back.rules) == (str(d.rules), d.rules)
    assert back.predict(X).tolist() == d.predict(X).tolist()


def test_a_column_may_have_any_name(tmp_path: Path) -> None:
    X = pd.DataFrame({("a", 1): np.arange(60.0), 7: np.arange(60) % 7, None: 0.5})
    y1 = np.arange(60) < 30
    d = imd.diff(y1, np.arange(60) < 20, X)
    assert imd.load(d.save(tmp_path / "diff.json")).predict(X).tolist() == d.predict(X).tolist()


def test_what_cannot_be_written_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    class Odd:
        def __repr__(self) -> str:
            return "<odd>"

    one, two = Odd(), Odd()
    X = pd.DataFrame({"a": np.arange(40.0)})
    first = np.array([one] * 20 + [two] * 20, dtype=object)
    d = imd.diff(first, np.array([one] * 25 + [two] * 15, dtype=object), X, class_names=["a", "b"])
    with pytest.raises(
        imd.InputError, match="the label <odd> has the type Odd, which cannot be written"
    ):
        d.save(tmp_path / "diff.json")
    assert list(tmp_path.iterdir()) == []


def broken(change: Callable[[dict[str, Any]], object]) -> str:
    plain = json.loads(file_text(small_diff(method="imd", max_depth=3)))
    change(plain)
    return json.dumps(plain)


def first(p: dict[str, Any], part: str, kind: str) -> dict[str, Any]:
    return next(one for one in p[part] if one["kind"] == kind)


def rule_about(p: dict[str, Any], part: str) -> dict[str, Any]:
    return next(c for rule in p["rules"] for c in rule["conditions"] if part in c)


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another format": (lambda p: p.update(format="x"), 'its "format" is not "imd-widget diff"'),
    "a newer one": (
        lambda p: p.update(version=99),
        "version 99 of the format, written by imd-widget .*pip install --upgrade imd-widget",
    ),
    "no version": (lambda p: p.pop("version"), 'its "version" is None'),
    "true for a version": (lambda p: p.update(version=True), 'its "version" is True'),
    "no rules": (lambda p: p.pop("rules"), "it lacks 'rules'"),
    "rules that are no list": (lambda p: p.update(rules={}), "rules is {}"),
    "a node without a parent": (lambda p: p["nodes"].pop(1), "has no parent|lacks a branch"),
    "a node that lacks a branch": (lambda p: p["nodes"].pop(), "lacks a branch|there is no node"),
    "an id twice": (
        lambda p: p["nodes"].append(p["nodes"][0]),
        "the ids of the nodes are not those of a tree",
    ),
    "a very long id": (
        lambda p: p["nodes"][-1].update(id="r" + "y" * 100_000),
        r"the node 'ryyy.{0,80}… has no parent",
    ),
    "a column too few": (lambda p: p["columns"].clear(), "the column of a question is"),
    "a wild cut": (lambda p: first(p, "nodes", "split").update(cut=99), "cut of a question is 99"),
    "half a cut": (lambda p: first(p, "nodes", "split").update(cut=0.5), "question is 0.5"),
    "thresholds in disorder": (
        lambda p: first(p, "columns", "ordered").update(thresholds=[2, 1]),
        "do not increase",
    ),
    "a threshold without end": (
        lambda p: first(p, "columns", "ordered").update(thresholds=[10**30], dtype="int64"),
        "too large|too big",
    ),
    "objects in place of numbers": (
        lambda p: first(p, "columns", "ordered").update(dtype="O"),
        "is 'ordered' of 'O'",
    ),
    "a category twice": (
        lambda p: first(p, "columns", "category").update(categories=["Rome", "Rome"]),
        "a category of 'town' is there twice",
    ),
    "a list for a name": (lambda p: p["columns"][0].update(name=[1]), r"a value is \[1\]"),
    "counts of another form": (
        lambda p: [node.update(counts=[1]) for node in p["nodes"]],
        "counts of the nodes have another form",
    ),
    "counts below nothing": (lambda p: p["nodes"][0]["counts"].__setitem__(0, -1), "counts of 'r'"),
    "counts without end": (lambda p: p["nodes"][0]["counts"].__setitem__(0, 10**30), "of 'r'"),
    "bars of several lengths": (
        lambda p: first(p, "nodes", "split")["bars"]["same"].append(1),
        "bars of a node are not of one length",
    ),
    "bars of text": (
        lambda p: first(p, "nodes", "split")["bars"].update(same=["x"]),
        "same is",
    ),
    "a rule about nowhere": (lambda p: p["rules"][0].update(node="ryyyyyyy"), "there is no node"),
    "a rule about no label": (
        lambda p: p["rules"][0].update(outcomes=["x", "y"]),
        "which are not labels",
    ),
    "a rule about no column": (
        lambda p: p["rules"][0]["conditions"][0].update(column=-1),
        "the column of a rule is -1",
    ),
    "a rule about a column twice": (
        lambda p: p["rules"][0]["conditions"].append(p["rules"][0]["conditions"][0]),
        "two conditions on one column",
    ),
    "a rule of text": (lambda p: p["rules"][0].update(support="abc"), "support is 'abc'"),
    "a share of nothing": (lambda p: p["rules"][0].update(outcome_share=None), "outcome_share is"),
    "measures of text": (lambda p: p["metrics"].update(precision="x"), "precision is 'x'"),
    "measures that are missing": (lambda p: p["metrics"].update(recall=None), "recall is None"),
    "steps below nothing": (lambda p: p.update(refinements=-1), "refinements is -1"),
    "three names": (lambda p: p.update(names=["a", "b", "c"]), "names are"),
    "an unknown type": (
        lambda p: p["outputs"].update(labels=[{"pickle": "x"}, 1]),
        "unknown type 'pickle'",
    ),
    "a bad decimal": (lambda p: p["outputs"].update(labels=[{"decimal": "zz"}, 1]), "cannot be"),
    "a moment without end": (
        lambda p: p["columns"][0].update(name={"timestamp": "x" * 1_000_000}),
        "a timestamp has 1,000,000 letters, and none has over 64",
    ),
    "a period without end": (
        lambda p: p["columns"][0].update(name={"period": ["x" * 65, "D"]}),
        "a period has 65 letters",
    ),
    "a frequency without end": (
        lambda p: p["columns"][0].update(name={"period": ["2024", "D" * 65]}),
        "the frequency of a period has 65 letters",
    ),
    "a dtype without end": (
        lambda p: first(p, "columns", "ordered").update(dtype="f8," * 1000),
        "a dtype has 3,000 letters",
    ),
    "a number for a moment": (
        lambda p: p["columns"][0].update(name={"timestamp": 5}),
        "a timestamp is 5",
    ),
    "a dtype with fields": (
        lambda p: first(p, "columns", "ordered").update(dtype=[["a", "f8"]]),
        "a dtype is",
    ),
    "a rule about no category": (
        lambda p: rule_about(p, "one_of")["one_of"].append("Oslo"),
        "a rule has 'Oslo', and 'town' has no such category",
    ),
    "a rule about no threshold": (
        lambda p: rule_about(p, "low").update(low=0.125),
        "a rule has 0.125, and 'age' has no such threshold",
    ),
    "no method": (lambda p: p["options"].pop("method"), "it lacks 'method'"),
    "an odd method": (lambda p: p["options"].update(method="magic"), "method is 'magic'"),
    "an odd option": (lambda p: p["options"].update(max_depth=-1), "max_depth=-1"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_says_what_is_wrong(case: str, tmp_path: Path) -> None:
    change, message = BROKEN[case]
    path = tmp_path / "diff.json"
    path.write_text(broken(change), encoding="utf-8")
    with pytest.raises(imd.InputError, match=message):
        imd.load(path)


# --- as much work as there is text ----------------------------------------------------------------


class Unsearched(tuple[Any, ...]):
    """Categories in which nothing is looked for from the beginning on."""

    __slots__ = ()

    def index(self, *_: Any) -> int:
        raise AssertionError("searched")


def test_categories_of_rules_are_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = json.loads(file_text(small_diff(method="imd", max_depth=3)))
    expected = diff_of(plain).rules
    assert rule_about(plain, "one_of")
    distinct = columns.distinct_from_plain
    monkeypatch.setattr(columns, "distinct_from_plain", lambda *args: Unsearched(distinct(*args)))
    assert diff_of(plain).rules == expected


def test_a_category_that_is_named_twice_counts_once() -> None:
    plain = json.loads(file_text(small_diff(method="imd", max_depth=3)))
    expected = diff_of(plain).rules
    named = rule_about(plain, "one_of")["one_of"]
    named += named
    assert diff_of(plain).rules == expected


def test_work_that_all_rules_share_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 2, (2, 300))
    d = imd.diff(first, second, rng.normal(size=(300, 3)), method="separate", max_depth=5)
    assert len(d.rules) > 20
    plain = json.loads(file_text(d))
    asked: list[object] = []
    ids = TreeShape.__dict__["ids"].func
    types = checks.get_type_hints

    def ids_of(tree: TreeShape) -> tuple[str, ...]:
        asked.append(tree)
        return tuple(ids(tree))

    def types_of(kind: type[Any]) -> dict[str, Any]:
        asked.append(kind)
        return types(kind)

    monkeypatch.setattr(TreeShape, "ids", property(ids_of))
    monkeypatch.setattr(checks, "get_type_hints", types_of)
    assert len(diff_of(plain).rules) == len(d.rules)
    assert len(asked) < 10


def test_fields_that_a_later_release_adds_are_ignored(tmp_path: Path) -> None:
    d = small_diff(y=np.arange(240) % 2 == 0)

    def added(plain: Any) -> Any:
        """Something new in every object but in conditions and values, which are what they say."""
        if isinstance(plain, list):
            return [added(one) for one in plain]
        if not isinstance(plain, dict):
            return plain
        return {"new": 1} | {
            name: value if name == "conditions" else added(value) for name, value in plain.items()
        }

    path = tmp_path / "diff.json"
    path.write_text(json.dumps(added(json.loads(file_text(d)))), encoding="utf-8")
    with pytest.warns(imd.InputWarning, match="options that this release does not know.*: 'new'"):
        assert imd.load(path).rules == d.rules


#: Parts of a file, and the fields that releases after the first have added to them.
LATER: dict[str, tuple[Callable[[Any], list[Any]], list[str]]] = {
    "the file": (
        lambda p: [p],
        ["agreement", "advice", "crosstab", "by"],
    ),
    "options": (lambda p: [p["options"]], optional_fields(Calibrated)),
    "metrics": (lambda p: [p["metrics"]], optional_fields(Metrics)),
    "rules": (lambda p: p["rules"], ["other_outcomes", *optional_fields(Rule)]),
    "columns": (lambda p: p["columns"], ["storage", "unique_in_sql", "whole"]),
    "bars": (
        lambda p: [node["bars"] for node in p["nodes"] if "bars" in node],
        optional_fields(SplitHistogram),
    ),
}


@pytest.mark.parametrize(
    "part, name", [(part, name) for part, (_, names) in LATER.items() for name in names]
)
def test_a_file_without_a_later_field_is_read(part: str, name: str) -> None:
    d = small_diff(y=np.arange(240) % 2 == 0, by="town")
    plain = json.loads(file_text(d))
    for one in LATER[part][0](plain):
        one.pop(name, None)
    back = diff_of(plain)
    assert [rule.conditions for rule in back.rules] == [rule.conditions for rule in d.rules]
    X = pd.DataFrame({"age": [20.0, 60.0, np.nan], "town": ["Rome", "Oslo", "Rome"]})
    assert back.predict(X).tolist() == d.predict(X).tolist()


def test_options_that_a_file_lacks_have_their_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that a later release adds does not make the files of this one unreadable."""

    @dataclass(frozen=True, kw_only=True)
    class Later(Calibrated):
        patience: int = 3
        order: tuple[str, ...] = field(default_factory=lambda: ("a", "b"))

    plain = json.loads(file_text(small_diff(max_rules=4)))
    monkeypatch.setitem(METHOD_TYPES, "calibrated", Later)
    monkeypatch.setattr(diff_reading, "KNOWN_OPTIONS", {*plain["options"], "patience"})
    method = diff_of(plain).fitted_method
    assert (method.max_rules, method.given) == (4, None)
    assert (method.patience, method.order) == (3, ("a", "b"))
    plain["options"]["patience"] = 5
    assert diff_of(plain).fitted_method.patience == 5


def test_a_file_of_the_first_version_is_read() -> None:
    """Whatever is written today: tests/golden/diff-1.json stays as it is."""
    d = imd.load(Path(__file__).parents[1] / "golden" / "diff-1.json")
    assert d.summary().startswith("old and new disagree on ")
    X = pd.DataFrame({"age": [20.0, 60.0, np.nan], "town": ["Rome", "Oslo", "Rome"]})
    assert d.predict(X).tolist() == [True, False, True]


def test_what_the_first_version_does_not_tell_is_not_made_up(tmp_path: Path) -> None:
    """Other pairs, directions and the mean difference came later."""
    d = imd.load(Path(__file__).parents[1] / "golden" / "diff-1.json")
    assert d.rules
    for rule in d.rules:
        assert rule.other_outcomes == ()
        assert (rule.up, rule.down, rule.direction) == (None, None, None)
        assert str(rule)
        assert rule.measured_rate == rule.holdout_rate
        assert rule.interval == wilson(rule.holdout_rate, rule.holdout_support)
    assert d.metrics.mean_difference is None
    for name in ("diff.html", "diff.svg", "diff.md", "diff.csv"):
        d.save(tmp_path / name)
    again = imd.load(d.save(tmp_path / "diff.json"))
    assert again.rules == d.rules


def test_what_is_no_json_is_said(tmp_path: Path) -> None:
    for name, content, message in [
        ("cut.json", b'{"format": "imd-widget diff", ', "it is not valid JSON"),
        ("bytes.json", b"\xff\xfe\x00", "not text in UTF-8"),
        ("list.json", b"[]", 'its "format" is not'),
        ("deep.json", b"[" * 100_000, "it is not valid JSON"),
        ("nan.json", b'{"format": NaN}', "NaN is not a number"),
        ("digits.json", b"1" * 5000, "it is not valid JSON"),
        ("diff.html", b"<p>", "is not a JSON file"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(imd.InputError, match=message):
            imd.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        imd.load(tmp_path / "nowhere.json")
