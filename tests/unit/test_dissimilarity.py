"""Labels that differ by a dissimilarity of the user's own."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget import InputError

GRADES = ("high", "low", "medium")


def case(n: int = 1200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Grades of two models: one apart where b < 0.3, and from low to high where a >= 0.8."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.integers(0, 20, n) / 20 for name in "abc"})
    first = np.where(X["c"] < 0.5, 0, 1)
    second = np.where(X["b"] < 0.3, first + 1, first)
    second = np.where(X["a"] >= 0.8, np.where(first == 0, 2, second), second)
    return X, first, second


def far(first: int, second: int) -> bool:
    return abs(first - second) > 1


def test_only_labels_that_are_far_apart_differ() -> None:
    X, first, second = case()
    d = imd.diff(first, second, X, dissimilarity=far)
    expected = np.abs(first - second) > 1
    np.testing.assert_array_equal(d.differs, expected)
    assert d.metrics.n_differing == expected.sum() < (first != second).sum()
    np.testing.assert_array_equal(d.predict(X), expected)
    assert all(rule.outcomes == (0, 2) for rule in d.rules)
    assert d.to_dict() != imd.diff(first, second, X).to_dict()


@given(st.integers(0, 2**32 - 1))
def test_any_table_of_pairs_is_a_loop_over_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    costs = rng.integers(0, 3, (n, n)) * ~np.eye(n, dtype=bool)
    first, second = rng.integers(0, n, (2, 200))
    X = pd.DataFrame({"x": rng.random(200)})
    table = pd.DataFrame(costs, index=range(n), columns=range(n))
    d = imd.diff(first, second, X, dissimilarity=table, measure="none", outputs="class")
    expected = [bool(costs[one, two] > 0) for one, two in zip(first, second, strict=True)]
    assert d.differs.tolist() == expected
    swapped = imd.diff(second, first, X, dissimilarity=table.T, measure="none", outputs="class")
    assert swapped.differs.tolist() == expected


def test_the_default_is_that_labels_differ_if_they_are_not_equal() -> None:
    X, first, second = case()
    plain = imd.diff(first, second, X)
    given_all = imd.diff(first, second, X, dissimilarity=lambda one, two: one != two)
    assert plain.to_dict() == given_all.to_dict()


def test_one_direction_can_be_asked_about() -> None:
    X, first, second = case()
    names = np.array(GRADES, dtype=object)
    d = imd.diff(
        names[first],
        names[second],
        X,
        dissimilarity=lambda one, two: (one, two) == ("high", "medium"),
    )
    np.testing.assert_array_equal(d.differs, (first == 0) & (second == 2))
    assert d.tree.outputs.differs == "high -> medium"


def test_the_text_names_what_counts_as_the_same() -> None:
    X, first, second = case()
    d = imd.diff(first, second, X, dissimilarity=far)
    assert d.tree.outputs.differs == "0 -> 2 or 2 -> 0"
    names = dict(enumerate(GRADES))
    close = imd.diff(
        first, second, X, dissimilarity=lambda a, b: {a, b} not in ({0, 1}, {0}, {1}, {2})
    )
    assert close.tree.outputs.differs == "different, not counting 0 and 1"
    assert close.summary().startswith("model 1 and model 2 differ (not counting 0 and 1) on ")
    named = imd.diff(
        first,
        second,
        X,
        class_names=names,
        dissimilarity=lambda a, b: {a, b} not in ({0, 1}, {0}, {1}, {2}),
    )
    assert named.tree.outputs.differs == "different, not counting high and low"


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_every_method_describes_the_rows_that_differ(method: Any) -> None:
    X, first, second = case()
    d = imd.diff(first, second, X, dissimilarity=far, method=method, max_depth=4)
    assert d.metrics.recall > 0.9
    assert d.metrics.precision > 0.9
    for rule in d.rules:
        inside = rule.mask(X)
        assert rule.differing + rule.holdout_differing == (inside & d.differs).sum()


def test_files_and_what_is_made_again_keep_the_dissimilarity(tmp_path: Path) -> None:
    X, first, second = case()
    d = imd.diff(first, second, X, dissimilarity=far, names=("old", "new"))
    d.save(tmp_path / "d.json")
    loaded = imd.load(tmp_path / "d.json")
    assert loaded == d
    again = loaded.measure(first, second, X)
    assert again.regions[-1].now.rate == pytest.approx(d.metrics.disagreement)
    assert d.change(max_rules=1).metrics.n_differing == d.metrics.n_differing
    assert d.refine().metrics.n_differing == d.metrics.n_differing
    d.save(tmp_path / "test_release.py")
    X.assign(old=first, new=second).to_csv(tmp_path / "scored.csv", index=False)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_release.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    page = tmp_path / "d.html"
    d.save(page)
    assert "0 -&gt; 2" in page.read_text() or "0 -> 2" in page.read_text()


def test_partitions_agree_with_memory() -> None:
    dd = pytest.importorskip("dask.dataframe")
    X, first, second = case()
    frame = X.assign(first=first, second=second)
    parts = dd.from_pandas(frame, npartitions=3)
    large = imd.diff("first", "second", parts, dissimilarity=far, measure="holdout")
    small = imd.diff("first", "second", frame, dissimilarity=far, measure="holdout")
    assert str(large.rules) == str(small.rules)
    assert large.metrics.n_differing == small.metrics.n_differing


def test_more_than_two_models_are_compared_by_it() -> None:
    X, first, second = case()
    third = np.roll(second, 1)
    models = {"one": first, "two": second, "three": third}
    c = imd.compare(models, X, dissimilarity=far)
    for (one, a), (two, b) in product(models.items(), repeat=2):
        expected = float((np.abs(a - b) > 1).mean())
        assert c.disagreement.loc[one, two] == pytest.approx(expected)
    assert c["one", "two"].metrics.n_differing == (np.abs(first - second) > 1).sum()
    with pytest.raises(InputError, match="has to be symmetric: 1 and 0 count as the same in"):
        imd.compare(models, X, dissimilarity=lambda a, b: a < b)


def test_the_estimator_scores_by_it() -> None:
    X, first, second = case()
    Y = np.column_stack([first, second])
    tree = imd.JointSurrogateTree(dissimilarity=far, max_depth=4).fit(X, Y)
    assert tree.score(X, Y) > 0.95


BAD: list[tuple[Any, str]] = [
    (3, "dissimilarity=3: a function of a label of model 1 and a label of model 2 is needed"),
    (lambda a, b: True, "has to be 0 or False for two equal labels; it is not for 0"),
    (lambda a, b: None, "gave None for the labels 0 and 0: True, False or a number from 0 up"),
    (lambda a, b: -1.0, "gave -1.0 for the labels 0 and 0"),
    (lambda a, b: 1 / (a - b), "raised ZeroDivisionError: division by zero for the labels 0 and 0"),
    (
        pd.DataFrame([[0, 1], [1, 0]]),
        "has no entry for 0 and 2: the labels of model 1 are its index",
    ),
]


@pytest.mark.parametrize("value, message", BAD)
def test_what_is_no_dissimilarity_is_an_error(value: Any, message: str) -> None:
    X, first, second = case(300)
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        imd.diff(first, second, X, dissimilarity=value)


def test_numbers_have_a_tolerance_instead() -> None:
    X, first, second = case(300)
    with pytest.raises(InputError, match="compares labels, and these outputs are numbers"):
        imd.diff(first + 0.5, second + 0.25, X, outputs="value", dissimilarity=far)
