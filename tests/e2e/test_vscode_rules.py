"""The rules of VS Code's notebooks, as far as they can be kept to without VS Code.

By default its notebook webview has no policy at all. With `notebook.experimental.enableCsp` it has
(src/vs/workbench/contrib/notebook/browser/view/renderers/backLayerWebView.ts)

    default-src 'none'; script-src <itself> 'unsafe-inline' 'unsafe-eval';
    style-src <itself> 'unsafe-inline'; img-src <itself> https: http: data:;
    font-src <itself> https:; connect-src https:; child-src https: data:

under which no anywidget can be imported, since it comes as a blob. The policy here adds that, and
takes all of the rest away but inline styles: no eval, no host, no connection, no font, no image.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import STATIC, PageWatch
from tests.e2e.locators import click_or_node, rule_cards, tree
from tests.e2e.stub_widget import PAGE, State, StubWidget, open_stub_page, wait_until

pytestmark = pytest.mark.browser

ADDRESS = "http://127.0.0.1/webview"
POLICY = "default-src 'none'; script-src 'nonce-ours' blob:; style-src 'unsafe-inline'"

# What the host does before anybody's output: the policy, its ears, its API, which may be had once.
HOST = """
window.broken = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.broken.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
window.acquired = 0;
window.acquireVsCodeApi = () => { window.acquired += 1; };
// links to blobs it saves itself, by a dialog: it looks for them in whatever is clicked, but for
// clicks that belong to no window (handleInnerClick of webviewPreloads.ts, beside the file above)
window.links = [];
document.addEventListener("click", (event) => {
  const link = event.composedPath().find((node) => node.tagName === "A" && node.href);
  if (!link || !event.view?.document) return;
  event.preventDefault();
  window.links.push([link.href.split(":")[0], link.download]);
});
"""
# As anywidget does it: the text of a module, imported from a blob.
IMPORT = """
const source = JSON.parse(document.getElementById("source").textContent);
const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
const { default: widget } = await import(address);
URL.revokeObjectURL(address);
"""

Show = Callable[[State], StubWidget]


def webview() -> str:
    """The stub page with everything inside it, under the policy."""
    source = json.dumps((STATIC / "widget.js").read_text(encoding="utf-8")).replace("<", "\\u003c")
    style = (STATIC / "widget.css").read_text(encoding="utf-8")
    page = PAGE
    for old, new in (
        (
            '<meta charset="utf-8">',
            f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<script nonce="ours">{HOST}</script>',
        ),
        ('<link rel="icon" href="data:,">\n', ""),
        ('<link rel="stylesheet" href="/widget.css">', f"<style>{style}</style>"),
        ("<body>", '<body class="vscode-light" data-vscode-theme-kind="vscode-light">'),
        (
            '<script type="module">\nimport widget from "/widget.js";\n',
            f'<script type="application/json" id="source">{source}</script>'
            f'<script type="module" nonce="ours">{IMPORT}',
        ),
    ):
        assert page.count(old) == 1, old
        page = page.replace(old, new)
    return page


@pytest.fixture
def show(page: Page, no_foreign_requests: PageWatch) -> Iterator[Show]:
    """Show a widget in the webview; at the end, nothing was blocked and nothing asked for."""
    if not (STATIC / "widget.js").is_file():
        pytest.fail("the front-end is not built: run `make build`", pytrace=False)

    def answer(route: Route) -> None:
        route.fulfill(body=webview(), content_type="text/html; charset=utf-8")

    page.route(ADDRESS, answer)
    yield open_stub_page(page, ADDRESS)
    assert page.evaluate("window.broken") == []
    assert page.evaluate("window.acquired") == 0
    asked = [url for url in no_foreign_requests.requests if not url.startswith("blob:")]
    assert asked == [ADDRESS]


@pytest.fixture
def auto(state: State) -> State:
    state["view"]["refinement"] |= {"impure": 3, "reason": None}
    return {**state, "theme": "auto"}


def test_the_policy_is_in_force(page: Page) -> None:
    """What it must block is blocked, and heard of."""
    page.route(ADDRESS, lambda route: route.fulfill(body=webview(), content_type="text/html"))
    open_stub_page(page, ADDRESS)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          new Image().src = "http://127.0.0.1/nothing.png";
          return fetch("http://127.0.0.1/nothing").catch(() => {});
        }"""
    )
    assert page.evaluate("window.ran") is None
    broken = " ".join(page.evaluate("window.broken"))
    for directive in ("script-src-elem", "img-src", "connect-src"):
        assert directive in broken


def test_all_of_it_works_under_the_policy(show: Show, auto: State, page: Page) -> None:
    widget = show(auto)
    expect(tree(widget.root)).to_be_visible()
    node = auto["view"]["rules"][0]["node"]

    click_or_node(widget.root, node)

    widget.wait_saved("selected_node", node)
    rule_cards(widget.root).first.click()
    widget.root.get_by_test_id("imd-help").click()
    page.keyboard.press("Escape")
    for tab in ("Node", "Rows"):
        widget.root.get_by_role("tab", name=tab).click()
    # the histograms of the rule are not waited for when their tab is left
    asked = [message["kind"] for message in widget.wait_sent(3)]
    assert asked == ["histograms", "cancel", "rows"]
    widget.root.get_by_test_id("imd-refine").click()
    assert widget.wait_sent(4)[-1]["kind"] == "refine"


def test_a_page_is_saved_by_a_link_that_the_host_sees(show: Show, auto: State, page: Page) -> None:
    widget = show(auto)
    widget.root.get_by_test_id("imd-save").click()
    (message,) = widget.wait_sent(1)

    widget.answer({"id": message["id"], "page": "<!doctype html>"})

    wait_until(page, "() => window.links.length > 0")
    ((scheme, name),) = page.evaluate("window.links")
    assert scheme == "blob"
    assert Path(name).suffix == ".html"


KINDS = {
    "vscode-light": "light",
    "vscode-dark": "dark",
    "vscode-high-contrast": "dark",
    "vscode-high-contrast-light": "light",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_kind_of_the_theme_is_followed(
    scheme: Any, show: Show, auto: State, page: Page
) -> None:
    """Whatever the system prefers, and while it is shown."""
    page.emulate_media(color_scheme=scheme)
    root = show(auto).root.locator(".imd-root")
    expect(root).to_have_attribute("data-theme", "light")
    for kind in (*reversed(KINDS), *KINDS):
        page.evaluate(
            """(kind) => {
              document.body.className = kind;
              if (kind === "vscode-high-contrast-light")
                document.body.classList.add("vscode-high-contrast");
              document.body.dataset.vscodeThemeKind = kind;
            }""",
            kind,
        )
        expect(root).to_have_attribute("data-theme", KINDS[kind])
