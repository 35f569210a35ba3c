"""What a screen reader and a keyboard meet, judged by axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page

import imd_widget as imd

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


def diff_of(kind: str) -> imd.ModelDiff:
    pair = imd.datasets.breast_cancer_pair()
    if kind == "classes":
        return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, y=pair.y)
    if kind == "paper":
        return imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, method="imd")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(600, 2)), columns=["a", "b"])
    value = 300 * X["a"].to_numpy() + 7
    return imd.diff(value, np.where(X["b"] > 0.7, value / 2, value), X)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["classes", "paper", "values"])
def test_no_serious_violation(
    kind: str, scheme: Any, page: Page, context: BrowserContext, tmp_path: Path
) -> None:
    diff_of(kind).to_html(tmp_path / "diff.html", rows=50)
    context.set_offline(True)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto((tmp_path / "diff.html").as_uri())
    # the page's policy lets in no script of ours either, unless the browser itself runs it
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(page)
    page.locator("[data-rule]").first.click()
    found |= violations(page)
    for tab in ("Rows", "Node", "Why"):
        page.get_by_role("tab", name=tab).click()
        found |= violations(page)
    page.get_by_test_id("imd-help").click()
    found |= violations(page)
    assert found == set()


def violations(page: Page) -> set[str]:
    """Serious and critical ones: what is wrong, and where."""
    result = page.evaluate(
        """async () => {
          // what is drawn in a box is wrapped and cut; its name says it in whole words
          const rules = { "label-content-name-mismatch": { enabled: false } };
          const { violations } = await axe.run({ rules });
          const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact));
          const where = (v) => v.nodes.slice(0, 3).map((n) => n.html.slice(0, 140)).join(" | ");
          return bad.map((v) => `${v.id}: ${where(v)}`);
        }"""
    )
    return set(result)
