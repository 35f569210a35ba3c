"""One odd table and two models from a seed: every kind of column, name, output and option."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

import imd_widget as imd
from tests.fuzz.kinds import BY_NAME, KINDS, Kind

Rows = NDArray[np.intp]
Holdout = Literal["share", "none", "mask", "table"]
LIBRARIES = ("pandas", "polars", "pyarrow", "numpy")
#: Libraries whose tables can hold columns of several kinds.
FRAMES = LIBRARIES[:3]

PLAIN = ("a", "b", "c", "age", "income", "x1", "long name", "Höhe", "per cent (%)")
ODD = (
    "",
    " ",
    "a\0b",
    'say "x"',
    "it's",
    "a`b",
    "a\nb",
    "class",
    "and",
    "select",
    "index",
    "inf",
    "None",
    "missing",
    "a and b",
    "a or missing",
    "a < 3",
    "x is 3",
    "日本",
    "e\u0301",
    "µ",
    "a.b",
    "a;--",
    "@a",
    "#",
    "1",
    "$x$",
    "<b>",
    "\\",
    "imd_row",
    "x" * 300,
    "\u202eabc",
    "a\u2028b",
    "__class__",
    "pd",
)
NOT_TEXT = (0, 7, -1, 2.5, True, None, ("a", 1), dt.date(2020, 1, 1))


@dataclass(frozen=True, eq=False)
class Column:
    """One column: what it holds in every row, whatever library keeps it.

    Attributes
    ----------
    kind : Kind
    name : Hashable
    values : list
        None where one is missing.
    level : ndarray of int
        Place of each value among the steps of the kind; -1 where it is missing.
    steps : list
    """

    kind: Kind
    name: Hashable
    values: list[Any]
    level: Rows
    steps: list[Any]

    def native(self, library: str, rows: Rows) -> Any:
        return self.kind.stores[library]([self.values[row] for row in rows])

    @property
    def categories(self) -> list[Any]:
        """All values that a rule may name."""
        known = self.kind.categories
        return self.steps if known is None else known(self.steps)


@dataclass(frozen=True, eq=False)
class Outputs:
    """What the models say about all rows, and what is true.

    Attributes
    ----------
    kind : {"class", "proba", "value"}
    first, second : ndarray of shape (n_rows,)
    truth : ndarray of shape (n_rows,) or None
        None or NaN where it is not known.
    label : callable
        What makes two labels the same.
    options : dict
        What tells `imd.diff` how to compare.
    form : str
        How outputs are given: "array", "list", "series", "two columns" or "function".
    """

    kind: str
    first: NDArray[Any]
    second: NDArray[Any]
    truth: NDArray[Any] | None
    label: Callable[[Any], Any] = lambda value: value
    options: dict[str, Any] = field(default_factory=dict)
    form: str = "array"


@dataclass(frozen=True, eq=False)
class Case:
    """A table, two models and how they are compared.

    Attributes
    ----------
    seed : int
    library : str
    columns : tuple of Column
        Of all rows: those of the table, then those of a holdout of its own.
    n_own : int
        Rows of the table.
    outputs : Outputs
    weight : ndarray of shape (n_rows,) or None
    holdout : {"share", "none", "mask", "table"}
    aside : ndarray of bool, shape (n_own,)
        Of "mask": the rows to keep aside.
    options : dict
        Of `imd.diff`.
    steps : int
        Refinements.
    max_categories : int or None
        In place of the usual limit.
    zones : tuple of str
        Of the database's session.
    index : str
        What the rows of a pandas table are called.
    """

    seed: int
    library: str
    columns: tuple[Column, ...]
    n_own: int
    outputs: Outputs
    weight: NDArray[np.float64] | None
    holdout: Holdout
    aside: NDArray[np.bool_]
    options: dict[str, Any]
    steps: int = 0
    max_categories: int | None = None
    zones: tuple[str, str] = ("UTC", "Asia/Tokyo")
    index: str = "numbers"

    @property
    def own(self) -> Rows:
        """Numbers of the rows of the table."""
        return np.arange(self.n_own)

    @property
    def others(self) -> Rows:
        """Numbers of the rows of a holdout of its own."""
        return np.arange(self.n_own, len(self.outputs.first))

    @property
    def subsampled(self) -> bool:
        """Whether thresholds are placed on some of the rows only."""
        most = self.options.get("subsample")
        return most is not None and self.n_own > most and self.options["max_bins"] is not None

    def table(
        self, rows: Rows | None = None, library: str | None = None, index: str | None = None
    ) -> Any:
        """Rows of the table, as a library keeps them; pandas has an index as well."""
        rows, library = self.own if rows is None else rows, library or self.library
        natives = [column.native(library, rows) for column in self.columns]
        names = [column.name for column in self.columns]
        if library == "numpy":
            stack = np.ma.stack if any(map(np.ma.isMaskedArray, natives)) else np.stack
            return stack(natives, axis=1)
        if library == "polars":
            return pl.DataFrame(dict(zip(map(str, names), natives, strict=True)))
        if library == "pyarrow":
            return pa.table(natives, names=names)
        frame = pd.concat([own.reset_index(drop=True) for own in natives], axis=1)
        frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
        frame.index = _INDEX[index or self.index](rows)
        return frame

    def models(self, rows: Rows | None = None, form: str | None = None) -> tuple[Any, Any]:
        """Both models, in the form in which they are given."""
        own = self.own if rows is None else rows
        both = self.outputs.first, self.outputs.second
        one, two = (given(said, own, self.others, form or self.outputs.form) for said in both)
        return one, two

    def truth(self, rows: Rows) -> Any:
        return None if self.outputs.truth is None else self.outputs.truth[rows]

    def arguments(self, rows: Rows | None = None, library: str | None = None) -> dict[str, Any]:
        """What `imd.diff` is given beside the models and the table."""
        own = self.own if rows is None else rows
        weight = None if self.weight is None else self.weight[own]
        known = (
            self.options | self.outputs.options | {"y": self.truth(own), "sample_weight": weight}
        )
        if self.holdout == "mask":
            return known | {"holdout": self.aside[own]}
        if self.holdout == "table":
            other = self.table(self.others, library)
            parts = (other, self.truth(self.others), self._others_weight)
            if parts[2] is not None:
                return known | {"holdout": parts}
            return known | {"holdout": parts[:2] if parts[1] is not None else other}
        return known | {"test_size": 0 if self.holdout == "none" else 0.25}

    @property
    def _others_weight(self) -> NDArray[np.float64] | None:
        return None if self.weight is None else self.weight[self.others]

    def without_column(self, at: int) -> Case:
        return replace(self, columns=self.columns[:at] + self.columns[at + 1 :])

    def only_rows(self, rows: Rows) -> Case:
        """The same case of fewer rows of the table."""
        every = np.concatenate([rows, self.others])
        columns = tuple(
            replace(own, values=[own.values[row] for row in every], level=own.level[every])
            for own in self.columns
        )
        said, weight = self.outputs, self.weight
        outputs = replace(
            said,
            first=said.first[every],
            second=said.second[every],
            truth=None if said.truth is None else said.truth[every],
        )
        weight = None if weight is None else weight[every]
        return replace(
            self,
            columns=columns,
            n_own=len(rows),
            outputs=outputs,
            weight=weight,
            aside=self.aside[rows],
        )

    def __str__(self) -> str:
        kinds = ", ".join(f"{own.name!r}: {own.kind.name}" for own in self.columns)
        parts = [f"{self.n_own} rows of {self.library} ({kinds})"]
        parts.append(f"{self.outputs.kind} outputs as {self.outputs.form}")
        parts.append(f"holdout {self.holdout}")
        parts += [f"{name}={value!r}" for name, value in self.options.items()]
        parts += ["y"] if self.outputs.truth is not None else []
        parts += ["weights"] if self.weight is not None else []
        parts += [f"{self.steps} refinements"] if self.steps else []
        parts += [f"{self.max_categories} categories at most"] if self.max_categories else []
        return "; ".join(parts)


_INDEX: dict[str, Callable[[Rows], pd.Index[Any]]] = {
    "numbers": pd.Index,
    "text": lambda rows: pd.Index([f"row {row}" for row in rows], name="a"),
    "always the same": lambda rows: pd.Index([0] * len(rows)),
    "moments": lambda rows: pd.Timestamp("2020-01-01") + pd.to_timedelta(rows, "h"),
    "two levels": lambda rows: pd.MultiIndex.from_arrays([rows % 3, rows], names=["b", "index"]),
}


#: Kinds of columns that scores are made of.
ADDED = (
    *("float64", "Float64", "double[pyarrow]", "float32", "Float32", "float16", "int64", "int8"),
    *("Int64", "int64[pyarrow]", "big int64", "UInt64", "uint64[pyarrow]", "Python ints"),
    *("masked floats", "masked integers", "bool", "boolean", "str", "category", "string[pyarrow]"),
    *("tiny floats", "float64 NaN, not null", "ints and floats", "big-endian floats"),
)


class Lookup:
    """A model that knows its answers by the rows of the table.

    A pandas table is answered row by row, by its index; any other as a whole, by its length.
    """

    def __init__(self, said: NDArray[Any], own: Rows, others: Rows) -> None:
        self.said = said
        self.by_length = {len(others): others} | {len(own): own}

    def rows(self, table: Any) -> Rows:
        if isinstance(table, pd.DataFrame):
            return table.index.to_numpy()
        return self.by_length[len(table)]

    def predict(self, table: Any) -> Any:
        return self.said[self.rows(table)]


class Reusing(Lookup):
    """The same, which writes every answer into one buffer, perhaps shared with another model."""

    def __init__(self, said: NDArray[Any], own: Rows, others: Rows, buffer: NDArray[Any]) -> None:
        super().__init__(said, own, others)
        self.buffer, self.asked = buffer, 0

    def predict(self, table: Any) -> Any:
        self.asked += 1
        rows = self.rows(table)
        self.buffer[: len(rows)] = self.said[rows]
        return self.buffer[: len(rows)]


def given(said: NDArray[Any], own: Rows, others: Rows, form: str) -> Any:
    """A model's answers in the form in which they are given to `imd.diff`."""
    if form == "function":
        return Lookup(said, own, others)
    answers = said[own]
    if form == "list":
        return answers.tolist()
    if form == "series":
        return pd.Series(answers)
    if form == "two columns":
        return np.stack([1 - answers, answers], axis=1)
    return answers


