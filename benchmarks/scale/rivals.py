"""One tree for one model, of the libraries that people have, on the same partitions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pandas as pd

from benchmarks.scale.problem import N_COLUMNS, old_model

DEPTH, BINS = 6, 255


def with_target(X: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a partition, the category by its code, and the output of the old model."""
    return X.assign(town=X["town"].cat.codes.astype(float), target=old_model(X))


def xgboost_tree(client: Any, frame: Any) -> None:
    """Fit one tree with xgboost.dask."""
    from xgboost import dask as dxgb

    X, y = frame.drop(columns="target"), frame["target"]
    table = dxgb.DaskQuantileDMatrix(client, X, y, max_bin=BINS)
    settings = {
        "tree_method": "hist",
        "max_depth": DEPTH,
        "max_bin": BINS,
        "objective": "binary:logistic",
    }
    dxgb.train(client, settings, table, num_boost_round=1)


def lightgbm_tree(client: Any, frame: Any) -> None:
    """Fit one tree with lightgbm.dask."""
    from lightgbm import DaskLGBMClassifier

    X, y = frame.drop(columns="target"), frame["target"]
    model = DaskLGBMClassifier(
        client=client,
        n_estimators=1,
        max_depth=DEPTH,
        num_leaves=1 << DEPTH,
        max_bin=BINS,
        verbose=-1,
    )
    model.fit(X, y)


RIVALS: dict[str, Callable[[Any, Any], None]] = {
    "xgboost.dask": xgboost_tree,
    "lightgbm.dask": lightgbm_tree,
}


def fit_rival(name: str, client: Any, lazy: Any) -> dict[str, float]:
    """Seconds to make the table in the workers' memory, and to fit one tree to it."""
    from distributed import wait

    meta = with_target(lazy._meta)
    assert meta.shape[1] == N_COLUMNS + 1
    start = time.perf_counter()
    frame = lazy.map_partitions(with_target, meta=meta).persist()
    wait(frame)
    made = time.perf_counter() - start
    RIVALS[name](client, frame)
    return {"make": made, "total": time.perf_counter() - start}
