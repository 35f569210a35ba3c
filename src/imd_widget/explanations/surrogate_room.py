"""The surrogates of a selection, each fitted when it is first asked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted
from imd_widget.data.table import Table
from imd_widget.explanations.fidelity import Fidelity, hardly_varies, r2_text
from imd_widget.explanations.forest import ForestSurrogate, fit_forest
from imd_widget.explanations.grid import point_value_text
from imd_widget.explanations.klime import KLime, fit_klime
from imd_widget.explanations.precision import cleared
from imd_widget.explanations.results import Importance, Reasons, Surrogates, ordered_by, picked
from imd_widget.explanations.room import Room
from imd_widget.explanations.selection import check_imitable
from imd_widget.explanations.surrogate_data import SURROGATE_ROWS, SurrogateData, surrogate_data
from imd_widget.explanations.tree_surrogate import (
    FittedTree,
    TreeSurrogate,
    fit_tree,
    tree_surrogate,
)

#: What is fitted, in this order: three forests, K-LIME, three decision trees.
SURROGATE_PARTS = ("forest 0", "forest 1", "forest 2", "K-LIME", "trees")


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments of the user's own, in place of clusters."""

    #: Segment of each row of the table.
    numbers: NDArray[np.intp]
    #: Names of the segments.
    names: tuple[Any, ...]


def read_segments(given: Any, table: Table) -> Segments:
    """Return segments: the name of a column, or a value for each row of the table."""
    if isinstance(given, str):
        if given not in table.place:
            raise InputError(
                Given("segments", given),
                " is not a column of the table, which has ",
                Quoted(*table.names[:8]),
                ", ..." if len(table.names) > 8 else "",
                ". Name a column, or pass an array with the segment of each row.",
            )
        values: Any = table.get(table.place[given]).to_numpy(dtype=object)
    else:
        values = np.asarray(given, dtype=object)
        if values.shape != (table.n_rows,):
            raise InputError(
                Argument("segments"),
                f" has the shape {values.shape}: a column name, or the segment of each of the "
                f"{table.n_rows} rows is needed.",
            )
    numbers, names = pd.factorize(values, use_na_sentinel=False)
    return Segments(np.asarray(numbers, dtype=np.intp), tuple(names.tolist()))


@dataclass(frozen=True, eq=False)
class FirstReasons:
    """Reason codes of model 1 for one row."""

    #: Names of the columns, the one with the largest K-LIME reason code first.
    columns: tuple[Hashable, ...]
    #: The values that the row has.
    values: tuple[str, ...]
    klime: NDArray[np.float64]
    loco: NDArray[np.float64]
    #: What the model gives, and the surrogates before any column is looked at.
    score: float
    klime_baseline: float
    loco_baseline: float
    #: The cluster of K-LIME, from 0.
    cluster: int


