"""Merging and rewording regions never moves a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.data.boxes import in_box
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.rules.regions import Region
from imd_widget.rules.simplify import merged, readable

COLUMNS: tuple[Column, ...] = (
    OrderedColumn("a", 0, np.arange(1.0, 4.0)),
    OrderedColumn("b", 1, np.arange(1.0, 3.0), has_missing=True),
    CategoryColumn("c", 2, ("x", "y", "z")),
    CategoryColumn("d", 3, ("p", "q"), has_missing=True, complete=False),
)
#: Every combination of codes there can be.
GRID = [
    axis.ravel().astype(np.uint8)
    for axis in np.meshgrid(*(np.arange(column.n_codes) for column in COLUMNS))
]


@st.composite
def boxes(draw: st.DrawFn) -> dict[int, int]:
    box = {}
    for at, column in enumerate(COLUMNS):
        if not draw(st.booleans()):
            continue
        if column.ordered:
            low = draw(st.integers(0, column.n_values - 1))
            high = draw(st.integers(low, column.n_values - 1))
            codes = (1 << (high + 1)) - (1 << low)
            if column.has_missing and draw(st.booleans()):
                codes |= 1 << column.n_values
        else:
            codes = draw(st.integers(1, (1 << column.n_codes) - 1))
        if codes != (1 << column.n_codes) - 1:
            box[at] = codes
    return box


def region(box: dict[int, int], outcomes: tuple[int, int]) -> Region:
    inside = np.array([int(holds(box).sum()), 0])
    return Region(box, ((1, 2),), (0,), outcomes, inside, inside * 2)


def holds(box: Any) -> np.ndarray:
    return in_box(box, GRID, len(GRID[0]))


def disjoint(drawn: list[tuple[dict[int, int], tuple[int, int]]]) -> list[Region]:
    """Those boxes that overlap none before them, as the regions of a tree do."""
    taken = np.zeros(len(GRID[0]), dtype=bool)
    kept = []
    for box, outcomes in drawn:
        if not (holds(box) & taken).any():
            taken |= holds(box)
            kept.append(region(box, outcomes))
    return kept


outcomes = st.sampled_from([(0, 1), (1, 0)])
regions = st.lists(st.tuples(boxes(), outcomes), max_size=12).map(disjoint)


@settings(deadline=None)
@given(regions=regions)
def test_merged_regions_cover_the_same_rows_for_the_same_outcomes(regions: list[Region]) -> None:
    found = merged(regions, COLUMNS)
    assert len(found) <= len(regions)
    for said in ((0, 1), (1, 0)):
        before = [holds(r.box) for r in regions if r.outcomes == said]
        after = [holds(r.box) for r in found if r.outcomes == said]
        np.testing.assert_array_equal(np.sum(before, axis=0), np.sum(after, axis=0))
    for total in ("fit", "holdout"):
        np.testing.assert_array_equal(
            sum((getattr(r, total) for r in regions), np.zeros(2)),
            sum((getattr(r, total) for r in found), np.zeros(2)),
        )
    for r in found:
        assert r.fit[0] == holds(r.box).sum()


@settings(deadline=None)
@given(regions=regions)
def test_nothing_is_left_to_merge(regions: list[Region]) -> None:
    once = merged(regions, COLUMNS)
    assert len(merged(once, COLUMNS)) == len(once)


@settings(deadline=None)
@given(box=boxes())
def test_rewording_moves_only_categories_that_the_table_does_not_have(box: dict[int, int]) -> None:
    told = readable(region(box, (0, 1)), COLUMNS)
    known = GRID[2] != COLUMNS[2].n_values - 1
    np.testing.assert_array_equal(holds(told.box)[known], holds(box)[known])


def test_the_shorter_list_is_told() -> None:
    others = 1 << 3
    reworded = readable(region({2: 0b100 | others}, (0, 1)), COLUMNS).box
    assert reworded == {2: 0b100}  # is z, not: is none of x, y
    kept = readable(region({2: 0b110 | others}, (0, 1)), COLUMNS).box
    assert kept == {2: 0b110 | others}  # is not x, not: is one of y, z


def test_only_what_is_missing_is_said_to_be_missing() -> None:
    flag = np.where(np.arange(300) % 10 == 9, np.nan, np.arange(300) % 2)
    X = pd.DataFrame({"flag": flag})
    for method in ("calibrated", "imd", "separate"):
        d = imd.diff(np.zeros(300, int), np.isnan(flag).astype(int), X, method=method)
        assert [str(c) for rule in d.rules for c in rule.conditions] == ["flag is missing"]
