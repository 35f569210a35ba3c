"""Columns that are an output, or alone tell one, are remarked on; others are not."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd

N = 400
RNG = np.random.default_rng(0)
P1 = RNG.random(N)
P2 = np.clip(P1 + RNG.normal(scale=0.1, size=N), 0.001, 0.999)
Y1, Y2 = (P1 > 0.5).astype(int), (P2 > 0.5).astype(int)
X = pd.DataFrame({"a": RNG.normal(size=N), "k": RNG.integers(0, 5, N)})


def remarks(*arguments: Any, **options: Any) -> list[str]:
    """What is said of columns: each column and why."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        imd.diff(*arguments, **options)
    found = [re.match(r"X holds the column (.*?), so rules", str(w.message)) for w in caught]
    return [one[1] for one in found if one is not None]


def test_probabilities_among_the_columns_are_remarked_on() -> None:
    with pytest.warns(imd.InputWarning) as caught:
        imd.diff(Y1, Y2, X.assign(score_old=P1, score_new=P2))
    assert [str(w.message) for w in caught] == [
        f"X holds the column {name!r}, which alone determines {model}, as its score would, so "
        "rules will use it. If it is an output of the model, leave it out: "
        f"X.drop(columns=[{name!r}])."
        for name, model in (("score_old", "m1"), ("score_new", "m2"))
    ]
    assert caught[0].filename == __file__, "at the user's own line"


def test_following_the_remark_ends_it() -> None:
    table = X.assign(score_old=P1, score_new=P2)
    assert len(remarks(Y1, Y2, table)) == 2
    assert remarks(Y1, Y2, table.drop(columns=["score_old", "score_new"])) == []


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [False, True], [1, 0], [0.0, 1.0]], ids=lambda labels: str(labels[1])
)
def test_a_probability_cut_at_one_half_is_a_score_whatever_the_labels(labels: list[Any]) -> None:
    names = np.array(labels)
    table = X.assign(score=P1)
    score = "'score', which alone determines m1, as its score would"
    assert remarks(names[Y1], names[Y2], table) == [score]


def test_a_column_of_its_own_for_each_output_is_a_score() -> None:
    """Margins are not probabilities; that each model looks at another column is no chance."""
    table = X.assign(margin_old=10 * P1 - 3, margin_new=7 * P2)
    assert remarks(Y1, Y2, table) == [
        "'margin_old', which alone determines m1, as its score would",
        "'margin_new', which alone determines m2, as its score would",
    ]


def test_a_text_spelling_of_the_labels_is_remarked_on() -> None:
    table = X.assign(word=np.array(["bad", "good"])[Y1])
    assert remarks(Y1, Y2, table) == ["'word', which alone determines m1"]
    number = X.assign(code=3 + 2 * Y1)
    words = np.array(["bad", "good"])
    assert remarks(words[Y1], words[Y2], number) == ["'code', which alone determines m1"]


def test_what_is_no_score_is_not_remarked_on() -> None:
    """Beside one that is: the remark is about that one alone."""
    other = np.arange(N) % 2 == 0
    table = X.assign(
        score=P1,
        whole=np.where(Y1 == 1, 50, 10) + RNG.integers(0, 30, N),  # a rule of a model may say so
        few=np.where(Y1 == 1, 0.75, 0.25),  # two values are no score
        noise=RNG.random(N),
        gaps=np.where(other, P1, np.nan),
        word=np.array(list("xyz"))[RNG.integers(0, 3, N)],
    )
    score = "'score', which alone determines m1, as its score would"
    assert remarks(Y1, Y2, table) == [score]
    small = table[:99]
    assert remarks(Y1[:99], Y2[:99], small) == [], "of a small table it may be chance"


