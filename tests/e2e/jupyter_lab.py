"""A real JupyterLab or Notebook 7, for the tests, out of reach of the user's own settings."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import nbformat
from playwright.sync_api import Locator, Page

from tests.e2e.servers import free_port, running

#: A first cell: two models that differ, and a widget of their diff.
MODELS = """
import numpy as np
import pandas as pd
import imd_widget as imd

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(600, 3)), columns=["a", "b", "c"])
half = np.where(X["a"] > 0.5, "yes", "no")
disc = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")
w = imd.show(half, disc, X, max_depth=3, names=("half", "disc"))
"""

SETTINGS: dict[str, dict[str, object]] = {
    "@jupyterlab/apputils-extension/notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    },
    "@jupyterlab/notebook-extension/tracker": {
        "autoStartDefaultKernel": True,
        "windowingMode": "none",
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    # what a saved notebook shows when it is opened again
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}

# Notebook 7 raises this when it is opened, with or without a widget.
ITS_OWN_ERROR = "Cannot read properties of undefined (reading 'schema')"

# Code that runs with these two at hand: the application, and the notebook of this name in it.
IN_PANEL = """async (argument) => {
  const app = window.jupyterapp;
  const panel = [...app.shell.widgets("main")].find(({ context }) => context?.path === "%s");
  %s
}"""

# Clicking "Run All" as soon as the server calls the kernel idle is unreliable: now and then nothing
# runs, or a dialog asks for a kernel. The application's own promises say when it is ready.
READY = """
  await app.restored;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
"""

# Runs code in the notebook's kernel without touching the notebook; resolves to what it printed.
RUN_PYTHON = """
  const future = panel.sessionContext.session.kernel.requestExecute(
    { code: argument, store_history: false });
  const said = [];
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") said.push(content.text);
    if (header.msg_type === "error") said.push(`${content.ename}: ${content.evalue}`);
  };
  await future.done;
  return said.join("");
"""

# The same, but nobody waits: not even for the kernel to live that long.
START_PYTHON = """
  panel.sessionContext.session.kernel.requestExecute({ code: argument, store_history: false })
    .done.catch(() => {});
"""

# A command of the menus, on one of the cells if it is given.
RUN_COMMAND = """
  const [name, cell] = argument;
  app.shell.activateById(panel.id);
  if (cell !== null) panel.content.activeCellIndex = cell;
  void app.commands.execute(name);
"""


@dataclass(frozen=True)
class Notebook:
    """A notebook open in JupyterLab or Notebook 7, by its file name."""

    page: Page
    name: str

    def run_all(self) -> None:
        """Start all cells, as "Run All" does, once the kernel is ready."""
        self._ask(READY)
        self._command("notebook:run-all-cells")

    def hide_files(self) -> None:
        """Close the panel on the left."""
        self._command("application:toggle-left-area")

    def run_cell(self, cell: int) -> None:
        """Start one cell, counted from 0."""
        self._command("notebook:run-cell", cell)

    def python(self, code: str) -> str:
        """What the kernel prints when it runs the code, after the cells that wait before it."""
        return cast(str, self._ask(RUN_PYTHON, code)).strip()

    def wait_python(self, expression: str, printed: str) -> None:
        """Return once it prints so: what a widget sends may be heard beside this, in a thread."""
        for _ in range(100):
            found = self.python(f"print({expression})")
            if found == printed:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{expression} is {found}, not {printed}")

    def start(self, code: str) -> None:
        """Let the kernel run the code, and do not wait for it."""
        self._ask(START_PYTHON, code)

    def output(self, cell: int) -> Locator:
        """What a cell has put out."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-Cell-outputArea")

    def clear_output(self, cell: int) -> None:
        """Take away what a cell has put out."""
        self._command("notebook:clear-cell-output", cell)

    def view_of_output(self, cell: int) -> Locator:
        """What a cell has put out, once more, in a panel of its own."""
        self._command("notebook:create-output-view", cell)
        return self.page.locator(".jp-LinkedOutputView")

    def save(self) -> None:
        """Write the notebook, and with it the state of its widgets."""
        self._ask("await panel.context.save();")

    def wait_status(self, status: str) -> None:
        """Return once JupyterLab calls the kernel so: "idle", "busy"."""
        is_so = "return panel.sessionContext.session.kernel.status === argument;"
        self.page.wait_for_function(IN_PANEL % (self.name, is_so), arg=status)

    def change_theme(self, theme: str) -> None:
        """Choose a theme as the menu does."""
        self._ask(
            "await app.commands.execute('apputils:change-theme', argument);", {"theme": theme}
        )

    def restart_kernel(self) -> None:
        """Restart the kernel as the menu does, without its question."""
        self._ask("await panel.sessionContext.restartKernel();")

    def shut_kernel_down(self) -> None:
        """End the kernel; nothing comes in its place."""
        self._ask("await panel.sessionContext.shutdown();")

    def start_kernel(self) -> None:
        """Give the notebook a kernel again."""
        self._ask("await panel.sessionContext.startKernel();")

    def has_subshells(self) -> bool:
        """Whether widgets are heard in a thread beside the one that runs the cells."""
        return bool(self._ask("return panel.sessionContext.session.kernel.supportsSubshells;"))

    def cells(self) -> list[tuple[str, str]]:
        """Type and source of each cell, as they are now."""
        found = self._ask(
            "return panel.content.widgets.map(({ model }) =>"
            " [model.type, model.sharedModel.getSource()]);"
        )
        return [(kind, source) for kind, source in cast(list[list[str]], found)]

    def mode(self) -> tuple[str, int]:
        """The mode of the notebook ("command" or "edit"), and which cell is the active one."""
        mode, active = cast(
            tuple[str, int],
            self._ask("return [panel.content.mode, panel.content.activeCellIndex];"),
        )
        return mode, active

    def _command(self, name: str, cell: int | None = None) -> None:
        self._ask(RUN_COMMAND, [name, cell])

    def _ask(self, body: str, argument: object = None) -> object:
        return self.page.evaluate(IN_PANEL % (self.name, body), argument)


