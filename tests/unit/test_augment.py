"""New rows between those of a small table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.data.binning import bin_table
from imd_widget.data.synthetic import neighbours
from imd_widget.data.table import encode, open_table
from tests.unit.test_table import other_table

RNG = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.normal(size=N),
        "word": RNG.choice(["x", "y"], N),
        "gap": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
    },
    index=range(1000, 1000 + N),
)


def m1(table: Any) -> Any:
    return (table["a"] + table["b"] > 0).astype(int)


def m2(table: Any) -> Any:
    return ((table["a"] > 0) & (table["word"] == "x")).astype(int)


def new_rows(native: Any) -> Any:
    table = open_table(native)
    encoded = encode(table, bin_table(table, np.ones(N, bool), 255, None, 0).columns)
    return neighbours(table, encoded.columns, encoded.codes, np.arange(N // 2), 0)


def test_no_value_is_invented() -> None:
    made = new_rows(X)
    assert len(made) == 8_000
    assert list(made.columns) == list(X.columns)
    assert list(made.dtypes) == list(X.dtypes)
    for name in X.columns:
        known = set(X[name].iloc[: N // 2].dropna())
        assert set(made[name].dropna()) <= known, "only rows used to fit may be copied from"


def test_values_that_go_together_mostly_stay_together() -> None:
    linked = X.assign(b=X["a"] * 2 + 0.01 * RNG.normal(size=N))
    made = new_rows(linked)
    assert np.corrcoef(made["a"], made["b"])[0, 1] > 0.9


@pytest.mark.parametrize("kind", ["numpy", "polars", "pyarrow"])
def test_the_new_table_is_of_the_users_kind(kind: str) -> None:
    native = X[["a", "b"]].to_numpy() if kind == "numpy" else other_table(kind, X)
    made = new_rows(native)
    assert type(made) is type(native)
    assert len(made) == 8_000


def test_it_is_used_in_learning_and_in_nothing_that_is_shown() -> None:
    plain = imd.diff(m1, m2, X, measure="holdout")
    more = imd.diff(m1, m2, X, augment="neighbours")
    assert more.metrics.n_rows == N
    assert more.tree.counts[0].sum() == plain.tree.counts[0].sum()
    assert more.metrics.measured_rows == plain.metrics.measured_rows
    for rule in more.rules:
        assert rule.support + rule.holdout_support == rule.mask(X).sum()
    assert list(map(str, more.rules)) != list(map(str, plain.rules))
    assert more.refine().tree.counts[0].sum() == plain.tree.counts[0].sum()


def test_the_same_call_gives_the_same_diff() -> None:
    first, second = (imd.diff(m1, m2, X, augment="neighbours") for _ in range(2))
    assert first.rules == second.rules


@pytest.mark.parametrize(
    "options, message",
    [
        ({"augment": "noise"}, "augment='noise' is not known"),
        ({"augment": "neighbours", "method": "imd"}, 'no meaning with method="imd"'),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        imd.diff(m1, m2, X, **options)


def test_outputs_alone_cannot_be_asked_about_new_rows() -> None:
    with pytest.raises(imd.InputError, match="m2 is an array of outputs"):
        imd.diff(m1, m2(X).to_numpy(), X, augment="neighbours")
