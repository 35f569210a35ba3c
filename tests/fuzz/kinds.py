"""Kinds of columns: which values they hold, and how each library keeps them.

A kind makes a few distinct Python values, its steps. A column repeats them, and every library
keeps the same values in its own way: so a rule can be held against the values themselves, and
one table against the same table of another library.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Library = Literal["pandas", "polars", "pyarrow", "numpy"]
Steps = Callable[[np.random.Generator, int], list[Any]]
Store = Callable[[list[Any]], Any]


def whole_or_float(text: str) -> float:
    """A number as Python reads it: whole ones stay whole, however long they are."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def short_float(dtype: type[np.floating[Any]]) -> Callable[[Any], float]:
    """A number of few bits; 0.7 is another one there."""
    return lambda value: float(dtype(value))


def moment(value: Any) -> pd.Timestamp:
    """A moment in UTC, or without a zone."""
    if isinstance(value, str) and value.endswith(" UTC"):
        return pd.Timestamp(value.removesuffix(" UTC"), tz="UTC")
    return pd.Timestamp(value)


@dataclass(frozen=True)
class Kind:
    """A kind of column.

    Attributes
    ----------
    name : str
    steps : callable
        From a generator and a number to at most so many distinct values; in their order, where
        they have one.
    stores : dict
        For each library that can hold such a column, from the values (None: missing) to a column.
    ordered : bool
        Whether rules speak of "below" and "above".
    key, literal : callable
        A value, and the text of one, as something that can be compared.
    missing : bool
        Whether a value may be missing.
    zoned : bool
        Whether the values are moments with a time zone.
    own_objects : bool
        Whether its values, as Python objects, are a column of another kind.
    query : bool
        Whether pandas can compare such a column with a number, and take rows of it.
    sql : bool
        Whether DuckDB reads such a column as what it is.
    listed : bool
        Whether a page can list rows of it.
    readable : bool
        Whether the text of a rule can be held against the values.
    informative : bool
        Whether the column can tell rows apart.
    rows : int or None
        So many rows at least bring out what is special about it.
    categories : callable or None
        From the steps to all the categories of the column, also those that do not occur.
    """

    name: str
    steps: Steps
    stores: Mapping[str, Store]
    ordered: bool = True
    key: Callable[[Any], Any] = lambda value: value
    literal: Callable[[str], Any] = whole_or_float
    missing: bool = True
    zoned: bool = False
    own_objects: bool = False
    query: bool = True
    sql: bool = True
    listed: bool = True
    readable: bool = True
    informative: bool = True
    rows: int | None = None
    categories: Callable[[list[Any]], list[Any]] | None = None


# --- steps ---------------------------------------------------------------------------------------


def floats(rng: np.random.Generator, k: int) -> list[Any]:
    digits, scale = int(rng.integers(0, 6)), 10.0 ** rng.integers(-3, 6)
    return sorted({float(v) for v in (rng.normal(size=k) * scale).round(digits)})


def whole(low: int, high: int) -> Steps:
    """Some whole numbers between two, often next to each other."""

    def steps(rng: np.random.Generator, k: int) -> list[Any]:
        start = low + int(rng.random() * max(high - low - 4 * k, 0))
        gaps = rng.choice([1, 1, 1, 2, 4], k)
        found = [start + int(gap) for gap in np.cumsum(gaps)]
        return [value for value in found if value <= high] or [low, high]

    return steps


def with_ends(steps: Steps, *ends: Any) -> Steps:
    return lambda rng, k: sorted({*steps(rng, k), *ends})


def of_size(size: int, unit: float) -> Steps:
    """Numbers of wild sizes, of which the smallest and the largest cannot be told in one breath."""
    return lambda rng, k: sorted({float(unit * v) for v in rng.integers(-size, size, k)})


def wide(rng: np.random.Generator, k: int) -> list[Any]:
    return sorted({-1.7e308, 1.7e308, *(1.6e308 * rng.uniform(-1, 1, k)).tolist()})


def rounded_to(dtype: type[np.floating[Any]], steps: Steps) -> Steps:
    def rounded(rng: np.random.Generator, k: int) -> list[Any]:
        with np.errstate(over="ignore"):
            return sorted({float(dtype(v)) for v in steps(rng, k)})

    return rounded


