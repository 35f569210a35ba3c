"""Secrets of single rows are planted wherever a table is passed, and looked for in every export.

A file may name what the tree or a rule names: columns, thresholds, categories, labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.__main__ import main
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.export.formats import formats_of
from imd_widget.rules.tree_record import PlottableTree

#: Columns with a secret in each row are columns that rules have no use for.
pytestmark = pytest.mark.filterwarnings("ignore:the column:imd_widget.InputWarning")

N = 240
RNG = np.random.default_rng(26)


def texts(kind: str) -> list[str]:
    """A text for each row, which nothing else holds."""
    return [f"{kind}-{number:06d}-x" for number in RNG.permutation(10**6)[:N]]


def numbers(scale: float) -> NDArray[np.float64]:
    """Numbers of nine digits from ``scale`` to nine times ``scale``."""
    return np.array([float(f"{value:.9g}") for value in RNG.uniform(scale, 9 * scale, N)])


#: What every column and argument holds is in the names of these.
TEXTS = {name: texts(name) for name in ("ssn", "mail", "left-out", "index", "group", "by", "rare")}
NUMBERS = {
    "pay": numbers(10_000),
    "left-out": numbers(1_000_000),
    "first": numbers(100),
    "y": numbers(100_000),
    "weight": numbers(1),
}
BORN = pd.Timestamp("1940-01-01") + pd.to_timedelta(RNG.integers(0, 2 * 10**9, N), unit="s")
SECOND = np.where(np.arange(N) % 3 == 0, NUMBERS["first"] + 70 + numbers(1), NUMBERS["first"])


def table() -> pd.DataFrame:
    job = RNG.choice(["cook", "nurse", "judge"], N).astype(object)
    job[:3] = TEXTS["rare"][:3]
    return pd.DataFrame(
        {
            "age": 20 + RNG.integers(0, 50, N),
            "third": np.arange(N) % 3,
            "job": job,
            "pay": NUMBERS["pay"],
            "born": BORN,
            "ssn": TEXTS["ssn"],
            "mail": TEXTS["mail"],
            "left_out": TEXTS["left-out"],
            "left_out_number": NUMBERS["left-out"],
        },
        index=TEXTS["index"],
    )


X = table()
KEPT = ["age", "third", "job", "pay", "born", "ssn", "mail"]


def richer(limit: float) -> Callable[[pd.DataFrame], Any]:
    def model(rows: pd.DataFrame) -> Any:
        days = (pd.Timestamp("2020-01-01") - rows["born"]).dt.days
        return (rows["age"] * 800 + rows["pay"] + days / 10 > limit).astype(int)

    return model


def value(share: float) -> Callable[[pd.DataFrame], Any]:
    def model(rows: pd.DataFrame) -> Any:
        return rows["pay"] / 1000 + share * rows["age"] * (rows["job"] == "cook")

    return model


def classes(**options: Any) -> imd.ModelDiff:
    return imd.diff(richer(80_000), richer(90_000), X, names=("old", "new"), **options)


DIFFS: dict[str, Callable[[], imd.ModelDiff]] = {
    "classes": classes,
    "columns": lambda: classes(columns=KEPT[:5]),
    "by a column of names": lambda: classes(by="mail"),
    "by another array": lambda: classes(by=pd.Series(TEXTS["by"], index=X.index)),
    "groups": lambda: classes(groups=TEXTS["group"]),
    "weights": lambda: classes(sample_weight=NUMBERS["weight"]),
    "given": lambda: classes(given="m1"),
    "imd": lambda: classes(method="imd"),
    "direct": lambda: classes(method="direct"),
    "truth": lambda: classes(y=(NUMBERS["y"] > 500_000).astype(int)),
    "cross-fitting": lambda: classes(measure="cv"),
    "a table kept aside": lambda: classes(holdout=X.iloc[::4]),
    "values": lambda: imd.diff(value(0.0), value(0.3), X, outputs="value"),
    "values of a truth": lambda: imd.diff(
        NUMBERS["first"], SECOND, X, outputs="value", y=NUMBERS["y"], columns=KEPT
    ),
}

#: Diffs whose models are explained in a page.
EXPLAINED = ("classes", "columns", "by a column of names", "weights", "values", "values of a truth")


@dataclass(frozen=True)
class Found:
    """A secret in a file: where it was planted, and what it is."""

    planted: str
    secret: Any


def named_by(*diffs: imd.ModelDiff) -> str:
    """All that the trees and the rules of some diffs name."""
    views = [d.to_dict() for d in diffs]
    rules = [view["conditions"] for view in views]
    nodes = [node["condition"] for view in views for node in view["nodes"]]
    return json.dumps([rules, nodes], ensure_ascii=False)


def found_in(content: bytes, path: Path, allowed: str = "") -> list[Found]:
    """Every secret that a file holds, as text, or as a number to six digits."""
    return [one for one in _found(content, path) if str(one.secret) not in allowed]


def _found(content: bytes, path: Path) -> list[Found]:
    text = content.decode("utf-8", errors="replace")
    if path.suffix == ".html":  # without the script of the front-end
        text = text.split("<body>")[1].split("<script>")[0]
    told = [
        Found(name, secret)
        for name, own in {**TEXTS, "born": [str(one) for one in BORN]}.items()
        for secret in own
        if secret in text
    ]
    told += [
        Found("day of birth", day)
        for day in {one.date().isoformat() for one in BORN}
        if path.suffix == ".html" and f'"{day}' in text
    ]
    if path.suffix in (".svg", ".png"):  # coordinates are numbers of any size
        text = str(re.findall(r"<!--(.*?)-->|<text[^>]*>(.*?)</text>", text))
    known = np.array(sorted(_numbers(text)))
    for name, own in {**NUMBERS, "second": SECOND}.items():
        for secret in own.tolist():
            place = np.searchsorted(known, secret * (1 - 5e-7))
            if place < len(known) and known[place] <= secret * (1 + 5e-7):
                told.append(Found(name, secret))
    return told


def _numbers(text: str) -> Iterator[float]:
    """Numbers in a text that have five digits at least: shorter ones reveal no secret."""
    for found in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", text):
        if len(re.sub(r"e.*|\D", "", found).strip("0")) >= 5:
            yield float(found.replace(",", ""))


def written_by(save: Callable[..., Path], folder: Path, suffixes: Any, **page: Any) -> list[Path]:
    return [
        save(folder / f"file{suffix}", **(page if suffix == ".html" else {})) for suffix in suffixes
    ]


def test_what_is_planted_is_found(tmp_path: Path) -> None:
    """A page with rows holds them, so that the search of the tests below is known to work."""
    path = classes().save(tmp_path / "rows.html", rows=N)
    planted = {one.planted for one in found_in(path.read_bytes(), path)}
    assert planted >= {"ssn", "mail", "left-out", "index", "rare", "pay", "born", "day of birth"}


@pytest.mark.parametrize("name", DIFFS)
def test_a_file_of_a_diff_holds_no_secret(name: str, tmp_path: Path) -> None:
    d = DIFFS[name]()
    assert d.rules, "a diff without rules would hold nothing"
    allowed = named_by(d, d.refine(1), d.refine(2))
    if name != "weights":  # of so many figures one may be near a number that no diff got
        allowed += str(NUMBERS["weight"].tolist())
    for path in written_by(d.save, tmp_path, formats_of(imd.ModelDiff), refinements=2):
        assert found_in(path.read_bytes(), path, allowed) == [], path.suffix
    again = imd.load(tmp_path / "file.json").save(tmp_path / "again.html")
    assert found_in(again.read_bytes(), again, allowed) == []


@pytest.mark.parametrize("name", EXPLAINED)
def test_an_explained_page_holds_no_secret(name: str, tmp_path: Path) -> None:
    d = DIFFS[name]()
    path = d.save(tmp_path / "why.html", explain=True, refinements=1)
    content = path.read_bytes()
    assert b'"why": {"answers": [{' in content
    assert found_in(content, path, named_by(d, d.refine(1))) == []


def test_a_page_of_a_widget_holds_no_traced_row(tmp_path: Path) -> None:
    w = imd.show(classes())
    w.trace(5)
    path = w.save(tmp_path / "widget.html", explain=True)
    assert found_in(path.read_bytes(), path) == []


def test_a_file_of_a_comparison_holds_no_secret(tmp_path: Path) -> None:
    models = {"a": richer(80_000), "b": richer(90_000), "c": richer(70_000)}
    c = imd.compare(models, X, y=richer(85_000)(X), by="mail", sample_weight=NUMBERS["weight"])
    formats = formats_of(imd.ModelComparison)
    for path in written_by(c.save, tmp_path, formats, explain=True, refinements=1):
        assert found_in(path.read_bytes(), path) == [], path.suffix


def test_a_file_of_one_tree_holds_no_secret(tmp_path: Path) -> None:
    tree = imd.surrogate(value(0.3), X[KEPT], outputs="value")
    for path in written_by(tree.save, tmp_path, formats_of(PlottableTree)):
        assert found_in(path.read_bytes(), path) == [], path.suffix


def test_a_report_of_the_command_line_holds_no_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {"old": richer(80_000)(X), "new": richer(90_000)(X)}
    X.assign(**columns, weight=NUMBERS["weight"], unit=TEXTS["group"]).to_csv(
        tmp_path / "data.csv", index_label="label"
    )
    options = (
        *("diff", str(tmp_path / "data.csv"), "--m1", "old", "--m2", "new"),
        *("--weight", "weight", "--groups", "unit", "--by", "mail", "--json"),
    )
    files = [tmp_path / f"file{suffix}" for suffix in formats_of(imd.ModelDiff)]
    for output in files:
        options = (*options, "-o", str(output))
    assert main(options) == 0
    said = capsys.readouterr()
    report = tmp_path / "report.json"
    report.write_text(json.dumps([json.loads(said.out), said.err]))
    for path in (report, *files):
        assert found_in(path.read_bytes(), path) == [], path.name


def test_small_groups_have_no_name_in_files(tmp_path: Path) -> None:
    town = np.where(np.arange(N) < 150, "Aachen", "Bonn").astype(object)
    town[: FEWEST_SHARED - 1] = "Hamlet"
    d = classes(by=town)
    assert set(d.by.index) == {"Aachen", "Bonn", "Hamlet"}
    assert "Hamlet" in json.dumps(d.to_dict()["by"])
    plain = json.loads(d.save(tmp_path / "by.json").read_text())["by"]
    names = {group["value"] for group in plain["groups"]}
    assert names == {"Aachen", "Bonn", "small group 1"}
    assert imd.load(tmp_path / "by.json").by["rows"].sum() == N
    assert "Hamlet" not in d.save(tmp_path / "by.html").read_text(encoding="utf-8")