# --- one case ------------------------------------------------------------------------------------


def case_of(seed: int, kind: str | None = None) -> Case:
    """The case of a seed; with ``kind`` one whose models differ by a column of that kind."""
    rng = np.random.default_rng([seed, 0x1D0FF])
    if kind is None and rng.random() < 0.06:
        return _rhythm(seed, rng)
    wanted = None if kind is None else BY_NAME[kind]
    library = _library(rng, wanted)
    kinds = _kinds(rng, library, wanted)
    n_own = _n_rows(rng, kinds, always=wanted is not None)
    holdout: Holdout = rng.choice(["share", "share", "none", "mask", "table"]).item()
    n_rows = n_own + (int(rng.integers(20, 80)) if holdout == "table" else 0)
    names = _names(rng, library, len(kinds))
    columns = tuple(_column(rng, own, name, n_rows) for own, name in zip(kinds, names, strict=True))
    inside = _region(rng, columns, first=0 if wanted is not None else None)
    outputs = _outputs(rng, columns, inside)
    asked = outputs.form == "array" and n_own < 1000 and rng.random() < 0.3
    if holdout == "table" or asked:
        outputs = replace(outputs, form="function")
    return Case(
        seed,
        library,
        columns,
        n_own,
        outputs,
        _weight(rng, n_rows, n_own),
        holdout,
        _some_rows(rng, n_own, 0.3),
        _options(rng, kind is not None),
        steps=int(rng.choice([0, 0, 0, 1])),
        max_categories=3 if kind is None and rng.random() < 0.1 else None,
        index="numbers" if outputs.form == "function" else str(rng.choice(list(_INDEX))),
        zones=("UTC", str(rng.choice(["Asia/Tokyo", "America/New_York", "Asia/Kolkata"]))),
    )


