"""Printing on the two streams: results on stdout, progress, remarks and errors on stderr."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, AnyStr, TextIO

from imd_widget._base.errors import InputWarning

#: Maximal lengths of a printed line, of a name or a value in a message, and of the text of another
#: library.
LONGEST_LINE, LONGEST_NAME, LONGEST_FOREIGN = 4_000, 80, 400

STDOUT_UNWRITTEN = "stdout could not be written: {}."


def write_stream(text: AnyStr, stream: IO[AnyStr] | None) -> str:
    """Write and flush; return the reason of a failure, or "".

    A closed pipe (``| head``) is not a failure. After a failure the stream is silenced: its buffer
    would fail again when Python flushes it at exit, and change the exit code.
    """
    if stream is None:  # closed by the shell: ``>&-``
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


def write_bytes(content: bytes, stream: TextIO | None) -> str:
    """Write bytes to the buffer of a stream, as `write_stream` does with text."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # closed by the shell, or replaced by a stream of text
        return write_stream(content.decode("utf-8", errors="replace"), stream)
    reason = write_stream("", stream)
    return reason or write_stream(content, buffer)


def silence(stream: IO[Any] | None) -> None:
    """Redirect the stream to the null device."""
    if stream is None:
        return
    with suppress(OSError):  # the stream has no file descriptor, as in tests
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def print_lines(text: str, stream: TextIO | None) -> None:
    """Print lines with control characters escaped; a failure is ignored."""
    write_stream("".join(f"{line(part)}\n" for part in text.splitlines()), stream)


def print_note(sentence: str) -> None:
    """Print one line on stderr, after the name of the program."""
    write_stream(f"imd-widget: {line(sentence)}\n", sys.stderr)


def print_error(message: str) -> None:
    """Print an error on stderr."""
    print_note(f"error: {message}")


def print_result(text: str) -> list[str]:
    """Print on stdout; return a list with the error message, empty if there is none."""
    reason = write_stream(f"{text}\n", sys.stdout)
    return [STDOUT_UNWRITTEN.format(reason)] if reason else []


def line(text: str) -> str:
    """Return the text as one printable line, because names and values are not trusted.

    Control characters and line breaks are escaped; a text longer than ``LONGEST_LINE`` is cut.
    """
    more = len(text) - LONGEST_LINE
    if more > 0:
        half = LONGEST_LINE // 2
        text = f"{text[:half]} … ({more:,} more letters) … {text[-half:]}"
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def shown(name: str) -> str:
    """A name for a message: quoted, and cut to ``LONGEST_NAME``."""
    return cut(repr(name))


@contextmanager
def remarks(worded: Callable[[str], str]) -> Iterator[list[str]]:
    """Print each `InputWarning` once, as a line on stderr; the list has their texts.

    ``worded`` returns a message of the library in the words of the command line.
    """
    texts: list[str] = []
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
            if text not in texts:
                texts.append(text)
                print_note(f"remark: {text}")

        warnings.showwarning = show
        yield texts


def cut(text: str, longest: int = LONGEST_NAME) -> str:
    """The text without its middle, if it has more than ``longest`` letters."""
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4]}…{text[-longest // 4 :]}"
