"""What surrogates tell: importance of columns, reason codes of a row, and the surrogates."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget.explanations.fidelity import TARGETS, Fidelity
from imd_widget.explanations.forest import ForestSurrogate
from imd_widget.explanations.klime import KLime
from imd_widget.explanations.tree_surrogate import TreeSurrogate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns that a sentence names.
NAMED = 3
#: A sentence leaves out columns below this share of the largest.
LEAST_NAMED = 0.01


def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Absolute values from 0 to 1, the largest of them 1, by the last axis; 0 if all are 0."""
    size = np.abs(values)
    most = size.max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.where(most > 0, size / np.where(most > 0, most, 1.0), 0.0))


@dataclass(frozen=True, eq=False)
class Importance(FrozenArrays):
    """How important each column is to forests that imitate model 1, model 2 and the difference.

    Attributes
    ----------
    columns : tuple
        Names of the columns, the one with the largest mean absolute LOCO of the difference first.
    forest : ndarray of shape (3, n_columns)
        Random forest feature importance: the share of the decrease of squared error that the
        column's splits bring. Model 1, model 2, difference.
    loco : ndarray of shape (3, n_columns)
        Mean over the rows explained of the absolute LOCO contribution, in units of the score: one
        scale for both models.
    fidelity : Fidelity
        What the forests are worth on rows kept aside.
    """

    columns: tuple[Hashable, ...]
    forest: NDArray[np.float64]
    loco: NDArray[np.float64]
    fidelity: Fidelity

    def to_frame(self, *, scale: bool = False) -> pd.DataFrame:
        """Return a table with one row per column.

        Parameters
        ----------
        scale : bool, default=False
            Whether every measure is scaled from 0 to 1, its most important column 1, so that forest
            importance and LOCO can be compared. It makes the models incomparable.
        """
        measures = {"forest": self.forest, "loco": self.loco}
        return pd.DataFrame(
            {
                f"{name}_{target}": (scaled(values) if scale else values)[number]
                for name, values in measures.items()
                for number, target in enumerate(TARGETS)
            },
            index=pd.Index(list(self.columns), name="column", tupleize_cols=False),
        )

    def plot(self, ax: Axes | None = None, *, n: int = 12) -> Axes:
        """Draw the mean absolute LOCO of the first ``n`` columns and return the axes."""
        from imd_widget.explanations.drawing import draw_reasons

        names = (*self.fidelity.names, "difference")
        columns = [str(column) for column in self.columns[:n]]
        series = [own[:n] for own in self.loco]
        return draw_reasons(columns, series, names, self.fidelity.text, ax)

    def __str__(self) -> str:
        return f"{self.to_frame().to_string(float_format='{:.3g}'.format)}\n{self.fidelity.text}"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(float_format="{:.3g}".format)
        return f"{table}<p>{escape(self.fidelity.text)}</p>"


