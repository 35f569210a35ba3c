"""Conditions that a user writes as text: the part of ``DataFrame.query`` that only reads columns.

A condition may come from the front-end, so it is never run as code. Its text is parsed, and the
operations listed here are applied to the columns that it names; everything else is refused.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Foreign, Given, InputError, Message, Part, Quoted
from imd_widget._base.validation import is_number
from imd_widget.data.table import Table

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda one, other: one ** (float(other) if is_number(other) else other),
}
#: Methods of a column, and methods and attributes of its accessors; each only reads the column.
_METHODS = ("abs", "between", "isin", "isna", "isnull", "notna", "notnull")
_TEXT_METHODS = (
    *("contains", "endswith", "fullmatch", "len", "lower", "match", "startswith", "strip", "upper"),
)
_DATE_ATTRIBUTES = (
    *("year", "quarter", "month", "day", "hour", "minute", "second"),
    *("dayofweek", "dayofyear", "weekday", "day_of_week", "day_of_year"),
)
_ALLOWED = (
    "A condition has comparisons (<, <=, >, >=, ==, !=, in, not in), arithmetic, and, or, not, "
    f"and the methods {', '.join(_METHODS)}, str.{', str.'.join(_TEXT_METHODS)} and "
    "attributes such as dt.year."
)
#: Names that are numbers in a query, unless a column is called so.
_CONSTANTS = {"inf": np.inf, "Inf": np.inf}
#: A literal text, a name in backticks, or a sign that pandas reads as "and" or "or".
_TOKEN = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|`(?P<name>(?:``|[^`])*)`|(?P<sign>[&|])"""
)


def rows_of(condition: str, table: Table) -> NDArray[np.bool_]:
    """Return a mask of the rows of a table for which a condition holds.

    Raises InputError unless the condition is True or False for each row. A row for which it is
    missing is outside.
    """
    try:
        return _Reader.of(condition, table).mask()
    except _Refused as refused:
        reason = refused.message
    except SyntaxError as error:
        quoted = _with_backticks(condition, table)
        if quoted is not None:
            raise InputError(
                Given("condition", condition),
                " cannot be used: a name with spaces stands in backticks.",
                hint=f"Write {quoted!r}.",
            ) from None
        reason = Message("it is not an expression: ", Foreign(error.msg))
    except Exception as error:  # Python and pandas raise anything for an operation that is wrong
        reason = Message(f"{type(error).__name__}: ", Foreign(str(error)))
    names = ", ".join(str(name) for name in table.names[:6])
    raise InputError(
        Given("condition", condition),
        " cannot be used: ",
        reason,
        "" if reason.endswith(".") else ".",
        " It is written as for DataFrame.query: age < 30 and job == 'nurse'; a name with spaces "
        f"stands in backticks. The columns are {names}{', ...' if len(table.names) > 6 else ''}.",
    )


def _with_backticks(condition: str, table: Table) -> str | None:
    """Return a condition with its names of columns in backticks, if it can be parsed then."""
    names = [name for name in table.names if isinstance(name, str) and not name.isidentifier()]
    if not names:
        return None
    longest = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    plain = re.compile(rf"{_TOKEN.pattern}|(?<!\w)(?P<own>{longest})(?!\w)")
    text = plain.sub(lambda own: f"`{own['own']}`" if own["own"] else own[0], condition)
    try:
        _Reader.of(text, table)
    except SyntaxError:
        return None
    return None if text == condition else text


def written(condition: str, table: Table) -> str:
    """Return a condition that `rows_of` accepts in its normal form: "age < 30" for "age<30"."""
    reader = _Reader.of(condition, table)
    return reader.text(reader.tree)


@dataclass(frozen=True)
class ColumnCondition:
    """The part of a condition as text that is about one column alone.

    Attributes
    ----------
    column : Hashable
        Name of the column.
    position : int
        Its position in the table.
    text : str
        The part: "age < 30".
    """

    column: Hashable
    position: int
    text: str

    #: It is about no output of a model, and names no ends of an interval.
    given: ClassVar[bool] = False
    named: ClassVar[tuple[Any, ...]] = ()

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """Return a mask of the rows of a table for which the part holds."""
        return rows_of(self.text, table)

    def __str__(self) -> str:
        return self.text


