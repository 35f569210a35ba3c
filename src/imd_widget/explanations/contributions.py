"""What each column contributes to the scores of both models, and to their difference."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: A model hardly uses a column whose mean absolute contribution is below this share of the other
#: model's.
UNUSED_SHARE = 0.05
#: Contributions below this share of the gap are not named in a sentence.
LEAST_NAMED = 0.05
#: The difference has both signs if the gap is below this share of the mean absolute difference.
CANCELLING = 0.5


@dataclass(frozen=True, eq=False)
class PrintedSum(FrozenArrays):
    """A sum as it is printed: every figure is rounded, and the rounded figures add up."""

    base: float
    parts: NDArray[np.float64]
    total: float


def printed_sum(base: float, parts: NDArray[np.float64], total: float, places: int) -> PrintedSum:
    """Round the parts of a sum so that they add up to the rounded total.

    By largest remainder: each part is rounded up or down, and as few as possible are rounded away
    from the nearest figure. A part that is exactly 0 stays 0.

    Parameters
    ----------
    base : float
    parts : ndarray of shape (n_parts,)
    total : float
        ``base + parts.sum()``, up to rounding in double precision.
    places : int
        Decimals that are printed.
    """
    unit = 10.0**places
    scaled = np.append(parts, base) * unit
    down = np.floor(scaled)
    rounded_total = round(total, places) + 0.0
    n_up = int(np.clip(np.rint(rounded_total * unit) - down.sum(), 0, len(scaled)))
    down[np.argsort(down - scaled, kind="stable")[:n_up]] += 1
    rounded = np.round(down / unit, places) + 0.0
    return PrintedSum(float(rounded[-1]), rounded[:-1], rounded_total)


@dataclass(frozen=True, eq=False)
class Contributions(FrozenArrays):
    """What each column contributes to the scores of both models, on average over some rows.

    ``base[0] + first.sum()`` is model 1's mean score on these rows, and the same holds for model 2
    and for the difference: ``base_gap + difference.sum() == gap``.

    Attributes
    ----------
    columns : tuple
        Names of the columns, or of groups of columns.
    names : tuple of two str
        Names of the models.
    what : str
        The score that is explained: "probability of yes".
    base : ndarray of shape (2,)
        Mean score of either model on the background rows.
    level : ndarray of shape (2,)
        Mean score of either model on the rows.
    first, second : ndarray of shape (n_columns,)
        Mean contribution of each column to either model's score.
    difference : ndarray of shape (n_columns,)
        ``first - second``.
    standard_error : ndarray of shape (n_columns,)
        Standard error of ``difference``: from the random walks and, if only some of the rows were
        explained, from the choice of the rows.
    size : ndarray of shape (3, n_columns)
        Mean absolute contribution to either model's score: how much the model uses the
        column, and to the difference.
    rows : ndarray of int
        Positions of the rows.
    n_selected : int
        Number of rows that were selected; ``rows`` are some of them.
    n_asked : int
        Number of rows that each model was called with.
    precision : float
        Contributions that are not larger are rounding.
    averages_out : bool
        Whether the rows are all rows of the table: contributions to the scores of all rows average
        out, and ``size`` is more telling.
    apart : float
        Mean absolute difference of the scores on single rows.
    positions : tuple of int or None
        Position of each column in the table; None for several columns together.
    values : tuple of str, or None
        For one row: the value that it has in each column, as text.
    """

    columns: tuple[Hashable, ...]
    names: tuple[str, str]
    what: str
    base: NDArray[np.float64]
    level: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    difference: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    size: NDArray[np.float64]
    rows: NDArray[np.intp]
    n_selected: int
    n_asked: int
    precision: float = 0.0
    averages_out: bool = False
    apart: float = 0.0
    positions: tuple[int | None, ...] = ()
    values: tuple[str | None, ...] | None = None

    @property
    def gap(self) -> float:
        """Model 1's mean score on the rows less model 2's."""
        return float(self.level[0] - self.level[1])

    @property
    def base_gap(self) -> float:
        """The same on the background rows: the part of the gap that no column explains."""
        return float(self.base[0] - self.base[1])

    @property
    def order(self) -> NDArray[np.intp]:
        """Numbers of the columns, the one that contributes most to the gap first.

        If contributions average out, the one with the largest ``size`` to the difference.
        """
        measure = self.size[2] if self.averages_out else np.abs(self.difference)
        return np.argsort(-measure, kind="stable")

    @property
    def n_decimals(self) -> int:
        """Decimals with which the figures are shown: two digits of the largest, 1.00 included."""
        shown = [self.gap, self.base_gap, *self.difference.tolist()]
        if self.averages_out:
            shown += self.size.ravel().tolist()
        largest = max(map(abs, shown))
        if largest <= self.precision:
            return 2
        most = 6
        places = int(np.clip(1 - np.floor(np.log10(largest)), 2 if largest < 1 + 1e-9 else 0, most))
        # "0.17 higher: 0.58 and 0.42" needs another decimal
        return next((n for n in (places, places + 1) if n <= most and self._levels_fit(n)), places)

    def _levels_fit(self, places: int) -> bool:
        """Whether the rounded scores are the rounded gap apart."""
        first, second, gap = (round(float(own) * 10**places) for own in (*self.level, self.gap))
        return bool(first - second == gap)

    @cached_property
    def printed(self) -> tuple[PrintedSum, PrintedSum, PrintedSum]:
        """What adds up to the score of model 1, of model 2 and to the gap, as it is printed."""
        places = self.n_decimals
        return (
            printed_sum(float(self.base[0]), self.first, float(self.level[0]), places),
            printed_sum(float(self.base[1]), self.second, float(self.level[1]), places),
            printed_sum(self.base_gap, self.difference, self.gap, places),
        )

    def text(self, value: float, *, signed: bool = False) -> str:
        """Return a figure as text, with as many decimals as the others; never "-0.00"."""
        places = self.n_decimals
        rounded = round(float(value), places)
        text = f"{rounded + 0.0 if rounded else 0.0:{'+' if signed and rounded else ''},.{places}f}"
        return text.replace("-", "−")

    def error_text(self, error: float) -> str:
        """Return a standard error as text, with at least one digit that is not 0."""
        text = self.text(error)
        return text if float(text.replace(",", "")) or error < 1e-6 else f"{error:.1g}"

    @property
    def headline(self) -> str:
        """Which model gives more on these rows and how much, and where most of it comes from."""
        gap, here = self.gap, "for this row" if self.values is not None else "on these rows"
        low, high = self.text(self.level[0]), self.text(self.level[1])
        if self.averages_out:
            here = "on all rows"
        by_row = self.averages_out or self.cancels
        if self.text(abs(gap)) == self.text(0.0):
            both = low if low == high else f"{low} and {high}"
            what = f"mean {self.what}" if by_row else self.what
            said = f"{self.names[0]} and {self.names[1]} give the same {what} {here}: {both}."
            return f"{said} {self._largest}" if by_row else said
        more, less = (0, 1) if gap > 0 else (1, 0)
        levels = (low, high) if gap > 0 else (high, low)
        said = (
            f"{self.names[more]} gives a {self.what} that is {self.text(abs(gap))} higher than "
            f"{self.names[less]}'s {here}: {levels[0]} and {levels[1]}."
        )
        if by_row:
            return f"{said} {self._largest}"
        sign = 1.0 if gap > 0 else -1.0
        largest = [
            at
            for at in self.order[:3].tolist()
            if sign * self.difference[at] > LEAST_NAMED * abs(gap)
        ]
        if not largest:
            return said
        texts = [self.text(sign * self.printed[2].parts[at]) for at in largest]
        named = [f"{self.columns[at]} ({own})" for at, own in zip(largest, texts, strict=True)]
        share, column, most = sign * self.difference[largest[0]], self.columns[largest[0]], texts[0]
        if share > abs(gap):
            return f"{said} {column} alone contributes {most}."
        if share > abs(gap) / 2:
            return f"{said} {column} accounts for {most} of it."
        if len(named) == 1:
            return f"{said} {column} contributes most ({most})."
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        return f"{said} The largest contributions come from {listed}."

    @property
    def _largest(self) -> str:
        """Which columns move the models apart most on single rows, as a sentence."""
        named = [
            f"{self.columns[at]} ({self.text(self.size[2, at])})"
            for at in np.argsort(-self.size[2], kind="stable")[:3].tolist()
            if self.text(self.size[2, at]) != self.text(0.0)
        ]
        if not named:
            return "No column moves them apart."
        most = f"the columns that move them apart most are {', '.join(named)}."
        if not self.cancels:
            return f"On single rows {most}"
        return f"On single rows they are {self.text(self.apart)} apart, in both directions; {most}"

    @property
    def cancels(self) -> bool:
        """Whether the difference has both signs on these rows, so that the gap is small."""
        several = self.values is None and len(self.rows) > 1
        return several and abs(self.gap) < CANCELLING * self.apart

    def total(self, n: int = 3) -> str:
        """Return the gap as a sum: the gap on average, the ``n`` largest contributions, the rest.

        The gap is model 1 less model 2, and so are its parts: "LR − RF = −0.51 = −0.02 ...".

        Parameters
        ----------
        n : int, default=3
            Number of columns that are named.
        """
        printed = self.printed[2]
        shown = [at for at in self.order[:n] if printed.parts[at] != 0]
        parts = [(float(printed.parts[at]), f"from {self.columns[at]}") for at in shown]
        rest = np.setdiff1d(self.order, shown)
        if len(rest):
            columns = "another column" if len(rest) == 1 else f"{len(rest)} other columns"
            parts.append((float(printed.parts[rest].sum()), f"from {columns}"))
        first, second = self.names
        gap = "" if first == second else f"{first} − {second} = "  # one model has no second
        base = f"{self.text(printed.base)} on average over all rows"
        words = f"{gap}{self.text(printed.total)} = {base}"
        nothing = self.text(0.0)
        for value, words_of in parts:
            figure = self.text(abs(value))
            sign = "−" if value < 0 and figure != nothing else "+"
            words += f" {sign} {figure} {words_of}"
        return f"{words}."

    def unused(self) -> tuple[tuple[Hashable, str, str], ...]:
        """Return the columns that one model uses and the other does not, or hardly.

        Each with the name of the model that uses it and of the one that does not, in `order`.
        """
        return tuple(
            (self.columns[at], self.names[used], self.names[1 - used])
            for at, used in self._unused()
        )

    def _unused(self) -> list[tuple[int, int]]:
        """Number of the column and of the model that uses it."""
        found = []
        for at in self.order.tolist():
            sizes = self.size[:2, at]
            used = int(sizes.argmax())
            large = sizes[used] > max(self.precision, 0.1 * abs(self.gap))
            if large and sizes[1 - used] < UNUSED_SHARE * sizes[used]:
                found.append((at, used))
        return found

    @property
    def unused_sentences(self) -> tuple[str, ...]:
        """A sentence for each of `unused`."""
        return tuple(
            f"{self.names[used]} uses {self.columns[at]}; {self.names[1 - used]} "
            f"{'hardly does' if self.size[1 - used, at] > self.precision else 'does not'}."
            for at, used in self._unused()
        )

    @property
    def note(self) -> str:
        """How many rows were explained, and how often the models were called, as a sentence."""
        return self.note_of("each model")

    def note_of(self, called: str) -> str:
        """Return `note` with another subject: "each model", "the model"."""
        n, of = len(self.rows), self.n_selected
        asked = f"{called} was called with {self.n_asked:,} rows"
        if self.values is not None:
            return f"{asked[:1].upper()}{asked[1:]}."
        rows = f"{n:,} rows" if n == of else f"{n:,} of {of:,} rows"
        return f"Averages over {rows}; {asked} for them."

    def summary(self, n: int = 3) -> str:
        """Return the gap, the ``n`` largest contributions to it and the rest, as text."""
        total = [] if self.averages_out else [self.total(n)]
        return " ".join([self.headline, *total, *self.unused_sentences])

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per column, the largest contribution to the gap first."""
        import pandas as pd

        values = {} if self.values is None else {"value": list(self.values)}
        frame = pd.DataFrame(
            {
                "column": list(self.columns),
                **values,
                "first": self.first,
                "second": self.second,
                "difference": self.difference,
                "standard error": self.standard_error,
            }
        )
        return frame.iloc[self.order].reset_index(drop=True)

    def plot(self, ax: Axes | None = None, *, n: int = 10) -> Axes:
        """Draw the ``n`` largest contributions with matplotlib and return the axes.

        For one row, two waterfalls are drawn: from the average score of either model to its score
        for the row.
        """
        from imd_widget.explanations.drawing import draw_contributions, draw_waterfall

        return (draw_contributions if self.values is None else draw_waterfall)(self, ax, n)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Contributions: {self.summary()}>"
