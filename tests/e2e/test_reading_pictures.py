"""Parts of the widget, as docs/reading.md shows them one after the other, look as they did.

After a wanted change: IMD_WRITE_PICTURES=1 pytest tests/e2e/test_reading_pictures.py, and look.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import FloatRect, Page
from sklearn.ensemble import HistGradientBoostingClassifier

import imd_widget as imd
from tests.e2e.conftest import ROOT, PageWatch
from tests.e2e.gallery import State, Touch, cancer, nothing, open_on_page, paper, with_rows
from tests.e2e.test_pictures import SHARE, keep, share_off

pytestmark = pytest.mark.browser

PICTURES = ROOT / "docs" / "images" / "reading"


@cache
def chance() -> imd.ModelDiff:
    """Two models that differ by the seed alone: nothing can be said about where."""
    pumps = imd.datasets.pumps(4_000, random_state=3)
    X, y = pumps.drop(columns="outcome"), pumps["outcome"]
    models = (
        HistGradientBoostingClassifier(random_state=0).fit(X[:2_000], y[:2_000]),
        HistGradientBoostingClassifier(random_state=1, max_features=0.3).fit(X[:2_000], y[:2_000]),
    )
    return imd.diff(*models, X[2_000:], names=("seed 0", "seed 1"))


@cache
def couriers() -> imd.ModelDiff:
    """The example that docs/reading.md reads from end to end."""

    def late(table: pd.DataFrame) -> pd.Series[str]:
        return (table["minutes"] > 45).map({True: "late", False: "on time"})

    last_year = imd.datasets.deliveries(6_000, random_state=1)
    this_year = imd.datasets.deliveries(6_000, drifted=True, random_state=2)
    newest = imd.datasets.deliveries(3_000, drifted=True, random_state=3)
    features = list(newest.columns.drop(["minutes", "cause"]))
    old, new = (
        HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(year[features], late(year))
        for year in (last_year, this_year)
    )
    return imd.diff(old, new, newest[features], y=late(newest), names=("old", "new"), max_rules=5)


@dataclass(frozen=True)
class Part:
    """A rectangle of the widget in some state: left, top, width and height in pixels."""

    diff: Any
    rectangle: tuple[int, int, int, int]
    traits: dict[str, Any] = field(default_factory=dict)
    touch: Touch = nothing
    width: int = 1100


UNFOLDED = {"folds": {"ryn": False, "ryny": False}}
PARTS: dict[str, Part] = {
    "headline": Part(cancer, (22, 22, 800, 78)),
    "chance": Part(chance, (22, 22, 940, 50)),
    "questions": Part(cancer, (16, 160, 662, 300)),
    "halves": Part(cancer, (340, 202, 440, 105), UNFOLDED, width=1300),
    "branches": Part(
        paper, (180, 135, 620, 165), {"folds": {"ry": False, "ry2": False}}, width=1300
    ),
    "card": Part(cancer, (680, 250, 408, 280), {"selected_rules": [0]}),
    "rows": Part(cancer, (680, 145, 408, 250), {"selected_rules": [0]}, with_rows),
    "example": Part(couriers, (0, 0, 1100, 600)),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", list(PARTS))
def test_a_part_looks_as_it_did(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    part = PARTS[name]
    open_on_page(page, bundle_url, State(part.diff, part.traits, part.touch, part.width), theme)
    x, y, width, height = part.rectangle
    clip: FloatRect = {"x": x, "y": y, "width": width, "height": height}
    taken = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
    file = PICTURES / f"{name}-{theme}.png"
    if os.environ.get("IMD_WRITE_PICTURES") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        taken.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    off = share_off(taken, Image.open(file).convert("RGB"))
    if off > SHARE:
        kept = keep(taken, f"reading-{file.name}")
        pytest.fail(f"{off:.0%} of {file.name} looks otherwise: see {kept}", pytrace=False)
