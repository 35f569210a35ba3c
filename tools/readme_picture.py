"""Make the picture of the README from the quickstart notebook in a real JupyterLab."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.e2e.conftest import CHROMIUM_ARGS  # noqa: E402 (the line above makes it importable)
from tests.e2e.jupyter_lab import open_in_lab, serve_lab  # noqa: E402
from tools.ensure_chromium import find_chromium  # noqa: E402

PICTURE = ROOT / "docs" / "images" / "quickstart.png"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        notebooks, home = Path(folder) / "notebooks", Path(folder) / "home"
        notebooks.mkdir()
        home.mkdir()
        shutil.copy(ROOT / "notebooks" / "quickstart.ipynb", notebooks)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1720, "height": 900}, device_scale_factor=1)
        with serve_lab(notebooks, home) as url:
            notebook = open_in_lab(page, url, "quickstart.ipynb")
            notebook.run_all()
            widget = page.locator(".imd-root").first
            widget.wait_for(timeout=120_000)
            notebook.python("w.selected_rules = [0]")
            page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
            cell = page.locator(".jp-CodeCell", has=widget).first
            cell.scroll_into_view_if_needed()
            cell.evaluate("cell => cell.scrollIntoView({ block: 'start' })")
            page.wait_for_timeout(1500)
            widget.get_by_role("button", name="Fit", exact=True).click()
            page.wait_for_timeout(600)
            PICTURE.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=str(PICTURE))
        browser.close()
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
