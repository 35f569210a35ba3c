"""Apps that draw the page in a frame, where everything works that needs no kernel."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

import imd_widget as imd
from tests.e2e.locators import rule_cards, tree
from tests.hosts.apps import (
    GRADIO,
    MLFLOW,
    QUARTO,
    STREAMLIT,
    App,
    Served,
    environment,
    found,
    serve,
    write,
)
from tests.hosts.conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def check_page(frame: FrameLocator, diff: imd.ModelDiff) -> None:
    """Check that a page is drawn whole, and that a rule can be selected in it."""
    widget = frame.locator(".imd-root")
    expect(tree(widget)).to_be_visible(timeout=60_000)
    expect(widget).to_contain_text(diff.to_dict()["headline"]["sentences"][0])
    expect(rule_cards(widget)).to_have_count(len(diff.rules))
    # in a narrow frame more is folded
    expect(tree(widget).locator("[data-node]").nth(1)).to_be_visible()
    card = rule_cards(widget).first
    card.click()
    expect(card.locator("button[aria-pressed=true]")).to_be_visible()
    expect(frame.locator("footer")).to_contain_text("It contains no rows of the table.")


# --- a control makes another page -----------------------------------------------------------------


@pytest.fixture(scope="module", params=[STREAMLIT, GRADIO], ids=lambda app: app.heading)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    app: App = request.param
    with serve(app, tmp_path_factory.mktemp("app")) as running:
        yield running


def test_the_page_is_drawn_and_a_control_changes_it(
    served: Served, open_app: Open, diff: imd.ModelDiff
) -> None:
    page = open_app(served)
    frame = page.frame_locator("iframe")
    check_page(frame, diff)

    slider = page.locator("input[type=range]").first
    for _ in range(4):
        slider.press("ArrowLeft")

    widget = frame.locator(".imd-root")
    expect(widget.get_by_test_id("imd-options")).to_contain_text("depth 2", timeout=30_000)
    expect(rule_cards(widget)).to_have_count(len(diff.change(max_depth=2).rules))


# --- pages that are kept --------------------------------------------------------------------------


def test_mlflow_draws_the_artifact(open_app: Open, diff: imd.ModelDiff, tmp_path: Path) -> None:
    write(MLFLOW, tmp_path)
    first, *_ = MLFLOW.recipe.commands
    subprocess.run(
        found(first), cwd=tmp_path, env=environment(tmp_path, MLFLOW.environment(0)), check=True
    )
    (artifact,) = tmp_path.glob("mlruns/**/diff.html")
    run = artifact.parents[1].name
    assert imd.load(artifact.with_name("diff.json")) == diff
    with serve(MLFLOW, tmp_path) as served:
        page = open_app(served)
        page.goto(f"{served.url}#/experiments/0/runs/{run}/artifacts/diff.html")
        check_page(page.frame_locator("iframe"), diff)


def test_the_output_of_a_cell_draws_the_page(
    page: Page, diff: imd.ModelDiff, tmp_path: Path
) -> None:
    """What Quarto gets of a cell: HTML without a template, without a network."""
    write(QUARTO, tmp_path)
    subprocess.run(
        [
            *(sys.executable, "-m", "nbconvert", "--execute", "--to", "html"),
            *("--template", "basic", QUARTO.file),
        ],
        cwd=tmp_path,
        env=environment(tmp_path, {}),
        check=True,
    )
    page.context.set_offline(True)
    page.goto((tmp_path / "report.html").as_uri())
    check_page(page.frame_locator("iframe"), diff)
