"""Real servers of apps, each in a folder of its own, out of reach of the user's settings."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.servers import free_port, running
from tests.hosts.recipes import Recipe, recipe

HOST = "127.0.0.1"
#: Nothing listens there: what a server asks of another machine fails at once.
NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True)
class App:
    """What the tests add to a recipe: a port, and no look for newer releases."""

    heading: str
    #: Options that the command of the recipe gets, for a port.
    options: Callable[[int], list[str]]
    file: str = "app.py"
    path: str = "/"
    environment: Callable[[int], dict[str, str]] = lambda port: {}
    #: Beginnings of the addresses that the app itself asks for, as the table of the page says.
    loads: tuple[str, ...] = ()

    @property
    def recipe(self) -> Recipe:
        return recipe(f"### {self.heading}")


VOILA = App(
    "Voila",
    lambda port: ["--no-browser", f"--port={port}"],
    file="app.ipynb",
    loads=("https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@",),
)
SHINY = App("Shiny for Python", lambda port: ["--port", str(port)])
SOLARA = App("Solara", lambda port: ["--no-open", "--host", HOST, "--port", str(port)])
ANYWIDGET = "https://unpkg.com/anywidget@"
PANEL = App(
    "Panel",
    lambda port: [
        *("--address", HOST, "--port", str(port)),
        *("--allow-websocket-origin", f"{HOST}:{port}"),
    ],
    path="/app",
    loads=(
        ANYWIDGET,
        "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/",
        "https://cdn.holoviz.org/panel/",
    ),
)
STREAMLIT = App(
    "Streamlit",
    lambda port: [
        *("--server.address", HOST, "--server.port", str(port)),
        *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
    ],
)
GRADIO = App(
    "Gradio",
    lambda port: [],
    environment=lambda port: {
        "GRADIO_SERVER_NAME": HOST,
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_ANALYTICS_ENABLED": "False",
    },
)
MLFLOW = App(
    "MLflow",
    lambda port: ["--host", HOST, "--port", str(port), "--workers", "1"],
    environment=lambda port: {"MLFLOW_DISABLE_TELEMETRY": "true"},
)
#: Without a server: what Quarto gets of a cell is looked at in a notebook.
QUARTO = App("Quarto", lambda port: [], file="report.ipynb")


@dataclass(frozen=True)
class Served:
    """An app that answers."""

    app: App
    url: str
    folder: Path
    #: Addresses on other machines that the page asked for.
    asked: list[str] = field(default_factory=list)


def write(app: App, folder: Path) -> None:
    """Write the recipe, and the models beside it."""
    (folder / "models.py").write_text(recipe("## Apps").code, encoding="utf-8")
    code = app.recipe.code
    text = notebook(code) if app.file.endswith(".ipynb") else code
    (folder / app.file).write_text(text, encoding="utf-8")


def notebook(code: str) -> str:
    """Return a notebook of one cell."""
    cell: dict[str, object] = {"cell_type": "code", "id": "only", "metadata": {}, "source": code}
    cell |= {"execution_count": None, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python 3"}
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


@contextmanager
def serve(app: App, folder: Path) -> Iterator[Served]:
    """Run the last command of the recipe as long as the tests need it."""
    write(app, folder)
    port = free_port()
    *_, command = app.recipe.commands
    url = f"http://{HOST}:{port}{app.path}"
    with running(
        [*found(command), *app.options(port)],
        environment(folder, app.environment(port)),
        answers_at=url,
        log=folder / "server.log",
        folder=folder,
    ):
        yield Served(app, url, folder)


def found(command: tuple[str, ...]) -> list[str]:
    """Return a command of the environment that the tests run in."""
    return [str(Path(sys.executable).parent / command[0]), *command[1:]]


def environment(folder: Path, more: dict[str, str]) -> dict[str, str]:
    """Return the variables of a server: a home of its own, and no other machine."""
    return {
        **os.environ,
        "HOME": str(folder / "home"),
        "MPLBACKEND": "Agg",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": f"{HOST},localhost",
        **more,
    }
