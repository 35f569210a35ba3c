"""Draw the rows whose labels decide which of two models is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.encodable import encodable_text
from imd_widget._base.errors import InputError, Quoted
from imd_widget._base.validation import check_whole
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.deciding.strata import FEWEST_LABELS, Rows, Stratum, allocated, strata_of

#: The columns of the frame before those of the table.
ROW, STRATUM, WEIGHT, LABEL = "row", "stratum", "weight", "label"


@dataclass(frozen=True)
class SampledStratum:
    """How many rows of a stratum were drawn.

    Attributes
    ----------
    name : str
        "rule 0", "other differences" or "agreement".
    text : str
        The conditions of the rule; empty for the others.
    rows : int
        Number of rows of the table in the stratum.
    drawn : int
        Number of these that were drawn.
    """

    name: str
    text: str
    rows: int
    drawn: int


@dataclass(frozen=True, repr=False)
class RowsToLabel(Displayed):
    """Rows of a diff to be labelled, drawn at random within strata.

    Attributes
    ----------
    strata : tuple of SampledStratum
    """

    strata: tuple[SampledStratum, ...]
    _frame: pd.DataFrame = field(compare=False)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows, in random order.

        ``row`` is the position in the table, ``stratum`` its stratum, ``weight`` the number of rows
        of the table that it stands for, and ``label`` is empty. Then follow the columns of the
        table.
        """
        return self._frame.copy()

    def save(self, path: str | Path) -> Path:
        """Write the rows as a ``.csv`` file, for whoever labels them; return the path."""
        path = Path(path)
        if path.suffix.lower() != ".csv":
            raise InputError(
                Quoted(path.name), " is not a .csv file: rows to label are written as one."
            )
        text = self._frame.to_csv(index=False, lineterminator="\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, encodable_text(text).encode("utf-8"))
        return path

    def __len__(self) -> int:
        return len(self._frame)

    def __str__(self) -> str:
        parts = [f"{one.drawn} of {one.rows:,} in {one.name}" for one in self.strata]
        return f"{len(self)} rows to label: {', '.join(parts)}."

    def __repr__(self) -> str:
        return f"<RowsToLabel: {self}>"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows: the same as ``frame``."""
        return self.frame

    def _report(self) -> Report:
        return Report((str(self),), self._frame.set_index(ROW))


def to_label(diff: ModelDiff, n: int, outputs: bool, random_state: int) -> RowsToLabel:
    """Draw rows of a diff to be labelled; see `ModelDiff.to_label`."""
    check_whole("n", n, 1)
    check_whole("random_state", random_state, 0)
    generator = np.random.default_rng(random_state)
    strata = strata_of(diff)
    differing = [one for one in strata if one.differs]
    if not differing:
        raise InputError("the models agree on every row: no label decides between them.")
    n_agree = _of_agreement(diff, strata, n)
    n_differ = min(n - n_agree, sum(len(one.rows) for one in differing))
    drawn = []
    for stratum, size in allocated(differing, n_differ):
        drawn.append((stratum, np.sort(generator.choice(stratum.rows, size, replace=False))))
    if n_agree:
        [rest] = (one for one in strata if not one.differs)
        drawn.append((rest, np.sort(generator.choice(rest.rows, n_agree, replace=False))))
    sampled = tuple(
        SampledStratum(one.name, one.text, len(one.rows), len(rows)) for one, rows in drawn
    )
    return RowsToLabel(sampled, _frame(diff, drawn, outputs, generator))


def _of_agreement(diff: ModelDiff, strata: Sequence[Stratum], n: int) -> int:
    """Return how many rows are drawn on which the models agree.

    None for classes: both are right there, or both are wrong. Numbers that agree within the
    tolerance differ a little: Neyman's allocation by how far apart the outputs are.
    """
    agreeing = [len(one.rows) for one in strata if not one.differs]
    if diff.tolerance is None or not agreeing:
        return 0
    first, second = (diff.predictions.iloc[:, at].to_numpy(dtype=float) for at in (0, 1))
    apart = (first - second) ** 2
    spread = {True: 0.0, False: 0.0}
    for differs in spread:
        rows = np.concatenate([one.rows for one in strata if one.differs == differs])
        spread[differs] = len(rows) * float(np.sqrt(apart[rows].mean()))
    share = spread[False] / (spread[True] + spread[False])
    return int(min(max(round(n * share), FEWEST_LABELS), agreeing[0], n - 1))


def _frame(
    diff: ModelDiff,
    drawn: Sequence[tuple[Stratum, Rows]],
    outputs: bool,
    generator: np.random.Generator,
) -> pd.DataFrame:
    rows = np.concatenate([own for _, own in drawn])
    order = generator.permutation(len(rows))
    columns: dict[str, Any] = {
        ROW: rows[order],
        STRATUM: np.repeat([one.name for one, _ in drawn], [len(own) for _, own in drawn])[order],
        WEIGHT: np.repeat(
            [len(one.rows) / max(len(own), 1) for one, own in drawn], [len(own) for _, own in drawn]
        )[order],
        LABEL: pd.Series([None] * len(rows), dtype=object),
    }
    if outputs:
        both = diff.predictions.iloc[rows[order]].reset_index(drop=True)
        columns |= {_free(name, columns): both.iloc[:, at] for at, name in enumerate(diff.names)}
    for position, name in enumerate(diff.table.names):
        own = diff.table.values_at(position, rows[order])
        columns[_free(str(name), columns)] = own.reset_index(drop=True)
    return pd.DataFrame(columns)


def _free(name: str, taken: Any) -> str:
    """Return a name that no column has yet."""
    while name in taken:
        name += "_"
    return name
