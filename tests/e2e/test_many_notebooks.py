"""More than two models in a real JupyterLab and a real marimo: a click on a cell reaches Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.jupyter_lab import Notebook, add_notebook, end_kernels, open_in_lab
from tests.e2e.locators import rule_cards, show_options, tree
from tests.e2e.marimo_server import Marimo, serve_marimo
from tests.e2e.test_saved_notebook import SVG

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.slow]

MODELS = """
import numpy as np
import pandas as pd
import imd_widget as imd

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(600, 3)), columns=["a", "b", "c"])
half = np.where(X["a"] > 0.5, "yes", "no")
disc = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")
edge = np.where((X["a"] > 0.5) | (X["c"] > 0.8), "yes", "no")
models = {"half": half, "disc": disc, "edge": edge}
c = imd.compare(models, X, y=half, max_depth=3)
"""

MARIMO = f"""
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
{"".join(f"    {line}" + chr(10) for line in MODELS.strip().splitlines())}
    return c, imd, mo


@app.cell
def _(c, imd, mo):
    w = mo.ui.anywidget(imd.show(c))
    w
    return (w,)


@app.cell
def _(mo, w):
    names = None if w.diff is None else w.diff.names
    steps = None if w.diff is None else w.diff.refinements
    mo.md(f"Python: {{names}}, pair {{w.pair}}, rules {{w.selected_rules}}, steps {{steps}}.")
    return


if __name__ == "__main__":
    app.run()
