"""Keys that are pressed in the widget never reach the notebook, in JupyterLab and Notebook 7."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.jupyter_lab import (
    ITS_OWN_ERROR,
    MODELS,
    Notebook,
    add_notebook,
    end_kernels,
    open_in_lab,
    open_in_notebook7,
)
from tests.e2e.locators import show_options, tree

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.slow]

PREPARED = f"""{MODELS}
import threading

began, go = threading.Event(), threading.Event()
go.set()
at_once = imd.ModelDiff.refine

def when_let_go(diff, n=1):
    began.set()
    go.wait(60)
    return at_once(diff, n)

imd.ModelDiff.refine = when_let_go
"""
CELLS = [PREPARED, "w", "mine = 'typed by hand'"]

# What command mode takes for add, cut, copy, paste, delete, undo, merge, restart, interrupt, change
# the type, move and extend the selection, run.
COMMAND_KEYS = [
    *("a", "b", "x", "c", "v", "d", "d", "z", "Shift+M", "0", "0", "i", "i", "y", "m", "r", "1"),
    *("j", "k", "Shift+J", "Shift+ArrowDown", "Control+a", "Control+Shift+ArrowUp"),
    *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End"),
    *("Space", "Shift+Enter", "Control+Enter", "Alt+Enter"),
]

# Everything that can have the focus, and what kind it is of: numbers tell no kinds apart, so that
# all boxes of the tree are alike, and all rows.
FOCUSABLE = """(root) => {
  const selector = "a[href], area[href], button, input, select, textarea, summary, iframe, audio, "
    + "video, dialog, [tabindex], [contenteditable]";
  return [root, ...root.querySelectorAll(selector)]
    .filter((element) => element.tabIndex >= -1 && !element.disabled && element.checkVisibility());
}"""
KINDS = (
    f"(root) => ({FOCUSABLE})(root).map((element) => "
    + """{
  const { testid = "" } = element.dataset;
  const words = testid === "" && element.matches("button, a, summary")
    ? (element.ariaLabel ?? element.textContent) : "";
  return [
    element.localName, element.type ?? "", element.role ?? element.getAttribute("role") ?? "",
    testid,
    [...element.classList].filter((name) => !name.startsWith("is-")).join("."),
    words.replace(/[0-9.%,\\s]+/g, " ").trim(),
  ].join("|");
})"""
)
FOCUS = f"(root, at) => ({FOCUSABLE})(root)[at].focus()"
HAS_FOCUS = "(root) => root.contains(document.activeElement)"


@pytest.fixture(params=["lab", "notebook7"])
def notebook(
    page: Page, no_foreign_requests: PageWatch, request: pytest.FixtureRequest
) -> Iterator[Notebook]:
    """A notebook with a widget below its second cell, and a cell of the user's below that."""
    url = request.getfixturevalue(f"{request.param}_url")
    name = re.sub(r"\W+", "-", request.node.name) + ".ipynb"
    add_notebook(url, name, CELLS)
    opened = (open_in_lab if request.param == "lab" else open_in_notebook7)(page, url, name)
    opened.run_all()
    yield opened
    end_kernels(url)
    errors = no_foreign_requests.errors
    if request.param == "notebook7" and ITS_OWN_ERROR in errors:
        errors.remove(ITS_OWN_ERROR)


@pytest.fixture
def widget(notebook: Notebook) -> Locator:
    """The widget, drawn, and every cell run."""
    root = notebook.output(1).locator(".imd-root")
    expect(tree(root)).to_be_visible(timeout=120_000)
    notebook.wait_status("idle")
    return root


def part(widget: Locator, name: str) -> Locator:
    return widget.get_by_test_id(f"imd-{name}")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def untouched(notebook: Notebook, after: str) -> None:
    """The cells are as they were, nobody is asked anything, and the widget has the focus."""
    state = notebook.cells()
    assert [source for _, source in state] == CELLS, after
    assert {kind for kind, _ in state} == {"code"}, after
    assert notebook.mode() == ("command", 1), after
    expect(notebook.page.locator(".jp-Dialog"), after).to_have_count(0)
    assert notebook.output(1).locator(".imd-root").evaluate(HAS_FOCUS), after


