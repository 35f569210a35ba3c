"""Write js/protocol/schema.ts from the dataclasses and messages of imd_widget.views.schema.

Run it after a change of a record: python tools/generate_schema.py
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from imd_widget._base.plain import Absent, json_names
from imd_widget.views import schema

FILE = Path(__file__).parents[1] / "js" / "protocol" / "schema.ts"
#: Columns of a line, as biome formats it.
WIDTH = 100

_HEAD = """\
// Generated from src/imd_widget/views/schema.py by tools/generate_schema.py: do not edit.
"""
_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", Any: "unknown"}
_SIMPLE |= {type(None): "null"}
#: TypeScript can say which fields there are and of what type, where Python's types cannot.
_COLUMNS = """\
export interface Columns<T> {
  count: number;
  fields: { [F in keyof T]?: T[F][] | null };
}"""


def schema_text() -> str:
    """The whole of js/protocol/schema.ts."""
    parts = [_HEAD.rstrip("\n"), *_literals(), *map(_interface, records()), *_messages()]
    return "\n\n".join(parts) + "\n"


def records() -> list[type[Any]]:
    """The records of the schema, each followed by those of other modules that it contains."""
    found: dict[type[Any], None] = {}
    for value in vars(schema).values():
        if _is_sent(value) and value.__module__ == schema.__name__:
            _add(value, found)
    return list(found)


def _is_sent(value: Any) -> bool:
    """Whether a class has fields in JSON; `Done`, an answer without fields, is one."""
    if not isinstance(value, type) or not is_dataclass(value) or value is schema.MessageSpec:
        return False
    return bool(json_names(value)) or value is schema.Done


def _add(record: type[Any], found: dict[type[Any], None]) -> None:
    if record in found:
        return
    found[record] = None
    hints = get_type_hints(record)
    parts = [*record.__bases__, *(hints[name] for name in json_names(record))]
    for part in [one for hint in parts for one in _inside(hint)]:
        if _is_sent(part) and part.__module__ != schema.__name__:
            _add(part, found)


def _inside(hint: Any) -> Iterator[Any]:
    """A type and the types that it is made of."""
    yield hint
    for part in get_args(hint):
        yield from _inside(part)


# --- comments -------------------------------------------------------------------------------------


@cache
def _comments(module: str) -> Mapping[str, str]:
    """Comments that begin with ``#:``, by name: "Order", and for a field "Filters.order"."""
    text = inspect.getsource(sys.modules[module])
    lines, body = text.splitlines(), ast.parse(text).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    names = {
        node.targets[0].id: node
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    fields = {
        f"{own.name}.{node.target.id}": node
        for own in classes
        for node in own.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return {name: _comment(lines, node) for name, node in (names | fields).items()}


def _comment(lines: Sequence[str], node: ast.stmt) -> str:
    """The lines that begin with ``#:`` directly above a statement, as one."""
    found: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.lstrip().startswith("#: "):
            break
        found.insert(0, line.lstrip().removeprefix("#: "))
    return _in_typescript(" ".join(found))


def _attributes(record: type[Any]) -> dict[str, str]:
    """The entries of the section "Attributes" of a docstring, by the first name of each."""
    _, _, section = (inspect.getdoc(record) or "").partition("Attributes\n----------\n")
    section = re.split(r"\n\n\w+\n---", section)[0]
    entries = re.findall(r"^(\w+)[^\n]*((?:\n    .*)*)", section, re.MULTILINE)
    return {name: _in_typescript(" ".join(text.split())) for name, text in entries}


def _in_typescript(text: str) -> str:
    """A comment of Python in the notation of TypeScript."""
    return re.sub(r"\bNone\b", "null", text).replace("``", "`")


def _named_comment(name: str) -> str:
    modules = dict.fromkeys(record.__module__ for record in records())
    return next((own[name] for own in map(_comments, modules) if own.get(name)), "")


# --- types ----------------------------------------------------------------------------------------


def ts_type(hint: Any) -> str:
    """A type of Python, as TypeScript says it."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in _NAMED:
        return _NAMED[hint]
    if is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in args)
    if origin in (Union, types.UnionType):
        return " | ".join(map(ts_type, args))
    if origin is list or (origin is tuple and args[-1] is Ellipsis):
        item = ts_type(args[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(ts_type, args))}]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        record = f"Record<{ts_type(args[0])}, {ts_type(args[1])}>"
        return record if args[0] is str else f"Partial<{record}>"
    if is_dataclass(origin) and isinstance(origin, type):
        return f"{origin.__name__}<{', '.join(map(ts_type, args))}>"
    if hint not in _SIMPLE:
        raise TypeError(f"{hint!r} has no counterpart in TypeScript: add it to ts_type.")
    return _SIMPLE[hint]


def _named() -> dict[Any, str]:
    """The names of Literal types: those of the schema, then those that other records use."""
    found = {hint: name for name, hint in vars(schema).items() if get_origin(hint) is Literal}
    for record in records():
        used = [part for hint in get_type_hints(record).values() for part in _inside(hint)]
        for name, hint in vars(sys.modules[record.__module__]).items():
            if get_origin(hint) is Literal and hint in used:
                found.setdefault(hint, name)
    return found


_NAMED = _named()


def _literals() -> Iterator[str]:
    for hint, name in _NAMED.items():
        values = [json.dumps(value) for value in get_args(hint)]
        yield f"{_doc(_named_comment(name))}{_union(name, values)}"


def _interface(record: type[Any]) -> str:
    doc = _doc((inspect.getdoc(record) or "").split("\n\n")[0])
    if record is schema.Columns:
        return f"{doc}{_COLUMNS}"
    if record is schema.Done:
        return f"{doc}export type Done = object;"
    parents = [base.__name__ for base in record.__bases__ if _is_sent(base)]
    hints, described = get_type_hints(record), _attributes(record)
    lines = [
        f"export interface {record.__name__}{' extends ' * bool(parents)}{', '.join(parents)} {{"
    ]
    for name in json_names(record):
        if name not in inspect.get_annotations(record):
            continue
        options = [hint for hint in get_args(hints[name]) if hint is not Absent]
        optional = Absent in get_args(hints[name])
        comment = _comments(record.__module__).get(f"{record.__name__}.{name}")
        lines += _doc(comment or described.get(name, ""), indent=2).splitlines()
        hint = ts_type(Union[*options] if optional else hints[name])
        lines.append(f"  {name}{'?' * optional}: {hint};")
    return doc + "\n".join([*lines, "}"])


# --- messages -------------------------------------------------------------------------------------


def _messages() -> Iterator[str]:
    messages = schema.MESSAGES.values()
    requests = [message.request.__name__ for message in messages]
    yield f"{_doc('Work that the front-end asks of Python ...')}{_union('Work', requests)}"
    yield f"{_doc('... under an id.')}export type Request = Work & Identified;"
    answers = "".join(f"  {message.kind}: {message.answer.__name__};\n" for message in messages)
    comment = _doc("What comes back beside the id, by kind.")
    yield f"{comment}export interface Answers {{\n{answers}}}"
    parts = dict.fromkeys(m.answer.__name__ for m in messages if m.answer is not schema.Done)
    every = " &\n      ".join(["Refusal", *parts])
    # in the lines that biome gives it
    yield f"export type Answer = Identified &\n  Partial<\n    {every}\n  >;"
    yield "export type AnswerTo<K extends MessageKind> = Answer & Answers[K];"
    buttons = [json.dumps(message.kind) for message in messages if message.button]
    comment = "Work that a button of the toolbar asks for, which shows that it is under way."
    yield f"{_doc(comment)}{_union('ButtonWork', buttons)}"
    changing = [json.dumps(message.kind) for message in messages if message.changes]
    comment = _doc("Work that leaves another state of the traits behind.")
    yield f"{comment}{_array('CHANGING', 'readonly MessageKind[]', changing)}"


# --- form -----------------------------------------------------------------------------------------


def _doc(text: str, indent: int = 0) -> str:
    """A comment in the form of JSDoc, "" for none."""
    text, space = " ".join(text.split()), " " * indent
    if not text:
        return ""
    if len(text) + indent + 7 <= WIDTH:
        return f"{space}/** {text} */\n"
    lines = textwrap.wrap(text, WIDTH - indent - 3)
    return "\n".join([f"{space}/**", *(f"{space} * {line}" for line in lines), f"{space} */\n"])


def _union(name: str, members: Sequence[str]) -> str:
    line = f"export type {name} = {' | '.join(members)};"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"export type {name} =", *(f"  | {member}" for member in members)]) + ";"


def _array(name: str, hint: str, items: Sequence[str]) -> str:
    line = f"export const {name}: {hint} = [{', '.join(items)}];"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"export const {name}: {hint} = [", *(f"  {item}," for item in items), "];"])


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(schema_text(), encoding="utf-8")
    print(f"{FILE} written")
