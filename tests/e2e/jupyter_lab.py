"""A real JupyterLab, started for the tests and out of reach of the user's own settings."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from playwright.sync_api import Page

SETTINGS: dict[str, dict[str, object]] = {
    "apputils-extension/notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    },
    "notebook-extension/tracker": {"autoStartDefaultKernel": True, "windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
}

# Clicking "Run All" as soon as the server calls the kernel idle is unreliable: now and then nothing
# runs, or a dialog asks for a kernel. The application's own promises say when it is ready.
RUN_ALL = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  let panel;
  for (let i = 0; i < 300; i++) {
    panel = app.shell.currentWidget;
    if (panel && panel.context && panel.sessionContext) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
  void app.commands.execute("notebook:run-all-cells");
}"""

# Runs code in the notebook's kernel without touching the notebook; resolves to what it printed.
RUN_PYTHON = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, store_history: false });
  const said = [];
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") said.push(content.text);
    if (header.msg_type === "error") said.push(`${content.ename}: ${content.evalue}`);
  };
  await future.done;
  return said.join("");
}"""


@dataclass(frozen=True)
class Notebook:
    """A notebook open in JupyterLab."""

    page: Page

    def run_all(self) -> None:
        """Start all cells, as "Run All" does, once the kernel is ready."""
        self.page.evaluate(RUN_ALL)

    def python(self, code: str) -> str:
        """What the kernel prints when it runs the code, after the cells that wait before it."""
        return cast(str, self.page.evaluate(RUN_PYTHON, code)).strip()


OpenNotebook = Callable[[str], Notebook]


def open_in_lab(page: Page, url: str, name: str) -> Notebook:
    """Open a notebook that lies at the root of the server."""
    page.goto(f"{url}/lab/tree/{name}?reset")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
    return Notebook(page)


@contextmanager
def serve_lab(notebooks: Path, home: Path) -> Iterator[str]:
    """Address of a JupyterLab over a folder of notebooks; all that it writes goes to `home`."""
    for name, settings in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        *(sys.executable, "-m", "jupyter", "lab"),
        *("--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--ServerApp.root_dir={notebooks}"),
        # It lives for a minute, on the loopback device of the machine that runs the test.
        *("--IdentityProvider.token=", "--ServerApp.password="),
        "--ServerApp.disable_check_xsrf=True",
        "--LabApp.expose_app_in_browser=True",
    ]
    log = home / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            env=_environment(home),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_up(server, url, log)
            yield url
        finally:
            _stop(server)


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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/api/status", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    # The first signal lets the server end its kernels; a second one does not wait for them.
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(number)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                continue
