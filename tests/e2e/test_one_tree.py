"""One tree alone in a browser: as a widget, as a page, with the mouse, the keys and axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect

import imd_widget as imd
from tests.e2e.conftest import PageWatch
from tests.e2e.jupyter_lab import add_notebook, open_in_lab
from tests.e2e.stub_widget import Mount, open_stub_page
from tests.e2e.test_access import AXE, violations
from tests.e2e.test_pictures import compare

pytestmark = pytest.mark.browser


def surrogate() -> Any:
    """A model whose tree is known: young cooks get a yes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, 900), "job": rng.choice(["cook", "<i>clerk</i>"], 900)}
    )
    return imd.surrogate(
        lambda t: np.where((t["age"] < 40) & (t["job"] == "cook"), "yes", "no"), X, name="desk"
    )


def state_of(widget: imd.TreeWidget, **traits: Any) -> dict[str, Any]:
    keys = ("tree", "selected_node", "folds", "theme", "orientation", "height")
    return {**{key: getattr(widget, key) for key in keys}, **traits}


def test_a_click_on_a_node_lists_its_conditions_and_figures(stub_page: Mount) -> None:
    tree = surrogate()
    widget = imd.show(tree)
    stub = stub_page(state_of(widget))
    root = stub.root
    expect(root.get_by_test_id("imd-headline")).to_contain_text("imitates desk")
    expect(root.get_by_test_id("imd-headline")).to_contain_text("R² 1.00")
    expect(root.get_by_role("treeitem")).to_have_count(len(tree.nodes))
    expect(root.locator(".imd-card")).to_have_count(len(tree.leaves))

    nodes = widget.tree["nodes"]
    leaf = next(node for node in nodes if node["value"] == 1)
    root.locator(f'[data-node="{leaf["id"]}"]').click()
    panel = root.get_by_test_id("imd-one-node")
    for condition in leaf["conditions"]:
        expect(panel).to_contain_text(condition)
    expect(panel).to_contain_text(f"{leaf['rows']:,}")
    stub.wait_saved("selected_node", leaf["id"])
    expect(root.locator(".imd-node.is-lit")).to_have_count(leaf["depth"] + 1)

    stub.push("selected_node", "r")
    expect(panel).to_contain_text(f"Split: {nodes[0]['condition']}")
    root.get_by_role("button", name="All leaves").click()
    expect(root.locator(".imd-card")).to_have_count(len(tree.leaves))
    root.locator(".imd-card button").first.click()
    stub.wait_saved("selected_node", next(n["id"] for n in nodes if n["kind"] == "leaf"))


def test_the_keys_work_as_in_the_diff(stub_page: Mount, page: Page) -> None:
    stub = stub_page(state_of(imd.show(surrogate())))
    item = stub.root.locator('[data-node="r"]')
    item.focus()
    expect(item).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    stub.wait_saved("selected_node", "ry")
    page.keyboard.press("Escape")
    stub.wait_saved("selected_node", "")
    item.focus()
    page.keyboard.press("ArrowLeft")
    stub.wait_saved("folds", {"r": True})
    expect(stub.root.get_by_role("treeitem")).to_have_count(1)
    expect(item).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    stub.wait_saved("folds", {"r": False})


def test_it_leaves_nothing_behind(stub_page: Mount) -> None:
    stub = stub_page(state_of(imd.show(surrogate())))
    assert stub.n_listeners > 0
    stub.unmount()
    assert stub.n_listeners == 0
    assert stub.sent == []


@pytest.mark.parametrize("orientation", ["right", "down"])
def test_classes_have_their_colours(stub_page: Mount, orientation: str) -> None:
    from tests.unit.test_one_tree import plain_tree

    stub = stub_page(state_of(imd.show(plain_tree(classes=True), orientation=orientation)))
    expect(stub.root.locator(".imd-legend")).to_have_text("noyes")
    expect(stub.root.locator('[data-node="ry"]')).to_contain_text("9 rows")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_its_page_opens_without_a_network(
    page: Page,
    context: BrowserContext,
    no_foreign_requests: PageWatch,
    tmp_path: Path,
    scheme: Any,
    width: int,
) -> None:
    file = surrogate().save(tmp_path / "tree.html")
    context.set_offline(True)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(file.as_uri())
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = violations(page)
    page.locator('[data-node="r"]').click()
    expect(page.get_by_test_id("imd-one-node")).to_contain_text("Split: ")
    found |= violations(page)
    assert found == set()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(page.locator("i:has-text('clerk')")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_looks_as_it_did(page: Page, bundle_url: str, theme: str) -> None:
    pair = imd.datasets.breast_cancer_pair()
    tree = imd.surrogate(pair.m2, pair.X, max_depth=3, name=pair.names[1])
    page.set_viewport_size({"width": 1100, "height": 600})
    page.emulate_media(reduced_motion="reduce")
    mount = open_stub_page(page, bundle_url)
    ground = "#111" if theme == "dark" else "#fff"
    page.add_style_tag(content=f"body {{ margin: 12px; background: {ground}; }}")
    mount(state_of(imd.show(tree), theme=theme, selected_node="ryn"))
    page.wait_for_timeout(400)
    compare(page, f"one-tree-{theme}.png")


CODE = """
import numpy as np
import pandas as pd
import imd_widget as imd

X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 8)})
tree = imd.surrogate(lambda t: np.where(t["age"] < 40, "no", "yes"), X, name="old")
tree
"""


@pytest.mark.lab
@pytest.mark.usefixtures("no_foreign_requests")
def test_a_notebook_draws_a_tree_that_is_the_last_line(lab_url: str, page: Page) -> None:
    add_notebook(lab_url, "tree.ipynb", [CODE, "w = imd.show(tree); w"])
    notebook = open_in_lab(page, lab_url, "tree.ipynb")
    notebook.run_all()
    first, second = notebook.output(0), notebook.output(1)
    expect(first.get_by_role("treeitem")).to_have_count(3, timeout=60_000)
    expect(first.locator("img")).to_be_hidden()
    second.locator('[data-node="ry"]').click(timeout=60_000)
    expect(second.get_by_test_id("imd-one-node")).to_contain_text("age < 40")
    notebook.wait_python("w.selected_node", "ry")
