"""Printing on the two streams: results on stdout, progress, remarks and errors on stderr."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from imd_widget._base.errors import InputWarning

#: Letters at most: of a printed line, of a name or a value in a message, and of text that another
#: library wrote.
LONGEST_LINE, LONGEST_NAME, LONGEST_FOREIGN = 4_000, 80, 400

STDOUT_UNWRITTEN = "stdout could not be written: {}."


def put(text: str, stream: TextIO | None) -> str:
    """Write, at once; why that could not be done, or "".

    A reader that has gone (``| head``) is no failure. After a failure the stream hears no more:
    what it still holds would otherwise fail again when Python ends, and change the exit code.
    """
    if stream is None:  # closed from the start: ``>&-``
        return ""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        reason = ""
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        return ""
    silence(stream)
    return reason


def silence(stream: TextIO | None) -> None:
    """Send whatever is written from now on nowhere."""
    if stream is None:
        return
    with suppress(OSError):  # one that is no file, as in a test
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def say(text: str, stream: TextIO | None) -> None:
    """Print lines that a terminal can be trusted with; if they cannot be printed, go on."""
    put("".join(f"{line(part)}\n" for part in text.splitlines()), stream)


def tell(sentence: str) -> None:
    """Print one line on stderr."""
    put(f"imd-widget: {line(sentence)}\n", sys.stderr)


def complain(message: str) -> None:
    """Tell why there is no result, or not all of it."""
    tell(f"error: {message}")


def print_result(text: str) -> list[str]:
    """Print on stdout; a sentence if that could not be done."""
    reason = put(f"{text}\n", sys.stdout)
    return [STDOUT_UNWRITTEN.format(reason)] if reason else []


def line(text: str) -> str:
    """One line that can be read: names and values come from files of others.

    Signs that a terminal obeys, and ends of lines, are spelled out; what is too long is cut.
    """
    more = len(text) - LONGEST_LINE
    if more > 0:
        half = LONGEST_LINE // 2
        text = f"{text[:half]} … ({more:,} more letters) … {text[-half:]}"
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def shown(name: str) -> str:
    """A name of the file in a message: quoted, and cut where it is long."""
    return cut(repr(name))


@contextmanager
def remarks(worded: Callable[[str], str]) -> Iterator[list[str]]:
    """Print each `InputWarning` once, as a line on stderr; the list has their texts.

    ``worded`` returns a message of the library in the words of the command line.
    """
    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        elsewhere = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not isinstance(message, InputWarning):
                elsewhere(message, category, filename, lineno, file, line)
                return
            text = worded(message.message)
            if text not in told:
                told.append(text)
                tell(f"remark: {text}")

        warnings.showwarning = show
        yield told


def cut(text: str, longest: int = LONGEST_NAME) -> str:
    """The text without its middle, if it has more than ``longest`` letters."""
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4]}…{text[-longest // 4 :]}"
