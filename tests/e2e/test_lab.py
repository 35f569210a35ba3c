"""The quick-start notebook in a real JupyterLab: mouse to Python and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.jupyter_lab import Notebook, OpenNotebook
from tests.e2e.locators import click_or_node, rule_cards, show_options, tree

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.slow]

SCREENSHOT = Path(__file__).parents[2] / "out" / "lab.png"

# JupyterLab has rules of its own for lists of terms in an output; they must not reach ours.
FIGURES_OVERLAP = """(card) => [...card.querySelectorAll("dt")].some((term) =>
  term.getBoundingClientRect().bottom > term.nextElementSibling.getBoundingClientRect().top + 1)"""


@pytest.mark.usefixtures("no_foreign_requests")
def test_click_and_refine_reach_python(lab: OpenNotebook, page: Page) -> None:
    notebook = lab("quickstart.ipynb")
    notebook.run_all()
    widget = page.locator(".imd-root").first
    expect(tree(widget)).to_be_visible(timeout=120_000)
    owner = notebook.python("print(w.diff.rules[0].nodes[0])")

    click_or_node(widget, owner)

    expect(rule_cards(widget).first).to_be_visible()
    assert rule_cards(widget).first.evaluate(FIGURES_OVERLAP) is False
    assert notebook.python("print(w.selected_node)") == owner
    assert steps_and_rules(notebook)[0] == 0
    before = notebook.python("print(w.diff.rules)")

    widget.get_by_test_id("imd-refine").click()

    expect(widget.get_by_test_id("imd-status")).to_contain_text(
        "of the differences", timeout=60_000
    )
    expect(widget.get_by_test_id("imd-error")).to_have_count(0)
    steps, rules = steps_and_rules(notebook)
    assert steps == 1
    assert notebook.python("print(w.diff.rules)") != before
    SCREENSHOT.parent.mkdir(exist_ok=True)
    page.screenshot(path=str(SCREENSHOT))

    notebook.python("w.selected_node = ''")

    expect(rule_cards(widget)).to_have_count(rules)
    rows_are_traced(notebook, widget)
    depth_is_changed(notebook, widget)


def rows_are_traced(notebook: Notebook, widget: Locator) -> None:
    """The rows of a rule come from the kernel; a click on one traces it, here and in Python."""
    rule_cards(widget).first.click()
    widget.get_by_role("tab", name="Rows").click()
    inside = notebook.python("print(len(w.selected_rows))")
    expect(widget.get_by_test_id("imd-rows-status")).to_contain_text(f"of {inside}")
    place = notebook.python("print(w.diff.rules[w.selected_rules[0]].mask(w.diff.table).argmax())")

    widget.locator("tbody tr").first.click()

    expect(widget.get_by_test_id("imd-trace")).to_be_visible()
    assert notebook.python("print(w.traced['row'])") == place
    notebook.python("w.trace(None)")
    expect(widget.get_by_test_id("imd-trace")).to_have_count(0)


def depth_is_changed(notebook: Notebook, widget: Locator) -> None:
    """Another depth without asking the models again, and back."""
    show_options(widget)
    widget.get_by_role("button", name="Decrease depth").click()
    expect(widget.get_by_test_id("imd-depth")).to_have_text("3")
    for _ in range(30):  # many quick clicks are one question, so the question waits a little
        if notebook.python("print(w.diff.max_depth)") == "3":
            break
        widget.page.wait_for_timeout(500)
    else:
        raise AssertionError("Python was not asked for another depth")
    notebook.python("w.undo()")
    expect(widget.get_by_test_id("imd-depth")).to_have_text("4")


def steps_and_rules(notebook: Notebook) -> tuple[int, int]:
    """Refinement steps done and number of rules, as Python sees them."""
    steps, rules = notebook.python("print(w.diff.refinements, len(w.diff.rules))").split()
    return int(steps), int(rules)


@pytest.mark.usefixtures("no_foreign_requests")
def test_why_they_differ_is_explained_by_the_kernel(lab: OpenNotebook, page: Page) -> None:
    """Contributions and curves of a rule, then a row of it, which is edited and put back."""
    notebook = lab("quickstart.ipynb")
    notebook.run_all()
    widget = page.locator(".imd-root").first
    expect(tree(widget)).to_be_visible(timeout=120_000)
    rule_cards(widget).first.click()
    widget.get_by_role("tab", name="Rows").click()
    widget.locator("tbody tr").first.click()
    expect(widget.get_by_test_id("imd-trace")).to_be_visible()

    widget.get_by_role("tab", name="Why").click()

    inside = notebook.python("print(len(w.selected_rows))")
    expect(widget.get_by_test_id("imd-why-title")).to_contain_text(
        f"on {inside} rows", timeout=60_000
    )
    notebook.python("e = w.diff.explain(w.diff.rules[w.selected_rules[0]], row=w.traced['row'])")
    gap = notebook.python("print(f'{e.contributions.gap:+.2f}'.replace('-', '−'))")
    expect(widget.get_by_test_id("imd-contributions").locator(".is-sum td").last).to_have_text(
        gap, timeout=60_000
    )
    read_curves(widget, notebook)
    edit_row(widget, notebook)


def read_curves(widget: Locator, notebook: Notebook) -> None:
    """The first point of the first curves is what Python computes."""
    widget.get_by_test_id("imd-curves-part").locator(".imd-disclosure").click()
    column, first, one, two = notebook.python(
        "c = e.curves()[0]\n"
        "print(c.column, c.texts[0], f'{c.first[0]:.3g}', f'{c.second[0]:.3g}', sep='|')"
    ).split("|")
    curves = widget.get_by_test_id("imd-curves")
    chart = curves.locator(f'.imd-curve[data-column="{column}"]')
    expect(chart).to_be_visible(timeout=60_000)
    chart.get_by_role("button").press("ArrowRight")
    reading = chart.locator(".imd-reading")
    expect(reading).to_contain_text(f"{first}: ")
    for value in (one, two):
        expect(reading).to_contain_text(f" {value}")


def edit_row(widget: Locator, notebook: Notebook) -> None:
    """Another value in the first field moves the outputs, undo moves them back."""
    field = widget.get_by_test_id("imd-editor").locator("input").first
    expect(field).to_be_visible(timeout=60_000)
    position = field.get_attribute("data-position")
    outputs = widget.get_by_test_id("imd-outputs")
    before = outputs.inner_text()
    value = notebook.python(f"c = w.diff.table.names[{position}]\nprint(X[c].max())")
    field.fill(value)
    field.press("Enter")
    said = notebook.python("print(w.diff.what_if(w.traced['row'], {c: X[c].max()}))")
    expect(widget.get_by_test_id("imd-what-if-text")).to_have_text(said, timeout=60_000)
    expect(outputs.locator("b").first).to_be_visible()
    widget.get_by_test_id("imd-what-if-undo").click()
    expect(outputs.locator("b")).to_have_count(0, timeout=60_000)
    assert outputs.inner_text() == before
