"""Edited rows, and the smallest change after which the models agree."""

from __future__ import annotations

import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.data.table import open_table
from imd_widget.explanations.editing import Field
from imd_widget.explanations.grid import point_value_text
from imd_widget.explanations.views import what_if_view

RNG = np.random.default_rng(5)
N = 200
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 60, N),
        "pay": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(50, 10, N).round(1)),
        "job": RNG.choice(["cook", "nurse", "smith"], N),
        "kind": pd.Categorical(RNG.choice(["low", "mid"], N), ["low", "mid", "top"]),
        "hired": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), "D"),
        "member": RNG.random(N) < 0.5,
    }
)


def old(table: pd.DataFrame) -> Any:
    return np.where(table["age"] >= 40, "yes", "no")


def new(table: pd.DataFrame) -> Any:
    return np.where((table["job"] == "cook") & (table["age"] >= 30), "yes", "no")


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(old, new, X)


def row_where(mask: Any) -> int:
    return int(np.flatnonzero(np.asarray(mask))[0])


def test_what_if_is_what_the_models_give_for_the_edited_row(d: imd.ModelDiff) -> None:
    row = row_where((X["age"] >= 40) & (X["job"] == "nurse"))
    w = d.what_if(row, age=20)
    edited = X.iloc[[row]].assign(age=20)
    assert w.outputs == (old(edited)[0], new(edited)[0]) == ("no", "no")
    assert w.outputs_before == ("yes", "no")
    assert (w.differs_before, w.differs) == (True, False)
    assert [(e.column, e.before, e.after) for e in w.edits] == [("age", X["age"][row], 20)]
    assert w.text == (
        f"With age 20 instead of {X['age'][row]}, old gives no instead of yes, new still gives no. "
        "They now agree."
    )
    both = d.what_if(row, {"age": 30}, job="cook")
    assert both.outputs == ("no", "yes")
    assert both.text.endswith("They still differ.")


def test_an_unchanged_row_has_the_trace_of_the_diff(d: imd.ModelDiff) -> None:
    for row in range(0, N, 20):
        w, trace = d.what_if(row), d.trace(row)
        assert (w.nodes, w.rules) == (trace.nodes, trace.rules)
        assert (w.texts, w.differs) == (trace.said, trace.differs)
        assert w.edits == ()
        same = d.what_if(row, age=int(X["age"][row]), job=X["job"][row])
        assert same.edits == (), "the values of the table are no change"


def test_an_edited_row_takes_the_path_of_the_same_row_in_the_table(d: imd.ModelDiff) -> None:
    for row in range(5):
        other = row + 50
        w = d.what_if(row, {name: X[name][other] for name in X})
        assert (w.nodes, w.rules) == (d.trace(other).nodes, d.trace(other).rules)
        assert w.outputs == d.what_if(other).outputs
        assert w.scores == d.what_if(other).scores_before


def test_contributions_of_an_edited_row_add_up(d: imd.ModelDiff) -> None:
    c = d.what_if(3, age=55, job="smith").contributions
    assert c.base_gap + c.difference.sum() == pytest.approx(c.gap, abs=1e-9)
    assert c.level.tolist() == [1.0, 0.0]
    assert c.values is not None
    assert c.values[c.columns.index("age")] == "55"
    pay = c.columns.index("pay")
    assert c.first[pay] == c.second[pay] == 0, "no model uses it"


@pytest.mark.parametrize("library", ["polars", "arrow", "array"])
def test_rows_of_every_library_are_edited(library: str) -> None:
    table = X[["age", "pay"]].fillna(0)
    if library == "array":
        native: Any = table.to_numpy(float)
        name = "x0"
    else:
        pl = pytest.importorskip("polars")
        native = pl.from_pandas(table)
        native = native if library == "polars" else native.to_arrow()
        name = "age"

    def ages(t: Any) -> NDArray[np.float64]:
        return np.asarray(t[:, 0] if library == "array" else t["age"], float)

    d = imd.diff(lambda t: ages(t) >= 40, lambda t: ages(t) >= 30, native)
    assert d.what_if(3, {name: 35}).outputs == (False, True)
    assert d.what_if(3, {name: 35}).contributions.gap == -1


