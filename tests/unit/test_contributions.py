"""Shapley contributions: exact sums, an exhaustive twin, and columns that a model does not use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.model_results import ColumnContributions
from imd_widget.explanations.views import contributions_view
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
    assert "curved uses c; flat does not." in c.summary()


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


def of_random_figures(seed: int, n_columns: int = 16) -> Contributions:
    """Contributions of any size, of which one is exactly 0; every other one is of a row."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(size=2)
    both = rng.normal(0, 10.0 ** rng.integers(-4, 2), size=(2, n_columns)) / n_columns
    both[:, 0] = 0
    level = base + both.sum(axis=1)
    return Contributions(
        columns=tuple(f"c{at}" for at in range(n_columns)),
        names=("LR", "RF"),
        what="value",
        base=base,
        level=level,
        first=both[0],
        second=both[1],
        difference=both[0] - both[1],
        standard_error=np.full(n_columns, 0.01),
        size=np.abs(np.stack([*both, both[0] - both[1]])),
        rows=np.arange(2),
        n_selected=2,
        n_asked=10,
        positions=tuple(range(n_columns)),
        values=("1",) * n_columns if seed % 2 else None,
    )


def figures(text: str) -> list[Decimal]:
    """The numbers of a sentence "LR − RF = 0.17 = 0.05 on average + 0.11 from ...", signed."""
    plain = re.sub(r"([+−]) ", r"\1", text.replace(",", ""))
    found = re.findall(r"(?<![\w.])[+−]?\d+(?:\.\d+)?(?= on average| from| =)", plain)
    return [Decimal(own.replace("−", "-")) for own in found]


@pytest.mark.parametrize("seed", range(60))
def test_the_printed_terms_add_up_to_the_printed_total(seed: int) -> None:
    c = of_random_figures(seed)
    for n in (0, 1, 3, 8, 16):
        total, *terms = figures(c.total(n))
        assert len(terms) >= 2 or n == 0
        assert sum(terms) == total
        assert float(total) == pytest.approx(c.gap, abs=0.5001 * 10**-c.n_decimals)
    view, unit = contributions_view(c), 10.0**-c.n_decimals
    parts = [own.printed for own in (*view.columns, view.others) if own is not None]
    sums = np.sum([view.printed_base, *parts], axis=0)
    np.testing.assert_allclose(sums, view.printed_level, atol=unit / 1000)
    exact = [(own.first, own.second, own.difference) for own in view.columns]
    shown = [own.printed for own in view.columns]
    np.testing.assert_allclose(shown, exact, atol=1.0001 * unit)  # rounded up or down
    of_nothing = [own.printed for own in view.columns if own.column == "c0"]
    assert of_nothing in ([], [(0, 0, 0)])


@pytest.mark.parametrize("seed", range(1, 40, 2))
def test_the_printed_terms_of_one_model_add_up_to_its_score(seed: int) -> None:
    text = ColumnContributions.of(of_random_figures(seed), "LR").text
    level = re.fullmatch(r"LR gives ([−\d.,]+): .*", text)
    assert level is not None
    assert sum(figures(text)) == Decimal(level[1].replace("−", "-").replace(",", ""))


def test_the_scores_and_the_gap_of_the_headline_agree() -> None:
    c = replace(of_random_figures(0), base=np.zeros(2), level=np.array([0.584, 0.4151]))
    assert c.n_decimals == 3  # 0.58 and 0.42 are not 0.17 apart
    assert "0.169 higher than RF's on these rows: 0.584 and 0.415." in c.headline


def test_a_group_is_one_column_or_several_and_none_is_repeated() -> None:
    e = explained()
    c = e.contributions_of(groups={"who": "job"})
    assert c.columns == ("who", "a", "b", "c")
    for groups, says in (
        ({"who": ["job", "job"]}, "the column 'job' is repeated"),
        ({"who": "job", "what": ["a", "job"]}, "the column 'job' is repeated"),
        ({"who": ["jobs"]}, "there is no column 'jobs'"),
        ({"who": []}, "this one has none"),
    ):
        with pytest.raises(imd.InputError, match=says):
            e.contributions_of(groups=groups)


def test_the_contribution_of_one_column_is_named_in_the_singular() -> None:
    c = of_random_figures(0)
    difference = np.zeros(16)
    difference[3], difference[4:] = 0.33, 0.04
    alone = replace(
        c,
        base=np.zeros(2),
        level=np.array([0.81, 0.0]),
        first=difference,
        second=np.zeros(16),
        difference=difference,
        size=np.abs(np.stack([difference, difference * 0, difference])),
    )
    assert alone.headline.endswith(" c3 contributes most (0.33).")
