"""The question of a node of an exported tree, and the conditions that questions amount to."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import from_json, listed, matches_type, shown
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget.data import features as data_features
from imd_widget.data.features import feature_matrix
from imd_widget.data.table import Table
from imd_widget.learners.meta_trees.features import Kind, TreeFeature
from imd_widget.rules.conditions import Condition, Interval, Membership, Presence


@dataclass(frozen=True)
class Question:
    """A question about one column, with the answers yes and no.

    Attributes
    ----------
    column : Hashable
        The user's name of the column.
    position : int
        Its position in the table that the networks were trained on.
    kind : {"number", "order", "category", "missing"}
        The answer is yes if ``value >= threshold`` ("number"; "order": if the category is the
        threshold or comes after it), if the value is the threshold ("category"), or if it is
        missing ("missing").
    threshold : object
        A number or a category; None for "missing".
    missing : bool
        The answer for a missing value.
    had_missing : bool
        Whether values were missing in the table that the networks were trained on.
    order : tuple or None
        All categories of an "order" question, from the least to the greatest.
    """

    column: Hashable
    position: int
    kind: Kind
    threshold: Any
    missing: bool
    had_missing: bool = False
    order: tuple[Hashable, ...] | None = None

    @classmethod
    def about(
        cls, feature: TreeFeature, threshold: float, *, missing: bool, had_missing: bool
    ) -> Question:
        """The question ``raw value >= threshold`` of a feature, in the user's own values."""
        asked: Any = threshold
        if feature.kind == "order" and feature.categories is not None:
            asked = feature.categories[math.ceil(threshold)]
        elif feature.kind == "category":
            asked = feature.category
        elif feature.kind == "missing":
            asked = None
        elif threshold.is_integer() and abs(threshold) < 1 << 53:
            asked = int(threshold)
        if feature.kind in ("category", "missing"):
            missing = feature.kind == "missing"
        return cls(
            feature.column,
            feature.position,
            feature.kind,
            asked,
            missing,
            had_missing,
            feature.categories,
        )

    def answers(self, table: Table) -> NDArray[np.bool_]:
        """The answer of every row of a table."""
        raw = feature_matrix(table, [self._feature])[:, 0]
        return np.where(np.isnan(raw), self.missing, raw >= self.raw_threshold)

    @property
    def raw_threshold(self) -> float:
        """The threshold as it is compared with raw values; see `features`."""
        if self.kind == "number":
            return float(self.threshold)
        if self.kind == "order":
            return float((self.order or ()).index(self.threshold))
        return 0.5

    @property
    def _feature(self) -> data_features.Feature:
        return data_features.Feature(
            self.column, self.position, self.kind, self.threshold, self.order
        )

    def text(self, answer: bool) -> str:
        """The question and one of its answers as a condition, for a person to read."""
        return " and ".join(map(str, conditions_of([(self, answer)])))

    def to_plain(self) -> dict[str, Any]:
        """The question as plain values for JSON."""
        plain: dict[str, Any] = {
            "column": to_plain(self.column, "the column name"),
            "position": self.position,
            "kind": self.kind,
            "missing": self.missing,
            "had_missing": self.had_missing,
        }
        if self.kind != "missing":
            plain["threshold"] = to_plain(self.threshold, "the threshold")
        if self.order is not None:
            plain["order"] = [to_plain(category, "the category") for category in self.order]
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Question:
        """The question that `to_plain` described."""
        if plain["kind"] not in ("number", "order", "category", "missing"):
            raise ValueError(f"a question of the kind {plain['kind']!r}")
        column, threshold = from_plain(plain["column"]), from_plain(plain.get("threshold"))
        if plain["kind"] == "number" and not matches_type(abs(threshold), float):
            raise ValueError(f"a threshold of {shown(column)} is {shown(threshold)}")
        order = distinct_from_plain(listed(plain, "order"), column) if "order" in plain else None
        question = from_json(cls, plain, column=column, threshold=threshold, order=order)
        _ = question.raw_threshold  # raises if the threshold is none of the categories
        return question


def conditions_of(path: Iterable[tuple[Question, bool]]) -> tuple[Condition, ...]:
    """One condition for each column in a path of questions and answers."""
    steps: dict[tuple[Hashable, int], list[tuple[Question, bool]]] = {}
    for question, answer in path:
        steps.setdefault((question.column, question.position), []).append((question, answer))
    return tuple(_condition(asked) for asked in steps.values())


def _condition(asked: list[tuple[Question, bool]]) -> Condition:
    """The condition on one column that all answers amount to."""
    first = asked[0][0]
    missing = first.had_missing and all(q.missing == answer for q, answer in asked)
    about = [(q, answer) for q, answer in asked if q.kind != "missing"]
    place: dict[str, Any] = {"position": first.position}
    only_missing = any(q.kind == "missing" and answer for q, answer in asked)
    if only_missing or not about:
        return Presence(first.column, missing=only_missing, **place)
    if about[0][0].kind == "category":
        chosen = tuple(q.threshold for q, answer in about if answer)
        if chosen:
            return Membership(first.column, chosen[:1], missing=missing, **place)
        others = tuple(q.threshold for q, _ in about)
        if others == (True,):
            return Membership(first.column, (False,), missing=missing, **place)
        return Membership(first.column, others, negated=True, missing=missing, **place)
    lows = [q for q, answer in about if answer]
    highs = [q for q, answer in about if not answer]
    return Interval(
        first.column,
        low=max(lows, key=lambda q: q.raw_threshold).threshold if lows else None,
        high=min(highs, key=lambda q: q.raw_threshold).threshold if highs else None,
        missing=missing,
        order=first.order,
        **place,
    )
