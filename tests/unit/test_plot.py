"""The matplotlib picture: nothing on top of anything, whatever the tree, names and rcParams."""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.path import Path

import imd_widget as imd
from imd_widget.comparison.headline_bar import BarPart, PartKind
from imd_widget.plot import as_pdf, as_png, as_svg, draw_report, draw_tree, tree_figure
from imd_widget.plot.colors import DARK, LIGHT, PALETTE, outcome_color, scale_color
from imd_widget.plot.content import Content, content_of
from imd_widget.plot.context import DrawingContext
from imd_widget.plot.flow import TITLE
from imd_widget.plot.folding import folded_to_fit
from imd_widget.plot.headline import rows_bar
from imd_widget.plot.layout import Layout, lay_out
from imd_widget.plot.marks import Shape, Words
from imd_widget.plot.painter import scale_of
from imd_widget.plot.text import (
    SMALL,
    TEXT,
    Font,
    cut_middle,
    harmless,
    numbers_within,
    percent,
    rule_numbers,
)
from imd_widget.plot.tree_figure import picture_of
from imd_widget.plot.visible import Box, visible_tree
from imd_widget.views.build import view_of
from imd_widget.views.schema import DiffView
from tests.examples import examples
from tests.unit.strategies import Problem, problems

FONT = Font.sure()
SLACK = 1e-6
ODD = (
    "$x_{2}$ & 100 %",
    "a name\nwith a line\tin it",
    "温度 °C",
    "emoji 😀",
    "\x00\ud800\ufffe\u202e",
    "long " * 40,
    "w" * 300,
    "<b>&amp;</b>",
    "",
)


def context_for(view: DiffView, down: bool = False) -> DrawingContext:
    return DrawingContext(view, down, FONT, LIGHT)


@pytest.fixture(autouse=True)
def _agg() -> Iterator[None]:
    """No window, and no figure left open."""
    with mpl.rc_context({"backend": "Agg"}):
        yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture(scope="module")
def pair() -> imd.datasets.ModelPair:
    return imd.datasets.breast_cancer_pair()


@pytest.fixture(scope="module")
def views(pair: imd.datasets.ModelPair) -> dict[str, DiffView]:
    """One of each kind."""
    rng = np.random.default_rng(0)
    said = pair.m1.predict(pair.X), pair.m2.predict(pair.X)
    diffs = {
        "calibrated": imd.diff(*said, pair.X, names=pair.names),
        "imd": imd.diff(
            *said, pair.X, names=pair.names, method="imd", max_depth=4, measure="holdout"
        ),
        "separate": imd.diff(*said, pair.X, names=pair.names, method="separate", max_depth=4),
        "proba": imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, outputs="proba", max_depth=4),
    }
    diffs["refined"] = diffs["imd"].refine(3)
    X = pd.DataFrame(rng.random((600, 4)), columns=["distance", *ODD[:3]])
    value = 10 * X["distance"] + X[ODD[0]]
    later = value + 3 * (X[ODD[1]] > 0.7) - 2 * ((X[ODD[2]] < 0.4) & (X["distance"] > 0.5))
    diffs["values"] = imd.diff(value, later, X, tolerance=1.0, names=("2023", "2024"))
    one = (40 * X["distance"]).astype(int).to_numpy()
    two = np.where(X[ODD[1]] > 0.7, (one + 3) % 40, one)
    diffs["forty"] = imd.diff(one, two, X, names=ODD[:2], method="imd", max_depth=5)
    binary = (X["distance"] > 0.52).to_numpy()
    diffs["same"] = imd.diff(binary, binary, X)
    diffs["one"] = imd.diff(["a"] * 60, ["a"] * 60, X[:60])
    few = np.where(rng.random(600) < 0.01, ~binary, binary)
    diffs["scattered"] = imd.diff(binary, few, X)
    return {name: view_of(diff) for name, diff in diffs.items()}


