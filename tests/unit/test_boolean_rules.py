"""Grounded rule sets: the learner beside naive twins, and what its rules say about the rows."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from benchmarks.boolean_rules import (
    BooleanRules,
    GroundedRules,
    Literals,
    binarise,
    grounded,
    grounded_rules,
    learn_rules,
    master_problem,
    selection,
)
from benchmarks.boolean_rules import (
    literals as asking,
)
from benchmarks.boolean_rules import rows as training_rows
from benchmarks.boolean_rules.clauses import Clause
from benchmarks.boolean_rules.master_problem import Groups, Pool, Prices, relax
from benchmarks.boolean_rules.pricing import best_clauses
from benchmarks.boolean_rules.rows import Rows
from benchmarks.boolean_rules.selection import choose
from imd_widget._base.errors import InputError
from imd_widget.data.table import open_table
from tests.examples import examples
from tests.unit.strategies import Problem, problems

law = settings(max_examples=examples(40), deadline=None)
two_labels = problems(labels=2, values=False, weights=False)


@st.composite
def matrices(draw: st.DrawFn, max_rows: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """A small matrix of literals, rows repeated in it, and a label for each row."""
    n_rows = draw(st.integers(1, max_rows))
    n_literals = draw(st.integers(1, 6))
    bits = st.lists(st.booleans(), min_size=n_literals, max_size=n_literals)
    matrix = np.array(draw(st.lists(bits, min_size=n_rows, max_size=n_rows)))
    y = np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
    return matrix, y


def conjunctions(n_literals: int, max_degree: int) -> list[Clause]:
    degrees = range(max_degree + 1)
    return [c for degree in degrees for c in itertools.combinations(range(n_literals), degree)]


def holds(matrix: np.ndarray, clause: Clause) -> np.ndarray:
    return np.array([all(row[j] for j in clause) for row in matrix], dtype=bool)


def a_pool(matrix: np.ndarray, y: np.ndarray, clauses: list[Clause], cost: float) -> Pool:
    rows = Rows.distinct(matrix, y, 0)
    return Pool.start(rows, Prices.over(rows, cost, cost), clauses)


# Pricing ------------------------------------------------------------------------------------------


@law
@given(
    made=matrices(),
    seed=st.integers(0, 1000),
    max_degree=st.integers(1, 3),
    reuse=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_a_wide_beam_finds_the_least_reduced_cost_of_all_clauses(
    made: tuple[np.ndarray, np.ndarray], seed: int, max_degree: int, reuse: float
) -> None:
    matrix, y = made
    rows = Rows.distinct(matrix, y, 0)
    gain = np.random.default_rng(seed).random(len(rows.positive)) * rows.positive
    prices = Prices.over(rows, 0.02, 0.03, [(0, matrix.shape[1] - 1)], reuse)
    assert prices.known.pop(tuple(sorted({0, matrix.shape[1] - 1}))) >= 0

    def reduced(clause: Clause) -> float:
        inside = [all(rows.literals[j, i] for j in clause) for i in range(len(gain))]
        price = prices.clause + sum(prices.literals[j] for j in clause)
        return float(price + ((rows.negative - gain) * inside).sum())

    naive = {c: reduced(c) for c in conjunctions(matrix.shape[1], max_degree)}
    always = naive.pop(())  # in every pool: what is no better is not looked for
    found = best_clauses(rows, gain, prices, max_degree=max_degree, beam=10_000, number=10_000)
    for cost, clause in found:
        assert cost == pytest.approx(naive[clause], abs=1e-9)
        assert cost < 0
    assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)
    least = min(naive.values())
    if least < min(0, always) - 1e-4:
        assert found[0][0] == pytest.approx(least, abs=1e-4)
    elif found:
        assert found[0][0] >= least - 1e-9
    for number in (1, 2, 4):
        few = best_clauses(rows, gain, prices, max_degree=max_degree, beam=10_000, number=number)
        costs = [cost for cost, _ in found[:number]]
        assert [cost for cost, _ in few] == pytest.approx(costs, abs=1e-4)
    narrow = best_clauses(rows, gain, prices, max_degree=max_degree, beam=1, number=1)
    assert {clause for _, clause in narrow} <= naive.keys()


def test_of_two_clauses_for_the_same_rows_the_cheaper_is_found() -> None:
    matrix = np.array(list(itertools.product([False, True], repeat=2)) * 5)
    matrix = np.column_stack([matrix, matrix.all(axis=1)])
    rows = Rows.distinct(matrix, matrix[:, 2], 0)
    for reuse, best in ((0.1, (0, 1)), (1.0, (2,))):
        prices = Prices.over(rows, 0.01, 0.01, [(0,), (1,)], reuse)
        found = best_clauses(rows, rows.positive, prices, max_degree=2, beam=5)
        assert found[0][1] == best


def test_the_second_best_clause_is_looked_for_after_the_best_is_found() -> None:
    matrix = np.repeat([[1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]], [10, 9, 8, 8], axis=0) > 0
    rows = Rows.distinct(matrix, np.arange(len(matrix)) < 19, 0)
    prices = Prices.over(rows, 0.0, 0.0)
    found = best_clauses(rows, rows.positive, prices, max_degree=2, beam=5, number=2)
    assert found == [(-10.0, (0,)), (-9.0, (1, 2))]


# The master problem -------------------------------------------------------------------------------


@law
@given(made=matrices(), cost=st.sampled_from([0.0, 0.01, 0.1]), data=st.data())
def test_the_relaxation_is_that_of_the_problem_as_it_is_written_down(
    made: tuple[np.ndarray, np.ndarray], cost: float, data: st.DataObject
) -> None:
    matrix, y = made
    y[0] = True
    every = conjunctions(matrix.shape[1], 2)
    clauses = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8, unique=True))
    relaxed = relax(a_pool(matrix, y, clauses, cost))

    # a row of the program for each positive row of the table, none taken together
    covers = np.array([holds(matrix, clause) for clause in clauses])
    prices = np.array([cost * len(y) * (1 + len(clause)) for clause in clauses])
    costs = prices + covers[:, ~y].sum(axis=1)
    n_positive = int(y.sum())
    primal = linprog(
        np.concatenate([costs, np.ones(n_positive)]),
        A_ub=-np.hstack([covers[:, y].T, np.eye(n_positive)]),
        b_ub=-np.ones(n_positive),
        method="highs",
    )
    assert relaxed.value == pytest.approx(primal.fun, abs=1e-6)
    # a bound that is relaxed lowers the minimum: marginals are not above 0, dual values not below
    assert -primal.ineqlin.marginals.sum() == pytest.approx(relaxed.gain.sum(), abs=1e-6)
    assert (relaxed.gain >= -1e-9).all()
    assert relaxed.gain.sum() == pytest.approx(relaxed.value, abs=1e-6)
    assert (relaxed.reduced >= -1e-6).all()
    assert (relaxed.weights >= -1e-9).all()
    assert relaxed.reduced @ relaxed.weights == pytest.approx(0, abs=1e-6)
    short = np.maximum(0, 1 - relaxed.weights @ covers[:, y])
    assert costs @ relaxed.weights + short.sum() == pytest.approx(relaxed.value, abs=1e-6)


def test_clauses_that_are_in_use_stay_in_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(0).random((200, 8)) < 0.5
    y = BooleanRules(((0, 3), (1, 2))).predict(matrix)
    pool = a_pool(matrix, y, conjunctions(8, 2), 0.001)
    relaxed = relax(pool)
    monkeypatch.setattr(master_problem, "MAX_CLAUSES", 5)
    trimmed = pool.trimmed(relaxed)
    assert len(trimmed.clauses) == 5
    assert {(0, 3), (1, 2)} <= set(trimmed.clauses)
    assert relax(trimmed).value == pytest.approx(relaxed.value)


@law
@given(made=matrices(), cost=st.sampled_from([0.01, 0.05]))
def test_a_clause_lowers_the_relaxation_only_if_its_reduced_cost_is_negative(
    made: tuple[np.ndarray, np.ndarray], cost: float
) -> None:
    matrix, y = made
    y[0] = True
    pool = a_pool(matrix, y, [()], cost)
    before = relax(pool)
    for clause in conjunctions(matrix.shape[1], 2)[1:]:
        longer = pool.with_clauses([clause])
        reduced = longer.costs[-1] - longer.covers[-1] @ before.gain
        after = relax(longer).value
        assert after <= before.value + 1e-7
        if reduced >= 0:
            assert after == pytest.approx(before.value, abs=1e-7)


def chooses_nothing(groups: Groups, costs: np.ndarray, _: Any) -> tuple[float, list[int]]:
    """In place of the search, so that all is left to the integer program."""
    return groups.loss(costs, []), []


@law
@given(made=matrices(), cost=st.sampled_from([0.001, 0.02]), data=st.data())
def test_the_choice_is_the_best_of_all_and_the_search_ends_at_no_better_neighbour(
    made: tuple[np.ndarray, np.ndarray], cost: float, data: st.DataObject
) -> None:
    matrix, y = made
    y[0] = True
    clauses = conjunctions(matrix.shape[1], 2)[:9]
    pool = a_pool(matrix, y, clauses, cost)

    def loss(chosen: Any) -> float:
        covers = [holds(matrix, clause) for clause in chosen]
        price = sum(cost * len(y) * (1 + len(clause)) for clause in chosen)
        missed = y & ~np.any([*covers, np.zeros(len(y), bool)], axis=0)
        return float(price + sum((cover & ~y).sum() for cover in covers) + missed.sum())

    subsets = [c for size in range(len(clauses) + 1) for c in itertools.combinations(clauses, size)]
    enough = min(map(loss, subsets)) * (1 + selection.GAP) + 1e-6
    assert loss(choose(pool)) <= enough
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(selection, "_searched", chooses_nothing)
        assert loss(choose(pool)) <= enough

    start = data.draw(st.lists(st.integers(0, len(clauses) - 1), unique=True))
    least, places = selection._searched(pool.groups(), pool.costs, start)
    chosen = {clauses[k] for k in places}
    assert least == pytest.approx(loss(chosen))
    for other in subsets:
        if len(chosen - set(other)) <= 1 and len(set(other) - chosen) <= 1:
            assert least <= loss(other) + 1e-6


def test_the_best_choice_may_lie_beside_the_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves of three clauses cost 6, two of them 8; a fourth clause, for 7, is the best."""
    positive = np.array([[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]] * 10)
    negative = np.repeat(np.eye(4, dtype=int), [4, 4, 4, 7], axis=0)
    matrix = np.concatenate([positive, negative]).astype(bool)
    pool = a_pool(matrix, np.arange(len(matrix)) < 30, [(0,), (1,), (2,), (3,)], 0.0)
    assert relax(pool).value == pytest.approx(6)
    assert choose(pool) == [(3,)]
    monkeypatch.setattr(selection, "_searched", chooses_nothing)
    assert choose(pool) == [(3,)]


