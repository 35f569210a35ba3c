"""Splits that separate a set of levels: sorted by how often the models differ, and cut once."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import imd_widget as imd
from imd_widget.comparison import diff_rows
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.level_order import LEAST_ROWS
from imd_widget.data.level_sets import LevelSets
from imd_widget.rules.conditions import Membership
from imd_widget.rules.languages import rule_text
from imd_widget.tree.shape import Kind
from imd_widget.views.build import view_of
from tests.examples import examples
from tests.unit.strategies import Problem, problems

LEVELS = [f"l{number}" for number in range(16)]
CHOSEN = {"l1", "l4", "l6", "l9", "l12"}


def table(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    job = pd.Series(rng.choice(LEVELS, n), dtype=object)
    rare = rng.random(n) < 0.02
    job[rare] = [f"rare {number}" for number in range(int(rare.sum()))]
    job[rng.random(n) < 0.04] = None
    return pd.DataFrame({"x": rng.normal(size=n), "job": job, "y": rng.normal(size=n)})


X = table()


def same(X: pd.DataFrame) -> Any:
    return np.zeros(len(X), int)


def noisy(X: pd.DataFrame) -> Any:
    """Differs for some levels and small x, but for a few rows."""
    inside = X["job"].isin(CHOSEN) & (X["x"] < 0.8)
    return (inside.to_numpy() ^ (np.abs(np.sin(1e5 * X["y"])) > 0.998)).astype(int)


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(same, noisy, X, sets=True)


def ranks_of(d: imd.ModelDiff) -> list[LevelSets]:
    """The ranks that splits of the tree use."""
    splits = np.flatnonzero(d.tree.kind == Kind.SPLIT).tolist()
    names = (d.tree.columns[d.tree.question(node).column].name for node in splits)
    return [name for name in names if isinstance(name, LevelSets)]


def test_a_planted_set_is_found_in_one_rule(d: imd.ModelDiff) -> None:
    [rule] = d.rules
    [levels] = [c for c in rule.conditions if isinstance(c, Membership)]
    assert (set(levels.values), levels.negated, levels.missing) == (CHOSEN, False, False)
    assert str(levels) == "job is one of l1, l12, l4, l6, l9"
    # two questions are enough, where one level at a time needs six
    sets, one_at_a_time = (imd.diff(same, noisy, X, sets=own, max_depth=2) for own in (True, False))
    assert [set(r.conditions) for r in sets.rules] == [set(rule.conditions)]
    assert (sets.metrics.mcc or 0) > (one_at_a_time.metrics.mcc or 0) + 0.3


def test_one_split_separates_the_set(d: imd.ModelDiff) -> None:
    [ranks] = set(ranks_of(d))
    order = [level for _, level in sorted(zip(ranks.ranks, ranks.levels, strict=True))]
    assert set(order[-5:]) == CHOSEN
    assert set(order) == set(LEVELS)  # rare levels have no rank of their own
    root = next(node for node in view_of(d).nodes if node.condition)
    assert root.condition == "job is missing or none of l1, l12, l4, l6, l9"
    assert (root.column, root.position) == ("job", 1)
    assert root.bars is not None
    assert root.bars.low in LEVELS
    assert root.bars.high in CHOSEN


def unseen(n: int = 400) -> pd.DataFrame:
    """Rows with levels that the fitted table does not have, and missing ones."""
    rows = table(n, seed=1)
    rows.loc[:40, "job"] = "new level"
    rows.loc[41:80, "job"] = None
    return rows


@pytest.mark.parametrize("rule_cost", [0.005, 0])
def test_mask_query_sql_and_file_hold_for_the_same_rows(rule_cost: float, tmp_path: Path) -> None:
    d = imd.diff(same, noisy, X, sets=True, rule_cost=rule_cost)
    loaded = imd.load(d.save(tmp_path / "d.json"))
    for rows in (X, unseen()):
        assert (loaded.predict(rows) == d.predict(rows)).all()
        assert (loaded.tree.predict(rows) == d.tree.predict(rows)).all()
        base = sqlite3.connect(":memory:")
        rows.to_sql("t", base, index_label="row")
        for rule, back in zip(d.rules, loaded.rules, strict=True):
            inside = np.flatnonzero(rule.mask(rows)).tolist()
            assert rows.query(rule.to_query()).index.tolist() == inside
            found = base.execute(f"SELECT row FROM t WHERE {rule.to_sql()} ORDER BY row")
            assert [row for (row,) in found] == inside
            assert np.flatnonzero(back.mask(rows)).tolist() == inside
            assert rule_text(back) == rule_text(rule)
            # a condition a column, also where a set was cut again
            assert len({c.column for c in rule.conditions}) == len(rule.conditions)
        base.close()


def test_the_rules_cover_the_leaves_of_the_tree() -> None:
    """The boxes of rules are of levels, the splits of the tree of ranks: the same rows."""
    d = imd.diff(same, noisy, X, sets=True, rule_cost=0, sensitivity=1)
    for node in d.tree.ids:
        at = d.tree.ids.index(node)
        if d.tree.kind[at] == Kind.LEAF and at:
            assert d.reaches(node)[~d.kept_aside].sum() == d.tree.rows[at]


def test_off_is_the_same_diff_to_the_bit(d: imd.ModelDiff) -> None:
    alone = imd.diff(same, noisy, X)
    assert imd.diff(same, noisy, X, sets=False).to_dict() == alone.to_dict()
    assert d.change(sets=False).to_dict() == alone.to_dict()
    assert alone.change(sets=True).to_dict() == d.to_dict()


def test_few_levels_are_the_same_diff() -> None:
    """Three levels have no order, nor have levels of few rows."""
    few = X.assign(job=X["job"].where(X["job"].isin(["l1", "l2", "l3"])))
    small = X.head(LEAST_ROWS * 3)
    for rows in (few, small):
        alone, sets = (imd.diff(same, noisy, rows, sets=own) for own in (False, True))
        assert str(sets.rules) == str(alone.rules)


def test_scores_and_a_given_model_go_with_sets(d: imd.ModelDiff) -> None:
    both = d.change(scores=True, given="m2")
    assert both.fitted_method.sets
    assert both.change(scores=False, given="nothing").to_dict() == d.to_dict()
    assert all(one.mcc is not None for one in d.alternatives())


def test_weights_order_the_levels() -> None:
    """Level l0 differs in half of its rows; by weight, in all or in none of them."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"job": rng.choice(LEVELS[:6], 2000)})
    differs = rng.random(2000) < np.where(rows["job"] == "l0", 0.5, 0.25)
    first = np.zeros(2000, int)
    place = {}
    for heavy in (True, False):
        weight = np.where(differs == heavy, 10.0, 1.0)
        weight[rows["job"] != "l0"] = 1
        found = imd.diff(first, differs, rows, sets=True, sample_weight=weight, measure="none")
        [ranks] = [c.name for c in found.rows.dataset.columns if isinstance(c.name, LevelSets)]
        place[heavy] = ranks.ranks[ranks.levels.index("l0")]
    assert place == {True: 6, False: 0}


