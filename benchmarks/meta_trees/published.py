"""Figures of Shulman and Wolf (2020)."""

from __future__ import annotations

#: Table 1: RMSE and MAE, for MovieLens-100K (fold u1), MovieLens-1M and Jester.
DATASETS = {
    "u1": {
        "global tree": (0.995, 0.778),
        "local trees": (1.018, 0.791),
        "knn trees": (0.975, 0.770),
        "boosted trees": (0.976, 0.771),
        "svd": (0.953, 0.751),
        "svd++": (0.932, 0.730),
        "soft": (0.947, 0.747),
        "hard": (0.970, 0.766),
        "dynamic soft": (0.948, 0.747),
        "dynamic hard": (0.975, 0.767),
    },
    "ml1m": {
        "global tree": (0.935, 0.738),
        "local trees": (0.947, 0.737),
        "knn trees": (0.921, 0.726),
        "boosted trees": (0.933, 0.736),
        "svd": (0.868, 0.682),
        "svd++": (0.861, 0.671),
        "soft": (0.876, 0.687),
        "hard": (0.916, 0.722),
        "dynamic soft": (0.872, 0.683),
        "dynamic hard": (0.914, 0.720),
    },
    "jester5k": {
        "global tree": (4.302, 3.136),
        "local trees": (4.556, 3.137),
        "knn trees": (4.161, 3.070),
        "boosted trees": (4.119, 3.131),
        "svd": (4.073, 2.987),
        "svd++": (4.198, 3.146),
        "soft": (4.001, 3.012),
        "hard": (4.131, 3.030),
        "dynamic soft": (4.008, 3.062),
        "dynamic hard": (4.171, 3.097),
    },
}
TABLE_1 = DATASETS["u1"]
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
