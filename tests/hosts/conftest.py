"""Fixtures of the tests in apps: Chromium, a page that reaches this machine only, and the diff."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

import imd_widget as imd
from tests.e2e.conftest import browser_context_args as browser_context_args
from tests.e2e.conftest import browser_type_launch_args as browser_type_launch_args
from tests.e2e.conftest import is_local
from tests.hosts.apps import ANYWIDGET, Served
from tests.hosts.recipes import recipe

#: Elsewhere than in their own environment (make test-hosts) these tests do not exist.
INSTALLED = (
    *("gradio", "mlflow", "panel", "shinywidgets", "solara", "streamlit", "voila"),
    *("adbc_driver_sqlite", "ibis", "nanoarrow", "skops", "skore"),
)
#: Too large to be installed for their tests, which whoever has them runs.
BY_HAND = ("pyspark", "torch")
collect_ignore_glob = (
    [f"test_{name.removeprefix('py')}.py" for name in BY_HAND if find_spec(name) is None]
    if all(map(find_spec, INSTALLED))
    else ["test_*.py"]
)

#: The front-end of anywidget as it is installed, which Panel takes from a CDN.
LOADER = Path(sys.prefix) / "share" / "jupyter" / "nbextensions" / "anywidget" / "index.js"

Open = Callable[[Served], Page]


@pytest.fixture(scope="session")
def diff() -> imd.ModelDiff:
    """The diff that every recipe draws."""
    names: dict[str, Any] = {}
    exec(recipe("## Apps").code, names)
    return imd.diff(names["m1"], names["m2"], names["X"])


@pytest.fixture
def open_app(page: Page) -> Iterator[Open]:
    """Open an app; at the end fail if its page called other machines than the docs name."""
    opened: list[Served] = []
    errors: list[str] = []

    def answer(route: Route) -> None:
        url = route.request.url
        if is_local(url):
            route.continue_()
            return
        opened[-1].asked.append(url)
        if url.startswith(ANYWIDGET):
            headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript"}
            route.fulfill(status=200, headers=headers, body=LOADER.read_bytes())
        else:
            route.abort()

    def open_page(served: Served) -> Page:
        opened.append(served)
        page.route(re.compile("."), answer)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(served.url)
        return page

    yield open_page
    for served in opened:
        assert [url for url in served.asked if not url.startswith(served.app.loads)] == []
    assert errors == []
