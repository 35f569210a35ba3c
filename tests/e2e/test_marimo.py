"""The widget in a real marimo, inside its shadow root: where a notebook is read, and written."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import marimo
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.locators import click_or_node, or_nodes, rule_cards, show_options, tree
from tests.e2e.marimo_server import Marimo, export_html
from tests.e2e.stub_widget import State, open_stub_page

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.slow]

SILENT = "No kernel is responding."

# Of everything that marimo's own rules could reach.
STYLES = """(element) => {
  const style = getComputedStyle(element);
  const names = ["fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "color",
    "backgroundColor", "padding", "margin", "borderTopWidth", "borderRadius", "boxSizing",
    "textTransform", "listStyleType", "cursor"];
  // of a border without width nobody sees the colour
  if (style.borderTopWidth !== "0px") names.push("borderTopStyle", "borderTopColor");
  return Object.fromEntries(names.map((name) => [name, style[name]]));
}"""
STYLED = (
    *(".imd-root", ".imd-headline", "[role=tab][aria-selected=true]", "[role=tab]:nth-child(2)"),
    *("[data-testid=imd-refine]", "[data-testid=imd-filter]", "[data-testid=imd-sort]"),
    *("[data-rule]", ".imd-row-conditions", ".imd-row-figures", ".imd-legend", "h3"),
)


@pytest.fixture
def shown(
    marimo_server: Marimo, marimo_notebook: Path, page: Page, no_foreign_requests: PageWatch
) -> Iterator[tuple[Locator, Locator]]:
    """Two widgets: one in `mo.ui.anywidget`, one as it is."""
    marimo_server.open(page, marimo_notebook)
    roots = page.locator(".imd-root")
    for number in (0, 1):
        expect(tree(roots.nth(number))).to_be_visible(timeout=60_000)
    expect(roots).to_have_count(2)
    yield roots.nth(0), roots.nth(1)
    marimo_server.forget()


def part(widget: Locator, name: str) -> Locator:
    return widget.get_by_test_id(f"imd-{name}")


def python_says(page: Page, what: str) -> None:
    """Return once the cell that reads the widget has run with this."""
    said = page.get_by_text("Python: node").and_(page.locator(".paragraph"))
    expect(said).to_contain_text(what, timeout=30_000)


def refine(widget: Locator) -> None:
    show_options(widget)
    part(widget, "refine").click()
    expect(part(widget, "status")).to_contain_text("of the differences", timeout=30_000)
    expect(part(widget, "error")).to_have_count(0)


def test_it_looks_as_it_does_on_an_empty_page(
    shown: tuple[Locator, Locator], context: BrowserContext, bundle_url: str, state: State
) -> None:
    alone = open_stub_page(context.new_page(), bundle_url)(state).root
    for widget in shown:
        assert widget.evaluate("(root) => root.getRootNode() instanceof ShadowRoot")
        width = widget.evaluate("(root) => root.getBoundingClientRect().width")
        alone.evaluate("(place, width) => { place.style.width = `${width}px`; }", width)
        for selector in STYLED:
            assert styles(widget, selector) == styles(alone, selector), selector


def styles(root: Locator, selector: str) -> Any:
    if selector == ".imd-root":
        root = root.locator("xpath=descendant-or-self::*[contains(@class,'imd-root')]")
        return root.first.evaluate(STYLES)
    return root.locator(selector).first.evaluate(STYLES)


def test_mouse_reaches_python_and_the_cells_that_read_it(
    shown: tuple[Locator, Locator], page: Page
) -> None:
    widget, _ = shown
    python_says(page, "node '', rules []")
    node = or_nodes(widget).last.get_attribute("data-node")
    assert node

    click_or_node(widget, node)

    python_says(page, f"node '{node}'")
    expect(rule_cards(widget).first).to_be_visible()

    rule_cards(widget).first.click()
    number = rule_cards(widget).first.get_attribute("data-rule")

    python_says(page, f"rules [{number}]")
    widget.get_by_role("tab", name="Rows").click()
    expect(part(widget, "rows-status")).to_contain_text("of", timeout=30_000)
    inside = str(part(widget, "rows-status").text_content()).rsplit("of ", 1)[1]
    python_says(page, f"rows {inside},")
    expect(widget.locator("tbody tr").first).to_be_visible()


def test_refine_and_undo_reach_python(shown: tuple[Locator, Locator], page: Page) -> None:
    for number, widget in enumerate(shown):
        refine(widget)
        if number == 0:
            python_says(page, "steps 1")
        part(widget, "undo").click()
        expect(part(widget, "undo")).to_have_attribute("title", "Nothing to undo", timeout=30_000)
    python_says(page, "steps 0")


def test_two_widgets_leave_each_other_alone(shown: tuple[Locator, Locator], page: Page) -> None:
    wrapped, bare = shown

    rule_cards(bare).first.click()
    refine(bare)
    bare.get_by_role("tab", name="Rows").click()

    expect(part(bare, "rows-status")).to_contain_text("of", timeout=30_000)
    expect(wrapped.get_by_role("tab", name="Rules")).to_have_attribute("aria-selected", "true")
    expect(rule_cards(wrapped).locator("button[aria-pressed=true]")).to_have_count(0)
    expect(part(wrapped, "undo")).to_have_attribute("title", "Nothing to undo")
    python_says(page, "rules []")


def test_the_keyboard_works_and_marimo_lets_it(shown: tuple[Locator, Locator], page: Page) -> None:
    """In the editor, letters and arrows are marimo's own shortcuts elsewhere."""
    widget, _ = shown
    cells = page.locator("[data-cell-id]")
    before = cells.count()
    boxes = tree(widget).locator("[data-node]")
    boxes.first.focus()
    page.keyboard.press("ArrowDown")
    second = str(boxes.nth(1).get_attribute("data-node"))
    assert focused(widget) == second
    page.keyboard.press("Enter")
    python_says(page, f"node '{second}'")
    page.keyboard.press("Escape")
    python_says(page, "node ''")

    page.keyboard.press("/")

    search = widget.get_by_role("searchbox")
    expect(search).to_be_focused()
    page.keyboard.type("abddm")
    expect(search).to_have_value("abddm")
    expect(rule_cards(widget)).to_have_count(0)
    for _ in range(5):
        page.keyboard.press("Backspace")
    expect(rule_cards(widget)).not_to_have_count(0)
    widget.get_by_role("tab", name="Rules").focus()
    page.keyboard.press("ArrowRight")
    expect(widget.get_by_role("tab", name="Rows")).to_be_focused()
    show_options(widget)
    for name in ("refine", "zoom-in", "all"):
        part(widget, name).focus()
        for key in ("a", "b", "d", "d", "x", "v", "c", "Shift+M", "Shift+Backspace", "ArrowUp"):
            page.keyboard.press(key)
        expect(part(widget, name)).to_be_focused()
    expect(widget).to_be_visible()
    assert cells.count() == before


