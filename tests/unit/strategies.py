"""Small tables and outputs of two models, full of ties, for property tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st


@dataclass(frozen=True)
class Problem:
    X: pd.DataFrame
    y1: np.ndarray[Any, Any]
    y2: np.ndarray[Any, Any]


_few = st.integers(-3, 4).map(float)
_fine = st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: round(x, 3))
_wild = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 30, max_columns: int = 3, labels: int = 3) -> Problem:
    n_rows = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, max_columns))
    columns = {}
    for j in range(n_columns):
        values = draw(st.sampled_from([_few, _few, _fine, _wild, st.integers(-50, 50)]))
        columns[f"c{j}"] = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    output = st.lists(st.integers(0, labels - 1), min_size=n_rows, max_size=n_rows)
    names = draw(st.sampled_from([None, ["no", "yes", "maybe"]]))
    y1, y2 = (np.array(draw(output)) for _ in range(2))
    if names:
        y1, y2 = np.array(names)[y1], np.array(names)[y2]
    return Problem(pd.DataFrame(columns), y1, y2)
