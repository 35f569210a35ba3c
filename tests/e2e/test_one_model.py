"""One model in a browser: its page and its widget, with the mouse, the keys and axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect

import imd_widget as imd
from imd_widget._base.plain import to_json
from tests.e2e.conftest import PageWatch
from tests.e2e.stub_widget import Mount
from tests.e2e.test_access import AXE, violations

pytestmark = pytest.mark.browser


def explained() -> imd.ModelExplanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, 300).astype(float), "job": rng.choice(["cook", "clerk"], 300)}
    )
    return imd.explain(
        lambda t: t["age"] * np.where(t["job"] == "cook", 2.0, 1.0),
        X,
        X["age"],
        outputs="value",
        name="desk",
        max_calls=4_000,
    )


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 400)])
def test_a_page_explains_the_model_and_the_rows_that_it_holds(
    page: Page,
    context: BrowserContext,
    no_foreign_requests: PageWatch,
    tmp_path: Path,
    scheme: Any,
    width: int,
) -> None:
    e = explained()
    file = e.save(tmp_path / "model.html", rows=[7])
    context.set_offline(True)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(file.as_uri())
    expect(page.get_by_test_id("imd-ranked")).to_contain_text("means of at least 10 rows each")
    expect(page.get_by_test_id("imd-linear")).to_contain_text("R² held out")
    expect(page.get_by_test_id("imd-tree-columns")).to_contain_text("age")
    expect(page.get_by_test_id("imd-contributions")).to_contain_text("job")
    page.get_by_label("Row", exact=True).select_option("7")
    own = e.contributions_of(7)
    waterfall = page.get_by_test_id("imd-waterfall")
    expect(waterfall.locator("tr.is-sum")).to_contain_text(f"{own.level:.3g}")
    for name in ("imd-curves-part", "imd-surrogates-part", "imd-reasons-part"):
        page.get_by_test_id(name).get_by_role("button").first.click()
    expect(page.get_by_test_id("imd-reasons-text")).to_contain_text("desk gives")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == set()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_click_on_a_prediction_explains_its_row(stub_page: Mount, page: Page) -> None:
    e = explained()
    widget = e.show(picture=False)
    stub = stub_page({"model": widget.model, "theme": "light", "height": None})

    def serve() -> None:
        for _ in range(60):
            for message in stub.unanswered:
                if message["kind"] != "cancel":
                    work, finish = widget._job_of(message)
                    stub.answer({"id": message["id"], **to_json(finish(work()))})
            page.wait_for_timeout(25)

    serve()
    plot = stub.root.locator("svg.imd-ranked")
    plot.click(position={"x": 300, "y": 60})
    serve()
    field = stub.root.get_by_label("Row", exact=True)
    row = int(field.input_value())
    expect(stub.root.get_by_test_id("imd-ranked-reading")).to_contain_text(f"Row {row}: desk")
    editor = stub.root.get_by_test_id("imd-editor")
    editor.get_by_label("age").fill("40")
    editor.get_by_label("age").press("Enter")
    serve()
    [gives] = e.what_if(row, age=40).scores
    expect(stub.root.get_by_test_id("imd-outputs")).to_contain_text(f"{gives:g}")
    field.fill("3")
    field.press("Enter")
    serve()
    expect(stub.root.get_by_test_id("imd-why-row")).to_contain_text("Row 3")
    page.keyboard.press("Escape")
    expect(stub.root.get_by_test_id("imd-why-row")).to_have_count(0)
    stub.unmount()
    assert stub.n_listeners == 0
