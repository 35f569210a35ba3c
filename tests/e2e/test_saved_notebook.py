"""What a notebook's file shows where no widget runs: a true picture; and none where one does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Locator, Page, expect

from tests.e2e.jupyter_lab import (
    add_notebook,
    end_kernels,
    lab_setting,
    open_in_lab,
    put_notebook,
)
from tests.e2e.locators import rule_cards

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CODE = """
import numpy as np
import pandas as pd
import imd_widget as imd

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(600, 3)), columns=["a", "b", "c"])
half = np.where(X["a"] > 0.5, "yes", "no")
disc = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")
imd.show(half, disc, X, max_depth=3, names=("half", "disc"))
"""
HEADLINE = "half and disc disagree on "
WIDGET = "application/vnd.jupyter.widget-view+json"
# Of an SVG that is shown as an image, by the notebook or by nbconvert.
SVG = 'img[src^="data:image/svg+xml"]'
PNG = 'img[src^="data:image/png"]'
NO_STATE: dict[str, object] = {"saveState": False}
MANAGER = "@jupyter-widgets/jupyterlab-manager:plugin"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook as `jupyter nbconvert --execute` leaves it, with the state of its widgets."""
    new: Any = nbformat.v4
    notebook = new.new_notebook(cells=[new.new_code_cell(CODE)])
    NotebookClient(notebook).execute()
    path = tmp_path_factory.mktemp("executed") / "saved.ipynb"
    path.write_text(new.writes(notebook), encoding="utf-8")
    return path


def read(path: Path) -> Any:
    reader: Any = nbformat  # it comes without annotations
    return reader.read(path, as_version=4)


def is_drawn(picture: Locator) -> bool:
    return bool(picture.evaluate("image => image.complete && image.naturalWidth > 300"))


def test_the_file_holds_the_widget_and_a_picture_in_every_form(executed: Path) -> None:
    (cell,) = read(executed).cells
    widget, picture = cell.outputs
    assert set(widget.data) == {WIDGET}
    assert set(picture.data) == {"text/plain", "image/svg+xml", "image/png", "application/pdf"}
    assert picture.data["text/plain"].startswith(HEADLINE)
    for line in (HEADLINE, "half", "disc", "rule number"):
        assert line in picture.data["image/svg+xml"]
    assert picture.metadata["image/png"]["alt"].startswith(HEADLINE)
    assert sum(len(content) for content in picture.data.values()) < 250_000


def test_nbconvert_makes_a_page_with_the_picture(executed: Path, page: Page) -> None:
    """Whether the widgets' own library, which the page asks a CDN for, comes or not."""
    convert(executed, "html")
    page.context.set_offline(True)
    page.goto(executed.with_suffix(".html").as_uri())
    picture = page.locator(SVG)
    expect(picture).to_have_count(1)
    expect(picture).to_be_visible()
    assert is_drawn(picture)


def test_nbconvert_makes_latex_with_a_picture_that_needs_no_other_program(executed: Path) -> None:
    convert(executed, "latex")
    tex = executed.with_suffix(".tex").read_text(encoding="utf-8")
    (included,) = [line for line in tex.splitlines() if "saved_files/" in line]
    assert ".pdf}" in included
    (pdf,) = (executed.parent / "saved_files").glob("*.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")


def test_nbconvert_makes_markdown_with_the_picture(executed: Path) -> None:
    convert(executed, "markdown")
    text = executed.with_suffix(".md").read_text(encoding="utf-8")
    assert "saved_files/saved_0_1.svg" in text


def convert(path: Path, to: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "jupyter", "nbconvert", "--to", to, str(path)],
        check=True,
        capture_output=True,
    )


@pytest.mark.lab
@pytest.mark.usefixtures("no_foreign_requests")
def test_where_the_widget_runs_the_picture_is_hidden(lab_url: str, page: Page) -> None:
    add_notebook(lab_url, "still.ipynb", [CODE])
    with lab_setting(lab_url, MANAGER, NO_STATE):
        notebook = open_in_lab(page, lab_url, "still.ipynb")
        notebook.run_all()
        output = notebook.output(0)
        expect(rule_cards(output).first).to_be_visible(timeout=60_000)
        expect(output.locator(SVG)).to_have_count(1, timeout=60_000)
        expect(output.locator(SVG)).to_be_hidden()
        notebook.save()
    end_kernels(lab_url)
    again = open_in_lab(page, lab_url, "still.ipynb")
    # this line is JupyterLab's own, and comes when it has given up on the widget
    expect(again.output(0)).to_contain_text("model not found", timeout=60_000)
    picture = again.output(0).locator(SVG)
    expect(picture).to_be_visible()
    assert is_drawn(picture)


@pytest.mark.lab
@pytest.mark.usefixtures("no_foreign_requests")
def test_a_notebook_from_somebody_else_shows_the_picture(
    executed: Path, lab_url: str, page: Page
) -> None:
    """JupyterLab trusts neither its widgets nor its SVG: it takes the PNG."""
    put_notebook(lab_url, "theirs.ipynb", read(executed))
    theirs = open_in_lab(page, lab_url, "theirs.ipynb")
    picture = theirs.output(0).locator(PNG)
    expect(picture).to_be_visible()
    assert is_drawn(picture)
