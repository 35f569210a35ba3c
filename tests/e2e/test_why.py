"""The tab Why in a browser: opened, read with mouse and keys, narrow, dark, and by axe-core."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.gallery import (
    State,
    open_on_page,
    open_state,
    opened,
    serve_open,
    with_map,
    with_row,
    with_smallest_change,
    with_surrogates,
    with_why,
)
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


def with_curves(stub: StubWidget, widget: imd.DiffWidget) -> None:
    """The curves of single columns, opened."""
    with_why(stub, widget)
    opened(stub, widget, "imd-curves-part")


def chart(stub: StubWidget, column: str) -> Locator:
    curves = stub.root.get_by_test_id("imd-curves")
    return curves.locator(f'.imd-curve[data-column="{column}"]')


def numbers(table: Locator, column: int) -> list[float]:
    """The numbers of a column of a table, without standard errors."""
    cells = table.locator(f"tbody tr > :nth-child({column})").all_text_contents()
    return [float(re.split(" ±", cell)[0].replace("−", "-")) for cell in cells]


def test_values_are_read_with_the_keys_and_with_the_mouse(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    stub = open_on_page(page, bundle_url, State(lambda: d, touch=with_curves, height=800), "light")
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
    expect(chart(stub, "job").locator(".imd-aloud table")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(chart(stub, "job").locator(".imd-aloud")).to_have_count(0)

    chart(stub, "age").scroll_into_view_if_needed()
    box = chart(stub, "age").locator("svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    expect(chart(stub, "age").locator(".imd-reading")).to_contain_text(re.compile("^18: "))
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    expect(chart(stub, "age").locator(".imd-reading")).to_contain_text("missing: ")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["why", "why-row", "why-change", "why-map", "why-trees"])
def test_no_serious_violation(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    stub = open_state(page, bundle_url, name, theme)
    page.evaluate("document.title = 'Why'")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(page)
    for chart in stub.root.locator(".imd-curve button").all()[:1]:
        chart.click()
        found |= violations(page)
    assert found == set()


@pytest.mark.parametrize("width", [400, 1100])
def test_nothing_sticks_out(
    width: int, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    def everything(stub: StubWidget, widget: imd.DiffWidget) -> None:
        with_row(stub, widget)
        for part in ("pairs", "curves-part", "surrogates-part", "reasons-part"):
            opened(stub, widget, f"imd-{part}")

    state = State(tariffs, {"selected_rules": [0]}, everything, width=width, height=700)
    stub = open_on_page(page, bundle_url, state, "light")
    stub.root.locator(".imd-curve button").first.click()
    panel = stub.root.locator(".imd-why")
    assert panel.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    assert stub.root.locator(".imd-curve svg").first.bounding_box() is not None


def test_contributions_of_the_page_add_up_to_the_gap(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    state = State(lambda: d, {"selected_rules": [0]}, with_why, height=800)
    stub = open_on_page(page, bundle_url, state, "light")
    found = d.explain(d.rules[0]).contributions
    expect(stub.root.get_by_test_id("imd-why-sentence")).to_contain_text(f"{abs(found.gap):.0f}")
    table = stub.root.get_by_test_id("imd-bars")
    *columns, base, gap = numbers(table, 5)
    assert gap == pytest.approx(found.gap, abs=0.5)
    assert base + sum(columns) == pytest.approx(gap, abs=1e-9)
    first = numbers(table, 3)
    assert sum(first[:-1]) == pytest.approx(first[-1], abs=1e-9)
    expect(table.locator("tbody th").first).to_have_text("job")
    expect(stub.root.get_by_test_id("imd-contributions")).to_contain_text("old does not")
    condition = stub.root.get_by_test_id("imd-conditions")
    expect(condition.locator(".imd-reading")).to_contain_text("If job were clerk, the gap would be")


def test_an_edited_row_moves_both_outputs_until_it_is_undone(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    kept: list[imd.DiffWidget] = []

    def touch(stub: StubWidget, widget: imd.DiffWidget) -> None:
        kept.append(widget)
        with_row(stub, widget)

    state = State(lambda: d, {"selected_rules": [0]}, touch, height=800)
    stub = open_on_page(page, bundle_url, state, "light")
    outputs = stub.root.get_by_test_id("imd-outputs")
    expect(outputs).to_contain_text("The models differ")
    before = numbers(outputs, 3)
    assert before[1] == pytest.approx(2 * before[0])
    age = stub.root.get_by_test_id("imd-editor").get_by_label("age", exact=True)
    age.fill("50")
    age.press("Enter")
    serve_open(stub, kept[0])
    expect(outputs.locator("b").first).to_have_text("50")
    expect(outputs.locator("b").last).to_have_text("100")
    expect(stub.root.get_by_test_id("imd-what-if-text")).to_contain_text("age")

    age.fill("old")
    age.press("Enter")
    serve_open(stub, kept[0])
    expect(stub.root.get_by_test_id("imd-row-error")).to_contain_text("old")
    expect(age).to_have_value("old")
    undo = stub.root.get_by_test_id("imd-what-if-undo")
    undo.click()
    serve_open(stub, kept[0])
    expect(stub.root.get_by_test_id("imd-row-error")).to_have_count(0)
    expect(age).to_have_value("50")
    undo.click()
    serve_open(stub, kept[0])
    assert numbers(outputs, 3) == before


def test_the_smallest_change_is_put_into_the_fields(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    state = State(lambda: d, {"selected_rules": [0]}, with_smallest_change, height=800)
    stub = open_on_page(page, bundle_url, state, "light")
    expect(stub.root.get_by_test_id("imd-editor").get_by_label("job", exact=True)).to_have_value(
        "clerk"
    )
    expect(stub.root.get_by_test_id("imd-outputs")).to_contain_text("The models agree")
    expect(stub.root.get_by_test_id("imd-smallest-text")).to_contain_text("clerk")


def test_the_map_is_read_with_the_keys(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    stub = open_on_page(page, bundle_url, State(lambda: d, touch=with_map, height=800), "light")
    expect(stub.root.locator(".imd-pairs button")).to_have_count(1)
    reading = stub.root.get_by_test_id("imd-map-reading")
    expect(reading).to_contain_text("arrow keys")
    stub.root.locator(".imd-map table").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(reading).not_to_contain_text("arrow keys")
    # old is age, new is twice that for nurses
    old, new = map(float, re.findall(r": old ([\d.]+), new ([\d.]+);", reading.inner_text())[0])
    factor = 2 if "nurse" in reading.inner_text() else 1
    assert new == pytest.approx(factor * old, rel=0.01)


def test_an_error_is_shown_and_the_widget_goes_on(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    stub = open_on_page(page, bundle_url, State(lambda: d, {"tab": "Why"}), "light")
    [message] = stub.wait_sent(1)
    stub.answer({"id": message["id"], "error": "the model is out of order"})
    error = stub.root.get_by_test_id("imd-why-error")
    expect(error).to_contain_text("out of order")
    error.get_by_role("button", name="Try again").click()
    stub.wait_sent(2)
    serve_open(stub, imd.show(d))
    expect(stub.root.get_by_test_id("imd-bars")).to_be_visible()
    expect(error).to_have_count(0)


def test_surrogates_come_on_demand(
    page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    d = tariffs()
    state = State(lambda: d, touch=with_surrogates, height=800)
    stub = open_on_page(page, bundle_url, state, "light")
    expect(stub.root.get_by_test_id("imd-importance").locator("tbody th").first).to_have_text("job")
    trees = stub.root.get_by_test_id("imd-trees")
    question = d.explain().surrogates.first.nodes[0].question
    trees.get_by_role("button", name="old").click()
    expect(trees.get_by_test_id("imd-outline")).to_contain_text(str(question))


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

    def touch(stub: StubWidget, widget: imd.DiffWidget) -> None:
        stub.root.get_by_role("tab", name="Why").click()
        stub.wait_sent(1)
        serve_open(stub, widget)
        opened(stub, widget, "imd-curves-part")

    stub = open_on_page(page, bundle_url, State(lambda: one, touch=touch, height=800), "light")
    expect(stub.root.get_by_test_id("imd-cannot")).to_contain_text(
        "m1 (old) was given as an array of outputs, which cannot be called with other values"
    )
    expect(stub.root.get_by_test_id("imd-bars")).to_have_count(0)
    expect(chart(stub, "age").locator(".is-model")).to_have_count(1)
    expect(chart(stub, "job").locator("circle")).to_have_count(2)