@pytest.mark.parametrize(
    "changes, text",
    [
        (
            {"wage": 3},
            "there is no column 'wage': did you mean 'age'? The table has 'age', 'pay', 'job'",
        ),
        ({"age": "old"}, "age='old': the column holds numbers."),
        ({"age": 4.5}, "age=4.5: the column holds whole numbers."),
        ({"age": True}, "the column holds numbers."),
        ({"age": None}, "the column holds whole numbers, and none can be missing."),
        (
            {"age": 10**30},
            "the column holds numbers from -9223372036854775808 to 9223372036854775807.",
        ),
        ({"pay": float("inf")}, "a finite number is needed."),
        ({"pay": [1]}, "the column holds numbers."),
        ({"job": 3}, "job=3: the column holds text."),
        ({"kind": "high"}, "the categories are low, mid, top."),
        ({"hired": "soon"}, "the column holds moments, such as 2024-05-17."),
        ({"member": "perhaps"}, "the column holds True and False."),
    ],
)
def test_impossible_values_are_refused(d: imd.ModelDiff, changes: Any, text: str) -> None:
    with pytest.raises(imd.InputError) as error:
        d.what_if(3, changes)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"age": "33"},
        {"pay": None},
        {"pay": "missing"},
        {"pay": float("nan")},
        {"kind": "top"},
        {"hired": "2024-05-17"},
        {"member": "no"},
        {"job": "pilot"},
    ],
)
def test_possible_values_keep_the_types_of_the_columns(changes: Any) -> None:
    seen: list[pd.DataFrame] = []

    def watching(table: pd.DataFrame) -> Any:
        seen.append(table)
        return old(table)

    d = imd.diff(watching, new, X)
    d.what_if(3, changes)
    assert seen[-1].dtypes.tolist() == X.dtypes.tolist()
    assert len(seen[-1]) == 1


@pytest.mark.parametrize("row", [N, -1, 2.0, True, "3", None])
def test_a_row_outside_the_table_is_refused(d: imd.ModelDiff, row: Any) -> None:
    for ask in (d.what_if, d.smallest_change):
        with pytest.raises(imd.InputError, match=f"rows are numbered 0 to {N - 1}"):
            ask(row)


def test_arrays_cannot_be_asked(d: imd.ModelDiff) -> None:
    arrays, one = imd.diff(old(X), new(X), X), imd.diff(old, new(X), X)
    for other, text in ((arrays, "were given as arrays"), (one, "was given as an array")):
        for ask in (other.what_if, other.smallest_change):
            with pytest.raises(imd.InputError, match=text):
                ask(3)


def test_a_model_that_fails_or_gives_nothing_is_named() -> None:
    def failing(table: pd.DataFrame) -> Any:
        if (table["age"] == 99).any():
            raise RuntimeError("out of range")
        return old(table)

    def silent(table: pd.DataFrame) -> Any:
        return pd.Series(old(table)).mask((table["age"] == 99).to_numpy())

    with pytest.raises(imd.InputError, match=r"m1 .* raised RuntimeError: out of range for"):
        imd.diff(failing, new, X).what_if(3, age=99)
    with pytest.raises(imd.InputError, match=r"m1 .'silent'. gives no output for these values"):
        imd.diff(silent, new, X).what_if(3, age=99)
    assert imd.diff(silent, new, X).what_if(3, age=98).outputs[0] == "yes", "nothing is lost"


# --- the smallest change --------------------------------------------------------------------------


def size_of(table: pd.DataFrame, row: int, column: str, value: Any) -> float:
    """The size of a change, by its definition."""
    values = table[column]
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return 0.5
    own = values[row]
    if pd.isna(own):
        return 0.5
    low, high = sorted((own, value))
    between = (values > low) & (values < high)
    counted = between.sum() + ((values == low).sum() + (values == high).sum()) / 2
    return counted / values.notna().sum()