def half(rng: np.random.Generator, k: int) -> list[Any]:
    return sorted({float(np.float16(v)) for v in rng.normal(size=k).round(2)})


def long_floats(rng: np.random.Generator, k: int) -> list[Any]:
    """Of more digits than a float has, where the machine knows such numbers."""
    return sorted({np.longdouble(v) / np.longdouble(10) for v in rng.integers(-90, 90, k).tolist()})


def prices(rng: np.random.Generator, k: int) -> list[Any]:
    return [Decimal(int(c)) / 10 for c in sorted(set(rng.integers(-40, 300, k).tolist()))]


def long_decimals(rng: np.random.Generator, k: int) -> list[Any]:
    """Of more than 20 digits, many of them equal as floats."""
    start = Decimal("12345678901234567.1234567")
    return [start + Decimal(int(c)) / 10**7 for c in np.cumsum(rng.integers(1, 10**6, k))]


def words(rng: np.random.Generator, k: int) -> list[Any]:
    pool = ["a", "b", "Masters", "it's", 'say "x"', "", "None", "ü", "  ", "nan", "TRUE", "B"]
    pool += ["x" * 40, "日本", "a`b", "null", "<b>", "$x$", "\\", "e\u0301"]
    return _some(rng, pool, min(k, 8))


def sly(rng: np.random.Generator, k: int) -> list[Any]:
    """Words that read as a part of a rule."""
    pool = ["a", "b", "a, b", "not a", "missing", "a or below", "one of a, b", "a and b", "a to b"]
    return _some(rng, pool, min(k, 7))


def broken(rng: np.random.Generator, k: int) -> list[Any]:
    """Words with signs that few languages can hold."""
    return _some(rng, ["a\nb", "a\0b", "\x1b[31m", "a\tb", "\u202eabc", "a`b", "z"], min(k, 6))


def _some(rng: np.random.Generator, pool: Sequence[Any], k: int) -> list[Any]:
    return [pool[at] for at in rng.permutation(len(pool))[: max(k, 2)]]


def of(*values: Any) -> Steps:
    return lambda rng, k: list(values)


def days(rng: np.random.Generator, k: int) -> list[Any]:
    start = dt.date(1969, 11, 1) + dt.timedelta(days=int(rng.integers(0, 20_000)))
    step = int(rng.choice([1, 7, 31]))
    return [start + dt.timedelta(days=step * at) for at in range(k)]


def old_days(rng: np.random.Generator, k: int) -> list[Any]:
    return [
        dt.date(1, 1, 1),
        dt.date(1500, 2, 28),
        *days(rng, max(k - 3, 2)),
        dt.date(9999, 12, 31),
    ]


def moments(rng: np.random.Generator, k: int) -> list[Any]:
    start = dt.datetime(1969, 12, 1) + dt.timedelta(seconds=int(rng.integers(0, 10**9)))
    step = dt.timedelta(seconds=int(rng.choice([1, 1800, 86_400, 10**6])))
    if rng.random() < 0.3:
        step += dt.timedelta(microseconds=int(rng.integers(1, 10**6)))
    return [start + at * step for at in range(k)]


def zoned(rng: np.random.Generator, k: int) -> list[Any]:
    """Moments in UTC; stores put them into a zone."""
    return [value.replace(tzinfo=dt.UTC) for value in moments(rng, k)]


def summer_time(rng: np.random.Generator, k: int) -> list[Any]:
    """Half hours around the night in which New York's clocks are set back."""
    start = dt.datetime(2020, 11, 1, 3, tzinfo=dt.UTC)
    return [start + at * dt.timedelta(minutes=30) for at in range(k)]


def old_zoned(rng: np.random.Generator, k: int) -> list[Any]:
    return [dt.datetime(1, 1, 1, tzinfo=dt.UTC), *zoned(rng, k)]


