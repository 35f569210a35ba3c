"""``imd-widget demo``: compare two models on an embedded dataset."""

from __future__ import annotations

import argparse
from pathlib import Path

from imd_widget._base.errors import InputError
from imd_widget.api.diff import diff
from imd_widget.cli.diff_command import make_folders
from imd_widget.cli.exits import Exit
from imd_widget.cli.output import line, print_error, print_note, print_result
from imd_widget.cli.outputs import Output
from imd_widget.cli.report import text_report
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.datasets import breast_cancer_pair, census
from imd_widget.export.formats import formats_of

NOTEBOOK = Path("notebooks") / "quickstart.ipynb"


def demo(given: argparse.Namespace) -> Exit:
    """Compare two models on an embedded dataset, print a report and write a page."""
    page: Path = given.output
    make_folders([page])
    d = _example()
    form = formats_of(type(d))[".html"]
    failures = [
        *print_result(text_report(d, None, [])),
        *Output(page, form.suffix).write(lambda: form.content(d, rows=200)),
    ]
    if not failures:
        failures += print_result(_what_next(page))
    for failure in failures:
        print_error(failure)
    return Exit.UNWRITTEN if failures else Exit.FINE


def _example() -> ModelDiff:
    """Return the diff of two models; without scikit-learn, of two columns of a made-up table."""
    try:
        pair = breast_cancer_pair()
    except InputError as missing:
        print_note(f"remark: {missing}. Two columns of a made-up census are compared instead.")
        return diff("income", "audited_income", census())
    return diff(pair.m1, pair.m2, pair.X, names=pair.names)


def _what_next(page: Path) -> str:
    lines = ["", f"Interactive page: {page}   (open it in a browser; it needs no network)"]
    if NOTEBOOK.is_file():
        lines.append(f"Notebook:         make lab   (opens {NOTEBOOK} in JupyterLab)")
    return "\n".join(map(line, lines))
