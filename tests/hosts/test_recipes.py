"""Every recipe of docs/where.md is run by a test of this folder."""

from __future__ import annotations

from tests.hosts import apps
from tests.hosts.recipes import PAGE


def test_every_recipe_is_run() -> None:
    below = PAGE.read_text(encoding="utf-8").split("\n## Apps\n")[1].split("\n## ")[0]
    parts = below.split("\n### ")[1:]
    headings = {part.splitlines()[0] for part in parts if "```python" in part}
    run = {value.heading for value in vars(apps).values() if isinstance(value, apps.App)}
    assert headings == run
