"""The page that `to_html` writes, opened as a file without any network."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import imd_widget as imd
from imd_widget.rules.languages import conditions_text
from tests.e2e.locators import click_or_node, rule_cards

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def diff() -> imd.ModelDiff:
    pair = imd.datasets.breast_cancer_pair()
    return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names)


@pytest.fixture
def opened(diff: imd.ModelDiff, page: Page, context: BrowserContext, tmp_path: Path) -> Page:
    """The exported page, opened with the network off."""
    file = tmp_path / "diff.html"
    diff.to_html(file)
    context.set_offline(True)
    page.goto(file.as_uri())
    return page


@pytest.mark.usefixtures("no_foreign_requests")
def test_headline_is_there(opened: Page, diff: imd.ModelDiff) -> None:
    opened.get_by_test_id("imd-details").click()
    for sentence in diff.to_dict()["headline"]["sentences"]:
        expect(opened.locator("body")).to_contain_text(sentence)


@pytest.mark.usefixtures("no_foreign_requests")
def test_or_node_lists_its_rules(opened: Page, diff: imd.ModelDiff) -> None:
    rules = diff.to_dict()["rules"]
    owner = rules[0]["node"]
    expected = sum(rule["node"] == owner for rule in rules)

    click_or_node(opened.locator("body"), owner)

    expect(rule_cards(opened.locator("body"))).to_have_count(expected)


@pytest.mark.usefixtures("no_foreign_requests")
def test_what_needs_a_kernel_is_off_and_says_why(opened: Page) -> None:
    opened.get_by_test_id("imd-options").click()
    options = opened.locator(".imd-options")
    expect(options).to_have_text(re.compile(r"depth 6.* To change these, run the notebook\.$"))
    expect(options.locator("button, input, select")).to_have_count(0)
    for name in ("imd-save", "imd-cohort", "imd-stability"):
        expect(opened.get_by_test_id(name)).to_have_count(0)
    opened.keyboard.press("Escape")
    expect(options).to_be_hidden()
    opened.locator('[data-tab="Rows"]').click()
    expect(opened.get_by_test_id("imd-no-rows")).to_contain_text("saved without rows")
    expect(opened.locator("footer")).to_contain_text("It contains no rows of the table.")


@pytest.mark.usefixtures("no_foreign_requests")
def test_the_stepper_goes_through_the_refinements(page: Page, tmp_path: Path) -> None:
    d = noisy_diff()
    open_page(page, d.to_html(tmp_path / "diff.html", refinements=2))
    step = page.get_by_test_id("imd-step")
    cards = rule_cards(page.locator("body"))
    for number in (0, 1, 2):
        expect(step).to_have_text(f"step {number} of 2")
        expect(cards).to_have_count(len(d.refine(number).rules))
        if number < 2:
            page.get_by_test_id("imd-refine").click()
    expect(page.get_by_test_id("imd-refine")).to_be_disabled()
    expect(page.get_by_test_id("imd-status")).to_contain_text("of the differences")
    page.get_by_test_id("imd-undo").click()
    expect(step).to_have_text("step 1 of 2")


@pytest.mark.usefixtures("no_foreign_requests")
def test_rows_that_a_page_holds_are_listed_and_followed(page: Page, tmp_path: Path) -> None:
    d = noisy_diff()
    open_page(page, d.to_html(tmp_path / "diff.html", rows=120))
    rule_cards(page.locator("body")).first.click()
    page.locator('[data-tab="Rows"]').click()
    rows = page.locator("[data-row]")
    status = page.get_by_test_id("imd-rows-status")
    expect(status).to_contain_text("a random sample of 120 of 600 rows")
    shown = [int(row.get_attribute("data-row") or "") for row in rows.all()]
    assert shown
    assert d.rules[0].mask(d.table)[shown].all()
    # the columns of the rule come first, then what both models say
    heads = page.locator("thead th[data-role]")
    roles = heads.evaluate_all("(all) => all.map((head) => head.dataset.role)")
    outputs = roles.index("output1")
    assert roles[: outputs + 2] == [*["column"] * outputs, "output1", "output2"]
    assert outputs > 0
    heads.nth(0).locator("[data-sort]").click()
    first = rows.first
    expect(first.locator("td").nth(0)).to_have_text(
        f"{min(d.table.get(d.rules[0].conditions[0].position).iloc[shown]):.4g}"
    )
    first.click()
    expect(page.get_by_test_id("imd-trace")).to_contain_text(
        f"Row {first.locator('th').inner_text().split()[0]}"
    )
    expect(page.locator("footer")).to_contain_text("It contains 120 of the 600 rows")


@pytest.mark.usefixtures("no_foreign_requests")
def test_the_policy_of_the_page_stops_what_is_not_ours(page: Page, tmp_path: Path) -> None:
    text = noisy_diff().to_html(tmp_path / "diff.html").read_text(encoding="utf-8")
    foreign = "<script>document.title = 'taken'</script><style>body { display: none }</style>"
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace("<footer>", f"{foreign}<footer>"), encoding="utf-8")
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.goto(changed.as_uri())
    expect(rule_cards(page.locator("body")).first).to_be_visible()
    assert "where they differ" in page.title()
    assert sum("Content Security Policy" in line for line in said) == 2


def open_page(page: Page, path: Path) -> None:
    """Open a file with the network off; anything the browser complains about fails the test."""
    page.context.set_offline(True)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.goto(path.as_uri())
    expect(rule_cards(page.locator("body")).first).to_be_visible()
    assert problems == []


def noisy_diff() -> imd.ModelDiff:
    """Differences that no rule tells exactly, so that there is something to refine."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(600, 2)), columns=["a", "b"])
    y1 = X["a"] > 0.5
    y2 = (X["a"] + X["b"] / 2 > 0.7) ^ (rng.random(600) < 0.05)
    return imd.diff(y1, y2, X, names=("old", "new"), method="imd", max_depth=3)


