"""Tables, labels and options as they come: codes, values and pandas give the same answer."""

from __future__ import annotations

import datetime as dt
import decimal
import multiprocessing
import pickle
import uuid
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.rules.rule import RuleSet

RNG = np.random.default_rng(0)
N = 400
CODES = RNG.integers(0, 10, N)
Y1, Y2 = (CODES > 4).astype(int), (CODES > 6).astype(int)


def agrees(d: imd.ModelDiff, X: pd.DataFrame, query: bool = True) -> None:
    """Rules, prediction, counts and pandas speak of the same rows."""
    assert d.rules
    inside = d.rules.mask(X)
    np.testing.assert_array_equal(inside, d.predict(X))
    assert inside.sum() == sum(rule.support + rule.holdout_support for rule in d.rules)
    if query:
        numbered = X.assign(imd_row=range(len(X)))
        found = numbered.query(d.rules.to_query())["imd_row"]
        assert found.tolist() == np.flatnonzero(inside).tolist()


@pytest.mark.parametrize(
    "name",
    ["index", "a b", "class", "and", "yield", "", "1", "x y`z"[:3], "ü", "a-b", "a.b", "@x", "#"],
)
def test_names_of_columns(name: str) -> None:
    X = pd.DataFrame({name: CODES})
    agrees(imd.diff(Y1, Y2, X), X, query=name not in ("", "#", "@x"))


@pytest.mark.parametrize("name", ["inf", "µ", "a\nb", "x`y"])
def test_names_that_a_query_cannot_hold_are_refused_with_a_way_out(name: str) -> None:
    X = pd.DataFrame({name: CODES})
    d = imd.diff(Y1, Y2, X)
    agrees(d, X, query=False)
    with pytest.raises(imd.InputError, match=r"rule\.mask"):
        d.rules.to_query()
    assert None in [one["query"] for one in d.to_dict()["conditions"]]


@pytest.mark.parametrize("word", ["C:\\", "\\\\", "\\'\"", "a\\nb", "\\x5c"])
def test_a_query_holds_categories_with_a_backslash(word: str) -> None:
    words = np.where(np.arange(N) % 3 == 0, word, "b")
    X = pd.DataFrame({"a word": words, "a number": CODES})
    y2 = np.where((words == word) & (CODES > 6), 1 - Y1, Y1)
    d = imd.diff(Y1, y2, X, test_size=0)
    agrees(d, X)
    word_first = sorted(d.rules[0].conditions, key=lambda c: c.column != "a word")
    assert [c.column for c in word_first] == ["a word", "a number"]
    turned = RuleSet((replace(d.rules[0], conditions=tuple(word_first)),))
    np.testing.assert_array_equal(X.eval(turned.to_query()), y2 != Y1)


def spread(values: list[Any]) -> list[Any]:
    return [values[code] for code in CODES]


DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=30 * k) for k in range(10)]
MOMENTS = [dt.datetime(1969, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=90 * k) for k in range(10)]