def line_case(seed: int) -> Case:
    """A case whose models each add up all columns, as scores do."""
    rng = np.random.default_rng([seed, 0x5C0])
    library = str(rng.choice(LIBRARIES, p=[0.55, 0.15, 0.15, 0.15]))
    fitting = [BY_NAME[name] for name in ADDED if library in BY_NAME[name].stores]
    kinds = [fitting[at] for at in rng.integers(len(fitting), size=int(rng.integers(2, 5)))]
    if library == "numpy":
        kinds = [kinds[0]] * len(kinds)
    n_own = int(rng.integers(150, 900))
    holdout: Holdout = rng.choice(["share", "none", "mask", "table"]).item()
    n_rows = n_own + (60 if holdout == "table" else 0)
    names = _names(rng, library, len(kinds))
    case = Case(
        seed,
        library,
        tuple(_column(rng, own, name, n_rows) for own, name in zip(kinds, names, strict=True)),
        n_own,
        Outputs("class", np.empty(0), np.empty(0), None, form="function"),
        _weight(rng, n_rows, n_own),
        holdout,
        _some_rows(rng, n_own, 0.3),
        _options(rng, gentle=True) | {"method": "calibrated", "scores": True},
        steps=int(rng.choice([0, 0, 0, 1])),
    )
    sizes = [len(own.steps) for own in case.columns]
    parts = np.array([own.level / k for own, k in zip(case.columns, sizes, strict=True)])
    slopes = rng.choice([-1.0, -0.5, 0.5, 1.0], (2, len(parts)))
    slopes[1] = np.where(rng.random(len(parts)) < 0.7, slopes[0], slopes[1])
    labels = _labels(rng, "text", 2)
    first, second = (labels[(total > np.median(total)).astype(int)] for total in slopes @ parts)
    outputs = replace(case.outputs, first=first, second=second, truth=None, label=str)
    return replace(case, outputs=outputs)


