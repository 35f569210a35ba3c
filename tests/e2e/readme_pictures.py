"""Takes the pictures of the README in a real JupyterLab: python -m tests.e2e.readme_pictures."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.e2e.conftest import CHROMIUM_ARGS, ROOT
from tests.e2e.jupyter_lab import add_notebook, open_in_lab, serve_lab
from tools.ensure_chromium import find_chromium

PICTURES = ROOT / "docs" / "images"
WIDTH = 1720

MODELS = """import imd_widget as imd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

data = load_breast_cancer(as_frame=True)
y = data.target.map(dict(enumerate(data.target_names)))
X_train, X_test, y_train, y_test = train_test_split(data.data, y, test_size=0.5, random_state=0)
models = {
    "LR": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
    "RF": RandomForestClassifier(random_state=0),
    "GB": GradientBoostingClassifier(random_state=0),
    "kNN": KNeighborsClassifier(),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
}
for model in models.values():
    model.fit(X_train, y_train)"""
COMPARE = """c = imd.compare(models, X_test, y=y_test)
w = imd.show(c)
w"""


def take(page: Page, url: str, notebook: str, *, cell: int, name: str, click: str) -> None:
    """Run a notebook, click in the widget of a cell, and take a picture from that cell on."""
    opened = open_in_lab(page, url, notebook)
    opened.run_all()
    opened.hide_files()
    root = page.locator(".imd-root").first
    root.wait_for(timeout=120_000)
    root.locator(click).first.click()
    root.locator("[data-node]").first.wait_for(timeout=60_000)
    page.locator(".jp-Notebook .jp-Cell").nth(cell).evaluate(
        "(el) => { const top = el.closest('.jp-WindowedPanel-outer') ?? el.closest('.jp-Notebook');"
        " top.scrollTop += el.getBoundingClientRect().top - top.getBoundingClientRect().top; }"
    )
    page.mouse.move(0, 0)
    page.wait_for_timeout(1500)
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(256, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)


def main() -> None:
    """Take both pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        notebooks = Path(shutil.copytree(ROOT / "notebooks", Path(folder) / "notebooks"))
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        with serve_lab(notebooks, Path(folder) / "home") as url:
            add_notebook(url, "compare.ipynb", [MODELS, COMPARE])
            page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
            take(page, url, "quickstart.ipynb", cell=3, name="quickstart.png", click="[data-rule]")
            page.set_viewport_size({"width": WIDTH, "height": 1180})
            pair = '[data-place="3,4"]'  # kNN and stump, which differ most
            take(page, url, "compare.ipynb", cell=1, name="compare.png", click=pair)
        browser.close()


if __name__ == "__main__":
    main()
