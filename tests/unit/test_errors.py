"""Errors and warnings keep their parts: Python's words, the command line's, and the fields."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.errors import (
    Argument,
    Drop,
    Foreign,
    Given,
    InputError,
    InputWarning,
    InPython,
    Message,
    Part,
    Quoted,
    Row,
    Setting,
)
from imd_widget.cli.wording import Wording

X = pd.DataFrame({"a": np.arange(20.0)})
ODD = (X["a"] % 2).astype(int).to_numpy()


@pytest.mark.parametrize(
    "parts, python, command",
    [
        ([Setting("outputs", "value"), "."], 'outputs="value".', "--outputs value."),
        ([Setting("test_size", 0.25)], "test_size=0.25", "--test-size 0.25"),
        (
            [Setting("pos_label", ...), " one of [0]"],
            "pos_label=... one of [0]",
            "--pos-label ... one of [0]",
        ),
        ([Setting("tolerance"), " sets it"], "tolerance= sets it", "--tolerance sets it"),
        ([Setting("names", "old", "new")], 'names=("old", "new")', "--names old new"),
        ([Given("max_rules", 3)], "max_rules=3", "--max-rules 3"),
        ([Given("method", "a b")], "method='a b'", "--method 'a b'"),
        ([Argument("sample_weight"), " holds -1"], "sample_weight holds -1", "--weight holds -1"),
        ([Argument("m1"), "; ", Argument("y")], "m1; y", "--m1; --y"),
        # the command line has no such option
        ([Argument("X"), " and ", Given("alpha", 2)], "X and alpha=2", "X and alpha=2"),
        ([Setting("augment", "neighbours")], 'augment="neighbours"', 'augment="neighbours"'),
        ([Drop("score")], "X.drop(columns=['score'])", "--drop score"),
        ([Drop("a b", listed=False)], "X.drop(columns='a b')", "--drop 'a b'"),
        ([Drop("it's")], 'X.drop(columns=["it\'s"])', "--drop 'it'\"'\"'s'"),
        # what the user wrote is nobody's option
        ([Quoted("m1", "tolerance=3", 1)], "'m1', 'tolerance=3', 1", "'m1', 'tolerance=3', 1"),
        (["'y' and row 3"], "'y' and row 3", "'y' and row 3"),
        ([Quoted(b"y")], "b'y'", "b'y'"),
        ([Quoted("x" * 99)], repr("x" * 99), "'" + "x" * 59 + "…" + "x" * 19 + "'"),
        ([Foreign("m1 " * 3)], "m1 m1 m1 ", "m1 m1 m1 "),
        # rows are counted from 1
        ([Row(0), ", ", Row(1_999)], "row 0, row 1999", "row 1, row 2,000"),
        (["too", InPython(", for example y.astype(float)"), "."],
         "too, for example y.astype(float).", "too."),
        (["out of ", InPython("X", "the file")], "out of X", "out of the file"),
        ([Message("a ", Argument("m2")), Message(" b")], "a m2 b", "a --m2 b"),
        ([], "", ""),
    ],
)  # fmt: skip
def test_a_message_in_both_words(parts: list[Part], python: str, command: str) -> None:
    message = Message(*parts)
    assert (message, str(message)) == (python, python)
    assert Wording().text(message) == command


def test_a_message_is_text_and_keeps_its_parts() -> None:
    message = Message("a ", Argument("m2"))
    assert json.dumps([message]) == '["a m2"]'
    for same in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert same.parts == message.parts
        assert type(same) is Message


def test_beside_columns_there_is_no_drop() -> None:
    assert Wording(by_columns=True).text(Message(Drop("id"))) == "--columns without id"


def test_the_columns_of_an_error_are_named() -> None:
    words = Wording({"m1": "old", "y": "truth"})
    error = InputError(Argument("y"), " is not ", Argument("m2"), ": 'm1'.")
    assert words.error(error) == "--y is not --m2: 'm1'. (--y is the column 'truth'.)"
    assert words.error(InputError("--m1: it is gone.")) == "--m1: it is gone."


def test_an_error_has_fields() -> None:
    error = InputError(Given("tolerance", -1), ": too small, as ", Given("k", 3), hint="Take 1.")
    assert (error.argument, error.value, error.hint) == ("tolerance", -1, "Take 1.")
    assert str(error) == error.message == "tolerance=-1: too small, as k=3 Take 1."
    assert Wording().error(error) == "--tolerance -1: too small, as k=3 Take 1."
    bare = InputError("no row is left.")
    assert (bare.argument, bare.value, bare.hint) == (None, None, None)
    assert bare.args == ("no row is left.",)


@pytest.mark.parametrize("kind", [InputError, InputWarning])
def test_errors_and_warnings_cross_processes(kind: type[Exception]) -> None:
    again = pickle.loads(pickle.dumps(kind(Given("rows", 2), " at ", Row(1))))
    assert str(again) == "rows=2 at row 1"
    assert Wording().text(again.message) == "--rows 2 at row 2"


@pytest.mark.parametrize(
    "options, argument, value, command",
    [
        ({"tolerance": -1}, "tolerance", -1, "--tolerance -1: how far "),
        ({"max_depth": 0}, "max_depth", 0, "--max-depth 0: a whole number from 1 to 30 is needed."),
        ({"method": "best"}, "method", "best", "--method best is not known."),
        ({"outputs": "proba", "m1": ODD * 2.0}, "m1", None, "--m1 gave 2.0, which is not a prob"),
        ({"sample_weight": -ODD}, "sample_weight", None, "--weight holds -1.0 at row 2: "),
        ({"pos_label": 1}, "pos_label", 1, "--pos-label 1 names the class .* --outputs proba."),
        ({"max_rules": 3, "method": "imd"}, "max_rules", 3, "--max-rules 3 has no meaning with"),
        ({"m1": ODD[:-1]}, "m1", None, "--m1 gave 19 outputs for 20 rows"),
        ({"y": ODD[:-1]}, "y", None, "--y has 19 entries, its table has 20 rows"),
        ({"holdout": (X, ODD[:-1]), "m1": lambda _: ODD, "m2": lambda _: ODD}, "holdout", None,
         "the y in holdout has 19 entries"),
        ({"X": X["a"]}, "X", None, "X has 1 dimension"),
    ],
)  # fmt: skip
def test_what_the_library_raises_has_fields(
    options: dict[str, Any], argument: str, value: Any, command: str
) -> None:
    options = {"m1": ODD, "m2": 1 - ODD, "X": X, **options}
    with pytest.raises(InputError) as caught:
        imd.diff(options.pop("m1"), options.pop("m2"), options.pop("X"), **options)
    assert (caught.value.argument, caught.value.value) == (argument, value)
    words = Wording().error(caught.value)
    start, _, end = command.partition(" .* ")
    assert words.startswith(start)
    assert words.endswith(end)


def test_a_warning_keeps_its_parts() -> None:
    with pytest.warns(InputWarning) as caught:
        imd.diff(ODD / 3, ODD / 4, X)
    [warning] = [w.message for w in caught if "probabilities" in str(w.message)]
    assert 'outputs="proba" confirms this' in str(warning)
    assert isinstance(warning, InputWarning)
    assert "--outputs proba confirms this" in Wording().text(warning.message)


def test_no_message_is_searched_by_a_regular_expression() -> None:
    # a file that is read has patterns of its own: dates, and what pandas says about a CSV file
    cli = Path(imd.__file__).parent / "cli"
    for path in sorted(set(cli.glob("*.py")) - {cli / "reading.py"}):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = [
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ]
        assert "re" not in imported, path.name
