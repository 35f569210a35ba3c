"""What is special to a kind of output or of column lies in the module of the kind.

The tests read the source: a comparison with the name of a kind, or an isinstance test on the class
of a kind, outside the modules that define kinds is a place that a new kind would have to change.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import get_args

import pytest

import imd_widget
from imd_widget._base.kinds import OutputKind
from imd_widget.counting.channels import Channels
from imd_widget.data.columns import COLUMN_KINDS
from imd_widget.outputs import registry
from imd_widget.outputs.interface import Outputs
from imd_widget.rules.conditions import Condition

SOURCE = Path(imd_widget.__file__).parent

OUTPUT_NAMES = frozenset(get_args(OutputKind))
#: Packages in which tests on the kind of output are justified, and why.
OUTPUT_EXCEPTIONS = {
    "counting/": "defines the channels of each kind, and lies below outputs",
    "models/": 'calls predict_proba for outputs="proba", and lies below outputs',
}
COLUMN_NAMES = frozenset(COLUMN_KINDS)
COLUMN_CLASSES = frozenset(kind.__name__ for kind in COLUMN_KINDS.values())
#: Modules in which tests on the kind of column are justified, and why.
COLUMN_EXCEPTIONS = {
    "data/features.py": "features have kinds of their own",
    "learners/meta_trees/export.py": "the same",
    "learners/meta_trees/features.py": "the same",
    "learners/meta_trees/questions.py": "the same",
    "data/binning.py": "encodes categories by the distinct values that describe them",
    "data/summaries.py": "describes a column, which decides its kind",
    "rules/conditions.py": "a kind of column has its own kind of condition",
}
CONDITION_CLASSES = frozenset(kind.__name__ for kind in get_args(Condition))


def subclasses(kind: type) -> Iterator[type]:
    for own in kind.__subclasses__():
        yield own
        yield from subclasses(own)


OUTPUT_CLASSES = frozenset(own.__name__ for base in (Outputs, Channels) for own in subclasses(base))


def kind_checks(
    tree: ast.AST, names: Collection[str], classes: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Line and source of each comparison with a kind's name and each test on a kind's class."""
    for node in ast.walk(tree):
        found: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            found = [node.left, *node.comparators]
            found += [own for one in found for own in getattr(one, "elts", ())]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass"):
                found = list(ast.walk(node.args[1]))
        elif isinstance(node, ast.match_case):
            found = list(ast.walk(node.pattern))
        if any(_is_kind(one, names, classes) for one in found):
            yield getattr(node, "lineno", 0), ast.unparse(node)


def _is_kind(node: ast.AST, names: Collection[str], classes: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in names
    if isinstance(node, ast.Attribute):
        return node.attr in classes and ast.unparse(node.value) != "pd"  # pd.Interval is another
    return isinstance(node, ast.Name) and node.id in classes


def found_in(
    root: Path, names: Collection[str], classes: Collection[str], own: Collection[str]
) -> dict[str, list[tuple[int, str]]]:
    """The tests on kinds of each file below ``root`` that is not one of the kinds' ``own``."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if any(name.startswith(folder) for folder in own):
            continue
        tests = list(kind_checks(ast.parse(path.read_text("utf-8")), names, classes))
        if tests:
            found[name] = tests
    return found


def test_output_kinds_are_told_apart_in_outputs_only() -> None:
    own = ("outputs/", *OUTPUT_EXCEPTIONS)
    assert found_in(SOURCE, OUTPUT_NAMES, OUTPUT_CLASSES, own) == {}


@pytest.mark.parametrize("folder", OUTPUT_EXCEPTIONS)
def test_an_exception_for_outputs_is_needed(folder: str) -> None:
    found = found_in(SOURCE, OUTPUT_NAMES, OUTPUT_CLASSES, own=())
    assert any(name.startswith(folder) for name in found)


def test_column_kinds_are_told_apart_in_columns_only() -> None:
    own = ("data/columns.py", *COLUMN_EXCEPTIONS)
    assert found_in(SOURCE, COLUMN_NAMES, COLUMN_CLASSES, own) == {}


@pytest.mark.parametrize("file", COLUMN_EXCEPTIONS)
def test_an_exception_for_columns_is_needed(file: str) -> None:
    assert file in found_in(SOURCE, COLUMN_NAMES, COLUMN_CLASSES, own=())


def test_conditions_are_told_apart_by_the_languages_only() -> None:
    assert (
        found_in(
            SOURCE, (), CONDITION_CLASSES, own=("rules/languages.py", "rules/derived_languages.py")
        )
        == {}
    )


@pytest.mark.parametrize(
    "source",
    [
        'outputs.kind == "value"',
        '"value" != kind',
        'kind in ("proba", "value")',
        "isinstance(outputs, ClassOutputs)",
        "isinstance(outputs, base.ValueOutputs | None)",
        "issubclass(kind, (int, ClassChannels))",
        "type(outputs) is ProbabilityOutputs",
        'match kind:\n    case "class" | "proba":\n        pass',
        "match outputs:\n    case ValueOutputs():\n        pass",
    ],
)
def test_a_test_on_a_kind_is_noticed(source: str) -> None:
    assert list(kind_checks(ast.parse(source), OUTPUT_NAMES, OUTPUT_CLASSES))


@pytest.mark.parametrize(
    "source", ['node["value"]', 'kind="class"', "made(ClassOutputs, plain)", 'kind == "leaf"']
)
def test_what_is_no_test_on_a_kind_is_not(source: str) -> None:
    assert not list(kind_checks(ast.parse(source), OUTPUT_NAMES, OUTPUT_CLASSES))


def test_every_output_kind_is_registered_under_its_own_name() -> None:
    assert tuple(registry.OUTPUT_SPECS) == get_args(OutputKind)
    assert all(spec.kind == name for name, spec in registry.OUTPUT_SPECS.items())


def test_a_kind_that_no_release_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="kind is 'ranking'"):
        registry.outputs_from_plain({"kind": "ranking"})
