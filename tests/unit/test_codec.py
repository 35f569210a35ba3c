"""A packed view decodes to the view, up to the sixth digit, and is smaller."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.views.build import view_of
from imd_widget.views.codec import by_columns, packed
from tests.examples import examples
from tests.unit.strategies import Problem, problems


def by_records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Decode columns to records, as js/protocol/codec.ts does."""
    return [
        {name: None if values is None else values[i] for name, values in columns["fields"].items()}
        for i in range(columns["count"])
    ]


@settings(deadline=None, max_examples=examples(30))
@given(problem=problems())
def test_the_way_back_gives_the_view(problem: Problem) -> None:
    view = view_of(imd.diff(problem.y1, problem.y2, problem.X, **problem.options))
    travelled = json.loads(json.dumps(to_json(packed(view)), allow_nan=False))
    for part in ("nodes", "conditions", "rules"):
        travelled[part] = by_records(travelled[part])
    for node in travelled["nodes"]:
        node["rules"] = [
            rule["number"]
            for rule in travelled["rules"]
            if any(leaf.startswith(node["id"]) for pair in rule["leaves"] for leaf in pair)
        ]
    assert alike(travelled, to_json(view))


@dataclass(frozen=True)
class Number:
    x: float


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_stays_near_and_on_its_side_of_a_whole_number(value: float) -> None:
    [short] = by_columns([Number(value)]).fields["x"] or []
    assert math.isclose(short, value, rel_tol=1e-5)
    assert short.is_integer() == value.is_integer()
    assert len(json.dumps(short)) <= len(json.dumps(value))


def test_a_large_tree_with_many_rules_takes_less_than_a_megabyte() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(20_000, 9)), columns=[f"measure {i}" for i in range(9)])
    cell = (X.to_numpy() > 0.5) @ (1 << np.arange(9))
    y1, y2 = (rng.integers(0, 2, size=256)[(cell >> shift) & 255] for shift in (0, 1))
    d = imd.diff(y1, y2, X, method="separate", max_depth=8, min_samples_leaf=1, test_size=0)
    view = view_of(d)
    assert len(view.nodes) > 600
    assert len(view.rules) > 2_000
    assert len(json.dumps(to_json(packed(view)))) < 1_000_000 < len(json.dumps(to_json(view)))


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal, floats to a relative tolerance of 1e-5."""
    if isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in other)
    if isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-5)
    return bool(one == other)
