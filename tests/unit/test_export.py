"""The self-contained page and the command line."""

from __future__ import annotations

import csv
import errno
import html
import json
import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import imd_widget as imd
from imd_widget.__main__ import main
from imd_widget._base import static_files
from imd_widget._base.plain import to_json
from imd_widget.comparison.rows import page
from imd_widget.comparison.summary import headline
from imd_widget.export.html_rows import choose, rows_of_page
from imd_widget.export.markdown import cell
from imd_widget.export.plain_html import rule_tables
from imd_widget.rules.rule import RuleSet
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from tests.unit.example_views import EXAMPLES

HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def d() -> imd.ModelDiff:
    X = pd.DataFrame({HOSTILE: np.arange(200.0), "b": np.arange(200) % 9})
    y1 = np.where(X[HOSTILE] < 100, HOSTILE, "b")
    y2 = np.where(X[HOSTILE] < 120, HOSTILE, "b")
    return imd.diff(y1, y2, X, names=(HOSTILE, "new"))


def noisy_diff() -> imd.ModelDiff:
    """Differences that no rule tells exactly, so that there is something to refine."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(400, 2)), columns=["a", "b"], index=range(1000, 1400))
    y1 = X["a"] > 0.48
    y2 = (X["a"] + X["b"] / 2 > 0.7) ^ (rng.random(400) < 0.05)
    options: Any = {"method": "imd", "max_depth": 3, "measure": "holdout"}
    return imd.diff(y1, y2, X, names=("old", "new"), **options)


def held_by(path: Path) -> dict[str, Any]:
    """What a page brings along."""
    page = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="imd-data">(.*?)</script>', page, re.S)
    assert data is not None
    return dict(json.loads(data[1]))


def test_without_a_path_the_page_is_returned(d: imd.ModelDiff, tmp_path: Path) -> None:
    options: dict[str, Any] = {"refinements": 1, "rows": 5}
    written = d.to_html(tmp_path / "page.html", **options).read_text(encoding="utf-8")
    assert d.to_html(**options) == written


def test_the_page_holds_the_view_and_no_address(d: imd.ModelDiff, tmp_path: Path) -> None:
    path = d.to_html(tmp_path / "deep" / "page.html")
    page = path.read_text(encoding="utf-8")
    (view,) = held_by(path)["steps"]
    expected = to_json(packed(view_of(d)))
    without_rows = {"rows", "csv", "histograms", "stability", "alternatives", "cohort", "explain"}
    without_rows |= {"interactions", "map", "what_if", "smallest_change"}
    assert view.pop("lacks").keys() == {"change", "save", "refine", *without_rows}
    assert view.pop("refinement") == expected.pop("refinement") | {"prepared": 0}
    assert expected.pop("lacks") == {}
    assert view == expected
    assert HOSTILE not in page
    assert not re.search(r"""(src|href)\s*=\s*["']?https?:""", page)


def test_a_page_holds_refinement_steps(tmp_path: Path) -> None:
    d = noisy_diff()
    steps = held_by(d.to_html(tmp_path / "page.html", refinements=2))["steps"]
    assert [step["refinement"]["prepared"] for step in steps] == [2, 2, 2]
    assert [step["refinement"]["steps"] for step in steps] == [0, 1, 2]
    for number, step in enumerate(steps):
        assert step["rules"] == to_json(packed(view_of(d.refine(number))).rules)
        assert step["refinement"]["undoable"] == (number > 0)
    assert "No further step" in steps[-1]["lacks"]["refine"]
    assert "2 refinement steps" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_page_that_is_saved_after_refining_leads_back(tmp_path: Path) -> None:
    w = imd.show(noisy_diff())
    w.refine()
    held = held_by(w.save(tmp_path / "page.html", refinements=1))
    assert (held["at"], len(held["steps"])) == (1, 3)
    assert held["steps"][0]["rules"] == to_json(packed(view_of(noisy_diff())).rules)
    w.change(max_depth=2)
    assert held_by(w.save(tmp_path / "page.html", refinements=0))["at"] == 0


