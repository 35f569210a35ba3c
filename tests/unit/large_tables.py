"""Tables in partitions of every engine, for the tests of large tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import imd_widget as imd
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import Options
from imd_widget.large.api import diff_large


class Frames:
    """Frames in memory, read as partitions."""

    def __init__(self, frames: Sequence[pd.DataFrame]) -> None:
        self.frames = frames
        self.names = tuple(frames[0].columns)
        self.size = len(frames)

    def label(self, number: int) -> str:
        return f"partition {number} of {self.size}"

    def read(self, number: int) -> pd.DataFrame:
        return self.frames[number]


def cut(frame: pd.DataFrame, edges: Sequence[int]) -> Frames:
    """The rows between edges, each a partition; some may be empty."""
    ends = [0, *sorted(edges), len(frame)]
    return Frames([frame.iloc[start:stop] for start, stop in pairwise(ends)])


def diff_frames(frames: Frames, roles: dict[str, Any], **options: Any) -> imd.ModelDiff:
    """The diff of frames by the path of large tables."""
    rest = {name: value for name, value in roles.items() if name not in ("m1", "m2")}
    results = diff_large(frames, roles["m1"], roles["m2"], Options.of(rest | options))
    return ModelDiff.of(results)


def contents(d: imd.ModelDiff) -> dict[str, Any]:
    """All that a diff says."""
    return {
        "view": d.to_dict(),
        "rules": [str(rule) for rule in (*d.rules, *d.agreement)],
        "metrics": d.metrics,
        "right": (d.right, d.holdout_right),
        "refinable": d.refinable,
    }


def made_up(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """A table of every kind of column, with outputs, truths and weights."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.lognormal(10, 1, n),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
            "score": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)).astype("float32"),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "flag": rng.random(n) < 0.5,
        }
    )
    frame["old"] = np.where(frame["age"] >= 40, "yes", "no")
    changed = (frame["job"] == "nurse") & (frame["income"] > 20_000)
    frame["new"] = np.where(changed, "no", frame["old"])
    slanted = frame["age"] / 30 + frame["score"].fillna(0.0) + (frame["job"] == "nurse")
    frame["slanted"] = np.where(slanted > 1.5, "yes", "no")
    frame["steeper"] = np.where(slanted > 2.0, "yes", "no")
    frame["truth"] = np.where(rng.random(n) < 0.7, frame["old"], frame["new"])
    frame["price"] = frame["age"] + rng.normal(size=n)
    frame["price2"] = frame["price"] + np.where(changed, 30, 0)
    frame["paid"] = frame["price"] + rng.normal(size=n)
    frame["weight"] = rng.integers(0, 4, n)
    frame["odd_weight"] = rng.random(n) * (rng.random(n) < 0.9)
    return frame


FEATURES = ["age", "income", "job", "score", "since", "flag"]


def written(frame: pd.DataFrame, folder: Path, n_files: int = 3, rows: int = 400) -> Path:
    """The table as Parquet files of several row groups."""
    folder.mkdir(exist_ok=True)
    edges = [len(frame) * i // n_files for i in range(n_files + 1)]
    for number, (start, stop) in enumerate(pairwise(edges)):
        frame.iloc[start:stop].to_parquet(folder / f"part-{number}.parquet", row_group_size=rows)
    return folder
