"""The command line's parser, and the table of the options of ``diff`` and ``compare``.

`OPTIONS` is the only list of options. An entry has everything that is known about an option: how it
is parsed, which Python argument it stands for, and where its value goes. The parser, the
calls of the library and the wording of its errors are derived from the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import imd_widget as imd
from imd_widget._base.options import Option
from imd_widget.cli.exits import EXIT_CODES, Exit
from imd_widget.cli.option_types import (
    DeriveAction,
    TagAction,
    distance,
    file_name,
    number,
    separator,
    share,
    whole,
)
from imd_widget.cli.output import STDOUT_UNWRITTEN, print_error, write_stream
from imd_widget.comparison.gate import FEWEST_ROWS
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import OPTIONS as imd_options
from imd_widget.comparison.options import DiffOptions
from imd_widget.export.formats import formats_of

#: Headings of the help, in its order.
Group = Literal["columns of the file", "results", "how to compare (as in imd.diff)"]
#: Commands that have options of this table.
Command = Literal["diff", "compare"]
#: Where the value of an option goes: it names the column that is passed to `imd.diff` or
#: `imd.compare`; it is passed to them as it is; it is passed to ``save`` of a page; the command
#: itself reads it.
Target = Literal["column", "diff", "page", "command"]


@dataclass(frozen=True)
class CommandOption:
    """An option of ``imd-widget diff`` and ``imd-widget compare``."""

    #: As they are typed; the last one is the long form.
    flags: tuple[str, ...]
    #: The heading in the help.
    group: Group
    #: Where its value goes.
    target: Target
    #: The Python argument that it stands for; None if there is none.
    argument: str | None
    #: Options with the same text here exclude each other.
    exclusive: str | None
    #: Arguments of `argparse.ArgumentParser.add_argument`.
    settings: Mapping[str, Any]
    #: The commands that have it; by default both.
    commands: tuple[Command, ...] = get_args(Command)

    @property
    def flag(self) -> str:
        """The long form, by which messages name the option."""
        return self.flags[-1]

    @property
    def dest(self) -> str:
        """The attribute of the parsed namespace."""
        return self.flag.removeprefix("--").replace("-", "_")


def _of(command: Command, option: CommandOption) -> CommandOption:
    """The option, of one command only."""
    return replace(option, commands=(command,))


def _column(flag: str, argument: str, **settings: Any) -> CommandOption:
    """An option that names a column of the file, which stands for an argument of `imd.diff`."""
    return CommandOption(
        (flag,), "columns of the file", "column", argument, None, {"metavar": "COL", **settings}
    )


def _choice(flag: str, **settings: Any) -> CommandOption:
    """An option that chooses the columns of ``X``."""
    settings = {"nargs": "+", "action": "extend", "metavar": "COL", **settings}
    return CommandOption((flag,), "columns of the file", "command", None, "columns of X", settings)


def _reading(flag: str, **settings: Any) -> CommandOption:
    """An option of how the file is read."""
    return CommandOption((flag,), "columns of the file", "command", None, None, settings)


def _result(*flags: str, argument: str | None = None, **settings: Any) -> CommandOption:
    """An option of the results: files, the report and the exit code."""
    return CommandOption(flags, "results", "command", argument, None, settings)


def _page(flag: str, argument: str, **settings: Any) -> CommandOption:
    """An option of the page, passed on to `ModelDiff.save` if it is given."""
    return CommandOption((flag,), "results", "page", argument, None, settings)


def passed_on(declared: Option) -> CommandOption:
    """An option that is passed on to `imd.diff` if it is given; `imd.diff` has the default."""
    flag = declared.flag
    assert flag is not None
    hint = get_type_hints(DiffOptions)[declared.name]
    settings = {"default": argparse.SUPPRESS, "help": flag.help, **_reading_of(hint)}
    if flag.metavar is not None:
        settings["metavar"] = flag.metavar
    if flag.several:
        settings |= {"nargs": "+", "action": "extend"}
    return CommandOption(
        (flag.name,), "how to compare (as in imd.diff)", "diff", declared.name, None, settings
    )


def _reading_of(hint: Any) -> dict[str, Any]:
    """How argparse reads a value of a type: one of some choices, a number, or text."""
    kinds = [kind for kind in (get_args(hint) or (hint,)) if kind is not type(None)]
    if kinds == [bool]:
        return {"action": "store_true"}
    if any(get_origin(kind) is Mapping for kind in kinds):
        return {"action": DeriveAction}
    literals = [kind for kind in (hint, *kinds) if get_origin(kind) is Literal]
    choices = [name for kind in literals for name in get_args(kind)]
    if choices:
        return {"choices": tuple(choices)}
    if set(kinds) == {float, str}:
        return {"type": distance}
    return {"type": {int: whole, float: number}.get(kinds[0], str)}


#: Suffixes of the formats; those of a comparison are the same.
_SUFFIXES = tuple(formats_of(ModelDiff))
OPTIONS: tuple[CommandOption, ...] = (
    _of(
        "diff",
        _column(
            "--m1",
            "m1",
            help="outputs of the old model; or the model itself: a file that ends with .onnx, .ubj "
            "or .json (XGBoost), .txt (LightGBM), .cbm (CatBoost) or .skops, or an address in "
            "MLflow such as models:/name/1",
        ),
    ),
    _of("diff", _column("--m2", "m2", help="the same of the new model")),
    _of(
        "diff",
        _reading(
            "--on",
            nargs="+",
            action="extend",
            metavar="COL",
            help="columns that identify a row in two files, the first with the outputs of the old "
            "model (--m1), the second with those of the new one (--m2)",
        ),
    ),
    _of(
        "compare",
        CommandOption(
            ("--models",),
            "columns of the file",
            "command",
            "models",
            None,
            {
                "nargs": "+",
                "action": "extend",
                "metavar": "COL",
                "required": True,
                "help": "outputs of each model, 2 to 30 columns",
            },
        ),
    ),
    _column("--y", "y", help="the true outputs, to count which model is right"),
    _column("--weight", "sample_weight", help="the weight of each row"),
    _column(
        "--groups",
        "groups",
        help="the user or patient of each row, whose rows are kept aside together",
    ),
    _choice("--columns", help="columns that rules may use (default: all others)"),
    _choice(
        "--drop",
        default=[],
        help="columns that rules may not use, such as ids and scores",
    ),
    _reading(
        "--separator",
        type=separator,
        metavar="SIGN",
        help='separator of a CSV file: one character, such as ";", or "tab" '
        "(default: a comma; a tab in .tsv)",
    ),
    _result(
        "-o",
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help=f"a file to write; the suffix chooses the format: {', '.join(_SUFFIXES)}; - is "
        "stdout, in place of the report; may be repeated",
    ),
    _result(
        "--format",
        choices=[suffix.removeprefix(".") for suffix in _SUFFIXES],
        help="what to write to stdout (-o -; default: md) and to files with another ending or none",
    ),
    _page(
        "--rows",
        "rows",
        type=whole,
        metavar="N",
        help="number of rows of the file that a .html page holds",
    ),
    _page(
        "--refinements",
        "refinements",
        type=whole,
        metavar="N",
        help="number of refinement steps that a .html page holds",
    ),
    _result("--json", action="store_true", help="write the report to stdout as one JSON document"),
    _result(
        "--quiet",
        action="store_true",
        help="no progress messages on stderr; warnings are still printed",
    ),
    _result(
        "--fail-over",
        argument="disagreement",
        type=share,
        metavar="SHARE",
        help="exit with 1 if the models, or any two of them, differ on more than this share of the "
        "rows, such as 0.05 or 5%%",
    ),
    _of(
        "diff",
        _result(
            "--fail-breaks",
            argument="breaks",
            type=share,
            metavar="SHARE",
            help="with --y: exit with 1 if only the old model is right on more than this share of "
            "the rows that have a true output",
        ),
    ),
    _of(
        "diff",
        _result(
            "--fail-rule-breaks",
            argument="rule_breaks",
            type=share,
            metavar="SHARE",
            help="with --y: exit with 1 if the net loss inside a rule (rows that break minus rows "
            "that are fixed) is more than this share of its rows, beyond chance. How many rows "
            "change is measured on rows that were not used to find the rule, breaks against fixes "
            "on all of its rows",
        ),
    ),
    _of(
        "diff",
        _result(
            "--fail-group",
            argument="group_breaks",
            type=share,
            metavar="SHARE",
            help="with --y and --by: the same limit for each group",
        ),
    ),
    _of(
        "diff",
        _result(
            "--fail-net",
            argument="net",
            type=share,
            metavar="SHARE",
            help="with --y: the same limit for all rows; 0: fail if the new model is worse beyond "
            "chance",
        ),
    ),
    _of(
        "diff",
        _result(
            "--fail-unless-same",
            argument="same",
            type=share,
            metavar="SHARE",
            help="exit with 1 unless the models are shown to be the same within this margin: their "
            "accuracies with --y, otherwise the share of rows on which they differ",
        ),
    ),
    _of(
        "diff",
        _result(
            "--min-rows",
            argument="min_rows",
            type=whole,
            default=FEWEST_ROWS,
            metavar="N",
            help="--fail-rule-breaks and --fail-group skip rules and groups with fewer rows "
            "(default: %(default)s)",
        ),
    ),
    _of(
        "diff",
        _result(
            "--baseline",
            argument="baseline",
            type=file_name,
            metavar="FILE",
            help="the .json file of an earlier run (-o last.json); --fail-over, --fail-breaks and "
            "--fail-rule-breaks do not count rows inside its rules",
        ),
    ),
    _of(
        "diff",
        _result(
            "--to-label",
            type=file_name,
            metavar="FILE",
            help="a .csv file to write: the rows whose labels decide which model is better, with "
            "an empty column label",
        ),
    ),
    _of(
        "diff",
        _result(
            "--n-labels",
            argument="n",
            type=whole,
            default=60,
            metavar="N",
            help="number of rows that --to-label draws (default: %(default)s)",
        ),
    ),
    _of(
        "diff",
        _result(
            "--labels",
            argument="labels",
            type=file_name,
            metavar="FILE",
            help="the same file with its labels filled in: the report shows which model is better, "
            "and --fail-net needs no --y",
        ),
    ),
    _of(
        "diff",
        _result(
            "--other-labels",
            argument="other_labels",
            nargs="+",
            action="extend",
            default=[],
            metavar="LABEL",
            help="labels in the file of --labels that are true although no model predicts them",
        ),
    ),
    _of(
        "diff",
        _result(
            "--names",
            argument="names",
            nargs=2,
            metavar=("OLD", "NEW"),
            help="names of the models (default: columns)",
        ),
    ),
    _of(
        "compare",
        _result(
            "--names",
            argument="names",
            nargs="+",
            action="extend",
            metavar="NAME",
            help="names of the models, in the order of --models (default: columns)",
        ),
    ),
    _of(
        "compare",
        _result(
            "--pair",
            argument="pairs",
            nargs=2,
            action="append",
            metavar=("NAME", "NAME"),
            help="two models whose diff the files hold; may be repeated (default: the five that "
            "differ most)",
        ),
    ),
    *(passed_on(one) for one in imd_options.values() if one.flag is not None),
    CommandOption(
        ("--tag",),
        "results",
        "diff",
        "tags",
        None,
        {
            "default": argparse.SUPPRESS,
            "action": TagAction,
            "metavar": "KEY=TEXT",
            "help": "a tag that the .json holds, such as release=2.1; may be repeated",
        },
    ),
    # not passed on as text: the command looks the label up in the column of y
    CommandOption(
        ("--pos-label",),
        "how to compare (as in imd.diff)",
        "command",
        "pos_label",
        None,
        {
            "default": argparse.SUPPRESS,
            "metavar": "LABEL",
            "help": "only for proba: the class of the probabilities",
        },
    ),
)


def flag_of(argument: str) -> str | None:
    """The option that stands for a Python argument; None if there is none."""
    return next((option.flag for option in OPTIONS if option.argument == argument), None)


def given_values(given: argparse.Namespace, target: Target) -> dict[str, Any]:
    """The values that were given for the options with this target, by their Python arguments."""
    return {
        option.argument: value
        for option in OPTIONS
        if option.target == target and option.argument is not None
        if (value := getattr(given, option.dest, None)) is not None
    }


EXAMPLES = """\
examples:
  imd-widget diff scored.parquet --m1 pred_old --m2 pred_new -o diff.html
  imd-widget diff scored.csv --m1 old --m2 new --y target --drop customer_id --fail-over 5%
  imd-widget diff scored.csv --m1 old --m2 new --json --quiet > diff.json
  imd-widget diff scores/ --m1 pred_old --m2 pred_new -o diff.html
  imd-widget diff old.csv new.csv --on id --m1 pred --m2 pred --y target --fail-rule-breaks 5%
  imd-widget diff old.csv:pred new.jsonl:pred --on id
  imd-widget diff scored.csv --m1 old --m2 new --to-label label.csv
  imd-widget diff scored.csv --m1 old --m2 new --labels label.csv --fail-net 0

