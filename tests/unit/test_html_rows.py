"""The rows stored in a page are a random sample of the table, in proportion to its rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.export.html_rows import choose, rows_of_page
from tests.examples import examples
from tests.unit.strategies import Problem, problems


def evening_diff(n_rows: int = 8000) -> imd.ModelDiff:
    """Rows in the order of time; the models differ on 58 % of one rule's rows, on all of another's.

    The differing rows of the first rule come in runs, as those of one evening do.
    """
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"load": rng.uniform(size=n_rows), "town": rng.choice(list("abc"), n_rows)})
    late = np.arange(n_rows) // 20 % 50 < 29
    m1 = np.zeros(n_rows, int)
    m2 = np.where(X["load"] > 0.5, late, (X["town"] == "a") & (X["load"] < 0.1)).astype(int)
    return imd.diff(m1, m2, X, names=("old", "new"), sensitivity=1.0, max_depth=3)


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return evening_diff()


def test_a_rule_shows_the_share_of_differing_rows_that_it_has(d: imd.ModelDiff) -> None:
    chosen = choose(d, 200)
    assert len(chosen) == 200
    assert max(rule.support for rule in d.rules) > 1000
    for rule in d.rules:
        inside = rule.mask(d.table)
        rate = d.differs[inside].mean()
        shown = d.differs[chosen[inside[chosen]]]
        assert abs(shown.mean() - rate) <= 1 / len(shown)
        if inside.sum() > 1000:
            assert rate == pytest.approx(0.58, abs=0.02)
            assert len(shown) == pytest.approx(200 * inside.mean(), abs=10)
    assert d.differs[chosen].mean() == pytest.approx(d.differs.mean(), abs=0.05)


def test_rows_are_drawn_from_the_whole_table_and_not_from_its_beginning(d: imd.ModelDiff) -> None:
    chosen = choose(d, 200)
    n_rows = d.table.n_rows
    quarters = np.bincount(chosen * 4 // n_rows, minlength=4)
    assert quarters.min() > 30
    for rule in d.rules:
        inside = rule.mask(d.table)
        shown = chosen[inside[chosen]]
        spread = np.flatnonzero(inside)
        assert (shown > np.median(spread)).mean() == pytest.approx(0.5, abs=0.35)
        assert shown.max() > np.quantile(spread, 0.6)


def test_every_rule_and_the_rest_have_some_rows(d: imd.ModelDiff) -> None:
    small = min(rule.support + rule.holdout_support for rule in d.rules)
    assert 5 < small < 400, "a small rule in a large table"
    for count in (20, 50, 200):
        chosen = choose(d, count)
        for rule in d.rules:
            assert rule.mask(d.table)[chosen].sum() >= 5
        assert (~d.rules.mask(d.table))[chosen].sum() >= 5


def test_the_same_diff_brings_the_same_rows(d: imd.ModelDiff) -> None:
    """A page gives the number of rows of the whole table that reach each pair of leaves."""
    first, second = (rows_of_page([diff], 200) for diff in (d, evening_diff()))
    assert first == second
    assert first.sizes


def test_sizes_add_up_to_the_table(d: imd.ModelDiff) -> None:
    steps = [d, d.refine()]
    rows = rows_of_page(steps, 200)
    assert len(rows.sizes) == len(steps)
    for step, sizes in zip(steps, rows.sizes, strict=True):
        assert sum(many for *_, many, _ in sizes) == rows.total == d.table.n_rows
        assert sum(differ for *_, differ in sizes) == d.metrics.n_differing
        by_pair = {(one, two): (many, differ) for one, two, many, differ in sizes}
        for rule in step.rules:
            inside = rule.mask(d.table)
            own = [by_pair[pair] for pair in rule.leaves if pair in by_pair]
            assert sum(many for many, _ in own) == inside.sum()
            assert sum(differ for _, differ in own) == d.differs[inside].sum()


@settings(deadline=None, max_examples=examples(40))
@given(problem=problems(weights=False), count=st.integers(1, 30))
def test_any_table_is_shown_by_as_many_rows_as_were_asked_for(problem: Problem, count: int) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method="imd", **problem.options)
    n_rows = len(problem.X)
    chosen = choose(d, count).tolist()
    assert len(set(chosen)) == len(chosen) == min(count, n_rows)
    assert set(chosen) <= set(range(n_rows))
    sizes = rows_of_page([d], count).sizes[0]
    assert sum(many for *_, many, _ in sizes) == n_rows


def shares(sizes: list[int], total: int, least: int) -> list[int]:
    from imd_widget.export.html_rows import shares

    return [int(one) for one in shares(np.array(sizes), total, least)]


@settings(max_examples=examples(300))
@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=8),
    total=st.integers(0, 120),
    least=st.integers(0, 6),
)
def test_shares_are_in_proportion_by_largest_remainder(
    sizes: list[int], total: int, least: int
) -> None:
    got = shares(sizes, total, least)
    wanted = min(total, sum(sizes))
    assert sum(got) == wanted
    assert all(0 <= own <= size for own, size in zip(got, sizes, strict=True))
    floor = [min(size, least) for size in sizes]
    if sum(floor) > wanted:  # in turn: nobody has two more than another who could have one more
        most = max(got)
        assert all(
            own in (most, most - 1) or own == size for own, size in zip(got, sizes, strict=True)
        )
        return
    assert all(own >= low for own, low in zip(got, floor, strict=True))
    rest = [size - low for size, low in zip(sizes, floor, strict=True)]
    left = wanted - sum(floor)
    if not left:
        return
    exact = [Fraction(left * own, sum(rest)) for own in rest]
    naive = [int(quota) for quota in exact]
    more = [own - low - whole for own, low, whole in zip(got, floor, naive, strict=True)]
    assert set(more) <= {0, 1}
    remainders = [quota - whole for quota, whole in zip(exact, naive, strict=True)]
    raised = [part for part, one in zip(remainders, more, strict=True) if one]
    kept = [part for part, one in zip(remainders, more, strict=True) if not one]
    assert min(raised, default=1) >= max(kept, default=0) - Fraction(1, 10**9)


@pytest.mark.parametrize(
    "sizes, total, least, expected",
    [
        ([58, 42], 10, 0, [6, 4]),
        ([1, 999], 10, 0, [0, 10]),
        ([1, 999], 10, 5, [1, 9]),
        ([10, 20, 70], 10, 0, [1, 2, 7]),
        ([5, 5, 5], 4, 2, [2, 1, 1]),
        ([3, 9, 9], 4, 5, [1, 2, 1]),
        ([0, 7], 100, 5, [0, 7]),
        ([4, 4], 0, 5, [0, 0]),
    ],
)
def test_examples_of_shares(sizes: Any, total: int, least: int, expected: Any) -> None:
    assert shares(sizes, total, least) == expected


def test_a_page_says_of_how_many_rows_those_of_a_rule_are(d: imd.ModelDiff, tmp_path: Any) -> None:
    from tests.unit.test_export import held_by

    held = held_by(d.to_html(tmp_path / "page.html", rows=200, refinements=0))
    rows, rules = held["rows"], held["steps"][0]["rules"]
    assert len(rows["positions"]) == 200
    assert len(rules) == len(d.rules)
    rule = max(d.rules, key=lambda rule: rule.support)
    pairs = [list(pair) for pair in rule.leaves]
    shown = sum(leaves in pairs for leaves in rows["leaves"][0])
    of_all = sum(many for one, two, many, _ in rows["sizes"][0] if [one, two] in pairs)
    assert of_all == rule.support + rule.holdout_support
    assert shown == pytest.approx(200 * of_all / d.table.n_rows, abs=10)


def test_a_page_holds_whole_texts_and_all_digits(tmp_path: Any) -> None:
    """Cells are shown shortened; what the page writes as CSV is what the table has."""
    from tests.unit.test_export import held_by

    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=60),
            "note": [f"row {at} " + "long " * 100 for at in range(60)],
            "plain": np.arange(60),
            "gap": [None, "missing"] * 30,
        }
    )
    d = imd.diff(X["a"] > 0, X["a"] > 0.5, X, columns=["a", "plain", "gap"])
    path = d.save(tmp_path / "rows.html", rows=60)
    rows = held_by(path)["rows"]
    whole = {(row, column): text for row, column, text in rows["whole"]}
    for name in ("a", "note"):
        column = rows["columns"].index(name)
        for row, value in enumerate(X[name]):
            assert str(value) == whole.get((row, column), rows["cells"][row][column])
    note = rows["columns"].index("note")
    assert all(len(cells[note]) == 200 for cells in rows["cells"])
    others = {rows["columns"][column] for _, column in whole}
    assert others == {"a", "note"}, "nothing is held twice without need"
    assert rows["cut"] == 0
    assert "with all columns and the outputs of both models. It loads" in path.read_text("utf-8")


def test_a_page_says_that_it_cuts_very_long_texts(tmp_path: Any) -> None:
    from tests.unit.test_export import held_by

    X = pd.DataFrame({"a": np.arange(60), "note": ["x" * 20_000, *("y" * 59)]})
    d = imd.diff(X["a"] > 20, X["a"] > 40, X, columns=["a"])
    path = d.save(tmp_path / "rows.html", rows=60)
    [(_, _, text)] = held_by(path)["rows"]["whole"]
    assert len(text) == 10_000
    assert text.endswith("x…")
    assert "1 text is cut after 10,000 characters." in path.read_text("utf-8")
