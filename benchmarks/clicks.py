"""How long the kernel takes for a click on a rule, and for the next page of its rows.

300,000 rows x 12 columns, four of them text. ``python -m benchmarks.clicks``
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import imd_widget as imd
from imd_widget.views.schema import RowsRequest
from imd_widget.widget.row_pages import RowPages

ROWS = 300_000


def main() -> None:
    """Print milliseconds, and how many times longer the values themselves would take."""
    shown = imd.show(a_diff(), picture=False).diff
    kept = RowPages()
    first = milliseconds(lambda: ask(RowPages(), shown, 0))
    following = milliseconds(lambda: ask(kept, shown, 50))
    values = milliseconds(lambda: shown.rules.mask(shown.table))
    print(f"click on all {len(shown.rules)} rules, 50 rows of them   {first:8.1f} ms")
    print(f"the next 50 rows                            {following:8.1f} ms")
    print(f"the rows of all rules from the values       {values:8.1f} ms, {values / first:.0f} x")


def a_diff() -> imd.ModelDiff:
    """Two models that differ in three places."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.normal(size=ROWS) for j in range(8)})
    words = np.array([f"w{k}" for k in range(50)])
    X = X.assign(**{f"t{j}": rng.choice(words, ROWS) for j in range(4)})
    old = (X["c0"] + X["c1"] > 0).to_numpy(int)
    apart = (X["t0"] == "w3") | ((X["t1"] == "w5") & (X["c3"] < 0)) | (X["c4"] > 3)
    return imd.diff(old, np.where(apart, 1 - old, old), X)


def ask(pages: RowPages, diff: imd.ModelDiff, start: int) -> None:
    """What the front-end requests: a page of the rows inside any rule."""
    pages.page(
        diff,
        RowsRequest(kind="rows", start=start),
    )


def milliseconds(work: Callable[[], object], times: int = 7) -> float:
    """The median of some runs."""
    work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - start))
    return float(np.median(taken))


if __name__ == "__main__":
    main()
