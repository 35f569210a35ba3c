"""Write js/protocol/schema.ts from the TypedDicts and messages of imd_widget.views.schema.

Run it after a change of the schema: python tools/generate_schema.py
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from imd_widget.explain import schema as explained
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
    source = _Source.read()
    parts = [_HEAD.rstrip("\n"), *_literals(source), *_interfaces(source), *_messages()]
    return "\n\n".join(parts) + "\n"


# --- what the source of the schema says and its types do not --------------------------------------


@dataclass(frozen=True)
class _Class:
    """Bases and own fields of a TypedDict, with the comments of the fields."""

    bases: list[str]
    fields: dict[str, str]


@dataclass(frozen=True)
class _Source:
    """Comments, bases and own fields, read from the text of the module.

    Attributes
    ----------
    comments : dict of str to str
        Of names at the top of the module.
    classes : dict of str to _Class
    """

    comments: dict[str, str]
    classes: dict[str, _Class]

    @classmethod
    def read(cls) -> _Source:
        own, imported = cls._of(schema), cls._of(explained)
        return cls(own.comments, {**imported.classes, **own.classes})

    @classmethod
    def _of(cls, module: types.ModuleType) -> _Source:
        text = inspect.getsource(module)
        lines, body = text.splitlines(), ast.parse(text).body
        comments = {
            node.targets[0].id: _comment(lines, node)
            for node in body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        classes = {
            node.name: _Class(
                bases=[base.id for base in node.bases if isinstance(base, ast.Name)],
                fields={
                    item.target.id: _comment(lines, item)
                    for item in node.body
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
                },
            )
            for node in body
            if isinstance(node, ast.ClassDef)
        }
        return cls(comments, classes)


def _comment(lines: Sequence[str], node: ast.stmt) -> str:
    """The lines that begin with ``#:`` directly above a statement, as one."""
    found: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.lstrip().startswith("#: "):
            break
        found.insert(0, line.lstrip().removeprefix("#: "))
    return " ".join(found)


# --- types ----------------------------------------------------------------------------------------


def ts_type(hint: Any) -> str:
    """A type of Python, as TypeScript says it."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in _NAMED:
        return _NAMED[hint]
    if is_typeddict(hint):
        return str(hint.__name__)
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in args)
    if origin in (Union, types.UnionType):
        return " | ".join(map(ts_type, args))
    if origin is Annotated:
        [length] = (note for note in args[1:] if isinstance(note, schema.Length))
        [item] = get_args(args[0])
        return f"[{', '.join([ts_type(item)] * length.items)}]"
    if origin is list:
        item = ts_type(args[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(ts_type, args))}]"
    if origin is dict:
        record = f"Record<{ts_type(args[0])}, {ts_type(args[1])}>"
        return record if args[0] is str else f"Partial<{record}>"
    if is_typeddict(origin):
        return f"{origin.__name__}<{', '.join(map(ts_type, args))}>"
    if hint not in _SIMPLE:
        raise TypeError(f"{hint!r} has no counterpart in TypeScript: add it to ts_type.")
    return _SIMPLE[hint]


_NAMED = {hint: name for name, hint in vars(schema).items() if get_origin(hint) is Literal}


def _literals(source: _Source) -> Iterator[str]:
    for hint, name in _NAMED.items():
        values = [json.dumps(value) for value in get_args(hint)]
        yield f"{_doc(source.comments.get(name, ''))}{_union(name, values)}"


def _interfaces(source: _Source) -> Iterator[str]:
    for name, cls in vars(schema).items():
        if not is_typeddict(cls):
            continue
        doc, own = _doc(inspect.getdoc(cls) or ""), source.classes[name]
        if cls is schema.Columns:
            yield f"{doc}{_COLUMNS}"
        elif not get_type_hints(cls):
            yield f"{doc}export type {name} = object;"
        else:
            yield f"{doc}{_interface(name, cls, own)}"


def _interface(name: str, cls: type[Any], own: _Class) -> str:
    hints = get_type_hints(cls, include_extras=True)
    parents = [base for base in own.bases if base != "TypedDict"]
    lines = [f"export interface {name}{' extends ' if parents else ''}{', '.join(parents)} {{"]
    for field, comment in own.fields.items():
        hint, optional = hints[field], not cls.__dict__["__total__"]
        if get_origin(hint) is NotRequired:
            [hint], optional = get_args(hint), True
        lines += _doc(comment, indent=2).splitlines()
        lines.append(f"  {field}{'?' if optional else ''}: {ts_type(hint)};")
    return "\n".join([*lines, "}"])


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
    every = " & ".join(["Refusal", *parts])
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
