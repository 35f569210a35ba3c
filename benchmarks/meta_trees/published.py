"""Figures of Shulman and Wolf (2020) for MovieLens-100K, fold u1."""

from __future__ import annotations

#: Table 1: RMSE and MAE.
TABLE_1 = {
    "global tree": (0.995, 0.778),
    "local trees": (1.018, 0.791),
    "matrix factorisation": (0.953, 0.751),  # its row "SVD"
    "soft": (0.947, 0.747),
    "hard": (0.970, 0.766),
    "dynamic soft": (0.948, 0.747),
    "dynamic hard": (0.975, 0.767),
}
#: Settings that the paper prints: sections 3.1 and 4.
SETTINGS = {
    "width": 512,  # d_h
    "hidden": (20, 50),  # of f and of g
    "sparsity": 0.1,  # lambda
    "learning_rate": 3e-4,  # of the synthetic tasks; none is printed for the ratings
    "batch_size": 256,  # likewise
    "task_rows": (1, 50),
}
#: Table 2: RMSE of soft and of hard routing.
TABLE_2 = {
    "main": (0.947, 0.970),
    "semi-sparse": (0.948, 0.974),
    "no sparse norm": (0.953, 0.988),
    "mean leaves": (1.019, 1.063),
    "without r": (0.952, 0.984),
    "without beta": (0.950, 1.317),
    "signed": (0.953, 0.999),
    "one-hot": (0.958, 1.024),
    "hard loss": (0.969, 0.973),
    "train loss": (0.951, 0.982),
    # not in Table 2: its dynamic trees of Table 1
    "dynamic": (0.948, 0.975),
    "dynamic, evidence": (0.948, 0.975),
}
