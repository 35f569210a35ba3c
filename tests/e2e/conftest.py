"""Fixtures of the browser tests: Chromium, a watched page, the stub page and notebooks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.e2e.jupyter_lab import (
    Notebook,
    OpenNotebook,
    open_in_lab,
    serve_lab,
    serve_notebook7,
)
from tests.e2e.marimo_server import NOTEBOOK, Marimo, serve_marimo
from tests.e2e.stub_widget import Mount, State, View, open_stub_page, serve_bundle
from tools.ensure_chromium import find_chromium

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "imd_widget" / "static"
GOLDEN = ROOT / "tests" / "golden" / "quickstart.json"

# A browser that may run as root in a container, and calls nobody.
CHROMIUM_ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = find_chromium()
    if chromium is None:
        pytest.fail("no Chromium found: run `python tools/ensure_chromium.py`", pytrace=False)
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": CHROMIUM_ARGS,
        "headless": True,
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 1000}}


# --- what a page must not do ----------------------------------------------------------------------


@dataclass
class PageWatch:
    """What a page asked for, and what went wrong in it, from the moment it is watched."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """Requests that were to leave the machine."""
        return [url for url in self.requests if not is_local(url)]


def is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"file", "data", "blob", "about"} or parts.hostname == "127.0.0.1"


@pytest.fixture
def no_foreign_requests(page: Page) -> Iterator[PageWatch]:
    """Fail the test at its end if the page called another machine or raised an error."""
    watch = PageWatch()
    page.on("request", lambda request: watch.requests.append(request.url))
    page.on("websocket", lambda socket: watch.requests.append(socket.url))
    page.on("pageerror", lambda error: watch.errors.append(str(error)))
    yield watch
    assert watch.foreign == []
    assert watch.errors == []


# --- the bundle with a stub in place of the kernel ------------------------------------------------


@pytest.fixture(scope="session")
def bundle_url() -> Iterator[str]:
    if not (STATIC / "widget.js").is_file():
        pytest.fail("the front-end is not built: run `make build`", pytrace=False)
    with serve_bundle(STATIC) as url:
        yield url


@pytest.fixture
def stub_page(page: Page, bundle_url: str, no_foreign_requests: PageWatch) -> Mount:
    """Mount a widget with a state on an empty page; each call adds one to the same page."""
    return open_stub_page(page, bundle_url)


@pytest.fixture
def view() -> View:
    """The golden view, fresh for each test."""
    return cast(View, json.loads(GOLDEN.read_text(encoding="utf-8")))


@pytest.fixture
def state(view: View) -> State:
    """State of a widget that was just shown."""
    return {
        "view": view,
        "selected_node": "",
        "selected_rules": [],
        "theme": "light",
        "height": 560,
    }


# --- JupyterLab -----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def lab_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with copies of the notebooks."""
    home = tmp_path_factory.mktemp("lab")
    notebooks = shutil.copytree(ROOT / "notebooks", home / "notebooks")
    with serve_lab(notebooks, home) as url:
        yield url


@pytest.fixture
def lab(lab_url: str, page: Page) -> OpenNotebook:
    """Open a notebook of the repository, by file name, in a real JupyterLab."""

    def open_notebook(name: str) -> Notebook:
        return open_in_lab(page, lab_url, name)

    return open_notebook


@pytest.fixture(scope="session")
def notebook7_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of Notebook 7 without any notebook."""
    home = tmp_path_factory.mktemp("notebook7")
    notebooks = home / "notebooks"
    notebooks.mkdir()
    with serve_notebook7(notebooks, home) as url:
        yield url


# --- marimo ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def marimo_notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that shows two widgets, in a folder of its own."""
    file = tmp_path_factory.mktemp("marimo-notebooks") / "shown.py"
    file.write_text(NOTEBOOK, encoding="utf-8")
    return file


@pytest.fixture(scope="session", params=["run", "edit"])
def marimo_server(
    request: pytest.FixtureRequest, marimo_notebook: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Marimo]:
    """A server of marimo: for those who read a notebook as an app, and for those who write it."""
    home = tmp_path_factory.mktemp(f"marimo-{request.param}")
    # what is not there when the server starts, it does not find
    with serve_marimo(request.param, marimo_notebook.parent, home) as server:
        yield server