def made_up(seed: int, most: int) -> DiffView:
    """The view of a random tree of up to some 200 nodes, no two alike, with odd names."""
    rng = random.Random(seed)
    names = [*ODD, "age", "worst concave points", "hours"]
    classes = [rng.choice(names) or "c" for _ in range(rng.choice([2, 3, 12]))]
    nodes: list[Any] = []
    rules: list[Any] = []

    def grow(id: str, parent: str | None, edge: str | None, side: int, rows: int) -> set[int]:
        here = len(nodes)
        end = len(nodes) > most or len(id) > 13 or rng.random() < 0.12
        kind = "leaf" if end else "split" if side or rng.random() < 0.7 else "or"
        if kind == "leaf" and side == 0 and rng.random() < 0.8:
            kind = "or"
        nodes.append({})
        found: set[int] = set()
        region = side == 0 and kind != "leaf" and rng.random() < 0.2
        agrees = rng.random() < 0.2
        if kind == "leaf":
            if side and rules and rng.random() < 0.4:
                found = {rng.randrange(len(rules))}
        else:
            column = rng.choice(names)
            edges = ("model1", "model2") if kind == "or" else ("yes", "no")
            part = rows if kind == "or" else rng.randint(0, rows)
            for i, name in enumerate(edges):
                own = i + 1 if kind == "or" else side
                own_rows = rows if kind == "or" else (part, rows - part)[i]
                found |= grow(id + name[0] + name[-1:], id, name, own, own_rows)
        if region:
            found.add(len(rules))
            outcomes = [rng.randrange(len(classes)) for _ in range(2)]
            rules.append(
                {
                    "number": len(rules),
                    "nodes": [id],
                    "node": id,
                    "agrees": agrees,
                    "support": 50,
                    "outcomes": outcomes,
                    "values": None,
                    "said": [classes[o] for o in outcomes],
                    "differing": rng.randint(0, 50),
                    "outcome_share": rng.random(),
                    "others": [],
                    "title_before": "",
                    "title_pairs": [0],
                    "title_link": "→",
                    "title_more": rng.choice([None, "…", "either way"]),
                    "direction": None,
                    "up": None,
                    "down": None,
                }
            )
        label = rng.randrange(len(classes))
        nodes[here] = {
            "id": id,
            "parent": parent,
            "kind": kind,
            "side": side,
            "edge": edge,
            "condition": f"{column} < {rng.random():.3f}" if kind == "split" else None,
            "column": column if kind == "split" else None,
            "label": label if kind == "leaf" else None,
            "said": classes[label] if kind == "leaf" else None,
            "value": None,
            "purity": rng.choice([1.0, rng.random()]) if kind == "leaf" else None,
            "spread": None,
            "rows": rows,
            "differing": rng.choice([0, rng.randint(0, rows)]),
            "rate": rng.choice([None, rng.random()]),
            "rules": sorted(found),
            "region": region and not agrees,
        }
        return found

    grow("r", None, None, 0, rng.choice([0, 3, 800, 3_000_000]))
    outputs = {"kind": "class", "low": None, "high": None, "weighted": rng.random() < 0.3}
    made: Any = {
        "names": [rng.choice(names), rng.choice(names)],
        "classes": classes,
        "outputs": outputs,
        "nodes": nodes,
        "rules": rules,
        "crosstab": {"cells": [[0, 1, 5], [len(classes) - 1, 0, 9]], "left_out": 0},
        "metrics": {"n_rows": 4_000_000},
    }
    return json.loads(json.dumps(made), object_hook=lambda own: SimpleNamespace(**own))


def check_layout(view: DiffView, differences_only: bool, down: bool) -> None:
    context = context_for(view, down)
    root = visible_tree(view, differences_only)
    layout = lay_out(root, context)
    boxes = list(root.walk())
    assert len(boxes) == len(layout.boxes)
    rooms = layout.boxes + layout.labels
    x0, y0, x1, y1 = np.array([[r.x0, r.y0, r.x1, r.y1] for r in rooms]).T
    apart_x = (x0[:, None] >= x1 - SLACK) | (x1[:, None] - SLACK <= x0)
    apart_y = (y0[:, None] >= y1 - SLACK) | (y1[:, None] - SLACK <= y0)
    assert (apart_x | apart_y | np.eye(len(rooms), dtype=bool)).all()
    assert min(x0.min(), y0.min()) >= -SLACK
    assert x1.max() <= layout.width + SLACK
    assert y1.max() <= layout.height + SLACK
    check_links(boxes, layout)
    for box in boxes:
        check_content(content_of(box, context))