def test_the_way_back_of_a_page_is_no_longer_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = imd.show(noisy_diff())
    for _ in range(3):
        w.refine()
    path = tmp_path / "page.html"
    whole = held_by(w.save(path, refinements=0))
    assert [step["refinement"]["steps"] for step in whole["steps"]] == [0, 1, 2, 3]
    last = len(json.dumps(whole["steps"][2]))
    monkeypatch.setattr("imd_widget.export.html.MOST_HISTORY", last + 500)
    held = held_by(w.save(path, refinements=0))
    assert [step["refinement"]["steps"] for step in held["steps"]] == [2, 3]
    assert (held["at"], held["steps"][0]["refinement"]["undoable"]) == (1, False)
    assert "and 1 refinement step:" in path.read_text(encoding="utf-8")
    monkeypatch.setattr("imd_widget.export.html.MOST_HISTORY", 0)
    held = held_by(w.save(path, refinements=0))
    assert (held["at"], len(held["steps"])) == (0, 1)


def test_a_page_holds_no_row_unless_it_is_asked_to(tmp_path: Path) -> None:
    d = noisy_diff()
    without = d.to_html(tmp_path / "without.html")
    assert held_by(without)["rows"] is None
    assert "contains no rows of the table" in without.read_text(encoding="utf-8")
    some = d.to_html(tmp_path / "some.html", rows=50, refinements=1)
    assert "contains 50 of the 400 rows" in some.read_text(encoding="utf-8")
    rows = held_by(some)["rows"]
    assert rows["columns"] == ["old", "new", "a", "b"]
    assert (rows["total"], rows["lead"], len(rows["leaves"])) == (400, 2, 2)
    for place, position in enumerate(rows["positions"]):
        trace = d.trace(position)
        assert rows["labels"][place] == str(1000 + position)
        assert tuple(rows["said"][place]) == trace.said
        assert rows["differs"][place] == d.differs[position]
        for step, leaves in enumerate(rows["leaves"]):
            assert set(leaves[place]) <= set(d.refine(step).trace(position).nodes)
    every = d.to_html(tmp_path / "all.html", rows=10_000)
    assert "contains all 400 rows" in every.read_text(encoding="utf-8")
    assert len(held_by(every)["rows"]["positions"]) == 400


def test_a_traced_row_is_in_a_page_only_with_its_rows(tmp_path: Path) -> None:
    w = imd.show(noisy_diff())
    w.trace(5)
    assert held_by(w.save(tmp_path / "page.html"))["traced"] is None
    assert '"1005"' not in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert held_by(w.save(tmp_path / "page.html", rows=400))["traced"]["label"] == "1005"


def test_a_page_of_a_refined_diff_counts_on(tmp_path: Path) -> None:
    steps = held_by(noisy_diff().refine().to_html(tmp_path / "page.html", refinements=1))["steps"]
    refinements = [step["refinement"] for step in steps]
    assert [(own["steps"], own["prepared"]) for own in refinements] == [(1, 2), (2, 2)]


