"""Each kind of output is one OutputSpec: it is chosen, checked, written and read through it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import imd_widget as imd
from imd_widget.export.json_format.reading import diff_of
from imd_widget.export.json_format.writing import file_text
from imd_widget.outputs.base import ComparisonInput
from imd_widget.outputs.registry import OUTPUT_SPECS, hedge, outputs_from_plain

X = np.arange(200, dtype=float).reshape(200, 1)
PAIRS: dict[str, tuple[Any, Any]] = {
    "class": (X[:, 0] < 40, X[:, 0] < 60),
    "proba": (X[:, 0] / 200, np.sqrt(X[:, 0] / 200)),
    "value": (X[:, 0] * 3, X[:, 0] * 4),
}


def diff_of_kind(kind: str) -> imd.ModelDiff:
    return imd.diff(*PAIRS[kind], X, outputs=kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"outputs": "class", "tolerance": 1}, "tolerance=1 has no meaning for classes"),
        ({"outputs": "class", "pos_label": 1}, "pos_label=1 names the class"),
        ({"outputs": "proba", "tolerance": 1}, "tolerance=1: two probabilities are never more"),
    ],
)
def test_options_are_checked_before_a_model_is_called(
    options: dict[str, Any], message: str
) -> None:
    calls: list[Any] = []

    def model(table: Any) -> Any:
        calls.append(table)
        return np.zeros(len(table))

    with pytest.raises(imd.InputError, match=message):
        imd.diff(model, model, X, **options)
    assert not calls


def test_the_first_kind_that_claims_outputs_compares_them(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed: list[str] = []

    def claims(name: str, answer: bool) -> Any:
        def claim(case: ComparisonInput) -> bool:
            claimed.append(name)
            return answer

        return claim

    for name, answer in (("class", False), ("proba", False), ("value", True)):
        spec = replace(OUTPUT_SPECS[name], claims=claims(name, answer))
        monkeypatch.setitem(OUTPUT_SPECS, name, spec)
    assert imd.diff(*PAIRS["class"], X).outputs == "value"
    assert claimed == ["class", "proba", "value"]
    assert imd.diff(*PAIRS["class"], X, outputs="class").outputs == "class"
    assert claimed == ["class", "proba", "value"]  # the user named the kind


@pytest.mark.parametrize("kind", OUTPUT_SPECS)
def test_outputs_come_back_from_plain_values(kind: str) -> None:
    outputs = diff_of_kind(kind).tree.outputs
    plain = json.loads(json.dumps(outputs.to_plain()))
    assert plain["kind"] == kind == outputs.kind
    again = outputs_from_plain(plain)
    assert type(again) is type(outputs)
    assert again.to_plain() == outputs.to_plain()


@pytest.mark.parametrize("kind", OUTPUT_SPECS)
def test_counts_of_another_kind_are_refused(kind: str) -> None:
    plain = json.loads(file_text(diff_of_kind(kind)))
    other = "value" if kind == "class" else "class"
    plain["counted"] = json.loads(file_text(diff_of_kind(other)))["counted"]
    with pytest.raises(ValueError, match="outputs and counts are of different kinds"):
        diff_of(plain)


@pytest.mark.parametrize("kind", OUTPUT_SPECS)
def test_the_options_of_outputs_compare_them_again(kind: str) -> None:
    d = diff_of_kind(kind)
    again = imd.diff(
        d.predictions.iloc[:, 0].to_numpy(),
        d.predictions.iloc[:, 1].to_numpy(),
        X,
        **d.tree.outputs.options,
    )
    assert d.differs.any()
    np.testing.assert_array_equal(again.differs, d.differs)


def test_only_a_mean_of_values_is_hedged() -> None:
    assert {kind: hedge(kind) for kind in ("class", "proba", "value")} == {
        "class": "",
        "proba": "",
        "value": "about ",
    }
    for kind in OUTPUT_SPECS:
        d = diff_of_kind(kind)
        said = d.rules[0].said[0]
        assert said.startswith("about ") == (kind == "value")
