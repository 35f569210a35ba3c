"""The command line: ``imd-widget demo``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import imd_widget as imd

NOTEBOOK = Path("notebooks") / "quickstart.ipynb"


def demo(page: Path) -> None:
    """Compare two models on breast cancer, print what was found and write a page."""
    pair = imd.datasets.breast_cancer_pair()
    d = imd.diff(pair.m1, pair.m2, pair.X, names=pair.names)
    print(d.summary(), end="\n\n")
    for number, rule in enumerate(d.rules, start=1):
        print(f"{number:3}. {rule}")
    written = d.to_html(page)
    print(f"\nInteractive page: {written}   (open it in a browser; it needs no network)")
    if NOTEBOOK.is_file():
        print(f"Notebook:         make lab   (opens {NOTEBOOK} in JupyterLab)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="imd-widget", description=imd.__doc__)
    parser.add_argument("--version", action="version", version=f"imd-widget {imd.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo_parser = commands.add_parser("demo", help="compare two models on an embedded dataset")
    demo_parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("out") / "demo.html",
        help="where to write the page (default: %(default)s)",
    )
    given = parser.parse_args(arguments)
    demo(given.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
