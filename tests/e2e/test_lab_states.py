"""The widget and its kernel in a real JupyterLab: busy, at work, gone, shared, a stranger."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.jupyter_lab import (
    Notebook,
    add_notebook,
    end_kernels,
    lab_setting,
    open_in_lab,
)
from tests.e2e.locators import reason_of, rule_cards, show_options, tree

pytestmark = [
    pytest.mark.browser,
    pytest.mark.lab,
    pytest.mark.slow,
    pytest.mark.usefixtures("no_foreign_requests"),
]

# As js/host/kernel.ts and js/host/presence.ts have them.
NONE = "No kernel: rerun the notebook."
GONE = "The kernel is gone: rerun the notebook."
CANCELLED = "Cancelled; nothing changed."

MODELS = """
import os, threading, time
import numpy as np
import pandas as pd
import imd_widget as imd

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(600, 3)), columns=["a", "b", "c"])
half = np.where(X["a"] > 0.5, "yes", "no")
disc = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")
"""
WIDGET = MODELS + "w = imd.show(half, disc, X, max_depth=3)"
OTHER = "v = imd.show(disc, half, X, max_depth=3, names=('disc', 'half'))"
BUSY = "slept = False; time.sleep(3); slept = True"

# A step of refinement that takes until it is let go.
SLOW = """
began, go, ended = threading.Event(), threading.Event(), threading.Event()
at_once = imd.ModelDiff.refine

def slowly(diff, n=1):
    began.set()
    go.wait(30)
    try:
        return at_once(diff, n)
    finally:
        ended.set()

