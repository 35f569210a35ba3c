"""The tab Why of a saved page, opened as a file without any network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

import imd_widget as imd
from tests.e2e.test_access import AXE, violations
from tests.e2e.test_page import noisy_diff
from tests.e2e.test_why import numbers, tariffs

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("no_foreign_requests")]


@pytest.fixture(scope="module")
def diff() -> imd.ModelDiff:
    return tariffs()


@pytest.fixture(scope="module")
def file(diff: imd.ModelDiff, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("why") / "diff.html"
    return diff.save(path, explain=True, rows=60)


def opened(page: Page, context: BrowserContext, file: Path) -> Page:
    context.set_offline(True)
    page.goto(file.as_uri())
    page.get_by_role("tab", name="Why").click()
    return page


def part(page: Page, name: str) -> Locator:
    """A part that comes on demand, opened."""
    found = page.get_by_test_id(name)
    found.locator(".imd-disclosure").click()
    return found


def test_all_rows_and_a_rule_are_explained_as_in_the_notebook(
    page: Page, context: BrowserContext, file: Path, diff: imd.ModelDiff
) -> None:
    opened(page, context, file)
    expect(page.get_by_test_id("imd-why-title")).to_contain_text("on 900 rows in the whole table")
    expect(page.get_by_test_id("imd-contributions")).to_contain_text("Mean absolute contribution")
    jobs = diff.explain().partial_dependence("job")
    nurse = list(jobs.texts).index("nurse")
    reading = part(page, "imd-curves-part").locator('[data-column="job"] .imd-reading')
    expect(reading).to_contain_text(f"old {jobs.first[nurse]:.3g}, new {jobs.second[nurse]:.3g}")
    trees = diff.explain().surrogates
    surrogates = part(page, "imd-surrogates-part")
    expect(surrogates.get_by_test_id("imd-trees")).to_contain_text(
        str(trees.difference.nodes[0].question)
    )
    expect(surrogates.get_by_test_id("imd-importance").locator("tbody th").first).to_have_text(
        "job"
    )

    page.get_by_role("tab", name="Rules").click()
    page.locator('[data-rule="0"]').click()
    page.get_by_role("tab", name="Why").click()
    rows = int(diff.covered([0]).sum())
    expect(page.get_by_test_id("imd-why-title")).to_contain_text(f"on {rows:,} rows inside rule 0")
    found = diff.explain(diff.rules[0]).contributions
    assert numbers(page.get_by_test_id("imd-bars"), 5)[-1] == pytest.approx(found.gap, abs=0.5)
    sentence = page.get_by_test_id("imd-conditions").locator(".imd-reading")
    expect(sentence).to_contain_text("If job were clerk, the gap would be")


def test_what_the_page_does_not_hold_is_said_in_words(
    page: Page, context: BrowserContext, file: Path, diff: imd.ModelDiff
) -> None:
    opened(page, context, file)
    expect(page.locator("footer")).to_contain_text("It explains both models for ")
    missing = page.get_by_test_id("imd-why-missing")
    expect(missing).to_contain_text("A saved page cannot call the models")
    expect(page.get_by_test_id("imd-pairs")).to_have_count(0)
    n_rules = len(diff.rules) + len(diff.agreement)
    taken = [diff.covered([number]) for number in range(n_rules)]
    other = next(
        node
        for node in diff.tree.ids[1:]
        if not any(np.array_equal(diff.reaches(node), rows) for rows in taken)
    )
    page.evaluate("() => document.querySelector('[data-testid=imd-all]').click()")
    page.locator(f'[data-node="{other}"]').focus()
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Why").click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("This page explains all rows and each rule.")
    expect(panel.get_by_role("button", name="Try again")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Rows").click()
    page.locator("tbody tr").first.click()
    page.get_by_role("tab", name="Why").click()
    expect(page.get_by_test_id("imd-why-row")).to_contain_text(
        "A saved page cannot call the models"
    )
    expect(page.get_by_test_id("imd-editor")).to_have_count(0)


def test_a_page_without_explanations_says_how_to_get_them(
    page: Page, context: BrowserContext, diff: imd.ModelDiff, tmp_path: Path
) -> None:
    opened(page, context, diff.save(tmp_path / "plain.html"))
    expect(page.get_by_test_id("imd-no-why")).to_have_text(
        'This page was saved without explanations. d.save("diff.html", explain=True) includes them.'
    )


def test_a_diff_from_a_file_says_what_it_lacks(
    page: Page, context: BrowserContext, diff: imd.ModelDiff, tmp_path: Path
) -> None:
    loaded = imd.load(diff.save(tmp_path / "diff.json"))
    opened(page, context, loaded.save(tmp_path / "loaded.html"))
    expect(page.get_by_test_id("imd-no-why")).to_have_text(
        "This diff was read from a file, which holds neither rows nor models: make it again with "
        "imd.diff(m1, m2, X) to see why they differ."
    )


def test_rules_of_another_step_are_not_mixed_up(
    page: Page, context: BrowserContext, tmp_path: Path
) -> None:
    d = noisy_diff()
    n_rows = d.table.n_rows
    w = imd.show(d)
    w.refine()
    opened(page, context, w.save(tmp_path / "steps.html", explain=True, refinements=1))
    page.get_by_test_id("imd-undo").click()
    expect(page.get_by_test_id("imd-why-title")).to_contain_text(f"on {n_rows:,} rows")
    page.get_by_role("tab", name="Rules").click()
    page.locator('[data-rule="0"]').click()
    page.get_by_role("tab", name="Why").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("This page explains all rows")
    expect(page.locator(".imd-curve")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_no_serious_violation_and_nothing_sticks_out(
    page: Page, context: BrowserContext, file: Path, scheme: Any, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    opened(page, context, file)
    for name in ("imd-curves-part", "imd-surrogates-part"):
        part(page, name)
    expect(page.get_by_test_id("imd-importance")).to_be_visible()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == set()
    panel = page.locator(".imd-why")
    assert panel.evaluate("(one) => one.scrollWidth <= one.clientWidth")
