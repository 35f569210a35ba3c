"""The built front-end in Chromium, with a stub in place of the kernel."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.locators import click_or_node, reason_of, rule_cards, tree
from tests.e2e.stub_widget import Mount, State, View, wait_until

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="window.pwned = true"><script>window.pwned = true</script>'


def test_first_view_shows_every_difference(stub_page: Mount, state: State) -> None:
    widget = stub_page(state)

    # A tree that is larger than its frame is folded until all of it can be read at once.
    boxes = tree(widget.root).locator("[data-node]")
    expect(boxes.first).to_be_visible()
    drawn = boxes.all()
    assert len(drawn) > 1
    assert all(node.evaluate(IS_ON_TOP) for node in drawn)
    expect(widget.root.get_by_test_id("imd-hint")).to_contain_text("folded to fit")
    by_id = {node["id"]: node for node in state["view"]["nodes"]}
    ids = [str(node.get_attribute("data-node")) for node in drawn]
    ends = [one for one in ids if not any(o != one and o.startswith(one) for o in ids)]
    shown = {rule for one in ends for rule in by_id[one]["rules"]}
    assert shown == {rule["number"] for rule in state["view"]["rules"]}
    drawn[-1].click()
    widget.wait_saved("selected_node", ids[-1])


def test_or_node_lists_its_rules(stub_page: Mount, state: State) -> None:
    node = or_node_with_rules(state["view"])
    widget = stub_page(state)

    click_or_node(widget.root, node)

    widget.wait_saved("selected_node", node)
    expect(rule_cards(widget.root)).to_have_count(len(rules_of(state["view"], node)))
    assert shown_rules(widget.root) == rules_of(state["view"], node)


def test_nothing_selected_lists_every_rule(stub_page: Mount, state: State) -> None:
    widget = stub_page(state)

    expect(rule_cards(widget.root)).to_have_count(len(state["view"]["rules"]))


def test_rule_lights_its_path(stub_page: Mount, state: State) -> None:
    rule = state["view"]["rules"][0]
    widget = stub_page(state)

    rule_cards(widget.root).and_(widget.root.locator(f'[data-rule="{rule["number"]}"]')).click()

    widget.wait_saved("selected_rules", [rule["number"]])
    lit = tree(widget.root).locator("[data-node].is-lit")
    expect(lit.first).to_be_attached()
    lit_ids = set(lit.evaluate_all("(nodes) => nodes.map((node) => node.dataset.node)"))
    drawn = set(
        tree(widget.root)
        .locator("[data-node]")
        .evaluate_all("(nodes) => nodes.map((node) => node.dataset.node)")
    )
    assert lit_ids == drawn & path_of(state["view"], rule)
    assert rule["node"] in lit_ids


def test_selection_from_python_is_shown(stub_page: Mount, state: State) -> None:
    node = or_node_with_rules(state["view"])
    widget = stub_page(state)

    widget.push("selected_node", node)

    expect(rule_cards(widget.root)).to_have_count(len(rules_of(state["view"], node)))
    assert shown_rules(widget.root) == rules_of(state["view"], node)


def test_refine_asks_python_and_shows_its_error(stub_page: Mount, state: State) -> None:
    state["view"]["refinement"] |= {"impure": 3, "reason": None}
    widget = stub_page(state)

    widget.root.get_by_test_id("imd-refine").click()

    [message] = widget.wait_sent(1)
    assert message["kind"] == "refine"
    assert message["id"]
    widget.answer({"id": message["id"], "error": "boom"})
    expect(widget.root.get_by_test_id("imd-error")).to_contain_text("boom")


def test_error_goes_when_the_next_request_succeeds(stub_page: Mount, state: State) -> None:
    state["view"]["refinement"] |= {"impure": 3, "reason": None}
    widget = stub_page(state)
    refine = widget.root.get_by_test_id("imd-refine")
    error = widget.root.get_by_test_id("imd-error")
    refine.click()
    [first] = widget.wait_sent(1)
    widget.answer({"id": first["id"], "error": "boom"})
    expect(error).to_contain_text("boom")

    refine.click()
    _, second = widget.wait_sent(2)
    widget.answer({"id": second["id"]})

    assert second["id"] != first["id"]
    expect(error.filter(has_text="boom")).to_have_count(0)


def test_refine_without_anything_to_refine_says_why(stub_page: Mount, state: State) -> None:
    state["view"]["refinement"] |= {"impure": 0, "reason": "every leaf is pure"}
    widget = stub_page(state)

    refine = widget.root.get_by_test_id("imd-refine")

    expect(refine).to_be_disabled()
    assert "every leaf is pure" in reason_of(refine)


def test_new_view_is_drawn(stub_page: Mount, state: State) -> None:
    widget = stub_page(state)
    expect(rule_cards(widget.root)).to_have_count(len(state["view"]["rules"]))

    changed = copy.deepcopy(state["view"])
    changed["headline"]["sentences"] = ["Something else altogether."]
    widget.push("view", changed)

    expect(widget.root).to_contain_text("Something else altogether.")
    expect(widget.root).not_to_contain_text(state["view"]["headline"]["sentences"][0])


def test_view_without_rules_is_drawn(stub_page: Mount, state: State) -> None:
    root = {
        **state["view"]["nodes"][0],
        "kind": "leaf",
        "condition": None,
        "label": 0,
        "differing": 0,
        "rules": [],
    }
    state["view"] |= {
        "headline": {"sentences": ["They never disagree."], "tone": "none", "notes": []},
        "nodes": [root],
        "rules": [],
    }
    widget = stub_page(state)

    expect(widget.root).to_contain_text("They never disagree.")
    expect(rule_cards(widget.root)).to_have_count(0)
    expect(tree(widget.root)).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(stub_page: Mount, state: State, theme: str) -> None:
    widget = stub_page({**state, "theme": theme})

    expect(widget.root.locator(f'[data-theme="{theme}"]').first).to_be_attached()
    headline = widget.root.get_by_text(state["view"]["headline"]["sentences"][0]).first
    for text in (headline, rule_cards(widget.root).first):
        assert text.evaluate(CONTRAST) >= 4.5


def test_theme_changes_the_colours(stub_page: Mount, state: State) -> None:
    widget = stub_page(state)
    root = widget.root.locator(".imd-root")
    light = root.evaluate(COLOURS)

    widget.push("theme", "dark")

    expect(widget.root.locator('[data-theme="dark"]').first).to_be_attached()
    dark = root.evaluate(COLOURS)
    assert light["text"] != dark["text"]
    assert light["ground"] != dark["ground"]


@pytest.mark.parametrize("width", [400, 720, 1280])
def test_fits_its_width(stub_page: Mount, state: State, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    widget = stub_page(state)

    root = widget.root.locator(".imd-root")
    expect(root).to_be_visible()
    inner, outer = root.evaluate("(root) => [root.scrollWidth, root.clientWidth]")
    assert inner <= outer
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [1200, 600])
@pytest.mark.parametrize("height", [400, 250])
def test_a_box_of_a_fixed_height_hides_nothing(
    stub_page: Mount, state: State, page: Page, width: int, height: int
) -> None:
    """Apps such as Shiny give a widget a box and cut off what is higher."""
    page.set_viewport_size({"width": width, "height": 900})
    page.add_style_tag(content=f"body > div {{ height: {height}px; overflow: hidden; }}")
    widget = stub_page(state)
    root = widget.root.locator(".imd-root")
    wait_until(page, "(high) => document.querySelector('.imd-root').offsetHeight <= high", height)
    for part in (".imd-legend", ".imd-panel"):
        found = root.locator(part).first
        found.scroll_into_view_if_needed()
        box = found.bounding_box()
        around = widget.root.bounding_box()
        assert box is not None
        assert around is not None
        assert box["y"] < around["y"] + around["height"]
        assert box["y"] + box["height"] > around["y"]
    scrolled = root.evaluate(
        "(el) => { el.scrollTop = 1e6; return el.scrollTop + el.clientHeight; }"
    )
    assert scrolled >= root.evaluate("(el) => el.scrollHeight") - 1


def test_a_box_that_grows_with_the_widget_changes_nothing(
    stub_page: Mount, state: State, page: Page
) -> None:
    page.add_style_tag(content="body > div { overflow: hidden; }")
    widget = stub_page(state)
    root = widget.root.locator(".imd-root")
    assert root.evaluate("(el) => [el.style.maxHeight, el.style.overflowY].join()") == ","
    high = root.evaluate("(el) => el.offsetHeight")
    assert high >= state["height"]


def test_names_are_text_not_markup(stub_page: Mount, state: State, page: Page) -> None:
    node = or_node_with_rules(state["view"])
    hostile = with_hostile_words(state["view"])
    widget = stub_page({**state, "view": hostile})
    click_or_node(widget.root, node)
    rule_cards(widget.root).first.click()
    widget.push("view", copy.deepcopy(hostile))

    expect(widget.root.get_by_text("onerror").first).to_be_attached()
    expect(widget.root.locator("img, script, iframe")).to_have_count(0)
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None


def test_two_widgets_do_not_disturb_each_other(stub_page: Mount, state: State) -> None:
    node = or_node_with_rules(state["view"])
    other_view = copy.deepcopy(state["view"])
    other_view["headline"]["sentences"] = ["The other pair."]
    first, second = stub_page(state), stub_page({**state, "view": other_view, "theme": "dark"})

    click_or_node(first.root, node)

    first.wait_saved("selected_node", node)
    expect(rule_cards(first.root)).to_have_count(len(rules_of(state["view"], node)))
    expect(rule_cards(second.root)).to_have_count(len(other_view["rules"]))
    assert second.saved == {}
    assert second.sent == []
    expect(second.root).to_contain_text("The other pair.")
    expect(first.root.locator('[data-theme="dark"]')).to_have_count(0)
    ids = first.page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_clean_up_leaves_nothing(stub_page: Mount, state: State, page: Page) -> None:
    first, second = stub_page(state), stub_page(state)

    first.unmount()

    assert first.n_listeners == 0
    first.push("view", copy.deepcopy(state["view"]))
    expect(page.locator(".imd-root")).to_have_count(1)
    assert second.n_listeners > 0


# --- what is on the page --------------------------------------------------------------------------


def shown_rules(root: Locator) -> set[int]:
    return {int(card.get_attribute("data-rule") or -1) for card in rule_cards(root).all()}


# Whether a click on the middle of a node meets the node.
IS_ON_TOP = """(node) => {
  const { x, y, width, height } = node.getBoundingClientRect();
  return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""

# Text colour and the first painted ground below it.
COLOURS = """(element) => {
  let ground = element;
  const painted = (e) => getComputedStyle(e).backgroundColor;
  const clear = (colour) => colour === "transparent" || /, 0\\)$|\\/ 0\\)$/.test(colour);
  while (ground.parentElement && clear(painted(ground))) ground = ground.parentElement;
  return { text: getComputedStyle(element).color,
           ground: clear(painted(ground)) ? "rgb(255, 255, 255)" : painted(ground) };
}"""

# Contrast of the two as WCAG counts it; a canvas turns any way of writing a colour into RGB.
CONTRAST = f"""(element) => {{
  const {{ text, ground }} = ({COLOURS})(element);
  const brush = document.createElement("canvas").getContext("2d", {{ willReadFrequently: true }});
  const luminance = (colour) => {{
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map((byte) => {{
      const share = byte / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }});
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }};
  const [dark, bright] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}}"""


# --- what the view says ---------------------------------------------------------------------------


def or_node_with_rules(view: View) -> str:
    """Id of the first or-node that has rules."""
    owners = {rule["node"] for rule in view["rules"]}
    return next(str(node["id"]) for node in view["nodes"] if node["id"] in owners)


def rules_of(view: View, node: str) -> set[int]:
    return {rule["number"] for rule in view["rules"] if rule["node"] == node}


def path_of(view: View, rule: dict[str, Any]) -> set[str]:
    """Ids of the nodes from the root to the leaves of the rule."""
    parents = {node["id"]: node["parent"] for node in view["nodes"]}
    path = set()
    for pair in rule["leaves"]:
        for leaf in pair:
            node = leaf
            while node is not None:
                path.add(node)
                node = parents[node]
    return path


def with_hostile_words(view: View) -> View:
    """The view with markup in every place where a user's own words can stand."""
    hostile = copy.deepcopy(view)
    hostile["names"] = [HOSTILE, HOSTILE]
    hostile["classes"] = [f"{HOSTILE} {i}" for i, _ in enumerate(view["classes"])]
    hostile["headline"]["sentences"] = [HOSTILE]
    for node in hostile["nodes"]:
        if node["condition"] is not None:
            node["condition"] = f"{HOSTILE} < 1"
    for condition in hostile["conditions"]:
        words = dict.fromkeys(("text", "query", "sql"), f"{HOSTILE} < 1")
        condition |= {**words, "column": HOSTILE}
    hostile["refinement"] |= {"reason": HOSTILE, "change": HOSTILE}
    return hostile
