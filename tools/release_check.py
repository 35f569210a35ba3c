"""The wheel and the sdist as a user gets them: built, installed each on its own, and tried.

`python tools/release_check.py` leaves both in `dist/`. With `--tag v1.2.3` it also checks that the
tag, `pyproject.toml` and `CHANGELOG.md` speak of the same version.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLE = ("widget.js", "widget.css", "standalone.js", "standalone.css")
# What a fresh clone does not have.
NOT_IN_A_CLONE = shutil.ignore_patterns(
    *(".git", ".venv*", "node_modules", "static", "dist", "build", "out", "__pycache__"),
    *(".*_cache", ".hypothesis", "test-results"),
)
#: A page without its bundle or its data is smaller than this, in bytes.
SMALLEST_PAGE = 50_000
# Run by the Python of an environment that has nothing but the package.
LOOK = """
import json
from importlib.resources import files
import imd_widget
static = files("imd_widget") / "static"
print(json.dumps({
    "version": imd_widget.__version__,
    "place": imd_widget.__file__,
    "bundle": {file.name: len(file.read_bytes()) for file in static.iterdir()},
}))
"""
TABLE = "age,hired,old,new\n" + "".join(
    f"{20 + row % 50},2021-01-{1 + row % 28:02},{row % 2},{int(row % 50 < 25)}\n"
    for row in range(200)
)


def declared_version() -> str:
    """The version in pyproject.toml, the one place where it is written."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def build(outdir: Path) -> None:
    """Make the wheel and the sdist from sources alone: the front-end is built too."""
    with tempfile.TemporaryDirectory() as place:
        tree = shutil.copytree(ROOT, Path(place) / "tree", ignore=NOT_IN_A_CLONE)
        run(sys.executable, "-m", "build", "--outdir", str(outdir), str(tree))


def only(folder: Path, pattern: str) -> Path:
    """The one file in a folder that matches."""
    [file] = folder.glob(pattern)
    return file


def run(
    *command: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """What a command that succeeds prints; SystemExit with all that it said otherwise."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=None if environment is None else {**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_tag(tag: str, version: str) -> None:
    """Whether a tag may be released."""
    if tag != f"v{version}":
        raise SystemExit(
            f"the tag is {tag}, but pyproject.toml says {version}: expected v{version}"
        )
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(rf"^## {re.escape(version)}\b(.*)$", changes, re.MULTILINE)
    if heading is None or "unreleased" in heading[1]:
        raise SystemExit(f"CHANGELOG.md has no heading '## {version}' with the day of the release")


def check_installed(artefact: Path, version: str, place: Path) -> str:
    """Install a wheel or an sdist into an environment of its own and try it; what was seen."""
    run(sys.executable, "-m", "venv", str(place / "venv"))
    scripts = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    # with nothing else on PATH there is no Node, and the sdist has to do without
    alone = {"PATH": str(scripts), "PYTHONPATH": ""}
    python = str(scripts / "python")
    quietly = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(python, *quietly, str(artefact), cwd=place, environment=alone)

    found = json.loads(run(python, "-c", LOOK, cwd=place, environment=alone))
    name = artefact.name
    if not Path(found["place"]).resolve().is_relative_to(place.resolve()):
        raise SystemExit(f"{name}: what was imported lies outside its environment")
    if found["version"] != version:
        raise SystemExit(f"{name} says it is {found['version']}, pyproject.toml says {version}")
    missing = [file for file in BUNDLE if not found["bundle"].get(file)]
    if missing:
        raise SystemExit(f"{name}: the bundle lacks {', '.join(missing)}")

    command = str(scripts / "imd-widget")
    page = place / "demo.html"
    run(command, "demo", "-o", str(page), cwd=place, environment=alone)
    if not page.is_file() or page.stat().st_size < SMALLEST_PAGE:
        raise SystemExit(f"{name}: imd-widget demo wrote no page, or one that holds too little")
    (place / "table.csv").write_text(TABLE, encoding="utf-8")
    columns = ("--m1", "old", "--m2", "new")
    said = run(
        *(command, "diff", "table.csv", *columns, "--json", "--quiet"),
        cwd=place,
        environment=alone,
    )
    if json.loads(said)["n_rows"] != 200:
        raise SystemExit(f"{name}: imd-widget diff did not read the table")
    return (
        f"version, bundle ({sum(found['bundle'].values()) / 1024:,.0f} KiB), "
        f"demo ({page.stat().st_size / 1024:,.0f} KiB) and diff"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--tag", help="the tag to be released, such as v1.2.3")
    tag = parser.parse_args().tag
    version = declared_version()
    if tag:
        check_tag(tag, version)
    print(f"imd-widget {version}: building", flush=True)
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)  # what lies here is what is uploaded
    build(dist)
    for pattern in (f"imd_widget-{version}-*.whl", f"imd_widget-{version}.tar.gz"):
        artefact = only(dist, pattern)
        with tempfile.TemporaryDirectory() as place:
            seen = check_installed(artefact, version, Path(place))
        print(f"  {artefact.name} ({artefact.stat().st_size / 1024:,.0f} KiB): {seen}", flush=True)
    print("both can be released")


if __name__ == "__main__":
    main()