def _library(rng: np.random.Generator, wanted: Kind | None) -> str:
    library = str(rng.choice(LIBRARIES, p=[0.55, 0.15, 0.15, 0.15]))
    if wanted is None or library in wanted.stores:
        return library
    return str(rng.choice(list(wanted.stores)))


def _kinds(rng: np.random.Generator, library: str, wanted: Kind | None) -> list[Kind]:
    """Kinds of the columns, the one that is wanted first."""
    n_columns = int(rng.integers(1, 5))
    fitting = [kind for kind in KINDS if library in kind.stores]
    if library == "numpy":  # whose columns are all of one kind
        told = [kind for kind in fitting if kind.informative]
        return [wanted or told[rng.integers(len(told))]] * n_columns
    if rng.random() < 0.4:  # tables that every library can hold
        everywhere = [kind for kind in fitting if set(FRAMES) <= set(kind.stores)]
        fitting = everywhere
    found = [] if wanted is None else [wanted]
    while len(found) < n_columns or not any(kind.informative for kind in found):
        found.append(fitting[rng.integers(len(fitting))])
    return found


def _n_rows(rng: np.random.Generator, kinds: Sequence[Kind], always: bool) -> int:
    most = max(kind.rows or 0 for kind in kinds)
    if most and (always or rng.random() < 0.5):
        return most
    low, high = [(30, 80), (80, 300), (80, 300), (300, 1200)][rng.integers(4)]
    return int(rng.integers(low, high))


def _names(rng: np.random.Generator, library: str, n: int) -> list[Hashable]:
    if library == "numpy":
        return [f"x{at}" for at in range(n)]
    pool: list[Hashable] = list(PLAIN)
    odd = rng.random() < 0.45
    if odd:
        pool = [*ODD, *PLAIN] if library != "pandas" else [*ODD, *ODD, *NOT_TEXT, *PLAIN]
    found = [pool[at] for at in rng.permutation(len(pool))]
    names = list(dict.fromkeys(found))[:n]
    if odd and n > 1 and rng.random() < 0.3:
        names = ["Age", "age", *(name for name in names if name != "age")][:n]
    elif odd and n > 1 and rng.random() < 0.25 and library == "pandas":
        names[1] = names[0]
    return names


def _column(rng: np.random.Generator, kind: Kind, name: Hashable, n_rows: int) -> Column:
    n_steps = int(rng.choice([3, 8, 20, 60]))
    if kind.rows:
        n_steps = 200
    steps = kind.steps(rng, n_steps)
    level = rng.integers(0, len(steps), n_rows)
    if rng.random() < 0.3:  # some values are frequent
        level = np.minimum(level, rng.integers(0, len(steps), n_rows))
    if kind.missing and rng.random() < 0.5:
        level[rng.random(n_rows) < rng.choice([0.02, 0.2, 0.5])] = -1
    values = [None if at < 0 else steps[at] for at in level]
    level[[value is None for value in values]] = -1
    return Column(kind, name, values, level, steps)


def _region(
    rng: np.random.Generator, columns: Sequence[Column], first: int | None
) -> NDArray[np.bool_]:
    """Rows on which the models are to differ: a range of one column or a part of two."""
    informative = [at for at, column in enumerate(columns) if column.kind.informative]
    chosen = rng.permutation(informative).tolist()
    if first is not None and first in chosen:
        chosen.remove(first)
        chosen.insert(0, first)
    inside = _part(rng, columns[chosen[0]])
    if len(chosen) > 1 and rng.random() < 0.4:
        both = inside & _part(rng, columns[chosen[1]])
        inside = both if both.mean() > 0.08 else inside
    return inside


