"""The command line: ``imd-widget demo`` and ``imd-widget diff``."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence

from imd_widget._base.errors import InputError
from imd_widget.cli.exits import Exit
from imd_widget.cli.output import (
    STDOUT_UNWRITTEN,
    complain,
    put,
    say,
    silence,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code, see `Exit`.

    It leaves by `SystemExit` where argparse does: after the help, and if an option is not known.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a name that a terminal cannot show must not lose the work that was done
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _flushed(_run(arguments))
    except KeyboardInterrupt:
        silence(sys.stdout)  # what its reader has not taken by now would be waited for again
        complain("stopped.")
        return Exit.STOPPED


def _run(arguments: Sequence[str] | None) -> int:
    """Parse the arguments and run the command that they name."""
    try:
        # late, because these imports take time, in which Ctrl-C is handled as at any other time
        from imd_widget.cli.arguments import parse
        from imd_widget.cli.demo import demo
        from imd_widget.cli.diff_command import compare
        from imd_widget.cli.wording import Wording

        given = parse(arguments)
        command = {"demo": demo, "diff": compare}[given.command]
        try:
            return command(given)
        except InputError as error:
            complain(Wording.of(given).error(error))
            return Exit.UNUSABLE
    except Exception:
        # left to Python it would exit with 1, which says that the models differ
        say(traceback.format_exc(), sys.stderr)
        complain("this is an error in imd-widget itself. Please report it with the lines above.")
        return Exit.UNEXPECTED


def _flushed(code: int) -> int:
    """The exit code, after all that was printed is written.

    Python would flush both streams at its end too, and exit with 120 if it cannot.
    """
    reason = put("", sys.stdout)
    if reason and code in (Exit.FINE, Exit.DIFFER):
        complain(STDOUT_UNWRITTEN.format(reason))
        code = Exit.UNWRITTEN
    put("", sys.stderr)
    return code
