"""Make the pictures of the README in a real JupyterLab.

python tools/readme_picture.py [quickstart] [compare]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.e2e.conftest import CHROMIUM_ARGS  # noqa: E402 (the line above makes it importable)
from tests.e2e.jupyter_lab import (  # noqa: E402
    Notebook,
    add_notebook,
    open_in_lab,
    serve_lab,
)
from tools.ensure_chromium import find_chromium  # noqa: E402

IMAGES = ROOT / "docs" / "images"

#: Five candidates, as people train them.
FIT = """\
import imd_widget as imd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
models = {
    "LR": make_pipeline(StandardScaler(), LogisticRegression()),
    "RF": RandomForestClassifier(random_state=0),
    "GB": GradientBoostingClassifier(random_state=0),
    "kNN": KNeighborsClassifier(25),
    "stump": DecisionTreeClassifier(max_depth=1),
}
for model in models.values():
    model.fit(X_train, y_train)
"""
SHOW = """\
c = imd.compare(models, X_test, y=y_test)
w = imd.show(c)
w
"""


def quickstart(url: str, page: Page) -> tuple[Notebook, Locator]:
    """The quickstart notebook with its first rule lit."""
    notebook = open_in_lab(page, url, "quickstart.ipynb")
    notebook.run_all()
    widget = page.locator(".imd-root").first
    widget.wait_for(timeout=120_000)
    notebook.python("w.selected_rules = [0]")
    return notebook, widget


def compare(url: str, page: Page) -> tuple[Notebook, Locator]:
    """Five models, and the diff of the two that differ most."""
    add_notebook(url, "compare.ipynb", [FIT, SHOW])
    notebook = open_in_lab(page, url, "compare.ipynb")
    notebook.run_all()
    widget = page.locator(".imd-root").first
    widget.wait_for(timeout=120_000)
    notebook.python("w.open(*c.largest(1)[0])")
    widget.get_by_test_id("imd-pair").wait_for(timeout=60_000)
    return notebook, widget


#: What is shown, and the height of the window.
PICTURES: dict[str, tuple[Callable[[str, Page], tuple[Notebook, Locator]], int]] = {
    "quickstart": (quickstart, 900),
    "compare": (compare, 1060),
}


def take(name: str, url: str, page: Page) -> Path:
    """Take one of the pictures."""
    show, height = PICTURES[name]
    page.set_viewport_size({"width": 1720, "height": height})
    _, widget = show(url, page)
    page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
    cell = page.locator(".jp-CodeCell", has=widget).first
    cell.scroll_into_view_if_needed()
    cell.evaluate("cell => cell.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(1500)
    widget.get_by_role("button", name="Fit", exact=True).click()
    cell.evaluate("cell => cell.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(600)
    picture = IMAGES / f"{name}.png"
    page.screenshot(path=str(picture))
    return picture


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        notebooks, home = Path(folder) / "notebooks", Path(folder) / "home"
        notebooks.mkdir()
        home.mkdir()
        shutil.copy(ROOT / "notebooks" / "quickstart.ipynb", notebooks)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        with serve_lab(notebooks, home) as url:
            for name in names or list(PICTURES):
                page = browser.new_page(device_scale_factor=1)
                print(take(name, url, page).relative_to(ROOT))
                page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
