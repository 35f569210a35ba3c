"""`compare` and `ModelComparison`: what is accepted, names, errors, votes, sentences."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.comparison import prepare as preparing
from imd_widget.many.figures import Figures
from imd_widget.many.ordering import order_by_similarity
from imd_widget.many.sentences import sentences
from imd_widget.many.telling_apart import told_apart
from imd_widget.rules.languages import percent

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(400, 3)), columns=["a", "b", "c"])
Y = (X["a"] + X["b"] > 0).to_numpy(int)
A = (X["a"] > 0).to_numpy(int)
B = (X["a"] > 0.1).to_numpy(int)
C = (X["b"] > 0.5).to_numpy(int)
MODELS = {"A": A, "B": B, "C": C}


def fitted() -> dict[str, Any]:
    return {
        "LR": LogisticRegression().fit(X, Y),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y),
        "by hand": lambda table: (table["c"] > 0).astype(int),
    }


# --- what is accepted -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "models, message",
    [
        ({"A": A}, "models holds one model: at least two are needed"),
        ({}, "models holds no model: at least two"),
        ([A] * 31, "models holds 31 models: at most 30 are compared at once"),
        (A, r"models is an? ndarray\. It takes a dict from names to models, or a list"),
        (LogisticRegression(), r"models is a LogisticRegression\. It takes a dict"),
        ({"A": A, " ": B}, "models has a model called ' ': a model without a name"),
        ({1: A, "1": B}, r"two models are called '1': give each a different name.*a dict"),
        ({"A": A, "B": "z"}, r"models names the column 'z', and X has 'a', 'b', 'c'\. It takes"),
        ({"A": A, "B": A[:9]}, r"models\['B'\] gave 9 outputs for 400 rows"),
        ({"A": A, "B": None}, r"models\['B'\] is a NoneType\. A model is anything with a predict"),
        ([A, [None, *A[1:]]], r"models\[1\] gave no output for 1 of 400 rows"),
        (
            {"A": A, "B": X["a"], "words": np.where(A, "yes", "no")},
            r"models\['B'\] gives numbers such as .*models\['words'\] gives 'yes', 'no'.*"
            r"values and classes cannot be compared",
        ),
        (
            {"A": A, "B": A, "words": np.where(A, "yes", "no")},
            r"models\['A'\] gives 0, 1 and models\['words'\] gives 'no', 'yes': they have no label",
        ),
        (
            {"A": A.astype(float), "B": A, "p": np.abs(X["a"]) / 10},
            r"models\['A'\] gives the labels .*models\['p'\] numbers such as .*as a probability is",
        ),
    ],
)
def test_models_that_cannot_be_compared(models: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=re.compile(message, re.DOTALL)):
        imd.compare(models, X)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"errors": "ignore"}, 'errors=\'ignore\' is not known. Choose "raise", or "skip"'),
        ({"names": ["x", "y", "z"]}, "names names the models of a list, and the keys of models"),
        ({"max_depth": 0}, "max_depth=0: a whole number from 1 to 30"),
        ({"measure": "all"}, "measure='all' is not known"),
        ({"outputs": "class", "tolerance": 1}, "tolerance=1 has no meaning for classes"),
        ({"augment": "neighbours"}, r"augment calls .*models\['A'\] is an array of outputs"),
        ({"holdout": X}, r"holdout is a separate table, and models\['A'\] is an array"),
        ({"columns": ["z"]}, "columns names 'z', and the table has 'a', 'b', 'c'"),
        ({"y": Y[:3]}, "y has 3 entries, its table has 400 rows"),
        ({"sample_weight": [1]}, r"sample_weight has shape \(1,\)"),
        ({"groups": "z"}, "groups='z' is not a column of the table"),
    ],
)
def test_options_are_checked_as_those_of_diff(options: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=re.compile(message)):
        imd.compare(MODELS, X, **options)


def test_names_of_a_list() -> None:
    with pytest.raises(imd.InputError, match="names has 2 entries and models 3: one name for each"):
        imd.compare([A, B, C], X, names=["x", "y"])
    with pytest.raises(imd.InputError, match="two models are called 'x'"):
        imd.compare([A, B, C], X, names=["x", "y", "x"])
    assert imd.compare([A, B, C], X, names=["x", "y", "z"]).names == ("x", "y", "z")

    def rule(table: Any) -> Any:
        return table["a"] > 0

    tree = DecisionTreeClassifier(max_depth=1).fit(X, Y)
    found = imd.compare([tree, rule, tree, A, pd.Series(A, name="mine")], X).names
    assert found == (
        "DecisionTreeClassifier 1",
        "rule",
        "DecisionTreeClassifier 2",
        "model 4",
        "mine",
    )


def test_the_table_comes_last() -> None:
    models = fitted()
    with pytest.raises(imd.InputError, match=r"X is a LogisticRegression, which is a model: the o"):
        imd.compare([models["tree"]], models["LR"])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_the_table_are_models(library: str) -> None:
    import polars
    import pyarrow

    whole = X.assign(p=A, q=B)
    table = {
        "pandas": lambda: whole,
        "polars": lambda: polars.from_pandas(whole),
        "pyarrow": lambda: pyarrow.Table.from_pandas(whole),
    }[library]()
    c = imd.compare(["p", "q"], table)
    assert c.names == ("p", "q")
    assert c["p", "q"].column_names == ("a", "b", "c")
    assert c.n_differing.loc["p", "q"] == (A != B).sum()
    named = imd.compare({"old": "p", "new": "q", "third": C}, table)
    assert named.names == ("old", "new", "third")
    assert str(named["old", "new"].rules) == str(c["p", "q"].rules).replace("p 1", "old 1").replace(
        "p 0", "old 0"
    ).replace("q ", "new ")


def test_a_frame_of_outputs_is_a_dict_of_models() -> None:
    assert imd.compare(pd.DataFrame(MODELS), X).names == ("A", "B", "C")


def test_columns_of_an_array_have_no_names() -> None:
    with pytest.raises(imd.InputError, match="X is an array, whose columns have no names"):
        imd.compare(["x0", "x1"], X.to_numpy())


# --- each model is asked once ---------------------------------------------------------------------


def test_no_model_is_asked_twice_and_the_table_is_encoded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    built: list[int] = []
    build = preparing.build_dataset

    def counted(*args: Any, **options: Any) -> Any:
        built.append(1)
        return build(*args, **options)

    monkeypatch.setattr(preparing, "build_dataset", counted)

    def model(name: str, outputs: Any) -> Any:
        def predict(table: Any) -> Any:
            asked.append(name)
            return outputs

        return predict

    c = imd.compare({name: model(name, own) for name, own in MODELS.items()}, X, y=Y, test_size=0)
    for pair in combinations(c.names, 2):
        assert c[pair].metrics.n_rows == 400
    c.against_rest("A")
    assert sorted(asked) == ["A", "B", "C"]
    assert built == [1]


def test_a_pair_is_remembered_also_by_threads() -> None:
    c = imd.compare(MODELS, X)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: c["A", "B"], range(16)))
    assert all(d is found[0] for d in found)
    assert c[0, 1] is found[0]
    assert c["B", "A"] is not found[0]


def test_a_comparison_is_immutable() -> None:
    c = imd.compare(MODELS, X, y=Y)
    with pytest.raises(FrozenInstanceError):
        c.figures = None  # type: ignore[misc, assignment]
    shares = c.disagreement
    shares.iloc[0, 1] = 9
    assert c.disagreement.iloc[0, 1] < 1
    with pytest.raises(TypeError):
        c.skipped["x"] = "y"  # type: ignore[index]
    assert copy.deepcopy(c)["A", "B"] is c["A", "B"]


def test_pickled_without_the_models() -> None:
    c = imd.compare(fitted(), X, y=Y)
    d = c["LR", "tree"]
    again = pickle.loads(pickle.dumps(c))
    pd.testing.assert_frame_equal(again.disagreement, c.disagreement)
    assert again.summary() == c.summary()
    assert str(again["LR", "tree"].rules) == str(d.rules)
    assert again.against_rest("LR").metrics == c.against_rest("LR").metrics
    with pytest.raises(imd.InputError, match="the models were not saved with the diff"):
        again["LR", "tree"].explain().partial_dependence("a")


# --- one kind and one tolerance for all -----------------------------------------------------------


def test_one_tolerance_for_all_pairs() -> None:
    models = {"one": X["a"], "two": X["a"] + 0.3, "wide": 10 * X["b"]}
    c = imd.compare(models, X[["c"]])
    pooled = np.concatenate(list(map(np.asarray, models.values())))
    low, high = np.quantile(pooled, (0.05, 0.95), method="nearest")
    assert c.outputs == "value"
    assert c.tolerance == float(f"{(high - low) / 10:.2g}")
    assert c["one", "two"].tolerance == c["one", "wide"].tolerance == c.tolerance
    assert c.summary().endswith(f"Two outputs differ if they are more than {c.tolerance:g} apart.")
    assert imd.compare(models, X[["c"]], tolerance="10 %").tolerance == "10.0 %"


def test_the_kind_is_found_once_for_all_and_remarked_on_once() -> None:
    probabilities = {name: np.abs(X[name]) / 10 for name in "abc"}
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        c = imd.compare(probabilities, X[["a"]])
        made = [c[pair] for pair in combinations(c.names, 2)]
    assert c.outputs == "proba"
    assert {d.outputs for d in made} == {"proba"}
    assert c.tolerance == 0.1
    [remark] = [str(r.message) for r in remarks if "from 0 to 1" in str(r.message)]
    assert remark.startswith("all models give numbers from 0 to 1 that are not whole")


def test_probabilities_of_models_that_name_their_classes() -> None:
    models = {
        "LR": LogisticRegression().fit(X, Y),
        "tree": DecisionTreeClassifier(max_depth=2).fit(X, Y),
        "array": np.clip(Y + 0.05, 0, 1),
    }
    c = imd.compare(models, X, y=Y, outputs="proba")
    np.testing.assert_array_equal(
        c["LR", "tree"].differs,
        np.abs(models["LR"].predict_proba(X)[:, 1] - models["tree"].predict_proba(X)[:, 1])
        > 0.1 * (1 + 1e-9),
    )
    other = LogisticRegression().fit(X, np.where(Y, "yes", "no"))
    with pytest.raises(imd.InputError, match=r"models\['LR'\] knows the classes .*models\['o'\]"):
        imd.compare(models | {"o": other}, X, outputs="proba")
    with pytest.raises(imd.InputError, match="Choose one that all models know"):
        imd.compare(models, X, outputs="proba", pos_label="z")


def test_text_and_numbers_are_matched_as_for_two() -> None:
    text = np.where(A, "1", "0").astype(object)
    mixed = {"number": A, "text": text, "other": B}
    with pytest.warns(imd.InputWarning, match="labels of the same spelling") as remarks:
        c = imd.compare(mixed, X)
    assert len(remarks) == 1
    assert c.n_differing.loc["number", "text"] == 0
    assert c.n_differing.loc["text", "other"] == (A != B).sum()
    assert c.n_differing.loc["number", "other"] == (A != B).sum()


def test_class_names_of_a_list_are_those_of_all_models() -> None:
    three = np.where(X["c"] > 0, 2, A)
    c = imd.compare({"A": A, "B": B, "three": three}, X, class_names=["no", "yes", "other"])
    assert c["A", "B"].class_names == ("no", "yes")
    assert c["A", "three"].class_names == ("no", "yes", "other")
    with pytest.raises(imd.InputError, match="class_names has 2 entries, the models give 3 labels"):
        imd.compare({"A": A, "B": B, "three": three}, X, class_names=["no", "yes"])


def test_a_separate_holdout_is_what_scores_come_from() -> None:
    fresh = pd.DataFrame(RNG.normal(size=(100, 3)), columns=["a", "b", "c"])
    truth = (fresh["a"] > 0).to_numpy(int)
    models = fitted()
    c = imd.compare(models, X, y=Y, holdout=(fresh, truth))
    assert c.scores is not None
    for name, model in models.items():
        said = model(fresh) if name == "by hand" else model.predict(fresh)
        assert c.scores.loc[name, "accuracy"] == (np.asarray(said) == truth).mean()
    assert "of 100 rows of the holdout with y" in c.summary()
    assert c.n_rows == 400


# --- errors="skip" --------------------------------------------------------------------------------


def broken(table: Any) -> Any:
    raise RuntimeError("out of order")


def test_a_model_that_fails_is_named() -> None:
    with pytest.raises(RuntimeError, match="out of order") as raised:
        imd.compare({"A": A, "bad": broken}, X)
    assert "models['bad'] (broken) raised this" in raised.value.__notes__[0]
    c = imd.compare({"A": A, "bad": broken, "B": B, "short": A[:4]}, X, errors="skip")
    assert dict(c.skipped) == {
        "bad": "RuntimeError: out of order",
        "short": "models['short'] gave 4 outputs for 400 rows: one for each row of X is needed, in "
        "the same order.",
    }
    assert c.names == ("A", "B")
    assert c.summary().endswith("bad and short were left out.")
    with pytest.raises(imd.InputError, match="no model 'bad', which was left out: RuntimeError"):
        c["A", "bad"]


def test_two_models_must_be_left() -> None:
    message = 'only one model is left .*: at least two are needed. errors="raise" shows why'
    with pytest.raises(imd.InputError, match=message):
        imd.compare({"A": A, "bad": broken}, X, errors="skip")
    with pytest.raises(imd.InputError, match=message):
        imd.compare({"A": A, "bad": [None, *A[1:]]}, X, errors="skip")


def test_a_model_that_changes_the_table_is_never_skipped() -> None:
    table = X.copy()

    def changes(frame: Any) -> Any:
        frame["a"] = 0
        return A

    with pytest.raises(imd.InputError, match="changed the table in place"):
        imd.compare({"A": A, "bad": changes, "B": B}, table, errors="skip")


# --- pairs and votes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pair, message",
    [
        ("A", r"c\['A'\]: the diff of two models is found by both their names, such as c\['A'"),
        (("A", "A"), "'A' does not differ from itself"),
        (("A", "Z"), "there is no model 'Z': there are 'A', 'B', 'C'"),
        (("A", 7), "there is no model 7: there are"),
        (("A", True), "there is no model True"),
        (("A", "B", "C"), "the diff of two models"),
    ],
)
def test_a_pair_that_there_is_not(pair: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        imd.compare(MODELS, X)[pair]


def test_names_can_be_listed() -> None:
    c = imd.compare(MODELS, X)
    assert list(c) == ["A", "B", "C"]
    assert len(c) == 3
    assert "A" in c
    assert "Z" not in c


def test_most_of_the_others_can_be_called() -> None:
    models = fitted() | {"more": lambda table: (table["a"] > 0).astype(int)}
    c = imd.compare(models, X, y=Y)
    d = c.against_rest("by hand")
    said = np.stack([models["LR"].predict(X), models["tree"].predict(X), models["more"](X)])
    vote = (said.sum(axis=0) >= 2).astype(int)
    assert d.predictions["most of the others"].tolist() == vote.tolist()
    assert d.explain().partial_dependence("a").second is not None
    fresh = X.iloc[::-1].reset_index(drop=True)
    assert d.rows.models.output(1, preparing.open_table(fresh)).tolist() == vote[::-1].tolist()


def test_a_vote_of_arrays_cannot_be_called() -> None:
    d = imd.compare(MODELS, X).against_rest("C")
    with pytest.raises(
        imd.InputError, match=r"\(most of the others\) were given as arrays of outp"
    ):
        d.explain().partial_dependence("a")


def test_ties_are_the_models_own_label_and_then_in_the_order_given() -> None:
    small = pd.DataFrame({"n": range(4)})
    own, one, two = ["x", "y", "z", "x"], ["x", "x", "x", "y"], ["y", "y", "y", "y"]
    d = imd.compare({"own": own, "one": one, "two": two}, small).against_rest("own")
    assert d.predictions["most of the others"].tolist() == ["x", "y", "x", "y"]
    assert d.differs.tolist() == [False, False, True, True]


def test_the_others_of_two_models_are_one() -> None:
    with pytest.raises(imd.InputError, match=r"the others are one: use c\['A', 'B'\]"):
        imd.compare({"A": A, "B": B}, X).against_rest("A")


def test_the_median_of_numbers_is_the_vote() -> None:
    values = {"a": X["a"], "b": X["b"], "c": X["c"], "d": X["a"] + 1}
    d = imd.compare(values, X, outputs="value", tolerance=0.1).against_rest("d")
    wanted = np.median(X.to_numpy(), axis=1)
    np.testing.assert_allclose(d.predictions["most of the others"], wanted, atol=1e-12)


def test_a_model_that_is_called_most_of_the_others() -> None:
    c = imd.compare({"most of the others": A, "B": B, "C": C}, X)
    assert c.against_rest("B").names == ("B", "most of the others, by vote")


def test_given_and_by_and_groups_reach_the_pairs() -> None:
    town = np.where(X["c"] > 0, "Bonn", "Rome")
    options: dict[str, Any] = {"given": "m1", "by": town, "groups": np.arange(400) // 4}
    models = {name: lambda _, own=own: own for name, own in MODELS.items()}
    c = imd.compare(models, X, **options)
    d = imd.diff(models["A"], models["C"], X, names=("A", "C"), **options)
    assert c["A", "C"].given == "m1"
    assert str(c["A", "C"].rules) == str(d.rules)
    pd.testing.assert_frame_equal(c["A", "C"].by, d.by)
    assert c["A", "C"].metrics == d.metrics


# --- sentences ------------------------------------------------------------------------------------


def figures(rows: Any, n_rows: int = 100, names: str = "ABCDEFGH") -> Figures:
    matrix = np.array(rows)
    shares = matrix / n_rows
    return Figures(
        names=tuple(names[: len(matrix)]),
        outputs="class",
        tolerance=None,
        by_default=False,
        differs=None,
        weighted=False,
        n_rows=n_rows,
        rows=matrix,
        shares=shares,
        order=order_by_similarity(shares),
        scores=None,
    )


@pytest.mark.parametrize(
    "rows, said",
    [
        ([[0, 0], [0, 0]], "A and B agree on all 100 rows."),
        ([[0, 7], [7, 0]], "A and B differ on 7 of 100 rows (7.0 %)."),
        ([[0, 100], [100, 0]], "A and B differ on all 100 rows."),
        (np.zeros((3, 3), int), "All 3 models agree on all 100 rows."),
        (100 * (1 - np.eye(3, dtype=int)), "Every two of the 3 models differ on all 100 rows."),
        (
            7 * (1 - np.eye(4, dtype=int)),
            "Every two of the 4 models differ on 7.0 % of the rows.",
        ),
        (
            [[0, 1, 31], [1, 0, 33], [31, 33, 0]],
            "A and B are nearly the same (1.0 %); the odd one out is C (31.0 % from the nearest, "
            "A). B and C differ most (33.0 %).",
        ),
        (
            [[0, 0, 31], [0, 0, 31], [31, 31, 0]],
            "A and B agree on all rows; the odd one out is C (31.0 % from the nearest). 2 pairs "
            "differ most (31.0 % each): A and C, B and C.",
        ),
        (
            [[0, 0, 9, 9], [0, 0, 9, 9], [9, 9, 0, 0], [9, 9, 0, 0]],
            "2 groups agree on all rows (A and B; C and D); every model agrees with another on all "
            "rows. 4 pairs differ most (9.0 % each).",
        ),
        (
            [[0, 20, 22], [20, 0, 24], [22, 24, 0]],
            "A and B differ least (20.0 %); every model differs from the nearest one on at most "
            "22.0 % of the rows. B and C differ most (24.0 %).",
        ),
        (  # within a tolerance, A and B agree, B and C agree, A and C do not
            [[0, 0, 9], [0, 0, 0], [9, 0, 0]],
            "2 pairs agree on all rows: A and B, B and C; every model agrees with another on all "
            "rows. A and C differ most (9.0 %).",
        ),
    ],
)
def test_sentences(rows: Any, said: str) -> None:
    assert " ".join(sentences(figures(rows))) == said


@given(k=st.integers(2, 8), seed=st.integers(0, 10_000), most=st.sampled_from([1, 2, 50, 100]))
def test_every_share_in_a_sentence_is_one_of_the_matrix(k: int, seed: int, most: int) -> None:
    upper = np.triu(np.random.default_rng(seed).integers(0, most + 1, (k, k)), 1)
    made = figures(upper + upper.T)
    text = " ".join(sentences(made))
    known = {percent(float(share), 1) for share in made.shares.ravel()}
    assert set(re.findall(r"(?:under |over )?\d+\.\d %", text)) <= known
    if k > 2 and (odd := re.search(r"the odd one out is (\w) ", text)):
        nearest = (made.shares + np.eye(k)).min(axis=1)
        at = made.names.index(odd[1])
        assert all(nearest[at] >= 2 * other for i, other in enumerate(nearest) if i != at)
    if alike := re.search(
        r"(\w) and (\w) (?:are nearly the same|differ least|agree on all r)", text
    ):
        first, second = (made.names.index(name) for name in alike.groups())
        off = made.shares[~np.eye(k, dtype=bool)]
        assert made.shares[first, second] == off.min()


@pytest.mark.parametrize(
    "models, y, said",
    [
        (MODELS, A, "A is right most often: on 100.0 % of 400 rows with y."),
        ({"A": A, "B": A, "C": C}, A, "A and B are right most often: on 100.0 % of 400 rows"),
        ({"A": A, "B": A, "C": A}, A, "All 3 models are right equally often: on 100.0 % of 400"),
        ({"A": A, "B": A}, A, "A and B are right equally often: on 100.0 % of 400 rows with y."),
        (
            {"A": X["a"], "B": X["b"]},
            X["a"],
            "A has the smallest mean absolute error: 0 on 400 rows with y.",
        ),
        ({"A": X["a"], "B": X["a"]}, X["a"], "A and B have the same mean absolute error: 0 on 400"),
    ],
)
def test_who_is_best(models: Any, y: Any, said: str) -> None:
    assert said in imd.compare(models, X[["c"]], y=y).summary()


def wrong_on(*rows: int) -> Any:
    """The truth A, and another label in some rows."""
    said = A.copy()
    said[list(rows)] = 1 - said[list(rows)]
    return said


@pytest.mark.parametrize(
    "models, best, said",
    [
        (
            {"A": wrong_on(*range(20)), "B": wrong_on(*range(18, 40))},
            [True, True],
            "By accuracy, A and B cannot be told apart: 94.5 % and 95.0 % on 400 rows with y.",
        ),
        (
            {
                "A": wrong_on(*range(20)),
                "B": wrong_on(*range(20, 40)),
                "C": wrong_on(*range(18, 40)),
            },
            [True] * 3,
            "By accuracy, A, B and C cannot be told apart: 94.5 % to 95.0 % on 400 rows with y.",
        ),
        (
            {"A": wrong_on(*range(20)), "B": wrong_on(*range(22)), "C": wrong_on(*range(100))},
            [True, True, False],
            "A is right most often, on 95.0 % of 400 rows with y, but cannot be told apart from B "
            "(94.5 %).",
        ),
        (
            {str(n): wrong_on(*range(20 + n)) for n in range(5)},
            [True] * 5,
            "By accuracy, the 5 models cannot be told apart: 94.0 % to 95.0 % on 400 rows with y.",
        ),
        (
            {"A": wrong_on(0), "B": wrong_on(*range(1, 40))},
            [True, False],
            "A is right most often: on 99.8 % of 400 rows with y.",
        ),
        (
            {"A": X["a"] + 1, "B": X["a"] + 1 - 0.01 * np.sin(np.arange(400)), "C": X["a"] + 9},
            [True, True, False],
            "has the smallest mean absolute error, 1",
        ),
    ],
)
def test_a_winner_is_named_only_if_it_is_told_apart(models: Any, best: Any, said: str) -> None:
    y = X["a"] if "mean" in said else A
    c = imd.compare(models, X[["c"]], y=y)
    assert c.scores is not None
    assert c.scores["best"].tolist() == best
    assert said in c.summary()


def test_two_models_are_told_apart_by_the_exact_test_of_mcnemar() -> None:
    for n_first, n_second in ((0, 5), (0, 6), (3, 14), (30, 50), (0, 0)):
        wrong = np.zeros((2, 200), dtype=bool)
        wrong[0, :n_first] = wrong[1, n_first : n_first + n_second] = True
        n_differing = n_first + n_second
        chance = binomtest(n_first, n_differing).pvalue if n_differing else 1.0
        assert told_apart(wrong)[0, 1] == (chance <= 0.05)
        assert told_apart(wrong, np.full(200, 7.0))[0, 1] == (chance <= 0.05)


def test_rows_that_depend_on_each_other_tell_less() -> None:
    wrong = np.zeros((2, 400), dtype=bool)
    wrong[0, :10] = True
    errors = np.stack([np.repeat([1.0, 0.5, 1.0, 0.0], 100), np.full(400, 0.5)])
    for losses in (wrong, errors):
        assert told_apart(losses)[0, 1]
        assert told_apart(losses, groups=np.arange(400))[0, 1]
        assert not told_apart(losses, groups=np.arange(400) // 100)[0, 1]
        heavy = np.where(np.arange(400) < 2, 1000.0, 1.0)
        assert not told_apart(losses, heavy)[0, 1]


def test_models_that_are_equally_good_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(0)
    false = sum(told_apart(rng.random((8, 500)) < 0.2).any() for _ in range(100))
    assert false <= 8


def test_without_a_known_truth_there_are_no_scores() -> None:
    c = imd.compare(MODELS, X, y=np.full(400, None))
    assert c.scores is None


def test_weights_are_said() -> None:
    c = imd.compare(MODELS, X, sample_weight=np.arange(400))
    assert c.n_rows == 399
    assert c.summary().endswith("Shares are by weight.")


def test_how_a_comparison_looks() -> None:
    hostile = "<b>&"
    c = imd.compare({hostile: A, "B": B}, X, y=Y)
    assert repr(c).startswith("<ModelComparison of 2 models: <b>& and B differ on ")
    html = c._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert hostile not in html
    assert f"<b>{percent((A == Y).mean(), 1)}</b>" in html


def test_pairs_that_are_told_apart_follow_the_tests_of_their_errors(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    models = {
        name: np.where(rng.random(300) < wrong, 1 - truth, truth)
        for name, wrong in {"a": 0.1, "b": 0.11, "c": 0.35, "d": 0.36}.items()
    }
    c = imd.compare(models, np.arange(300).reshape(300, 1), y=truth)
    found = c.told_apart
    assert found is not None
    assert c.scores is not None
    wrong = np.array([said != truth for said in models.values()])
    np.testing.assert_array_equal(found, told_apart(wrong))
    leader = c.scores["accuracy"].idxmax()
    assert (c.scores["best"] == ~found.loc[leader]).all()
    assert not found.loc["a", "b"]
    assert found.loc["a", "c"]
    again = imd.load(c.save(tmp_path / "c.json")).told_apart
    pd.testing.assert_frame_equal(found, again)
    assert imd.compare(models, np.arange(300).reshape(300, 1)).told_apart is None
