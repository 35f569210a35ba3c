"""The options of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NoReturn, get_args

import imd_widget as imd
from imd_widget.cli.exits import EXIT_CODES, Exit
from imd_widget.cli.output import STDOUT_UNWRITTEN, complain, put
from imd_widget.export.formats import FORMATS
from imd_widget.methods import Method

EXAMPLES = """\
examples:
  imd-widget diff scored.parquet --m1 pred_old --m2 pred_new -o diff.html
  imd-widget diff scored.csv --m1 old --m2 new --y target --drop customer_id --fail-over 5%
  imd-widget diff scored.csv --m1 old --m2 new --json --quiet > diff.json

"""


class Parser(argparse.ArgumentParser):
    """One that complains in the form of all other errors."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command, and leave."""
        complain(f"{message} ({self.prog} --help lists the options.)")
        self.exit(Exit.UNUSABLE)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or version, as all results are printed."""
        reason = put(message, file)
        if reason and file is sys.stdout:
            complain(STDOUT_UNWRITTEN.format(reason))
            raise SystemExit(Exit.UNWRITTEN)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options that were given, by their names."""
    top = parser()
    given = top.parse_args(arguments)
    if given.command is None:
        top.error("a command is needed: demo or diff.")
    return given


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    # an abbreviation that works today would mean something else, or nothing, with a new option
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
    _add_diff(
        commands.add_parser(
            "diff",
            help="compare two columns of outputs in a CSV or Parquet file",
            description="Compare two columns of outputs in a CSV or Parquet file: on how many rows "
            "they differ, and where.",
            epilog=EXAMPLES + EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
    )
    return top


def _add_diff(diff: argparse.ArgumentParser) -> None:
    diff.add_argument(
        "file", type=Path, metavar="FILE", help=".csv, .tsv (both also with .gz), .parquet or .pq"
    )
    _add_columns(diff.add_argument_group("columns of the file"))
    _add_results(diff.add_argument_group("results"))
    # what is not given is left to the library, which knows the defaults
    _add_options(diff.add_argument_group("how to compare (as in imd.diff)"))


def _add_columns(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--m1", required=True, metavar="COL", help="outputs of the old model")
    group.add_argument("--m2", required=True, metavar="COL", help="outputs of the new model")
    group.add_argument("--y", metavar="COL", help="the true outputs, to say which model is right")
    group.add_argument("--weight", metavar="COL", help="how much each row counts")
    choice = group.add_mutually_exclusive_group()
    choice.add_argument(
        "--columns",
        nargs="+",
        action="extend",
        metavar="COL",
        help="columns that rules may speak of (default: all others)",
    )
    choice.add_argument(
        "--drop",
        nargs="+",
        action="extend",
        default=[],
        metavar="COL",
        help="columns that rules may not speak of, such as ids and scores",
    )
    group.add_argument(
        "--separator",
        type=separator,
        metavar="SIGN",
        help='what stands between the values of a CSV file: one sign, such as ";", or "tab" '
        "(default: a comma; a tab in .tsv)",
    )


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-o",
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help=f"a file to write, as its ending says: {', '.join(FORMATS)}; may be repeated",
    )
    group.add_argument(
        "--rows", type=whole, metavar="N", help="of .html: how many rows of the file the page shows"
    )
    group.add_argument(
        "--refinements", type=whole, metavar="N", help="of .html: how many refinements it offers"
    )
    group.add_argument("--json", action="store_true", help="one JSON document on stdout, no text")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr; remarks stay")
    group.add_argument(
        "--fail-over",
        type=share,
        metavar="SHARE",
        help="exit with 1 if they differ on more than this share of the rows: 0.05 or 5%%",
    )
    group.add_argument(
        "--fail-breaks",
        type=share,
        metavar="SHARE",
        help="with --y: exit with 1 if on more than this share of the rows that have a truth only "
        "the old model is right",
    )
    group.add_argument(
        "--names", nargs=2, metavar=("OLD", "NEW"), help="names of the models (default: columns)"
    )


def _add_options(group: argparse._ArgumentGroup) -> None:
    def add(option: str, **settings: Any) -> None:
        group.add_argument(option, default=argparse.SUPPRESS, **settings)

    add("--method", choices=get_args(Method), help="default: calibrated")
    add("--max-depth", type=whole, metavar="N", help="conditions at most (default: 6)")
    add("--max-rules", type=whole, metavar="N", help="rules at most")
    add(
        "--sensitivity",
        type=number,
        metavar="SHARE",
        help="share of the differing rows that rules should cover (default: best F1)",
    )
    add(
        "--outputs",
        choices=("auto", "class", "proba", "value"),
        help="what the outputs are: labels (class), probabilities of one class (proba) or other "
        "numbers (value). auto, the default, goes by what they look like: text and whole numbers "
        "are labels, other numbers are probabilities if all of both are from 0 to 1, else values",
    )
    add(
        "--tolerance",
        type=number,
        metavar="X",
        help="numbers that are more than this apart differ",
    )
    add("--pos-label", metavar="LABEL", help="of proba: the class whose probability it is")
    add(
        "--test-size",
        type=number,
        metavar="SHARE",
        help="share of the rows kept aside to measure on (default: 0.25)",
    )
    add("--random-state", type=whole, metavar="N", help="chooses the rows kept aside (default: 0)")


#: Options that are passed on as they are, if they were given.
PASSED_ON = (
    *("method", "max_depth", "max_rules", "sensitivity", "outputs", "tolerance"),
    *("test_size", "random_state"),
)


def share(text: str) -> float:
    """A share of the rows, from 0 to 1, or in percent."""
    given = text.strip()
    try:
        # decimals, so that 0.7% is 0.007 and not the float beside it
        exact = Decimal(given.removesuffix("%").strip()) / (100 if given.endswith("%") else 1)
    except InvalidOperation:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no share of the rows: give a number from 0 to 1, such as 0.05, or a "
            "percentage, such as 5%."
        ) from None
    if not (exact.is_finite() and 0 <= exact <= 1):
        hint = f" Did you mean {given}%?" if exact.is_finite() and 1 < exact <= 100 else ""
        raise argparse.ArgumentTypeError(
            f"{text!r} is not between 0 and 1, none and all of the rows.{hint}"
        )
    return float(exact)


def whole(text: str) -> int:
    """A whole number from 0 up."""
    try:
        found = int(text)
    except ValueError:
        found = -1
    if found < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 up.")
    return found


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number.") from None


def separator(text: str) -> str:
    """What stands between two values of a CSV file."""
    sign = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(sign) != 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not one sign: give for example ';', '|' or tab."
        )
    return sign
