"""How well surrogates imitate the models, and their difference, on rows kept aside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.explanations.precision import cleared

#: Below this R² of the difference a surrogate shows little about why models differ.
LOW_R2 = 0.3
#: The three targets that every surrogate is fitted to.
TARGETS = ("first", "second", "difference")


@dataclass(frozen=True)
class SurrogateFit:
    """How well a surrogate predicts a target, on rows kept aside.

    Attributes
    ----------
    rmse : float
        Root of the mean squared error, in units of the score.
    r2 : float or None
        1 less the squared error over that of the mean. None if the target hardly varies, as there
        is then nothing to predict.
    """

    rmse: float
    r2: float | None


def fit_of(
    target: NDArray[np.float64],
    predicted: NDArray[np.float64],
    weights: NDArray[np.float64],
    precision: float,
) -> SurrogateFit:
    """Return how well predictions hit a target; see `precision_of`."""
    whole = float(weights.sum())
    error = float(weights @ (target - predicted) ** 2) / whole
    mean = float(weights @ target) / whole
    variance = float(weights @ (target - mean) ** 2) / whole
    r2 = 1 - error / variance if np.sqrt(variance) > precision else None
    return SurrogateFit(float(cleared(np.sqrt(error), precision)), r2)


@dataclass(frozen=True)
class Fidelity:
    """How well one technique imitates model 1, model 2 and their difference, held out.

    Attributes
    ----------
    technique : str
    names : tuple of two str
        Names of the models.
    first, second, difference : SurrogateFit
    """

    technique: str
    names: tuple[str, str]
    first: SurrogateFit
    second: SurrogateFit
    difference: SurrogateFit

    @property
    def low(self) -> bool:
        """Whether the R² of the difference is below 0.3; not if the difference hardly varies."""
        return is_low(self.difference.r2)

    @property
    def text(self) -> str:
        """One line: R² of either model and of the difference; a warning if the last is low."""
        names = ("the difference", *self.names)
        all_r2 = (self.difference.r2, self.first.r2, self.second.r2)
        fits = list(zip(names, all_r2, strict=True))
        known = [f"{r2_text(r2)} of {name}" for name, r2 in fits if r2 is not None]
        constant = [name for name, r2 in fits if r2 is None]
        line = f"{self.technique}, R² held out: {', '.join(known) or 'none'}."
        return " ".join(part for part in (line, hardly_varies(constant), self.warning) if part)

    @property
    def warning(self) -> str | None:
        """What a low R² of the difference means, as a sentence; None if it is not low."""
        if self.difference.r2 is None or not self.low:
            return None
        return (
            f"Careful: it explains {share_text(self.difference.r2)} of the difference, so it shows "
            "little about why the models differ here."
        )


def is_low(r2: float | None) -> bool:
    """Whether an R² is below `LOW_R2`; a target that hardly varies has none."""
    return r2 is not None and r2 < LOW_R2


def hardly_varies(names: Sequence[str]) -> str:
    """Return why some targets have no R², as a sentence; empty if there are none."""
    if not names:
        return ""
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    verb, has = ("varies", "it has") if len(names) == 1 else ("vary", "they have")
    if listed.startswith("the "):
        listed = f"T{listed[1:]}"
    return f"{listed} hardly {verb} on these rows, so {has} no R²."


def r2_text(r2: float) -> str:
    """Return an R² with two digits, rounded down: what is below 0.3 does not read as 0.30."""
    if r2 < -1:
        return "below -1"
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
        return max(self.techniques.values(), key=_known_r2)

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
                columns[f"{measure}_{target}"] = [np.nan if v is None else v for v in values]
        return pd.DataFrame(columns, index=pd.Index(list(self.techniques), name="technique"))

    def __str__(self) -> str:
        return "\n".join(own.text for own in self.techniques.values())

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(float_format="{:.2f}".format))


def _known_r2(fidelity: Fidelity) -> float:
    return -np.inf if fidelity.difference.r2 is None else fidelity.difference.r2
