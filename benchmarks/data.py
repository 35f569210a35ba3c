"""The datasets of the paper, from the folder IMD_DATA or, where it is not set, from OpenML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

#: Name of the file in IMD_DATA, and of the dataset and its version on OpenML.
OPENML = {
    "adult": ("adult", 2),
    "bankm": ("bank-marketing", 1),
    "banknote": ("banknote-authentication", 1),
    "diabetes": ("diabetes", 1),
    "eye": ("eye_movements", 1),
    "magic": ("MagicTelescope", 1),
    "mushroom": ("mushroom", 1),
    "redwine": ("wine-quality-red", 1),
    "tictactoe": ("tic-tac-toe", 1),
    "waveform": ("waveform-5000", 1),
    "whitewine": ("wine-quality-white", 1),
    "heloc": ("heloc", 1),
}
#: Columns that number the rows or name the item: a split on them would mean nothing.
IDENTIFIERS = {"eye": ["lineNo", "assgNo", "titleNo", "wordNo"]}


@dataclass(frozen=True)
class Dataset:
    """A table and its ground truth, duplicates dropped as in the paper."""

    name: str
    X: pd.DataFrame
    y: np.ndarray


@cache
def load(name: str) -> Dataset:
    """One of the paper's datasets by its name there ("bc" comes with scikit-learn)."""
    if name == "bc":
        from sklearn.datasets import load_breast_cancer

        data = load_breast_cancer(as_frame=True)
        return Dataset(name, data.data, data.target.to_numpy())
    folder = os.environ.get("IMD_DATA")
    if folder:
        frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    else:
        from sklearn.datasets import fetch_openml

        if name not in OPENML:
            raise SystemExit(f"{name} is not taken from OpenML: put {name}.csv.gz into IMD_DATA.")
        openml_name, version = OPENML[name]
        data = fetch_openml(openml_name, version=version, as_frame=True)
        frame = data.data.assign(target=data.target)
    frame = frame.drop(columns=IDENTIFIERS.get(name, []), errors="ignore")
    frame = frame.drop_duplicates(ignore_index=True)
    return Dataset(name, frame.drop(columns="target"), frame["target"].astype(str).to_numpy())
