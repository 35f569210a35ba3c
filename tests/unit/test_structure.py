"""The structure of the sources: what one module may know of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import imd_widget

SOURCES = sorted(Path(imd_widget.__file__).parent.rglob("*.py"))


#: Methods of named tuples, and members of other libraries that have no public counterpart.
ALLOWED = {"_replace", "_getframe", "_ActionsContainer", "_get_param_names"}


def private_uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines where a private member is used that no class of the module defines."""
    own = {node.attr for node in ast.walk(tree) if _is_own(node)} | ALLOWED
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            own |= {name for statement in node.body for name in _defined(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
            yield node.lineno, node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("imd_widget"):
            for alias in node.names:
                if _is_private(alias.name) and alias.name != "_base":
                    yield node.lineno, alias.name


def _defined(statement: ast.stmt) -> list[str]:
    """The names that a statement in the body of a class defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _is_own(node: ast.AST) -> bool:
    """Whether an attribute is used of ``self`` or ``cls``."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return False
    return node.value.id in ("self", "cls")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_no_module_uses_private_members_of_another() -> None:
    found = [
        f"{path.name}:{line}: {name}"
        for path in SOURCES
        for line, name in private_uses(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_a_private_member_of_another_module_is_found() -> None:
    tree = ast.parse("from imd_widget.data.table import _open\nd._results\nself._own\n")
    assert [name for _, name in private_uses(tree)] == ["_open", "_results"]


def test_a_class_name_occurs_once() -> None:
    """A reader who finds the name of a class need not look for which module is meant."""
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not _is_private(node.name):
                places.setdefault(node.name, []).append(path.name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
