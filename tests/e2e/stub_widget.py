"""The built front-end on an empty page, with a stub in place of the kernel."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Locator, Page, TimeoutError

#: Seconds that `wait_until` waits.
PATIENCE = 30

# A view is plain JSON here; its types are those of views/schema.py.
View = dict[str, Any]
State = dict[str, Any]

# The model that anywidget hands to a widget. Python's part is played by the test: `push` changes
# a trait, `answer` replies to a message.
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/widget.css">
<body>
<script type="module">
import widget from "/widget.js";

class StubModel {
  saved = {}; sent = []; changed = {}; listeners = []; greetings = []; free = true;
  answered = new Set();
  constructor(state) { this.state = state; }
  get(name) { return this.state[name]; }
  set(name, value) { this.changed[name] = value; this.push(name, value); }
  save_changes() { Object.assign(this.saved, this.changed); this.changed = {}; }
  // A greeting is answered by a kernel that is free.
  send(content) {
    if (content.kind !== "hello") this.sent.push(content);
    else if (this.free) queueMicrotask(() => this.answer({ id: content.id }));
    else this.greetings.push(content.id);
  }
  become(free) {
    this.free = free;
    if (free) for (const id of this.greetings.splice(0)) this.answer({ id });
  }
  on(name, call) { this.listeners.push({ name, call }); }
  off(name, call) {
    const stays = (l) => (name && l.name !== name) || (call && l.call !== call);
    this.listeners = this.listeners.filter(stays);
  }
  emit(name, ...values) {
    for (const l of [...this.listeners]) if (l.name === name) l.call(...values);
  }
  push(name, value) { this.state[name] = value; this.emit(`change:${name}`); }
  answer(content) {
    if (!content.progress) this.answered.add(content.id);
    this.emit("msg:custom", content, []);
  }
}

window.stubs = [];
window.mount = async (state) => {
  const model = new StubModel(state);
  const definition = typeof widget === "function" ? await widget() : widget;
  await definition.initialize?.({ model, signal: new AbortController().signal });
  const place = document.body.appendChild(document.createElement("div"));
  const controller = new AbortController();
  const cleanup = await definition.render({ model, el: place, signal: controller.signal });
  const unmount = async () => { controller.abort(); await cleanup?.(); };
  return window.stubs.push({ model, unmount }) - 1;
};
window.ready = true;
</script>
"""


def wait_until(page: Page, condition: str, argument: object = None) -> None:
    """Return once a function in the page returns something true.

    Playwright's ``wait_for_function`` evaluates text inside the page, which a content security
    policy forbids; `Page.evaluate` does not.
    """
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(condition, argument):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{condition}: Timeout {1000 * PATIENCE}ms exceeded.")
        page.wait_for_timeout(20)


@dataclass(frozen=True)
class StubWidget:
    """One widget on the page, seen from where Python would be."""

    page: Page
    index: int

    @property
    def root(self) -> Locator:
        """The element that the widget was given."""
        return self.page.locator("body > div").nth(self.index)

    @property
    def saved(self) -> dict[str, Any]:
        """Traits that the widget saved, by name."""
        return cast(dict[str, Any], self._ask("({ model }) => model.saved"))

    @property
    def sent(self) -> list[dict[str, Any]]:
        """Messages that the widget sent, oldest first."""
        return cast(list[dict[str, Any]], self._ask("({ model }) => model.sent"))

    @property
    def unanswered(self) -> list[dict[str, Any]]:
        """Those of them that wait for an answer."""
        waiting = "({ model }) => model.sent.filter((m) => !model.answered.has(m.id))"
        return [message for message in self._ask(waiting) if message["kind"] != "cancel"]

    @property
    def n_listeners(self) -> int:
        """Number of functions that wait for an event of the model."""
        return cast(int, self._ask("({ model }) => model.listeners.length"))

    def push(self, trait: str, value: object) -> None:
        """Change a trait as Python does."""
        self._ask("({ model }, [name, value]) => model.push(name, value)", [trait, value])

    def answer(self, content: Mapping[str, object]) -> None:
        """Reply as Python does."""
        self._ask("({ model }, content) => model.answer(content)", dict(content))

    def become(self, *, free: bool) -> None:
        """Let the kernel be busy, or free again."""
        self._ask("({ model }, free) => model.become(free)", free)

    def wait_sent(self, count: int) -> list[dict[str, Any]]:
        """Messages sent, once there are so many."""
        wait_until(
            self.page, "([i, n]) => window.stubs[i].model.sent.length >= n", [self.index, count]
        )
        return self.sent

    def wait_saved(self, trait: str, value: object) -> None:
        """Return once the widget has saved this value."""
        wait_until(
            self.page,
            "([i, name, value]) =>"
            " JSON.stringify(window.stubs[i].model.saved[name]) === JSON.stringify(value)",
            [self.index, trait, value],
        )

    def unmount(self) -> None:
        """Take the widget off the page, as a notebook does when its cell goes."""
        self._ask("(stub) => stub.unmount()")

    def _ask(self, function: str, argument: object = None) -> Any:
        return self.page.evaluate(
            f"([i, argument]) => ({function})(window.stubs[i], argument)", [self.index, argument]
        )


Mount = Callable[[State], StubWidget]


def open_stub_page(page: Page, url: str) -> Mount:
    """Function that mounts a widget with a state; each call adds one to the same page."""
    page.goto(url)
    wait_until(page, "() => window.ready")

    def mount(state: State) -> StubWidget:
        return StubWidget(page, page.evaluate("(state) => window.mount(state)", state))

    return mount


@contextmanager
def serve_bundle(static: Path) -> Iterator[str]:
    """Address of the page with the bundle of a folder; a module cannot be imported from a file."""

    class Handler(BundleHandler):
        folder = static

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


class BundleHandler(http.server.BaseHTTPRequestHandler):
    """The page at /, the bundle beside it."""

    folder: Path

    def do_GET(self) -> None:
        if self.path == "/":
            self._reply("text/html", PAGE.encode())
        elif self.path == "/widget.js":
            self._reply("text/javascript", (self.folder / "widget.js").read_bytes())
        elif self.path == "/widget.css":
            self._reply("text/css", (self.folder / "widget.css").read_bytes())
        else:
            self.send_error(404)

    def _reply(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the test tells what went wrong."""
