"""A real marimo, started for the tests and out of reach of the user's own settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.e2e.servers import free_port, running

# "system" follows the browser, which a test can turn from light to dark.
SETTINGS = """
[runtime]
auto_instantiate = true
[display]
theme = "system"
"""

# A widget that other cells hear of, a cell that does, and a widget as it is.
NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import numpy as np
    import pandas as pd
    import imd_widget as imd

    X = pd.DataFrame(np.random.default_rng(0).uniform(size=(600, 3)), columns=["a", "b", "c"])
    half = np.where(X["a"] > 0.5, "yes", "no")
    disc = np.where(np.hypot(X["a"] - 0.5, X["b"] - 0.5) < 0.4, "yes", "no")
    return X, disc, half, imd, mo


@app.cell
def _(X, disc, half, imd, mo):
    w = mo.ui.anywidget(imd.show(half, disc, X, max_depth=3, names=("half", "disc")))
    w
    return (w,)


@app.cell
def _(mo, w):
    mo.md(
        f"Python: node {w.value['selected_node']!r}, rules {w.selected_rules}, "
        f"rows {len(w.selected_rows)}, steps {w.diff.refinements}."
    )
    return


@app.cell
def _(X, disc, half, imd):
    imd.show(disc, half, X, max_depth=3, names=("disc", "half"))
    return


if __name__ == "__main__":
    app.run()
"""


@dataclass(frozen=True)
class Marimo:
    """A server, and what it is for: "run" to read notebooks as apps, "edit" to write them."""

    url: str
    mode: str

    def open(self, page: Page, notebook: Path) -> None:
        """Open a notebook of the folder, which runs at once."""
        page.goto(f"{self.url}/?file={notebook.name}")

    def forget(self) -> None:
        """End what runs: a notebook that is written goes on where it was, opened again."""
        if self.mode == "edit":
            for file in self._post("running_notebooks", {})["files"]:
                self._post("shutdown_session", {"sessionId": file["sessionId"]})

    def _post(self, what: str, content: object) -> Any:
        request = urllib.request.Request(
            f"{self.url}/api/home/{what}",
            data=json.dumps(content).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


@contextmanager
def serve_marimo(mode: str, notebooks: Path, home: Path) -> Iterator[Marimo]:
    """A marimo over a folder, as it is when it starts; all that it writes goes to `home`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        *(sys.executable, "-m", "marimo", mode, str(notebooks), "--headless", "--no-token"),
        *("--host", "127.0.0.1", "--port", str(port), "--no-skew-protection"),
    ]
    log = home / "server.log"
    with running(command, environment(home), answers_at=f"{url}/health", log=log):
        yield Marimo(url, mode)


def export_html(notebook: Path, home: Path) -> Path:
    """What `marimo export html` makes of a notebook."""
    made = home / notebook.with_suffix(".html").name
    subprocess.run(
        [sys.executable, "-m", "marimo", "export", "html", str(notebook), "-o", str(made)],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        check=True,
        capture_output=True,
    )
    return made


def environment(home: Path) -> dict[str, str]:
    """The user's, with settings of our own and without a look for a newer release."""
    settings = home / "config" / "marimo" / "marimo.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(SETTINGS, encoding="utf-8")
    return {
        **os.environ,
        "HOME": str(home),  # marimo looks for settings here too, before it does below
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "MARIMO_SKIP_UPDATE_CHECK": "1",
    }