def durations(rng: np.random.Generator, k: int) -> list[Any]:
    step = dt.timedelta(minutes=int(rng.choice([1, 7, 90, 1440])))
    return [(at - k // 3) * step for at in range(k)]


# --- stores --------------------------------------------------------------------------------------


def series(dtype: Any, gap: Any = None) -> Store:
    """A pandas column; ``gap`` stands for a missing value."""

    def store(values: list[Any]) -> pd.Series[Any]:
        return pd.Series([gap if v is None else v for v in values], dtype=dtype)

    return store


def extension(dtype: Any) -> Store:
    """A pandas column of an extension dtype, made so that no number becomes a float."""
    return lambda values: pd.Series(pd.array(values, dtype=dtype))


def arrow_backed(kind: pa.DataType) -> Store:
    """A pandas column that keeps its values in Arrow."""
    return lambda values: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(values, kind)]))
    )


def objects(values: list[Any]) -> pd.Series[Any]:
    return pd.Series(values, dtype=object)


def arrow(kind: pa.DataType) -> Store:
    return lambda values: pa.array(values, kind)


def polar(kind: Any) -> Store:
    return lambda values: pl.Series(values, dtype=kind)


def polar_nan(values: list[Any]) -> pl.Series:
    """Missing values as NaN, which polars tells apart from null."""
    return pl.Series([float("nan") if v is None else v for v in values], dtype=pl.Float64)


def arrow_nan(values: list[Any]) -> pa.Array:
    gaps = [float("nan") if v is None else v for v in values]
    return pa.array(gaps, pa.float64(), from_pandas=False)


def array(dtype: Any, gap: Any = np.nan) -> Store:
    """A column of an array."""
    return lambda values: np.array([gap if v is None else v for v in values], dtype=dtype)


def masked(dtype: Any) -> Store:
    """A column of a masked array, with something else below the mask."""

    def store(values: list[Any]) -> Any:
        present = [v for v in values if v is not None] or [0]
        data = np.array([present[0] if v is None else v for v in values], dtype=dtype)
        return np.ma.array(data, mask=[v is None for v in values])

    return store


def object_array(values: list[Any]) -> Any:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def in_zone(zone: str) -> Store:
    def store(values: list[Any]) -> pd.Series[Any]:
        return pd.Series(pd.to_datetime(pd.Series(values), utc=True)).dt.tz_convert(zone)

    return store


def objects_in_zone(zone: str) -> Store:
    """Python's own moments."""
    return lambda values: pd.Series(
        [None if v is None else v.astimezone(ZoneInfo(zone)) for v in values], dtype=object
    )


def polar_zone(zone: str) -> Store:
    naive = pl.Datetime("us")
    return lambda values: (
        pl.Series([None if v is None else v.replace(tzinfo=None) for v in values], dtype=naive)
        .dt.replace_time_zone("UTC")
        .dt.convert_time_zone(zone)
    )


def two_chunks(kind: pa.DataType) -> Store:
    """Two parts, of which each has a dictionary of its own where the kind is one."""

    def store(values: list[Any]) -> pa.ChunkedArray:
        half = len(values) // 2
        chunks = [pa.array(part, pa.string()) for part in (values[:half], values[half:])]
        if pa.types.is_dictionary(kind):
            chunks = [chunk.dictionary_encode() for chunk in chunks]
        return pa.chunked_array(chunks)

    return store


def sparse(dtype: Any, fill: Any) -> Store:
    return lambda values: pd.Series(
        pd.arrays.SparseArray([fill if v is None else v for v in values], dtype=dtype)
    )


def scalars(values: list[Any]) -> pd.Series[Any]:
    """Numbers of NumPy's types, each in an object of its own; missing ones are NA."""
    types = (np.int64, np.float64, np.int8, float)
    every = [pd.NA if v is None else types[at % 4](v) for at, v in enumerate(values)]
    return pd.Series(every, dtype=object)


SIZES = ["XS", "S", "M", "L", "XL", "XXL"]
GRADES = [5, 3, 4, 1, 2]


def categorical(order: Sequence[Any] | None, ordered: bool) -> Store:
    """Categories, also such as do not occur."""

    def store(values: list[Any]) -> pd.Series[Any]:
        known = list(dict.fromkeys(v for v in values if v is not None)) if order is None else order
        more = [*known, "unused"] if order is None else known
        return pd.Series(pd.Categorical(values, categories=more, ordered=ordered))

    return store


