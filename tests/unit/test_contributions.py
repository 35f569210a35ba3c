"""Shapley contributions: exact sums, an exhaustive twin, and columns that a model does not use."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.explanations.walks import Walks, walked

RNG = np.random.default_rng(7)
N = 240
X = pd.DataFrame(
    {
        "a": RNG.uniform(size=N),
        "b": RNG.uniform(size=N),
        "c": RNG.integers(0, 3, N),
        "job": RNG.choice(["cook", "nurse"], N),
    }
)


def curved(table: pd.DataFrame) -> NDArray[np.float64]:
    nurse = (table["job"] == "nurse").to_numpy()
    return (table["a"] * table["b"] * (1 + nurse) + table["c"] ** 2 / 4).to_numpy(float)


def flat(table: pd.DataFrame) -> NDArray[np.float64]:
    return (table["a"] * table["b"]).to_numpy(float)


def explained(
    m1: Any = curved, m2: Any = flat, table: pd.DataFrame = X, **options: Any
) -> imd.Explanation:
    return imd.diff(m1, m2, table, outputs="value", tolerance=0.2).explain(**options)


def exhaustive(
    model: Callable[[pd.DataFrame], NDArray[np.float64]], row: int, table: pd.DataFrame
) -> NDArray[np.float64]:
    """Shapley values of one row over every background row and every order."""
    names = list(table.columns)
    found = np.zeros(len(names))
    orders = list(permutations(range(len(names))))
    for order in orders:
        mixed = table.copy()
        before = model(mixed).mean()
        for column in order:
            mixed[names[column]] = table[names[column]].iloc[row]
            after = model(mixed).mean()
            found[column] += (after - before) / len(orders)
            before = after
    return found


def test_contributions_add_up_to_the_gap() -> None:
    e = explained()
    c = e.contributions
    assert c.base_gap + c.difference.sum() == pytest.approx(c.gap, abs=1e-9)
    assert c.base[0] + c.first.sum() == pytest.approx(c.level[0], abs=1e-9)
    for row in (0, 17):
        own = e.contributions_of(row, max_calls=500)
        assert own.base_gap + own.difference.sum() == pytest.approx(own.gap, abs=1e-9)
        assert own.level[0] == pytest.approx(curved(X.iloc[[row]])[0])


@pytest.mark.parametrize("row", [3, 50])
def test_contributions_of_a_row_are_those_of_every_order_and_background_row(row: int) -> None:
    c = explained().contributions_of(row)
    expected = exhaustive(curved, row, X) - exhaustive(flat, row, X)
    assert np.abs(c.difference - expected) == pytest.approx(0, abs=4 * c.standard_error.max())
    assert (np.abs(c.difference - expected) <= 4 * c.standard_error + 1e-12).all()


def test_estimates_are_unbiased_and_their_errors_are_honest() -> None:
    d = imd.diff(curved, flat, X, outputs="value", tolerance=0.2)
    expected = exhaustive(curved, 3, X) - exhaustive(flat, 3, X)
    errors = []
    for seed in range(200):
        c = d.explain(random_state=seed).contributions_of(3, max_calls=600)
        errors.append((c.difference - expected) / np.maximum(c.standard_error, 1e-12))
    scaled = np.array(errors)[:, [0, 1, 2, 3]]
    assert (np.abs(scaled.mean(axis=0)) < 4 / np.sqrt(200)).all()
    assert (scaled.std(axis=0) < 1.5).all()
    assert (scaled.std(axis=0) > 0.3).all()


def test_an_unused_column_contributes_nothing() -> None:
    c = explained().contributions
    at = c.columns.index("c")
    assert c.second[at] == 0
    assert c.first[at] != 0
    assert ("c", "curved", "flat") in c.unused()
    assert "curved uses c, flat does not." in c.summary()


def test_equal_models_have_no_gap_and_swapped_models_negate_it() -> None:
    same = imd.diff(curved, curved, X, outputs="value", tolerance=0.2).explain().contributions
    assert not same.difference.any()
    assert same.gap == 0
    one, other = explained().contributions, explained(flat, curved).contributions
    assert one.difference.tolist() == (-other.difference).tolist()
    assert one.standard_error.tolist() == other.standard_error.tolist()


def test_additive_models_are_exact_once_every_background_row_was_used() -> None:
    table = X[["a", "b", "c"]]
    e = explained(lambda t: 2 * t["a"] + t["c"], lambda t: t["b"], table)
    c = e.contributions_of(5, max_calls=2 * 2 * N + N + 1)
    row, means = table.iloc[5], table.mean()
    expected = [2 * (row["a"] - means["a"]), means["b"] - row["b"], row["c"] - means["c"]]
    assert c.difference == pytest.approx(expected, abs=1e-9)


def test_contributions_begin_at_the_mean_of_the_background() -> None:
    """Not at that of the rows that the walks of one explanation happen to begin at."""
    e = explained()
    ground = e.contribution_room.ground()
    mean = ground.scores(ground.background).mean(axis=1)
    for found in (e.contributions, e.contributions_of(3), e.contributions_of(3, max_calls=500)):
        np.testing.assert_allclose(found.base, mean, atol=1e-12)
        ends = mean + np.array([found.first.sum(), found.second.sum()])
        np.testing.assert_allclose(ends, found.level, atol=1e-9)


def test_groups_of_columns_add_up_too() -> None:
    e = explained()
    c = e.contributions_of(groups={"size": ["a", "b"]})
    assert c.columns == ("size", "c", "job")
    assert c.base_gap + c.difference.sum() == pytest.approx(c.gap, abs=1e-9)


def test_a_frozen_column_is_found() -> None:
    def frozen(table: pd.DataFrame) -> NDArray[np.float64]:
        return curved(table.assign(b=0.5))

    c = explained(curved, frozen).contributions
    at = c.columns.index("b")
    assert c.second[at] == 0
    assert c.size[0, at] > 0.01


@pytest.mark.parametrize("as_", ["array", "polars", "arrow"])
def test_tables_of_every_library_give_the_same(as_: str) -> None:
    table = X[["a", "b"]]
    expected = explained(lambda t: t["a"] * t["b"], lambda t: t["a"], table).contributions
    if as_ == "array":
        d = imd.diff(
            lambda t: t[:, 0] * t[:, 1],
            lambda t: t[:, 0],
            table.to_numpy(),
            outputs="value",
            tolerance=0.2,
        )
    else:
        pl = pytest.importorskip("polars")
        native = pl.from_pandas(table) if as_ == "polars" else pl.from_pandas(table).to_arrow()

        def product(t: Any) -> Any:
            return np.asarray(t["a"]) * np.asarray(t["b"])

        d = imd.diff(product, lambda t: np.asarray(t["a"]), native, outputs="value", tolerance=0.2)
    found = d.explain().contributions
    assert found.difference == pytest.approx(expected.difference, abs=1e-12)


def test_walks_of_a_naive_twin_have_the_same_changes() -> None:
    walks = Walks.draw([7, 8, 9], [0, 1, 0], 4, np.array([2, 0, 3, 1]), 5, random_state=1)
    assert walks.ends.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    ends, starts = RNG.uniform(size=(3, 5)), RNG.uniform(size=(4, 5))

    def model(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows.prod(axis=-1) + rows[..., 0]

    def ask(mask: NDArray[np.bool_], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
        mixed = np.where(mask, ends[walks.ends[pairs]], starts[walks.starts[pairs]])
        return np.stack([model(mixed), -model(mixed)])

    at_ends, at_starts = model(ends)[walks.ends], model(starts)[walks.starts]
    found = walked(walks, ask, np.stack([at_ends, -at_ends]), np.stack([at_starts, -at_starts]))
    for pair in range(len(walks.ends)):
        expected = np.zeros(5)
        for order in (walks.orders[pair], 4 - walks.orders[pair]):
            row = starts[walks.starts[pair]].copy()
            before = model(row)
            for player in np.argsort(order):
                row[player] = ends[walks.ends[pair]][player]
                expected[player] += (model(row) - before) / 2
                before = model(row)
        assert found[0, pair] == pytest.approx(expected)
        assert found[1, pair] == pytest.approx(-expected)


def test_unknown_columns_in_groups_are_named() -> None:
    with pytest.raises(imd.InputError, match="'age'"):
        explained().contributions_of(groups={"size": ["a", "age"]})
    with pytest.raises(imd.InputError, match="max_calls"):
        explained().contributions_of(max_calls=0)


def test_contributions_are_drawn_and_listed() -> None:
    c = explained(where=(X["a"] > 0.5).to_numpy()).contributions
    frame = c.to_frame()
    assert list(frame) == ["column", "first", "second", "difference", "standard error"]
    assert frame["difference"].abs().is_monotonic_decreasing
    ax = c.plot(n=2)
    assert [own.get_text() for own in ax.get_yticklabels()][-1] == "2 other columns"