imd.ModelDiff.refine = slowly
"""

OpenWith = Callable[..., Notebook]


@pytest.fixture
def notebook_of(lab_url: str, page: Page, request: pytest.FixtureRequest) -> Iterator[OpenWith]:
    """Open a new notebook with the given cells, and start them all."""

    def open_notebook(*cells: str) -> Notebook:
        name = re.sub(r"\W+", "-", request.node.name) + ".ipynb"
        add_notebook(lab_url, name, cells)
        notebook = open_in_lab(page, lab_url, name)
        notebook.run_all()
        return notebook

    yield open_notebook
    end_kernels(lab_url)


@pytest.fixture
def heard(request: pytest.FixtureRequest, lab_url: str) -> Iterator[str]:
    """Where a widget is heard: between the cells, or beside them in a thread (subshells)."""
    comms = {"between cells": "disabled", "beside cells": "perCommTarget"}[request.param]
    plugin = "@jupyterlab/apputils-extension:kernels-settings"
    with lab_setting(lab_url, plugin, {"commsOverSubshells": comms}):
        yield request.param


between_cells = pytest.mark.parametrize("heard", ["between cells"], indirect=True)
beside_cells = pytest.mark.parametrize("heard", ["beside cells"], indirect=True)
everywhere = pytest.mark.parametrize("heard", ["between cells", "beside cells"], indirect=True)


def shown(notebook: Notebook, cell: int) -> Locator:
    """The widget below a cell, drawn."""
    widget = notebook.output(cell).locator(".imd-root")
    expect(tree(widget)).to_be_visible(timeout=60_000)
    return widget


def part(widget: Locator, name: str) -> Locator:
    return widget.get_by_test_id(f"imd-{name}")


def selected(widget: Locator) -> Locator:
    """Cards of the rules that are selected."""
    return rule_cards(widget).locator("button[aria-pressed=true]")


def refine(notebook: Notebook, widget: Locator, variable: str = "w") -> None:
    """Press Refine, and see that it is done, here and in Python."""
    before = steps(notebook, variable)
    part(widget, "refine").click()
    is_refined(notebook, widget, before + 1, variable)


def is_refined(notebook: Notebook, widget: Locator, times: int, variable: str = "w") -> None:
    expect(part(widget, "status")).to_contain_text("of the differences", timeout=30_000)
    expect(part(widget, "undo")).to_have_attribute("aria-disabled", "false")
    expect(part(widget, "error")).to_have_count(0)
    assert steps(notebook, variable) == times


def undo(notebook: Notebook, widget: Locator) -> None:
    """Undo the only step, and see that it is done, here and in Python."""
    part(widget, "undo").click()
    expect(part(widget, "undo")).to_have_attribute("title", "Nothing to undo")
    assert steps(notebook) == 0


def steps(notebook: Notebook, variable: str = "w") -> int:
    """Refinement steps done, as Python sees it, once the cells that run have ended."""
    return int(notebook.python(f"print({variable}.diff.refinements)"))


# --- busy -----------------------------------------------------------------------------------------


@between_cells
def test_a_busy_kernel_is_waited_for(heard: str, notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w")
    widget = shown(notebook, 1)
    notebook.start(BUSY)

    part(widget, "refine").click()

    expect(part(widget, "status")).to_contain_text("The kernel is busy")
    expect(part(widget, "cancel")).to_be_visible()
    is_refined(notebook, widget, 1)
    expect(part(widget, "cancel")).to_have_count(0)
    assert notebook.python("print(slept)") == "True"


@between_cells
def test_waiting_is_cancelled(heard: str, notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w")
    widget = shown(notebook, 1)
    notebook.start(BUSY)
    part(widget, "refine").click()
    expect(part(widget, "status")).to_contain_text("The kernel is busy")

    part(widget, "cancel").click()

    expect(part(widget, "status")).to_have_text(CANCELLED)
    expect(part(widget, "refine")).to_have_attribute("aria-disabled", "false")
    assert notebook.python("print(slept, w.diff.refinements)") == "True 0"
    expect(part(widget, "status")).to_have_text(CANCELLED)
    refine(notebook, widget)


@beside_cells
def test_nobody_waits_for_a_cell_beside(heard: str, notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w")
    widget = shown(notebook, 1)
    if not notebook.has_subshells():
        pytest.skip("this kernel has no subshells")
    refine(notebook, widget)
    notebook.python("done = threading.Event(); w.observe(lambda _: done.set(), 'diff')")
    notebook.start("beside = done.wait(30)")

    part(widget, "refine").click()

    is_refined(notebook, widget, 2)
    assert notebook.python("print(beside)") == "True"


@beside_cells
def test_a_cell_that_still_runs_is_not_taken_for_a_stranger(
    heard: str, notebook_of: OpenWith
) -> None:
    """The kernel is called idle after each message that is heard beside the cell."""
    long = "if w.diff.refinements:\n    display(v)\n    time.sleep(10)"
    notebook = notebook_of(WIDGET, "w", OTHER, long)
    ours = shown(notebook, 1)
    if not notebook.has_subshells():
        pytest.skip("this kernel has no subshells")
    refine(notebook, ours)
    notebook.run_cell(3)
    theirs = shown(notebook, 3)

    rule_cards(ours).first.click()
    notebook.wait_status("idle")

    with pytest.raises(AssertionError):
        expect(part(theirs, "status")).to_contain_text(GONE, timeout=7_000)
    refine(notebook, theirs, "v")


# --- at work --------------------------------------------------------------------------------------


@everywhere
def test_work_under_way_is_cancelled(heard: str, notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w", SLOW)
    widget = shown(notebook, 1)
    notebook.python("before = w.diff")
    part(widget, "refine").click()
    expect(part(widget, "refine")).to_have_text("Refining…")
    notebook.wait_python("began.is_set()", "True")
    notebook.start(BUSY)

    part(widget, "cancel").click()

    if heard == "between cells":
        expect(part(widget, "status")).to_contain_text("Cancelling…")
    expect(part(widget, "status")).to_have_text(CANCELLED, timeout=15_000)
    assert notebook.python("print(slept)") == "True"
    expect(part(widget, "error")).to_have_count(0)
    expect(part(widget, "refine")).to_have_attribute("aria-disabled", "false")
    assert notebook.python("go.set(); print(ended.wait(30))") == "True"
    assert notebook.python("print(w.diff is before)") == "True"
    expect(part(widget, "status")).to_have_text(CANCELLED)
    notebook.python("imd.ModelDiff.refine = at_once")
    refine(notebook, widget)


# --- gone -----------------------------------------------------------------------------------------


def die(notebook: Notebook) -> None:
    """The kernel ends by itself, and the server starts another one."""
    notebook.start("os._exit(1)")
    notebook.page.get_by_role("dialog").get_by_role("button", name="Ok").click(timeout=30_000)


@pytest.mark.parametrize("end", [die, Notebook.restart_kernel, Notebook.shut_kernel_down])
def test_a_kernel_that_is_gone(end: Callable[[Notebook], None], notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w")
    widget = shown(notebook, 1)
    refine(notebook, widget)

    end(notebook)

    says_that_it_is_off(widget, GONE)
    what_needs_no_kernel_works(widget)
    if end is Notebook.shut_kernel_down:
        another = notebook.view_of_output(1).locator(".imd-root")
        expect(tree(another)).to_be_visible()
        says_that_it_is_off(another, NONE)
        notebook.start_kernel()
        says_that_it_is_off(widget, GONE)

    notebook.run_all()

    expect(part(widget, "status")).to_be_empty(timeout=60_000)
    refine(notebook, shown(notebook, 1))


def says_that_it_is_off(widget: Locator, reason: str) -> None:
    """All that asks Python is off, and says why."""
    expect(part(widget, "status")).to_contain_text(reason, timeout=30_000)
    show_options(widget)
    for name in ("refine", "undo", "save", "less", "more", "auto"):
        expect(part(widget, name)).to_have_attribute("aria-disabled", "true")
        assert reason in reason_of(part(widget, name))
        part(widget, name).click(force=True)
    expect(part(widget, "sensitivity")).to_be_disabled()
    expect(part(widget, "error")).to_have_count(0)
    expect(part(widget, "status")).to_contain_text(reason)
    widget.get_by_role("tab", name="Rows").click()
    expect(part(widget, "no-rows")).to_contain_text(reason)
    widget.get_by_role("tab", name="Rules").click()


def what_needs_no_kernel_works(widget: Locator) -> None:
    root = tree(widget).locator('[data-node="r"]')
    # the camera may show the selected rule only
    widget.get_by_role("button", name="Fit", exact=True).first.click()
    for expanded in ("false", "true"):
        root.locator(".imd-chevron").click()
        expect(root).to_have_attribute("aria-expanded", expanded)
    rule_cards(widget).nth(1).click()
    expect(selected(widget)).to_have_count(1)
    rule_cards(widget).nth(1).click()
    expect(selected(widget)).to_have_count(0)
    search = widget.get_by_role("searchbox")
    search.fill("no such text")
    expect(rule_cards(widget)).to_have_count(0)
    search.fill("")
    expect(rule_cards(widget)).not_to_have_count(0)
    widget.get_by_role("tab", name="Node").click()
    root.click()
    expect(part(widget, "node-panel")).to_be_visible()
    widget.get_by_role("tab", name="Rules").click()
    expect(part(widget, "error")).to_have_count(0)


# --- shared ---------------------------------------------------------------------------------------


def test_one_widget_shown_twice(notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w", "w")
    upper, lower = shown(notebook, 1), shown(notebook, 2)

    rule_cards(upper).first.click()
    expect(selected(lower)).to_have_count(1)
    notebook.wait_python("w.selected_rules", "[0]")
    rule_cards(lower).nth(1).click()
    expect(rule_cards(upper).nth(1).locator("button[aria-pressed=true]")).to_be_visible()

    refine(notebook, upper)
    is_refined(notebook, lower, 1)
    undo(notebook, lower)
    expect(part(upper, "undo")).to_have_attribute("title", "Nothing to undo")
    refine(notebook, lower)
    is_refined(notebook, upper, 1)

    notebook.clear_output(1)

    expect(upper).to_have_count(0)
    undo(notebook, lower)
    rule_cards(lower).first.click()
    notebook.wait_python("w.selected_rules", "[0]")
    lower.get_by_role("tab", name="Rows").click()
    expect(part(lower, "rows-status")).to_contain_text("of")


def test_two_widgets_leave_each_other_alone(notebook_of: OpenWith) -> None:
    notebook = notebook_of(WIDGET, "w", OTHER, "v")
    ours, theirs = shown(notebook, 1), shown(notebook, 3)
    state = "print(v.selected_rules, v.selected_node, v.tab, v.diff.refinements)"
    before = notebook.python(state)

    rule_cards(ours).first.click()
    ours.get_by_role("tab", name="Node").click()

    notebook.wait_python("w.selected_rules, w.tab", "[0] Node")
    assert notebook.python(state) == before
    expect(selected(theirs)).to_have_count(0)
    expect(theirs.get_by_role("tab", name="Rules")).to_have_attribute("aria-selected", "true")

    refine(notebook, ours)

    assert notebook.python(state) == before
    expect(part(theirs, "status")).to_be_empty()
    expect(part(theirs, "undo")).to_have_attribute("title", "Nothing to undo")
    refine(notebook, theirs, "v")
    assert steps(notebook, "w") == 1


# --- opened again ---------------------------------------------------------------------------------


def test_a_saved_notebook_is_opened_again(notebook_of: OpenWith, lab_url: str, page: Page) -> None:
    """JupyterLab draws no saved widget without any kernel (ipywidgets#3773): one comes first.

    The static preview, which is shown then, is hidden as soon as the widget is drawn.
    """
    notebook = notebook_of(WIDGET, "w")
    rule_cards(shown(notebook, 1)).nth(1).click()
    notebook.save()

    again = open_in_lab(page, lab_url, notebook.name)
    widget = shown(again, 1)
    expect(rule_cards(widget).nth(1).locator("button[aria-pressed=true]")).to_be_visible()
    expect(again.output(1).locator("img")).to_be_hidden()
    refine(again, widget)
    again.save()
    again.shut_kernel_down()

    strange = open_in_lab(page, lab_url, notebook.name)
    widget = shown(strange, 1)
    says_that_it_is_off(widget, GONE)
    what_needs_no_kernel_works(widget)
    assert strange.python("print('w' in globals())") == "False"
    strange.run_all()
    expect(part(widget, "status")).to_be_empty(timeout=60_000)
    refine(strange, shown(strange, 1))