"""


def part(root: Locator, name: str) -> Locator:
    return root.get_by_test_id(f"imd-{name}")


def cell(root: Locator, first: int, second: int) -> Locator:
    return root.locator(f'[data-place="{first},{second}"]')


def open_pair(root: Locator, first: int, second: int, names: tuple[str, str]) -> None:
    """Click on a cell, and wait for the tree of these two."""
    cell(root, first, second).click()
    title = f"{names[0]} (model 1) vs. {names[1]} (model 2)"
    expect(part(root, "pair")).to_have_text(title, timeout=60_000)
    expect(part(root, "headline")).to_contain_text(f"{names[0]} and {names[1]} disagree")
    expect(tree(root)).to_be_visible()


def chosen(root: Locator) -> Locator:
    return rule_cards(root).locator("button[aria-pressed=true]")


# --- JupyterLab -----------------------------------------------------------------------------------


@pytest.fixture
def notebook(lab_url: str, page: Page, no_foreign_requests: PageWatch) -> Iterator[Notebook]:
    add_notebook(lab_url, "models.ipynb", [MODELS + "w = imd.show(c)\nw"])
    notebook = open_in_lab(page, lab_url, "models.ipynb")
    notebook.run_all()
    yield notebook
    end_kernels(lab_url)


def test_in_jupyterlab_each_pair_keeps_its_own(notebook: Notebook, page: Page) -> None:
    widget = page.locator(".imd-root").first
    expect(part(widget, "matrix")).to_be_visible(timeout=120_000)
    expect(tree(widget)).to_have_count(0)
    assert notebook.python("print(w.diff, w.pair)") == "None []"

    open_pair(widget, 0, 1, ("half", "disc"))
    assert notebook.python("print(w.pair, w.diff is c['half', 'disc'])") == "[0, 1] True"
    rule_cards(widget).first.locator("button").first.click()
    expect(chosen(widget)).to_have_count(1)
    number = rule_cards(widget).first.get_attribute("data-rule")
    notebook.wait_python("w.selected_rules", f"[{number}]")

    open_pair(widget, 1, 2, ("disc", "edge"))
    assert notebook.python("print(w.pair, w.diff.names)") == "[1, 2] ('disc', 'edge')"
    expect(chosen(widget)).to_have_count(0)
    notebook.wait_python("w.selected_rules", "[]")
    part(widget, "refine").click()
    expect(part(widget, "status").last).to_contain_text("of the differences", timeout=60_000)
    notebook.wait_python("w.diff.refinements", "1")

    open_pair(widget, 0, 1, ("half", "disc"))
    expect(chosen(widget)).to_have_count(1)
    notebook.wait_python("(w.selected_rules, w.diff.refinements)", f"([{number}], 0)")
    part(widget, "swap").click()
    expect(part(widget, "pair")).to_have_text("disc (model 1) vs. half (model 2)")
    notebook.wait_python("w.pair", "[1, 0]")

    notebook.python("w.open('disc', 'edge')")
    expect(part(widget, "pair")).to_have_text("disc (model 1) vs. edge (model 2)")
    notebook.wait_python("w.diff.refinements", "1")
    expect(part(widget, "undo")).to_be_enabled()
    expect(part(widget, "error")).to_have_count(0)


def test_in_jupyterlab_keys_are_the_matrix_s(notebook: Notebook, page: Page) -> None:
    """Letters and arrows that are shortcuts of the notebook elsewhere."""
    widget = page.locator(".imd-root").first
    expect(part(widget, "matrix")).to_be_visible(timeout=120_000)
    before = notebook.cells()
    cell(widget, 0, 1).focus()
    for key in ("a", "b", "d", "d", "x", "m", "y"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    assert notebook.cells() == before
    place = page.evaluate("document.activeElement.dataset.place")
    first, second = map(int, place.split(","))
    if first == second:
        page.keyboard.press("ArrowRight")
        place = page.evaluate("document.activeElement.dataset.place")
    page.keyboard.press("Enter")
    expect(part(widget, "pair")).to_be_focused(timeout=60_000)
    notebook.wait_python("','.join(map(str, w.pair))", place)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.place") == place


def test_in_jupyterlab_the_matrix_hides_its_picture_and_outlives_the_kernel(
    notebook: Notebook, page: Page
) -> None:
    widget = page.locator(".imd-root").first
    expect(part(widget, "matrix")).to_be_visible(timeout=120_000)
    picture = notebook.output(0).locator(SVG)
    expect(picture).to_have_count(1, timeout=60_000)
    expect(picture).to_be_hidden()
    open_pair(widget, 0, 1, ("half", "disc"))
    notebook.shut_kernel_down()
    expect(part(widget, "status").last).to_contain_text("gone", timeout=60_000)
    cell(widget, 1, 2).click()
    expect(part(widget, "pair")).to_have_text("half (model 1) vs. disc (model 2)")


# --- marimo ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["run", "edit"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Marimo]:
    notebooks = tmp_path_factory.mktemp("marimo-models")
    (notebooks / "models.py").write_text(MARIMO, encoding="utf-8")
    home = tmp_path_factory.mktemp(f"marimo-models-{request.param}")
    with serve_marimo(request.param, notebooks, home) as server:
        yield server


def python_says(page: Page, what: str) -> None:
    said = page.get_by_text("Python: ").and_(page.locator(".paragraph"))
    expect(said).to_contain_text(what, timeout=30_000)


def test_in_marimo_each_pair_keeps_its_own(
    server: Marimo, page: Page, no_foreign_requests: PageWatch
) -> None:
    server.open(page, Path("models.py"))
    widget = page.locator(".imd-root").first
    expect(part(widget, "matrix")).to_be_visible(timeout=120_000)
    python_says(page, "None, pair []")

    open_pair(widget, 0, 1, ("half", "disc"))
    python_says(page, "('half', 'disc'), pair [0, 1], rules [], steps 0")
    rule_cards(widget).first.locator("button").first.click()
    number = rule_cards(widget).first.get_attribute("data-rule")
    python_says(page, f"rules [{number}]")

    open_pair(widget, 1, 2, ("disc", "edge"))
    expect(chosen(widget)).to_have_count(0)
    show_options(widget)
    part(widget, "refine").click()
    python_says(page, "('disc', 'edge'), pair [1, 2], rules [], steps 1")

    open_pair(widget, 0, 1, ("half", "disc"))
    expect(chosen(widget)).to_have_count(1)
    python_says(page, f"('half', 'disc'), pair [0, 1], rules [{number}], steps 0")
    expect(part(widget, "error")).to_have_count(0)
    server.forget()