def test_without_time_for_the_integer_program_there_are_rules_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    matrix, y = rng.random((100, 10)) < 0.5, rng.random(100) < 0.5
    limits = []

    def in_no_time(*_: Any, options: dict[str, float], **others: Any) -> Any:
        limits.append(options["time_limit"])
        return SimpleNamespace(status=1, x=None)

    monkeypatch.setattr(selection, "milp", in_no_time)
    monkeypatch.setattr(selection, "GAP", -1.0)  # never good enough
    rules = learn_rules(matrix, y)
    assert limits == [selection.TIME_LIMIT]
    monkeypatch.setattr(selection, "MAX_EXACT", -1)
    assert learn_rules(matrix, y) == rules
    assert limits == [selection.TIME_LIMIT]
    assert (rules.predict(matrix) == y).mean() > 0.7


# Learning -----------------------------------------------------------------------------------------


def test_planted_rules_are_found() -> None:
    matrix = np.random.default_rng(0).random((500, 12)) < 0.5
    planted = BooleanRules(((0, 3), (5, 7, 9)))
    y = planted.predict(matrix)
    assert learn_rules(matrix, y) == planted
    y[::50] ^= True  # 2 % of the rows are none that a clause would pay for
    assert learn_rules(matrix, y, clause_cost=0.01) == planted
    assert planted.n_predicates == 5
    assert BooleanRules(((0, 3), (3,))).n_predicates == 2


