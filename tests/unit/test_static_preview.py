"""The static preview of a diff: its MIME types, where it is published, and its failures."""

from __future__ import annotations

import base64
import sys
import types
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from IPython import display

import imd_widget as imd
from imd_widget import plot
from imd_widget.rules.languages import rule_text
from imd_widget.widget.preview_formats import (
    MARK,
    MOST_RULES,
    can_be_hidden,
    diff_preview,
    is_kept,
    text_of,
)

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(size=(400, 3)), columns=["a", "b", "c"])
HALF = np.where(X["a"] > 0.48, "yes", "no")
DISC = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")

VIEW = "application/vnd.jupyter.widget-view+json"
FORMS = {"text/plain", "image/svg+xml", "image/png", "application/pdf"}
MARKS = ("VSCODE_PID", "DATABRICKS_RUNTIME_VERSION", "KAGGLE_KERNEL_RUN_TYPE")


class Shell:
    """A stub of IPython's shell with the attributes that are read."""

    def __init__(self, **names: object) -> None:
        self.user_ns = names


@pytest.fixture(scope="module")
def diff() -> imd.ModelDiff:
    return imd.diff(HALF, DISC, X, max_depth=3, names=("half", "disc"))


@pytest.fixture
def jupyter(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A notebook without identifying variables, wherever the tests run."""
    for name in MARKS:
        monkeypatch.delenv(name, raising=False)
    for name in ("google.colab", "marimo"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    shell_is(monkeypatch, Shell())
    return monkeypatch


def shell_is(patch: pytest.MonkeyPatch, shell: Shell | None) -> None:
    patch.setattr("IPython.core.getipython.get_ipython", lambda: shell)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the outputs that displaying publishes."""
    outputs: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def publish(data: dict[str, Any], metadata: dict[str, Any] | None = None) -> None:
        outputs.append((data, metadata or {}))

    monkeypatch.setattr(display, "publish_display_data", publish)
    return outputs


def drawn_once(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the picture: drawing takes a second, and one test covers it."""
    forms = {"text/plain": "said", "image/svg+xml": "<svg/>", "image/png": "UE5H"}
    monkeypatch.setattr("imd_widget.widget.diff_widget.diff_preview", lambda diff: dict(forms))
    return forms


# --- forms ----------------------------------------------------------------------------------------


def test_every_form_holds_the_picture(diff: imd.ModelDiff) -> None:
    forms = diff_preview(diff)
    assert set(forms) == FORMS
    assert forms["text/plain"] == text_of(diff)
    assert f'<svg id="{MARK}"' in forms["image/svg+xml"]
    assert base64.b64decode(forms["image/png"]).startswith(b"\x89PNG")
    assert base64.b64decode(forms["application/pdf"]).startswith(b"%PDF")


def test_the_text_is_the_headline_and_the_first_rules() -> None:
    many = imd.diff(HALF, DISC, X, max_depth=6)
    assert len(many.rules) > MOST_RULES
    for found in (many, imd.diff(HALF, DISC, X, max_depth=1)):
        text = text_of(found)
        assert text.startswith(found.summary())
        for rule in found.rules[:MOST_RULES]:
            assert rule_text(rule, found.names, aside=True) in text
        more = len(found.rules) - MOST_RULES
        assert ("more rule" in text) == (more > 0)
        if more > 0:
            assert rule_text(found.rules[MOST_RULES], found.names, aside=True) not in text
            assert f"and {more:,} more" in text


def test_models_that_agree_have_a_picture_too() -> None:
    forms = diff_preview(imd.diff(HALF, HALF, X))
    assert set(forms) == FORMS


def test_a_picture_that_cannot_be_drawn_is_a_warning_and_costs_nothing_else(
    diff: imd.ModelDiff, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no font")

    monkeypatch.setattr(plot, "draw_report", broken)
    with pytest.warns(imd.InputWarning, match="no font.*picture=False") as caught:
        forms = diff_preview(diff)
    assert len(caught) == 1
    assert forms == {"text/plain": text_of(diff)}


# --- where it can be hidden -----------------------------------------------------------------------


def test_jupyter_lets_a_widget_hide_it(jupyter: pytest.MonkeyPatch) -> None:
    assert can_be_hidden()
    shell_is(jupyter, None)
    assert can_be_hidden()


@pytest.mark.parametrize("mark", MARKS)
def test_some_notebooks_are_known_by_their_environment(
    jupyter: pytest.MonkeyPatch, mark: str
) -> None:
    jupyter.setenv(mark, "1")
    assert not can_be_hidden()


def test_vs_code_is_known_by_what_it_tells_the_kernel(jupyter: pytest.MonkeyPatch) -> None:
    """The kernel may run on another machine, whose environment has no such variable."""
    shell_is(jupyter, Shell(__vsc_ipynb_file__="/home/me/a.ipynb"))
    assert not can_be_hidden()


def test_colab_is_known_by_its_module(jupyter: pytest.MonkeyPatch) -> None:
    jupyter.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    assert not can_be_hidden()


# --- what is published ----------------------------------------------------------------------------


def test_the_widget_comes_first_and_its_picture_second(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    forms = drawn_once(jupyter)
    imd.show(diff)._ipython_display_()
    (widget, _), (found, metadata) = published
    assert set(widget) == {VIEW}
    assert found == forms
    assert metadata == {kind: {"alt": "said"} for kind in ("image/svg+xml", "image/png")}


def test_colab_learns_which_widget_manager_to_load(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    drawn_once(jupyter)
    output = types.ModuleType("google.colab.output")
    fakes: dict[str, Any] = {"enable_custom_widget_manager": lambda: None}
    fakes["_widgets"] = types.SimpleNamespace(_installed_url="https://manager")
    vars(output).update(fakes)
    jupyter.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    jupyter.setitem(sys.modules, "google.colab.output", output)
    imd.show(diff)._ipython_display_()
    ((found, metadata),) = published
    assert {VIEW, "image/png"} <= set(found)
    assert metadata == {VIEW: {"colab": {"custom_widget_manager": {"url": "https://manager"}}}}


def test_where_it_could_not_be_hidden_both_are_one_output(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    forms = drawn_once(jupyter)
    jupyter.setenv("VSCODE_PID", "1")
    imd.show(diff)._ipython_display_()
    ((both, _),) = published
    assert set(both) == {VIEW, *forms}
    assert both["text/plain"] == "said"


def test_without_a_picture_the_widget_has_its_text(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    drawn_once(jupyter)
    imd.show(diff, picture=False)._ipython_display_()
    ((data, _),) = published
    assert set(data) == {VIEW, "text/plain"}
    assert data["text/plain"] == text_of(diff)


def test_the_widget_is_published_though_the_picture_cannot_be_drawn(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no font")

    jupyter.setattr(plot, "draw_report", broken)
    with pytest.warns(imd.InputWarning, match="no font"):
        imd.show(diff)._ipython_display_()
    (widget, _), (said, _) = published
    assert set(widget) == {VIEW}
    assert said == {"text/plain": text_of(diff)}


def test_marimo_which_drops_it_gets_none(diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch) -> None:
    """marimo requests all MIME types before it shows a widget, and uses none of them."""
    marimo = types.ModuleType("marimo")
    inside = True
    marimo.running_in_notebook = lambda: inside
    assert is_kept()
    jupyter.setitem(sys.modules, "marimo", marimo)
    assert not is_kept()
    jupyter.setattr("imd_widget.widget.diff_widget.diff_preview", pytest.fail)
    data, _ = imd.show(diff)._repr_mimebundle_()
    assert data["text/plain"] == text_of(diff)
    assert not any(kind.startswith("image/") for kind in data)
    inside = False  # imported by a script, or beside Jupyter
    assert is_kept()


def test_an_app_of_solara_gets_the_widget_alone(
    diff: imd.ModelDiff, jupyter: pytest.MonkeyPatch, published: list[Any]
) -> None:
    """Its page shows every output, and has none of the marks by which a widget finds a picture."""
    solara = types.ModuleType("solara.server.kernel_context")
    inside = True
    solara.has_current_context = lambda: inside
    jupyter.setitem(sys.modules, "solara.server.kernel_context", solara)
    assert not is_kept()
    imd.show(diff)._ipython_display_()
    ((data, _),) = published
    assert set(data) == {VIEW, "text/plain"}
    inside = False  # Solara is used in a notebook
    assert is_kept()


# --- names that no XML may hold -------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["\x1b", "\x00", "\ufffe", "\ud800", "\x85", "&<", "\n"])
def test_any_name_makes_a_picture_that_can_be_read(sign: str) -> None:
    named = X.set_axis(pd.Index([f"a{sign}b", "b", "c"], dtype=object), axis=1)
    found = imd.diff(HALF, DISC, named, max_depth=3, names=(f"m{sign}1", "m2"))
    svg = diff_preview(found)["image/svg+xml"]
    root = ElementTree.fromstring(svg.encode("utf-8"))
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert "disagree" in (title.text or "")