"""


COMPARE_EXAMPLES = """\
examples:
  imd-widget compare scored.parquet --models pred_a pred_b pred_c -o compare.html
  imd-widget compare scored.csv --models v1 v2 v3 v4 --y target --drop id --fail-over 5%
  imd-widget compare scored.csv --models v1 v2 v3 --pair v1 v3 -o compare.json -o compare.md

"""


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in the form of all other errors."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with `Exit.UNUSABLE`."""
        print_error(f"{message} ({self.prog} --help lists the options.)")
        self.exit(Exit.UNUSABLE)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version; exit with `Exit.UNWRITTEN` if stdout cannot be written."""
        reason = write_stream(message, file)
        if reason and file is sys.stdout:
            print_error(STDOUT_UNWRITTEN.format(reason))
            raise SystemExit(Exit.UNWRITTEN)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments into a namespace."""
    top = parser()
    given = top.parse_args(arguments)
    if given.command is None:
        top.error("a command is needed: demo, diff or compare.")
    return given


def parser() -> argparse.ArgumentParser:
    """Build the parser of the whole command line."""
    # an abbreviation would become ambiguous as soon as a new option has the same prefix
    top = Parser(prog="imd-widget", description=imd.__doc__, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"imd-widget {imd.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    demo = commands.add_parser("demo", help="compare two models on an embedded dataset")
    demo.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("out") / "demo.html",
        help="where to write the page (default: %(default)s)",
    )
    _add_options(
        "diff",
        commands.add_parser(
            "diff",
            help="compare two columns of outputs in a CSV or Parquet file",
            description="Compare two columns of outputs in a CSV or Parquet file, or in several "
            "Parquet files: on how many rows they differ, and where.",
            epilog=EXAMPLES + EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        ),
    )
    _add_options(
        "compare",
        commands.add_parser(
            "compare",
            help="compare two or more columns of outputs in a CSV or Parquet file",
            description="Compare two or more columns of outputs in a CSV or Parquet file: which of "
            "them differ, on how many rows, and where.",
            epilog=COMPARE_EXAMPLES + EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        ),
    )
    return top


def _add_options(command: Command, parser: argparse.ArgumentParser) -> None:
    several = (
        "; several Parquet files, or a folder of them, are one table that need not fit in memory; "
        "with --on, two files are joined; FILE:COLUMN names a file and the outputs in it"
    )
    parser.add_argument(
        "files",
        type=file_name,
        nargs="+" if command == "diff" else 1,
        metavar="FILE",
        help=".csv, .tsv, .jsonl (all also with .gz), .parquet or .pq; - is stdin, as CSV"
        + (several if command == "diff" else ""),
    )
    groups = {title: parser.add_argument_group(title) for title in get_args(Group)}
    exclusive: dict[str, argparse._ActionsContainer] = {}
    for option in (option for option in OPTIONS if command in option.commands):
        container: argparse._ActionsContainer = groups[option.group]
        if option.exclusive is not None:
            if option.exclusive not in exclusive:
                exclusive[option.exclusive] = container.add_mutually_exclusive_group()
            container = exclusive[option.exclusive]
        container.add_argument(*option.flags, **option.settings)
