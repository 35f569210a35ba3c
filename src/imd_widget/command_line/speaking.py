"""What is said on the two streams, and Python's words in those of the command line."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from imd_widget.errors import InputWarning

_OPTIONS = (
    *("method", "max_depth", "max_rules", "sensitivity", "outputs", "tolerance"),
    *("pos_label", "test_size", "random_state", "names", "refinements", "rows"),
)
_OPTION = re.compile(
    rf"""\b({"|".join(_OPTIONS)})=("[^"]*"|'[^']*'|\.\.\.|[\w+-]+(?:\.\w+)?|)(?!\()"""
)
_DROP = re.compile(r"X\.drop\(columns=\[?('[^']*'|\"[^\"]*\")\]?\)")


def say(text: str, stream: TextIO | None) -> None:
    """Print, at once; a reader that has gone (``| head``) is no error, and hears no more."""
    if stream is None:  # closed from the start: ``>&-``
        return
    try:
        if text:
            print(_harmless(text), file=stream)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def complain(message: str) -> None:
    """Tell why there is no result."""
    say(f"imd-widget: error: {message}", sys.stderr)


@contextmanager
def remarks() -> Iterator[list[str]]:
    """Warnings that are meant for the user as one line each on stderr; the list has their texts."""
    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        elsewhere = warnings.showwarning

        def tell(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, InputWarning):
                elsewhere(message, category, filename, lineno, file, line)
                return
            text = in_options(str(message))
            if text not in told:
                told.append(text)
                say(f"imd-widget: remark: {text}", sys.stderr)

        warnings.showwarning = tell
        yield told


def in_options(text: str) -> str:
    """What the library says about its arguments, said of the options of the command."""
    text = _DROP.sub(lambda found: f"--drop {found[1]}", text)
    return _OPTION.sub(_option, text).replace("sample_weight", "--weight")


def _option(found: re.Match[str]) -> str:
    option, value = found[1].replace("_", "-"), found[2].strip("\"'")
    return f"--{option} {value}" if value else f"--{option}"


def _harmless(text: str) -> str:
    """The same without signs that a terminal obeys: names come from files of others."""
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else f"\\x{ord(sign):02x}" for sign in text
    )
