"""More than two models in a browser: the matrix, the diff of a pair below it, and a saved page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.gallery import State, answer_pair, open_on_page, open_pair
from tests.e2e.locators import rule_cards, tree
from tests.e2e.stub_widget import StubWidget
from tests.e2e.test_access import AXE, violations
from tests.unit.example_comparisons import COMPARISONS, hostile, prices, six, thirty

pytestmark = pytest.mark.browser

# The least contrast of any cell's text with the ground that it stands on, which is see-through.
CONTRAST = """(cells) => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = parts(getComputedStyle(cells[0].closest(".imd-root")).backgroundColor);
  return Math.min(...cells.map((cell) => {
    const { color, backgroundColor } = getComputedStyle(cell);
    const under = luminance(over(parts(backgroundColor), ground));
    const [low, high] = [luminance(parts(color)), under].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""


def cell(root: Locator | Page, first: int, second: int) -> Locator:
    return root.locator(f'[data-place="{first},{second}"]')


def part(root: Locator | Page, name: str) -> Locator:
    return root.get_by_test_id(f"imd-{name}")


def show(page: Page, url: str, name: str, theme: str = "light", **window: Any) -> StubWidget:
    return open_on_page(page, url, State(COMPARISONS[name], **window), theme)


def focused(page: Page, what: str) -> str:
    return str(page.evaluate(f"document.activeElement?.{what}"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["two", "six", "thirty", "prices"])
def test_no_serious_violation(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, name, theme)
    page.evaluate("document.title = 'Models'")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(page)
    widget = imd.show(COMPARISONS[name]())
    open_pair(stub, widget, 0, 1)
    found |= violations(page)
    part(stub.root, "help").click()
    found |= violations(page)
    assert found == set()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["six", "thirty"])
def test_every_shade_can_be_written_on(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, name, theme)
    assert stub.root.locator("[role=gridcell]").evaluate_all(CONTRAST) >= 4.5


def test_shades_grow_with_the_share(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "six")
    c = six()
    alpha = {}
    for i, j in ((0, 1), (0, 4), (3, 4)):
        color = cell(stub.root, i, j).evaluate("(cell) => getComputedStyle(cell).backgroundColor")
        alpha[float(c.disagreement.to_numpy()[i, j])] = float(color.rsplit(" ", 1)[-1].strip(")"))
    assert sorted(alpha.values()) == [alpha[share] for share in sorted(alpha)]
    assert len(set(alpha.values())) == 3


def test_a_click_draws_the_pair_below(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "six")
    expect(tree(stub.root)).to_have_count(0)
    widget = imd.show(six())
    open_pair(stub, widget, 0, 3)
    expect(part(stub.root, "pair")).to_have_text("LR (model 1) vs. by hand (model 2)")
    expect(part(stub.root, "headline")).to_contain_text("LR and by hand disagree on 184")
    expect(tree(stub.root)).to_be_visible()
    expect(cell(stub.root, 0, 3)).to_have_attribute("aria-selected", "true")
    below = part(stub.root, "pair").bounding_box()
    above = part(stub.root, "matrix").bounding_box()
    assert below
    assert above
    assert below["y"] > above["y"] + above["height"]

    open_pair(stub, widget, 4, 1)
    expect(part(stub.root, "headline")).to_contain_text("without cooks and RF disagree")
    part(stub.root, "swap").click()
    answer_pair(stub, widget, 3)
    expect(part(stub.root, "pair")).to_have_text("RF (model 1) vs. without cooks (model 2)")


def test_with_the_keyboard_alone(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "six")
    widget = imd.show(six())
    order = widget.comparison["order"]
    for _ in range(10):
        page.keyboard.press("Tab")
        if focused(page, "dataset.place") != "None":
            break
    assert focused(page, "dataset.place") == f"{order[0]},{order[1]}"
    said = part(stub.root, "pointed")
    expect(said).to_have_text(focused(page, "getAttribute('aria-label')"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    place = f"{order[1]},{order[5]}"
    assert focused(page, "dataset.place") == place
    page.keyboard.press("Enter")
    answer_pair(stub, widget, 1)
    expect(part(stub.root, "pair")).to_be_focused()
    page.keyboard.press("Tab")
    expect(part(stub.root, "swap")).to_be_focused()
    page.keyboard.press("Escape")
    assert focused(page, "dataset.place") == place
    # the matrix is one stop: the next one is below it
    page.keyboard.press("Tab")
    expect(part(stub.root, "swap")).to_be_focused()
    page.keyboard.press("?")
    expect(stub.root.locator(".imd-help")).to_contain_text("The matrix.")


def test_a_narrow_matrix_scrolls_by_itself_and_keeps_its_names(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    for name in ("six", "thirty"):
        stub = show(page, bundle_url, name, width=400, window=900)
        wide = "[document.documentElement.scrollWidth, innerWidth]"
        scrolled, inner = page.evaluate(wide)
        assert scrolled <= inner
        inside = stub.root.locator(".imd-models-scroll")
        assert inside.evaluate("(one) => one.scrollWidth > one.clientWidth")
        head = stub.root.locator("th[scope=row]").first
        before = head.bounding_box()
        inside.evaluate("(one) => { one.scrollLeft = 150; }")
        after = head.bounding_box()
        assert before
        assert after
        assert abs(before["x"] - after["x"]) < 4
        assert head.evaluate(
            "(one) => { const { x, y } = one.getBoundingClientRect();"
            " return one.contains(document.elementFromPoint(x + 5, y + 5)); }"
        )


def test_the_cell_that_has_the_focus_is_in_view(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "thirty", width=400, window=900)
    stub.root.locator("[role=gridcell][tabindex='0']").focus()
    page.keyboard.press("Control+End")
    last = thirty().names.index(thirty().order[-1])
    assert focused(page, "dataset.place") == f"{last},{last}"
    expect(cell(stub.root, last, last)).to_be_in_viewport()


@pytest.mark.parametrize("name", ["two", "thirty"])
def test_paper_has_the_matrix_and_nothing_to_click(
    name: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, name, width=760)
    page.emulate_media(media="print")
    expect(part(stub.root, "matrix")).to_be_visible()
    expect(part(stub.root, "about")).to_be_visible()
    for button in stub.root.locator("button").all():
        expect(button).not_to_be_visible()
    box = part(stub.root, "matrix").bounding_box()
    assert box
    assert box["x"] + box["width"] <= 760


def test_the_whole_can_be_reached_on_a_full_screen(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "six")
    open_pair(stub, imd.show(six()), 0, 3)
    part(stub.root, "full").click()
    root = stub.root.locator(".imd-root")
    expect(root).to_have_css("overflow-y", "auto")
    assert root.evaluate("(root) => root.scrollHeight > root.clientHeight")
    stub.root.locator(".imd-legend").scroll_into_view_if_needed()
    expect(stub.root.locator(".imd-legend")).to_be_in_viewport()


def test_forced_colours_still_tell_shares(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = show(page, bundle_url, "thirty")
    page.emulate_media(forced_colors="active")
    c = thirty()
    apart = set(c.disagreement.to_numpy()[0, 1:])
    images = {
        cell(stub.root, 0, j).evaluate("(one) => getComputedStyle(one).backgroundImage")
        for j in range(1, 30)
    }
    assert len(images) == len(apart)


def test_names_are_text(page: Page, bundle_url: str, no_foreign_requests: PageWatch) -> None:
    stub = show(page, bundle_url, "hostile")
    open_pair(stub, imd.show(hostile()), 0, 2)
    assert page.evaluate("window.pwned") is None
    expect(stub.root.locator("img")).to_have_count(0)
    first = stub.root.locator("th[scope=col]").first
    assert first.get_attribute("title") in hostile().names
    scrolled, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert scrolled <= inner


# --- a saved page ---------------------------------------------------------------------------------


@pytest.fixture
def saved(page: Page, context: BrowserContext, tmp_path: Path) -> Page:
    """A page with three pairs, opened as a file without a network."""
    pairs = [("LR", "by hand"), ("RF", "without cooks"), ("LR", "RF")]
    file = six().save(tmp_path / "compare.html", pairs=pairs, refinements=1)
    context.set_offline(True)
    page.goto(file.as_uri())
    return page


@pytest.mark.usefixtures("no_foreign_requests")
def test_a_page_opens_the_pairs_that_it_holds(saved: Page) -> None:
    expect(part(saved, "pair")).to_have_text("LR (model 1) vs. by hand (model 2)")
    rule_cards(saved.locator("body")).first.locator("button").first.click()
    chosen = rule_cards(saved.locator("body")).locator("button[aria-pressed=true]")
    expect(chosen).to_have_count(1)

    cell(saved, 1, 4).click()
    expect(part(saved, "pair")).to_have_text("RF (model 1) vs. without cooks (model 2)")
    expect(part(saved, "headline")).to_contain_text("RF and without cooks disagree")
    expect(chosen).to_have_count(0)
    part(saved, "refine").click()
    expect(part(saved, "step")).to_have_text("step 1 of 1")

    cell(saved, 3, 0).click()
    expect(part(saved, "pair")).to_have_text("by hand (model 1) vs. LR (model 2)")
    expect(chosen).to_have_count(0)
    part(saved, "swap").click()
    expect(part(saved, "pair")).to_have_text("LR (model 1) vs. by hand (model 2)")
    expect(chosen).to_have_count(1)
    expect(part(saved, "step")).to_have_text("step 0 of 1")
    cell(saved, 1, 4).click()
    expect(part(saved, "step")).to_have_text("step 1 of 1")


@pytest.mark.usefixtures("no_foreign_requests")
def test_a_page_says_which_pairs_it_holds_and_why_not_the_others(saved: Page) -> None:
    footer = saved.locator("footer")
    expect(footer).to_contain_text("the diffs of 3 of 15 pairs")
    expect(footer).to_contain_text("LR and by hand; RF and without cooks; LR and RF.")
    other = cell(saved, 2, 5)
    expect(other).to_have_attribute("aria-disabled", "true")
    other.click(force=True)
    expect(part(saved, "pointed")).to_contain_text("This page has no diff of these two models")
    saved.keyboard.press("Enter")
    expect(part(saved, "pair")).to_have_text("LR (model 1) vs. by hand (model 2)")
    expect(part(saved, "save")).to_have_count(0)
    expect(part(saved, "swap")).to_be_enabled()


def test_a_frame_that_follows_the_height_of_a_page_comes_to_rest(
    page: Page, tmp_path: Path
) -> None:
    prices().save(tmp_path / "compare.html", refinements=0)
    follow = """addEventListener("message", ({ data }) => {
      document.querySelector("iframe").style.height = `${data.height}px`;
    })"""
    (tmp_path / "host.html").write_text(
        f'<iframe src="compare.html" width=900 height=200></iframe><script>{follow}</script>'
    )
    page.goto((tmp_path / "host.html").as_uri())
    page.wait_for_timeout(1500)
    height = "(frame) => frame.clientHeight"
    before = page.locator("iframe").evaluate(height)
    page.wait_for_timeout(500)
    assert 800 < before < 2_000
    assert page.locator("iframe").evaluate(height) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_no_serious_violation(scheme: Any, saved: Page) -> None:
    saved.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    saved.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(saved)
    cell(saved, 1, 4).click()
    cell(saved, 2, 5).focus()
    found |= violations(saved)
    assert found == set()


@pytest.mark.usefixtures("no_foreign_requests")
def test_a_page_without_a_diff_is_a_matrix(page: Page, tmp_path: Path) -> None:
    page.goto(prices().save(tmp_path / "compare.html", pairs=[]).as_uri())
    expect(part(page, "matrix")).to_be_visible()
    expect(part(page, "save")).to_have_count(0)
    cell(page, 0, 1).click(force=True)
    expect(part(page, "pointed")).to_contain_text("has no diff")
    expect(tree(page.locator("body"))).to_have_count(0)
