"""How quickly the widget draws a large diff in Chromium: ``python -m benchmarks.widget``.

A tree of depth 8 with some 1,000 nodes and 2,000 rules, drawn from what the kernel would send. Each
time is from the call until the browser has painted what it changed; the best of some repeats, as
machines are noisy. The table is printed and written to ``out/widget.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

import imd_widget as imd
from benchmarks.markdown import table
from imd_widget._base.plain import to_json
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from tests.e2e.conftest import CHROMIUM_ARGS, STATIC
from tests.e2e.stub_widget import serve_bundle
from tools.ensure_chromium import find_chromium

REPORT = Path("out") / "widget.md"

# Times in milliseconds until the browser has painted what the work changed.
TIMED = """async ([work, argument]) => {
  // the first task after a frame: by then it has been painted
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  }));
  await painted();
  const start = performance.now();
  await eval(work)(argument);
  const worked = performance.now() - start;
  await painted();
  return [worked, performance.now() - start];
}"""

Line = tuple[str, float, float, str]


def large_diff() -> imd.ModelDiff:
    """Two trees of depth 8, nearly complete, over ten columns of which they share six."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(60_000, 10)), columns=[f"measure {i}" for i in range(10)])
    cell = (X.to_numpy() > 0.5) @ (1 << np.arange(10))
    # numbers in the cells, all unlike: no tree can say them in fewer questions
    y1, y2 = (rng.permutation(256)[cell >> shift & 255] % 16 for shift in (0, 2))
    return imd.diff(y1, y2, X, method="separate", max_depth=8, min_samples_leaf=1, test_size=0)


def best(work: Callable[[], list[float]], repeats: int) -> list[float]:
    """The shortest of some runs, of each kind of time."""
    runs = [work() for _ in range(repeats)]
    return [min(kind) for kind in zip(*runs, strict=True)]


def measure(page: Page, url: str, view: dict[str, Any], repeats: int) -> list[Line]:
    """First drawing, and what a hand does to it."""
    state = {"view": view, "selected_node": "", "selected_rules": [], "theme": "light"}

    def opened() -> list[float]:
        page.goto(url)
        page.wait_for_function("window.ready")
        page.evaluate("(state) => { window.state = state; }", state)
        return timed("() => window.mount(window.state)")

    def timed(work: str, argument: object = None) -> list[float]:
        return [float(ms) for ms in page.evaluate(TIMED, [work, argument])]

    def push(name: str, values: list[object]) -> list[float]:
        """Another value each time, as the mouse or Python would set it."""
        found = iter(values)
        work = "([name, value]) => window.stubs[0].model.push(name, value)"
        return best(lambda: timed(work, [name, next(found)]), len(values))

    ids = view["nodes"]["fields"]["id"]
    lines: list[Line] = [("first drawing", *best(opened, repeats), "under 200")]
    some = [ids[i] for i in np.linspace(1, len(ids) - 1, repeats, dtype=int)]
    drawn = page.locator("[data-node]").evaluate_all("(all) => all.map((el) => el.dataset.node)")
    lines.append(("a node is selected", *push("selected_node", drawn[1:][:repeats]), "under 50"))
    lines.append(
        (
            "a rule is selected",
            *push("selected_rules", [[7 * i] for i in range(repeats)]),
            "under 50",
        )
    )
    texts = [{"text": f"measure {i}"} for i in range(repeats)]
    lines.append(("rules are filtered", *push("filters", texts), "under 50"))
    page.evaluate("window.stubs[0].model.push('filters', {})")
    page.evaluate("window.stubs[0].model.push('selected_rules', [])")
    folds: list[object] = [{i: True} for i in some]
    lines.append(("a node is folded", *push("folds", folds), "under 50"))
    lines.append(
        (
            "the whole tree is unfolded",
            *timed("() => document.querySelector('[data-testid=imd-all]').click()"),
            "",
        )
    )
    lines.append(("... a node is selected", *push("selected_node", list(some[::-1])), "under 50"))
    return lines


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    view = to_json(packed(view_of(large_diff())))
    size = f"{view['nodes']['count']:,} nodes, {view['rules']['count']:,} rules"
    sent = len(json.dumps(view, separators=(",", ":")))
    with serve_bundle(STATIC) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_ARGS, headless=True
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        lines = measure(page, url, view, repeats)
        version = browser.version
        browser.close()
    head = ["", "script, ms", "painted, ms", "wanted"]
    rows = [[what, f"{work:.0f}", f"{paint:.0f}", wanted] for what, work, paint, wanted in lines]
    text = f"{size}; {sent / 1e3:,.0f} kB sent; Chromium {version}\n\n{table([head, *rows])}"
    print(text)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