@dataclass(frozen=True, eq=False)
class Reasons(FrozenArrays):
    """Why the models say what they say about one row, as two surrogates tell.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    names : tuple of two str
        Names of the models.
    columns : tuple
        Names of the columns, the one with the largest K-LIME reason code first (of either model or
        the difference).
    values : tuple of str
        The values that the row has.
    scores : tuple of two float
        What the models themselves say.
    klime, loco : ndarray of shape (3, n_columns)
        Signed reason codes, in units of the score: model 1, model 2, difference. A positive one
        raises the score. LOCO with the sign of its source is the negative.
    klime_baseline, loco_baseline : ndarray of shape (3,)
        What the surrogates say before any column is looked at; with the sum of the reason codes it
        is what they predict.
    cluster : int
        The cluster of K-LIME, from 0.
    klime_fidelity, loco_fidelity : Fidelity
        What the surrogates are worth on rows kept aside.
    score_texts : tuple of two str
        ``scores`` as text.
    """

    row: int
    names: tuple[str, str]
    columns: tuple[Hashable, ...]
    values: tuple[str, ...]
    scores: tuple[float, float]
    klime: NDArray[np.float64]
    loco: NDArray[np.float64]
    klime_baseline: NDArray[np.float64]
    loco_baseline: NDArray[np.float64]
    cluster: int
    klime_fidelity: Fidelity
    loco_fidelity: Fidelity
    score_texts: tuple[str, str]

    @property
    def klime_predicted(self) -> NDArray[np.float64]:
        """What K-LIME predicts for the row: model 1, model 2, difference."""
        return np.asarray(self.klime_baseline + self.klime.sum(axis=1))

    @property
    def loco_predicted(self) -> NDArray[np.float64]:
        """What the forests predict for the row: model 1, model 2, difference."""
        return np.asarray(self.loco_baseline + self.loco.sum(axis=1))

    @property
    def loco_scaled(self) -> NDArray[np.float64]:
        """LOCO from 0 to 1, the most important column of each target 1, as in its source."""
        return scaled(self.loco)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per column."""
        codes = {"klime": self.klime, "loco": self.loco}
        return pd.DataFrame(
            {
                "value": list(self.values),
                **{
                    f"{name}_{target}": values[number]
                    for name, values in codes.items()
                    for number, target in enumerate(TARGETS)
                },
            },
            index=pd.Index(list(self.columns), name="column", tupleize_cols=False),
        )

    @property
    def text(self) -> str:
        """What either model says, and the columns that this comes from most, in words."""
        sentences = []
        for side, (name, said) in enumerate(zip(self.names, self.score_texts, strict=True)):
            size = np.abs(self.klime[side])
            order = np.argsort(-size, kind="stable")[:NAMED]
            parts = [
                f"{self.klime[side, at]:+.2g}".replace("-", "−") + f" from {self.columns[at]}"
                for at in order.tolist()
                if size[at] > LEAST_NAMED * size.max(initial=0.0)
            ]
            base = f"{self.klime_baseline[side]:.2g} on average here"
            sentences.append(f"{name} gives {said}: {', '.join([base, *parts])}.")
        return " ".join([*sentences, self.klime_fidelity.text])

    def plot(self, ax: Axes | None = None, *, n: int = 8) -> Axes:
        """Draw the K-LIME reason codes of the ``n`` first columns and return the axes."""
        from imd_widget.explanations.drawing import draw_reasons

        names = [
            f"{column} = {value}"
            for column, value in zip(self.columns[:n], self.values[:n], strict=True)
        ]
        series = [self.klime[0][:n], self.klime[1][:n], self.klime[2][:n]]
        title = f"row {self.row}. {self.klime_fidelity.text}"
        return draw_reasons(names, series, (*self.names, "difference"), title, ax)

    def __str__(self) -> str:
        table = self.to_frame().to_string(float_format="{:.3g}".format)
        return f"{table}\n{self.text}\n{self.loco_fidelity.text}"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(float_format="{:.3g}".format)
        return f"{table}<p>{escape(self.text)} {escape(self.loco_fidelity.text)}</p>"


@dataclass(frozen=True, eq=False)
class Surrogates:
    """The surrogates of both models and of their difference.

    Attributes
    ----------
    first, second, difference : TreeSurrogate
        A decision tree of model 1, of model 2, and of the difference of their scores.
    forests : tuple of three ForestSurrogate
        The random forests that LOCO and forest importance come from.
    klime : KLime
        The local linear models.
    fidelities : tuple of three Fidelity
        Of the decision trees, the forests and K-LIME.
    """

    first: TreeSurrogate
    second: TreeSurrogate
    difference: TreeSurrogate
    forests: tuple[ForestSurrogate, ...]
    klime: KLime
    fidelities: tuple[Fidelity, ...]

    @property
    def trees(self) -> tuple[TreeSurrogate, TreeSurrogate, TreeSurrogate]:
        """The three decision trees."""
        return self.first, self.second, self.difference

    def __str__(self) -> str:
        clusters = "segments" if self.klime.segments else "clusters"
        lines = [str(tree) for tree in self.trees]
        lines.append(f"K-LIME with {self.klime.k} {clusters}.")
        lines += [fidelity.text for fidelity in self.fidelities]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Surrogates: {'; '.join(own.text for own in self.fidelities)}>"


def ordered_by(values: NDArray[np.float64]) -> list[int]:
    """Return the places of values, the largest absolute value first; ties stay in order."""
    return [int(at) for at in np.argsort(-np.abs(values), kind="stable")]


def picked(values: Sequence[Hashable], order: Sequence[int]) -> tuple[Hashable, ...]:
    """Return values in another order."""
    return tuple(values[at] for at in order)