OpenNotebook = Callable[[str], Notebook]


def open_in_lab(page: Page, url: str, name: str) -> Notebook:
    """Open a notebook that lies at the root of the server."""
    return _open(page, f"{url}/lab/tree/{name}?reset", name)


def open_in_notebook7(page: Page, url: str, name: str) -> Notebook:
    """The same in Notebook 7, where a notebook has a page to itself."""
    return _open(page, f"{url}/notebooks/{name}", name)


def _open(page: Page, address: str, name: str) -> Notebook:
    page.goto(address)
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
    return Notebook(page, name)


def add_notebook(url: str, name: str, cells: Sequence[str]) -> None:
    """Put a notebook of code cells at the root of the server."""
    new: Any = nbformat.v4  # it comes without annotations
    put_notebook(url, name, new.new_notebook(cells=[new.new_code_cell(code) for code in cells]))


def put_notebook(url: str, name: str, notebook: Any) -> None:
    """Put a notebook, with its outputs, at the root of the server."""
    _send("PUT", f"{url}/api/contents/{name}", {"type": "notebook", "content": notebook})


@contextmanager
def lab_setting(url: str, plugin: str, settings: dict[str, object]) -> Iterator[None]:
    """What a user sets in the settings of a plugin, for the pages that are opened meanwhile."""
    address = f"{url}/lab/api/settings/{plugin}"
    _send("PUT", address, {"raw": json.dumps(settings)})
    try:
        yield
    finally:
        before = SETTINGS.get(plugin.replace(":", "/"), {})
        _send("PUT", address, {"raw": json.dumps(before)})


def end_kernels(url: str) -> None:
    """End all that runs on the server."""
    with urllib.request.urlopen(f"{url}/api/sessions", timeout=10) as answer:
        sessions = json.load(answer)
    for session in sessions:
        _send("DELETE", f"{url}/api/sessions/{session['id']}")


@contextmanager
def serve_lab(notebooks: Path, home: Path) -> Iterator[str]:
    """Address of a JupyterLab over a folder of notebooks; all that it writes goes to `home`."""
    with _serve("lab", "LabApp", notebooks, home) as url:
        yield url


@contextmanager
def serve_notebook7(notebooks: Path, home: Path) -> Iterator[str]:
    """The same with Notebook 7."""
    with _serve("notebook", "JupyterNotebookApp", notebooks, home) as url:
        yield url


@contextmanager
def _serve(command: str, application: str, notebooks: Path, home: Path) -> Iterator[str]:
    for name, settings in SETTINGS.items():
        file = home / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    whole = [
        *(sys.executable, "-m", "jupyter", command),
        *("--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--ServerApp.root_dir={notebooks}"),
        # It lives for a minute, on the loopback device of the machine that runs the test.
        *("--IdentityProvider.token=", "--ServerApp.password="),
        "--ServerApp.disable_check_xsrf=True",
        f"--{application}.expose_app_in_browser=True",
    ]
    log = home / "server.log"
    with running(whole, _environment(home), answers_at=f"{url}/api/status", log=log):
        yield url


def _send(method: str, address: str, content: object = None) -> None:
    request = urllib.request.Request(
        address,
        data=None if content is None else json.dumps(content).encode(),
        headers={"Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=10):
        pass


def _environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "MPLCONFIGDIR": str(home / "matplotlib"),
    }
