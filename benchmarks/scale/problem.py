"""The table, made partition by partition, and two cheap models that differ in part of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

N_COLUMNS = 20
#: Rows of a partition: some 30 MB of values.
PARTITION = 250_000
TOWNS = ("Ghent", "Lille", "Mons", "Namur", "Reims", "Spa", "Trier", "Ypres")
#: Columns of floats, of floats that are missing in a tenth of the rows, and of whole numbers.
FLOATS, GAPPY, WHOLE = range(12), range(12, 15), range(15, 19)


def sizes(n_rows: int, partition: int = PARTITION) -> list[tuple[int, int]]:
    """Number and size of each partition."""
    counts = [min(partition, n_rows - start) for start in range(0, n_rows, partition)]
    return list(enumerate(counts))


def make_partition(which: tuple[int, int]) -> pd.DataFrame:
    """The rows of one partition: 15 columns of floats, 4 of whole numbers and a category."""
    number, n_rows = which
    rng = np.random.default_rng(number)
    columns: dict[str, Any] = {
        f"x{at}": rng.standard_normal(n_rows, dtype=np.float32).astype(float) for at in FLOATS
    }
    for at in GAPPY:
        values = rng.standard_normal(n_rows, dtype=np.float32).astype(float)
        values[rng.integers(0, 10, n_rows, dtype=np.uint8) == 0] = np.nan
        columns[f"x{at}"] = values
    for at in WHOLE:
        columns[f"x{at}"] = rng.integers(0, 10 ** (at - 13), n_rows)
    codes = rng.integers(0, len(TOWNS), n_rows, dtype=np.int8)
    columns["town"] = pd.Categorical.from_codes(codes, categories=list(TOWNS))
    return pd.DataFrame(columns)


def whole_table(n_rows: int, partition: int = PARTITION) -> pd.DataFrame:
    """The same rows in memory."""
    parts = [make_partition(which) for which in sizes(n_rows, partition)]
    return pd.concat(parts, ignore_index=True)


def dask_frame(n_rows: int, partition: int = PARTITION) -> Any:
    """The rows as a Dask DataFrame; each partition is made when it is asked for."""
    import dask.dataframe as dd

    meta = make_partition((0, 1)).iloc[:0]
    return dd.from_map(make_partition, sizes(n_rows, partition), meta=meta)


def old_model(X: pd.DataFrame) -> NDArray[np.int64]:
    """The old model: a few operations a row."""
    return _score(X).astype(np.int64)


def new_model(X: pd.DataFrame) -> NDArray[np.int64]:
    """The new model, which asks for more where x3 is large, and in one town."""
    strict = (X["x3"].to_numpy() > 1) | ((X["town"] == "Spa").to_numpy() & (X["x16"] > 500))
    return np.asarray(np.where(strict, X["x0"].to_numpy() > 0.3, _score(X))).astype(np.int64)


def _score(X: pd.DataFrame) -> NDArray[np.bool_]:
    first, second, third = (X[name].to_numpy() for name in ("x0", "x1", "x2"))
    return np.asarray(first + 0.5 * second * third > 0)
