"""Views and pages of more than two models: golden files that vitest reads too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import imd_widget as imd
from imd_widget.export.comparison.html import OpenedPair, as_shown, comparison_page
from imd_widget.many.model_comparison import PAIRS_IN_FILES
from imd_widget.rules.languages import percent
from imd_widget.views import schema
from imd_widget.views.comparison import comparison_view
from tests.unit.conformance import departures
from tests.unit.example_comparisons import COMPARISONS, six, two
from tests.unit.test_views import check_golden

DATA = re.compile(r'<script type="application/json" id="imd-data">(.*?)</script>', re.DOTALL)


def data_of(page: str) -> Any:
    """What the front-end of a page reads."""
    [text] = DATA.findall(page)
    return json.loads(text)


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_golden_view_is_what_we_make_today(name: str) -> None:
    """After a wanted change: IMD_WRITE_GOLDEN=1 pytest <this file>."""
    view = comparison_view(COMPARISONS[name]())
    check_golden(f"comparisons/{name}.json", view)
    assert departures(view, schema.ComparisonView) == []


def test_the_golden_shares_are_what_sentences_write() -> None:
    """Shares in percent; vitest checks that the browser rounds them alike."""
    shares = [n / 1200 for n in (0, 1, 2, 3, 219, 221, 1197, 1199, 1200)]
    shares += [0.0005, 0.001, 0.0015, 0.1225, 0.1275, 0.9985, 0.9995, 1 / 3]
    check_golden("comparisons/shares.json", [[share, percent(share, 1)] for share in shares])


def test_the_golden_page_is_what_we_write_today() -> None:
    """Three of the pairs, one of them with rows that were selected."""
    c = six()
    opened = {(3, 0): OpenedPair(c[3, 0], state={"selected_rules": [0], "tab": "Node"})}
    page = comparison_page(
        c, pairs=[(0, 3), (0, 1), (1, 4)], refinements=1, opened=opened, shown=(0, 1)
    )
    data = data_of(page)
    check_golden("comparisons/page.json", data)
    assert departures(data, schema.ComparisonPage) == []
    for held in data["pairs"].values():
        part = {name: held[name] for name in schema.PageContents.__annotations__}
        assert departures(part, schema.PageContents) == []


def test_a_page_holds_the_pairs_that_differ_most_and_says_which(tmp_path: Path) -> None:
    c = six()
    page = c.save(tmp_path / "compare.html", refinements=0).read_text(encoding="utf-8")
    data = data_of(page)
    largest = [sorted(map(c.names.index, pair)) for pair in c.largest(PAIRS_IN_FILES)]
    both = [order for one, two in largest for order in ([one, two], [two, one])]
    assert [list(map(int, key.split(","))) for key in data["pairs"]] == both
    assert data["comparison"]["openable"] == both
    assert data["pair"] == largest[0]
    assert "pairs=[...]" in data["comparison"]["why_not"]
    assert f"the diffs of {PAIRS_IN_FILES} of 15 pairs" in page
    for one, other in c.largest(PAIRS_IN_FILES):
        assert f"{one} and {other}" in page
    assert c.summary() in page


def test_the_pairs_of_a_page_are_those_asked_for(tmp_path: Path) -> None:
    c = six()
    path = c.save(tmp_path / "compare.html", pairs=[("RF", "LR"), (0, 1), [5, "GB"]])
    assert list(data_of(path.read_text(encoding="utf-8"))["pairs"]) == ["0,1", "1,0", "2,5", "5,2"]
    page = comparison_page(c, pairs=[], refinements=0)
    assert data_of(page)["pair"] == []
    assert "the diffs of 0 of 15 pairs" in page
    whole = data_of(comparison_page(two(), pairs=[(0, 1)], refinements=0))["comparison"]
    assert whole["openable"] == [[0, 1], [1, 0]]


def test_a_page_has_the_diff_of_swapped_models() -> None:
    data = data_of(comparison_page(two(), pairs=[(0, 1)], refinements=0))["pairs"]
    views = [data[key]["steps"][0] for key in ("0,1", "1,0")]
    assert views[0]["names"] == views[1]["names"][::-1]
    rules = [view["rules"]["fields"]["said"] for view in views]
    assert sorted(map(tuple, rules[0])) == sorted(tuple(said[::-1]) for said in rules[1])


def test_a_page_of_a_file_has_the_order_of_the_file(tmp_path: Path) -> None:
    two().save(tmp_path / "compare.json")
    again = imd.load(tmp_path / "compare.json")
    assert list(data_of(comparison_page(again, pairs=[(0, 1)]))["pairs"]) == ["0,1"]


def test_a_pair_is_held_in_the_order_in_which_it_was_shown() -> None:
    pairs = [(0, 1), (1, 2), (3, 4)]
    assert as_shown(pairs, [(1, 0), (0, 1), (2, 1)], (1, 0)) == [(1, 0), (2, 1), (3, 4)]
    assert as_shown([*pairs, (1, 0)], [], None) == pairs


def test_rows_of_a_page_are_told(tmp_path: Path) -> None:
    path = two().save(tmp_path / "new" / "compare.html", refinements=0, rows=30)
    page = path.read_text(encoding="utf-8")
    assert "For each pair it contains 30 of the 1,200 rows of the table" in page
    data = data_of(page)
    assert len(data["pairs"]["0,1"]["rows"]["positions"]) == 30
    bare = comparison_page(two(), pairs=[(0, 1)], refinements=0)
    assert "It contains no rows of the table." in bare
    [step] = data_of(bare)["pairs"]["0,1"]["steps"]
    assert 'c.save("compare.html", rows=200) includes 200' in step["lacks"]["rows"]


def test_progress_is_told_after_each_pair() -> None:
    done: list[int] = []
    comparison_page(six(), pairs=[(0, 1), (0, 2)], refinements=0, after_each=done.append)
    assert done == [1, 2]
