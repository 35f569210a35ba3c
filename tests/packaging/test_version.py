"""The version is written in pyproject.toml; whoever else has one says the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import release_check
from tools.release_check import ROOT, check_tag, declared_version


def test_the_citation_has_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [declared_version()]


def test_the_changelog_has_the_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## (\S+)", changes, re.MULTILINE)
    assert first is not None
    assert first[1] == declared_version()


def test_npm_has_none() -> None:
    """The front-end is never published on its own."""
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert package["private"] is True
    assert all("version" not in part for part in (package, lock, lock["packages"][""]))


@pytest.fixture
def changelog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts another changelog in the place of ours."""
    monkeypatch.setattr(release_check, "ROOT", tmp_path)

    def write(heading: str) -> None:
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n", encoding="utf-8")

    return write


def test_a_tag_that_may_be_released(changelog: Callable[[str], None]) -> None:
    changelog("## 1.2.3 (2026-01-31)")
    check_tag("v1.2.3", "1.2.3")


@pytest.mark.parametrize(
    "tag, heading, says",
    [
        ("v1.2.4", "## 1.2.3 (2026-01-31)", "the tag is v1.2.4, but pyproject.toml says 1.2.3"),
        ("1.2.3", "## 1.2.3 (2026-01-31)", "expected v1.2.3"),
        ("v1.2.3", "## 1.2.3 (unreleased)", "no heading '## 1.2.3' with the day"),
        ("v1.2.3", "## 1.2.2 (2026-01-31)", "no heading '## 1.2.3' with the day"),
    ],
)
def test_a_tag_that_may_not(
    changelog: Callable[[str], None], tag: str, heading: str, says: str
) -> None:
    changelog(heading)
    with pytest.raises(SystemExit, match=re.escape(says)):
        check_tag(tag, "1.2.3")