def check_links(boxes: list[Box], layout: Layout) -> None:
    """No link runs through a box, or through what is written on another."""
    rooms = layout.boxes + layout.labels
    corners = np.array([[r.x0, r.y0, r.x1, r.y1] for r in rooms])
    place = {id(box): i for i, box in enumerate(boxes)}
    ends = [(place[id(b)], place[id(child)]) for b in boxes for child in b.children]
    for (parent, child), link in zip(ends, layout.marks, strict=False):
        assert isinstance(link, Shape)
        points = along(np.asarray(link.path.vertices), Path.CURVE4 in np.asarray(link.path.codes))
        x, y = points[:, :1], points[:, 1:]
        inside = (
            (x > corners[:, 0]) & (x < corners[:, 2]) & (y > corners[:, 1]) & (y < corners[:, 3])
        )
        inside[:, [parent, child]] = False
        assert not inside.any()


def along(corners: Any, curved: bool) -> Any:
    """Points of a link: a straight part and a curve, or straight parts alone."""
    share = np.linspace(0, 1, 15)[:, None]
    if not curved:
        return np.concatenate([a + share * (b - a) for a, b in pairwise(corners)])
    first, a, b, c, d = corners
    rest = 1 - share
    curve = rest**3 * a + 3 * rest**2 * share * b + 3 * rest * share**2 * c + share**3 * d
    return np.concatenate([first + share * (a - first), curve])


def check_content(content: Content) -> None:
    """What is drawn in a box lies in the room that the layout gives it."""
    for mark in content.marks:
        if isinstance(mark, Words):
            width = FONT.length(mark.text, mark.size, mark.bold)
            left = mark.x - {"left": 0, "center": width / 2, "right": width}[mark.anchor]
            ends = left, mark.y - 0.75 * mark.size, left + width, mark.y + 0.1 * mark.size
        else:
            points = np.asarray(mark.path.vertices)
            ends = (*points.min(axis=0), *points.max(axis=0))
        assert ends[0] > -SLACK
        assert ends[1] > -SLACK
        assert ends[2] < content.w + SLACK
        assert ends[3] < content.h + 1e-6
    assert content.left <= content.x <= content.right <= content.w
    assert content.top <= content.y <= content.bottom <= content.h


@settings(deadline=None, max_examples=examples(25))
@given(
    seed=st.integers(0, 10**6),
    most=st.sampled_from([1, 8, 30, 120]),
    differences_only=st.booleans(),
    down=st.booleans(),
)
def test_nothing_lies_on_anything(seed: int, most: int, differences_only: bool, down: bool) -> None:
    check_layout(made_up(seed, most), differences_only, down)


@settings(deadline=None, max_examples=examples(12))
@given(
    problem=problems(),
    method=st.sampled_from(["calibrated", "imd", "separate"]),
    differences_only=st.booleans(),
    down=st.booleans(),
)
def test_nor_in_what_real_tables_give(
    problem: Problem, method: Any, differences_only: bool, down: bool
) -> None:
    d = imd.diff(problem.y1, problem.y2, problem.X, method=method, **problem.options)
    check_layout(view_of(d), differences_only, down)


def test_the_law_sees_large_trees() -> None:
    sizes = [len(made_up(seed, 120).nodes) for seed in range(40)]
    assert max(sizes) > 100
    assert min(sizes) < 5


def test_differences_only_shows_what_the_browser_shows(views: dict[str, DiffView]) -> None:
    """Every box by the rules of js/tree/visible.ts, said in another way."""
    for view in views.values():
        nodes = {node.id: node for node in view.nodes}
        agreement = {node for rule in view.rules if rule.agrees for node in rule.nodes}
        for box in visible_tree(view, True).walk():
            node = box.node
            below = [n for n in nodes.values() if n.parent == node.id]
            if node.kind == "leaf":
                kind = "leaf"
            elif not node.rules or node.id in agreement:
                kind = "stub"
            elif node.region and node.kind == "split":
                kind = "or"
            elif node.kind == "or" and {n.kind for n in below} == {"leaf"}:
                kind = "pair"
            else:
                kind = node.kind
                assert [child.node.id for child in box.children] == [n.id for n in below]
            assert box.kind == kind


