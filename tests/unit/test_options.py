"""Options: declared once, the same in every function, checked before a model is called."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import imd_widget as imd
from imd_widget._base.options import options_of
from imd_widget.comparison.options import OPTIONS, DiffOptions, Options
from imd_widget.methods import METHOD_TYPES, METHODS, Method, method_from_plain, method_to_plain
from tools.generate_options import FILE, page_text

X = np.arange(400).reshape(200, 2)
OLD, NEW = X[:, 0] < 150, X[:, 0] < 250


def test_every_option_is_declared_with_a_type_and_a_description() -> None:
    own = [one.name for one in options_of(Options)]
    of_methods = [one.name for kind in METHOD_TYPES.values() for one in options_of(kind)]
    assert set(own) | set(of_methods) == set(DiffOptions.__annotations__) == set(OPTIONS)
    assert not set(own) & set(of_methods)
    for one in OPTIONS.values():
        assert one.description.endswith((".", ")", "...")), one.name


@pytest.mark.parametrize("function", [imd.diff, imd.compare])
def test_signatures_and_docstrings_have_every_option(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    for name, one in OPTIONS.items():
        assert parameters[name].default == one.default
        assert f"\n    {name} : " in function.__doc__
    assert "{options}" not in function.__doc__
    assert max(map(len, function.__doc__.splitlines())) <= 100


def test_the_page_of_options_is_what_is_declared() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert text == page_text(text), "write it anew: python tools/generate_options.py"


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    for call, name in (
        (lambda: imd.diff(OLD, NEW, X, max_dept=3), "diff"),  # type: ignore[call-arg]
        (lambda: imd.compare([OLD, NEW], X, max_dept=3), "compare"),  # type: ignore[call-arg]
        (lambda: imd.JointSurrogateTree(max_dept=3), "JointSurrogateTree"),  # type: ignore[call-arg]
    ):
        message = rf"^{name}\(\) got an unexpected keyword argument 'max_dept'. Did you mean"
        with pytest.raises(TypeError, match=message):
            call()


def test_a_method_is_a_name_or_a_value() -> None:
    named = imd.diff(OLD, NEW, X, max_depth=2, max_rules=1)
    value = imd.diff(OLD, NEW, X, method=imd.Calibrated(max_depth=2, max_rules=1))
    assert named.rules == value.rules
    assert named.method == value.method == "calibrated"
    assert (value.max_depth, value.max_rules) == (2, 1)
    assert imd.diff(OLD, NEW, X, method=imd.Imd(alpha=0.9)).method == "imd"
    with pytest.raises(imd.InputError, match=r"a value already: write Calibrated\(max_rules=1\)"):
        imd.diff(OLD, NEW, X, method=imd.Calibrated(), max_rules=1)
    with pytest.raises(imd.InputError, match=r"method=3 is not known. Choose one of calibrated"):
        imd.diff(OLD, NEW, X, method=3)  # type: ignore[arg-type]


def test_a_method_checks_its_options_when_it_is_made() -> None:
    with pytest.raises(imd.InputError, match="sensitivity=7: the share of differing rows"):
        imd.Calibrated(sensitivity=7)
    with pytest.raises(TypeError, match="alpha"):
        imd.Calibrated(alpha=0.5)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        imd.Calibrated().max_depth = 3  # type: ignore[misc]


def test_the_least_leaf_depends_on_the_method_unless_it_is_given() -> None:
    assert [kind().min_samples_leaf for kind in METHOD_TYPES.values()] == [5, 1, 1, 1]
    assert Options.of({"min_samples_leaf": None}).method.min_samples_leaf == 5
    assert Options.of({"min_samples_leaf": 1}).method.min_samples_leaf == 1
    assert Options.of({"method": "imd"}).method.min_samples_leaf == 1


def test_methods_have_functions_and_come_back_from_plain_values() -> None:
    assert set(METHODS) == set(METHOD_TYPES)
    for method in (imd.Calibrated(max_rules=3, given="m1"), imd.Imd(alpha=0.5), imd.Direct()):
        plain = method_to_plain(method)
        assert method_from_plain(plain) == method
        for one in fields(method):
            if one.name in plain and one.init:
                less = {name: value for name, value in plain.items() if name != one.name}
                again = method_from_plain(less)
                assert getattr(again, one.name) == one.default


def test_changing_an_option_keeps_the_others() -> None:
    d = imd.diff(OLD, NEW, X, max_depth=3, rule_cost=0.1, max_rules=4)
    changed = d.change(max_depth=2)
    method: Method = changed.rows.method
    assert (method.max_depth, method.rule_cost, method.max_rules) == (2, 0.1, 4)
    assert d.change(max_rules="auto").max_rules is None
    with pytest.raises(imd.InputError, match=r"sensitivity=0.5 has no meaning with"):
        imd.diff(OLD, NEW, X, method="imd").change(sensitivity=0.5)