def test_rules_are_few_where_they_are_dear() -> None:
    matrix = np.random.default_rng(0).random((500, 12)) < 0.5
    y = BooleanRules(((0, 3), (5, 7, 9))).predict(matrix)
    assert learn_rules(matrix, y, clause_cost=0.15) == BooleanRules(((0, 3),))
    assert learn_rules(matrix, y, literal_cost=0.08) == BooleanRules(((0, 3),))
    assert learn_rules(matrix, y, clause_cost=0.4) == BooleanRules(())
    assert max(map(len, learn_rules(matrix, y, max_degree=2).clauses)) == 2
    assert learn_rules(matrix, y, iterations=0).clauses == ()


def test_what_always_or_never_holds_needs_no_literal() -> None:
    matrix = np.random.default_rng(0).random((50, 3)) < 0.5
    assert learn_rules(matrix, np.ones(50)) == BooleanRules(((),))
    assert learn_rules(matrix, np.zeros(50)) == BooleanRules(())
    assert BooleanRules(((),)).predict(matrix).all()
    assert not BooleanRules(()).predict(matrix).any()
    nothing = np.zeros((50, 0), dtype=bool)
    assert learn_rules(nothing, np.arange(50) < 40) == BooleanRules(((),))
    assert learn_rules(nothing, np.arange(50) < 10) == BooleanRules(())