@dataclass(frozen=True, eq=False)
class SurrogateRoom(Room):
    """The surrogates of a selection."""

    #: None: clusters of rows.
    segments: Segments | None = None

    def compute(self, part: str) -> None:
        """Fit one of `SURROGATE_PARTS`."""
        name, _, number = part.partition(" ")
        if name == "forest":
            self.forest(int(number))
        elif name == "trees":
            for target in range(3):
                self._tree(target)
        else:
            self.klime  # noqa: B018 it is computed and remembered

    @property
    def are_fitted(self) -> tuple[bool, bool, bool]:
        """Whether the forests, K-LIME and the decision trees are there already."""
        forests, trees = (
            all((name, target) in self.memory for target in range(3)) for name in ("forest", "tree")
        )
        return forests, "klime" in self.memory, trees

    @property
    def fidelities(self) -> tuple[Fidelity, ...]:
        """What those surrogates are worth that are there already."""
        forests, klime, trees = self.are_fitted
        found = [self.tree_fidelity] if trees else []
        found += [self.forest_fidelity] if forests else []
        found += [self.klime_fidelity] if klime else []
        return tuple(found)

    @property
    def data(self) -> SurrogateData:
        """The rows that surrogates are fitted to."""
        return self.memory.get("data", self._data)

    def _data(self) -> SurrogateData:
        check_imitable(self.selection)
        fitted = self.subject.rows
        rows = self.rows(SURROGATE_ROWS)
        scores = self.score.of_rows(rows)
        targets = np.column_stack([scores, scores[:, 0] - scores[:, 1]])
        groups = fitted.dataset.groups
        return surrogate_data(
            self.table,
            rows,
            targets,
            self.weights(rows),
            None if groups is None else groups[rows],
            self.options.random_state,
            self.score.precision,
            positions=self.positions,
            least=self.options.least,
        )

    def forest(self, target: int) -> ForestSurrogate:
        """The forest of model 1 (0), of model 2 (1) or of the difference (2)."""
        return self.memory.get(
            ("forest", target), lambda: fit_forest(self.data, target, self.options.random_state)
        )

    @property
    def forests(self) -> tuple[ForestSurrogate, ...]:
        """All three forests."""
        return tuple(self.forest(target) for target in range(3))

    @property
    def klime(self) -> KLime:
        """The local linear models."""
        own = self.segments
        numbers = None if own is None else own.numbers[self.data.rows]
        names = () if own is None else own.names
        return self.memory.get(
            "klime", lambda: fit_klime(self.data, numbers, names, self.options.random_state)
        )

    def _tree(self, target: int) -> FittedTree:
        return self.memory.get(
            ("tree", target),
            lambda: fit_tree(self.data, target, self.options.max_depth, self.options.random_state),
        )

    def tree(self, target: int) -> TreeSurrogate:
        """The decision tree of model 1 (0) or of model 2 (1), by itself."""
        score = self.score
        return tree_surrogate(
            self._tree(target),
            self.data,
            self.subject.names[target],
            score.what,
            score.text,
            score.note,
            None,
        )

    def reasons_of_first(self, row: int) -> FirstReasons:
        """Reason codes of model 1 for a row of the table, which is among the rows explained."""
        data = self.data
        place = data.place_of(row)
        if place is None:
            data, place = self._with(row)
        features = data.linear
        cluster = self._cluster(data, place, row)
        n_columns = len(data.described.columns)
        klime = self.klime.reasons(features.matrix[place], cluster, features.owner, n_columns)[0]
        forest = self.forest(0)
        loco = forest.contributions(data.tree_matrix[place : place + 1])[0]
        order = ordered_by(klime)
        least = self.score.precision
        return FirstReasons(
            columns=picked(data.names, order),
            values=tuple(_value_text(data, column, place) for column in order),
            klime=cleared(klime[order], least),
            loco=cleared(loco[order], least),
            score=float(data.targets[place, 0]),
            klime_baseline=float(self.klime.models[cluster].intercepts[0]),
            loco_baseline=float(forest.baseline),
            cluster=cluster,
        )

    @property
    def trees(self) -> tuple[TreeSurrogate, TreeSurrogate, TreeSurrogate]:
        """Decision trees of model 1, of model 2 and of the difference."""
        names = (*self.subject.names, "the difference")
        trust = _trust(self.tree_fidelity)
        first, second, difference = (
            tree_surrogate(
                self._tree(target),
                self.data,
                names[target],
                self.score.what,
                self.score.text,
                self.score.note,
                self.tree_fidelity.warning if target == 2 else trust,
            )
            for target in range(3)
        )
        return first, second, difference

    @property
    def all(self) -> Surrogates:
        """All surrogates and what they are worth."""
        fidelities = (self.tree_fidelity, self.forest_fidelity, self.klime_fidelity)
        return Surrogates(*self.trees, self.forests, self.klime, fidelities)

    @property
    def tree_fidelity(self) -> Fidelity:
        """What the decision trees are worth."""
        return self._fidelity("decision tree", [self._tree(target).fit for target in range(3)])

    @property
    def forest_fidelity(self) -> Fidelity:
        """What the forests are worth."""
        return self._fidelity("random forest", [own.fit for own in self.forests])

    @property
    def klime_fidelity(self) -> Fidelity:
        """What the local linear models are worth."""
        return self._fidelity("K-LIME", list(self.klime.fits))

    def _fidelity(self, technique: str, fits: list[Any]) -> Fidelity:
        return Fidelity(technique, self.subject.names, *fits)

    @property
    def importance(self) -> Importance:
        """Forest importance and mean absolute LOCO of each column."""
        return self.memory.get("importance", self._importance)

    def _importance(self) -> Importance:
        data = self.data
        most = min(self.options.max_samples, SURROGATE_ROWS)
        part = np.flatnonzero(np.isin(data.rows, self.rows(most)))
        weights = data.weights[part]
        share = weights / weights.sum()
        matrix = data.tree_matrix[part]
        loco = np.stack([share @ np.abs(own.contributions(matrix)) for own in self.forests])
        loco = cleared(loco, self.score.precision)
        forest = np.stack([own.importance for own in self.forests])
        order = ordered_by(loco[2])
        return Importance(
            picked(data.names, order), forest[:, order], loco[:, order], self.forest_fidelity
        )

    def reasons(self, row: int) -> Reasons:
        """Reason codes of a row of the table, which is among the rows explained."""
        data = self.data
        place = data.place_of(row)
        if place is None:
            data, place = self._with(row)
        features = data.linear
        n_columns = len(data.described.columns)
        cluster = self._cluster(data, place, row)
        model = self.klime.models[cluster]
        klime = self.klime.reasons(features.matrix[place], cluster, features.owner, n_columns)
        matrix = data.tree_matrix[place : place + 1]
        loco = np.stack([own.contributions(matrix)[0] for own in self.forests])
        least = self.score.precision
        klime, loco = cleared(klime, least), cleared(loco, least)
        order = ordered_by(np.abs(klime).max(axis=0))
        scores = data.targets[place, :2].tolist()
        texts = [self.score.text(score) for score in scores]
        return Reasons(
            row=row,
            names=self.subject.names,
            columns=picked(data.names, order),
            values=tuple(_value_text(data, column, place) for column in order),
            scores=(scores[0], scores[1]),
            klime=klime[:, order],
            loco=loco[:, order],
            klime_baseline=cleared(model.intercepts, least),
            loco_baseline=cleared(np.array([own.baseline for own in self.forests]), least),
            cluster=cluster,
            klime_fidelity=self.klime_fidelity,
            loco_fidelity=self.forest_fidelity,
            score_texts=(texts[0], texts[1]),
        )

    def _with(self, row: int) -> tuple[SurrogateData, int]:
        """The data with one more row, which is neither fitted nor kept aside."""
        data = self.data.with_row(self.subject.table, row, self.score.of_rows(np.array([row])))
        return data, len(data.rows) - 1

    def _cluster(self, data: SurrogateData, place: int, row: int) -> int:
        if self.segments is not None:
            return int(self.segments.numbers[row])
        return int(self.klime.clustering.numbers(data.linear.matrix[place : place + 1])[0])


def _trust(fidelity: Fidelity) -> str:
    """What the decision trees say of the difference, as a sentence."""
    if fidelity.difference.r2 is None:
        return hardly_varies(["the difference"])
    line = f"Of the difference: R² {r2_text(fidelity.difference.r2)} held out."
    return f"{line} {fidelity.warning}" if fidelity.warning else line


def _value_text(data: SurrogateData, column: int, place: int) -> str:
    series = data.table.get(data.described.columns[column].position)
    return point_value_text(series.iloc[place])