def oracle(m1: Any, m2: Any, table: pd.DataFrame, row: int) -> tuple[int, float] | None:
    """Number of columns and size of the smallest change, by trying all of them."""
    values = {name: table[name].dropna().unique().tolist() for name in table}
    for n in (1, 2):
        found = []
        for columns in combinations(table, n):
            for chosen in product(*(values[name] for name in columns)):
                if any(v == table[c][row] for c, v in zip(columns, chosen, strict=True)):
                    continue
                edited = table.iloc[[row]].assign(**dict(zip(columns, chosen, strict=True)))
                if m1(edited)[0] == m2(edited)[0]:
                    sizes = (size_of(table, row, *own) for own in zip(columns, chosen, strict=True))
                    found.append(sum(sizes))
        if found:
            return n, min(found)
    return None


def both_needed(table: pd.DataFrame) -> Any:
    return np.where((table["b"] < 3) | (table["c"] == "x"), "yes", "no")


SMALL = pd.DataFrame(
    {
        "a": RNG.integers(0, 6, 40),
        "b": RNG.integers(0, 6, 40),
        "c": RNG.choice(["x", "y", "z"], 40),
    }
)


@pytest.mark.parametrize(
    "m1, m2",
    [
        (lambda t: np.where(t["a"] > 2, "yes", "no"), lambda t: np.where(t["b"] > 3, "yes", "no")),
        (both_needed, lambda t: np.where(t["a"] > 9, "yes", "no")),
        (lambda t: np.where(t["a"] > t["b"], "u", "v"), lambda t: np.where(t["c"] > "x", "u", "v")),
        (lambda t: np.full(len(t), "yes"), lambda t: np.where(t["a"] < 5, "no", "yes")),
    ],
    ids=["numbers", "two columns", "text", "one way out"],
)  # fmt: skip
def test_the_smallest_change_is_that_of_the_oracle(m1: Any, m2: Any) -> None:
    d = imd.diff(m1, m2, SMALL)
    rows = np.flatnonzero(d.differs)
    assert len(rows)
    for row in rows[:12].tolist():
        found, expected = d.smallest_change(row), oracle(m1, m2, SMALL, row)
        assert found.exhaustive
        if expected is None:
            assert not found.found
            assert "for all values that occur in one or two columns" in found.text
            continue
        assert len(found.edits) == expected[0]
        assert found.size == pytest.approx(expected[1])
        edited = SMALL.iloc[[row]].assign(**{str(e.column): e.after for e in found.edits})
        assert m1(edited)[0] == m2(edited)[0], "the change works"
        assert found.what_if is not None
        assert not found.what_if.differs
        for e in found.edits:
            assert e.after in SMALL[str(e.column)].tolist(), "the value occurs"


def test_no_change_helps_and_none_is_needed() -> None:
    never = imd.diff(lambda t: np.full(len(t), "u"), lambda t: np.full(len(t), "v"), SMALL)
    found = never.smallest_change(3)
    assert (found.found, found.edits, found.what_if, found.size) == (False, (), None, None)
    same = imd.diff(both_needed, both_needed, SMALL).smallest_change(3)
    assert same.text == "The models agree on row 3 already."
    assert same.n_asked == 0


def test_values_without_an_answer_are_passed_over() -> None:
    def silent(table: pd.DataFrame) -> Any:
        return pd.Series(np.where(table["a"] > 2, "yes", "no")).mask((table["a"] == 3).to_numpy())

    table = SMALL[SMALL["a"] != 3].reset_index(drop=True)
    table.loc[0, "a"] = 2
    d = imd.diff(silent, lambda t: np.full(len(t), "yes"), table)
    found = d.smallest_change(0)
    assert found.edits[0].after == 4


def test_probabilities_and_values_agree_within_the_tolerance() -> None:
    d = imd.diff(
        lambda t: t["a"] * 1.0, lambda t: t["b"] * 1.0, SMALL, outputs="value", tolerance=1
    )
    for row in np.flatnonzero(d.differs)[:5].tolist():
        found = d.smallest_change(row)
        edited = SMALL.iloc[[row]].assign(**{str(e.column): e.after for e in found.edits})
        assert abs(edited["a"].iloc[0] - edited["b"].iloc[0]) <= 1