@pytest.mark.parametrize(
    "values, query",
    [
        (pd.Series(CODES / 10).astype("float16"), True),
        (pd.Series(CODES / 10).astype("float32"), True),
        (pd.Series(CODES).astype("int8"), True),
        (pd.Series(CODES).astype("uint64") + np.uint64(2**62), True),
        (pd.Series(np.where(CODES > 8, np.inf, CODES)), True),
        (pd.Series(spread([decimal.Decimal(k) / 10 for k in range(10)])), False),
        (pd.Series(spread(DAYS)), False),
        (pd.Series(spread(MOMENTS)), True),
        (pd.Series(spread([*MOMENTS[:9], None]), dtype=object), False),
        (pd.Series(spread([10**40 + 1, -1, *range(8)]), dtype=object), False),
        (pd.Series(pd.to_timedelta(CODES - 5, "h")), True),
        (pd.Series(spread([1, 2, "x", "y", 3, 4, "z", 5.5, None, True]), dtype=object), True),
        (pd.Series(pd.cut(CODES, 10)), False),
        (pd.Series(spread([uuid.UUID(int=k) for k in range(10)])), False),
        (pd.Series(spread([(k, 1) for k in range(10)])), False),
        (pd.Series(CODES / 10, dtype="double[pyarrow]"), True),
        (pd.Series(spread([*"abcdefgh", "nan", None]), dtype="string[pyarrow]"), True),
        (pd.Series(CODES).astype("Int64").where(CODES != 3), True),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_values_of_columns(values: pd.Series[Any], query: bool) -> None:
    X = pd.DataFrame({"x": values, "z": RNG.normal(size=N)})
    for method in ("calibrated", "imd"):
        d = imd.diff(Y1, Y2, X, method=method)
        agrees(d, X, query)
        d.to_dict()


def test_arrow_tells_nan_and_missing_apart_we_do_not() -> None:
    import pyarrow as pa

    values = pa.array([None if c == 2 else float("nan") if c == 5 else c / 10 for c in CODES])
    X = pd.DataFrame({"x": pd.Series(values, dtype=pd.ArrowDtype(values.type))})
    agrees(imd.diff(Y1, Y2, X), X, query=False)


@pytest.mark.parametrize(
    "column",
    [[[1], [2]] * 200, [{"a": 1}, {}] * 200, [([1],), 2] * 200, [1j, 2j] * 200],
    ids=["lists", "dicts", "list in tuple", "complex"],
)
def test_columns_that_cannot_be_read_are_named(column: list[Any]) -> None:
    X = pd.DataFrame({"odd": pd.Series(column, dtype=object)})
    with pytest.raises(imd.InputError, match="column 'odd'"):
        imd.diff(Y1, Y2, X)


@pytest.mark.parametrize("new", [["5", "x"], [[1], [2]], [dt.date(2020, 1, 1), None]])
def test_new_rows_of_another_kind_are_named(new: list[Any]) -> None:
    d = imd.diff(Y1, Y2, pd.DataFrame({"x": CODES / 10}))
    other = pd.DataFrame({"x": pd.Series(new, dtype=object)})
    for ask in (d.predict, d.rules.mask, d.tree.predict):
        with pytest.raises(imd.InputError, match="column 'x' could not be read"):
            ask(other)


def test_new_rows_of_another_width_are_compared_alike() -> None:
    d = imd.diff(Y1, Y2, pd.DataFrame({"x": CODES / 10}))
    new = pd.DataFrame({"x": np.arange(10, dtype=np.float32) / np.float32(10)})
    np.testing.assert_array_equal(d.predict(new), d.rules.mask(new))


def test_a_category_that_the_order_does_not_know_lies_in_no_rule_about_it() -> None:
    order = [*"abcdefghij"]
    values = [None if code == 5 else order[code] for code in CODES]
    X = pd.DataFrame({"x": pd.Categorical(values, order, ordered=True)})
    d = imd.diff(Y1, Y2, X)
    new = pd.DataFrame({"x": pd.Series([*order, None, "zz"], dtype=object)})
    np.testing.assert_array_equal(d.predict(new), d.rules.mask(new))
    assert d.predict(new)[-2]
    assert not d.predict(new)[-1]


@pytest.mark.parametrize(
    "m1, m2",
    [
        (Y1.astype("uint64"), Y2),
        (Y1.astype(bool), Y2),
        ([np.int64(v) for v in Y1], Y2.tolist()),
        (pd.Categorical(Y1), Y2.astype(float)),
        (pd.Series(Y1, dtype="Int64"), Y2),
    ],
    ids=["uint64", "bool", "list of NumPy", "categorical", "nullable"],
)
def test_equal_labels_are_equal_whatever_holds_them(m1: Any, m2: Any) -> None:
    d = imd.diff(m1, m2, pd.DataFrame({"x": CODES}))
    assert d.labels == (0, 1)
    assert d.metrics.n_differing == (Y1 != Y2).sum()


def test_labels_that_are_nearly_equal_are_not() -> None:
    X = pd.DataFrame({"x": CODES})
    large = imd.diff(np.uint64(2**53) + Y1.astype("uint64"), 2**53 + Y2, X)
    assert large.metrics.n_differing == (Y1 != Y2).sum()
    nul = imd.diff(["a\0" if v else "a" for v in Y1], ["a"] * N, X)
    assert nul.metrics.n_differing == Y1.sum()


def test_full_sensitivity_covers_the_differences_and_no_more() -> None:
    X = pd.DataFrame({"x": CODES})
    d = imd.diff(Y1, Y2, X, sensitivity=1, test_size=0)
    assert [str(c) for rule in d.rules for c in rule.conditions] == ["x is 5 to 6"]


def test_one_rule_is_found_where_one_is_asked_for() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(2000, 5))).rename(columns=str)
    y1 = (X["0"] + X["1"] > 0).to_numpy(int)
    y2 = (X["0"] - 0.5 * X["2"] + 0.2 * X["3"] ** 2 > 0.2).to_numpy(int)
    for most in range(1, 6):
        assert 1 <= len(imd.diff(y1, y2, X, rule_cost=0, max_rules=most).rules) <= most


@pytest.mark.parametrize("option", [{"max_rules": 1}, {"sensitivity": 0.5}])
def test_options_of_another_method_are_not_ignored(option: dict[str, Any]) -> None:
    with pytest.raises(imd.InputError, match='no meaning with method="imd"'):
        imd.diff(Y1, Y2, pd.DataFrame({"x": CODES}), method="imd", **option)


def test_options_may_be_numpy_numbers() -> None:
    X = pd.DataFrame({"x": CODES})
    d = imd.diff(
        Y1, Y2, X, random_state=np.int64(3), max_depth=np.int32(4), test_size=np.float32(0.5)
    )
    assert d.rules == imd.diff(Y1, Y2, X, random_state=3, max_depth=4, test_size=0.5).rules


