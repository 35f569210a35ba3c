"""What was learned, in words: who decides where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.column_kinds import FLOAT_KINDS, column_kind
from imd_widget.data.features import as_floats
from imd_widget.data.table import Table, open_table
from imd_widget.learners.local_models.columns import as_frame
from imd_widget.learners.local_models.parts import ConstantClassifier, last_step
from imd_widget.learners.local_models.states import MeasuredState

#: Columns that describe a place at most, and how well a column must separate its rows.
MAX_COLUMNS = 3
LEAST_DISTANCE = 0.3
#: A row clearly belongs to a part with this responsibility; the share of such rows from which on
#: the parts are in different places; bins of the responsibility.
CLEAR, CLEAR_ENOUGH, N_BINS = 0.9, 0.8, 10
#: A number with so few values is described by its levels.
_FEW_VALUES = 3


@dataclass(frozen=True)
class Landmark:
    """A column that distinguishes the rows of a place from the others.

    Attributes
    ----------
    column : object
        Name of the column; its position if the table is an array.
    text : str
        Which values are meant: ``"income from 20 to 35"``.
    distance : float
        Largest difference between the two cumulative distributions of the column, or between the
        shares of a level: 0 is "alike", 1 is "apart".
    """

    column: Any
    text: str
    distance: float


@dataclass(frozen=True)
class LocalRegion:
    """Where a local model takes over.

    Attributes
    ----------
    name : str
        Name of the local learner.
    n_rows : int
        Number of training rows for which it is the most responsible part.
    share : float
        The same as a share of all training rows.
    landmarks : tuple of Landmark
        At most three, the clearest first.
    """

    name: str
    n_rows: int
    share: float
    landmarks: tuple[Landmark, ...]

    def __str__(self) -> str:
        where = " and ".join(landmark.text for landmark in self.landmarks)
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
        place = f"near {where}" if where else "in a place that no single column describes"
        return f"A local {self.name} takes over {place} ({rows}, {_percent(self.share)})."


@dataclass(frozen=True)
class LocalModelsExplanation:
    """Who decides where, with figures of the training rows; ``print`` it.

    Attributes
    ----------
    name : str
        Name of the global learner.
    size : float
        Complexity of the global model; NaN if there is no measure for it.
    decides : float
        Share of the training rows for which the global model is the most responsible part.
    local_share : float
        Mean responsibility of all local models together.
    regions : tuple of LocalRegion
    disagreement : float
        Share of the training rows that the combined model classifies otherwise.
    error, global_error : float
        Training errors of the combined model and of the global one.
    """

    name: str
    size: float
    decides: float
    local_share: float
    regions: tuple[LocalRegion, ...]
    disagreement: float
    error: float
    global_error: float
    #: Training rows by the share of the global model in their prediction, in ten equal bins from 0
    #: to 1.
    share_counts: tuple[int, ...] = ()
    #: Share of the training rows for which one part has a responsibility of at least 0.9.
    clear: float = 1.0

    def __str__(self) -> str:
        if not self.regions:
            return (
                f"The global {self.name} predicts all rows: no local model has rows of its own. It "
                f"errs on {_percent(self.error)} of the training rows."
            )
        sentences = [
            f"The global {self.name} decides {_percent(self.decides)} of the training rows; the "
            f"mean share of the local models is {_percent(self.local_share)}.",
            *map(str, self.regions),
            self._overlap(),
            f"The combined model classifies {_percent(self.disagreement)} of the rows otherwise "
            f"than the global one and errs on {_percent(self.error)} of them instead of "
            f"{_percent(self.global_error)}.",
        ]
        return "\n".join(sentences)

    def _overlap(self) -> str:
        """Whether the parts are in different places, as the method assumes."""
        rows = f"{_percent(self.clear)} of the rows clearly belong to one part"
        if self.clear >= CLEAR_ENOUGH:
            return f"{rows} (a responsibility of at least {CLEAR:g}), as the method assumes."
        return (
            f"Only {rows} (a responsibility of at least {CLEAR:g}): the parts overlap, and the "
            "method assumes that they are in different places."
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw how many training rows have which share of the global model in their prediction.

        The method assumes a U: most rows are at 0 or at 1.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        if ax is None:
            from matplotlib.figure import Figure

            ax = Figure(figsize=(5, 3), layout="constrained").subplots()
        edges = np.linspace(0, 1, len(self.share_counts) + 1)
        ax.bar(edges[:-1], self.share_counts, width=np.diff(edges), align="edge", edgecolor="white")
        ax.set(
            xlabel="share of the global model, P(z = 1 | x)", ylabel="training rows", xlim=(0, 1)
        )
        return ax


def explained(
    chosen: MeasuredState, X: Any, responsibility: NDArray[np.float64]
) -> LocalModelsExplanation:
    """The explanation of a state.

    Parameters
    ----------
    chosen : MeasuredState
    X : table or ndarray
        The training rows.
    responsibility : ndarray of shape (n_samples, n_parts)

    Returns
    -------
    LocalModelsExplanation
    """
    parts, table = chosen.state.parts, open_table(as_frame(X))
    owner = responsibility.argmax(axis=1)
    counts = np.histogram(responsibility[:, 0], bins=N_BINS, range=(0, 1))[0]
    regions = [
        LocalRegion(
            name=_name(part.model),
            n_rows=int((owner == at).sum()),
            share=float((owner == at).mean()),
            landmarks=landmarks(table, owner == at),
        )
        for at, part in enumerate(parts)
        if at > 0
    ]
    return LocalModelsExplanation(
        name=_name(parts[0].model),
        size=chosen.state.size,
        decides=float((owner == 0).mean()),
        local_share=chosen.local_share,
        regions=tuple(regions),
        disagreement=chosen.disagreement,
        error=chosen.error,
        global_error=chosen.global_error,
        share_counts=tuple(map(int, counts)),
        clear=float((responsibility.max(axis=1) >= CLEAR).mean()),
    )


def landmarks(table: Table, inside: NDArray[np.bool_]) -> tuple[Landmark, ...]:
    """The columns that distinguish the rows inside from the others, the clearest first."""
    if not inside.any() or inside.all():
        return ()
    found = [_landmark(name, table.get(at), inside) for at, name in enumerate(table.names)]
    clear = [one for one in found if one.distance >= LEAST_DISTANCE]
    return tuple(sorted(clear, key=lambda one: -one.distance)[:MAX_COLUMNS])


def _landmark(name: Any, column: pd.Series[Any], inside: NDArray[np.bool_]) -> Landmark:
    label = f"column {name}" if isinstance(name, int) else str(name)
    few = column.nunique() < _FEW_VALUES
    if column_kind(column) in FLOAT_KINDS and not few:
        return _range(name, label, column, inside)
    texts = column.astype(object).where(column.notna(), "missing").map(str)
    within = texts[inside].value_counts(normalize=True)
    without = texts[~inside].value_counts(normalize=True).reindex(within.index, fill_value=0.0)
    ahead = (within - without).to_numpy(float)
    at = int(ahead.argmax())
    level, here, elsewhere = within.index[at], float(within.iloc[at]), float(without.iloc[at])
    text = f"{label} = {level} ({_percent(here)} there, {_percent(elsewhere)} elsewhere)"
    return Landmark(name, text, float(ahead[at]))


def _range(name: Any, label: str, column: pd.Series[Any], inside: NDArray[np.bool_]) -> Landmark:
    kind = column_kind(column)
    numbers = as_floats(column, kind)
    there = np.isfinite(numbers)
    within, without = np.sort(numbers[inside & there]), np.sort(numbers[~inside & there])
    if not len(within) or not len(without):
        return Landmark(name, label, 0.0)
    both = np.concatenate([within, without])
    cumulative = [np.searchsorted(one, both, side="right") / len(one) for one in (within, without)]
    distance = float(np.abs(cumulative[0] - cumulative[1]).max())
    low, high = np.quantile(within, [0.1, 0.9], method="closest_observation")
    if kind == "moment":  # days since 1970
        low_text, high_text = (
            str(pd.Timestamp(0) + pd.Timedelta(days=day))[:10] for day in (low, high)
        )
    else:
        low_text, high_text = f"{low:.4g}", f"{high:.4g}"
    span = low_text if low_text == high_text else f"{low_text} to {high_text}"
    return Landmark(name, f"{label} = {span}", distance)


def _name(model: Any) -> str:
    own = last_step(model)
    return "constant" if isinstance(own, ConstantClassifier) else type(own).__name__


def _percent(share: float) -> str:
    """A share in words that never round a part to nothing or to all."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{100 * share:.3g} %"
