"""The recipes for apps, as docs/where.md prints them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tests.docs.examples import Block, blocks

PAGE = Path(__file__).parents[2] / "docs" / "where.md"


@dataclass(frozen=True)
class Recipe:
    """What a person pastes into a file, and types."""

    code: str
    #: Commands, without those that install.
    commands: tuple[tuple[str, ...], ...]


def recipe(heading: str) -> Recipe:
    """Return the recipe below a heading such as "### Voila"."""
    found = _below(heading)
    (code,) = (block.text for block in found if block.language == "python")
    lines = [line for block in found if block.language == "sh" for line in block.text.splitlines()]
    commands = (tuple(shlex.split(line)) for line in lines if not line.startswith("pip "))
    return Recipe(code, tuple(commands))


def line_of(row: str) -> str:
    """Return the line of Python in a row of a table, such as the row "a PyTorch module"."""
    (cells,) = (
        line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {row} |")
    )
    (line,) = re.findall(r"`(lambda .*?|cursor\..*?)`", cells)
    return str(line)


def _below(heading: str) -> list[Block]:
    """Return the blocks from a heading to the next one."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = lines.index(heading) + 1
    rest = takewhile(lambda line: line.split(" ")[0] not in {"##", "###"}, lines[first:])
    last = first + sum(1 for _ in rest)
    return [block for block in blocks(PAGE) if first < block.line <= last]
