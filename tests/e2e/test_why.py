"""The tab Why in a browser: opened, read with mouse and keys, narrow, dark, and by axe-core."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.gallery import State, open_on_page, open_state, serve, with_why
from tests.e2e.stub_widget import StubWidget
from tests.e2e.test_access import AXE, violations

pytestmark = pytest.mark.browser


def tariffs() -> imd.ModelDiff:
    """Numbers, missing values and categories; the second model asks twice as much of nurses."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, 900).astype(float), "job": rng.choice(["clerk", "nurse"], 900)}
    )
    X.loc[:80, "age"] = np.nan

    def old(table: pd.DataFrame) -> pd.Series:
        return table["age"].fillna(40.0)

    def new(table: pd.DataFrame) -> pd.Series:
        return old(table) * np.where(table["job"] == "nurse", 2.0, 1.0)

    return imd.diff(old, new, X, names=("old", "new"), outputs="value", tolerance=5)


def chart(stub: StubWidget, column: str) -> Locator:
    return stub.root.locator(f'.imd-curve[data-column="{column}"]')


def test_values_are_read_with_the_keys_and_with_the_mouse(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    stub = open_on_page(page, bundle_url, State(lambda: d, touch=with_why, height=800), "light")
    expect(stub.root.get_by_test_id("imd-why-title")).to_contain_text("on 900 rows")
    jobs = d.explain().partial_dependence("job")
    nurse = list(jobs.texts).index("nurse")
    said = f"nurse: old {jobs.first[nurse]:.3g}, new {jobs.second[nurse]:.3g}"
    reading = chart(stub, "job").locator(".imd-reading")
    expect(reading).to_have_text(f"furthest apart at {said}")

    button = chart(stub, "job").get_by_role("button")
    button.focus()
    for _ in range(nurse + 1):
        page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text(said)
    expect(reading).not_to_contain_text("furthest")
    expect(chart(stub, "job").locator("table")).to_have_css("position", "absolute")
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(chart(stub, "job").locator("table")).to_have_css("position", "static")

    box = chart(stub, "age").locator("svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    expect(chart(stub, "age").locator(".imd-reading")).to_contain_text(re.compile("^18: "))
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    expect(chart(stub, "age").locator(".imd-reading")).to_contain_text("missing: ")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["why", "why-row"])
def test_no_serious_violation(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = open_state(page, bundle_url, name, theme)
    page.evaluate("document.title = 'Why'")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(page)
    stub.root.locator(".imd-curve button").first.click()
    found |= violations(page)
    assert found == set()


@pytest.mark.parametrize("width", [400, 1100])
def test_nothing_sticks_out(
    width: int, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    state = State(tariffs, {"selected_rules": [0]}, with_why, width=width, height=700)
    stub = open_on_page(page, bundle_url, state, "light")
    stub.root.locator(".imd-curve button").first.click()
    panel = stub.root.locator(".imd-why")
    assert panel.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    assert stub.root.locator(".imd-curve svg").first.bounding_box() is not None


def test_an_error_is_shown_and_the_widget_goes_on(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    stub = open_on_page(page, bundle_url, State(lambda: d, {"tab": "Why"}), "light")
    [message] = stub.wait_sent(1)
    stub.answer({"id": message["id"], "error": "the model is out of order"})
    error = stub.root.get_by_test_id("imd-curves-error")
    expect(error).to_contain_text("out of order")
    error.get_by_role("button", name="Try again").click()
    serve(stub, imd.show(d), 2)
    expect(chart(stub, "job")).to_be_visible()
    expect(error).to_have_count(0)


def test_surrogates_come_on_demand(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    widget = imd.show(d)
    stub = open_on_page(page, bundle_url, State(lambda: d, touch=with_why, height=800), "light")
    stub.root.get_by_test_id("imd-more-surrogates").click()
    serve(stub, widget, 2)
    expect(stub.root.get_by_test_id("imd-importance").locator("tbody th").first).to_have_text("job")
    trees = stub.root.get_by_test_id("imd-trees")
    question = d.explain().surrogates.first.nodes[0].question
    trees.get_by_role("button", name="old").click()
    expect(trees.get_by_test_id("imd-outline")).to_contain_text(str(question))
    page.evaluate("document.title = 'Why'")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == set()


def test_of_one_array_the_other_model_is_drawn(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    X = d.table.rows(np.ones(900, dtype=bool))
    one = imd.diff(
        d.predictions.iloc[:, 0].to_numpy(),
        lambda t: t["age"].fillna(40.0) * np.where(t["job"] == "nurse", 2.0, 1.0),
        X,
        names=("old", "new"),
        outputs="value",
        tolerance=5,
    )
    stub = open_on_page(page, bundle_url, State(lambda: one, touch=with_why, height=800), "light")
    expect(stub.root.get_by_test_id("imd-lacking")).to_have_text(
        "m1 (old) was given as an array of outputs, which cannot be called with other values, so "
        "only new has curves: for both, pass the model itself or a function of the table."
    )
    expect(stub.root.get_by_test_id("imd-curves").locator("h4")).to_have_text(
        "Columns that drive new"
    )
    expect(chart(stub, "age").locator(".is-model")).to_have_count(1)
    expect(chart(stub, "job").locator("circle")).to_have_count(2)
