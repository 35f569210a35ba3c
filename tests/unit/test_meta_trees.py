"""The estimators: exported trees, files, resuming, bad input; and that they learn."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from benchmarks.meta_trees import report, table_1
from benchmarks.meta_trees.differences import Ablated, disagreements, synthetic_differences
from benchmarks.meta_trees.published import TABLE_2
from benchmarks.meta_trees.runs import ABLATIONS
from benchmarks.meta_trees.synthetic import n_inner, tasks
from imd_widget import InputError
from imd_widget.learners import MetaTree, MetaTreeClassifier, MetaTreeRegressor
from tests.unit.meta_examples import (
    SMALL,
    club,
    fitted_classes,
    fitted_club,
    fitted_odd,
    odd_table,
    walked,
)

MODELS = {"club": fitted_club, "odd": fitted_odd, "classes": fitted_classes}


def rows_of(name: str) -> tuple[pd.DataFrame, Any]:
    if name == "club":
        return club().ratings[club().film_columns], club().ratings["member"].to_numpy()
    X, _, groups = odd_table()
    return X, groups


@pytest.mark.parametrize("name", MODELS)
def test_an_exported_tree_walked_by_hand_is_the_hard_prediction(name: str) -> None:
    """On all rows for every group, not only on a group's own; read from JSON."""
    model = MODELS[name]()
    X, groups = rows_of(name)
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    for group in pd.unique(groups):
        tree = model.tree_of(group)
        plain = json.loads(json.dumps(tree.to_dict()))
        by_hand = np.array([walked(plain, row) for row in records])
        if isinstance(model, MetaTreeClassifier):
            np.testing.assert_array_equal(by_hand, model.predict_proba(X, groups=[group] * len(X)))
            np.testing.assert_array_equal(by_hand, tree.predict_proba(X))
            labels = model.classes_[by_hand.argmax(axis=1)]
            np.testing.assert_array_equal(labels, tree.predict(X))
        else:
            np.testing.assert_array_equal(by_hand[:, 0], model.predict(X, groups=group))
            np.testing.assert_array_equal(by_hand[:, 0], tree.predict(X))


@pytest.mark.parametrize("name", MODELS)
def test_the_rules_of_a_tree_cover_every_row_once(name: str) -> None:
    model = MODELS[name]()
    X, groups = rows_of(name)
    for group in pd.unique(groups):
        tree = model.tree_of(group)
        rules = tree.rules()
        masks = np.array([rule.mask(X) for rule in rules])
        np.testing.assert_array_equal(masks.sum(axis=0), 1)
        said = np.array([rule.prediction for rule in rules], dtype=object)[masks.argmax(axis=0)]
        assert said.tolist() == tree.predict(X).tolist()
        own = groups == group
        assert [int(mask[own].sum()) for mask in masks] == [rule.n_examples for rule in rules]
        assert len({str(rule.conditions) for rule in rules}) == len(rules)


def test_no_question_of_an_exported_tree_is_settled_by_those_above() -> None:
    model = fitted_odd()
    X, groups = rows_of("odd")
    for group in pd.unique(groups):
        tree = model.tree_of(group)
        ends = tree.leaf_of(pd.concat([X, grid_of(X)], ignore_index=True))
        assert set(ends) == {at for at, node in enumerate(tree.nodes) if node.question is None}


