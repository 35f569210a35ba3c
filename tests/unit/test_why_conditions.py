"""The rule's own columns, interactions and maps of the difference, and what is remembered."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.explanations.conditions import gap_texts

mpl.use("Agg")

RNG = np.random.default_rng(11)
N = 600
X = pd.DataFrame(
    {
        "race": RNG.choice(["White", "Black", "Unknown"], N, p=[0.5, 0.3, 0.2]),
        "age": RNG.integers(18, 80, N),
        "place": RNG.choice(list("ABCD"), N),
    }
)


def with_race(table: pd.DataFrame) -> NDArray[np.float64]:
    of_race = table["race"].map({"White": 0.50, "Black": 0.60, "Unknown": 0.06}).astype(float)
    return (of_race + (table["age"] - 50) / 1000).to_numpy()


def without_race(table: pd.DataFrame) -> NDArray[np.float64]:
    return (0.52 + (table["age"] - 50) / 1000).to_numpy()


class Counted:
    """A model that counts the rows it is called with."""

    def __init__(self, model: Any) -> None:
        self.model, self.rows = model, 0

    def __call__(self, table: Any) -> Any:
        self.rows += len(table)
        return self.model(table)


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(with_race, without_race, X, outputs="value", tolerance=0.2)


# --- the rule's own columns -----------------------------------------------------------------------


def test_a_rule_is_explained_by_its_own_column(d: imd.ModelDiff) -> None:
    """Models that differ in nothing but race: race is named first, and what another would give."""
    [rule] = d.rules
    assert str(rule).startswith("race is Unknown")
    e = rule.explain()
    c = e.contributions
    assert c.columns[c.order[0]] == "race"
    assert c.gap == pytest.approx(-0.46)
    others = [at for at, name in enumerate(c.columns) if name != "race"]
    assert not c.difference[others].any(), "both models use the other columns alike"
    assert c.unused_sentences == ("with_race uses race; without_race does not.",)
    [own] = e.conditions
    assert own.sentence == "If race were White, the gap would be −0.02 instead of −0.46."
    curve = dict(zip(own.curves.texts, own.curves.difference, strict=True))
    expected = {"White": -0.02, "Black": 0.08, "Unknown": -0.46}
    assert curve == pytest.approx(expected, abs=1e-9)
    inside = dict(zip(own.curves.texts, own.inside, strict=True))
    assert inside == {"White": False, "Black": False, "Unknown": True}
    named = own.sentence.replace("the gap", f"the gap ({e.names[0]} − {e.names[1]})")
    assert named in e.summary()
    assert own.curves.support == pytest.approx(
        [(X["race"] == name).mean() for name in own.curves.texts]
    ), "the shares are those of all rows"


def test_the_curve_of_a_condition_is_that_of_a_naive_loop() -> None:
    d = imd.diff(
        lambda t: t["age"] * ((t["place"] == "A") & (t["age"] >= 50)),
        lambda t: 0 * t["age"],
        X,
        outputs="value",
    )
    rule = next(own for own in d.rules if {c.column for c in own.conditions} == {"age", "place"})
    rows = X[rule.mask(X)]
    assert len(rows) <= 200
    by_column = {own.curves.column: own for own in rule.explain().conditions}
    assert set(by_column) == {"age", "place"}
    own = by_column["age"]
    for value, found in zip(own.curves.grid, own.curves.first, strict=True):
        expected = (value * (value >= 50) * (rows["place"] == "A")).mean()
        assert found == pytest.approx(expected)
    condition = next(c for c in rule.conditions if c.column == "age")
    ages = pd.DataFrame({"age": own.curves.grid, "place": "A", "race": "White"})
    assert own.inside.tolist() == condition.mask(imd_table(ages)).tolist()
    assert own.inside.any()
    assert not own.inside.all()
    assert own.at is not None
    assert not own.inside[own.at]


def imd_table(frame: pd.DataFrame) -> Any:
    from imd_widget.data.table import open_table

    return open_table(frame)


def test_the_sentence_of_numbers_is_about_the_median_outside() -> None:
    table = pd.DataFrame({"a": np.repeat(np.arange(10), 30)})
    d = imd.diff(lambda t: 5.0 * (t["a"] >= 8), lambda t: 0.0 * t["a"], table, outputs="value")
    [own] = d.rules[0].explain().conditions
    assert own.sentence in (
        "If a were 3, the gap would be 0.0 instead of 5.0.",
        "If a were 4, the gap would be 0.0 instead of 5.0.",
    )


def test_all_rows_and_masks_have_no_conditions(d: imd.ModelDiff) -> None:
    assert d.explain().conditions == ()
    assert d.explain(X["age"].to_numpy() < 30).conditions == ()
    assert d.cohort(X["age"].to_numpy() < 30).explain().conditions == ()


@pytest.mark.parametrize(
    "condition, parts",
    [
        ("race == 'Unknown'", {"race": "race == 'Unknown'"}),
        (
            "20 <= age < 30 and race in ['White']",
            {"age": "20 <= age < 30", "race": "race in ['White']"},
        ),
        ("age >= 20 & `age` < 30", {"age": "age >= 20 and `age` < 30"}),
        ("(age < 20 or age > 60) and age != 70", {"age": "(age < 20 or age > 60) and age != 70"}),
        ("not race == 'White'", {"race": "not race == 'White'"}),
        ("age < 30 or race == 'White'", {}),
        ("age.between(20, 30) and index < 50", {"age": "age.between(20, 30)"}),
    ],
)
def test_a_condition_of_the_user_is_explained_by_its_own_columns(
    d: imd.ModelDiff, condition: str, parts: dict[str, str]
) -> None:
    e = d.explain(condition)
    found = {str(own.condition.column): str(own.condition) for own in e.conditions}
    assert found == parts
    own_rows = (
        X.query(condition.replace("`", ""))
        if "index" not in condition
        else X[:50].query(parts["age"])
    )
    assert e.selection.rows.tolist() == own_rows.index.tolist()
    for own in e.conditions:
        column = str(own.condition.column)
        values = pd.DataFrame({column: list(own.curves.grid)})
        assert own.inside.tolist() == values.eval(parts[column].replace("`", "")).tolist()


def test_a_cohort_has_the_sentence_of_the_rule_with_its_rows(d: imd.ModelDiff) -> None:
    [of_rule] = d.rules[0].explain().conditions
    for e in (d.explain("race == 'Unknown'"), d.cohort("race == 'Unknown'").explain()):
        [own] = e.conditions
        assert own.sentence == of_rule.sentence
        assert own.sentence == "If race were White, the gap would be −0.02 instead of −0.46."
        named = own.sentence.replace("the gap", f"the gap ({e.names[0]} − {e.names[1]})")
        assert named in e.summary()
    whole, part = d.explain("race == 'Unknown'"), d.explain("race == 'Unknown' and age >= 18")
    assert whole.selection.rows.tolist() == part.selection.rows.tolist()
    assert (len(whole.conditions), len(part.conditions)) == (1, 2), "they are two explanations"


def test_the_gap_of_a_condition_is_that_of_the_contributions() -> None:
    """The curves are averages over some of the rows; the sentence is about all of them."""
    table = pd.DataFrame({"a": RNG.uniform(size=3000), "b": RNG.normal(size=3000)})
    d = imd.diff(
        lambda t: t["b"] + 5 * (t["a"] > 0.5), lambda t: 0 * t["b"], table, outputs="value"
    )
    e = d.explain("a > 0.5")
    [own] = e.conditions
    assert len(own.curves.rows) < len(e.contributions.rows)
    assert own.gap == e.contributions.gap
    assert own.gap_there == pytest.approx(own.gap - 5)


@pytest.mark.parametrize(
    "gaps, texts",
    [
        ((-0.02, -0.46), ("−0.02", "−0.46")),
        ((-0.001, 0.46), ("0.00", "0.46")),
        ((12345.6, 1.0), ("12,346", "1")),
        ((0.0, 0.0), ("0.00", "0.00")),
        ((0.00123, 0.0004), ("0.0012", "0.0004")),
    ],
)
def test_gaps_as_text_have_the_same_decimals(gaps: Any, texts: Any) -> None:
    assert gap_texts(*gaps) == texts


# --- what can be explained ------------------------------------------------------------------------


def test_rules_conditions_and_cohorts_are_explained_alike(d: imd.ModelDiff) -> None:
    mask = d.rules[0].mask(X)
    of_rule = d.rules[0].explain().contributions
    of_mask = d.explain(mask).contributions
    of_text = d.explain("race == 'Unknown'").contributions
    of_cohort = d.cohort("race == 'Unknown'").explain().contributions
    for other in (of_mask, of_text, of_cohort):
        assert other.difference.tolist() == of_rule.difference.tolist()
        assert other.gap == of_rule.gap
    assert d.explain("age < 30").selection.text == "age < 30"
    assert d.explain("r").selection.what == "node"


def test_one_row_is_enough(d: imd.ModelDiff) -> None:
    one = np.arange(N) == 3
    assert d.explain(one).contributions.level[0] == pytest.approx(with_race(X.iloc[[3]])[0])


def test_a_copied_rule_cannot_explain_itself(d: imd.ModelDiff) -> None:
    import pickle

    rule = pickle.loads(pickle.dumps(d.rules[0]))
    assert rule == d.rules[0]
    with pytest.raises(imd.InputError, match="this rule does not belong to a diff"):
        rule.explain()
    again = imd.diff(with_race(X), without_race(X), X, outputs="value", tolerance=0.2)
    whole = pickle.loads(pickle.dumps(again))
    assert whole.rules[0].explain().selection.rows.tolist() == np.flatnonzero(rule.mask(X)).tolist()


# --- what is remembered ---------------------------------------------------------------------------


def test_no_row_is_asked_twice() -> None:
    first = Counted(with_race)
    d = imd.diff(first, without_race, X, outputs="value", tolerance=0.2)
    first.rows = 0
    few = d.explain(max_calls=6000).contributions
    assert first.rows == few.n_asked <= 6000
    more = d.explain(max_calls=20_000).contributions
    assert first.rows == more.n_asked <= 20_000, "the walks made before are used again"
    assert more.standard_error.max() <= few.standard_error.max()
    d.explain(max_calls=20_000).contributions  # noqa: B018
    d.explain(np.ones(N, bool), max_calls=20_000).contributions  # noqa: B018
    assert first.rows == more.n_asked, "nothing is new"
    part = np.isin(np.arange(N), more.rows[:100])
    d.explain(part, max_calls=3000).contributions  # noqa: B018
    assert first.rows == more.n_asked, "the rows of another region were asked about before"


def test_a_refined_diff_asks_nothing_again() -> None:
    first = Counted(lambda t: t["age"] * (t["place"] == "A"))
    d = imd.diff(first, lambda t: 0 * t["age"], X, outputs="value", max_depth=2)
    e = d.explain()
    e.contributions, e.curves()
    asked = first.rows
    again = d.refine().explain()
    assert again.contributions is e.contributions
    again.curves()
    assert first.rows == asked


def test_the_cap_holds_for_wide_tables() -> None:
    wide = pd.DataFrame(RNG.normal(size=(300, 150)), columns=[f"c{at}" for at in range(150)])
    first = Counted(lambda t: t["c3"] * 2)
    d = imd.diff(first, lambda t: t["c3"] - t["c140"], wide, outputs="value", tolerance=1)
    e = d.explain(max_calls=10_000)
    c = e.contributions
    assert c.n_asked <= 10_000
    assert len(c.columns) == 100
    assert c.columns[-1] == "other columns"
    assert {c.columns[at] for at in c.order[:2]} == {"c3", "c140"}
    assert c.base_gap + c.difference.sum() == pytest.approx(c.gap, abs=1e-9)
    assert set(e.columns) == set(wide.columns)


@pytest.mark.parametrize("technique", ["curves", "conditions", "interactions", "map", "row"])
@pytest.mark.parametrize("n_columns", [4, 12])
def test_the_cap_holds_for_every_technique(technique: str, n_columns: int) -> None:
    table = pd.DataFrame(RNG.normal(size=(900, n_columns))).rename(columns=str)
    first = Counted(lambda t: t["0"] * t["1"])
    d = imd.diff(first, lambda t: t["2"], table, outputs="value", tolerance=1)
    cap = 5000
    e = d.explain("`0` > 0 and `1` > 0", max_calls=cap)
    e.contributions  # noqa: B018
    ask = {
        "curves": lambda: e.curves(),
        "conditions": lambda: e.conditions,
        "interactions": lambda: e.interactions,
        "map": lambda: e.difference_map("0", "1"),
        "row": lambda: e.contributions_of(int(e.selection.rows[0])),
    }[technique]
    first.rows = 0
    ask()
    assert 0 < first.rows <= cap
    if technique == "curves":
        rule = d.rules[0].explain(max_calls=cap)
        rule.contributions  # noqa: B018
        first.rows = 0
        rule.curves()
        assert 0 < first.rows <= cap, "the ends of the rule's intervals are points too"
    if technique == "interactions":
        assert e.interactions.n_asked <= cap, "the figure that users read"


def test_more_calls_make_errors_smaller_on_many_rows() -> None:
    """The rows that are averaged grow with the number of calls, not only the walks of each."""
    table = pd.DataFrame(RNG.normal(size=(4000, 4)), columns=list("abcd"))
    d = imd.diff(
        lambda t: t["a"] * t["b"] + t["c"], lambda t: t["d"], table, outputs="value", tolerance=1
    )
    errors = []
    for calls in (5000, 20_000, 80_000):
        c = d.explain("a > 0", max_calls=calls).contributions
        assert c.n_asked <= calls
        errors.append(c.standard_error[c.order[0]])
    assert errors[0] > 1.6 * errors[1] > 1.6**2 * errors[2]


def test_a_sample_is_no_head_of_the_table() -> None:
    """Interactions and maps take rows from the whole table, whatever its order is."""
    n = 2000
    table = pd.DataFrame({"t": np.arange(n) / n, "a": RNG.normal(size=n), "b": RNG.normal(size=n)})
    d = imd.diff(lambda t: t["t"] + 0 * t["a"], lambda t: 0 * t["a"], table, outputs="value")
    found = d.explain().difference_map("a", "b")
    assert found.difference.mean() == pytest.approx(0.5, abs=0.15)


# --- interactions and maps ------------------------------------------------------------------------


def square(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(rng.uniform(size=(n, 4)), columns=list("abcd"))


def test_interactions_are_those_of_a_product_and_of_nothing_else() -> None:
    table = square()
    d = imd.diff(
        lambda t: 4 * t["a"] * t["b"] + t["c"],
        lambda t: t["c"] ** 2 + t["d"],
        table,
        outputs="value",
        tolerance=0.5,
    )
    found = d.explain().interactions
    assert found.pairs[0] == ("a", "b")
    assert (found.strength[:, 1:] == 0).all(), "all else is a sum"
    assert found.strength[1, 0] == 0
    # (a - a') (b - b') averaged over the background, for the rows that were explained
    rows = table.iloc[d.explain().contributions.rows[:60]]
    deviations = (rows[["a", "b"]] - table[["a", "b"]].mean()).prod(axis=1)
    spread = ((table["a"] - table["a"].mean()) * (table["b"] - table["b"].mean())).mean()
    expected = np.sqrt(((4 * (deviations + spread)) ** 2).mean())
    assert found.strength[2, 0] == pytest.approx(expected, abs=4 * found.standard_error[0] + 0.02)
    assert "a and b" in str(found)
    assert list(found.to_frame()["difference"]) == found.strength[2].tolist()


def test_additive_models_have_no_interaction() -> None:
    d = imd.diff(
        lambda t: t["a"] + t["b"], lambda t: t["c"], square(), outputs="value", tolerance=0.5
    )
    found = d.explain().interactions
    assert not found.strength.any()
    assert str(found) == "No two columns interact in the difference."


def test_a_table_of_two_columns_has_one_pair() -> None:
    table = square()[["a", "b"]]
    d = imd.diff(lambda t: t["a"] * t["b"], lambda t: t["a"], table, outputs="value", tolerance=0.2)
    found = d.explain().interactions
    assert found.pairs == (("a", "b"),)
    assert found.strength[0, 0] == found.strength[2, 0] > 0


def test_a_map_is_that_of_a_naive_loop(d: imd.ModelDiff) -> None:
    e = d.explain()
    found = e.difference_map("race", "age")
    rows = X.iloc[e.contributions.rows[: found.n_rows]]
    for y, age in enumerate(found.grids[1].values):
        for x, race in enumerate(found.grids[0].values):
            cell = rows.assign(race=race, age=age)
            assert found.first[y, x] == pytest.approx(with_race(cell).mean())
            assert found.second[y, x] == pytest.approx(without_race(cell).mean())
    assert found.difference.tolist() == (found.first - found.second).tolist()
    assert found.support.sum() == pytest.approx(1)
    by_race = dict(zip(found.grids[0].texts, found.support.sum(axis=0), strict=True))
    assert by_race == pytest.approx(X["race"].value_counts(normalize=True).to_dict())
    assert "the gap is largest at race Unknown" in found.text
    assert found.to_frame().shape == found.difference.shape
    ax = found.plot()
    assert ax.get_xlabel() == "race"


def test_a_map_needs_two_columns(d: imd.ModelDiff) -> None:
    with pytest.raises(imd.InputError, match="a map needs two different columns"):
        d.explain().difference_map("age", "age")
    with pytest.raises(imd.InputError, match="there is no column 'wage'"):
        d.explain().difference_map("age", "wage")


# --- weights and other libraries ------------------------------------------------------------------


def test_weights_count_as_repeated_rows() -> None:
    """With every background row used once, additive models leave nothing to chance."""
    table = square(60)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    repeated = table.loc[np.repeat(np.arange(60), weights)].reset_index(drop=True)
    m1, m2 = (lambda t: 2 * t["a"] + t["b"]), (lambda t: t["c"] ** 2)
    inside, again = table["a"] > 0.5, repeated["a"] > 0.5
    options: Any = {"outputs": "value", "tolerance": 0.5}
    calls: Any = {"max_calls": 1_000_000}
    one = imd.diff(m1, m2, table, sample_weight=weights, **options)
    other = imd.diff(m1, m2, repeated, **options)
    a = one.explain(inside.to_numpy(), **calls).contributions
    b = other.explain(again.to_numpy(), **calls).contributions
    assert a.gap == pytest.approx(b.gap, abs=1e-9)
    assert a.base_gap == pytest.approx(b.base_gap, abs=0.02)
    assert a.difference == pytest.approx(b.difference, abs=0.02)


def test_the_permutation_explainer_of_shap_agrees() -> None:
    shap = pytest.importorskip("shap")
    table = square(100)

    def first(values: Any) -> Any:
        t = np.asarray(values)
        return t[:, 0] * t[:, 1] + t[:, 2]

    def second(values: Any) -> Any:
        t = np.asarray(values)
        return t[:, 0] + t[:, 3] ** 2

    d = imd.diff(first, second, table.to_numpy(), outputs="value", tolerance=0.5)
    c = d.explain().contributions_of(5, max_calls=200_000)
    explainer = shap.PermutationExplainer(lambda t: first(t) - second(t), table.to_numpy())
    expected = explainer(table.to_numpy()[5:6], max_evals=1000).values[0]
    assert c.difference == pytest.approx(expected, abs=3 * c.standard_error.max() + 1e-6)
