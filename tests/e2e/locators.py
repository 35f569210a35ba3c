"""Where things are in the widget, for every test that looks at one."""

from __future__ import annotations

from playwright.sync_api import Locator


def tree(root: Locator) -> Locator:
    return root.get_by_test_id("imd-tree")


def or_nodes(root: Locator) -> Locator:
    return tree(root).locator('[data-or="true"]')


def rule_cards(root: Locator) -> Locator:
    return root.locator("[data-rule]")


def click_or_node(root: Locator, node: str) -> None:
    """Bring the whole tree into view, as a user does who looks for a node, and click it."""
    unfold = root.get_by_role("button", name="unfold all")
    if unfold.count():
        unfold.click()
    root.get_by_role("button", name="Fit", exact=True).first.click()
    or_nodes(root).and_(root.locator(f'[data-node="{node}"]')).click()


def show_options(root: Locator) -> None:
    """Open the options; in a narrow widget this also shows the buttons of the toolbar."""
    button = root.get_by_test_id("imd-options")
    if button.get_attribute("aria-expanded") != "true":
        button.click()


def reason_of(control: Locator) -> str:
    """Everything that a control says about itself to mouse and screen reader."""
    said = control.evaluate(
        """(control) => [
          ...["title", "aria-label", "aria-description"].map((name) => control.getAttribute(name)),
          ...(control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)
            .map((id) => control.getRootNode().getElementById(id)?.textContent),
        ].filter(Boolean).join(" · ")"""
    )
    return str(said)