def grid_of(X: pd.DataFrame) -> pd.DataFrame:
    """Rows with values of different rows beside each other."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {name: X[name].iloc[rng.integers(0, len(X), 4000)].array for name in X.columns}
    )


def test_groups_with_different_examples_get_different_trees() -> None:
    _, _, groups = odd_table()
    model = fitted_odd()
    first, second = (model.tree_of(group).to_dict()["nodes"] for group in groups[[0, 10]])
    assert first != second
    assert len({str(model.tree_of(group)) for group in pd.unique(groups)}) == 8


def test_a_tree_for_somebody_new_from_known_examples_is_the_known_tree() -> None:
    model = fitted_club()
    X, groups = rows_of("club")
    y = club().ratings["rating"].to_numpy()
    mine = groups == "Clara"
    order = np.random.default_rng(0).permutation(np.flatnonzero(mine))
    new, known = model.tree_for(X.iloc[order], y[order], name="Clara"), model.tree_of("Clara")
    assert [node.question for node in new.nodes] == [node.question for node in known.nodes]
    np.testing.assert_allclose(new.predict(X), known.predict(X), atol=1e-5)
    one = model.tree_for(X[:1], y[:1])
    assert one.nodes[0].n_examples == 1
    assert np.isfinite(one.predict(X)).all()


@pytest.mark.parametrize("verbose", [False, True])
def test_training_needs_no_tqdm(monkeypatch: pytest.MonkeyPatch, verbose: bool) -> None:
    X, y, groups = odd_table()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    model = MetaTreeRegressor(**SMALL, verbose=verbose).fit(X, y, groups=groups)
    assert model.n_iter_ == SMALL["max_iter"]


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_predicts_the_same(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    X, groups = rows_of(name)
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as archive:
        assert json.loads(archive["about.json"].tobytes())["class"] == type(model).__name__
    again = type(model).load(tmp_path / "model.npz")
    for routing in ("hard", "soft"):
        np.testing.assert_array_equal(
            again.predict(X, groups=groups, routing=routing),
            model.predict(X, groups=groups, routing=routing),
        )
    assert again.get_params() == model.get_params()
    assert str(again.tree_of(groups[0])) == str(model.tree_of(groups[0]))
    y = model.predict(X, groups=groups)
    assert again.tree_for(X, y).to_dict() == model.tree_for(X, y).to_dict()


def test_a_saved_tree_is_the_same_tree(tmp_path: Path) -> None:
    for name, model in MODELS.items():
        X, groups = rows_of(name)
        tree = model().tree_of(groups[0])
        tree.save(tmp_path / "tree.json")
        again = MetaTree.load(tmp_path / "tree.json")
        assert (again.nodes, again.group, type(again)) == (tree.nodes, tree.group, type(tree))
        np.testing.assert_array_equal(again.predict(X), tree.predict(X))


def test_using_a_trained_model_needs_no_jax(tmp_path: Path) -> None:
    fitted_club().save(tmp_path / "model.npz")
    rows_of("club")[0].to_pickle(tmp_path / "X.pkl")
    code = """
