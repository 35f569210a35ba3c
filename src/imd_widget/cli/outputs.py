"""What ``-o`` writes: files and stdout, each in one format."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.errors import InputError
from imd_widget._base.validation import check_whole
from imd_widget.cli.arguments import flag_of, given_values
from imd_widget.cli.output import STDOUT_UNWRITTEN, write_bytes
from imd_widget.export.formats import format_of, formats_of
from imd_widget.export.html import MOST_STEPS

#: Paths that mean stdout.
STDOUT = ("-", "/dev/stdout")
#: What is written to stdout unless ``--format`` is given.
DEFAULT = "md"


@dataclass(frozen=True)
class Output:
    """One result to write."""

    #: As it was typed; ``-`` is stdout.
    path: Path
    #: Suffix of the format, which need not be that of the path.
    suffix: str

    @property
    def is_stdout(self) -> bool:
        """Whether it is written to stdout, in place of the report."""
        return str(self.path) == STDOUT[0]

    @property
    def is_page(self) -> bool:
        """Whether it is an HTML page."""
        return self.suffix == ".html"

    def write(self, content: Callable[[], bytes]) -> list[str]:
        """Write what ``content`` returns; return a list with the error message, empty if none."""
        if self.is_stdout:
            reason = write_bytes(content(), sys.stdout)
            return [STDOUT_UNWRITTEN.format(reason)] if reason else []
        try:
            made = content()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if _is_step_summary(self.path):
                # other commands of the step write to it too
                with self.path.open("ab") as file:
                    file.write(made)
            else:
                write_whole(self.path, made)
        except OSError as error:
            return [f"-o {self.path} could not be written: {error.strerror or error}."]
        return []


def checked_outputs(given: argparse.Namespace, kind: type) -> list[Output]:
    """Return what to write, each once.

    Parameters
    ----------
    given : Namespace
    kind : type
        The type of what is written.
    """
    outputs, formats = [], formats_of(kind)
    for path in dict.fromkeys(_normal(path) for path in given.output):
        if any(_is_same_file(path, file) for file in given.files):
            raise InputError(f"-o {path} is the file to be read: name another one.")
        outputs.append(Output(path, _suffix(path, given.format, formats)))
        # a file that is not written: only its suffix is checked
        is_own = path.suffix.lower() == outputs[-1].suffix
        format_of(kind, path if is_own else f"x{outputs[-1].suffix}")
    _check_format(given, outputs)
    if not any(output.is_page for output in outputs):
        for argument in given_values(given, "page"):
            raise InputError(
                f"{flag_of(argument)} is for pages, and no page is written: no -o ends with .html."
            )
    if given.refinements is not None:
        check_whole("refinements", given.refinements, 0, MOST_STEPS)
    return outputs


def _normal(path: Path) -> Path:
    return Path(STDOUT[0]) if str(path) in STDOUT else path


def _suffix(path: Path, form: str | None, formats: Collection[str]) -> str:
    """The suffix of the format of an output."""
    own = path.suffix.lower()
    if str(path) == STDOUT[0] or (_is_step_summary(path) and own not in formats):
        return f".{form or DEFAULT}"
    return own if own in formats or form is None else f".{form}"


def _is_step_summary(path: Path) -> bool:
    """Whether a path is the summary of a step of a GitHub workflow."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    return bool(summary) and str(path) == summary


def _check_format(given: argparse.Namespace, outputs: Sequence[Output]) -> None:
    """Raise an error if ``--format`` has no effect, or if two results would go to stdout."""
    to_stdout = any(output.is_stdout for output in outputs)
    used = any(o.is_stdout or o.path.suffix.lower() != o.suffix for o in outputs)
    if given.format is not None and not used:
        raise InputError(
            f"--format {given.format} is for -o - (stdout) and for paths whose ending is not "
            f"that of a format, and there is none: -o - --format {given.format} prints it."
        )
    if to_stdout and given.json:
        raise InputError("-o - and --json both write to stdout: choose one of them.")


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them does not exist or is not a valid name
        return False


def files_of(outputs: Sequence[Output]) -> list[Path]:
    """The paths of the outputs that are files."""
    return [output.path for output in outputs if not output.is_stdout]


def write_all(
    outputs: Sequence[Output],
    content: Callable[[Output], bytes],
    progress: Callable[[str], None],
) -> tuple[list[Path], list[str]]:
    """Write every output; return the files that were written, and the messages of failures."""
    written, failures = [], []
    for output in outputs:
        progress(f"writing {'to stdout' if output.is_stdout else output.path}")
        failed = output.write(partial(content, output))
        failures += failed
        written += [] if failed or output.is_stdout else [output.path]
    return written, failures