def column_conditions(condition: str, table: Table) -> tuple[ColumnCondition, ...]:
    """Return the parts joined by "and" that are about one column each, one part per column.

    Parameters
    ----------
    condition : str
        A condition that `rows_of` accepts.
    table : Table
    """
    reader = _Reader.of(condition, table)
    by_column: dict[int, list[ast.expr]] = {}
    for part in _joined_by_and(reader.tree):
        positions = reader.positions(part)
        if len(positions) == 1:
            by_column.setdefault(positions.pop(), []).append(part)
    return tuple(
        ColumnCondition(
            table.names[position],
            position,
            reader.text(parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)),
        )
        for position, parts in by_column.items()
    )


def _joined_by_and(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for part in node.values:
            yield from _joined_by_and(part)
    else:
        yield node


def as_mask(values: Any) -> NDArray[np.bool_] | None:
    """Return booleans as an array, a missing one as False; None if they are not booleans."""
    booleans = _booleans(pd.Series(values))
    if booleans is None:
        return None
    return np.array(booleans.fillna(False), dtype=bool)


def _booleans(values: pd.Series[Any]) -> pd.Series[Any] | None:
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    if values.dtype == object:
        found = pd.api.types.infer_dtype(values, skipna=True) == "boolean"
        return values.astype("boolean") if found else None
    return values if pd.api.types.is_bool_dtype(values) else None


class _Refused(Exception):
    """The reason why a condition cannot be used."""

    def __init__(self, *message: Part) -> None:
        self.message = Message(*message)
        super().__init__(str(self.message))


@dataclass(frozen=True, eq=False)
class _Reader:
    """Evaluates a parsed condition."""

    tree: ast.expr
    #: Names in backticks, by the identifiers that stand for them in the tree.
    quoted: Mapping[str, str]
    table: Table

    @classmethod
    def of(cls, condition: str, table: Table) -> _Reader:
        """Parse a condition."""
        quoted: dict[str, str] = {}

        def plain(token: re.Match[str]) -> str:
            if token["sign"]:  # they bind as loosely as "and" and "or" do, as in pandas
                return " and " if token["sign"] == "&" else " or "
            if token["text"]:
                return token["text"]
            identifier = f"_backtick_{len(quoted)}_"
            quoted[identifier] = token["name"].replace("``", "`")
            return identifier

        source = _TOKEN.sub(plain, condition).replace("\n", " ").strip()
        return cls(ast.parse(source, mode="eval").body, quoted, table)

    def mask(self) -> NDArray[np.bool_]:
        """Rows for which the condition holds."""
        found = as_mask(self._condition(self.tree))
        assert found is not None
        return found

    def _condition(self, node: ast.expr) -> pd.Series[Any]:
        """Evaluate a part that is True or False for each row."""
        match node:
            case ast.BoolOp(op=op, values=values):
                join = operator.and_ if isinstance(op, ast.And) else operator.or_
                return reduce(join, map(self._condition, values))
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
                return ~self._condition(operand)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = pairwise([left, *others])
                pairs = [self._compared(op, *both) for op, both in zip(ops, sides, strict=True)]
                return reduce(operator.and_, pairs)
        values = self._value(node)
        if not isinstance(values, pd.Series):
            raise _Refused(
                f"{self.text(node)} is a single value, and a condition is True or False for each "
                "row: compare a column with it"
            )
        booleans = _booleans(values)
        if booleans is None:
            raise self._not_boolean(node, values)
        return booleans

    def _compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> pd.Series[Any]:
        one, other = self._value(left), self._value(right)
        listed = isinstance(other, list)
        if isinstance(op, ast.In | ast.NotIn) or (listed and isinstance(op, ast.Eq | ast.NotEq)):
            if not listed or not isinstance(one, pd.Series):
                raise _Refused(
                    f"{self.text(left)} in {self.text(right)}: in needs a column on its left and "
                    "a list of values on its right, as in job in ['cook', 'nurse']"
                )
            found = _is_one_of(one, other)
            return found if isinstance(op, ast.In | ast.Eq) else ~found
        if type(op) not in _COMPARISONS or listed or isinstance(one, list):
            raise self._unknown(ast.Compare(left, [op], [right]))
        held = _COMPARISONS[type(op)](one, other)
        if not isinstance(held, pd.Series):
            text = self.text(ast.Compare(left, [op], [right]))
            raise _Refused(f"{text} does not depend on a column")
        return held

    def _value(self, node: ast.expr) -> Any:
        """Evaluate an operand: a column, a literal or a list of literals."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return [self._literal(part) for part in parts]
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                value = self._value(operand)
                return -value if isinstance(op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self._calculated(op, left, right)
            case ast.Attribute() | ast.Call():
                return self._called(node)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return self._condition(node)
        raise self._unknown(node)

    def _literal(self, node: ast.expr) -> Any:
        value = self._value(node)
        if isinstance(value, pd.Series | list):
            raise _Refused(f"{self.text(node)} is used where a number or a text is needed")
        return value

    def _named(self, name: str) -> Any:
        own = self.quoted.get(name, name)
        if own in self.table.place:
            return self.table.get(self.table.place[own]).reset_index(drop=True)
        if own == "index":
            return pd.Series(np.arange(self.table.n_rows))
        if own in _CONSTANTS:
            return _CONSTANTS[own]
        if own in self.table.names:
            raise _Refused("the table has more than one column ", Quoted(own), "")
        raise _Refused("there is no column ", Quoted(own), "")

    def _calculated(self, op: ast.operator, left: ast.expr, right: ast.expr) -> Any:
        both = self._value(left), self._value(right)
        # a repeated text or a whole number to a large power may fill the memory
        if isinstance(op, ast.Mult | ast.Pow) and not all(map(_is_numeric, both)):
            text = self.text(ast.BinOp(left, op, right))
            raise _Refused(f"{text}: numbers are needed")
        if isinstance(op, ast.Pow) and is_number(both[0]):
            both = float(both[0]), both[1]
        return _ARITHMETIC[type(op)](*both)

    def _called(self, node: ast.Attribute | ast.Call) -> Any:
        """Evaluate ``column.isna()``, ``column.str.contains("a")``, ``column.dt.year``, abs()."""
        if isinstance(node, ast.Attribute):
            return self._date_part(node)
        match node.func:
            case ast.Name(id="abs") if len(node.args) == 1 and not node.keywords:
                return abs(self._value(node.args[0]))
            case ast.Attribute(value=ast.Attribute(value=own, attr="str"), attr=name) if (
                name in _TEXT_METHODS
            ):
                target: Any = self._column(own).str
            case ast.Attribute(value=own, attr=name) if name in _METHODS:
                target = self._column(own)
            case _:
                raise self._unknown(node)
        positional = [self._argument(one) for one in node.args]
        named = {str(one.arg): self._argument(one.value) for one in node.keywords}
        return getattr(target, name)(*positional, **named)

    def _date_part(self, node: ast.Attribute) -> Any:
        match node:
            case ast.Attribute(value=ast.Attribute(value=own, attr="dt"), attr=name) if (
                name in _DATE_ATTRIBUTES
            ):
                return getattr(self._column(own).dt, name)
        raise self._unknown(node)

    def _argument(self, node: ast.expr) -> Any:
        value = self._value(node)
        return value if isinstance(value, list) else self._literal(node)

    def _column(self, node: ast.expr) -> pd.Series[Any]:
        value = self._value(node)
        if not isinstance(value, pd.Series):
            raise _Refused(f"{self.text(node)} is not a column")
        return value

    def _not_boolean(self, node: ast.expr, values: pd.Series[Any]) -> _Refused:
        """The reason for values other than True and False, with the comparison to write."""
        text = self.text(node)
        present: Sequence[Any] = values.dropna().unique().tolist()[:3]
        if pd.api.types.is_numeric_dtype(values):
            what, fix = "numbers", "== 1" if set(present) <= {0, 1} else "> 0"
        else:
            what, fix = "values", f"== {str(present[0])!r}" if present else "== 'a value'"
        return _Refused(
            f"{text} is a column of {what}, and a condition is True or False for each row. "
            f"Compare it with a value: {text} {fix}"
        )

    def _unknown(self, node: ast.expr) -> _Refused:
        return _Refused(f"{self.text(node)} is not allowed. ", _ALLOWED)

    def positions(self, node: ast.expr) -> set[int]:
        """Positions of the columns that a part reads; none if it reads the row numbers."""
        names = {own.id for own in ast.walk(node) if isinstance(own, ast.Name)}
        names = {self.quoted.get(name, name) for name in names}
        if "index" in names and "index" not in self.table.place:
            return set()
        return {self.table.place[name] for name in names if name in self.table.place}

    def text(self, node: ast.expr) -> str:
        """The source of a part, with names in backticks."""
        text = ast.unparse(ast.fix_missing_locations(node))
        for identifier, name in self.quoted.items():
            text = text.replace(identifier, f"`{name.replace('`', '``')}`")
        return text


def _is_one_of(values: pd.Series[Any], listed: list[Any]) -> pd.Series[Any]:
    if pd.api.types.is_datetime64_any_dtype(values):  # isin() finds no date that is a text
        return reduce(operator.or_, (values == one for one in listed), values != values)
    return values.isin(listed)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, pd.Series):
        return bool(pd.api.types.is_numeric_dtype(value))
    return is_number(value)
