"""What is said on the two streams, and Python's words in those of the command line."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from imd_widget._base.errors import InputError, InputWarning

#: Letters of a line that is printed, and of a name or a value in a message, at most.
LONGEST_LINE, LONGEST_NAME = 4_000, 80

_QUOTED = r"""(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+")"""
_LISTED = rf"{_QUOTED}(?:,\ {_QUOTED})*+"
_OPTIONS = (
    *("method", "max_depth", "max_rules", "sensitivity", "outputs", "tolerance"),
    *("pos_label", "test_size", "random_state", "names", "refinements", "rows"),
)
#: Whatever of a message is said otherwise here. A quoted name or label stays what it is.
_WORDS = re.compile(
    rf"""
    X\.drop\(columns=\[?(?P<drop>{_LISTED})\]?\)
    |\b(?P<option>{"|".join(_OPTIONS)})
      =(?:\((?P<values>{_LISTED})\)|(?P<value>{_QUOTED}|\.\.\.|[\w+-]++(?:\.\w+)?|)(?!\())
    |(?<!\w)(?P<quoted>{_QUOTED})(?!\w)
    |\b(?P<bare>{"|".join(option for option in _OPTIONS if "_" in option)}|sample_weight)\b
    |(?<![\w.=-])(?P<role>m1|m2|y)\b(?!=|\(|\[|\.\w)
    |\brow[ ](?P<row>\d[\d,]*+)
    """,
    re.VERBOSE | re.DOTALL,
)
#: An option of which a headline speaks: ``tolerance= sets``, ``outputs="value" compares``.
_ADVISED = re.compile(rf"\b({'|'.join(_OPTIONS)})=({_QUOTED}|(?=\s))")
_CALL = r"[\w.]+\((?:[^()]|\([^()]*\))*\)(?:\.\w+\(\))*(?:\ >\ [\d.]+)?"
#: Advice for people who write Python, and what it comes to for those who have a file.
_ADVICE = (
    (re.compile(rf"(?:,\ for\ example|[:,])\ (?:m1|m2|y)(?:=(?:lambda\ X:\ )?|\.){_CALL}"), ""),
    (
        re.compile("by a function that bins the numbers"),
        "a column of labels made from the numbers",
    ),
    (re.compile("pass functions that bin the outputs"), "make columns with fewer labels of them"),
    (re.compile("pass the truth as y"), "name the column of the truth with --y"),
    (re.compile(r"\bX holds\b"), "the file has"),
    (re.compile(r"\bout of X\b"), "out of the file"),
)
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
    return _cut(repr(name))


@contextmanager
def remarks(by_columns: bool = False) -> Iterator[list[str]]:
    """Warnings that are meant for the user as one line each on stderr; the list has their texts."""
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
            if not issubclass(category, InputWarning):
                elsewhere(message, category, filename, lineno, file, line)
                return
            text = in_options(str(message), by_columns)
            if text not in told:
                told.append(text)
                tell(f"remark: {text}")

        warnings.showwarning = show
        yield told


@contextmanager
def own_words(by_columns: bool = False) -> Iterator[None]:
    """What the library has against its arguments, said of the options of the command."""
    try:
        yield
    except InputError as error:
        raise InputError(in_options(str(error), by_columns)) from error


def in_options(text: str, by_columns: bool = False) -> str:
    """What the library says about its arguments, said of the options of the command.

    With ``by_columns`` the columns were chosen by ``--columns``, beside which there is no
    ``--drop``. Rows, which Python counts from 0, are counted from 1.
    """
    for advice, instead in _ADVICE:
        text = advice.sub(instead, text)

    def word(found: re.Match[str]) -> str:
        if found["drop"]:
            return f"{'--columns without' if by_columns else '--drop'} {_typed(found['drop'])}"
        if found["option"]:
            values = found["values"] or found["value"]
            typed = _typed(values) if values[:1] in ("'", '"') else values
            return f"{_option(found['option'])} {typed}".rstrip()
        if found["row"]:
            return f"row {int(found['row'].replace(',', '')) + 1:,}"
        if found["quoted"]:
            return _cut(found["quoted"])
        return _option(found["bare"] or found["role"])

    return _WORDS.sub(word, text)


def headline_in_options(text: str) -> str:
    """The same of a headline, which has names without quotes, and they may be m1 and y."""
    return _ADVISED.sub(lambda found: f"{_option(found[1])} {_typed(found[2])}".rstrip(), text)


def _option(name: str) -> str:
    return "--weight" if name == "sample_weight" else f"--{name.replace('_', '-')}"


def _typed(literals: str) -> str:
    """Texts as Python writes them, as they are typed at a prompt."""
    return " ".join(shlex.quote(str(text)) for text in ast.literal_eval(f"[{literals}]"))


def _cut(literal: str) -> str:
    if len(literal) <= LONGEST_NAME:
        return literal
    return f"{literal[: LONGEST_NAME * 3 // 4]}…{literal[-LONGEST_NAME // 4 :]}"
