"""``imd-widget compare``: compare two or more columns of a file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial

import pandas as pd

from imd_widget._base.errors import InputError
from imd_widget.api.compare import compare
from imd_widget.cli.arguments import given_values
from imd_widget.cli.compare_report import CompareVerdict, compare_json, compare_text
from imd_widget.cli.diff_command import (
    Choice,
    check_complete,
    choose,
    columns_text,
    groups_of,
    label_of,
    make_folders,
)
from imd_widget.cli.exits import Exit
from imd_widget.cli.output import print_error, print_note, print_result, remarks, shown
from imd_widget.cli.outputs import Output, checked_outputs, files_of, write_all
from imd_widget.cli.reading import DataFile, open_file, remark_on_text, with_dates
from imd_widget.cli.wording import Wording
from imd_widget.export.formats import formats_of
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.many.models import FEWEST, MOST


def compare_columns(given: argparse.Namespace) -> Exit:
    """Compare two or more columns of a file, write the output files and print a report."""

    def progress(text: str) -> None:
        if not given.quiet:
            print_note(text)

    with remarks(Wording.of(given).text) as remarked:
        # every error of the command is raised before the work starts
        outputs = checked_outputs(given, ModelComparison)
        models, names = _checked_models(given)
        file = open_file(given.files[0], given.separator)
        choice = choose(file, given, models)
        make_folders(files_of(outputs))
        progress(f"reading {file.path}")
        names_read = dict.fromkeys((*models, *choice.roles.values(), *choice.X, *choice.by))
        frame = file.read(list(names_read))
        what = f"{len(models)} models: {len(frame):,} rows, {columns_text(choice)}"
        progress(f"comparing {what}")
        c = _compare(file, frame, choice, dict(zip(models, names, strict=True)), given)
        written, failures = write_all(outputs, partial(_content, c, given=given), progress)
        verdict = CompareVerdict.of(c, given.fail_over)
        report = compare_text(c, written)
        if given.json:
            report = compare_json(c, verdict, remarked, written)
        if not any(output.is_stdout for output in outputs):
            failures += print_result(report)
        if verdict.sentence and (verdict.failed or not given.quiet):
            print_note(verdict.sentence)
        for failure in failures:
            print_error(failure)
    if failures:
        return Exit.UNWRITTEN
    return Exit.DIFFER if verdict.failed else Exit.FINE


def _checked_models(given: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The columns of the models, and their names; each is checked before the file is read."""
    models: list[str] = given.models
    if not FEWEST <= len(models) <= MOST:
        few = "1 column" if len(models) == 1 else f"{len(models)} columns"
        raise InputError(f"--models names {few}: {FEWEST} to {MOST} models can be compared.")
    names: list[str] = given.names or models
    if len(names) != len(models):
        raise InputError(
            f"--names has {len(names)} names and --models {len(models)} columns: one name for each "
            "is needed."
        )
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if given.names and twice is not None:
        raise InputError(f"--names has {shown(twice)} twice: give each model a name of its own.")
    for pair in given.pair or []:
        unknown = next((name for name in pair if name not in names), None)
        if unknown is not None:
            raise InputError(
                f"--pair names {shown(unknown)}, and the models are {', '.join(map(shown, names))}."
            )
        if pair[0] == pair[1]:
            raise InputError(f"--pair names {shown(pair[0])} twice: name two models.")
    return models, names


def _compare(
    file: DataFile,
    frame: pd.DataFrame,
    choice: Choice,
    names: Mapping[str, str],
    given: argparse.Namespace,
) -> ModelComparison:
    """Compare the columns that are the keys of ``names``."""
    for column in names:
        check_complete(file, frame, column, "--models")
    X = frame[list(choice.X)]
    if file.kind == "csv":
        remark_on_text(frame, choice.X)
    if file.kind != "parquet":
        X = with_dates(X)
    options = {**given_values(given, "diff"), **groups_of(frame, given)}
    options |= {role: frame[name] for role, name in choice.roles.items()}
    if hasattr(given, "pos_label"):
        options["pos_label"] = label_of(given.pos_label, options.get("y"))
    return compare({name: frame[column] for column, name in names.items()}, X, **options)


def _content(c: ModelComparison, output: Output, given: argparse.Namespace) -> bytes:
    pairs = [(first, second) for first, second in given.pair] if given.pair else None
    page = given_values(given, "page") if output.is_page else {}
    return formats_of(ModelComparison)[output.suffix].content(c, pairs=pairs, **page)
