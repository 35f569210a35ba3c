"""How well surrogates imitate the models, and their difference, on rows kept aside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Below this R² of the difference a surrogate says little about why models differ.
LOW_R2 = 0.3
#: The three targets that every surrogate is fitted to.
TARGETS = ("first", "second", "difference")


@dataclass(frozen=True)
class Fit:
    """How well a surrogate predicts a target, on rows kept aside.

    Attributes
    ----------
    rmse : float
        Root of the mean squared error, in units of the score.
    r2 : float
        1 less the squared error over that of the mean. Of a target that does not vary: 1 if every
        prediction is right, else 0.
    """

    rmse: float
    r2: float


def fit_of(
    target: NDArray[np.float64], predicted: NDArray[np.float64], weights: NDArray[np.float64]
) -> Fit:
    """Return how well predictions hit a target."""
    error = float(weights @ (target - predicted) ** 2)
    mean = float(weights @ target / weights.sum())
    total = float(weights @ (target - mean) ** 2)
    scale = float(weights @ target**2)
    if total <= 1e-20 * max(scale, 1e-300):  # rounding, not variation
        r2 = 1.0 if error <= 1e-12 * max(scale, 1e-300) else 0.0
    else:
        r2 = 1 - error / total
    return Fit(float(np.sqrt(error / weights.sum())), r2)


@dataclass(frozen=True)
class Fidelity:
    """How well one technique imitates model 1, model 2 and their difference, held out.

    Attributes
    ----------
    technique : str
    names : tuple of two str
        Names of the models.
    first, second, difference : Fit
    """

    technique: str
    names: tuple[str, str]
    first: Fit
    second: Fit
    difference: Fit

    @property
    def low(self) -> bool:
        """Whether the R² of the difference is below 0.3."""
        return self.difference.r2 < LOW_R2

    @property
    def text(self) -> str:
        """One line: R² of either model and of the difference; a warning if the last is low."""
        line = (
            f"{self.technique}, R² held out: {r2_text(self.difference.r2)} of the difference, "
            f"{r2_text(self.first.r2)} of {self.names[0]}, {r2_text(self.second.r2)} of "
            f"{self.names[1]}."
        )
        return f"{line} {self.warning}" if self.warning else line

    @property
    def warning(self) -> str | None:
        """What a low R² of the difference means, as a sentence; None if it is not low."""
        if not self.low:
            return None
        return (
            f"Careful: it explains {share_text(self.difference.r2)} of the difference, so it says "
            "little about why the models differ here."
        )


def r2_text(r2: float) -> str:
    """Return an R² with two digits, rounded down: what is below 0.3 does not read as 0.30."""
    text = f"{math.floor(100 * r2 + 1e-9) / 100:.2f}"
    return "0.00" if text == "-0.00" else text


def share_text(r2: float) -> str:
    """Return an R² as a share of the variation, rounded down; "nothing" below 1 %."""
    return f"{math.floor(100 * r2 + 1e-9)} %" if r2 >= 0.01 else "nothing"


@dataclass(frozen=True)
class FidelityTable:
    """The fidelity of every technique.

    Attributes
    ----------
    techniques : mapping of str to Fidelity
        By name: "decision tree", "random forest", "K-LIME".
    """

    techniques: Mapping[str, Fidelity]

    def __getitem__(self, technique: str) -> Fidelity:
        return self.techniques[technique]

    @property
    def best(self) -> Fidelity:
        """The technique with the largest R² of the difference, the first of ties."""
        return max(self.techniques.values(), key=lambda own: own.difference.r2)

    @property
    def low(self) -> bool:
        """Whether every technique has an R² of the difference below 0.3."""
        return all(own.low for own in self.techniques.values())

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per technique: R² and RMSE, held out."""
        columns: dict[str, list[float]] = {}
        every = list(self.techniques.values())
        for measure in ("r2", "rmse"):
            for target in TARGETS:
                values = [getattr(getattr(own, target), measure) for own in every]
                columns[f"{measure}_{target}"] = values
        return pd.DataFrame(columns, index=pd.Index(list(self.techniques), name="technique"))

    def __str__(self) -> str:
        return "\n".join(own.text for own in self.techniques.values())

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(float_format="{:.2f}".format))