def test_a_model_that_is_asked_may_look_at_one_column() -> None:
    """Beside outputs that were given: only of those is anything known."""
    table = X.assign(score_old=P1, score_new=P2)

    def m2(rows: pd.DataFrame) -> Any:
        return (rows["score_new"] > 0.5).astype(int)

    score = "'score_old', which alone determines m1, as its score would"
    assert remarks(Y1, m2, table) == [score]

    def m1(rows: pd.DataFrame) -> Any:
        return (rows["score_old"] > 0.5).astype(int)

    assert remarks(m1, m2, table) == []


def test_the_same_column_for_both_is_a_threshold_that_moved() -> None:
    """Not at one half: two thresholds of one column are what people compare."""
    table = X.assign(income=1000 * P1, score_old=P1, score_new=P2)
    assert remarks((P1 > 0.3) * 1, (P1 > 0.4) * 1, table[["a", "income"]]) == []
    assert "'income'" not in str(remarks(P1 > 0.3, P2 > 0.4, table[["a", "score_old"]]))
    assert len(remarks(P1 > 0.3, P2 > 0.4, table[["score_old", "score_new"]])) == 2


def test_outputs_that_are_no_labels_get_the_message_about_labels() -> None:
    table = pd.DataFrame({"x": np.arange(200) % 10})
    lists = pd.Series([[int(v)] for v in table["x"]])
    dicts = pd.Series([{"v": int(v)} for v in table["x"]])
    for odd, kind in ((lists, "list"), (dicts, "dict")):
        message = rf"m1 gave labels that cannot be compared, for example .*, a {kind}"
        with pytest.raises(imd.InputError, match=message):
            imd.diff(odd, table["x"] + 1, table)
        with pytest.raises(imd.InputError, match="y gave labels that cannot be compared"):
            imd.diff(table["x"] % 2, table["x"] % 3, table, y=odd)


def test_truth_beside_whole_numbers_that_are_too_large_to_compare() -> None:
    n = 200
    table = pd.DataFrame({"h": np.array([2**63 + 5 + k % 9 for k in range(n)], dtype=np.uint64)})
    m1 = np.arange(n) % 2 == 0
    y = np.array([None if k % 3 == 0 else np.bool_(k % 2) for k in range(n)], dtype=object)
    d = imd.diff(m1, ~m1, table, y=y)
    assert d.right is not None
    assert d.right.known == n - len(range(0, n, 3))


def test_a_column_that_is_the_truth_or_an_output_of_any_kind_is_remarked_on() -> None:
    word = np.array(["bad", "good"])[Y1]
    table = X.assign(word=pd.Series(word).astype("string[pyarrow]"), score=P1)
    assert remarks(word, word[::-1], table, y=word) == [
        "'word', which is m1 itself",
        "'word', which is y itself",
        "'score', which alone determines m1, as its score would",
    ]


def test_columns_that_are_all_scaled_are_no_scores() -> None:
    X = pd.DataFrame(np.random.default_rng(0).random((400, 3)), columns=list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        imd.diff(X["a"] > 0.5, X["a"] + X["b"] > 1, X)
    other = X.assign(c=100 * X["c"])
    with pytest.warns(imd.InputWarning, match="column 'a', which alone determines m1"):
        imd.diff(X["a"] > 0.5, X["a"] + X["b"] > 1, other)


def test_the_order_of_rows_makes_no_difference() -> None:
    table = X.assign(score=P1, copy=Y2)
    expected = remarks(Y1, Y2, table)
    assert len(expected) == 2
    for order in (np.argsort(P1), np.argsort(-P1), np.argsort(Y2, kind="stable")):
        assert remarks(Y1[order], Y2[order], table.iloc[order]) == expected


def test_a_truth_with_gaps_is_still_itself() -> None:
    truth = np.where(np.arange(N) % 7 == 0, np.nan, Y1)
    table = X.assign(target=truth)
    with pytest.warns(imd.InputWarning, match="column 'target', which is y itself"):
        imd.diff(Y1, Y2, table, y=truth)


def test_where_nothing_differs_nothing_is_remarked_on() -> None:
    assert remarks(Y1, Y1, X.assign(copy=Y1)) == []