def test_a_diff_can_be_pickled() -> None:
    X = pd.DataFrame({"x": CODES})
    d = imd.diff(Y1, Y2, X)
    again = pickle.loads(pickle.dumps(d))
    assert again.rules == d.rules
    np.testing.assert_array_equal(again.predict(X), d.predict(X))


def with_threads() -> imd.ModelDiff:
    """A diff of a table that is large enough for threads."""
    X = pd.DataFrame({"x": np.tile(CODES, 60), "z": np.tile(CODES % 3, 60)})
    return imd.diff(np.tile(Y1, 60), np.tile(Y2, 60), X)


def in_a_child(queue: Any) -> None:
    queue.put(len(with_threads().rules))


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork"
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
# where other tests of the process have loaded JAX
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")
def test_it_works_in_a_forked_process() -> None:
    with_threads()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) >= 1
    child.join(60)


def test_a_node_that_is_not_there() -> None:
    with pytest.raises(imd.InputError, match="there is no node 'zzz'"):
        imd.diff(Y1, Y2, pd.DataFrame({"x": CODES})).reaches("zzz")


def test_a_category_that_is_a_moment_is_said_in_universal_time() -> None:
    days = [pd.Timestamp(f"2024-01-0{day}", tz="Asia/Tokyo") for day in (1, 2, 3)]
    X = pd.DataFrame({"day": pd.Categorical(days * 40), "a": np.arange(120)})
    d = imd.diff(np.zeros(120), (X["day"] == days[2]).astype(float), X, outputs="class")
    assert "day is 2024-01-02 15:00:00 UTC" in str(d.rules[0])
    assert d.rules[0].mask(X).tolist() == (X["day"] == days[2]).tolist()


def test_a_large_weight_of_differences_finds_what_a_small_one_finds() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2000, 4)), columns=list("abcd"))
    y1 = (X["a"] > 0).to_numpy(int)
    y2 = np.where((X["b"] > 1) & (X["c"] < 0), 1 - y1, y1)
    for weight in (None, rng.random(2000)):
        expected = imd.diff(y1, y2, X, diff_weight=1e3, sample_weight=weight).rules
        assert {c.column for rule in expected for c in rule.conditions} == {"b", "c"}
        for diff_weight in (1e4, 1e9, 1e12):
            d = imd.diff(y1, y2, X, diff_weight=diff_weight, sample_weight=weight)
            assert d.rules.to_query() == expected.to_query()


@pytest.mark.parametrize("option", ["diff_weight", "rule_cost"])
@pytest.mark.parametrize("value", [1e13, float("inf"), -1, "x"])
def test_weights_that_round_the_rest_away_are_refused(option: str, value: Any) -> None:
    message = rf"{option}={value!r}: a number from 0 to 1e\+12 is needed"
    with pytest.raises(imd.InputError, match=message.replace("1e+13", r"1e\+13")):
        imd.diff(Y1, Y2, pd.DataFrame({"x": CODES}), **{option: value})


class Bounded(MagicMock):
    """A mock that ends a test that would never end by itself."""

    made = 0

    def _get_child_mock(self, /, **options: Any) -> Any:
        Bounded.made += 1
        if Bounded.made > 1000:
            raise RuntimeError("more than 1,000 attributes were asked for")
        return MagicMock._get_child_mock(self, **options)


class Proxy:
    """An object that has every attribute, each of them the same kind of object."""

    def __init__(self, asked: list[str], outputs: Any = None) -> None:
        self.__dict__.update(asked=asked, outputs=outputs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.asked.append(name)
        if len(self.asked) > 1000:
            raise RuntimeError("more than 1,000 attributes were asked for")
        return Proxy(self.asked)

    def predict(self, table: Any) -> Any:
        return self.outputs


def test_a_mock_is_asked_as_any_model() -> None:
    Bounded.made = 0
    model = Bounded()
    model.predict.return_value = Y1
    X = pd.DataFrame({"x": CODES})
    d = imd.diff(model, Y2, X)
    assert d.metrics.n_differing == (Y1 != Y2).sum()
    model.predict.return_value = MagicMock()
    with pytest.raises(imd.InputError, match="m1 gave a "):
        imd.diff(model, Y2, X)


def test_a_proxy_that_has_every_attribute_is_asked_as_any_model() -> None:
    d = imd.diff(Proxy([], Y1), Y2, pd.DataFrame({"x": CODES}))
    assert d.metrics.n_differing == (Y1 != Y2).sum()
    assert d.names[0] == "Proxy"


def test_a_weight_that_a_mask_hides_is_missing() -> None:
    weight = np.ma.array(np.ones(N), mask=np.arange(N) == 7)
    with pytest.raises(imd.InputError, match=r"sample_weight holds nan at row 7"):
        imd.diff(Y1, Y2, pd.DataFrame({"x": CODES}), sample_weight=weight)
