"""Labels of any kind: when two of them are the same, and what is said about it."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.outputs.labels import MISSING, factorize, joined
from tests.examples import examples

N = 60
X = pd.DataFrame({"x": np.arange(N)})
FIRST, SECOND = np.arange(N) < 30, np.arange(N) < 40


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def pick(which: Any, labels: list[Any]) -> Any:
    """An array of objects: one label where True, the other where False."""
    array = np.empty(N, dtype=object)
    array[:] = [labels[int(value)] for value in which]
    return array


KINDS = {
    "text": ["no", "yes"],
    "NumPy text": [np.str_("no"), np.str_("yes")],
    "bytes": [b"no", b"yes"],
    "integers": [-3, 7],
    "whole floats": [2.0, 5.0],
    "booleans": [False, True],
    "NumPy integers": [np.int8(1), np.uint64(9)],
    "large integers": [10**30, 10**30 + 1],
    "enumeration": [Colour.RED, Colour.BLUE],
    "tuples": [("a", 1), ("a", 2)],
    "frozen sets": [frozenset("a"), frozenset("ab")],
    "dates": [dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
    "moments": [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    "intervals": [pd.Interval(0, 1), pd.Interval(1, 2)],
    "decimals": [decimal.Decimal(1), decimal.Decimal(2)],
    "several types": [1, "one"],
    "nearly the same text": ["a", "a\0"],
    "empty text": ["", " "],
}


@pytest.mark.parametrize("labels", KINDS.values(), ids=KINDS)
def test_labels_of_every_kind(labels: list[Any]) -> None:
    d = imd.diff(pick(FIRST, labels), pick(SECOND, labels), X)
    assert d.outputs == "class"
    assert set(d.labels) == set(labels)
    assert d.metrics.n_differing == 10
    assert [str(c) for c in d.rules[0].conditions] == ["x is 30 to 39"]
    assert d.rules[0].outcomes == (labels[0], labels[1])
    assert len(set(d.class_names)) == 2
    assert set(d.tree.predict(X)[:, 0].tolist()) <= set(d.labels)
    d.to_dict()


HOLDERS = {
    "list": lambda v: v.tolist(),
    "int8": lambda v: v.astype(np.int8),
    "uint64": lambda v: v.astype(np.uint64),
    "float32": lambda v: v.astype(np.float32),
    "bool": lambda v: v.astype(bool),
    "object": lambda v: v.astype(object),
    "column": lambda v: v.reshape(-1, 1),
    "series": lambda v: pd.Series(v, index=range(100, 100 + N)),
    "nullable": lambda v: pd.Series(v, dtype="Int64"),
    "nullable boolean": lambda v: pd.Series(v.astype(bool), dtype="boolean"),
    "categorical": lambda v: pd.Categorical(v),
    "arrow": lambda v: pd.Series(v, dtype="int64[pyarrow]"),
    "frame": lambda v: pd.DataFrame({"y": v}),
    "polars": lambda v: __import__("polars").Series(v),
}


@pytest.mark.parametrize("one", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize("two", [HOLDERS["list"], HOLDERS["float32"], HOLDERS["bool"]])
def test_one_and_one_point_zero_and_true_are_the_same(one: Any, two: Any) -> None:
    d = imd.diff(one(FIRST.astype(int)), two(SECOND.astype(int)), X)
    assert len(d.labels) == 2
    assert d.metrics.n_differing == 10


def test_of_equal_labels_the_whole_number_is_shown_and_booleans_stay() -> None:
    assert imd.diff(FIRST, SECOND.astype(int), X).class_names == ("0", "1")
    assert imd.diff(FIRST, SECOND, X).class_names == ("False", "True")
    assert imd.diff(FIRST.astype(float), SECOND, X).class_names == ("0", "1")


@pytest.mark.parametrize(
    "words, other",
    [
        (["0", "1"], [0, 1]),
        (["False", "True"], [False, True]),
        (["false", " TRUE "], [False, True]),
        (["0", "1"], [0.0, 1.0]),
    ],
)
def test_a_label_and_its_spelling_are_the_same_with_a_warning(words: Any, other: Any) -> None:
    with pytest.warns(imd.InputWarning, match="same spelling") as caught:
        d = imd.diff(pick(FIRST, words), pick(SECOND, other), X)
    assert len(caught) == 1, "said once"
    assert caught[0].filename == __file__, "at the user's own line"
    assert d.metrics.n_differing == 10
    with pytest.warns(imd.InputWarning):
        swapped = imd.diff(pick(SECOND, other), pick(FIRST, words), X)
    assert swapped.metrics.n_differing == 10


def test_text_and_numbers_of_one_model_are_told_apart() -> None:
    d = imd.diff(pick(FIRST, [1, "1"]), pick(SECOND, [1, "1"]), X)
    assert d.metrics.n_differing == 10
    assert d.class_names == ("1", "'1'")


def test_a_class_that_only_one_model_knows() -> None:
    three = np.where(np.arange(N) < 10, "maybe", np.where(SECOND, "yes", "no"))
    d = imd.diff(pick(FIRST, ["no", "yes"]), three, X)
    assert d.labels == ("maybe", "no", "yes")
    assert {rule.outcomes for rule in d.rules} == {("yes", "maybe"), ("no", "yes")}


def test_labels_that_are_nearly_equal_are_not() -> None:
    large = imd.diff(np.uint64(2**53) + FIRST.astype("uint64"), 2**53 + SECOND, X)
    assert large.metrics.n_differing == 10


@pytest.mark.parametrize("n_classes", [8, 40, 300])
@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_hundreds_of_classes(n_classes: int, method: Any) -> None:
    rng = np.random.default_rng(0)
    n_rows = 3000
    table = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"))
    y1 = np.floor(n_classes * table["a"].rank(pct=True, method="first")).clip(0, n_classes - 1)
    y2 = y1.where(table["b"] < 1, (y1 + 1) % n_classes)
    options: dict[str, Any] = {"method": method, "max_depth": 4, "outputs": "class"}
    d = imd.diff(y1.astype(int), y2.astype(int), table, **options)
    assert len(d.labels) == n_classes
    assert d.metrics.n_differing == (table["b"] >= 1).sum()
    if method == "calibrated":
        assert d.metrics.f1 > 0.95
    view = d.to_dict()
    assert max(len(own) for node in view["nodes"] for own in node["counts"]) <= 12


def test_class_names() -> None:
    assert imd.diff(FIRST * 1, SECOND * 1, X, class_names=["no", "yes"]).class_names == (
        "no",
        "yes",
    )
    d = imd.diff(FIRST * 1, SECOND * 1, X, class_names={1: "yes"})
    assert d.class_names == ("0", "yes")
    assert d.rules[0].said == ("0", "yes")
    assert "0 -> yes" in str(d.rules[0])


_labels = st.one_of(
    st.integers(-2, 2), st.booleans(), st.sampled_from(["a", "b", "1", ""]), st.none()
)


@settings(max_examples=examples(200))
@given(st.lists(_labels, min_size=1, max_size=20), st.lists(_labels, min_size=1, max_size=20))
def test_labels_are_the_same_where_python_says_so(one: list[Any], two: list[Any]) -> None:
    arrays = []
    for values in (one, two):
        array = np.empty(len(values), dtype=object)
        array[:] = values
        arrays.append(array)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels, places = joined([factorize(array, "m1") for array in arrays])
    assert len(labels) == len(set(labels)) == len({v for v in (*one, *two) if v is not None})
    for values, own in zip((one, two), places, strict=True):
        for value, place in zip(values, own, strict=True):
            assert (place == MISSING) == (value is None)
            assert value is None or labels[place] == value


def test_spelling_goes_through_all_three() -> None:
    first, second = np.arange(N) < 30, np.arange(N) < 40
    m1, m2 = first.astype(int), np.where(np.arange(N) < 10, 2, second.astype(int))
    with pytest.warns(imd.InputWarning, match="y gives text"):
        d = imd.diff(m1, m2, X, y=m2.astype(str))
    assert d.right is not None
    assert (d.right.first, d.right.second, d.right.neither) == (0, 20, 0)


def test_case_matters_where_it_tells_labels_apart() -> None:
    words = np.where(np.arange(N) < 10, "true", np.where(FIRST, "True", "False"))
    with pytest.warns(imd.InputWarning):
        d = imd.diff(words, SECOND, X)
    assert d.metrics.n_differing == 20


@pytest.mark.parametrize(
    "one, two",
    [
        ([b"n", b"y"], ["n", "y"]),
        ([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")], KINDS["dates"]),
    ],
)
def test_labels_of_other_types_with_nothing_in_common_are_remarked_on(one: Any, two: Any) -> None:
    with pytest.warns(imd.InputWarning, match="no label in common"):
        d = imd.diff(pick(FIRST, one), pick(SECOND, two), X)
    assert d.metrics.n_differing == N


def test_many_whole_numbers_are_remarked_on() -> None:
    numbers = np.arange(N)
    with pytest.warns(imd.InputWarning, match="60 different whole numbers"):
        assert imd.diff(numbers, numbers + SECOND, X + 1).outputs == "class"


def test_a_truth_that_is_nowhere_known_is_no_truth() -> None:
    d = imd.diff(FIRST * 1, SECOND * 1, X, y=np.full(N, None, dtype=object))
    assert d.right is not None
    assert (d.right.known, d.right.unknown) == (0, N)


MANY = 2000
TABLE = pd.DataFrame({"a": np.arange(MANY) / MANY})


def spread_pairs(shares: dict[str, int], **options: Any) -> imd.ModelDiff:
    """Where a is below one quarter m1 says A and m2 one of these labels, so many of 500 times."""
    assert sum(shares.values()) == 500
    other = np.repeat(list(shares), list(shares.values()))
    other = np.random.default_rng(0).permutation(other)
    first = np.full(MANY, "A")
    second = first.copy()
    second[:500] = other
    options = {"test_size": 0, "max_bins": None, "max_depth": 1} | options
    return imd.diff(first, second, TABLE, **options)


def test_the_next_outcome_pairs_are_told_with_their_shares() -> None:
    d = spread_pairs({"B": 300, "C": 125, "D": 75})
    (rule,) = d.rules
    assert rule.outcomes == ("A", "B")
    assert rule.outcome_share == pytest.approx(0.6)
    assert [(o.outcomes, o.said) for o in rule.other_outcomes] == [
        (("A", "C"), ("A", "C")),
        (("A", "D"), ("A", "D")),
    ]
    assert [o.share for o in rule.other_outcomes] == pytest.approx([0.25, 0.15])
    assert str(rule) == (
        "a < 0.25: mostly A -> B (500 of 500 rows differ: 60 % A -> B, 25 % A -> C, 15 % A -> D)"
    )
    view = d.to_dict()["rules"][0]
    others = [(other["said"], other["share"]) for other in view["others"]]
    assert others == [(list(o.said), o.share) for o in rule.other_outcomes]


def test_three_more_pairs_at_most_and_dots_for_the_rest() -> None:
    d = spread_pairs({"B": 200, "C": 125, "D": 75, "E": 50, "F": 30, "G": 20})
    (rule,) = d.rules
    assert [o.outcomes[1] for o in rule.other_outcomes] == ["C", "D", "E"]
    assert str(rule).endswith("differ: 40 % A -> B, 25 % A -> C, 15 % A -> D, 10 % A -> E, ...)")


@pytest.mark.parametrize(
    "many, text",
    [
        (255, ": A -> B (51 %) or "),
        (495, "differ: 99 % A -> B, "),
        (499, "differ: over 99 % A -> B, "),
    ],
)
def test_half_and_nearly_all_are_told_apart(many: int, text: str) -> None:
    (rule,) = spread_pairs({"B": many, "C": 500 - many}).rules
    assert text in str(rule)


def test_where_all_say_the_same_no_share_is_told() -> None:
    d = spread_pairs({"B": 500})
    (rule,) = d.rules
    assert (rule.other_outcomes, rule.outcome_share) == ((), 1)
    assert str(rule) == "a < 0.25: A -> B (500 of 500 rows differ)"


def test_class_names_are_shown_in_every_pair() -> None:
    d = spread_pairs({"B": 300, "C": 200}, class_names={"A": "ay", "C": "sea"})
    (rule,) = d.rules
    (other,) = rule.other_outcomes
    assert (other.outcomes, other.said) == (("A", "C"), ("ay", "sea"))
    assert "ay -> B (60 %) or ay -> sea (40 %)" in str(rule)


def test_shares_of_pairs_are_by_weight() -> None:
    first = np.full(MANY, "A")
    second = np.where(np.arange(MANY) < 500, np.where(np.arange(MANY) % 2, "B", "C"), "A")
    weight = np.where(second == "C", 3.0, 1.0)
    options: dict[str, Any] = {"test_size": 0, "max_bins": None, "max_depth": 1}
    (rule,) = imd.diff(first, second, TABLE, sample_weight=weight, **options).rules
    assert rule.outcomes == ("A", "C")
    assert rule.outcome_share == pytest.approx(0.75)
    assert [o.share for o in rule.other_outcomes] == pytest.approx([0.25])


@pytest.mark.parametrize("labels", [["B", "C", "D"], [("t", 1), 2.5, dt.date(2020, 1, 1)]])
def test_other_pairs_come_back_from_a_file(labels: list[Any], tmp_path: Any) -> None:
    first, second = np.empty(MANY, dtype=object), np.empty(MANY, dtype=object)
    first[:] = second[:] = "A"
    for at in range(500):
        second[at] = labels[0 if at % 5 < 2 else 1 if at % 5 < 4 else 2]
    d = imd.diff(first, second, TABLE, test_size=0, max_depth=1, max_bins=None)
    again = imd.load(d.save(tmp_path / "diff.json"))
    assert again.rules == d.rules
    assert again.rules[0].other_outcomes == d.rules[0].other_outcomes != ()
    assert str(again.rules[0]) == str(d.rules[0])


def test_other_pairs_of_a_file_must_be_of_its_labels(tmp_path: Any) -> None:
    d = spread_pairs({"B": 300, "C": 200})
    path = d.save(tmp_path / "diff.json")
    plain = json.loads(path.read_text(encoding="utf-8"))
    plain["rules"][0]["other_outcomes"][0]["outcomes"] = ["A", "Z"]
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(imd.InputError, match="which are not labels"):
        imd.load(path)
