"""One tree by itself: its view, widget, page, picture, and what can be drawn."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import traitlets
from matplotlib import pyplot
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import imd_widget as imd
from imd_widget.learners.meta_trees.tree import MetaTree
from imd_widget.views import schema
from tests.unit.conformance import departures

mpl.use("Agg")

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, 400),
        "job": RNG.choice(["cook", "nurse", "<b>clerk</b>"], 400),
        "pay": np.where(RNG.random(400) < 0.1, np.nan, RNG.normal(30, 5, 400)),
    }
)


def say(table: pd.DataFrame) -> np.ndarray:
    return np.where((table["age"] < 40) & (table["job"] == "cook"), "yes", "no")


@pytest.fixture(scope="module")
def surrogate() -> Any:
    return imd.surrogate(say, X, name="desk")


def plain_tree(classes: bool) -> MetaTree:
    """An exported tree as a file has it; training it would need JAX."""
    value = ([0.25, 0.75], [1.0, 0.0], [0.0, 1.0]) if classes else ([2.5], [1.0], [4.0])
    question = {"column": "age", "position": 0, "kind": "number", "threshold": 40}
    return MetaTree.from_dict(
        {
            "kind": "meta_tree",
            "version": 1,
            "group": "Anna",
            "classes": ["no", "yes"] if classes else None,
            "nodes": [
                {
                    "value": value[0],
                    "n_examples": 12,
                    "question": {**question, "missing": False, "had_missing": False},
                    "no": 1,
                    "yes": 2,
                },
                {"value": value[1], "n_examples": 3},
                {"value": value[2], "n_examples": 9},
            ],
        }
    )


def drawables() -> dict[str, Any]:
    numbers = X[["age"]]
    classes = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[["age"]], say(X))
    return {
        "surrogate": imd.surrogate(say, X, name="desk"),
        "meta": plain_tree(classes=False),
        "meta classes": plain_tree(classes=True),
        "classifier": classes,
        "regressor": DecisionTreeRegressor(max_depth=2).fit(numbers, X["age"] ** 2),
        "pipeline": make_pipeline(
            StandardScaler().set_output(transform="pandas"), DecisionTreeRegressor(max_depth=2)
        ).fit(numbers, X["age"] ** 2),
        "one leaf": DecisionTreeRegressor().fit(numbers, np.ones(400)),
    }


@pytest.mark.parametrize("name", list(drawables()))
def test_every_tree_has_a_view_whose_rows_and_paths_add_up(name: str) -> None:
    view: Any = imd.show(drawables()[name]).tree
    assert departures(view, schema.OneTreeView) == []
    json.dumps(view, allow_nan=False)
    nodes = {node["id"]: node for node in view["nodes"]}
    assert view["nodes"][0]["id"] == "r"
    for node in view["nodes"]:
        below = [nodes[node["id"] + letter] for letter in "yn" if node["id"] + letter in nodes]
        assert (node["kind"] == "leaf") == (below == []) == (node["condition"] is None)
        assert len(node["id"]) - 1 == node["depth"]
        if below:
            assert node["rows"] == sum(child["rows"] for child in below)
            assert [child["edge"] for child in below] == ["yes", "no"]
            asked = " ".join(below[0]["conditions"])
            assert node["column"] in asked
    assert nodes["r"]["conditions"] == []
    assert (view["outputs"]["kind"] == "class") == bool(view["classes"])


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_the_conditions_of_a_tree_of_scikit_learn_select_its_rows(name: str) -> None:
    tree = drawables()[name]
    for node in imd.show(tree).tree["nodes"]:
        text = " and ".join(f"({own})" for own in node["conditions"]) or "age == age"
        assert len(X.query(text)) == node["rows"]
        said = pd.Series(tree.predict(X.query(text)[["age"]]))
        if node["kind"] == "leaf" and name == "classifier":
            assert set(said) == {node["said"]}
        elif node["kind"] == "leaf":
            assert said.unique() == pytest.approx([node["value"]])


def test_the_nodes_of_a_surrogate_are_its_own(surrogate: Any) -> None:
    view = imd.show(surrogate).tree
    leaves = [node for node in view["nodes"] if node["kind"] == "leaf"]
    assert [node["value"] for node in leaves] == [leaf.value for leaf in surrogate.leaves]
    assert [" and ".join(node["conditions"]) for node in leaves] == list(map(str, surrogate.leaves))
    assert view["title"] == "A decision tree that imitates desk: share of votes for yes."
    assert view["sentences"][0] == surrogate.fidelity
    assert (view["outputs"]["low"], view["outputs"]["high"]) == (
        min(node.value for node in surrogate.nodes),
        max(node.value for node in surrogate.nodes),
    )
    assert not view["careful"]


def test_a_surrogate_that_imitates_badly_is_a_warning() -> None:
    noise = np.random.default_rng(1).normal(size=400)
    assert imd.show(imd.surrogate(noise, X, outputs="value")).tree["careful"]


def test_an_exported_tree_says_whose_it_is() -> None:
    view = imd.show(plain_tree(classes=True)).tree
    assert view["title"] == "The tree of Anna: class."
    root, yes, no = view["nodes"]
    assert (root["condition"], root["said"], root["purity"]) == ("age >= 40", "yes", 0.75)
    assert (yes["conditions"], yes["said"], yes["rows"]) == (["age >= 40"], "yes", 9)
    assert (no["conditions"], no["said"], no["label"]) == (["age < 40"], "no", 0)
    numbers = imd.show(plain_tree(classes=False)).tree
    assert [node["value"] for node in numbers["nodes"]] == [2.5, 4.0, 1.0]


def texts_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("orientation", ["right", "down"])
@pytest.mark.parametrize("name", list(drawables()))
def test_a_plot_has_every_node(name: str, orientation: str) -> None:
    widget = imd.show(drawables()[name])
    ax = widget.drawable.plot(orientation=orientation)
    written = texts_of(ax)
    pyplot.close(ax.figure)
    view: Any = widget.tree
    leaves = [node for node in view["nodes"] if node["kind"] == "leaf"]
    splits = [node for node in view["nodes"] if node["kind"] == "split"]
    assert written[0].startswith(view["title"].split()[0])
    for node in leaves:
        rows = f"{node['rows']:,} row{'' if node['rows'] == 1 else 's'}"
        sure = node["purity"] in (None, 1)
        assert (rows if sure else f"{rows} · {100 * node['purity']:.0f}\xa0%") in written
        assert node["said"] in written
    for node in splits:
        assert f"{node['said']} · {node['rows']:,} rows" in written
        assert any(node["column"] in text for text in written)
    assert sum(text == "yes" for text in written) >= len(splits)
    assert not any(text.startswith("agree") or text.endswith("differ") for text in written)
    assert "same rows, seen by both models" not in written
    assert set(view["classes"]) <= set(written)


def test_a_plot_into_axes_is_scaled_to_fit(surrogate: Any) -> None:
    figure, axes = pyplot.subplots(1, 2, figsize=(14, 6))
    assert surrogate.plot(axes[0]) is axes[0]
    assert not axes[1].texts
    pyplot.close(figure)
    figure, ax = pyplot.subplots(figsize=(1.5, 1.5))
    with pytest.warns(
        imd.InputWarning, match=r"too small to read. Give it up to .* \(ax=None\)\.$"
    ):
        surrogate.plot(ax)
    pyplot.close(figure)


def test_a_plot_warns_in_another_colour_if_the_surrogate_imitates_badly(surrogate: Any) -> None:
    noise = np.random.default_rng(1).normal(size=400)
    bad = imd.surrogate(noise, X, outputs="value").plot()
    good = surrogate.plot()
    sentence = next(text for text in bad.texts if "R²" in text.get_text())
    usual = next(text for text in good.texts if "R²" in text.get_text())
    assert sentence.get_color() != usual.get_color()
    pyplot.close("all")


@pytest.mark.parametrize(
    "options, text",
    [({"orientation": "up"}, "orientation='up'"), ({"ax": 3}, "ax is a int: pass one")],
)
def test_bad_options_of_a_plot(surrogate: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(imd.InputError, match=re.escape(text)):
        surrogate.plot(**options)


def test_two_trees_and_a_table_are_still_two_models() -> None:
    w = imd.show(plain_tree(classes=False), lambda t: np.where(t["age"] < 40, 1.0, 9.0), X)
    assert isinstance(w, imd.DiffWidget)


def test_jax_is_not_needed() -> None:
    code = (
        "import sys; sys.modules['jax'] = None\n"
        "from tests.unit.test_one_tree import plain_tree\n"
        "import imd_widget as imd; print(imd.show(plain_tree(True)).tree['title'])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout == "The tree of Anna: class.\n"


def test_a_notebook_draws_the_tree_and_keeps_a_picture(
    surrogate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from IPython import display

    published: list[Any] = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, _: published.append(data))
    pyplot.close("all")
    surrogate._ipython_display_()
    widget, picture = published
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert picture["image/svg+xml"].count("<text") > 5
    assert picture["text/plain"].startswith("A decision tree that imitates desk")
    assert pyplot.get_fignums() == [], "the inline backend would draw it once more"
    assert set(imd.show(surrogate, picture=False)._static_preview()) == {"text/plain"}


@pytest.mark.parametrize(
    "ask, text",
    [
        (lambda s: imd.TreeWidget(cast(Any, say)), "TreeWidget expects one tree, got function"),
        (lambda s: imd.show(s, max_depth=3), "two models and a table are required"),
        (lambda s: imd.show(DecisionTreeRegressor()), "one tree, imd.show(imd.surrogate(m, X))"),
    ],
)
def test_what_cannot_be_drawn_is_said(surrogate: Any, ask: Any, text: str) -> None:
    with pytest.raises(imd.InputError, match=re.escape(text)):
        ask(surrogate)


def test_only_known_nodes_are_selected(surrogate: Any) -> None:
    w = imd.show(surrogate, height=400, theme="dark", orientation="down")
    w.selected_node = "ry"
    with pytest.raises(traitlets.TraitError, match="there is no node 'rx'"):
        w.selected_node = "rx"
    assert w.selected_node == "ry"
    assert (w.height, w.theme, w.orientation) == (400, "dark", "down")


def test_renamed_names_still_work(surrogate: Any) -> None:
    from imd_widget.rules import drawn_tree, tree_record

    with pytest.warns(DeprecationWarning, match=r"use to_record\(\)"):
        assert surrogate.drawn_tree() == surrogate.to_record()
    for old, new in (
        ("Drawable", "PlottableTree"),
        ("DrawnNode", "NodeRecord"),
        ("DrawnTree", "TreeRecord"),
    ):
        with pytest.warns(DeprecationWarning, match=new):
            assert getattr(drawn_tree, old) is getattr(tree_record, new)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = drawn_tree.other
