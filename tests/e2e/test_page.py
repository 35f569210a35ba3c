"""The page that `to_html` writes, opened as a file without any network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
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
    for word in d.to_dict()["rules"][0]["said"]:
        expect(card).to_contain_text(word)
    legend = page.locator(".imd-legend")
    if kind in ("value", "proba"):
        expect(legend).to_contain_text(f"differ: {d.to_dict()['outputs']['differs']}")
    if kind == "weighted":
        expect(legend).to_contain_text("by weight")
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
