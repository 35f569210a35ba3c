"""Find the examples of Markdown pages and docstrings, run them in order and compare outputs."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^ *(`{3,})\s*([^\s`]*)[^`]*$")
#: A block that is not run has the reason in a hidden comment before it.
NOT_RUN = re.compile(r"<!-- not run: .+ -->")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of its fence, from 1."""

    language: str
    text: str
    line: int
    run: bool


def blocks(page: Path) -> Iterator[Block]:
    """Return the fenced blocks of a Markdown page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening:
            fence = opening[1]
            end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == fence)
            before = next((line for line in reversed(lines[:at]) if line.strip()), "")
            text = "\n".join(lines[at + 1 : end]) + "\n"
            prompts = opening[2] == "python" and text.lstrip().startswith(">>> ")
            language = "pycon" if prompts else opening[2]
            yield Block(language, text, at + 1, run=not NOT_RUN.search(before))
            at = end
        at += 1


def run_page(page: Path, names: dict[str, Any]) -> None:
    """Run the examples of a page; they share one namespace."""
    failures: list[str] = []
    for block in blocks(page):
        if not block.run:
            continue
        where = f"{page.name}, line {block.line}"
        if block.language == "pycon":
            examples = doctest.DocTestParser().get_doctest(
                block.text, names, page.name, str(page), block.line
            )
            failures += run_doctest(examples)
            names.update(examples.globs)
        elif block.language == "python":
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        elif block.language == "console":
            failures += run_commands(block.text, where)
    assert not failures, "\n".join(["", *failures])


def run_doctest(examples: doctest.DocTest) -> list[str]:
    """Run them and return the failures."""
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples, out=failures.append, clear_globs=False)
    return failures


def run_commands(text: str, where: str) -> list[str]:
    """Run the lines after ``$`` and return the failures.

    The output is compared only if the page shows one.
    """
    code, failures = 0, []
    for command, shown in re.findall(
        r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, flags=re.MULTILINE
    ):
        done = subprocess.run(
            command.replace("$?", str(code)),
            shell=True,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            },
        )
        code = done.returncode
        same = doctest.OutputChecker().check_output(shown, done.stdout, FLAGS)
        if (shown.strip() and not same) or code not in (0, 1):
            failures.append(f"{where}: $ {command}\nended with {code} and printed\n{done.stdout}")
    return failures