@law
@given(made=matrices(), seed=st.integers(0, 100), known=st.booleans())
def test_neither_order_nor_number_of_the_rows_matters(
    made: tuple[np.ndarray, np.ndarray], seed: int, known: bool
) -> None:
    matrix, y = made
    options: dict[str, Any] = {"known": [(0,)]} if known else {}
    rules = learn_rules(matrix, y, **options)
    assert learn_rules(matrix, y, **options) == rules
    order = np.random.default_rng(seed).permutation(len(y))
    assert learn_rules(matrix[order], y[order], **options) == rules
    # costs are shares of the rows, so that all of them twice is the same problem
    twice = np.concatenate([order, order])
    assert learn_rules(matrix[twice], y[twice], **options) == rules


def test_a_large_table_is_sampled_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(0).random((400, 10)) < 0.5
    y = BooleanRules(((0, 3),)).predict(matrix)
    matrix, y = np.concatenate([matrix, matrix[:1]]), np.append(y, y[0])
    whole = Rows.distinct(matrix, y, 0)
    assert whole.literals.shape == (10, len({row.tobytes() for row in matrix}))
    assert whole.total == 401
    monkeypatch.setattr(training_rows, "MAX_CELLS", 1000)
    some = Rows.distinct(matrix, y, 0)
    assert some.literals.shape == (10, 100)
    assert {row.tobytes() for row in some.literals.T} < {row.tobytes() for row in whole.literals.T}
    again, other = Rows.distinct(matrix[::-1], y[::-1], 0), Rows.distinct(matrix, y, 1)
    np.testing.assert_array_equal(some.literals, again.literals)
    assert not np.array_equal(some.literals, other.literals)
    assert learn_rules(matrix, y, seed=3) == BooleanRules(((0, 3),))


# Grounding ----------------------------------------------------------------------------------------