def _part(rng: np.random.Generator, column: Column) -> NDArray[np.bool_]:
    """Some of the values of a column, neighbours where they have an order; or the missing ones."""
    level, k = column.level, len(column.steps)
    if (level < 0).mean() > 0.1 and rng.random() < 0.25:
        return np.asarray(level < 0)
    found = np.zeros(len(level), dtype=bool)
    for _ in range(20):
        if column.kind.ordered:
            low, high = sorted(rng.integers(0, k + 1, 2).tolist())
            found = (level >= low) & (level < high)
        else:
            found = np.isin(level, rng.permutation(k)[: max(1, int(rng.integers(1, k + 1) // 2))])
        if 0.1 < found.mean() < 0.7:
            break
    if (level < 0).any() and rng.random() < 0.3:
        found = found | (level < 0)
    return found


def _outputs(
    rng: np.random.Generator, columns: Sequence[Column], inside: NDArray[np.bool_]
) -> Outputs:
    n_rows = len(inside)
    ground = columns[int(rng.integers(len(columns)))].level
    noise = rng.random(n_rows) < rng.choice([0, 0, 0.03])
    kind = str(rng.choice(["int", "text", "bool", "many", "object", "spelling", "proba", "value"]))
    if kind in ("proba", "value"):
        return _numbers(rng, kind, ground, inside ^ noise)
    n_labels = {"many": int(rng.integers(3, 7)), "object": 3}.get(kind, 2)
    first = np.where(ground > np.median(ground), 1, 0)
    if n_labels > 2:
        first = np.maximum(ground, 0) % n_labels
    second = np.where(inside ^ noise, (first + 1) % n_labels, first)
    truth = np.where(rng.random(n_rows) < 0.5, first, second)
    gaps = rng.random(n_rows) < rng.choice([0, 0.2])
    labels = _labels(rng, kind, n_labels)
    said = [labels[code] for code in (first, second)]
    known: Any = None
    if rng.random() < 0.5:
        known = labels[truth].astype(object)
        known[gaps] = None
    if kind == "spelling":
        return Outputs("class", said[0], second, known, label=str)
    form = str(rng.choice(["array", "list", "series"]))
    return Outputs("class", *said, known, form="array" if kind == "object" else form)


def _labels(rng: np.random.Generator, kind: str, n: int) -> NDArray[Any]:
    """The labels of a kind."""
    if kind == "bool":
        return np.array([False, True])
    if kind == "text":
        return np.array([["no", "yes"], ["a", ""], ["=1", "<b>"]][rng.integers(3)])
    if kind == "spelling":
        return np.array(["0", "1"])
    if kind == "object":
        triples = [
            [("a", 1), ("a", 2), "b"],
            [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2021, 1, 1)],
            [1, "1", "one"],
            [dt.time(1), dt.time(2, 30), dt.time(3)],
        ]
        labels = np.empty(3, dtype=object)
        labels[:] = triples[rng.integers(len(triples))]
        return labels
    start = int(rng.choice([0, -1, 10**12]))
    return np.arange(start, start + n)


def _numbers(
    rng: np.random.Generator, kind: str, ground: Rows, inside: NDArray[np.bool_]
) -> Outputs:
    n_rows = len(ground)
    base = (ground - ground.min()) / max(np.ptp(ground), 1)
    shift = np.where(rng.random(n_rows) < 0.1, -1, 1) if rng.random() < 0.3 else 1
    if kind == "proba":
        first = 0.5 + 0.2 * (base - 0.5) + 0.02 * rng.uniform(-1, 1, n_rows)
        second = first + 0.3 * shift * inside
        dtype = rng.choice([np.float64, np.float32])
        truth = np.where(rng.random(n_rows) < base, 1.0, 0.0)
        truth[rng.random(n_rows) < 0.1] = np.nan
        options: dict[str, Any] = {"outputs": "proba"}
        form = str(rng.choice(["array", "two columns", "list"]))
        return Outputs(
            "proba",
            first.astype(dtype),
            second.astype(dtype),
            truth if rng.random() < 0.4 else None,
            options=options,
            form=form,
        )
    size = 10.0 ** int(rng.choice([-320, -300, -9, 0, 0, 4, 60]))
    first = base + 0.05 * rng.normal(size=n_rows)
    second = first + shift * inside + 0.01 * rng.normal(size=n_rows)
    if rng.random() < 0.2:  # a few wild ones
        wild = rng.random(n_rows) < 0.01
        first, second = np.where(wild, 1e3, first), np.where(wild, -1e4, second)
    truth = (first + second) / 2 + 0.3 * rng.normal(size=n_rows)
    truth[rng.random(n_rows) < 0.1] = np.nan
    options = {"outputs": "value"}
    if rng.random() < 0.5:
        options["tolerance"] = float(rng.choice([0.3, 0.5])) * size
    return Outputs(
        "value",
        first * size,
        second * size,
        truth * size if rng.random() < 0.4 else None,
        options=options,
        form=str(rng.choice(["array", "list", "series"])),
    )


def _weight(rng: np.random.Generator, n_rows: int, n_own: int) -> NDArray[np.float64] | None:
    if rng.random() > 0.3:
        return None
    if rng.random() < 0.5:
        weight = rng.choice([0.0, 1.0, 1.0, 2.0, 0.5, 3.25], n_rows)
    else:
        weight = rng.lognormal(size=n_rows) * 10.0 ** int(rng.choice([-200, 0, 200]))
    weight[:5] = weight[weight > 0].mean()  # also if all the others are left out
    weight[n_own : n_own + 5] = weight[0]
    return weight


def _some_rows(rng: np.random.Generator, n_rows: int, share: float) -> NDArray[np.bool_]:
    some = rng.random(n_rows) < share
    some[:5] = False
    return some


def _options(rng: np.random.Generator, gentle: bool) -> dict[str, Any]:
    """Options of `imd.diff`; gentle ones find what was planted."""
    method = str(rng.choice(["calibrated", "imd", "separate", "direct"], p=[0.7, 0.1, 0.1, 0.1]))
    options: dict[str, Any] = {
        "method": method,
        "max_depth": int(rng.integers(3 if gentle else 1, 7)),
        "max_bins": [255, 255, None, 20][rng.integers(4)],
        "random_state": int(rng.integers(0, 5)),
    }
    if rng.random() < 0.3:
        options["min_samples_leaf"] = int(rng.choice([1, 3, 10]))
    if method == "calibrated":
        if rng.random() < 0.5:
            options["sensitivity"] = float(rng.choice([0, 0.3, 0.8, 0.95, 1]))
        if rng.random() < 0.2:
            options["rule_cost"] = 0.0
        if rng.random() < 0.2:
            options["diff_weight"] = float(rng.choice([0, 1, 1e6]))
        if rng.random() < 0.15:
            options["max_rules"] = int(rng.integers(1, 4))
    if rng.random() < 0.5:  # otherwise most of these tables are measured by folds
        options["measure"] = "holdout"
    if method == "calibrated" and rng.spawn(1)[0].random() < 0.5:
        options["scores"] = True
    if method == "calibrated" and rng.spawn(1)[0].random() < 0.5:
        options["sets"] = True
    return options


def _rhythm(seed: int, rng: np.random.Generator) -> Case:
    """Rows that repeat in a rhythm, many more than are looked at for thresholds."""
    n = int(rng.integers(3000, 6000))
    hour, third = np.arange(n) % 24, np.arange(n) % 3
    load = 50 + 30 * np.sin(hour / 24 * 2 * np.pi) + rng.normal(size=n)
    inside = (load > 60) & (load <= 75)
    if rng.random() < 0.5:
        inside = (hour >= 8) & (hour < 13) | (third == 1) & (load < 40)
    whole, floats = BY_NAME["int64"], BY_NAME["float64"]
    columns = tuple(
        Column(kind, name, values.tolist(), np.unique(values, return_inverse=True)[1], [])
        for kind, name, values in (
            (whole, "hour", hour),
            (whole, "third", third),
            (floats, "load", load),
        )
    )
    first = (third == 0).astype(int)
    return Case(
        seed,
        str(rng.choice(FRAMES)),
        columns,
        n,
        Outputs("class", first, np.where(inside, 1 - first, first), None),
        None,
        "none",
        np.zeros(n, dtype=bool),
        {
            "method": "calibrated",
            "max_depth": 6,
            "max_bins": int(rng.choice([64, 255])),
            "random_state": int(rng.integers(5)),
            "subsample": n // int(rng.choice([4, 8, 12])),
        },
    )


def fit(
    case: Case,
    rows: Rows | None = None,
    library: str | None = None,
    models: tuple[Any, Any] | None = None,
    **changes: Any,
) -> imd.ModelDiff:
    """The diff of a case."""
    one, two = case.models(rows) if models is None else models
    index = "numbers" if isinstance(one, Lookup) else None
    X = case.table(rows, library, index)
    found = imd.diff(one, two, X, **case.arguments(rows, library) | changes)
    return found.refine(case.steps)