@pytest.mark.usefixtures("no_foreign_requests")
@pytest.mark.parametrize("kind", ["value", "proba", "weighted", "many"])
def test_other_outputs_are_drawn_too(
    kind: str, page: Page, context: BrowserContext, tmp_path: Path
) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    d = other_diff(kind)
    d.to_html(tmp_path / "diff.html")
    context.set_offline(True)
    page.goto((tmp_path / "diff.html").as_uri())
    card = rule_cards(page.locator("body")).first
    card.click()
    for word in d.to_dict()["rules"][0]["said"]:
        expect(card).to_contain_text(word)
    legend = page.locator(".imd-legend")
    if kind in ("value", "proba"):
        expect(legend).to_contain_text(f"differ: {d.to_dict()['outputs']['differs']}")
    if kind == "weighted":
        expect(legend).to_contain_text("weighted")
        expect(card).to_contain_text("who is right")
    assert problems == []


def other_diff(kind: str) -> imd.ModelDiff:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(600, 2)), columns=["a", "b"])
    first = 0.9 * X["a"].to_numpy()
    second = np.where(X["b"] > 0.7, first / 2, first)
    if kind == "value":
        return imd.diff(first * 400_000, second * 400_000, X)
    if kind == "proba":
        return imd.diff(first, second, X, outputs="proba")
    if kind == "many":
        many = [(score * 120).astype(int) for score in (first, second)]
        return imd.diff(many[0], many[1], X, outputs="class")
    before, after = (np.where(score > 0.4, "yes", "no") for score in (first, second))
    return imd.diff(before, after, X, y=before, sample_weight=rng.random(600))


