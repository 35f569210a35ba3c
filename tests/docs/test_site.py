"""The site builds without a warning, needs no network, and has no broken link."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import imd_widget as imd

ROOT = Path(__file__).parents[2]
#: As in the Makefile: every warning and every unknown reference is an error.
STRICT = ("-W", "--keep-going", "-n", "-E", "-q")
#: Attributes that load something; a link in the text does not.
LOADS = {"src", "srcset", "poster", "data", "background"}


@dataclass
class Seen(HTMLParser):
    """What a page loads, its links and its anchors."""

    loaded: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif (name in LOADS and value) or (name == "href" and tag not in {"a", "area"}):
                self.loaded.append(value or "")
            elif name == "href" and value:
                self.linked.append(value)
            elif name == "style" and value:
                self.loaded += re.findall(r"url\(['\"]?([^'\")]+)", value)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built from nothing."""
    built = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", *STRICT, "-b", "html", "docs", str(built)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"the documentation does not build:\n{done.stderr}", pytrace=False)
    return built


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Seen]:
    """Every page, read."""
    found = {}
    for page in sorted(site.rglob("*.html")):
        found[page] = Seen()
        found[page].feed(page.read_text(encoding="utf-8"))
    return found


def test_nothing_is_loaded_from_another_machine(site: Path, pages: dict[Path, Seen]) -> None:
    assert len(pages) > 10
    for page, seen in pages.items():
        for url in seen.loaded:
            parts = urlsplit(url)
            assert parts.scheme in {"", "data"}, f"{page.name} loads {url}"
            assert not parts.netloc, f"{page.name} loads {url}"
    for sheet in site.rglob("*.css"):
        for url in loaded_by_css(sheet.read_text(encoding="utf-8")):
            assert not urlsplit(url).netloc, f"{sheet.name} loads {url}"


def loaded_by_css(text: str) -> Iterator[str]:
    yield from re.findall(r"url\(['\"]?([^'\")]+)", text)
    yield from re.findall(r"@import\s+['\"]([^'\"]+)", text)


def test_loaded_urls_are_found() -> None:
    seen = Seen()
    seen.feed(
        '<script src="https://a.example/x.js"></script><link href="//b.example/x.css">'
        '<p style="background: url(https://c.example/x.png)"><a href="https://d.example">'
    )
    assert [urlsplit(url).netloc for url in seen.loaded] == [
        *("a.example", "b.example", "c.example"),
    ]
    assert list(loaded_by_css("@import 'http://e.example'; a { src: url(http://f.example) }")) == [
        *("http://f.example", "http://e.example"),
    ]


def test_links_inside_the_site_are_not_broken(pages: dict[Path, Seen]) -> None:
    for page, seen in pages.items():
        for url in [*seen.linked, *seen.loaded]:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), f"{page.name} links to {url}, which does not exist"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{page.name}: {url}"


@pytest.mark.parametrize("page", ["method", "local-models"])
def test_every_formula_is_drawn(site: Path, page: str) -> None:
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    assert text.count("<math ") > 20
    assert "merror" not in text
    # the converter writes commands that it does not know as their names
    assert not re.findall(r"<m[ion]>\\\w+</m[ion]>", text)


def test_every_public_name_is_in_the_reference(pages: dict[Path, Seen]) -> None:
    """The build fails otherwise (docs/_ext/public_names.py); this tests the check itself."""
    (reference,) = (
        seen
        for page, seen in pages.items()
        if page.name == "api.html" and "_modules" not in page.parts
    )
    modules = {"imd_widget.datasets", "imd_widget.learners"}
    names = {f"imd_widget.{name}" for name in imd.__all__} - modules
    assert names <= reference.ids


FILES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_links_between_files_work_on_github(file: Path) -> None:
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
    for url in re.findall(r"\]\(([^)\s]+)\)", text):
        parts = urlsplit(url)
        if not parts.scheme and parts.path:
            assert (file.parent / unquote(parts.path)).exists(), f"{file.name} links to {url}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