import sys
sys.modules["jax"] = sys.modules["optax"] = None
import pandas as pd
from imd_widget.learners import MetaTreeRegressor
X = pd.read_pickle("X.pkl")
trees = MetaTreeRegressor.load("model.npz")
tree = trees.tree_of("Anna")
assert (tree.predict(X) == trees.predict(X, groups="Anna")).all()
trees.tree_for(X[:5], [1, 2, 3, 4, 5])
try:
    MetaTreeRegressor().fit(X, range(len(X)), groups=[1, 2] * (len(X) // 2))
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(imd.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (
        "Training meta trees needs JAX and optax, and jax is not installed: pip install "
        "'imd-widget[meta]'. A trained model that was saved needs neither: load it with "
        "MetaTreeRegressor.load or MetaTreeClassifier.load."
    )


def test_a_training_that_was_stopped_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    X, groups = rows_of("club")
    y = club().ratings["rating"]
    stopped = MetaTreeRegressor(**SMALL)
    seen = []
    stopped.fit(X, y, groups=groups, on_step=lambda now: seen.append(now.loss) or now.step == 2)
    assert (stopped.n_iter_, len(seen)) == (2, 2)
    halfway = stopped.parameters_
    stopped.save(tmp_path / "half.npz")
    resumed = MetaTreeRegressor.load(tmp_path / "half.npz").fit(X, y, groups=groups, resume=True)
    whole = fitted_club()
    assert resumed.n_iter_ == whole.n_iter_ == SMALL["max_iter"]
    assert resumed.loss_curve_ == whole.loss_curve_
    assert resumed.loss_curve_[:2] == seen
    for name, values in whole.parameters_.items():
        np.testing.assert_array_equal(resumed.parameters_[name], values)
    assert any((halfway[name] != values).any() for name, values in whole.parameters_.items())
    with pytest.raises(InputError, match="other data than those of the training that was stopped"):
        resumed.fit(X, y + 1, groups=groups, resume=True)
    with pytest.raises(InputError, match="other parameters than those of the training"):
        resumed.set_params(depth=3).fit(X, y, groups=groups, resume=True)


def test_ctrl_c_keeps_what_was_learned() -> None:
    X, groups = rows_of("club")

    def interrupt(now: Any) -> None:
        if now.step == 2:
            raise KeyboardInterrupt

    model = MetaTreeRegressor(**SMALL)
    with pytest.warns(imd.InputWarning, match="stopped after 2 of 6 steps.*resume=True goes on"):
        model.fit(X, club().ratings["rating"], groups=groups, on_step=interrupt)
    assert model.n_iter_ == len(model.loss_curve_) == 2
    assert np.isfinite(model.predict(X, groups=groups)).all()


def test_an_edited_tree_predicts_otherwise_and_the_edit_is_undone() -> None:
    tree, (X, _) = fitted_club().tree_of("Anna"), rows_of("club")
    y = club().ratings["rating"].to_numpy()
    at = int(tree.leaf_of(X)[0])
    edited = tree.edit(at, value=1.25)
    reached = tree.leaf_of(X) == at
    np.testing.assert_array_equal(edited.predict(X) == 1.25, reached)
    np.testing.assert_array_equal(edited.predict(X)[~reached], tree.predict(X)[~reached])
    assert edited.undo() is tree
    assert MetaTree.from_dict(edited.to_dict()).nodes == edited.nodes
    twice = edited.edit(at, value=2)
    cost = twice.edit_cost(X, y)
    errors = [np.sqrt(((one.predict(X) - y) ** 2).mean()) for one in (tree, twice)]
    assert [cost.before, cost.after] == pytest.approx(errors)
    assert cost.n_changed == reached.sum()
    assert f"{cost.n_changed} predictions change" in str(cost)


def test_an_edited_threshold_moves_rows() -> None:
    X, _, _ = odd_table()
    tree = next(
        tree
        for tree in map(fitted_odd().tree_of, fitted_odd().groups_)
        if any(node.question and node.question.kind == "number" for node in tree.nodes)
    )
    at, node = next(
        (at, node)
        for at, node in enumerate(tree.nodes)
        if node.question and node.question.kind == "number"
    )
    edited = tree.edit(at, threshold=float(node.question.threshold) + 1e-3, X=X)
    assert edited.nodes[at].question.threshold != node.question.threshold
    assert edited.nodes[0].n_examples == len(X)
    for leaf, count in enumerate(np.bincount(edited.leaf_of(X), minlength=len(edited.nodes))):
        if edited.nodes[leaf].question is None:
            assert edited.nodes[leaf].n_examples == count


def test_edits_of_classes_and_edits_that_cannot_be_made() -> None:
    X, _, _ = odd_table()
    tree = fitted_classes().tree_of("g0")
    leaf = int(tree.leaf_of(X)[0])
    edited = tree.edit(leaf, value="mid")
    assert set(edited.predict(X)[tree.leaf_of(X) == leaf]) == {"mid"}
    assert edited.edit_cost(X, edited.predict(X)).after == 0
    inner = next(at for at, node in enumerate(tree.nodes) if node.question is not None)
    for wrong, message in (
        ({"node": leaf}, "not both"),
        ({"node": leaf, "value": "huge"}, "none of the classes high, low, mid"),
        ({"node": leaf, "threshold": 1}, "is a leaf"),
        ({"node": inner, "value": "mid"}, "only leaves predict"),
        ({"node": 99, "value": "mid"}, "node=99"),
    ):
        with pytest.raises(InputError, match=message):
            tree.edit(**wrong)
    with pytest.raises(InputError, match="no edit to undo"):
        tree.undo()


def test_a_training_without_a_split_left_warns() -> None:
    X, y, groups = odd_table()
    model = MetaTreeRegressor(**SMALL, evidence=False, learning_rate=3)
    with pytest.warns(imd.InputWarning, match="8 of 8 trees send all of their examples to one"):
        model.fit(X, y, groups=groups)
    assert {model.tree_of(group).n_leaves for group in model.groups_} == {1}


def test_thresholds_stay_within_the_data_at_any_learning_rate() -> None:
    X, y, groups = odd_table()
    model = MetaTreeRegressor(**SMALL, learning_rate=3).fit(X, y, groups=groups)
    grids = [model.features_[at].grid for at in model.forest_.feature.ravel()]
    for centre, grid in zip(model.forest_.centre.ravel(), grids, strict=True):
        assert grid[0] - 0.5 <= centre <= grid[-1] + 0.5


def test_early_stopping_keeps_the_best() -> None:
    X, groups = rows_of("club")
    rng = np.random.default_rng(0)
    model = MetaTreeRegressor(
        **{**SMALL, "max_iter": 40, "learning_rate": 0.05},
        early_stopping=True,
        n_iter_no_change=2,
        validation_fraction=0.3,
    )
    model.fit(X, rng.normal(size=len(X)), groups=groups)  # noise: nothing to learn
    curve = model.validation_curve_
    assert model.n_iter_ < 40
    assert len(curve) - 1 - int(np.argmin(curve)) == 2


@pytest.mark.parametrize("learner", ["regressor", "classifier"])
def test_scikit_learn_knows_what_they_are(learner: str) -> None:
    kind = is_regressor if learner == "regressor" else is_classifier
    model = fitted_club() if learner == "regressor" else fitted_classes()
    assert kind(model)
    assert kind(model.tree_of(model.groups_[0]))
    assert clone(model).get_params() == model.get_params()


def test_two_members_are_two_models() -> None:
    model = fitted_club()
    films = club().films.drop(columns="title")  # no two films share it
    trees = [model.tree_of(name) for name in ("Anna", "Ben")]
    d = imd.diff(*trees, films, names=("Anna", "Ben"))
    apart = np.abs(trees[0].predict(films) - trees[1].predict(films)) > d.tolerance
    np.testing.assert_array_equal(d.differs, apart)


def test_columns_are_found_by_name_and_others_are_not_read() -> None:
    model = fitted_club()
    X, groups = rows_of("club")
    tree = model.tree_of("Anna")
    moved = X[X.columns[::-1]]
    np.testing.assert_array_equal(
        model.predict(moved, groups=groups), model.predict(X, groups=groups)
    )
    needed = X[list(tree.columns)].assign(more=1)
    np.testing.assert_array_equal(tree.predict(needed), tree.predict(X))


def test_a_tree_in_words_and_as_a_picture() -> None:
    from matplotlib import pyplot

    model = fitted_odd()
    tree = model.tree_of("g1")
    assert str(tree).count("(") >= tree.n_leaves
    for rule in tree.rules():
        assert f"({rule.n_examples} example" in str(rule)
    ax = tree.plot()
    written = [text.get_text() for text in ax.texts]
    assert written[0] == "The tree of g1: value."
    assert sum(text in ("yes", "no") for text in written) == len(tree.nodes) - 1
    for node in tree.nodes:
        rows = "1 row" if node.n_examples == 1 else f"{node.n_examples:,} rows"
        assert any(text.endswith(rows) for text in written)
    for column in tree.columns:
        assert any(str(column) in text for text in written)
    given = pyplot.figure().subplots()
    assert tree.plot(given) is given
    pyplot.close("all")


def test_the_networks_learn_what_a_tree_of_a_group_alone_cannot() -> None:
    """Section 4 of the paper, small: unseen tasks, few examples; the floor is the majority."""
    X, y, task = tasks(250, (12, 40), seed=0)
    model = MetaTreeClassifier(
        depth=2, width=32, hidden=32, max_iter=120, batch_size=64, learning_rate=5e-3
    ).fit(X, y, groups=task)
    meta, local, other, n_new = [], [], [], 25
    size, total = 10, 210
    X_new, y_new, _ = tasks(n_new, total, seed=9)
    trees = []
    for at in range(n_new):
        rows = slice(at * total, at * total + size)
        trees.append(model.tree_for(X_new[rows], y_new[rows]))
    whole = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    for at in range(n_new):
        rows = slice(at * total, at * total + size)
        rest = slice(at * total + size, (at + 1) * total)
        own = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X_new[rows], y_new[rows])
        meta.append((trees[at].predict(X_new[rest]) == y_new[rest]).mean())
        local.append((own.predict(X_new[rest]) == y_new[rest]).mean())
        other.append((trees[at - 1].predict(X_new[rest]) == y_new[rest]).mean())
    overall = np.mean(whole.predict(X_new) == y_new)
    assert np.mean(meta) > np.mean(local) + 0.02
    assert np.mean(meta) > overall + 0.02
    assert np.mean(meta) > np.mean(other) + 0.05


FIT_ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "no groups": ({"groups": None}, "groups= is missing: pass the group of each row"),
    "groups too short": ({"groups": ["a"] * 3}, "groups has 3 values, X has 6 rows"),
    "missing group": (
        {"groups": ["a", "a", None, "b", "b", "b"]},
        "groups is missing in 1 row(s), first in row 2: a row without a group cannot be "
        "used. Drop these rows.",
    ),
    "one row each": ({"groups": list("abcdef")}, "groups: every group has one row."),
    "constant": ({"y": [2] * 6}, "y is 2 in every row: there is nothing to learn."),
    "missing target": ({"y": [1, 2, np.nan, 4, 5, 6]}, "y is missing or infinite in 1 row(s)"),
    "text target": ({"y": list("abcdef")}, "For classes take MetaTreeClassifier."),
    "two targets": ({"y": np.ones((6, 2))}, "y has the shape (6, 2): one target for each row"),
    "no target": ({"y": None}, "y is missing: a target for each row is needed."),
    "short target": ({"y": [1, 2]}, "y has 2 values, X has 6 rows: one for each."),
    "infinite": (
        {"X": pd.DataFrame({"a": [1, 2, 3, np.inf, 5, 6]})},
        "The column 'a' of X is infinite in 1 row(s), first in row 3.",
    ),
    "dates": (
        {"X": pd.DataFrame({"a": pd.date_range("2020-01-01", periods=6)})},
        "turn dates and durations into numbers",
    ),
    "nothing to ask": (
        {"X": pd.DataFrame({"a": [1] * 6})},
        "X has no column with two different values, so a tree has nothing to split on.",
    ),
    "no rows": ({"X": np.empty((0, 2))}, "X has 0 rows and 2 columns: at least one of each"),
    "resume": ({"resume": True}, "resume=True: there is no earlier training to go on with."),
}


@pytest.mark.parametrize("name", FIT_ERRORS)
def test_fit_says_what_it_cannot_use(name: str) -> None:
    changes, text = FIT_ERRORS[name]
    given = {"X": np.arange(12).reshape(6, 2), "y": range(6), "groups": list("aaabbb"), **changes}
    X, y = given.pop("X"), given.pop("y")
    with pytest.raises(InputError) as raised:
        MetaTreeRegressor(**SMALL).fit(X, y, **given)
    assert text in str(raised.value)


OPTION_ERRORS: dict[str, tuple[Any, str]] = {
    "depth": (9, "depth=9: a whole number from 1 to 8 is needed."),
    "sparsity": (-1, "sparsity=-1: a number from 0 up is needed."),
    "hard_share": (1.5, "hard_share=1.5: a number from 0 to 1 is needed."),
    "learning_rate": (0, "learning_rate=0: a number above 0 up is needed."),
    "leaves": ("median", 'leaves=\'median\': "network" or "mean" is needed.'),
    "max_repeats": (0, "max_repeats=0: a whole number from 1 up is needed."),
    "dynamic": (1, "dynamic=1: True or False is needed."),
    "signed": (True, "signed=True: w may be negative only without beta"),
}


@pytest.mark.parametrize("name", OPTION_ERRORS)
def test_parameters_are_checked(name: str) -> None:
    value, text = OPTION_ERRORS[name]
    with pytest.raises(InputError) as raised:
        MetaTreeRegressor(**{**SMALL, name: value}).fit([[1], [2]], [1, 2], groups=["a", "a"])
    assert text in str(raised.value)


def test_prediction_says_what_it_cannot_use(tmp_path: Path) -> None:
    model = fitted_club()
    X, groups = rows_of("club")
    calls: dict[str, Any] = {
        "groups names 'Zoe', who had no rows in fit (10 groups had). tree_for(X_new, y_new) grows "
        "a tree for a new group from a few examples.": lambda: model.predict(X, groups="Zoe"),
        "groups names 'Zoe', who had no rows": lambda: model.tree_of("Zoe"),
        "X has 1 column(s) that the model was not fitted with: 'more'. Leave them out.": (
            lambda: model.predict(X.assign(more=1), groups=groups)
        ),
        "X lacks the column 'year', which is needed. It has 'minutes', 'genre'": (
            lambda: model.predict(X.drop(columns="year"), groups=groups)
        ),
        "X has 2 columns, and the model was fitted with 6": (
            lambda: model.predict(X.to_numpy()[:, :2], groups=groups)
        ),
        'routing=\'firm\': "hard" or "soft" is needed.': (
            lambda: model.predict(X, groups=groups, routing="firm")
        ),
        "The column 'year' of X holds no numbers": (
            lambda: model.predict(X.assign(year="old"), groups=groups)
        ),
        "X has 0 rows and 6 columns": lambda: model.tree_for(X[:0], []),
        "'mild', which was not a class in fit. The classes are 'high', 'low', 'mid'.": (
            lambda: fitted_classes().tree_for(odd_table()[0][:1], ["mild"])
        ),
        "is not a file that save wrote": lambda: MetaTreeRegressor.load(__file__),
        "holds a MetaTreeRegressor, not a MetaTreeClassifier: use MetaTreeRegressor.load.": (
            lambda: MetaTreeClassifier.load(tmp_path / "model.npz")
        ),
        "is not a JSON file": lambda: MetaTree.load(__file__),
        "This is not a tree that to_dict wrote": lambda: MetaTree.from_dict({"kind": "meta_tree"}),
    }
    model.save(tmp_path / "model.npz")
    for text, call in calls.items():
        with pytest.raises(InputError) as raised:
            call()
        assert text in str(raised.value)


def test_a_file_whose_nodes_go_round_is_refused() -> None:
    plain = fitted_club().tree_of("Clara").to_dict()
    assert "question" in plain["nodes"][0]
    plain["nodes"][0]["yes"] = 0
    with pytest.raises(InputError, match="its nodes are no tree"):
        MetaTree.from_dict(plain)


def test_rules_of_several_columns_predict_but_are_no_tree() -> None:
    X, groups = rows_of("club")
    model = MetaTreeRegressor(**{**SMALL, "max_iter": 1}, sparse=False)
    model.fit(X, club().ratings["rating"], groups=groups)
    assert np.isfinite(model.predict(X, groups=groups)).all()
    with pytest.raises(InputError, match="sparse=False: the rules weigh several columns"):
        model.tree_of("Anna")


@pytest.mark.filterwarnings("ignore:.*send all of their examples to one leaf")
def test_the_benchmark_runs_in_small(tmp_path: Path) -> None:
    from benchmarks.meta_trees.__main__ import main

    main(["--quick", "--out", str(tmp_path), "--cache", str(tmp_path / "cache")])
    page = (tmp_path / "evidence-meta-trees.md").read_text()
    assert "another user's tree" in page
    before = sorted((tmp_path / "cache").rglob("*.json"))
    main(["--quick", "--out", str(tmp_path), "--cache", str(tmp_path / "cache")])
    assert sorted((tmp_path / "cache").rglob("*.json")) == before


@pytest.mark.filterwarnings("ignore")
def test_the_appendix_runs_in_small(tmp_path: Path) -> None:
    from benchmarks.meta_trees.appendix import form, main

    main(["--quick", "--out", str(tmp_path), "--cache", str(tmp_path / "cache")])
    page = (tmp_path / "evidence-meta-trees-appendix.md").read_text()
    assert "## Contrarian users (appendix F)" in page
    assert "## What an edit costs" in page
    tree = fitted_club().tree_of("Anna")
    assert form(tree)[0] == str(tree.columns[0])


def test_a_dataset_that_was_not_measured_keeps_its_section(tmp_path: Path) -> None:
    page = tmp_path / "evidence-meta-trees-table-1.md"
    present = Path(__file__).parents[2] / "docs" / page.name
    page.write_text(present.read_text(encoding="utf-8"), encoding="utf-8")
    means = {"rmse": 1.0, "mae": 0.8}
    table_1.write_table_1(
        {"u1": {"baselines": {"means": means}}, "ml1m": {"baselines": {}}}, tmp_path, 1
    )
    written = page.read_text(encoding="utf-8")
    assert re.search(r"\| user mean \+ item mean - mean +\| 1.000 +\| 0.800", written)
    sections = present.read_text(encoding="utf-8").split("\n## MovieLens-1M\n")
    assert written.endswith("\n## MovieLens-1M\n" + sections[1])


def test_inner_nodes_below_a_leaf_do_not_count() -> None:
    is_leaf = np.array([[False, True, False, False, False, True, False], [True] + 6 * [False]])
    assert n_inner(SimpleNamespace(is_leaf=is_leaf)).tolist() == [3, 0]


def test_without_data_the_benchmark_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.meta_trees.__main__ import main

    monkeypatch.delenv("IMD_DATA", raising=False)
    with pytest.raises(SystemExit, match=r"grouplens\.org/datasets/movielens/100k"):
        main([])


def evidence_page() -> str:
    return (Path(__file__).parents[2] / "docs" / "evidence-meta-trees.md").read_text()


def ablations_of_the_page() -> dict[str, Ablated]:
    """The rows of the page's table of ablations, beside the paper's."""
    rows = {}
    for name in ("main", *ABLATIONS):
        row = rf"^\| {re.escape(report.WORDS[name])} +\| ([\d.]+)[^|]*\| ([\d.]+)([^|]*\|){{3}}$"
        [ours] = re.findall(row, evidence_page(), re.M)
        rows[name] = Ablated(float(ours[0]), float(ours[1]), *TABLE_2[name])
    return rows


def test_the_page_says_how_its_trainings_differ_from_the_papers() -> None:
    page = evidence_page()
    assert report.differences() in page
    assert synthetic_differences() in page
    for figure in ("| 128 ", "| 64 and 64 ", "| 20 and 50 ", "| 0.02, ", "| 0.1 ", "10 to 80 rows"):
        assert figure in page


def test_the_page_has_a_sentence_for_each_ablation_that_disagrees_with_the_paper() -> None:
    text = report.disagreements_text(ablations_of_the_page())
    assert text in evidence_page()
    for name in ("without r", "without beta", "one-hot"):
        assert f"- *{report.WORDS[name]}*: " in text
    assert report.WORDS["train loss"] not in text


def test_sentences_about_ablations_follow_the_figures() -> None:
    same = {name: Ablated(*TABLE_2[name], *TABLE_2[name]) for name in ("main", *ABLATIONS)}
    assert "No ablation" in report.disagreements_text(same)
    worse = same["train loss"]._replace(hard=1.5)
    [sentence] = disagreements({**same, "train loss": worse}, report.WORDS)
    assert "+0.530 (hard) here, by +0.004 and +0.012 in the paper" in sentence


def test_the_collapsed_dynamic_row_stands_beside_the_papers_figures() -> None:
    page = evidence_page()
    assert re.search(
        r"^\| dynamic architecture, depth up to 5 .*\| 0\.948 +\| 0\.975 +\|$", page, re.M
    )
    assert report.dynamic_sentence(1.063, 1.063) in page