def test_all_shows_every_node(views: dict[str, DiffView]) -> None:
    for view in views.values():
        shown = []
        for box in visible_tree(view, False).walk():
            shown += [box.node.id, *(leaf.id for leaf in box.pair or ())]
        assert shown == [node.id for node in view.nodes]


@pytest.mark.parametrize("differences_only", [True, False])
def test_every_rule_has_its_number_somewhere(
    views: dict[str, DiffView], differences_only: bool
) -> None:
    for view in views.values():
        marked = {n for box in visible_tree(view, differences_only).walk() for n in box.numbers}
        assert marked == set(range(len(view.rules)))


def test_numbers_are_read_as_ranges() -> None:
    assert rule_numbers([0]) == "0"
    assert rule_numbers([0, 1, 4]) == "0, 1, 4"
    assert rule_numbers([2, 3, 4, 5, 8]) == "2–5, 8"


def shortened_one_by_one(numbers: list[int], room: float, width: Callable[[str], float]) -> str:
    """The slow twin of `numbers_within`: every length is tried, from the longest on."""
    text = rule_numbers(numbers)
    for shown in range(len(numbers) - 1, 0, -1):
        if width(text) <= room:
            break
        text = f"{rule_numbers(numbers[:shown])}, …"
    return text


@settings(deadline=None)
@given(
    st.sets(st.integers(0, 300) | st.integers(7, 14), min_size=1, max_size=60).map(sorted),
    st.sampled_from([5.0, 20.0, 33.0, 46.0, 90.0]),
)
def test_as_many_numbers_as_fit(numbers: list[int], room: float) -> None:
    def width(text: str) -> float:
        return Font.sure().width(text, SMALL, bold=True)

    found = numbers_within(numbers, room, width)
    assert found == shortened_one_by_one(numbers, room, width)


@pytest.mark.parametrize("step", [1, 2, 7])
def test_few_texts_are_measured_however_many_numbers_there_are(step: int) -> None:
    measured = []

    def width(text: str) -> float:
        measured.append(text)
        return 5.0 * len(text)

    shown = numbers_within(list(range(1, 100_000, step)), 34.0, width)
    assert shown == {1: "1–9, …", 2: "1, …", 7: "1, …"}[step]
    assert len(measured) < 30
    assert max(map(len, measured)) < 200


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def sizes(ax: Any) -> list[float]:
    return sorted({round(text.get_fontsize(), 6) for text in ax.texts})


def test_a_figure_of_its_own_has_text_of_its_natural_size(views: dict[str, DiffView]) -> None:
    for name in ("one", "proba", "imd", "calibrated"):
        ax = draw_tree(views[name], differences_only=False)
        assert {round(text.get_fontsize(), 6) for text in ax.texts} <= {SMALL, TEXT, TITLE}
        assert all(text.get_fontsize() >= 8 for text in ax.texts)


@pytest.mark.parametrize("orientation", ["right", "down"])
@pytest.mark.parametrize("name", ["imd", "forty", "values", "same", "one", "scattered"])
def test_what_is_written_lies_inside_the_figure(
    views: dict[str, DiffView], name: str, orientation: str
) -> None:
    ax = draw_tree(views[name], orientation=orientation)
    figure = ax.figure
    inside = figure.bbox.padded(1)
    for text in ax.texts:
        extent = text.get_window_extent()
        assert inside.x0 <= extent.x0
        assert inside.y0 <= extent.y0
        assert extent.x1 <= inside.x1
        assert extent.y1 <= inside.y1


def test_pyplot_knows_the_figure_that_it_made(views: dict[str, DiffView]) -> None:
    from matplotlib import pyplot

    with mpl.rc_context({"figure.constrained_layout.use": True, "figure.figsize": (1, 1)}):
        ax = draw_tree(views["imd"])
    assert pyplot.gcf() is ax.figure
    assert scale_of(ax) == pytest.approx(1)


