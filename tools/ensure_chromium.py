"""Path of a Chromium for the browser tests; one is installed where that is possible.

`python tools/ensure_chromium.py` prints the path, or exits with the line to type.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# What each package manager is told, one command after the other.
INSTALLERS = {
    "apt-get": (
        ("apt-get", "update"),
        ("apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"),
    ),
    "dnf": (("dnf", "install", "-y", "chromium", "dejavu-sans-fonts"),),
    "apk": (("apk", "add", "chromium", "font-dejavu"),),
}


def find_chromium() -> str | None:
    """Path of a Chromium or Chrome that starts, or None.

    `IMD_CHROMIUM` comes first; a name that does not start is an error, not a reason to look on.
    """
    chosen = os.environ.get("IMD_CHROMIUM")
    if chosen:
        if not _starts(chosen):
            raise SystemExit(f"IMD_CHROMIUM is {chosen!r}, which does not start as a browser.")
        return chosen
    return next((path for path in _candidates() if _starts(path)), None)


def install_chromium() -> None:
    """Install Chromium with the system's package manager; SystemExit where that is not possible."""
    manager = next((name for name in INSTALLERS if shutil.which(name)), None)
    if manager is None:
        raise SystemExit(
            "The browser tests need Chromium or Chrome, and none was found. Install one, "
            "or name it: IMD_CHROMIUM=/path/to/chrome make test"
        )
    commands = INSTALLERS[manager]
    if os.geteuid() == 0:
        prefix: tuple[str, ...] = ()
    elif _sudo_without_password():
        prefix = ("sudo", "-n")
    else:
        line = " && ".join("sudo " + " ".join(command) for command in commands)
        raise SystemExit(
            f"The browser tests need Chromium, and none was found. Type this, then try again:\n"
            f"    {line}\n"
            "or name a Chrome that you have: IMD_CHROMIUM=/path/to/chrome make test"
        )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        print("installing Chromium:", *command, file=sys.stderr)
        # stdout is for the path alone
        subprocess.run((*prefix, *command), check=True, env=environment, stdout=sys.stderr)


def ensure_chromium() -> str:
    """Path of a Chromium that starts, installed now if there was none."""
    path = find_chromium()
    if path is None:
        install_chromium()
        path = find_chromium()
    if path is None:
        raise SystemExit("Chromium was installed but does not start: run `chromium --version`.")
    return path


def _candidates() -> Iterator[str]:
    for name in NAMES:
        path = shutil.which(name)
        if path:
            yield path
    yield from (path for path in MAC_APPS if os.path.exists(path))


def _starts(path: str) -> bool:
    # Some systems have a `chromium-browser` that only says where to get one.
    try:
        subprocess.run([path, "--version"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _sudo_without_password() -> bool:
    if not shutil.which("sudo"):
        return False
    return subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    print(ensure_chromium())
