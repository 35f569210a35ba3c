"""What results are in Python: they cannot be changed, and they print as a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.rules.tree_text import tree_text

RNG = np.random.default_rng(0)
N = 400
X = pd.DataFrame(
    {
        "a": RNG.integers(0, 9, N).astype(float),
        "b": RNG.normal(size=N),
        "c": RNG.choice(["u", "v", "w"], N),
    }
)
X.loc[::11, "c"] = None


def old(table: pd.DataFrame) -> Any:
    return np.where(table["a"] > 3, "yes", "no")


def new(table: pd.DataFrame) -> Any:
    return np.where((table["a"] > 5) & (table["c"] != "u"), "no", old(table))


def value(table: pd.DataFrame) -> Any:
    return table["a"] * 2.0


def other_value(table: pd.DataFrame) -> Any:
    return table["a"] * 2.0 + np.where(table["c"] == "u", 3, table["b"] / 10)


def diffs() -> dict[str, imd.ModelDiff]:
    truth = old(X)
    groups = np.arange(N) // 4
    weight = RNG.integers(1, 4, N)
    options: dict[str, Any] = {"measure": "holdout", "by": "c"}
    return {
        "class": imd.diff(old, new, X, y=truth, sample_weight=weight, groups=groups, **options),
        "imd": imd.diff(old, new, X, method="imd"),
        "value": imd.diff(value, other_value, X, y=value(X), outputs="value", tolerance=1.0),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """Results of every kind, by name."""
    found: dict[str, Any] = {}
    for name, d in diffs().items():
        e = d.explain(row=3)
        parts = {
            "diff": d,
            "changed": d.change(max_depth=2),
            "cohort": d.cohort("a > 2"),
            "of a mask": d.cohort(np.asarray(X["a"] > 2)),
            "stability": d.stability(2),
            "explanation": e,
            "curves": e.curves(None),
            "own grid": e.partial_dependence("a", grid=[1, 2]),
            "ice": e.ice("a"),
            "reasons": e.reasons(),
            "trace": d.trace(3),
            "histograms": d.histograms([0]),
        }
        if d.method == "calibrated":
            parts["alternatives"] = d.alternatives()
        found.update({f"{part} of {name}": own for part, own in parts.items()})
    models = {"old": old, "new": new, "third": lambda table: np.where(table["b"] > 0, "yes", "no")}
    c = imd.compare(models, X, y=old(X))
    return {**found, "comparison": c, "pair": c["old", "new"], "rest": c.against_rest("new")}


def attributes(result: Any) -> Iterator[tuple[str, Any, Any]]:
    """The public attributes of a result, each read twice."""
    names = {name for name in dir(type(result)) if not name.startswith("_")}
    if is_dataclass(result):
        names |= {field.name for field in fields(result) if not field.name.startswith("_")}
    for name in sorted(names):
        try:
            one = getattr(result, name)
        except ValueError:  # an attribute that this result does not have
            continue
        if not callable(one) or isinstance(one, np.ndarray):
            yield name, one, getattr(result, name)


def shared(result: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any, Any]]:
    """Arrays and frames that a result hands out, directly or in its parts, each read twice."""
    if id(result) in seen:
        return
    seen.add(id(result))
    if isinstance(result, tuple | list):
        parts = [(f"[{at}]", own, own) for at, own in enumerate(result)]
    elif type(result).__module__.startswith("imd_widget"):
        parts = [(f".{name}", one, two) for name, one, two in attributes(result)]
    else:
        return
    for name, one, two in parts:
        # the user's own table is the user's; rows, figures and diffs are for the package's own use
        internal = (
            ".native",
            ".models",
            ".rows",
            ".figures",
            ".diffs",
            ".explanations",
            ".surrogate_room",
        )
        if path.endswith(".table") or name in internal:
            continue
        if isinstance(one, np.ndarray | pd.DataFrame | pd.Series):
            yield path + name, one, two
        else:
            yield from shared(one, path + name, seen)


def test_no_array_of_a_result_can_be_changed(made: dict[str, Any]) -> None:
    found = 0
    for name, result in made.items():
        for path, one, two in shared(result, name, set()):
            found += 1
            if isinstance(one, np.ndarray):
                fresh = one is not two and not np.shares_memory(one, two)
                assert fresh or not one.flags.writeable, f"{path} can be written to"
            else:
                assert one is not two, f"{path} is the frame that the result keeps"
    assert found > 300


def test_a_frame_of_predictions_is_a_copy() -> None:
    d = imd.diff(old, new, X)
    before = d.predictions
    changed = d.predictions
    changed.iloc[:, 0] = "maybe"
    pd.testing.assert_frame_equal(d.predictions, before)


def test_what_was_tried_first_says_so() -> None:
    d = imd.diff(old, new, X)
    for name in ("differs", "kept_aside"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(d, name)[:] = True
    with pytest.raises(ValueError, match="read-only"):
        d.cohort("a > 2").mask[:] = True
    with pytest.raises(ValueError, match="read-only"):
        d.tree.cut[:] = 0


def test_a_mask_that_the_user_changes_later_is_not_the_cohorts() -> None:
    mask = np.array(X["a"] > 2)
    found = imd.diff(old, new, X).cohort(mask)
    mask[:] = False
    assert found.mask.sum() == found.rows


def test_a_tree_prints_as_questions() -> None:
    d = imd.diff(old, new, X, test_size=0)
    lines = str(d.tree).splitlines()
    assert lines[0] == f"all {N} rows, {100 * d.metrics.disagreement:.0f} % differ"
    # a line for each answer, and one or two for each place where the surrogates part
    answers = [line for line in lines if " rows, " in line]
    n_splits = int((d.tree.kind == 0).sum())
    assert len(answers) == 1 + 2 * n_splits
    region = next(line for line in lines if "c is missing or not u" in line)
    inside = (X["a"] > 5) & (X["c"] != "u")
    assert f"({inside.sum()} rows, 100 % differ)" in region
    assert lines[lines.index(region) + 1].endswith("|-- m1: yes, m2: no")
    assert region.startswith("|   |-- ")


@pytest.mark.parametrize("method", ["calibrated", "imd", "separate", "direct"])
def test_every_leaf_of_a_printed_tree_has_its_output(method: Any) -> None:
    d = imd.diff(value, other_value, X, outputs="value", tolerance=1.0, method=method)
    tree = d.tree
    text = str(tree)
    for node in range(tree.n_nodes):
        if tree.kind[node] == 2:
            assert f": {tree.outputs.leaf_text(tree, node)}" in text


def test_a_large_tree_prints_in_few_lines() -> None:
    noise = RNG.random((2, 3000)) < 0.5
    table = pd.DataFrame(RNG.normal(size=(3000, 6)))
    d = imd.diff(*noise.astype(int), table, method="imd", max_depth=9, min_samples_leaf=1)
    assert d.tree.n_nodes > 250
    assert len(str(d.tree).splitlines()) == 200
    assert str(d.tree).splitlines()[-1].endswith(" more lines")
    assert len(tree_text(d.tree, most_lines=10**6).splitlines()) > 200
    shown = repr(d.tree).splitlines()
    assert shown[0] == f"<JointTree of {d.tree.n_nodes} nodes, {d.tree.depth} questions deep"
    assert len(shown) <= 21
    assert any(line.endswith("|-- ...") for line in shown)


def test_nodes_of_a_rule_are_the_shared_nodes_inside_it() -> None:
    for d in diffs().values():
        for rule in d.rules:
            for node in rule.nodes:
                assert node.startswith(rule.node)
                assert not (d.reaches(node) & ~rule.mask(X)).any()


def test_stability_prints_a_line_for_each_rule() -> None:
    d = imd.diff(old, new, X)
    found = d.stability(4)
    text = d.to_frame()["rule"][0]
    line = f"  0. {text}: found in {found.found[0]} of 4 resamples, overlap {found.overlap[0]:.2f}"
    assert str(found).splitlines()[0] == line
    assert len(str(found).splitlines()) == len(d.rules)
    again = "1 of 1 rules were found again in at least half of 4 resamples"
    assert repr(found) == f"<Stability: {again}>"
    assert str(imd.diff(old, old, X).stability(2)) == "no rules"


def test_a_diff_shows_and_tabulates_itself() -> None:
    d = imd.diff(old, new, X)
    pd.testing.assert_frame_equal(d.to_frame(), d.rules.to_frame())
    widget = d.show(height=300, picture=False)
    assert isinstance(widget, imd.DiffWidget)
    assert widget.diff is d
    assert widget.height == 300
    c = imd.compare([old, new], X)
    assert isinstance(c.show(picture=False), imd.ComparisonWidget)


def test_an_option_that_cannot_be_changed_is_said() -> None:
    d = imd.diff(old, new, X)
    says = (
        r"columns cannot be changed in a diff: d.change takes max_depth, sensitivity, given, "
        r"scores, max_rules, tolerance, method and alpha. Make the diff again: "
        r"imd.diff\(m1, m2, X, columns=...\)"
    )
    with pytest.raises(imd.InputError, match=says) as caught:
        d.change(columns=["a"])
    assert caught.value.argument == "columns"


@pytest.mark.parametrize("name", ["calibrated", "imd", "separate", "direct"])
def test_another_method_gives_the_diff_of_that_method(name: Any) -> None:
    calls: list[int] = []

    def model(table: Any) -> Any:
        calls.append(len(table))
        return old(table)

    first = imd.diff(model, new, X, max_depth=4, names=("old", "new"))
    n_calls = len(calls)
    changed = first.change(method=name)
    assert len(calls) == n_calls
    again = imd.diff(old, new, X, max_depth=4, method=name)
    assert (changed.method, str(changed.rules)) == (name, str(again.rules))
    assert changed.summary() == again.summary()
    assert str(changed.change(method="calibrated").rules) == str(first.rules)


def test_alpha_comes_with_the_method_of_the_paper() -> None:
    d = imd.diff(old, new, X)
    parted = d.change(method="imd", alpha=1)
    assert parted.fitted_method.alpha == 1
    assert parted.tree.ids[1:3] == ("r1", "r2")
    assert parted.change(alpha="auto").fitted_method.alpha is None
    with pytest.raises(imd.InputError, match=r"alpha=0.5 has no meaning with method=.calibrated"):
        d.change(alpha=0.5)
    with pytest.raises(imd.InputError, match=r"method='best' is not known. Choose one of cal"):
        d.change(method="best")  # type: ignore[arg-type]