def test_the_documented_size_of_a_page_is_that_of_the_examples(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    said = re.search(
        r"at most (\w+) rules makes a page of (\d+) to (\d+) kB, of which the front-end is "
        r"(\d+) kB",
        text,
    )
    assert said is not None
    assert said[1] == "six"
    low, high, front_end = (1000 * int(figure) for figure in said.groups()[1:])
    diffs = {name: make() for name, make in EXAMPLES.items()}
    sizes = {
        name: d.save(tmp_path / f"{name}.html").stat().st_size
        for name, d in diffs.items()
        if len(d.rules) <= 6
    }
    assert len(sizes) >= 10
    assert low <= min(sizes.values()) <= 1.1 * low
    assert high / 1.2 <= max(sizes.values()) <= high
    bundle = sum(len(static_files.static_text(f"standalone.{end}")) for end in ("js", "css"))
    assert bundle == pytest.approx(front_end, rel=0.03)


@pytest.mark.parametrize("descending", [False, True])
def test_rows_of_a_page_are_ordered_as_the_kernel_does(descending: bool) -> None:
    rng = np.random.default_rng(0)
    n = 60
    order = ["lo", "mid", "hi"]
    X = pd.DataFrame(
        {
            "near": 1_234_567 + rng.permutation(n) / 100,
            "wide": rng.choice([-np.inf, -3.0, 0.0, np.inf, np.nan], n),
            "ordered": pd.Categorical(rng.choice(order, n), categories=order, ordered=True),
            "late": pd.to_timedelta(rng.integers(0, 20, n), unit="D"),
            "text": rng.choice(["missing", "", "b", "10", "9"], n),
            "mixed": pd.Series([1, "a", None, 2.5] * (n // 4), dtype=object),
        }
    )
    d = imd.diff(X["near"] > 1_234_567.3, X["near"] > 1_234_567.4, X, names=("old", "new"))
    rows = rows_of_page([d], n)
    everywhere = np.ones(n, dtype=bool)
    for column in range(len(rows.columns)):
        rank = np.array(rows.ranks[column], dtype=float)
        rank = np.where(rank < 0, np.inf, -rank if descending else rank)
        expected = page(d, everywhere, (), 0, n, (column, descending)).positions
        assert np.argsort(rank, kind="stable").tolist() == list(expected)


def test_the_rows_of_a_page_show_every_rule() -> None:
    """Five rows of each rule at least; where that is too many, one after the other in turn."""
    d = noisy_diff()
    assert len(d.rules) > 2
    inside = [rule.mask(d.table) for rule in d.rules]
    for count, least in ((4, 1), (9, 2), (19, 4), (20, 5), (60, 5), (399, 5)):
        chosen = choose(d, count)
        assert len(set(chosen.tolist())) == len(chosen) == count
        assert all(mask[chosen].sum() >= least for mask in inside)
        assert (~d.rules.mask(d.table))[chosen].sum() >= least
    # each rule is larger than the page has room for, yet rows that do not differ are shown too
    half = choose(d, 200)
    for rule, mask in zip(d.rules, inside, strict=True):
        shown = d.differs[half[mask[half]]]
        assert shown.mean() == pytest.approx(d.differs[mask].mean(), abs=1 / len(shown))
        assert 0 < rule.differing < rule.support
    assert len(set(choose(d, 10_000).tolist())) == 400


@pytest.mark.parametrize(
    "options, message",
    [
        ({"rows": -1}, "rows=-1"),
        ({"rows": 2.5}, "rows=2.5"),
        ({"refinements": 99}, "refinements=99"),
        ({"refinements": "x"}, "refinements='x'"),
    ],
)
def test_bad_options_of_a_page(
    d: imd.ModelDiff, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(imd.InputError, match=re.escape(message)):
        d.to_html(tmp_path / "page.html", **options)
    assert list(tmp_path.iterdir()) == []


def test_markdown_keeps_names_as_text(tmp_path: Path) -> None:
    X = pd.DataFrame({"a|b *x* <i>": np.arange(100.0)})
    d = imd.diff(X.iloc[:, 0] < 50, X.iloc[:, 0] < 40, X, names=("o|d", "new\nline"))
    text = d.save(tmp_path / "diff.md").read_text(encoding="utf-8")
    assert "o\\|d and new line disagree on " in text
    assert not re.search(r"(?<!\\)<i", text)
    assert "a\\|b \\*x\\* \\<i\\>" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(d.rules)
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1


MARKDOWN = (
    *("@octocat", "@org/team", "(@octocat)", "me@example.org", "mailto:me@example.org"),
    *("#1", "GH-1", "gh-12", "octo/repo#1", "octo#1", "GHSA-aaaa-bbbb-cccc", "CVE-2020-1234"),
    *("octo/repo@deadbeef", "0123456789abcdef0123456789abcdef01234567", "deadbee"),
    *("http://x.y", "https://x.y/?a=b|c", "HTTP://x.y", "www.x.y", "ftp://x.y", "<https://x.y>"),
    *("[a](https://x.y)", "![a](b.png)", "[a]: b", "[^1]", "<b>", "<script>", "<!-- a", "&copy;"),
    *(
        "&#64;octocat",
        "&commat;octocat",
        "a|b",
        "a\\|b",
        "\\",
        "`",
        "``@a`",
        "`a@b`|",
        "|",
        "||@a|",
    ),
    *("*a*", "_a_", "~~a~~", "$a$", "a$", "$`a`$", ":smile:", ":+1:", ":100:", "> a", ">", "- a"),
    *(
        "+ a",
        "1. a",
        "1) a",
        "-",
        "---",
        "===",
        "# a",
        "    a",
        "a\nb",
        "a\r\n\r\n# b",
        "a  b",
        "~~~",
    ),
    *("a\\@b", "\\@octocat", "'@a'", '"', "{a}", "a\\"),
)


def as_read(markdown: str) -> tuple[str, str, list[Any]]:
    """All that is read, what of it is not code, and the tokens that are more than text."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    inline = [part for token in tokens for part in token.children or ()]
    read = "".join(part.content for part in inline)
    loose = "".join(part.content if part.type != "code_inline" else "\0" for part in inline)
    plain = ("text", "text_special", "code_inline", "softbreak")
    more = [part.type for part in inline if part.type not in plain]
    return read, loose, more + [token.type for token in tokens if "html" in token.type]


def is_active(text: str) -> bool:
    """What GitHub makes links, mentions, formulas or pictures of, wherever it is not code."""
    signs = ("@", "://", "www.", "mailto:", "$", "GHSA-", "CVE-", ":smile:", ":+1:", ":100:")
    found = any(sign.lower() in text.lower() for sign in signs)
    return found or bool(re.search(r"#\d|gh-\d|[0-9a-f]{7}", text, re.IGNORECASE))


def test_half_of_the_hostile_texts_would_be_more_than_text() -> None:
    seen = [is_active(as_read(text)[1]) or bool(as_read(text)[2]) for text in MARKDOWN]
    assert sum(seen) > len(MARKDOWN) / 2


@pytest.mark.parametrize("name", MARKDOWN)
def test_markdown_mentions_nobody_links_nothing_and_stays_a_table(
    name: str, tmp_path: Path
) -> None:
    X = pd.DataFrame({name: np.arange(100.0)})
    labels = np.array([name, f"not {name}"])
    d = imd.diff(
        labels[(X[name] < 50).astype(int)],
        labels[(X[name] < 40).astype(int)],
        X,
        names=(name, f"{name} 2"),
        measure="holdout",
    )
    text = d.save(tmp_path / "diff.md").read_text(encoding="utf-8")
    read, loose, more = as_read(text)
    assert not is_active(loose)
    assert not more
    shown = " ".join(name.split())
    assert f"{shown} and {shown} 2: where they differ" in read
    assert f"{shown} is 40 to 49" in read
    kinds = [token.type for token in MarkdownIt("commonmark").enable("table").parse(text)]
    assert kinds[:6] == [
        *("heading_open", "inline", "heading_close"),
        *("paragraph_open", "inline", "paragraph_close"),
    ]
    assert kinds[6] == "table_open"
    assert kinds[-1] == "table_close"
    # with rows kept aside: their rate, and whether they confirm the rule
    columns = 7 if d.metrics.on_holdout else 5
    assert kinds.count("th_open") == columns
    assert kinds.count("td_open") == columns * len(d.rules)


@settings(deadline=None)
@given(st.text(st.sampled_from("ab1 @#|\\`*_~<>[]()!&;:/.$-+='\"\n"), max_size=20))
def test_markdown_is_read_as_it_was_meant(text: str) -> None:
    wanted = " ".join(text.split())
    for markdown in (
        f"# {cell(text)}",
        cell(text),
        f"| a | b |\n|---|---|\n| {cell(text)} | c |",
    ):
        read, loose, more = as_read(markdown)
        in_table = markdown.startswith("| a")
        assert read == (f"ab{wanted}c" if in_table else wanted)
        assert not more
        assert not re.search(r"@|#\d|://|\$", loose)


# --- spreadsheets ---------------------------------------------------------------------------------

FORMULAS = (
    *("=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1", "\n=1"),
    *("＝1+1", "-", "--1", "+-1", "-1e", "=", "-٣"),
)


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_csv_is_a_formula(name: str, tmp_path: Path) -> None:
    X = pd.DataFrame({name: np.arange(100.0)})
    labels = np.array(["ok", name], dtype=object)
    first, second = (labels[(X[name] < cut).astype(int)] for cut in (50, 40))
    path = imd.diff(first, second, X).save(tmp_path / "diff.csv")
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 2
    for value in lines[1]:
        assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", value)
    where, *said = lines[1][:3]
    assert "'" + name.replace("\r", "\n") in said
    assert where.endswith(" is 40 to 49")
    assert where.startswith("'")


def test_a_rule_that_begins_with_a_negative_number_is_text_too(tmp_path: Path) -> None:
    X = pd.DataFrame({"x": np.linspace(-1, 1, 200)})
    d = imd.diff(X["x"] < -0.5, X["x"] < 0.5, X)
    frame = pd.read_csv(d.save(tmp_path / "diff.csv"))
    assert d.rules.to_frame()["rule"][0].startswith("-0.5")
    assert frame["rule"][0] == "'" + d.rules.to_frame()["rule"][0]


@pytest.mark.parametrize(
    "labels", [(-0.5, 0.5), (-1, 1), ("-1", "+1"), ("-1e-5", "-.5"), (True, False)]
)
def test_numbers_in_a_csv_stay_numbers(labels: tuple[Any, Any], tmp_path: Path) -> None:
    X = pd.DataFrame({"x": np.arange(100.0)})
    both = np.array(labels)
    d = imd.diff(both[(X["x"] < 50) * 1], both[(X["x"] < 40) * 1], X)
    frame = pd.read_csv(d.save(tmp_path / "diff.csv"), dtype=str)
    assert {frame["m1"][0], frame["m2"][0]} == set(map(str, labels))


def test_dates_in_a_csv_stay_dates(tmp_path: Path) -> None:
    X = pd.DataFrame({"x": np.arange(100.0)})
    both = np.array([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")], dtype=object)
    d = imd.diff(both[(X["x"] < 50) * 1], both[(X["x"] < 40) * 1], X)
    d.save(tmp_path / "diff.csv")
    assert "x is 40 to 49,2021-01-01,2020-01-01," in (tmp_path / "diff.csv").read_text()


# --- files that are there as a whole --------------------------------------------------------------


def test_permissions_and_links_are_kept(d: imd.ModelDiff, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    real = d.save(folder / "real.md")
    expected = real.read_bytes()
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(real)
    d.save(link)
    assert link.is_symlink()
    assert real.read_bytes() == expected
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling.md"
    dangling.symlink_to(folder / "later.md")
    d.save(dangling)
    assert (folder / "later.md").read_bytes() == expected


def test_a_new_file_has_the_permissions_of_any_other(d: imd.ModelDiff, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"")
    path = d.save(tmp_path / "diff.md")
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_file_that_is_read_only_is_not_replaced(
    d: imd.ModelDiff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = d.save(tmp_path / "diff.md")
    old = path.read_bytes()

    def refused(path: Path, _: bytes) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    # root may write to any file, so it is played
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(Path, "write_bytes", refused)
    with pytest.raises(PermissionError, match=re.escape(str(path))):
        d.change(max_depth=1).save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_what_cannot_be_replaced_is_written_to(d: imd.ModelDiff, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit(pipe.read_bytes)
        d.save(pipe)
        expected = d.save(tmp_path / "diff.md").read_bytes()
        assert read.result(10) == expected
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    d.to_html("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("broken", ["replace", "open"])
def test_where_no_file_can_be_put_beside_it_it_is_written_to(
    broken: str, d: imd.ModelDiff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "diff.md"
    expected = d.save(path).read_bytes()
    path.write_bytes(b"old")
    node = path.stat().st_ino

    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    with monkeypatch.context() as patch:
        patch.setattr(*((Path, "replace") if broken == "replace" else (os, "open")), refused)
        d.save(path)
    assert (path.read_bytes(), path.stat().st_ino) == (expected, node)
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_takes_no_file_is_named_in_the_error(
    d: imd.ModelDiff, tmp_path: Path
) -> None:
    path = tmp_path / ("n" * 300 + ".md")
    with pytest.raises(OSError, match="name too long") as caught:
        d.save(path)
    assert caught.value.filename == str(path)


def test_a_missing_bundle_says_how_to_build_it(
    d: imd.ModelDiff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_files, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match="make build"):
        d.to_html(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "-o", str(tmp_path / "demo.html")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("LR and RF disagree on ")
    assert re.search(r"^  0\. .*: LR \w+ -> RF \w+ \(\d+ of \d+ rows differ", printed, re.M)
    assert str(tmp_path / "demo.html") in printed
    assert (tmp_path / "demo.html").stat().st_size > 50_000


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "demo" in capsys.readouterr().err


def test_the_core_loads_without_notebook_or_plots() -> None:
    code = (
        "import sys, imd_widget as imd; imd.diff([0, 1], [1, 1], [[1], [2]]);"
        "heavy = {'anywidget', 'ipywidgets', 'matplotlib', 'IPython'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'shwo'"):
        _ = imd.shwo
    assert all(hasattr(imd, name) for name in imd.__all__)


def test_a_page_without_javascript_has_the_bar_the_rules_and_the_tree(tmp_path: Path) -> None:
    d = EXAMPLES["judged"]()
    text = d.save(tmp_path / "d.html").read_text(encoding="utf-8")
    plain = text[text.index("<noscript>") : text.index("</noscript>")]
    parts = headline(d).bar
    for part in parts:
        assert html.escape(part.text) in plain
    widths = re.findall(r'class="imd-plain-\w+" x="[\d.]+" y="0" width="([\d.]+)"', plain)
    assert [float(width) / 1000 for width in widths] == pytest.approx(
        [part.length for part in parts], abs=1e-3
    )
    for rule in d.rules:
        assert html.escape(rule.title.text(arrow="→")) in plain
    assert html.escape(d.tree.to_text(names=d.names)) in plain
    assert f"|-- {html.escape(d.names[0])}: " in plain
    assert "|-- m1" not in plain
    assert plain.index("<h1>") < plain.index("with JavaScript, which is switched off") < 200
    truth = headline(d).truth
    assert truth is not None
    assert plain.count(html.escape(f"With y: {truth.text}, {truth.net}")) == 2
    bars = re.findall(r'class="imd-plain-(?:breaks|fixes)" x="[\d.]+" width="([\d.]+)"', plain)
    most = max(truth.breaks, truth.fixes)
    assert [float(width) for width in bars] == pytest.approx(
        [500 * truth.breaks / most, 500 * truth.fixes / most], abs=0.1
    )
    # the policy of the page forbids inline styles
    assert "style=" not in plain


@pytest.mark.parametrize("rows, differing, text", [(8, 4, "4 of 8"), (33, 7, "21 % of 33")])
def test_a_page_without_javascript_has_the_held_out_rows_of_a_rule(
    rows: int, differing: int, text: str
) -> None:
    d = EXAMPLES["judged"]()
    rate = differing / rows
    counted = {"holdout_support": rows, "holdout_differing": differing, "measured_rate": rate}
    rule = replace(d.rules[0], **counted)
    one = replace(d, rules=RuleSet((rule,), d.names))
    cell = f'<td data-name="on rows not used to fit">{text} held-out rows</td>'
    assert cell in rule_tables(one)
