"""Apps that run the whole widget: a click reaches Python, and Python changes what is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

import imd_widget as imd
from tests.e2e.locators import rule_cards, tree
from tests.hosts.apps import PANEL, SHINY, SOLARA, VOILA, App, Served, serve
from tests.hosts.conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: What moves the slider of each app with the arrow keys.
SLIDERS = {
    VOILA: ".noUi-handle",
    SHINY: ".irs-line",
    SOLARA: "[role=slider]",
    PANEL: ".noUi-handle",
}


@pytest.fixture(scope="module", params=SLIDERS, ids=lambda app: app.heading)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    app: App = request.param
    with serve(app, tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture
def page_of_app(served: Served, open_app: Open) -> Page:
    page = open_app(served)
    expect(tree(page.locator(".imd-root"))).to_be_visible(timeout=60_000)
    return page


@pytest.fixture
def widget(page_of_app: Page) -> Locator:
    return page_of_app.locator(".imd-root")


def test_the_whole_widget_is_drawn_once(widget: Locator, diff: imd.ModelDiff) -> None:
    expect(widget).to_have_count(1)
    expect(widget).to_contain_text(diff.to_dict()["headline"]["sentences"][0])
    expect(rule_cards(widget)).to_have_count(len(diff.rules))
    expect(tree(widget).locator("[data-node]").nth(3)).to_be_visible()
    expect(widget.page.locator("#imd-widget-picture")).to_be_hidden()
    box = widget.bounding_box()
    assert box is not None
    assert box["height"] > 550
    assert box["width"] > 1000
    # nothing of it is cut off by a box of the app
    legend = widget.locator(".imd-legend").bounding_box()
    assert legend is not None
    assert legend["y"] + legend["height"] <= box["y"] + box["height"]


def test_a_selection_reaches_python(
    page_of_app: Page, widget: Locator, diff: imd.ModelDiff
) -> None:
    rule_cards(widget).first.click()
    inside = int(diff.rules[0].mask(diff.table).sum())
    expect(page_of_app.get_by_text(f"{inside} rows are selected.")).to_be_visible(timeout=30_000)


def test_a_control_of_the_app_changes_the_diff(
    page_of_app: Page, widget: Locator, diff: imd.ModelDiff, served: Served
) -> None:
    slider = page_of_app.locator(SLIDERS[served.app]).first
    for _ in range(4):
        slider.press("ArrowLeft")
    expect(widget.get_by_test_id("imd-options")).to_contain_text("depth 2", timeout=30_000)
    expect(rule_cards(widget)).to_have_count(len(diff.change(max_depth=2).rules))
    expect(widget.get_by_test_id("imd-error")).to_have_count(0)
