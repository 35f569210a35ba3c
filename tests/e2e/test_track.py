"""A track in a browser: as a widget and as a page, light and dark, with the mouse and axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.stub_widget import Mount
from tests.e2e.test_access import AXE, violations

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def track() -> imd.Track:
    """Two models that differ on a range of x0, which is half as long in March."""
    X = pd.DataFrame({"x0": np.arange(400)})
    old, new, later = (X["x0"] < limit for limit in (160, 240, 200))
    d = imd.diff(old, new, X, names=("<i>old</i>", "new"))
    return imd.track({"January": d, "February": (old, new, X), "March": (old, later, X)})


def test_a_period_is_chosen_by_click_and_by_key(stub_page: Mount, track: imd.Track) -> None:
    widget = imd.show(track)
    stub = stub_page({"track": widget.track, "theme": "light", "height": None})
    rule = stub.root.locator('[data-region="rule 0"]')
    expect(rule).to_contain_text("shrank in March")
    expect(rule.locator("circle.is-changed")).to_have_count(1)
    expect(rule).to_contain_text("March: 48.8 %")
    february = stub.root.get_by_role("button", name="February")
    february.click()
    expect(rule).to_contain_text("February: 97.6 %")
    february.press("ArrowLeft")
    expect(rule).to_contain_text("January: ")
    box = rule.locator("svg").bounding_box()
    assert box is not None
    rule.locator("svg").click(position={"x": 0.95 * box["width"], "y": 10})
    expect(rule).to_contain_text("March: 48.8 %")
    stub.unmount()
    assert stub.n_listeners == 0
    assert stub.sent == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_its_page_opens_without_a_network(
    page: Page,
    context: BrowserContext,
    no_foreign_requests: PageWatch,
    tmp_path: Path,
    track: imd.Track,
    scheme: Any,
    width: int,
) -> None:
    file = track.save(tmp_path / "track.html")
    context.set_offline(True)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(file.as_uri())
    expect(page.get_by_test_id("imd-headline")).to_contain_text("<i>old</i> and new")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == set()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