def test_axes_that_are_given_scale_text_and_boxes_alike(views: dict[str, DiffView]) -> None:
    own = draw_tree(views["imd"])
    width, height = own.figure.get_size_inches()
    figure = Figure(figsize=(0.8 * width, 2 * height))
    ax = figure.add_axes((0, 0, 1, 1))
    assert draw_tree(views["imd"], ax) is ax
    assert scale_of(ax) == pytest.approx(0.8)
    assert sizes(ax) == [pytest.approx(0.8 * size) for size in (SMALL, TEXT, TITLE)]
    assert texts(ax) == texts(own)
    figure.set_size_inches(0.7 * width, 2 * height)
    as_svg(figure)
    assert sizes(ax) == [pytest.approx(0.7 * size) for size in (SMALL, TEXT, TITLE)]


def test_in_large_axes_it_grows_to_twice_its_size(views: dict[str, DiffView]) -> None:
    ax = draw_tree(views["one"], Figure(figsize=(30, 30)).subplots())
    assert scale_of(ax) == pytest.approx(2)
    place = ax.texts[0].get_window_extent()
    assert ax.figure.bbox.x0 < place.x0 < place.x1 < ax.figure.bbox.x1


def test_text_that_cannot_be_read_is_remarked_on(views: dict[str, DiffView]) -> None:
    ax = Figure(figsize=(3, 2)).subplots()
    with pytest.warns(imd.InputWarning, match=r"has 1\.\d points.*x.*inches.*ax=None.*max_depth"):
        draw_tree(views["calibrated"], ax)
    with pytest.warns(imd.InputWarning, match="differences_only=True"):
        draw_tree(views["calibrated"], Figure(figsize=(3, 2)).subplots(), differences_only=False)


def test_bad_arguments_say_what_is_accepted(views: dict[str, DiffView]) -> None:
    view = views["one"]
    with pytest.raises(imd.InputError, match=r'orientation=.up.: .*"right" or "down"'):
        draw_tree(view, orientation="up")
    with pytest.raises(imd.InputError, match=r"ax is a ndarray.*one matplotlib Axes.*axes\[0\]"):
        draw_tree(view, Figure().subplots(1, 2))
    with pytest.raises(imd.InputError, match=r"polar projection.*plt\.subplots"):
        draw_tree(view, Figure().subplots(subplot_kw={"projection": "polar"}))
    with pytest.raises(imd.InputError, match="max_rules=-1"):
        draw_report(view, max_rules=-1)


HOSTILE: dict[Any, Any] = {
    "text.usetex": True,
    "font.size": 40,
    "text.parse_math": True,
    "lines.scale_dashes": True,
    "figure.autolayout": True,
    "axes.xmargin": 0.5,
    "savefig.bbox": "tight",
    "savefig.transparent": True,
    "path.sketch": (1, 100, 2),
    "svg.fonttype": "path",
}


def test_rc_params_of_the_user_change_nothing(views: dict[str, DiffView]) -> None:
    plain = as_svg(draw_tree(views["forty"]).figure)
    with mpl.rc_context(HOSTILE):
        assert as_svg(draw_tree(views["forty"]).figure) == plain
    report = as_svg(draw_report(views["forty"]))
    with mpl.rc_context({**HOSTILE, "figure.facecolor": "black", "font.family": "serif"}):
        assert as_svg(draw_report(views["forty"])) == report


def test_but_its_letters_and_a_dark_ground_are_kept(views: dict[str, DiffView]) -> None:
    with mpl.rc_context({"figure.facecolor": "black", "font.family": "serif"}):
        ax = draw_tree(views["imd"])
    assert {text.get_fontname() for text in ax.texts} == {"DejaVu Serif"}
    assert {text.get_color() for text in ax.texts} <= {DARK.ink, DARK.soft, DARK.ground}