@pytest.mark.usefixtures("no_foreign_requests")
def test_without_scripts_a_page_has_its_rules(
    diff: imd.ModelDiff, browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(diff.save(tmp_path / "diff.html").as_uri())
    text = page.locator("body").inner_text()
    assert diff.summary() in text
    for rule in diff.rules:
        assert conditions_text(rule.conditions) in text
        assert rule.title.text(arrow="→") in text
    context.close()


def test_the_footer_can_be_read_in_a_dark_host(
    diff: imd.ModelDiff, page: Page, tmp_path: Path
) -> None:
    diff.save(tmp_path / "diff.html")
    host = '<body style="background: black"><iframe src="diff.html"></iframe></body>'
    (tmp_path / "host.html").write_text(host, encoding="utf-8")
    page.goto((tmp_path / "host.html").as_uri())
    footer = page.frame_locator("iframe").locator("footer")
    colours = footer.evaluate(
        "(el) => [el, el.ownerDocument.body].map((own) => getComputedStyle(own))"
        ".flatMap((style) => [style.color, style.backgroundColor])"
    )
    assert colours[0] == "rgb(0, 0, 0)"
    assert colours[3] == "rgb(255, 255, 255)", "the ground is the page's own, not the host's"


def test_a_page_is_as_high_as_the_window(opened: Page) -> None:
    root = opened.locator(".imd-root")
    for height in (620, 1000, 1400):
        opened.set_viewport_size({"width": 1280, "height": height})
        box = root.bounding_box()
        assert box is not None
        assert height - 110 < box["height"] < height
        # the footer is in view, and nothing has to be scrolled for it
        assert opened.evaluate("document.documentElement.scrollHeight <= window.innerHeight")


@pytest.mark.usefixtures("no_foreign_requests")
def test_paper_holds_the_headline_the_tree_and_every_rule(
    opened: Page, diff: imd.ModelDiff
) -> None:
    opened.locator('[data-tab="Node"]').click()
    opened.set_viewport_size({"width": 720, "height": 1000})
    opened.emulate_media(media="print")
    printed = opened.get_by_test_id("imd-printed").locator("[data-rule]")
    expect(printed).to_have_count(len(diff.rules) + len(diff.agreement))
    for card in printed.all():
        expect(card).to_be_visible()
    expect(opened.get_by_test_id("imd-headline")).to_be_visible()
    for part in (".imd-toolbar", ".imd-panel", ".imd-corner"):
        expect(opened.locator(part)).to_be_hidden()
    # nothing is cut off: the whole tree lies on the page, and no part scrolls
    tree = opened.get_by_test_id("imd-tree")
    outside = tree.evaluate(
        """(tree) => [...tree.querySelectorAll("[data-node]")].filter((node) => {
          const { left, right } = node.getBoundingClientRect();
          return left < -1 || right > innerWidth + 1;
        }).length"""
    )
    assert outside == 0
    assert opened.pdf().startswith(b"%PDF")
    opened.emulate_media(media="screen")
    expect(opened.get_by_test_id("imd-printed")).to_have_count(0)


@pytest.mark.usefixtures("no_foreign_requests")
def test_rows_of_a_page_are_saved_as_csv(page: Page, tmp_path: Path) -> None:
    d = noisy_diff()
    open_page(page, d.to_html(tmp_path / "diff.html", rows=120))
    page.locator('[data-tab="Rows"]').click()
    page.get_by_test_id("imd-differing").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("imd-csv").click()
    saved = pd.read_csv(waiting.value.path())
    assert list(saved.columns[:3]) == ["row", "old", "new"]
    assert d.differs[saved["row"]].all()
    assert d.covered()[saved["row"]].all()
    np.testing.assert_allclose(saved["a"], d.table.get(0).iloc[saved["row"]], rtol=1e-5)


def test_a_page_in_a_frame_tells_the_host_its_height(
    diff: imd.ModelDiff, page: Page, tmp_path: Path
) -> None:
    diff.save(tmp_path / "diff.html")
    listen = 'addEventListener("message", ({ data }) => { window.told = data; })'
    (tmp_path / "host.html").write_text(
        f'<iframe src="diff.html" width=900 height=200></iframe><script>{listen}</script>'
    )
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto((tmp_path / "host.html").as_uri())
    page.wait_for_function("window.told?.height > 400")
    told = page.evaluate("window.told")
    assert set(told) == {"type", "height"}
    assert told["type"] == "imd-height"
    page.locator("iframe").evaluate("(frame, height) => { frame.height = height }", told["height"])
    page.wait_for_timeout(300)
    inside = page.frames[1]
    assert inside.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_page_in_a_frame_is_dark_if_its_host_says_so(
    diff: imd.ModelDiff, page: Page, tmp_path: Path
) -> None:
    diff.save(tmp_path / "diff.html")
    (tmp_path / "host.html").write_text('<iframe src="diff.html" width=900 height=600></iframe>')
    page.goto((tmp_path / "host.html").as_uri())
    inside = page.frame_locator("iframe")
    expect(inside.locator(".imd-root")).to_have_attribute("data-theme", "light")
    say = """(frame, theme) =>
      frame.contentWindow.postMessage({ type: "imd-theme", theme }, "*")"""
    for said, theme in (("dark", "dark"), ("red", "dark"), ("light", "light")):
        page.locator("iframe").evaluate(say, said)
        expect(inside.locator(".imd-root")).to_have_attribute("data-theme", theme)
