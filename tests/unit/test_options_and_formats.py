"""Every option with every file format: a file holds the diff, and no other value of the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget._base.plain import to_json
from imd_widget.data.boxes import yes_codes
from imd_widget.data.derived import raw_columns
from imd_widget.export.formats import formats_of
from imd_widget.export.json_format.writing import file_text
from imd_widget.rules.conditions import condition
from imd_widget.tree.shape import Kind
from imd_widget.views.build import view_of
from tests.unit.large_tables import written

N = 320


def table(seed: int, n: int = N) -> pd.DataFrame:
    """Numbers, dates, categories that repeat, and some that few rows have."""
    rng = np.random.default_rng(seed)
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    return pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "town": [f"Town {one:02d}" for one in rng.integers(0, 40, n) % 25],
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
            "site": rng.choice(["north", "south"], n),
            "since": dates,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "person": [f"Person {one:02d}" for one in rng.integers(0, 60, n)],
        }
    )


X, OTHER = table(0), table(1, 120)
#: Columns that are not the first ones of the table, in another order than the table's.
SOME = ["since", "b", "town"]


def old(rows: pd.DataFrame) -> Any:
    return np.where(rows["a"] > 0, "yes", "no")


def new(rows: pd.DataFrame) -> Any:
    """Differs from `old` by town, by number and by date."""
    rows = rows.reset_index(drop=True)
    late = rows["since"] > pd.Timestamp("2022-01-01")
    flipped = rows["town"].isin(["Town 03", "Town 11"]) | ((rows["b"] > 0.6) & late)
    flipped |= (rows["a"].abs() * 100 % 11) == 0
    return np.where(flipped, np.where(old(rows) == "yes", "no", "yes"), old(rows))


def mostly_new(rows: pd.DataFrame) -> Any:
    """Differs from `old` on more than half of the rows, so that rules of agreement are found."""
    return np.where(new(rows) == "yes", "no", "yes")


def price(rows: pd.DataFrame) -> Any:
    return rows["a"].to_numpy() * 3 + 10


def new_price(rows: pd.DataFrame) -> Any:
    return price(rows) + np.where(new(rows) == old(rows), 0, 4)


def chance(rows: pd.DataFrame) -> Any:
    return np.where(old(rows) == "yes", 0.8, 0.3)


def new_chance(rows: pd.DataFrame) -> Any:
    return np.where(new(rows) == "yes", 0.75, 0.25)


TRUTH = np.where(np.arange(N) % 3 == 0, old(X), new(X))
WEIGHTS = np.arange(N) % 5 / 2


class Case(NamedTuple):
    """Two functions of the table, and the options of `imd.diff`."""

    m1: Any
    m2: Any
    options: dict[str, Any]
    #: Whether their outputs are passed, or the names of columns, in place of the functions.
    called_before: bool = False
    #: Refinement steps.
    steps: int = 0


CASES = {
    "plain": Case(old, new, {}),
    "arrays": Case(old, new, {}, called_before=True),
    "given m1": Case(old, new, {"given": "m1"}),
    "given m2, arrays": Case(old, new, {"given": "m2"}, called_before=True),
    "given auto, values": Case(price, new_price, {"given": "auto"}),
    "groups": Case(old, new, {"groups": "person", "measure": "holdout"}),
    "by": Case(old, new, {"by": "site"}),
    "a table to measure on": Case(old, new, {"holdout": (OTHER, old(OTHER)), "y": TRUTH}),
    "rows to measure on": Case(old, new, {"holdout": np.arange(N) % 4 == 0}),
    "cross-fitting": Case(old, new, {"measure": "cv"}),
    "weights": Case(old, new, {"sample_weight": WEIGHTS}),
    "truth": Case(old, new, {"y": TRUTH}),
    "weights, truth, groups, by": Case(
        old, new, {"sample_weight": WEIGHTS, "y": TRUTH, "groups": "person", "by": "site"}
    ),
    "few rules": Case(old, new, {"max_rules": 2}),
    "agreement": Case(old, mostly_new, {}),
    "values": Case(price, new_price, {"y": price(X)}),
    "probabilities": Case(chance, new_chance, {"outputs": "proba"}),
    "new rows": Case(old, new, {"augment": "neighbours"}),
    "imd": Case(old, new, {"method": "imd"}),
    "separate": Case(old, new, {"method": "separate"}),
    "refined": Case(old, new, {"y": TRUTH}, steps=2),
    "imd, refined": Case(old, new, {"method": "imd", "by": "site"}, steps=1),
    "given m1, refined": Case(old, new, {"given": "m1"}, steps=1),
    "direct": Case(old, new, {"method": "direct"}),
    "few bins": Case(old, new, {"max_bins": 5}),
}
#: The same for tables that are read in partitions.
LARGE = {
    "plain": Case(old, new, {}, called_before=True),
    "functions": Case(old, new, {}),
    "given m2": Case(old, new, {"given": "m2"}, called_before=True),
    "weights and truth": Case(
        old, new, {"y": "truth", "sample_weight": "weight"}, called_before=True
    ),
    "values": Case(price, new_price, {}),
}
some_or_all = pytest.mark.parametrize("columns", [None, SOME], ids=["all columns", "some columns"])


@some_or_all
@pytest.mark.parametrize("case", CASES)
def test_a_file_holds_the_diff(case: str, columns: list[str] | None, tmp_path: Path) -> None:
    m1, m2, options, called_before, steps = CASES[case]
    models = (m1(X), m2(X)) if called_before else (m1, m2)
    d = imd.diff(*models, X, columns=columns, max_depth=4, **options).refine(steps)
    check_json(d, tmp_path, CASES[case])
    check_texts([d], lambda suffix: d.save(tmp_path / f"diff{suffix}"), suffixes_of(case))


@some_or_all
@pytest.mark.parametrize("case", LARGE)
def test_a_file_holds_the_diff_of_a_large_table(
    case: str, columns: list[str] | None, tmp_path: Path
) -> None:
    m1, m2, options, called_before, _ = LARGE[case]
    frame = X.assign(truth=TRUTH, weight=WEIGHTS, size=X["size"].astype(str))
    frame = frame.assign(old=old(X), new=new(X)) if called_before else frame
    models = ("old", "new") if called_before else (m1, m2)
    d = imd.diff(*models, written(frame, tmp_path / "table"), columns=columns, **options)
    check_json(d, tmp_path, LARGE[case], frame)
    check_texts([d], lambda suffix: d.save(tmp_path / f"diff{suffix}"), suffixes_of(case))


@some_or_all
def test_a_file_holds_the_diffs_of_a_comparison(columns: list[str] | None, tmp_path: Path) -> None:
    models = {"old": old, "new": new, "mostly new": mostly_new}
    options: dict[str, Any] = {"y": TRUTH, "sample_weight": WEIGHTS, "by": "site"}
    c = imd.compare(models, X, columns=columns, max_depth=4, **options)
    back = imd.load(c.save(tmp_path / "compare.json", pairs="all"))
    pd.testing.assert_frame_equal(back.disagreement, c.disagreement)
    pairs = [("old", "new"), ("old", "mostly new"), ("new", "mostly new")]
    for pair in pairs:
        check_same(back[pair], c[pair], None, X, OTHER)

    def save(suffix: str) -> Path:
        return c.save(tmp_path / f"compare{suffix}", pairs=pairs)

    check_texts([c[pair] for pair in pairs], save, formats_of(imd.ModelComparison))


def test_the_columns_of_an_array_keep_their_positions(tmp_path: Path) -> None:
    numbers = X[["a", "b"]].assign(c=np.arange(N) % 7).to_numpy()
    flipped = np.where(numbers[:, 2] > 4, old(X), new(X))
    d = imd.diff(old(X), flipped, numbers, columns=["x1", "x2"], max_depth=4)
    back = imd.load(d.save(tmp_path / "diff.json"))
    check_same(back, d, None, numbers)


# --- the laws -------------------------------------------------------------------------------------


def check_json(d: imd.ModelDiff, folder: Path, case: Case, *tables: pd.DataFrame) -> None:
    """What is read equals what was written, and is written the same again."""
    back = imd.load(d.save(folder / "diff.json"))
    check_same(back, d, case, *(tables or (X, OTHER)))
    again = imd.load(back.save(folder / "again.json"))
    assert file_text(again) == file_text(back) == file_text(d)


def check_same(
    back: imd.ModelDiff, d: imd.ModelDiff, case: Case | None = None, *tables: Any
) -> None:
    """What is read says what was written, and decides the same about rows."""
    for name in ("kind", "side", "parent", "children", "missing", "counts"):
        np.testing.assert_array_equal(getattr(back.tree, name), getattr(d.tree, name), name)
    np.testing.assert_array_equal(back.tree.sums, d.tree.sums[:, :4])
    assert (back.tree.label_rows is None) == (d.tree.label_rows is None)
    if d.tree.label_rows is not None:
        np.testing.assert_array_equal(back.tree.label_rows, d.tree.label_rows)
    assert questions(back) == questions(d)
    assert (back.rules, back.agreement) == (d.rules, d.agreement)
    assert (back.metrics, back.right, back.holdout_right) == (d.metrics, d.right, d.holdout_right)
    # a file names the columns that rules may ask about only, and can answer less
    apart = {"lacks": {}, "columns": []}
    assert to_json(view_of(back)) | apart == to_json(view_of(d, redact=True)) | apart
    names = dict.fromkeys(
        name
        for column in d.tree.columns
        if not column.given
        for name, _ in raw_columns(column.name, column.position)
    )
    assert back.column_names == tuple(names)
    for rows in tables:
        outputs = {} if not case or d.given is None else {"given": getattr(case, d.given)(rows)}
        assert back.predict(rows, **outputs).tolist() == d.predict(rows, **outputs).tolist()
        assert (
            back.tree.predict(rows, **outputs).tolist() == d.tree.predict(rows, **outputs).tolist()
        )
        for one, other in zip(back.rules, d.rules, strict=True):
            assert one.mask(rows, **outputs).tolist() == other.mask(rows, **outputs).tolist()


def questions(d: imd.ModelDiff) -> list[Any]:
    """The condition of each split, which names the column and the value."""
    found = []
    for node in np.flatnonzero(d.tree.kind == Kind.SPLIT).tolist():
        step = d.tree.question(node)
        column = d.tree.columns[step.column]
        found.append(
            (column.position, condition(column, yes_codes(column, step.cut, step.missing)))
        )
    return found


def suffixes_of(case: str) -> list[str]:
    """Every format; the PNG, which is drawn as the SVG is, for one case only."""
    return [suffix for suffix in formats_of(imd.ModelDiff) if suffix != ".png" or case == "plain"]


def check_texts(
    diffs: Sequence[imd.ModelDiff], save: Callable[[str], Path], formats: Iterable[str]
) -> None:
    """No file names a town or a person that neither a tree nor a rule names."""
    for suffix in formats:
        held = [step for d in diffs for step in steps_of_page(d)] if suffix == ".html" else diffs
        known = {name for d in held for name in named(d)}
        content = save(suffix).read_bytes()
        assert content
        found = {one.decode() for one in re.findall(rb"(?:Town|Person) \d\d", content)}
        assert found <= known, suffix


def steps_of_page(d: imd.ModelDiff) -> list[imd.ModelDiff]:
    """The diff and the refinement steps that a page holds too."""
    return [d.refine(steps) for steps in range(4)]


def named(d: imd.ModelDiff) -> set[str]:
    """The values that a split or a rule names."""
    conditions = [asked for _, asked in questions(d)]
    conditions += [one for rule in (*d.rules, *d.agreement) for one in rule.conditions]
    return {str(value) for one in conditions for value in one.named}
