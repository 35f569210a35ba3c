"""Files of a comparison: JSON that is read back, tables, Markdown, pictures."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from matplotlib.figure import Figure

import imd_widget as imd
from imd_widget.export.json_format.comparison_reading import comparison_of
from imd_widget.export.json_format.comparison_writing import comparison_contents
from imd_widget.plot import draw_matrix
from imd_widget.plot.matrix_figure import _ink_on, _mixed
from imd_widget.views.comparison import comparison_view
from tests.examples import examples
from tests.unit.many_models import Several, several

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["a", "b"])
A = np.where(X["a"] > 0, "yes", "no")
B = np.where(X["a"] > 0.2, "yes", "no")
C = np.where(X["b"] > 0.5, "yes", "no")
MODELS = {"A": A, "B": B, "C": C}


def quiet(**options: Any) -> imd.ModelComparison:
    """A comparison of functions, whose columns are no leaks."""
    models = {name: lambda _, own=own: own for name, own in MODELS.items()}
    return imd.compare(models, X, **options)


@settings(max_examples=examples(25))
@given(case=several())
def test_what_is_read_back_is_what_was_written(case: Several) -> None:
    c = imd.compare(case.models, case.X, **case.options)
    pairs = [(0, 1)]
    plain = comparison_contents(c, pairs)
    again = comparison_of(json.loads(json.dumps(plain, allow_nan=False)))
    assert comparison_contents(again, pairs) == plain
    assert (again.names, again.order, again.summary()) == (c.names, c.order, c.summary())
    assert (again.outputs, again.tolerance, again.n_rows) == (c.outputs, c.tolerance, c.n_rows)
    pd.testing.assert_frame_equal(again.disagreement, c.disagreement)
    pd.testing.assert_frame_equal(again.n_differing, c.n_differing)
    for one, other in ((again.scores, c.scores), (again.fixes, c.fixes)):
        assert (one is None) == (other is None)
        if one is not None:
            pd.testing.assert_frame_equal(one, other)
    assert list(map(str, again[0, 1].rules)) == list(map(str, c[0, 1].rules))
    assert not again.has_rows
    assert comparison_view(again).openable == (None if len(c) == 2 else ((0, 1),))


def test_a_file_holds_the_pairs_that_differ_most(tmp_path: Path) -> None:
    models = MODELS | {"D": C[::-1].copy(), "E": A[::-1].copy()}
    c = imd.compare({name: lambda _, own=own: own for name, own in models.items()}, X)
    again = imd.load(c.save(tmp_path / "c.json"))
    assert isinstance(again, imd.ModelComparison)
    held = {tuple(c.names[at] for at in pair) for pair in again.diffs.stored}
    assert held == set(c.largest(5))
    assert again[c.largest(1)[0]].summary() == c[c.largest(1)[0]].summary()
    first, second = c.largest(10)[-1]
    with pytest.raises(imd.InputError, match=r"neither rows nor models and no diff of .*: .* sav"):
        again[first, second]
    one, two = c.largest(1)[0]
    with pytest.raises(imd.InputError, match=f"only in the other order: c.'{one}', '{two}'"):
        again[two, one]
    with pytest.raises(imd.InputError, match="majority of the models other than 'A' is unknown"):
        again.against_rest("A")
    whole = imd.load(c.save(tmp_path / "all.json", pairs="all"))
    assert len(whole.diffs.stored) == 10
    none = imd.load(c.save(tmp_path / "none.json", pairs=[]))
    with pytest.raises(imd.InputError, match="The file has none"):
        none["A", "B"]
    some = imd.load(c.save(tmp_path / "some.json", pairs=[("C", "A"), (0, 2), ("A", "B")]))
    assert some.diffs.stored == ((0, 2), (0, 1))
    resaved = imd.load(some.save(tmp_path / "again.json"))
    assert set(resaved.diffs.stored) == {(0, 2), (0, 1)}


@pytest.mark.parametrize(
    "pairs, message",
    [
        ("A", r'pairs is \'A\': a list of pairs of models is needed, \[\("A", "B"\)\], or "all"'),
        (3, "pairs is 3: a list of pairs"),
        (["AB"], "pairs holds 'AB': each entry names two models"),
        ([("A", "B", "C")], r"pairs holds \('A', 'B', 'C'\): each entry names two"),
        ([("A", "A")], r"pairs holds \('A', 'A'\): a model does not differ from itself"),
        ([("A", "Z")], "there is no model 'Z'"),
    ],
)
def test_pairs_that_there_are_not(pairs: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(imd.InputError, match=message):
        quiet().save(tmp_path / "c.json", pairs=pairs)


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another format": (lambda p: p.update(format="x"), '"format" is not "imd-widget diff" or "imd'),
    "a newer one": (lambda p: p.update(version=9), "version 9 of the format, written by imd-widg"),
    "no version": (lambda p: p.pop("version"), 'its "version" is None'),
    "no names": (lambda p: p.pop("names"), "it lacks 'names'"),
    "a name twice": (lambda p: p.update(names=["A", "A", "C"]), "names are"),
    "a number for a name": (lambda p: p.update(names=["A", "B", 3]), "names are"),
    "one name": (lambda p: p.update(names=["A"]), "there are 1 names"),
    "a matrix too small": (lambda p: p["rows"].pop(), "rows is not a matrix of 3 by 3 numbers"),
    "a row too short": (lambda p: p["shares"][0].pop(), "shares is not a matrix of 3 by 3"),
    "text in the matrix": (lambda p: p["rows"][0].__setitem__(1, "x"), "rows is not a matrix"),
    "half a row": (lambda p: p["rows"][0].__setitem__(1, 0.5), "rows is not a matrix"),
    "not symmetric": (lambda p: p["rows"][0].__setitem__(1, 199), "rows is not the matrix"),
    "a diagonal": (lambda p: p["shares"][1].__setitem__(1, 0.5), "shares is not the matrix"),
    "more than all": (
        lambda p: p.update(shares=[[0, 2, 2], [2, 0, 2], [2, 2, 0]]),
        "shares is not",
    ),
    "below nothing": (
        lambda p: p.update(shares=[[0, -1, 0], [-1, 0, 0], [0, 0, 0]]),
        "shares holds -1",
    ),
    "no rows at all": (lambda p: p.update(n_rows=0), "n_rows is 0"),
    "an order of others": (lambda p: p.update(order=[0, 1, 7]), "order is"),
    "an order with text": (lambda p: p.update(order=["0", 1, 2]), "order is"),
    "another kind": (lambda p: p.update(outputs="ranking"), "outputs is 'ranking'"),
    "a list for a kind": (lambda p: p.update(outputs=["class"]), "outputs is"),
    "text for weighted": (lambda p: p.update(weighted="no"), "weighted is 'no'"),
    "a score too few": (lambda p: p["scores"]["models"].pop(), "there are 2 scores for 3 models"),
    "a score of text": (lambda p: p["scores"]["models"][0].update(score="x"), "score is 'x'"),
    "fixes of itself": (lambda p: p["scores"]["fixes"][0].__setitem__(0, 1), "fixes is not a"),
    "no fixes": (lambda p: p["scores"].pop("fixes"), "it lacks 'fixes'"),
    "skipped that is not a list": (lambda p: p.update(skipped=3), "skipped is 3"),
    "no diffs": (lambda p: p.pop("diffs"), "it lacks 'diffs'"),
    "a pair of one": (lambda p: p["diffs"][0].update(pair=[1]), "pair is"),
    "a pair in disorder": (lambda p: p["diffs"][0]["pair"].reverse(), "pair is"),
    "a pair of another": (lambda p: p["diffs"][0].update(pair=[0, 9]), "pair is"),
    "the diff of others": (
        lambda p: p["diffs"][0]["diff"].update(names=["x", "y"]),
        "the diff of .* is that of",
    ),
    "a damaged diff": (lambda p: p["diffs"][0]["diff"].pop("rules"), "it lacks 'rules'"),
}


@pytest.fixture(scope="module")
def plain_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("json") / "c.json"
    return quiet(y=B).save(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", BROKEN)
def test_a_damaged_file_is_refused(case: str, plain_text: str, tmp_path: Path) -> None:
    change, message = BROKEN[case]
    plain = json.loads(plain_text)
    change(plain)
    path = tmp_path / "c.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(imd.InputError, match=message):
        imd.load(path)


def test_a_truncated_file_is_refused(plain_text: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for end in range(0, len(plain_text) - 2, len(plain_text) // 40):
        path.write_text(plain_text[:end], encoding="utf-8")
        with pytest.raises(imd.InputError, match="cannot be read: it is not valid JSON"):
            imd.load(path)


def test_unknown_fields_of_later_releases_are_ignored(plain_text: str, tmp_path: Path) -> None:
    plain = json.loads(plain_text) | {"later": 1}
    path = tmp_path / "c.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    assert imd.load(path).names == ("A", "B", "C")


# --- tables ---------------------------------------------------------------------------------------


def test_csv_has_a_line_for_each_pair(tmp_path: Path) -> None:
    c = quiet(y=B)
    assert c.fixes is not None
    frame = pd.read_csv(c.save(tmp_path / "c.csv"))
    assert len(frame) == 3
    assert frame["share"].is_monotonic_decreasing
    for line in frame.itertuples():
        assert line.share == c.disagreement.loc[line.first, line.second]
        assert line.differing == c.n_differing.loc[line.first, line.second]
        assert line.fixes == c.fixes.loc[line.first, line.second]
        assert line.breaks == c.fixes.loc[line.second, line.first]
    assert len(pd.read_csv(c.save(tmp_path / "c.csv", pairs=[("A", "B")]))) == 1


def test_no_name_in_a_csv_is_a_formula(tmp_path: Path) -> None:
    c = imd.compare({"=1+1": A, "B": B}, X[["b"]])
    with c.save(tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["first"] == "'=1+1"


def test_markdown_is_a_table_that_nobody_is_called_in(tmp_path: Path) -> None:
    models = {"@all | <b>x</b>": A, "B *": B, "C": C}
    c = imd.compare({n: lambda _, own=own: own for n, own in models.items()}, X, y=B)
    text = c.save(tmp_path / "c.md", pairs=[("B *", "C")]).read_text(encoding="utf-8")
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<b>" not in html
    assert html.count("<table>") >= 3  # the matrix, what is fixed, the rules of the pair
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert "<strong>100.0 %</strong>" in cells
    share = c.disagreement.loc["B *", "C"]
    assert cells.count(f"{100 * share:.1f} %") == 2
    assert "<h2>B * and C: where they differ</h2>" in html


# --- pictures -------------------------------------------------------------------------------------


def drawn(c: imd.ModelComparison, **options: Any) -> list[str]:
    figure = Figure(figsize=(12, 12))
    ax = draw_matrix(comparison_view(c), figure.add_subplot(), **options)
    return [child.get_text() for child in ax.get_children() if hasattr(child, "get_text")]


def test_the_picture_has_every_number(tmp_path: Path) -> None:
    c = quiet(y=B)
    said = drawn(c)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        share = c.figures.shares[i, j]
        assert said.count(f"{100 * share:.1f}") >= 2
    assert "100.0 %" in said
    assert "diagonal: accuracy, the best in bold" in said
    assert "% of 200 rows on which two models differ" in said
    assert said.count("A") == 2
    svg = c.save(tmp_path / "c.svg").read_text(encoding="utf-8")
    assert "diagonal: accuracy" in svg
    assert c.save(tmp_path / "d.svg").read_bytes() == svg.encode()


def test_models_stand_by_similarity_or_as_given() -> None:
    models = {"A": A, "C": C, "B": B}
    c = imd.compare({n: lambda _, own=own: own for n, own in models.items()}, X)

    def names(said: list[str]) -> list[str]:
        return [text for text in said if text in models][::2]

    assert names(drawn(c)) == list(c.order)
    assert names(drawn(c, order="given")) == ["A", "C", "B"]
    with pytest.raises(imd.InputError, match="order='size': models stand by \"similarity\""):
        c.plot(order="size")  # type: ignore[arg-type]
    with pytest.raises(imd.InputError, match="ax is a int"):
        c.plot(3)


def test_names_are_not_read_as_formulas() -> None:
    c = imd.compare({"$x$": A, "\x07 y": B, "z" * 500: C}, X[["b"]].assign(d=1.0), errors="raise")
    said = drawn(c)
    assert "$x$" in said
    assert max(map(len, said)) < 200


@pytest.mark.parametrize("k", [2, 30])
def test_two_and_thirty_models_can_be_read(k: int) -> None:
    rng = np.random.default_rng(0)
    models = {f"version {at}": rng.integers(0, 2, 200) for at in range(k)}
    c = imd.compare(models, X)
    ax = c.plot()
    try:
        width, height = ax.figure.get_size_inches()
        assert max(width, height) < 20
        ax.figure.canvas.draw()
        sizes = [t.get_fontsize() for t in ax.get_children() if getattr(t, "get_text", str)()]
        assert min(sizes) > 7
    finally:
        mpl.pyplot.close(ax.figure)
    small = Figure(figsize=(2, 2)).add_subplot()
    if k == 30:
        with pytest.warns(
            imd.InputWarning, match="the text of the matrix has .* too small to read"
        ):
            c.plot(small)


@pytest.mark.parametrize("ground", ["#ffffff", "#14171c"])
def test_text_can_be_read_on_every_shade(ground: str) -> None:
    def luminance(color: str) -> float:
        parts = mpl.colors.to_rgb(color)
        light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]

    for part in np.linspace(0, 1, 101):
        fill = _mixed(ground, "#0072b2", part)
        light, dark = sorted((luminance(fill), luminance(_ink_on(fill))))
        assert (dark + 0.05) / (light + 0.05) >= 4.5
