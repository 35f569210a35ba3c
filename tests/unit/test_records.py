"""Records cross every border as JSON, and each of them is declared once."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, is_typeddict

import numpy as np
import pytest

import imd_widget as imd
from imd_widget._base.plain import ABSENT, PYTHON_ONLY, Absent, from_json, record_from, to_json
from imd_widget.views import schema
from tools.generate_schema import records


@dataclass(frozen=True)
class Point:
    x: float
    label: str | None = None


@dataclass(frozen=True)
class Line:
    points: tuple[Point, ...]
    ends: tuple[Point, Point] | None = None
    width: int | Absent | None = ABSENT
    note: str = field(default="", metadata=PYTHON_ONLY)


LINE = Line((Point(1.5), Point(2.0, "b")), (Point(0.0), Point(1.0)), None, "not written")


# --- to_json and from_json ------------------------------------------------------------------------


def test_a_record_is_written_by_its_fields() -> None:
    assert to_json(LINE) == {
        "points": [{"x": 1.5, "label": None}, {"x": 2.0, "label": "b"}],
        "ends": [{"x": 0.0, "label": None}, {"x": 1.0, "label": None}],
        "width": None,
    }


def test_an_absent_field_is_left_out_and_null_is_not() -> None:
    assert "width" not in to_json(Line(()))
    assert from_json(Line, {"points": []}).width is ABSENT
    assert from_json(Line, {"points": [], "width": None}).width is None


def test_a_record_comes_back() -> None:
    again = from_json(Line, json.loads(json.dumps(to_json(LINE))), note="not written")
    assert again == LINE


def test_a_field_that_an_older_file_lacks_has_its_default() -> None:
    assert from_json(Line, {"points": [{"x": 1}], "newer": 3}) == Line((Point(1),))


@pytest.mark.parametrize(
    "plain, message",
    [
        ({"points": 3}, "points is 3"),
        ({"points": [{"x": "one"}]}, "x is 'one'"),
        ({"points": [{"x": float("nan")}]}, "x is nan"),
        ({"points": [1]}, r"points is \[1\]"),
        ({"points": [], "ends": [{"x": 1}]}, "ends is "),
        ([], r"Line is \[\]"),
    ],
)
def test_a_wrong_value_is_named(plain: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(Line, plain)


def test_a_missing_field_without_a_default_is_named() -> None:
    with pytest.raises(KeyError, match="x"):
        from_json(Line, {"points": [{"label": "a"}]})


def test_arrays_become_lists_in_json_and_tuples_in_records() -> None:
    @dataclass(frozen=True)
    class Arrays:
        matrix: Any
        other: int = 1

    arrays = Arrays(np.arange(4).reshape(2, 2), 7)
    assert to_json(arrays) == {"matrix": [[0, 1], [2, 3]], "other": 7}
    assert record_from(Arrays, arrays, other=2) == Arrays(((0, 1), (2, 3)), 2)


# --- each record is declared once -----------------------------------------------------------------


def classes() -> Iterator[type[Any]]:
    """Every dataclass and TypedDict of the package."""
    for module in pkgutil.walk_packages(imd.__path__, "imd_widget."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            here = isinstance(value, type) and value.__module__ == module.name
            if here and (is_dataclass(value) or is_typeddict(value)):
                yield value


def names_of(kind: Any) -> frozenset[str]:
    own = kind.__annotations__ if is_typeddict(kind) else [one.name for one in fields(kind)]
    return frozenset(own)


def twins(every: list[Any], sent: list[Any]) -> list[str]:
    """TypedDicts with the fields of a dataclass, and records with those of an unrelated one."""
    found = []
    for one in every:
        for other in every:
            related = any(is_dataclass(base) for base in set(one.__mro__) & set(other.__mro__))
            if one is other or related or not is_dataclass(other) or len(names_of(one)) < 2:
                continue
            if (is_typeddict(one) or one in sent) and names_of(one) == names_of(other):
                found.append(f"{one.__name__} declares the fields of {other.__name__} again")
    return found


def test_no_record_has_a_twin() -> None:
    every = list(classes())
    assert len(every) > 300
    assert set(records()) <= set(every)
    assert twins(every, records()) == []


def test_twins_are_noticed() -> None:
    from typing import TypedDict

    class PointView(TypedDict):
        x: float
        label: str | None

    @dataclass(frozen=True)
    class Mark:
        x: float
        label: str | None

    assert twins([PointView, Point], []) == ["PointView declares the fields of Point again"]
    assert twins([Mark, Point], [Mark]) == ["Mark declares the fields of Point again"]
    assert twins([Mark, Point], []) == []


def test_every_record_that_is_sent_has_a_name_of_its_own() -> None:
    """TypeScript would merge two interfaces of one name."""
    names = [record.__name__ for record in records()]
    assert sorted(names) == sorted(set(names))


def test_every_record_that_is_sent_is_frozen() -> None:
    for record in records():
        assert record.__dataclass_params__.frozen, record.__name__


def test_requests_may_lack_what_older_front_ends_do_not_send() -> None:
    request = from_json(schema.RowsRequest, {"kind": "rows", "id": "7"})
    assert (request.rules, request.node, request.count, request.id) == ((), "", 50, "7")
