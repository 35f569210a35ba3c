"""The widget in a real Notebook 7: mouse to Python and back, its picture, its theme."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.jupyter_lab import (
    ITS_OWN_ERROR,
    MODELS,
    Notebook,
    add_notebook,
    end_kernels,
    open_in_notebook7,
)
from tests.e2e.locators import click_or_node, rule_cards, tree

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.slow]

PICTURE = 'img[src^="data:image/svg+xml"]'


@pytest.fixture
def notebook(
    notebook7_url: str,
    page: Page,
    no_foreign_requests: PageWatch,
    request: pytest.FixtureRequest,
) -> Iterator[Notebook]:
    """A notebook that shows a widget below its second cell, run."""
    name = re.sub(r"\W+", "-", request.node.name) + ".ipynb"
    add_notebook(notebook7_url, name, [MODELS, "w"])
    opened = open_in_notebook7(page, notebook7_url, name)
    opened.run_all()
    yield opened
    end_kernels(notebook7_url)
    errors = no_foreign_requests.errors
    if ITS_OWN_ERROR in errors:
        errors.remove(ITS_OWN_ERROR)  # once: a second one would be news


@pytest.fixture
def widget(notebook: Notebook) -> Locator:
    """The widget, drawn."""
    root = notebook.output(1).locator(".imd-root")
    expect(tree(root)).to_be_visible(timeout=60_000)
    return root


def part(widget: Locator, name: str) -> Locator:
    return widget.get_by_test_id(f"imd-{name}")


def test_an_or_node_shows_its_rules_here_and_in_python(notebook: Notebook, widget: Locator) -> None:
    owner = notebook.python("print(w.diff.rules[0].nodes[0])")

    click_or_node(widget, owner)

    notebook.wait_python("w.selected_node", owner)
    below = "any(node.startswith(w.selected_node) for node in rule.nodes)"
    count = notebook.python(f"print(sum({below} for rule in w.diff.rules))")
    expect(rule_cards(widget)).to_have_count(int(count))
    expect(widget.locator('[data-rule="0"]')).to_be_visible()


def test_refine_rows_and_undo_reach_python(notebook: Notebook, widget: Locator) -> None:
    before = notebook.python("before = w.diff; print(w.diff.rules)")

    part(widget, "refine").click()

    expect(part(widget, "status")).to_contain_text("of the differences", timeout=60_000)
    expect(part(widget, "error")).to_have_count(0)
    assert notebook.python("print(w.diff.refinements)") == "1"
    assert notebook.python("print(w.diff.rules)") != before

    rule_cards(widget).first.click()
    notebook.wait_python("w.selected_rules", "[0]")
    widget.get_by_role("tab", name="Rows").click()

    inside = notebook.python("print(len(w.selected_rows))")
    expect(part(widget, "rows-status")).to_contain_text(f"of {inside}", timeout=30_000)
    expect(widget.locator("tbody tr").first).to_be_visible()

    part(widget, "undo").click()

    expect(part(widget, "undo")).to_have_attribute("title", "Nothing to undo", timeout=30_000)
    assert notebook.python("print(w.diff is before)") == "True"


def test_the_picture_is_hidden_where_the_widget_runs(notebook: Notebook, widget: Locator) -> None:
    picture = notebook.output(1).locator(PICTURE)
    expect(picture).to_have_count(1, timeout=60_000)
    expect(picture).to_be_hidden()
    expect(widget).to_be_visible()


def test_the_theme_of_the_notebook_is_followed(
    notebook: Notebook, widget: Locator, page: Page
) -> None:
    expect(widget).to_have_attribute("data-theme", "light")
    light = background(widget)

    notebook.change_theme("JupyterLab Dark")

    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false", timeout=30_000)
    expect(widget).to_have_attribute("data-theme", "dark")
    assert background(widget) != light

    notebook.change_theme("JupyterLab Light")

    expect(widget).to_have_attribute("data-theme", "light", timeout=30_000)
    assert background(widget) == light


def background(widget: Locator) -> str:
    return str(widget.evaluate("(root) => getComputedStyle(root).backgroundColor"))
