"""The page that `to_html` writes, opened as a file without any network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import imd_widget as imd
from tests.e2e.locators import click_or_node, reason_of, rule_cards

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
def test_refine_is_off_and_says_why(opened: Page) -> None:
    refine = opened.get_by_test_id("imd-refine")

    expect(refine).to_be_disabled()
    assert "kernel" in reason_of(refine)