def dictionary(order: Sequence[str] | None, ordered: bool) -> Store:
    """Categories as Arrow keeps them."""

    def store(values: list[Any]) -> pa.Array:
        known = list(dict.fromkeys(v for v in values if v is not None)) if order is None else order
        place = {value: at for at, value in enumerate(known)}
        codes = pa.array([None if v is None else place[v] for v in values], pa.int8())
        return pa.DictionaryArray.from_arrays(codes, pa.array(list(known)), ordered=ordered)

    return store


def free_texts(rng: np.random.Generator, k: int) -> list[Any]:
    """Texts of several words, longer and longer; neighbours have a word in common."""
    common = ["REFUND", "Straße", "Возврат", "e\u0301tat", "दिनों", "退款", "o'clock", "ſtop"]
    filler = ["a", "the", "in", "İt", "x_y", "ﬁne", "3", "why?", "- so", "www.x", "`c`", "OK\n- no"]
    found = []
    for at in range(k):
        own = rng.choice(filler, 3 + at // 8).tolist()
        word = common[at * len(common) // k]
        own.insert(int(rng.integers(len(own))), word if rng.random() < 0.7 else word.lower())
        found.append(" ".join([*own, f"n{at}"]))
    return found


def sizes(rng: np.random.Generator, k: int) -> list[Any]:
    """Some of the sizes, in their order: the others are categories that do not occur."""
    at = sorted(rng.permutation(len(SIZES))[: max(3, min(k, 5))].tolist())
    return [SIZES[place] for place in at]


def all_three(pandas: Store, polars: Any, arrow_kind: pa.DataType) -> dict[str, Store]:
    return {"pandas": pandas, "polars": polar(polars), "pyarrow": arrow(arrow_kind)}


_TEXT = all_three(series("str"), pl.String, pa.string())
_FLOAT = all_three(series(float, np.nan), pl.Float64, pa.float64())
_ARROW_FLOAT = arrow_backed(pa.float64())
_YORK, _TOKYO = "America/New_York", "Asia/Tokyo"


def _number(name: str, steps: Steps, stores: Mapping[str, Store], **more: Any) -> Kind:
    return Kind(name, steps, stores, **more)


def _category(name: str, steps: Steps, stores: Mapping[str, Store], **more: Any) -> Kind:
    return Kind(name, steps, stores, ordered=False, literal=str, **more)


def _moment(name: str, steps: Steps, stores: Mapping[str, Store], **more: Any) -> Kind:
    return Kind(name, steps, stores, key=moment, literal=moment, **more)


def _duration(name: str, stores: Mapping[str, Store]) -> Kind:
    return Kind(name, durations, stores, key=pd.Timedelta, literal=pd.Timedelta)


_SHORT = {"key": short_float(np.float32), "literal": short_float(np.float32)}
_HALF = {"key": short_float(np.float16), "literal": short_float(np.float16)}
_BIG = whole(2**53 - 3, 2**53 + 10**6)
_HUGE = whole(2**63 + 1, 2**64 - 1)
_LARGEST = whole(2**62, 2**63 - 1)

KINDS: tuple[Kind, ...] = (
    # floats
    _number("float64", floats, _FLOAT | {"numpy": array(float)}),
    _number("float64 with inf", with_ends(floats, -np.inf, np.inf), _FLOAT),
    _number("float64 NaN, not null", floats, {"polars": polar_nan, "pyarrow": arrow_nan}),
    _number("wide floats", wide, _FLOAT | {"numpy": array(float)}),
    _number("many wide floats", wide, {"pandas": series(float, np.nan)}, rows=17_000),
    _number("tiny floats", of_size(40, 5e-324), _FLOAT),
    _number("small floats", of_size(10**6, 1e-300), _FLOAT),
    _number("Float64", floats, {"pandas": extension("Float64")}),
    _number("double[pyarrow]", floats, {"pandas": _ARROW_FLOAT}),
    _number(
        "float32",
        rounded_to(np.float32, floats),
        all_three(series(np.float32, np.nan), pl.Float32, pa.float32())
        | {"numpy": array(np.float32)},
        **_SHORT,
    ),
    _number("Float32", rounded_to(np.float32, floats), {"pandas": extension("Float32")}, **_SHORT),
    _number(
        "float[pyarrow]",
        rounded_to(np.float32, floats),
        {"pandas": arrow_backed(pa.float32())},
        **_SHORT,
    ),
    _number(
        "float16",
        half,
        {
            "pandas": series(np.float16, np.nan),
            "numpy": array(np.float16),
            "pyarrow": lambda values: pa.array(
                [None if v is None else np.float16(v) for v in values], pa.float16()
            ),
        },
        **_HALF,
    ),
    _number(
        "float16 with inf",
        with_ends(half, np.inf, -np.inf),
        {"pandas": series(np.float16, np.nan)},
        rows=17_000,
        **_HALF,
    ),
    # numbers of more digits than a float has are compared as floats, and SQL and queries refused
    _number(
        "longdouble",
        long_floats,
        {
            "pandas": lambda values: pd.Series(array(np.longdouble)(values)),
            "numpy": array(np.longdouble),
        },
        key=float,
    ),
    _number(
        "big-endian floats",
        floats,
        {"pandas": series(">f8", np.nan), "numpy": array(">f8")},
        query=False,
    ),
    _number(
        "big-endian integers",
        whole(-40, 90),
        {"pandas": series(">i4"), "numpy": array(">i4")},
        missing=False,
        query=False,
    ),
    _number("masked floats", floats, {"numpy": masked(float)}),
    _number("masked integers", whole(-40, 90), {"numpy": masked(np.int64)}),
    _number("masked big integers", _BIG, {"numpy": masked(np.int64)}),
    # whole numbers
    _number(
        "int64",
        whole(-50, 200),
        all_three(series(np.int64), pl.Int64, pa.int64()) | {"numpy": array(np.int64)},
        missing=False,
    ),
    _number(
        "int8",
        whole(-120, 120),
        all_three(series(np.int8), pl.Int8, pa.int8()) | {"numpy": array(np.int8)},
        missing=False,
    ),
    _number(
        "uint8",
        whole(0, 250),
        all_three(series(np.uint8), pl.UInt8, pa.uint8()) | {"numpy": array(np.uint8)},
        missing=False,
    ),
    _number("Int64", whole(-50, 90), all_three(extension("Int64"), pl.Int64, pa.int64())),
    _number("int64[pyarrow]", whole(-50, 90), {"pandas": arrow_backed(pa.int64())}),
    _number(
        "big int64",
        _BIG,
        all_three(series(np.int64), pl.Int64, pa.int64()) | {"numpy": array(np.int64)},
        missing=False,
    ),
    _number("big Int64", _BIG, all_three(extension("Int64"), pl.Int64, pa.int64())),
    _number("big int64[pyarrow]", _BIG, {"pandas": arrow_backed(pa.int64())}),
    _number("largest Int64", _LARGEST, all_three(extension("Int64"), pl.Int64, pa.int64())),
    _number("UInt64", _HUGE, all_three(extension("UInt64"), pl.UInt64, pa.uint64())),
    _number("uint64[pyarrow]", _HUGE, {"pandas": arrow_backed(pa.uint64())}),
    _number(
        "uint64",
        _HUGE,
        all_three(series(np.uint64), pl.UInt64, pa.uint64()) | {"numpy": array(np.uint64)},
        missing=False,
    ),
    _number("Python ints", whole(-9, 90), {"pandas": objects, "numpy": object_array}),
    _number("NumPy scalars", whole(-9, 90), {"pandas": scalars}, sql=False),
    _number("Python ints beyond 2**63", _HUGE, {"pandas": objects}),
    _number(
        "Python ints beyond 2**64", whole(2**70, 2**70 + 10**9), {"pandas": objects}, key=float
    ),
    _number(
        "Python ints of all sizes",
        of(-(10**25), -3, 0, 5, 2**63, 10**22),
        {"pandas": objects},
        key=float,
    ),
    _number("Int128", whole(2**70, 2**70 + 10**9), {"polars": polar(pl.Int128)}, key=float),
    _number("small Int128", whole(-40, 60), {"polars": polar(pl.Int128)}),
    _number("whole floats", whole(-9, 30), _FLOAT | {"numpy": array(float)}),
    _number("ints and floats", of(-2, 0, 0.5, 1, 1.5, 7), {"pandas": objects}),
    _number("Sparse[float]", floats, {"pandas": sparse(float, np.nan)}),
    _number("Sparse[int]", whole(0, 50), {"pandas": sparse(int, 0)}, missing=False),
    _number("zeros", of(-1.0, -0.0, 0.5), _FLOAT),
    # two values, one, none
    _number("zero or one", of(0, 1), all_three(extension("Int8"), pl.Int8, pa.int8())),
    _number("zero or one, floats", of(0.0, 1.0), _FLOAT | {"numpy": array(float)}),
    _number("two values", of(-7, 12), all_three(extension("Int64"), pl.Int64, pa.int64())),
    _number("a half or one", of(0.5, 1.0), _FLOAT),
    _number("constant", of(3.5), _FLOAT, informative=False),
    _category("constant text", of("x"), _TEXT, informative=False),
    _number(
        "all missing",
        of(None),
        {"pandas": series(float, np.nan), "polars": polar(pl.Float64), "pyarrow": arrow(pa.null())},
        informative=False,
    ),
    _category(
        "all None", of(None), {"pandas": objects, "polars": polar(pl.Null)}, informative=False
    ),
    # decimals
    _number(
        "Decimal",
        prices,
        {
            "pandas": objects,
            "polars": polar(pl.Decimal(12, 1)),
            "pyarrow": arrow(pa.decimal128(12, 1)),
        },
        key=lambda value: float(value),
    ),
    _number(
        "Decimal with Infinity",
        of(Decimal("-Infinity"), Decimal("0.1"), Decimal("0.25"), Decimal(7), Decimal("Infinity")),
        {"pandas": objects},
        key=float,
    ),
    _number("decimal256", prices, {"pyarrow": arrow(pa.decimal256(40, 1))}, key=float),
    _number(
        "decimal128[pyarrow]",
        prices,
        {"pandas": arrow_backed(pa.decimal128(12, 1))},
        key=lambda value: float(value),
    ),
    _number(
        "long Decimal",
        long_decimals,
        {
            "pandas": objects,
            "polars": polar(pl.Decimal(30, 7)),
            "pyarrow": arrow(pa.decimal128(30, 7)),
        },
        key=lambda value: float(value),
    ),
    _number(
        "long decimal128[pyarrow]",
        long_decimals,
        {"pandas": arrow_backed(pa.decimal128(30, 7))},
        key=lambda value: float(value),
    ),
    # booleans
    _category(
        "bool",
        of(False, True),
        all_three(series(bool), pl.Boolean, pa.bool_()) | {"numpy": array(bool)},
        missing=False,
    ),
    _category("boolean", of(False, True), all_three(extension("boolean"), pl.Boolean, pa.bool_())),
    _category("bool[pyarrow]", of(False, True), {"pandas": arrow_backed(pa.bool_())}),
    _category("bool objects", of(False, True), {"pandas": objects}),
    _category("masked bools", of(False, True), {"numpy": masked(bool)}),
    # text
    _category("str", words, _TEXT),
    _category("text objects", words, {"pandas": objects, "numpy": object_array}),
    _category("text array", words, {"numpy": array("U40", "")}, missing=False),
    _category("string", words, {"pandas": extension("string")}),
    _category("string[pyarrow]", words, {"pandas": arrow_backed(pa.string())}),
    _category("large_string", words, {"pyarrow": arrow(pa.large_string())}),
    _category("string_view", words, {"pyarrow": arrow(pa.string_view())}),
    _category("text in two chunks", words, {"pyarrow": two_chunks(pa.string())}),
    _category(
        "categories in two chunks",
        words,
        {"pyarrow": two_chunks(pa.dictionary(pa.int32(), pa.string()))},
    ),
    _category(
        "half a letter",
        of("a", "half\ud800", "b\udfff"),
        {"pandas": objects},
        listed=False,
    ),
    _category(
        "bytes",
        of(b"a", b"", b"\xff\0"),
        {"pandas": objects, "polars": polar(pl.Binary), "pyarrow": arrow(pa.binary())},
    ),
    _category("sly words", sly, _TEXT),
    _category("free text", free_texts, _TEXT | {"numpy": object_array}, rows=250),
    _category("broken words", broken, _TEXT),
    # categories
    _category(
        "category",
        words,
        {
            "pandas": categorical(None, ordered=False),
            "polars": polar(pl.Categorical),
            "pyarrow": dictionary(None, ordered=False),
        },
    ),
    _category("category of numbers", of(2, 10, 1, 7), {"pandas": categorical(None, ordered=False)}),
    Kind(
        "ordered category",
        sizes,
        {
            "pandas": categorical(SIZES, ordered=True),
            "polars": polar(pl.Enum(SIZES)),
            "pyarrow": dictionary(SIZES, ordered=True),
        },
        literal=str,
        categories=lambda steps: SIZES,
    ),
    Kind(
        "ordered category of numbers",
        of(*GRADES),
        {"pandas": categorical(GRADES, ordered=True)},
        literal=str,
        categories=lambda steps: GRADES,
    ),
    # several types
    _category("text and numbers", of("1", 1, "x", 2, "2", 2.5), {"pandas": objects}),
    _category("one and True", of(1, True, 0, "x"), {"pandas": objects}),
    _category("numbers and True", of(1, True, 0, 5, 7.5), {"pandas": objects}),
    _category("tuples and text", of(("a", 1), ("b", 2), "x"), {"pandas": objects}),
    _category(
        "times of day",
        of(dt.time(1), dt.time(12, 30), dt.time(23)),
        {"pandas": objects, "polars": polar(pl.Time), "pyarrow": arrow(pa.time64("us"))},
    ),
    _category(
        "periods", of(*pd.period_range("2020-01", periods=5, freq="M")), {"pandas": series(None)}
    ),
    _category(
        "intervals", of(*pd.interval_range(0.0, 40.0, periods=5)), {"pandas": series("interval")}
    ),
    # moments
    _moment(
        "datetime64[us]",
        moments,
        all_three(series("datetime64[us]"), pl.Datetime("us"), pa.timestamp("us")),
    ),
    _moment(
        "datetime64[ns]",
        moments,
        all_three(series("datetime64[ns]"), pl.Datetime("ns"), pa.timestamp("ns")),
    ),
    _moment("datetime objects", moments, {"pandas": objects}),
    _moment("timestamp[pyarrow]", moments, {"pandas": arrow_backed(pa.timestamp("us"))}),
    _moment(
        "zoned",
        zoned,
        {
            "pandas": in_zone(_YORK),
            "polars": polar_zone(_YORK),
            "pyarrow": arrow(pa.timestamp("us", tz=_YORK)),
        },
        zoned=True,
    ),
    _moment(
        "summer time",
        summer_time,
        {
            "pandas": in_zone(_YORK),
            "polars": polar_zone(_YORK),
            "pyarrow": arrow(pa.timestamp("us", tz=_YORK)),
        },
        zoned=True,
    ),
    _moment(
        "zoned in UTC",
        zoned,
        {
            "pandas": in_zone("UTC"),
            "polars": polar_zone("UTC"),
            "pyarrow": arrow(pa.timestamp("us", tz="UTC")),
        },
        zoned=True,
    ),
    _moment(
        "zoned[pyarrow]",
        zoned,
        {"pandas": arrow_backed(pa.timestamp("us", tz=_TOKYO))},
        zoned=True,
    ),
    _moment("old zoned", old_zoned, {"pandas": in_zone(_YORK)}, zoned=True),
    _moment("zoned objects", zoned, {"pandas": objects_in_zone(_YORK)}, zoned=True),
    _moment(
        "dates",
        days,
        {"pandas": objects, "polars": polar(pl.Date), "pyarrow": arrow(pa.date32())},
    ),
    _moment(
        "old dates",
        old_days,
        {"pandas": objects, "polars": polar(pl.Date), "pyarrow": arrow(pa.date32())},
    ),
    _moment("date32[pyarrow]", days, {"pandas": arrow_backed(pa.date32())}),
    _moment("date64", days, {"pyarrow": arrow(pa.date64())}),
    # durations
    _duration(
        "timedelta64",
        all_three(series("timedelta64[us]"), pl.Duration("us"), pa.duration("us")),
    ),
    _duration("timedelta objects", {"pandas": objects}),
    _duration("duration[pyarrow]", {"pandas": arrow_backed(pa.duration("us"))}),
)

BY_NAME = {kind.name: kind for kind in KINDS}
assert len(BY_NAME) == len(KINDS)
