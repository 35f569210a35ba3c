"""The command line: ``imd-widget demo``, ``imd-widget diff`` and ``imd-widget compare``."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence

from imd_widget._base.errors import InputError
from imd_widget.cli.exits import Exit
from imd_widget.cli.output import (
    STDOUT_UNWRITTEN,
    print_error,
    print_lines,
    silence,
    write_stream,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code, see `Exit`.

    Raises
    ------
    SystemExit
        After the help, and for arguments that argparse refuses.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # otherwise a name that the terminal cannot encode would raise, and the result be lost
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _flushed(_run(arguments))
    except KeyboardInterrupt:
        # otherwise the flush at exit would block on a reader that does not read
        silence(sys.stdout)
        print_error("stopped.")
        return Exit.STOPPED


def _run(arguments: Sequence[str] | None) -> int:
    """Parse the arguments and run the command that they name."""
    try:
        # imported late: they take time, and Ctrl-C must be handled during that time too
        from imd_widget.cli.arguments import parse
        from imd_widget.cli.compare_command import compare_columns
        from imd_widget.cli.demo import demo
        from imd_widget.cli.diff_command import compare
        from imd_widget.cli.wording import Wording

        given = parse(arguments)
        command = {"demo": demo, "diff": compare, "compare": compare_columns}[given.command]
        try:
            return command(given)
        except InputError as error:
            print_error(Wording.of(given).error(error))
            return Exit.UNUSABLE
    except Exception:
        # Python would exit with 1, which means that the models differ
        print_lines(traceback.format_exc(), sys.stderr)
        print_error("this is an error in imd-widget itself. Please report it with the lines above.")
        return Exit.UNEXPECTED


def _flushed(code: int) -> int:
    """Flush both streams, and return the exit code that takes failures into account.

    Python flushes them at exit too, and exits with 120 if that fails.
    """
    reason = write_stream("", sys.stdout)
    if reason and code in (Exit.FINE, Exit.DIFFER):
        print_error(STDOUT_UNWRITTEN.format(reason))
        code = Exit.UNWRITTEN
    write_stream("", sys.stderr)
    return code