def twins() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Literals 0 and 1 nearly alike; the first model goes by the one, the second by the other."""
    matrix = np.random.default_rng(2).random((400, 6)) < 0.5
    matrix[:, 1] = matrix[:, 0]
    matrix[:4, 1] ^= True  # 1 % of the rows
    return matrix, matrix[:, 0] & matrix[:, 2], matrix[:, 1] & matrix[:, 2]


def test_known_clauses_are_reused_where_the_difference_is_less_than_what_they_save() -> None:
    matrix, y1, y2 = twins()
    first = learn_rules(matrix, y1)
    assert first == BooleanRules(((0, 2),))
    assert learn_rules(matrix, y2) == BooleanRules(((1, 2),))
    costs = {"clause_cost": 0.01, "literal_cost": 0.01}
    assert learn_rules(matrix, y2, known=first.clauses, **costs) == first
    apart = learn_rules(matrix, y2, known=first.clauses, reuse=1.0, **costs)
    assert apart == BooleanRules(((1, 2),))


def test_rules_of_the_second_model_are_grounded_in_those_of_the_first() -> None:
    matrix, y1, y2 = twins()
    X = pd.DataFrame(matrix, columns=list("abcdef"))
    costs = {"clause_cost": 0.01, "literal_cost": 0.01}
    grounded = grounded_rules(X, y1, y2, **costs)
    assert grounded.rules_text == ()
    assert grounded.first == grounded.second
    assert grounded_rules(X, y1, y2, reuse=1.0, **costs).n_rules == 2


def test_known_literals_are_cheaper_in_new_clauses() -> None:
    matrix, _, y2 = twins()
    y2 = y2 & matrix[:, 3]
    costs = {"clause_cost": 0.01, "literal_cost": 0.02}
    assert learn_rules(matrix, y2, **costs) == BooleanRules(((1, 2, 3),))
    grounded = learn_rules(matrix, y2, known=[(0, 5)], reuse=0.2, **costs)
    assert grounded == BooleanRules(((0, 2, 3),))


def test_prices_of_what_is_known() -> None:
    rows = Rows.distinct(np.eye(5, dtype=bool), np.ones(5, dtype=bool), 0)
    prices = Prices.over(rows, 0.1, 0.2, known=[(3, 1)], reuse=0.5)
    assert prices.of((1, 3)) == pytest.approx(0.5 * (0.1 + 2 * 0.2) * 5)
    assert prices.of((1, 2)) == pytest.approx((0.1 + 0.5 * 0.2 + 0.2) * 5)
    assert prices.of(()) == pytest.approx(0.1 * 5)


@law
@given(problem=two_labels)
def test_equal_models_differ_nowhere(problem: Problem) -> None:
    found = grounded_rules(problem.X, problem.y1, problem.y1)
    assert found.first == found.second
    assert (found.n_rules, found.n_predicates, found.rules_text) == (0, 0, ())
    assert not found.predict(problem.X).any()


def test_equal_outputs_are_learned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = []

    def counted(matrix: Any, y: Any, **options: Any) -> BooleanRules:
        learned.append(options.get("known", ()))
        return learn_rules(matrix, y, **options)

    monkeypatch.setattr(grounded, "learn_rules", counted)
    X = pd.DataFrame({"x": range(10)})
    y = X.x < 5
    grounded_rules(X, y, y)
    assert learned == [()]
    first = grounded_rules(X, y, X.x < 3).first
    assert learned == [(), (), first.clauses]


def test_where_models_are_alike_their_rules_are_the_same() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 6, (600, 5)), columns=list("abcde"))
    alike = (X.a < 2) & (X.b >= 1)
    y1, y2 = alike | (X.c >= 5), alike | (X.c >= 5) & (X.d >= 2)
    found = grounded_rules(X, y1, y2)
    assert len(found.first.clauses) == len(found.second.clauses) == 2
    assert len(set(found.first.clauses) & set(found.second.clauses)) == 1
    np.testing.assert_array_equal(found.predict(X), y1 != y2)
    assert set(found.rules_text) == {
        "a >= 2 and c >= 5 and d < 2: True -> False",
        "b < 1 and c >= 5 and d < 2: True -> False",
    }


# Literals -----------------------------------------------------------------------------------------


@law
@given(problem=problems(values=False, weights=False), n_thresholds=st.integers(1, 4))
def test_literals_say_what_their_conditions_say(problem: Problem, n_thresholds: int) -> None:
    half = problem.X.iloc[: len(problem.X) // 2 + 1]
    literals = binarise(half, n_thresholds)
    seen = literals.matrix(half)
    assert seen.shape == (len(half), len(literals))
    assert (seen.any(axis=0) & ~seen.all(axis=0)).all()
    for rows in (half, problem.X, problem.X.iloc[::-1]):
        matrix = literals.matrix(rows)
        table = open_table(rows)
        for j in range(len(literals)):
            np.testing.assert_array_equal(matrix[:, j], literals.condition(j).mask(table))
    texts = [literals.text(j) for j in range(len(literals))]
    assert len(set(texts)) == len(texts)
    for name in problem.X:
        assert sum(text.startswith(f"{name} < ") for text in texts) <= max(n_thresholds, 3)


def test_thresholds_are_deciles() -> None:
    X = pd.DataFrame({"x": np.arange(1000) / 1000, "few": np.arange(1000) % 3})
    literals = binarise(X)
    texts = [literals.text(j) for j in range(len(literals))]
    assert texts[18:] == ["few < 1", "few >= 1", "few < 2", "few >= 2"]
    matrix = literals.matrix(X)
    below, above = matrix[:, :18:2], matrix[:, 1:18:2]
    np.testing.assert_allclose(below.mean(axis=0), np.arange(1, 10) / 10, atol=0.002)
    np.testing.assert_array_equal(above, ~below)
    assert texts[0].startswith("x < 0.")
    assert texts[1] == texts[0].replace("<", ">=")
    assert len(binarise(X[["x"]], n_thresholds=1)) == 2


def test_a_missing_value_satisfies_no_comparison() -> None:
    X = pd.DataFrame(
        {"x": [1.0, 2.0, np.nan, 4.0], "c": ["a", "b", None, "d"], "whole": [1, 2, 3, 4]}
    )
    literals = binarise(X)
    matrix = literals.matrix(X)
    texts = [literals.text(j) for j in range(len(literals))]
    assert "x is missing" in texts
    assert "c is not missing" in texts
    assert "whole is missing" not in texts
    for j, text in enumerate(texts):
        if text.startswith(("x", "c")):
            assert matrix[2, j] == text.endswith(" is missing")
    # nor does one in a column that had none, about that column
    news = literals.matrix(X.assign(whole=[np.nan] * 4))
    np.testing.assert_array_equal(
        news, matrix & ~np.array([text.startswith("whole") for text in texts])
    )


def test_categories_are_asked_for_one_by_one() -> None:
    X = pd.DataFrame({"c": ["a", "b", "c"], "two": ["u", "v", "u"], "one": ["k"] * 3})
    literals = binarise(X)
    texts = [literals.text(j) for j in range(len(literals))]
    assert texts == [
        *("c is a", "c is not a", "c is b", "c is not b", "c is c", "c is not c"),
        *("two is u", "two is v"),
    ]
    new = literals.matrix(pd.DataFrame({"c": ["z"], "two": ["z"], "one": ["z"]}))
    assert [text for text, yes in zip(texts, new[0], strict=True) if yes] == texts[1:6:2]


def test_of_many_categories_the_most_frequent_are_asked_for() -> None:
    names = [f"k{k:03}" for k in range(100)]
    X = pd.DataFrame({"c": names + names[40:] * 2})
    literals = binarise(X)
    assert len(literals) == 2 * asking.MAX_CATEGORIES
    texts = {literals.text(j) for j in range(len(literals))}
    assert {f"c is {name}" for name in names[40:]} <= texts
    assert "c is not k003" in texts
    assert "c is k004" not in texts


# Differences as rules -----------------------------------------------------------------------------

_X = pd.DataFrame(
    itertools.product([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, np.nan], ["a", "b", "c"], ["p", None]),
    columns=["x", "gaps", "c", "d"],
)
#: Every row that the literals can tell apart: those, and categories that are not among them.
_OTHERS: list[dict[str, Any]] = [{"c": "new"}, {"d": "new"}, {"c": "new", "d": "new"}]
GRID = pd.concat(
    [_X.assign(**more, **gap) for more in ({}, *_OTHERS) for gap in ({}, {"gaps": 7.0})]
)
LITERALS = binarise(_X)
a_clause = st.lists(st.integers(0, len(LITERALS) - 1), max_size=4).map(
    lambda clause: tuple(sorted(set(clause)))
)
rule_sets = st.lists(a_clause, max_size=4).map(lambda clauses: BooleanRules(tuple(clauses)))


@settings(max_examples=examples(200), deadline=None)
@given(first=rule_sets, second=rule_sets)
def test_rules_hold_where_one_set_does_and_the_other_does_not(
    first: BooleanRules, second: BooleanRules
) -> None:
    found = GroundedRules(LITERALS, first, second, ("no", "yes"))
    matrix = LITERALS.matrix(GRID)
    one, other = first.predict(matrix), second.predict(matrix)
    np.testing.assert_array_equal(found.predict(GRID), one != other)
    masks = [rule.mask(GRID) for rule in found.rules]
    for said, expected in ((("yes", "no"), one & ~other), (("no", "yes"), other & ~one)):
        inside = [m for m, rule in zip(masks, found.rules, strict=True) if rule.outcomes == said]
        union = np.any([*inside, np.zeros(len(GRID), bool)], axis=0)
        np.testing.assert_array_equal(union, expected)
        for left_out in range(len(inside)):  # and none is there for nothing
            rest = inside[:left_out] + inside[left_out + 1 :]
            assert not (
                inside[left_out] <= np.any([*rest, np.zeros(len(GRID), bool)], axis=0)
            ).all()
    assert found.n_rules == len(found.rules_text) == len(set(found.rules_text))
    turned = GroundedRules(LITERALS, second, first, ("no", "yes"))
    assert sorted(text.split(":")[0] for text in turned.rules_text) == sorted(
        text.split(":")[0] for text in found.rules_text
    )


def literal(text: str) -> int:
    return next(j for j in range(len(LITERALS)) if LITERALS.text(j) == text)


def test_rules_in_words_and_in_numbers() -> None:
    first = BooleanRules(((literal("x < 2"),), (literal("gaps is missing"),)))
    second = BooleanRules(
        ((literal("gaps is 0"), literal("c is a")), (literal("gaps is missing"),))
    )
    found = GroundedRules(LITERALS, first, second, ("no", "yes"))
    assert set(found.rules_text) == {
        "x < 2 and gaps is not 0: yes -> no",
        "x < 2 and gaps is not missing and c is not a: yes -> no",
        "x >= 2 and gaps is 0 and c is a: no -> yes",
    }
    # x < 2, x >= 2, gaps is not 0, gaps is not missing, c is not a, gaps is 0, c is a
    assert (found.n_rules, found.n_predicates) == (3, 7)


def test_or_missing_is_set_apart_in_words() -> None:
    first = BooleanRules(((literal("x < 2"),),))
    second = BooleanRules(((literal("gaps is 0"),),))
    found = GroundedRules(LITERALS, first, second, (0, 1))
    assert found.rules_text == (
        "x < 2 and (gaps is missing or not 0): 1 -> 0",
        "x >= 2 and gaps is 0: 0 -> 1",
    )


@settings(max_examples=examples(20), deadline=None)
@given(problem=two_labels)
def test_learned_rules_hold_where_the_two_sets_differ(problem: Problem) -> None:
    found = grounded_rules(problem.X, problem.y1, problem.y2)
    matrix = found.literals.matrix(problem.X)
    differ = found.first.predict(matrix) != found.second.predict(matrix)
    np.testing.assert_array_equal(found.predict(problem.X), differ)
    masks = [rule.mask(problem.X) for rule in found.rules]
    np.testing.assert_array_equal(np.any([*masks, np.zeros(len(differ), bool)], axis=0), differ)
    order = np.random.default_rng(0).permutation(len(problem.X))
    shuffled = problem.taken(order)
    again = grounded_rules(shuffled.X, shuffled.y1, shuffled.y2)
    assert again.rules_text == found.rules_text


def test_models_that_differ_everywhere_differ_always() -> None:
    X = pd.DataFrame({"x": np.arange(20)})
    found = grounded_rules(X, ["yes"] * 20, ["no"] * 20)
    assert found.rules_text == ("always: yes -> no",)
    assert (found.n_rules, found.n_predicates) == (1, 0)
    assert found.predict(pd.DataFrame({"x": [99]})).all()


@pytest.mark.parametrize(
    "as_given",
    [
        lambda y: y,
        lambda y: y.astype(int),
        lambda y: y.astype(float),
        lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
        lambda y: pd.array(y, dtype="boolean"),
        lambda y: np.where(y, "yes", "no"),
        lambda y: pd.Categorical(np.where(y, "yes", "no")),
        lambda y: np.where(y, "yes", "no").tolist(),
    ],
)
def test_outputs_of_any_kind(as_given: Any) -> None:
    X = pd.DataFrame({"x": np.arange(100) % 10, "z": np.arange(100) % 7})
    y1, y2 = (X.x < 5).to_numpy(), ((X.x < 5) & (X.z < 4)).to_numpy()
    found = grounded_rules(X, as_given(y1), as_given(y2))
    np.testing.assert_array_equal(found.predict(X), y1 != y2)
    (rule,) = found.rules
    assert rule.outcomes == found.labels[::-1]
    assert str(rule).startswith("x < 5 and z >= 4: ")


# What is not accepted -----------------------------------------------------------------------------

_SIX = pd.DataFrame({"x": range(6)})
_YES = np.array([True, False] * 3)
_MATRIX = np.eye(6, dtype=bool)


@pytest.mark.parametrize(
    "y1, y2, text",
    [
        (
            [0, 1, 2] * 2,
            _YES,
            r"y1 and y2 have 3 labels together: 0, 1, 2\. .*two labels in all.*y1 == 0 and y2 == 0",
        ),
        (np.linspace(0, 1, 6), _YES, r"6 labels together: 0\.0, 0\.2.* \.\.\..*p > 0\.5"),
        (["a"] * 6, [1] * 6, r"the labels 'a', 1, of different kinds.*labels of one kind"),
        (
            _YES,
            [True, None] * 3,
            r"y2 has 3 missing outputs, the first for row 1.*Leave those rows",
        ),
        (_YES[:4], _YES, r"y1 has the shape \(4,\): one output for each of the 6 rows"),
        (_YES, np.ones((6, 2)), r"y2 has the shape \(6, 2\).*argmax"),
    ],
)
def test_outputs_that_are_not_binary_are_told_so(y1: Any, y2: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        grounded_rules(_SIX, y1, y2)


@pytest.mark.parametrize(
    "matrix, y, text",
    [
        (
            _MATRIX,
            ["a", "b"] * 3,
            r"y has the values 'a', 'b': True and False are accepted.*== 'a'",
        ),
        (_MATRIX, ["0", "1"] * 3, r"y has the values '0', '1'"),
        (_MATRIX, [0, 1, 2] * 2, r"y has the values 0, 1, 2.*1 and 0"),
        (_MATRIX, _YES[:5], r"y has the shape \(5,\)"),
        (_MATRIX.astype(int), _YES, r"matrix is int64 of shape \(6, 6\): an array of booleans"),
        (_YES, _YES, r"matrix is bool of shape \(6,\)"),
        (_SIX, _YES, r"matrix is DataFrame.*binarise\(X\)\.matrix\(X\)"),
    ],
)
def test_a_matrix_and_its_labels_are_checked(matrix: Any, y: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        learn_rules(matrix, y)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"clause_cost": -0.1}, r"clause_cost=-0\.1: a number from 0 up is needed"),
        ({"clause_cost": float("inf")}, r"clause_cost=inf: a number from 0 up"),
        ({"literal_cost": "cheap"}, r"literal_cost='cheap': a number from 0 up"),
        ({"literal_cost": float("nan")}, r"literal_cost=nan: a number from 0 up"),
        ({"reuse": 1.5}, r"reuse=1\.5: a number from 0 to 1 is needed"),
        ({"max_degree": 0}, r"max_degree=0: a whole number from 1 up is needed"),
        ({"beam": 2.5}, r"beam=2\.5: a whole number from 1 up"),
        ({"iterations": -1}, r"iterations=-1: a whole number from 0 up"),
        ({"seed": True}, r"seed=True: a whole number from 0 up"),
        ({"n_thresholds": 0}, r"n_thresholds=0: a whole number from 1 up"),
    ],
)
def test_options_are_checked(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        grounded_rules(_SIX, _YES, ~_YES, **options)


@pytest.mark.parametrize("clause", [(6,), (-1, 2)])
def test_known_clauses_are_those_of_the_same_literals(clause: Clause) -> None:
    with pytest.raises(InputError, match=r"known speaks of the literals .*6 columns.*the same"):
        learn_rules(_MATRIX, _YES, known=[clause])


def test_a_table_without_the_columns_is_told_so() -> None:
    literals = binarise(_SIX)
    assert isinstance(literals, Literals)
    with pytest.raises(InputError, match=r"frame lacks the column 'x'"):
        literals.matrix(pd.DataFrame({"y": [1]}))


def test_differences_that_cannot_be_written_down_are_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grounded, "MAX_RULES", 1)
    first = BooleanRules(((),))
    second = BooleanRules(((literal("gaps is 0"), literal("c is a")),))
    found = GroundedRules(LITERALS, first, second, (0, 1))
    with pytest.raises(InputError, match=r"sets of 1 and 1 clauses.*Raise clause_cost"):
        _ = found.n_rules
    assert found.predict(GRID).any()