def test_each_fold_orders_the_levels_by_its_own_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = diff_rows.with_sets

    def spy(dataset: Dataset, *others: Any) -> Dataset:
        seen.append(len(dataset.fit))
        return real(dataset, *others)

    monkeypatch.setattr(diff_rows, "with_sets", spy)
    assert imd.diff(same, noisy, X, sets=True, measure="cv").metrics.mcc
    assert len(seen) == 6
    assert all(fold < seen[0] for fold in seen[1:])


def test_noise_gives_no_better_rules_than_chance() -> None:
    """Thirty levels of noise: in folds, the order of the levels predicts nothing."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"job": rng.choice([f"l{number}" for number in range(30)], 900)})
    d = imd.diff(np.zeros(900, int), rng.random(900) < 0.2, rows, sets=True, measure="cv")
    assert abs(d.metrics.mcc or 0) < 0.12


@pytest.mark.parametrize(
    "kind", ["categorical", "numbers", "array", "booleans", "probabilities", "values"]
)
def test_other_columns_and_outputs(kind: str, tmp_path: Path) -> None:
    rows, options = X.assign(job=X["job"].where(X["job"].isin(LEVELS))), {}
    differs = noisy(X)
    first, second = np.zeros(len(X)), differs
    if kind == "categorical":
        rows["job"] = rows["job"].astype("category")
    elif kind == "numbers":
        rows["job"] = pd.Categorical(rows["job"].str[1:].astype(float))
    elif kind == "array":
        rows = rows.to_numpy(dtype=object)
    elif kind == "booleans":
        rows["job"] = rows["job"].isin(CHOSEN)
    elif kind == "probabilities":
        options = {"outputs": "proba", "tolerance": 0.1}
        first, second = np.full(len(X), 0.2), 0.2 + 0.3 * differs
    else:
        options = {"outputs": "value", "tolerance": 1}
        second = 10.0 * differs
    d = imd.diff(first, second, rows, sets=True, **options)  # type: ignore[arg-type]
    assert (d.metrics.mcc or 0) > 0.6
    assert d.rules[0].mask(rows).sum() > 300
    back = imd.load(d.save(tmp_path / "d.json"))
    assert (back.predict(rows) == d.predict(rows)).all()
    assert bool(ranks_of(d)) == (kind != "booleans")


def test_a_damaged_file_is_refused(tmp_path: Path, d: imd.ModelDiff) -> None:
    path = d.save(tmp_path / "d.json")
    text = path.read_text()
    for was, becomes in (('"others": ', '"others": 99, "was": '), ('"ranks": [', '"ranks": [0, ')):
        assert was in text
        path.write_text(text.replace(was, becomes))
        with pytest.raises(imd.InputError):
            imd.load(path)


def test_pages_pictures_and_steps_are_made(tmp_path: Path, d: imd.ModelDiff) -> None:
    assert "job is one of" in d.save(tmp_path / "d.html").read_text()
    d.save(tmp_path / "d.svg")
    assert any("none of l1" in (step.chosen or "") for step in d.growth())
    assert d.stability(2).found_share == (1.0,)
    assert d.histograms([0])
    assert imd.show(d).view["options"]["sets"] is True
    assert d.derived == {}


def test_errors_name_the_choices() -> None:
    with pytest.raises(imd.InputError, match="sets='yes': choose True or False"):
        imd.diff(same, noisy, X, sets="yes")  # type: ignore[arg-type]
    with pytest.raises(imd.InputError, match='has no meaning with method="imd"'):
        imd.diff(same, noisy, X, sets=True, method="imd")


def test_large_tables_are_refused(tmp_path: Path) -> None:
    X.assign(one=same(X), two=noisy(X)).to_parquet(tmp_path / "part.parquet")
    with pytest.raises(imd.InputError, match=r"sets=True needs a table in memory\."):
        imd.diff("one", "two", str(tmp_path / "part.parquet"), sets=True)


@settings(deadline=None, max_examples=examples(30))
@given(problems())
def test_swapped_models_mirror_the_rules(problem: Problem) -> None:
    common: Any = {"sets": True, "test_size": 0}
    one = imd.diff(problem.y1, problem.y2, problem.X, names=("A", "B"), **common)
    two = imd.diff(problem.y2, problem.y1, problem.X, names=("B", "A"), **common)
    assert (one.predict(problem.X) == two.predict(problem.X)).all()


def test_swapped_models_have_the_same_sets(d: imd.ModelDiff) -> None:
    mirrored = imd.diff(noisy, same, X, sets=True)
    assert [r.conditions for r in mirrored.rules] == [r.conditions for r in d.rules]
