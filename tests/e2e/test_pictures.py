"""The main states of the widget look as they did. The same pictures are shown in the docs.

After a wanted change: IMD_WRITE_PICTURES=1 pytest tests/e2e/test_pictures.py, and look at each.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

from tests.e2e.conftest import ROOT, PageWatch
from tests.e2e.gallery import open_state

pytestmark = pytest.mark.browser

PICTURES = ROOT / "docs" / "images" / "widget"
SHOWN = (
    *("first-view", "rule", "rows", "node", "inside", "agreement", "stability", "cohort"),
    *("why", "why-row", "why-change", "why-map", "why-narrow", "why-trees"),
    *("help", "paper", "values", "probabilities"),
    *("eight-classes", "forty-classes", "narrow", "down"),
    *("models", "pair", "thirty-models", "models-narrow"),
)
#: States that are compared in the dark theme too. Every colour is a token that both themes set (see
#: tests/unit/test_styles.py), so that a few states are enough. All are written.
DARK = (
    *("rule", "rows", "agreement", "why-row", "why-map", "help"),
    *("values", "probabilities", "models", "thirty-models"),
)
WRITE = os.environ.get("IMD_WRITE_PICTURES") == "1"
#: Side of the squares whose mean colours are compared: fonts may differ by a pixel, layouts not.
SQUARE = 20
#: How far a mean colour may be off, of 255, and which share of the squares may be further off.
COLOUR, SHARE = 16, 0.04


def in_themes(names: Sequence[str], dark: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pictures to take, by name and theme: all are written, and some dark ones read."""
    return [
        *((name, "light") for name in names),
        *((name, "dark") for name in names if WRITE or name in dark),
    ]


@pytest.mark.parametrize("name, theme", in_themes(SHOWN, DARK))
def test_it_looks_as_it_did(
    name: str, theme: str, page: Page, bundle_url: str, no_foreign_requests: PageWatch
) -> None:
    open_state(page, bundle_url, name, theme)
    compare(page, f"{name}-{theme}.png")


def compare(page: Page, name: str) -> None:
    """Fail if a page looks otherwise than a picture of the docs; or write the picture."""
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    file = PICTURES / name
    if WRITE:
        file.parent.mkdir(parents=True, exist_ok=True)
        taken.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    off = share_off(taken, Image.open(file).convert("RGB"))
    if off > SHARE:
        kept = keep(taken, file.name)
        pytest.fail(f"{off:.0%} of {file.name} looks otherwise: see {kept}", pytrace=False)


def share_off(one: Image.Image, other: Image.Image) -> float:
    """Share of the squares whose mean colour differs visibly."""
    if one.size != other.size:
        return 1.0
    far = np.abs(means(one) - means(other)).max(axis=2) > COLOUR
    # what is blank in both pictures would hide what is not
    drawn = spread(one) | spread(other)
    return float(far.sum() / max(1, drawn.sum()))


def squares(picture: Image.Image) -> NDArray[np.float64]:
    """Pixels by square."""
    pixels = np.asarray(picture, dtype=np.float64)
    high, wide = (n // SQUARE for n in pixels.shape[:2])
    cut = pixels[: high * SQUARE, : wide * SQUARE]
    return cut.reshape(high, SQUARE, wide, SQUARE, 3).swapaxes(1, 2)


def means(picture: Image.Image) -> NDArray[np.float64]:
    """The mean colour of each square."""
    return np.asarray(squares(picture).mean(axis=(2, 3)))


def spread(picture: Image.Image) -> NDArray[np.bool_]:
    """Whether there is something in each square."""
    return np.asarray(squares(picture).std(axis=(2, 3)).max(axis=2) > 2)


def keep(taken: Image.Image, name: str) -> Path:
    """What was seen, for whoever has to look at it."""
    file = ROOT / "out" / "pictures" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    taken.save(file)
    return file.relative_to(ROOT)


def test_another_state_is_told_apart() -> None:
    """The tolerance forgives a font, and no more than that."""
    named = {name: Image.open(PICTURES / f"{name}-light.png").convert("RGB") for name in SHOWN}
    assert share_off(named["first-view"], named["rule"]) > SHARE
    assert share_off(named["first-view"], named["node"]) > SHARE
    moved = Image.new("RGB", named["rule"].size, "white")
    moved.paste(named["rule"], (1, 1))
    assert share_off(named["rule"], moved) < SHARE
    moved.paste(named["rule"], (12, 0))
    assert share_off(named["rule"], moved) > SHARE