def test_odd_names_are_drawn_as_they_are_and_warn_of_nothing(pair: Any) -> None:
    X = pair.X.iloc[:, :6].set_axis([*ODD[:4], *ODD[6:8]], axis=1)

    def above_median(at: int) -> Any:
        return lambda T: np.array(ODD)[(T.iloc[:, at] > X.iloc[:, at].median()).astype(int) + 2]

    view = view_of(imd.diff(above_median(0), above_median(2), X, names=(ODD[0], ODD[4])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = draw_tree(view, differences_only=False)
        assert as_png(ax.figure, 40)
        svg = as_svg(ax.figure)
        ElementTree.fromstring(as_svg(draw_report(view)))
    written = [text.text or "" for text in ElementTree.fromstring(svg).iter() if text.text]
    assert any("$x_{2}$" in text for text in written)
    assert not any(re.search(r"[\x00-\x09\u202e]", text) for text in texts(ax))


def test_cut_in_the_middle_by_measured_width() -> None:
    def width(text: str) -> float:
        return FONT.width(text, TEXT)

    for text in (*ODD, "short"):
        clean = harmless(text)
        cut = cut_middle(clean, 60, width)
        assert width(cut) <= 60
        assert cut == clean or "…" in cut
    assert cut_middle("concave points worst", 60, width).endswith("rst")


def test_shares_are_never_rounded_to_all_or_nothing() -> None:
    shares = [None, 0, 0.001, 0.5, 0.999, 1]
    assert [percent(share) for share in shares] == [
        "–",
        "0\u00a0%",
        "<1\u00a0%",
        "50\u00a0%",
        ">99\u00a0%",
        "100\u00a0%",
    ]


def test_colours_are_those_of_the_browser(views: dict[str, DiffView]) -> None:
    outputs = views["forty"].outputs
    assert [outcome_color(outputs, i, None) for i in range(8)] == list(PALETTE)
    assert outcome_color(outputs, 8, None) == outcome_color(outputs, 39, None) == "#8a8a8a"
    assert scale_color(0) == "#3b528b"
    assert scale_color(1) == "#9bd93c"
    values = views["values"].outputs
    assert outcome_color(values, None, values.low) == scale_color(0)


def test_the_legend_explains_the_bracket(views: dict[str, DiffView]) -> None:
    for name in ("imd", "calibrated", "values", "forty"):
        assert "same rows, seen by both models" in texts(draw_tree(views[name]))
    alone = texts(draw_tree(views["same"], headline=False))
    assert alone[0].startswith("agree · ")
    assert "same rows, seen by both models" not in alone


@pytest.mark.parametrize("name", ["imd", "calibrated", "values", "same"])
def test_the_headline_and_its_bar_stand_above_the_tree(
    views: dict[str, DiffView], name: str
) -> None:
    view = views[name]
    for drawn in (draw_tree(view), tree_figure(view).axes[0], draw_report(view).axes[0]):
        words = " ".join(texts(drawn))
        assert view.headline.sentences[0] in words
        assert view.headline.short in words
        for part in view.headline.bar:
            assert part.text in words
    assert view.headline.sentences[0] not in " ".join(texts(draw_tree(view, headline=False)))


def test_the_parts_of_the_bar_are_drawn_to_scale() -> None:
    shares = [0.5, 0.125, 0.25, 0.125]
    kinds: tuple[PartKind, ...] = ("agree", "inside", "covered", "missed")
    parts = tuple(
        BarPart(kind, share, share, False, "") for kind, share in zip(kinds, shares, strict=True)
    )
    drawn = [mark for mark in rows_bar(parts, 400.0, LIGHT) if isinstance(mark, Shape)]
    extents = [mark.path.get_extents() for mark in drawn]
    # stripes have an outline, which is as wide as the part
    widths = [extents[i].width for i in (0, 1, 2, 4)]
    assert widths == pytest.approx([400 * share for share in shares])


def test_a_report_has_headline_tree_and_rules(views: dict[str, DiffView]) -> None:
    view = views["imd"]
    report = draw_report(view, max_rules=2)
    words = " ".join(texts(report.axes[0])).replace("\u00a0", " ")
    assert view.headline.sentences[0] in words
    assert "LR benign → RF malignant:" in words
    assert f"and {len(view.rules) - 2} more rules" in words
    assert "of the rows kept aside)" in words
    assert mpl.colors.to_hex(report.get_facecolor()) == "#ffffff"


def test_a_report_says_how_much_it_folds_and_stays_small(views: dict[str, DiffView]) -> None:
    for name, view in views.items():
        report = draw_report(view)
        width, height = report.get_size_inches()
        assert width <= 9.01, name
        assert height <= 7.6, name
        smallest = min(text.get_fontsize() for text in report.axes[0].texts)
        assert smallest >= 0.85 * SMALL - 1e-6
        whole = len(list(visible_tree(view, True).walk()))
        shown = len(list(folded_root(view, report).walk()))
        drawn = texts(report.axes[0])
        folded = any("folded to fit" in text for text in drawn)
        # a folded or-node that is one rule hides none: its number is beside it and in the list
        own = all(drawn.count(str(rule.number)) >= 2 for rule in view.rules[:5])
        assert folded or shown == whole or (own and len(view.rules) <= 5)
    deep = draw_report(views["refined"])
    assert any("folded to fit" in text for text in texts(deep.axes[0]))


def folded_root(view: DiffView, report: Figure) -> Box:
    """The tree that a report shows, found by the questions it asks."""
    asked = " ".join(texts(report.axes[0]))
    whole = visible_tree(view, True)
    context = context_for(view)
    if all(
        word.text in asked for word in picture_of(whole, context).marks if isinstance(word, Words)
    ):
        return whole
    return folded_to_fit(view, lambda _: False)


def of_noise(max_depth: int) -> DiffView:
    """Of two trees of their own for two models that guess: a rule for each pair of leaves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    first, second = rng.integers(0, 2, (2, 2000))
    return view_of(imd.diff(first, second, X, method="separate", max_depth=max_depth))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts whose width was asked for."""
    asked: list[str] = []
    length = Font.length

    def counting(font: Font, text: str, size: float, bold: bool = False) -> float:
        asked.append(text)
        return length(font, text, size, bold)

    monkeypatch.setattr(Font, "length", counting)
    return asked


def test_a_report_of_many_rules_is_no_more_work_than_one_of_some(measured: list[str]) -> None:
    work = {}
    for depth in (6, 10):
        view = of_noise(depth)
        measured.clear()
        report = draw_report(view)
        work[len(view.rules)] = sum(map(len, measured))
        drawn = [text.get_text() for text in report.axes[0].texts]
        assert len(drawn) < 300
        assert any("folded to fit" in text for text in drawn)
    few, many = work
    assert many > 5 * few
    assert work[many] < 4 * work[few]


def test_the_whole_tree_is_as_much_work_as_it_has_boxes(measured: list[str]) -> None:
    for depth in (6, 12):
        view = of_noise(depth)
        boxes = len(list(visible_tree(view, True).walk()))
        measured.clear()
        tree_figure(view)
        assert sum(map(len, measured)) < 150 * boxes


def test_figures_for_files_leave_nothing_with_pyplot(views: dict[str, DiffView]) -> None:
    from matplotlib import pyplot

    draw_report(views["imd"])
    tree_figure(views["imd"], differences_only=False, orientation="down")
    assert pyplot.get_fignums() == []


def test_files_are_the_same_each_time_and_text_stays_text(views: dict[str, DiffView]) -> None:
    first, second = (as_svg(draw_report(views["calibrated"])) for _ in range(2))
    assert first == second
    assert len(first) < 60_000
    root = ElementTree.fromstring(first)
    written = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "LR benign → RF malignant:" in written
    assert "date" not in first.lower()
    report = draw_report(views["same"])
    picture = as_png(report, 50)
    assert picture.startswith(b"\x89PNG")
    assert as_png(report, 50) == picture
    one = as_pdf(report)
    assert one.startswith(b"%PDF")
    assert as_pdf(report) == one


def test_the_diff_draws_itself(pair: imd.datasets.ModelPair) -> None:
    d = imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, max_depth=3)
    ax = Figure(figsize=(12, 8)).subplots()
    assert d.plot(ax, differences_only=False, orientation="down") is ax
    assert texts(d.plot())


def test_the_picture_of_the_guide_is_what_we_draw_today() -> None:
    """Its words, since digits of a place are matplotlib's. IMD_WRITE_PICTURES=1 draws it anew."""
    pair = imd.datasets.breast_cancer_pair()
    d = imd.diff(pair.m1, pair.m2, pair.X, names=pair.names, method="imd", max_depth=4)
    file = pathlib.Path(__file__).parents[2] / "docs" / "images" / "plot.svg"
    if os.environ.get("IMD_WRITE_PICTURES") == "1":
        d.save(file)
    today = as_svg(tree_figure(view_of(d)))
    assert sorted(words_of(file.read_text(encoding="utf-8"))) == sorted(words_of(today))


def words_of(svg: str) -> list[str]:
    found = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert found
    return found
