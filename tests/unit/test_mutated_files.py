"""Damaged files: each either loads to something that can be used, or is refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import imd_widget as imd
from imd_widget import InputError
from imd_widget.learners import MetaTree
from tests.unit.example_comparisons import COMPARISONS
from tests.unit.example_views import EXAMPLES
from tests.unit.meta_examples import club, fitted_classes, fitted_club, fitted_odd, odd_table
from tests.unit.mutations import mutants


def loads_or_is_refused(load: Callable[[], Any], use: Callable[[Any], None], what: str) -> bool:
    """Whether a file was read; an error that is no `InputError` fails, then or in its use."""
    try:
        loaded = load()
    except InputError:
        return False
    try:
        use(loaded)
    except InputError:  # such as a column that the file renamed, and that the table lacks
        return True
    except Exception as error:
        raise AssertionError(f"it was read, and then not usable: {what}") from error
    return True


def use_diff(d: imd.ModelDiff) -> None:
    assert d.summary() in repr(d) or repr(d)
    str(d.rules)
    d.rules.to_frame()
    for rule in d.rules:
        assert 0 <= rule.interval[0] <= rule.interval[1] <= 1
    assert 0 <= d.metrics.precision <= 1


def use_comparison(c: imd.ModelComparison) -> None:
    repr(c)
    c.summary()
    assert c.disagreement.to_numpy().max() <= 1


@pytest.mark.parametrize("name", ["cancer", "values", "judged"])
def test_a_mutated_diff_is_read_whole_or_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "diff.json"
    plain = json.loads(EXAMPLES[name]().save(file).read_text(encoding="utf-8"))
    read = []
    for what, mutant in mutants(plain, 200):
        file.write_text(json.dumps(mutant), encoding="utf-8")
        read.append(loads_or_is_refused(lambda: imd.load(file), use_diff, what))
    assert 10 < sum(read) < 150, "some mutations matter, and some do not"


@pytest.mark.parametrize("name", ["six", "prices"])
def test_a_mutated_comparison_is_read_whole_or_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "compare.json"
    plain = json.loads(COMPARISONS[name]().save(file).read_text(encoding="utf-8"))
    for what, mutant in mutants(plain, 80):
        file.write_text(json.dumps(mutant), encoding="utf-8")
        loads_or_is_refused(lambda: imd.load(file), use_comparison, what)


MODELS = {"club": fitted_club, "odd": fitted_odd, "classes": fitted_classes}


def rows_of(name: str) -> Any:
    X = club().ratings[club().film_columns] if name == "club" else odd_table()[0]
    return X.iloc[:30]


def use_tree(tree: MetaTree, X: Any) -> None:
    repr(tree)
    str(tree)
    for rule in tree.rules():
        str(rule)
    tree.to_record()
    assert MetaTree.from_dict(tree.to_dict()).rules() == tree.rules()
    tree.predict(X)


@pytest.mark.parametrize("name", MODELS)
def test_a_mutated_tree_is_read_whole_or_refused(name: str, tmp_path: Path) -> None:
    model, X = MODELS[name](), rows_of(name)
    tree = max((model.tree_of(group) for group in model.groups_), key=lambda one: one.n_leaves)
    file = tmp_path / "tree.json"
    for what, mutant in mutants(tree.to_dict(), 80):
        file.write_text(json.dumps(mutant), encoding="utf-8")
        loads_or_is_refused(lambda: MetaTree.load(file), lambda tree: use_tree(tree, X), what)


def use_model(model: Any, name: str) -> None:
    X = rows_of(name)
    repr(model)
    group = model.groups_[0]
    for routing in ("hard", "soft"):
        model.predict(X, groups=[group] * len(X), routing=routing)
    use_tree(model.tree_of(group), X)
    seen = [3.0, 4.0] if model.targets_.classes is None else list(model.targets_.classes[:2])
    model.tree_for(X.iloc[:2], seen)


@pytest.mark.parametrize("name", MODELS)
def test_a_mutated_model_is_read_whole_or_refused(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    file = tmp_path / "model.npz"
    model.save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    about = json.loads(arrays["about.json"].tobytes())
    read = []
    for what, mutant in mutants(about, 100):
        text = np.frombuffer(json.dumps(mutant).encode(), dtype=np.uint8)
        np.savez(file, **{**arrays, "about.json": text})
        read.append(
            loads_or_is_refused(
                lambda: type(model).load(file), lambda model: use_model(model, name), what
            )
        )
    assert 5 < sum(read) < 75


#: What may happen to an array.
DAMAGE: dict[str, Callable[[Any], Any]] = {
    "cut": lambda array: np.atleast_1d(array)[:-1],
    "text": lambda array: array.astype(str),
    "not a number": lambda array: np.full(array.shape, np.nan),
    "flat": lambda array: array.reshape(-1),
    "deep": lambda array: array[..., None],
    "negative": lambda array: array * 0 - 5,
}


@pytest.mark.parametrize("how", [*DAMAGE, "gone"])
def test_a_model_with_a_damaged_array_is_read_whole_or_refused(how: str, tmp_path: Path) -> None:
    model = fitted_club()
    file = tmp_path / "model.npz"
    model.save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    for name in arrays:
        rest = {other: array for other, array in arrays.items() if other != name}
        if how != "gone":
            rest[name] = DAMAGE[how](arrays[name])
        np.savez(file, **rest)
        loads_or_is_refused(
            lambda: type(model).load(file), lambda model: use_model(model, "club"), f"{name} {how}"
        )


def change(plain: Any, path: tuple[Any, ...], value: Any) -> None:
    *parents, last = path
    for step in parents:
        plain = plain[step]
    plain[last] = value


@pytest.mark.parametrize(
    "path, value, message",
    [
        (("metrics", "precision"), 1.5, "precision is 1.5, and 1 is the most that it can be"),
        (("metrics", "recall"), -0.25, "recall is -0.25, and 0 is the least"),
        (("metrics", "mcc"), -2, "mcc is -2, and -1 is the least"),
        (("rules", 0, "coverage"), 12.5, "coverage is 12.5, and 1 is the most"),
        (("rules", 0, "differing_weight"), 1e300, "differing_weight is 1e"),
        (("rules", 0, "weight"), -146, "differing_weight is"),
        (("rules", 0, "differing"), 1 << 40, "differing is 1099511627776"),
    ],
)
def test_an_impossible_figure_of_a_diff_is_named(
    path: tuple[Any, ...], value: Any, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "diff.json"
    plain = json.loads(EXAMPLES["cancer"]().save(file).read_text(encoding="utf-8"))
    change(plain, path, value)
    file.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read: ") as error:
        imd.load(file)
    assert message in str(error.value)


def test_a_comparison_without_a_best_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "compare.json"
    plain = json.loads(COMPARISONS["six"]().save(file).read_text(encoding="utf-8"))
    for model in plain["scores"]["models"]:
        model["best"] = False
    file.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read: no model is the best one"):
        imd.load(file)


def test_a_model_without_its_class_is_refused(tmp_path: Path) -> None:
    model, file = fitted_club(), tmp_path / "model.npz"
    model.save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    about = json.loads(arrays["about.json"].tobytes())
    del about["class"]
    np.savez(file, **{**arrays, "about.json": np.frombuffer(json.dumps(about).encode(), np.uint8)})
    with pytest.raises(InputError, match=r"is not a file that save wrote \(KeyError: 'class'\)"):
        type(model).load(file)
