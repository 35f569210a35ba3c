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
    assert set(imd.show(surrogate, picture=False)._still()) == {"text/plain"}


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png", ".json"])
def test_a_tree_is_saved_by_its_ending(surrogate: Any, tmp_path: Path, suffix: str) -> None:
    path = surrogate.save(tmp_path / "deep" / f"tree{suffix}")
    content = path.read_bytes()
    assert content
    assert imd.show(surrogate).save(tmp_path / f"other{suffix}").read_bytes() == content
    if suffix == ".json":
        assert json.loads(content) == json.loads(json.dumps(surrogate.to_dict()))
    if suffix == ".html":
        text = content.decode()
        data = re.search(r'id="imd-data">(.*?)</script>', text)
        assert data is not None
        assert json.loads(data[1])["tree"] == imd.show(surrogate).tree
        assert "<b>clerk" not in text
        assert "It holds no row of the table." in text


def test_an_exported_tree_is_saved_as_before_and_as_a_page(tmp_path: Path) -> None:
    tree = plain_tree(classes=False)
    assert tree.save(tmp_path / "anna") == tmp_path / "anna"
    assert MetaTree.load(tmp_path / "anna").to_dict() == tree.to_dict()
    page = tree.save(tmp_path / "anna.html").read_text()
    assert "The tree of Anna" in page
    assert tree.save(tmp_path / "anna.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "ask, text",
    [
        (lambda s: s.save("tree.txt"), "'tree.txt' ends in '.txt'. The ending says what to write"),
        (lambda s: s.save("tree"), "'tree' has no ending"),
        (lambda s: imd.TreeWidget(cast(Any, say)), "TreeWidget shows one tree, function came"),
        (lambda s: imd.show(s, max_depth=3), "two models and a table are needed"),
        (lambda s: imd.show(DecisionTreeRegressor()), "one tree: imd.show(imd.surrogate(m, X))"),
    ],
)
def test_what_cannot_be_drawn_or_saved_is_said(surrogate: Any, ask: Any, text: str) -> None:
    with pytest.raises(imd.InputError, match=re.escape(text)):
        ask(surrogate)


def test_only_known_nodes_are_selected(surrogate: Any) -> None:
    w = imd.show(surrogate, height=400, theme="dark", orientation="down")
    w.selected_node = "ry"
    with pytest.raises(traitlets.TraitError, match="there is no node 'rx'"):
        w.selected_node = "rx"
    assert w.selected_node == "ry"
    assert (w.height, w.theme, w.orientation) == (400, "dark", "down")