def test_no_key_on_any_control_reaches_the_cells(notebook: Notebook, widget: Locator) -> None:
    """Each kind of control once, and what comes to light when it is pressed."""
    tried: set[str] = set()

    def focus(kind: str) -> bool:
        kinds = cast(list[str], widget.evaluate(KINDS))
        if kind in kinds:
            widget.evaluate(FOCUS, kinds.index(kind))
            assert widget.evaluate(HAS_FOCUS), kind
        return kind in kinds

    def untried() -> list[str]:
        if widget.get_by_role("tab", name="Rows", selected=True).count():
            expect(part(widget, "rows-status")).not_to_contain_text("Loading", timeout=30_000)
        return [kind for kind in widget.evaluate(KINDS) if kind not in tried]

    def try_all() -> None:
        # the last ones first: what a tab shows is tried before the next tab hides it
        while kinds := untried():
            kind = kinds[-1]
            tried.add(kind)
            focus(kind)
            press(notebook.page, *COMMAND_KEYS)
            untouched(notebook, f"after keys on {kind}")
            if focus(kind):
                press(notebook.page, "Enter")
                untouched(notebook, f"after Enter on {kind}")

    try_all()
    notebook.python("w.trace(0)")
    expect(part(widget, "trace")).to_be_visible()
    try_all()

    assert {kind.split("|")[0] for kind in tried} >= {"div", "button", "input", "select", "g"}
    whole = "\n".join(sorted(tried))
    for name in (
        *("imd-all", "imd-less", "imd-sensitivity", "imd-refine", "imd-undo", "imd-save"),
        *("treeitem", "imd-zoom-in", "imd-filter", "imd-sort", "imd-outcomes", "pandas"),
        *("Rules", "Rows", "Node", "imd-differing", "imd-next", "≠", "imd-chip"),
        *("imd-help", "Close", "Stop tracing this row"),
    ):
        assert name in whole


def test_each_control_keeps_its_own_keys(notebook: Notebook, widget: Locator) -> None:
    page = notebook.page
    tab_keys(page, widget)
    select_keys(page, part(widget, "sort"))
    tree_keys(page, widget)

    part(widget, "all").focus()
    press(page, "Space")
    expect(part(widget, "all")).to_have_attribute("aria-pressed", "false")
    press(page, "Enter")
    expect(part(widget, "all")).to_have_attribute("aria-pressed", "true")

    press(page, "?")
    expect(widget.locator(".imd-help")).to_be_visible()
    press(page, "Escape")
    expect(widget.locator(".imd-help")).to_have_count(0)
    expect(part(widget, "all")).to_be_focused()

    press(page, "/")
    expect(part(widget, "filter")).to_be_focused()
    press(page, "d", "d")
    expect(part(widget, "filter")).to_have_value("dd")
    press(page, "Escape")
    expect(part(widget, "filter")).to_have_value("")
    show_options(widget)
    slider_keys(page, part(widget, "sensitivity"))
    untouched(notebook, "after each control was used")


def slider_keys(page: Page, slider: Locator) -> None:
    def value() -> float:
        return float(slider.input_value())

    slider.focus()
    press(page, "End")
    assert value() == 1
    press(page, "ArrowLeft", "ArrowDown")
    assert value() == pytest.approx(0.9)
    press(page, "ArrowRight")
    assert value() == pytest.approx(0.95)
    press(page, "PageDown")
    assert value() < 0.95
    press(page, "Home")
    assert value() == 0
    press(page, "PageUp")
    assert value() > 0
    expect(slider).to_be_focused()


def tab_keys(page: Page, widget: Locator) -> None:
    tabs = {name: widget.get_by_role("tab", name=name) for name in ("Rules", "Rows", "Node", "Why")}
    tabs["Rules"].focus()
    for key, name in (
        ("ArrowRight", "Rows"),
        ("End", "Why"),
        ("ArrowLeft", "Node"),
        ("ArrowLeft", "Rows"),
        ("Home", "Rules"),
    ):
        press(page, key)
        expect(tabs[name]).to_have_attribute("aria-selected", "true")
        expect(tabs[name]).to_be_focused()