def focused(widget: Locator) -> str:
    active = "(root) => root.getRootNode().activeElement?.dataset.node"
    return str(widget.evaluate(active))


def test_what_is_shown_is_saved_as_a_page(shown: tuple[Locator, Locator], page: Page) -> None:
    widget, _ = shown
    show_options(widget)
    with page.expect_download(timeout=60_000) as download:
        part(widget, "save").click()
    assert re.fullmatch(r".*\.html", download.value.suggested_filename)
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert "half and disc disagree on " in saved
    expect(part(widget, "error")).to_have_count(0)


def test_the_theme_of_marimo_is_followed(shown: tuple[Locator, Locator], page: Page) -> None:
    widget, _ = shown
    expect(widget).to_have_attribute("data-theme", "light")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        expect(page.locator("body")).to_have_class(re.compile(rf"\b{scheme}\b"))
        for one in shown:
            expect(one).to_have_attribute("data-theme", scheme)


# --- without a kernel -----------------------------------------------------------------------------

CDN = re.compile(r"^https://cdn\.jsdelivr\.net/npm/@marimo-team/frontend@[^/]+/dist/(.+)$")


@pytest.fixture
def from_disk(page: Page) -> list[str]:
    """Marimo's own front-end, which its exported pages ask a CDN for, as it is installed here.

    What the page asks of anybody else, which it does not get.
    """
    folder = Path(str(marimo.__file__)).parent / "_static"
    other: list[str] = []

    def answer(route: Route) -> None:
        found = CDN.match(route.request.url)
        if found is None:
            other.append(route.request.url)
            route.abort()
            return
        file = folder / urlsplit(found[1]).path
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        headers = {"Access-Control-Allow-Origin": "*", "Content-Type": kind}
        route.fulfill(status=200, headers=headers, body=file.read_bytes())

    page.route(re.compile("^https?://"), answer)
    return other


def test_an_exported_page_draws_the_widget_and_says_that_no_kernel_answers(
    marimo_notebook: Path, page: Page, from_disk: list[str], tmp_path: Path
) -> None:
    page.goto(export_html(marimo_notebook, tmp_path).as_uri())
    widgets = page.locator(".imd-root")
    for number in (0, 1):
        expect(tree(widgets.nth(number))).to_be_visible(timeout=60_000)
    widget = widgets.first

    rule_cards(widget).first.click()

    expect(rule_cards(widget).first.locator("button[aria-pressed=true]")).to_be_visible()
    expect(part(widget, "status")).to_contain_text(SILENT, timeout=30_000)
    expect(part(widget, "refine")).to_have_attribute("aria-disabled", "true")
    assert from_disk == []
