"""Moments whose local time is before the year 1, as databases write for "no date".

pandas 2 ends the interpreter when such a value of a zone west of Greenwich becomes an object, and
pandas 3 cannot write it as text. The steps therefore run in a process of their own, in which
making an object of such a value ends the process with whatever pandas.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from imd_widget.data.native import as_moments, printable

SETUP = """
import os, sys, traceback
from pathlib import Path
import numpy as np
import pandas as pd
import imd_widget as imd
from pandas.arrays import DatetimeArray

FIRST = np.datetime64("0001-01-01", "us").astype(np.int64)

def trapped(name, values_of):
    own = getattr(DatetimeArray, name)
    def method(self, *given, **options):
        if self.tz is not None:
            values = values_of(self.tz_localize(None).asi8, *given, **options)
            if len(values) and (values[values != np.iinfo(np.int64).min] < FIRST).any():
                sys.stderr.write("objects of local times before the year 1, made by:\\n")
                traceback.print_stack()
                os._exit(11)
        return own(self, *given, **options)
    setattr(DatetimeArray, name, method)

def converted(local, dtype=None, *_, **__):
    return local if dtype in (None, object, "object", "O", str, "str") else local[:0]

trapped("__iter__", lambda local: local)
trapped("__array__", converted)
trapped("astype", converted)
trapped("to_numpy", converted)
def scalar(local, key):
    one = local.ndim == 1 and isinstance(key, (int, np.integer))  # else a row of a block
    return local[[key]] if one else local[:0].ravel()

trapped("__getitem__", scalar)

k = np.arange(300)
utc = np.where(k % 3 == 0, np.datetime64("0001-01-01", "us"), np.datetime64("2020-01-01", "us"))
utc = utc + (k % 100).astype("timedelta64[h]")
when = pd.Series(utc).dt.tz_localize("UTC").dt.tz_convert("America/New_York")
X = pd.DataFrame({"a": k % 7, "when": when})
m1 = (k % 7 > 3).astype(int)
m2 = np.where(k % 3 == 0, 1 - m1, m1)
"""

#: From the name of a step to its lines.
STEPS = {
    "diff": """
        d = imd.diff(m1, m2, X)
        assert str(d.rules[0]).startswith("when < "), d.rules
        repr(d), d.summary(), str(d.rules), d.rules.to_frame()
    """,
    "languages": """
        d = imd.diff(m1, m2, X)
        for rule in d.rules:
            assert "when" in rule.to_query() and "when" in rule.to_sql() and str(rule)
        assert (d.rules.mask(X) == d.predict(X)).all()
        assert (d.predict(X) == d.covered()).all()
    """,
    "polars": """
        import polars as pl
        P = pl.DataFrame({"a": k % 7, "when": pl.Series(utc).dt.replace_time_zone("UTC")
            .dt.convert_time_zone("America/New_York")})
        d = imd.diff(m1, m2, P)
        assert d.rules and (d.predict(P) == d.covered()).all()
        d.save(folder / "polars.html", rows=50)
    """,
    "pyarrow": """
        import pyarrow as pa
        zoned = pa.timestamp("us", "America/New_York")
        A = pa.table({"a": k % 7, "when": pa.array(utc).cast(zoned)})
        d = imd.diff(m1, m2, A)
        assert d.rules and (d.predict(A) == d.covered()).all()
        d.save(folder / "arrow.html", rows=50)
    """,
    "files": """
        d = imd.diff(m1, m2, X, by="when")
        for suffix in (".html", ".svg", ".png", ".json", ".csv", ".md"):
            page = {"rows": 100} if suffix == ".html" else {}
            assert d.save(folder / f"diff{suffix}", **page).stat().st_size
        back = imd.load(folder / "diff.json")
        assert (back.predict(X) == d.predict(X)).all()
    """,
    "by and groups": """
        assert len(imd.diff(m1, m2, X, by="when").by)
        assert len(imd.diff(m1, m2, X[["a"]], by=when).by)
        imd.diff(m1, m2, X[["a"]], groups=when)
        imd.diff(when, when.where(pd.Series(k % 5 > 0), when.iloc[1]), X[["a"]], y=when).summary()
    """,
    "cohort": """
        d = imd.diff(m1, m2, X)
        assert str(d.cohort("a > 3"))
        assert d.cohort("when < '1900-01-01 00:00+00:00'").rows == 100
        assert d.cohort("when < '1900-01-01 00:00+00:00'").differing == 100
    """,
    "rows": """
        from imd_widget.comparison.rows import page, rows_as_csv
        d = imd.diff(m1, m2, X)
        listed = page(d, d.differs, (1,), 0, 50, (2, True))
        assert len(listed.cells) == 50
        text = rows_as_csv(d, np.arange(300), (1,))
        assert text.count("0001-01-01 00:00:00+00:00") == 1
        w = imd.DiffWidget(d, picture=False)
    """,
    "explanation": """
        f = lambda t: (t["a"] > 3).astype(int)
        early = pd.Timestamp("2010-01-01", tz="UTC")
        g = lambda t: np.where(t["when"] < early, 1 - f(t), f(t))
        d = imd.diff(f, g, X)
        e = d.explain(row=0)
        e.partial_dependence("when"), e.importance, e.ice("when"), repr(e)
        d.save(folder / "why.html", rows=20, explain=True)
    """,
    "large": """
        part = folder / "part"
        part.mkdir()
        X.assign(m1=m1, m2=m2).iloc[:150].to_parquet(part / "1.parquet")
        X.assign(m1=m1, m2=m2).iloc[150:].to_parquet(part / "2.parquet")
        d = imd.diff("m1", "m2", str(part))
        assert d.rules and (d.predict(X) == d.covered()).all()
        d.save(folder / "large.html", rows=50)
        assert d.cohort("when < '1900-01-01 00:00+00:00'").rows == 100
    """,
}


@pytest.mark.parametrize("step", STEPS)
def test_no_step_makes_an_object_of_such_a_moment(step: str, tmp_path: Path) -> None:
    lines = "\n".join(line[8:] for line in STEPS[step].splitlines())
    code = f"{SETUP}\nfolder = Path(sys.argv[1])\n{lines}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def sentinels(zone: str, *moments: str) -> pd.Series:
    series = pd.Series(np.array([*moments, "NaT"], dtype="datetime64[us]"))
    return series.dt.tz_localize("UTC").dt.tz_convert(zone)


@pytest.mark.parametrize(
    "zone, moment", [("America/New_York", "0001-01-01T03"), ("Asia/Tokyo", "9999-12-31T23:59:59")]
)
def test_such_a_column_is_read_in_utc(zone: str, moment: str) -> None:
    series = printable(sentinels(zone, moment, "2020-01-01"))
    assert str(series.dtype) == "datetime64[us, UTC]"
    pd.testing.assert_series_equal(series, sentinels("UTC", moment, "2020-01-01"))


@pytest.mark.parametrize(
    "zone, moments",
    [
        ("America/New_York", ["0001-01-04", "9999-12-29"]),
        ("Asia/Tokyo", ["0001-01-04", "9999-12-29"]),
        ("Europe/Berlin", []),
    ],
)
def test_other_columns_keep_their_zone(zone: str, moments: list[str]) -> None:
    series = sentinels(zone, *moments)
    assert printable(series) is series
    naive = series.dt.tz_localize(None)
    assert printable(naive) is naive


def test_moments_are_not_converted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("converted")

    monkeypatch.setattr(pd, "to_datetime", never)
    zoned = sentinels("America/New_York", "2020-01-01")
    for series in (zoned, zoned.dt.tz_localize(None)):
        assert as_moments(series) is series
