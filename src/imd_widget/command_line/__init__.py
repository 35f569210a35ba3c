"""The command line: ``imd-widget demo`` and ``imd-widget diff``."""

from __future__ import annotations

import argparse
import io
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from imd_widget.command_line.arguments import Exit, parser
from imd_widget.command_line.comparing import compare, make_folders, written
from imd_widget.command_line.report import rules_text
from imd_widget.command_line.speaking import complain, in_options, say
from imd_widget.compare import diff
from imd_widget.datasets import breast_cancer_pair
from imd_widget.errors import InputError

NOTEBOOK = Path("notebooks") / "quickstart.ipynb"


def demo(given: argparse.Namespace) -> Exit:
    """Compare two models on breast cancer, print what was found and write a page."""
    page: Path = given.output
    make_folders([page])
    pair = breast_cancer_pair()
    d = diff(pair.m1, pair.m2, pair.X, names=pair.names)
    print("\n".join([d.summary(), *rules_text(d)]))
    written(lambda: d.to_html(page, rows=200), page)
    print(f"\nInteractive page: {page}   (open it in a browser; it needs no network)")
    if NOTEBOOK.is_file():
        print(f"Notebook:         make lab   (opens {NOTEBOOK} in JupyterLab)")
    return Exit.FINE


_COMMANDS: dict[str, Callable[[argparse.Namespace], Exit]] = {"demo": demo, "diff": compare}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code, see `Exit`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a name that a terminal cannot show must not lose the work that was done
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        given = parser().parse_args(arguments)
        return _COMMANDS[given.command](given)
    except InputError as error:
        complain(in_options(str(error)))
        return Exit.UNUSABLE
    except KeyboardInterrupt:
        complain("stopped.")
        return Exit.STOPPED
    except BrokenPipeError:  # of the demo, which prints as it goes
        return Exit.FINE
    except Exception:
        # left to Python it would exit with 1, which says that the models differ
        say(traceback.format_exc(), sys.stderr)
        complain("this should not have happened; what is above tells where it did.")
        return Exit.UNEXPECTED
    finally:
        say("", sys.stdout)