def select_keys(page: Page, select: Locator) -> None:
    select.focus()
    press(page, "ArrowDown")
    expect(select).to_have_value("coverage")
    press(page, "ArrowUp")
    expect(select).to_have_value("added")


def tree_keys(page: Page, widget: Locator) -> None:
    current = tree(widget).locator('[tabindex="0"]')
    boxes = tree(widget).locator("[data-node]")
    current.focus()
    press(page, "Home")
    first = boxes.and_(widget.locator('[data-node="r"]'))
    expect(first).to_be_focused()
    press(page, "ArrowUp", "ArrowUp")
    expect(first).to_be_focused()
    press(page, "ArrowDown")
    expect(first).not_to_be_focused()
    expect(current).to_be_focused()
    press(page, "End")
    last = current.get_attribute("data-node")
    press(page, "ArrowDown", "ArrowDown")
    expect(current).to_have_attribute("data-node", str(last))
    expect(current).to_be_focused()
    press(page, "Enter")
    expect(current).to_have_attribute("aria-selected", "true")
    press(page, "Escape")
    expect(current).to_have_attribute("aria-selected", "false")


def test_refine_and_then_the_keys_of_the_notebook(notebook: Notebook, widget: Locator) -> None:
    page = notebook.page
    notebook.python("go.clear()")

    part(widget, "refine").click()
    press(page, "d", "d", "x", "b")
    untouched(notebook, "as soon as Refine was clicked")
    expect(part(widget, "refine")).to_have_text("Refining…")
    press(page, "d", "d", "x", "b")
    untouched(notebook, "while Refine works")

    # the button that has the focus goes when the work is done
    expect(part(widget, "cancel")).to_be_visible()
    part(widget, "cancel").focus()
    notebook.start("go.set()")
    expect(part(widget, "status")).to_contain_text("of the differences", timeout=60_000)
    press(page, "d", "d", "x", "b", "0", "0")
    untouched(notebook, "when Refine is done")

    part(widget, "undo").click()
    expect(part(widget, "undo")).to_have_attribute("title", "Nothing to undo", timeout=30_000)
    press(page, "d", "d", "x", "b")
    untouched(notebook, "when there is nothing to undo any more")

    show_options(widget)
    part(widget, "sensitivity").focus()
    notebook.shut_kernel_down()
    expect(part(widget, "status")).to_contain_text("kernel")
    press(page, "ArrowLeft", "d", "d", "x", "b")
    untouched(notebook, "when the kernel is gone")


def test_tab_enters_and_leaves_and_the_notebook_has_its_keys_again(
    notebook: Notebook, widget: Locator
) -> None:
    page = notebook.page
    first = widget.get_by_role("button", name="All figures")
    first.focus()
    # the buttons of the active cell come in their own time, and they are the last thing before us
    page.locator(".jp-Cell.jp-mod-active .jp-cell-toolbar jp-button").last.wait_for()
    press(page, "Shift+Tab")
    assert not widget.evaluate(HAS_FOCUS)
    press(page, "Tab")
    expect(first).to_be_focused()

    # Escape with nothing to let go of leaves the control, and one Shift+Tab the widget
    widget.get_by_role("tab", name="Rules").focus()
    press(page, "Escape")
    expect(widget).to_be_focused()
    press(page, "b", "d", "d")
    untouched(notebook, "after Escape")
    press(page, "Shift+Tab")
    assert not widget.evaluate(HAS_FOCUS)

    with page.expect_response(lambda answer: answer.request.method == "PUT") as saved:
        part(widget, "all").focus()
        press(page, "Control+s")
    assert saved.value.ok
    untouched(notebook, "after it was saved")

    # what is pressed beside the widget is the notebook's
    page.locator(".jp-Notebook .jp-Cell").nth(2).locator(".jp-InputPrompt").click()
    press(page, "b")
    assert len(notebook.cells()) == len(CELLS) + 1