def test_the_cap_holds(d: imd.ModelDiff) -> None:
    rows = np.flatnonzero(d.differs)[:3].tolist()
    for row in rows:
        assert d.smallest_change(row, max_calls=100).n_asked <= 200
    with pytest.raises(imd.InputError, match="max_calls=0"):
        d.smallest_change(3, max_calls=0)


def test_a_change_in_the_last_digit_is_a_change() -> None:
    table = pd.DataFrame({"a": np.linspace(0.1234561, 0.1234564, 40)})
    middle = float(table["a"][20])
    d = imd.diff(lambda t: t["a"] >= middle, lambda t: t["a"] >= 0, table)
    found = d.smallest_change(5)
    assert found.edits[0].after == middle
    assert repr(middle) in found.text
    assert found.what_if is not None
    assert not found.what_if.differs
    field = what_if_view(found.what_if).fields[0]
    assert float(field.value) == middle
    assert d.what_if(5, a=field.value).outputs == (True, True)


def test_moments_are_shown_in_the_zone_of_their_column() -> None:
    rng = np.random.default_rng(0)
    minutes = pd.to_timedelta(rng.integers(0, 300 * 24 * 60, 600), unit="m")
    when = pd.Timestamp("2024-01-01", tz="America/New_York") + minutes
    table = pd.DataFrame({"when": when, "k": rng.normal(size=600)})
    edge = pd.Timestamp("2024-07-01", tz="America/New_York")

    def later(t: pd.DataFrame) -> Any:
        return (t["when"] >= edge).to_numpy(float)

    d = imd.diff(later, lambda t: np.zeros(len(t)), table, outputs="value", tolerance=0.2)
    row = int((table["when"] > edge).to_numpy().argmax())
    before = table["when"][row]
    text = d.what_if(row, when="2024-03-04 09:30").text
    assert f"when 2024-03-04 09:30:00-05:00 instead of {before.isoformat(sep=' ')}" in text
    assert d.what_if(row, when="2024-03-04").text.startswith("With when 2024-03-04 instead of ")
    change = d.smallest_change(row)
    assert change.what_if is not None
    after = change.what_if.edits[0].after
    assert f"when {after.isoformat(sep=' ')} instead of" in change.text
    e = d.explain((table["when"] >= edge).to_numpy(), row=row)
    [value] = [own for own in e.contributions_of().values or () if own and own.startswith("2024")]
    assert value == before.isoformat(sep=" ")
    [own] = d.explain("when >= '2024-07-01'").conditions
    assert own.sentence is not None
    assert re.search(r"If when were 2024-\d\d-\d\d \d\d:\d\d:00-0[45]:00, ", own.sentence)
    # what is shown can be typed, also in the hour that the clocks show twice
    twice = pd.Timestamp("2024-11-03 05:30", tz="UTC").tz_convert("America/New_York")
    for moment in (before, twice, twice + pd.Timedelta("1h"), edge):
        one = pd.Series([moment] * 2).to_frame("when")
        field = Field.of(open_table(one), 0)
        assert field.read(point_value_text(moment)) == moment


def answering(model: Any, row: int = 9, **values: Any) -> imd.WhatIf:
    """What if of a model against one that gives no wherever k is at most 0."""
    return against_base(model).what_if(row, **values)


K = pd.DataFrame(
    {
        "race": np.random.default_rng(0).choice(["White", "Black"], 300),
        "k": np.random.default_rng(1).normal(size=300).round(2),
        "tenure": np.random.default_rng(2).integers(0, 70, 300),
    }
)


def of_k(t: pd.DataFrame, above: float = 0.3) -> NDArray[Any]:
    return np.where(t["k"] > above, "yes", "no")


def against_base(model: Any) -> imd.ModelDiff:
    return imd.diff(model, lambda t: of_k(t, 0), K, names=("RF", "LR"))


def no_answer(t: pd.DataFrame) -> Any:
    return np.where(t["race"].isin(["White", "Black"]), of_k(t), None)


