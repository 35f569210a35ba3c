"""The public datasets of section 6.1, with all of their rows, and the splits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

#: The five that are public; "business" and "medicine" of the paper are not.
DATASETS = ("breast", "diabetes", "ionosphere", "liver", "covtype")
#: Comes with scikit-learn, for the quick run.
QUICK = "bc"
FOLDS = 5
WHERE = (
    "IMD_DATA names a folder with breast.csv.gz, covtype.csv.gz, diabetes.csv.gz, "
    "ionosphere.csv.gz and liver.csv.gz: Breast Cancer Wisconsin (Original) without incomplete "
    "rows, a sample of classes 1 and 2 of Covertype, Pima Indians Diabetes, Ionosphere, and Liver "
    "Disorders of the UCI repository, a header line each, the class in the last column, called "
    "target. --quick needs none of them."
)


@dataclass(frozen=True)
class Table:
    """Rows, and their classes."""

    name: str
    X: pd.DataFrame
    y: np.ndarray


@cache
def load(name: str) -> Table:
    """One of the datasets by its name in the paper."""
    if name == QUICK:
        data = load_breast_cancer(as_frame=True)
        return Table(name, data.data.iloc[:, :10], data.target.to_numpy())
    folder = os.environ.get("IMD_DATA")
    file = Path(folder or ".") / f"{name}.csv.gz"
    if folder is None or not file.is_file():
        raise SystemExit(f"{name} is missing. {WHERE}")
    frame = pd.read_csv(file)
    return Table(name, frame.drop(columns="target"), frame["target"].astype(str).to_numpy())


def split(table: Table, repeat: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows of one fold of five."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
    return list(folds.split(table.X, table.y))[fold]