def too_long(t: pd.DataFrame) -> Any:
    return of_k(t) if len(t) > 1 else ["yes", "no", "no"]


def raising(t: pd.DataFrame) -> Any:
    if (t["race"] == "Purple").any():
        raise ValueError("boom")
    return of_k(t)


@pytest.mark.parametrize(
    "model, sentence",
    [
        (no_answer, "m1 ('RF') gives no output for these values."),
        (
            too_long,
            "m1 ('RF') gives 3 outputs for 1 row with changed values: one for each row is needed.",
        ),
        (raising, "m1 ('RF') raised ValueError: boom for the changed values."),
    ],
)
def test_a_model_without_an_output_for_the_values_is_named(model: Any, sentence: str) -> None:
    with pytest.raises(imd.InputError) as error:
        answering(model, race="Purple")
    assert str(error.value) == sentence


def test_the_smallest_change_passes_over_values_for_which_a_model_raises() -> None:
    def delicate(t: pd.DataFrame) -> Any:
        if len(t) < len(K) and ((t["k"] <= 0) & (t["tenure"] > 3)).any():
            raise ValueError("boom")
        return of_k(t)

    d = against_base(delicate)
    differing = np.flatnonzero(of_k(K) != of_k(K, 0))
    row = int(differing[(K["tenure"].to_numpy()[differing] > 10).argmax()])
    found = d.smallest_change(row)
    assert found.found
    assert found.what_if is not None
    after = {own.column: own.after for own in found.what_if.edits}
    assert after["k"] > 0.3, "below 0 the model raises"
    calm = against_base(of_k).smallest_change(row)
    assert calm.size is not None
    assert found.size is not None
    assert found.size >= calm.size

    def always(t: pd.DataFrame) -> Any:
        if len(t) < len(K) or t["k"].tolist() != K["k"].tolist():
            raise ValueError("boom")
        return of_k(t)

    with pytest.raises(imd.InputError, match=r"m1 \('RF'\) raised ValueError: boom"):
        against_base(always).smallest_change(row)


def test_values_that_no_row_has_are_pointed_out() -> None:
    for change, sentence in (
        ({"tenure": -5}, "No row of the table has tenure below 0."),
        ({"tenure": 700}, "No row of the table has tenure above 69."),
        ({"race": "Purple"}, "No row of the table has race Purple."),
        ({"k": None}, "No row of the table has k missing."),
        ({"tenure": 8, "race": "White"}, None),
    ):
        found = against_base(of_k).what_if(9, change)
        assert found.unseen == (() if sentence is None else (sentence,))
        assert sentence is None or found.text.endswith(sentence)


def test_a_column_is_changed_once() -> None:
    with pytest.raises(imd.InputError, match="k=4: this column is in the mapping too"):
        against_base(of_k).what_if(9, {"k": 3}, k=4)


def test_scores_behind_classes_are_given() -> None:
    class Sure:
        classes_ = np.array(["no", "yes"])

        def __init__(self, above: float) -> None:
            self.above = above

        def predict(self, t: pd.DataFrame) -> Any:
            return of_k(t, self.above)

        def predict_proba(self, t: pd.DataFrame) -> Any:
            yes = 1 / (1 + np.exp(self.above - t["k"].to_numpy()))
            return np.stack([1 - yes, yes], axis=1)

    d = imd.diff(Sure(0.5), Sure(0.0), K, names=("RF", "LR"))
    row = int(((K["k"] > 0) & (K["k"] < 0.4)).to_numpy().argmax())
    found = d.what_if(row, k=0.45)
    show = found.explanation.score.text
    (rf, lr), (rf_before, lr_before) = (
        map(show, scores) for scores in (found.scores, found.scores_before)
    )
    assert rf != rf_before
    assert (
        f"They still differ. Probability of yes: RF {rf} instead of {rf_before}, "
        f"LR {lr} instead of {lr_before}." in found.text
    )
    assert "robability" not in against_base(of_k).what_if(9, k=0.2).text  # votes tell nothing
