"""Grounded rule sets: a baseline that predicts differences from one rule set for each model.

Each model is approximated by a rule set, a disjunction of conjunctions of conditions on single
columns. The rules of model 2 are *grounded* in those of model 1: clauses and conditions of model 1
are cheaper, so that equal behaviour has equal rules. A row is predicted to differ if exactly one of
the two rule sets holds.

The method follows Nair, Mattetti, Daly, Wei, Alkan and Zhang, "What Changed? Interpretable Model
Comparison" (IJCAI 2021); the rule sets follow Dash, Günlük and Wei, "Boolean Decision Rules via
Column Generation" (NeurIPS 2018). Decisions that the papers leave open are made as follows.

- *Grounding.* Model 1's clauses are columns of the second problem from the start, at the share
  ``reuse`` of what a new clause costs, and conditions that model 1's rules use cost that share
  inside new clauses. If the outputs of the two models are equal, so are the rules.
- *Pairing.* The published comparison pairs the rules of the two sets one to one, to show which of
  them changed. Predicting differences needs no pairs, so rules are not paired.
- *Differences as rules.* Haldar et al. (UAI 2023), who compare with this as "BRCG Diff.", define a
  diff rule as a conjunction and do not say how they come from two rule sets. "This clause of one
  set, and none of the other" is not a conjunction, so it is written out as some, without any that
  the rest includes (see `GroundedRules.rules`). Rules are counted in that form, and predicates as
  everywhere else: distinct comparisons in all rules.
- *Missing values.* A comparison holds only where there is a value: a row without one satisfies
  neither ``x < t`` nor ``x >= t``, neither ``x is a`` nor ``x is not a``. Where values are missing,
  ``x is missing`` and ``x is not missing`` are conditions of their own.
- *Pricing* is a beam search and not an integer program; it may miss a clause that would pay.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.boolean_rules.checks import check_shape, shown
from benchmarks.boolean_rules.clauses import BooleanRules, Clause
from benchmarks.boolean_rules.learning import learn_rules
from benchmarks.boolean_rules.literals import Literals, binarise
from imd_widget._base.errors import InputError
from imd_widget.data.columns import Column
from imd_widget.data.native import as_objects
from imd_widget.data.table import open_table
from imd_widget.rules.conditions import Condition, all_hold, condition
from imd_widget.rules.languages import conditions_text

#: Maximal number of conjunctions in the difference of two rule sets.
MAX_RULES = 3_000


@dataclass(frozen=True, eq=False)
class GroundedRule:
    """A conjunction of conditions, and the labels that the two rule sets predict there.

    Attributes
    ----------
    conditions : tuple of Condition
        All of them hold for a row of the rule; an empty tuple holds for all rows.
    outcomes : tuple
        Label of model 1 and label of model 2.
    """

    conditions: tuple[Condition, ...]
    outcomes: tuple[Any, Any]

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Mask of the rows of ``X`` for which all conditions hold."""
        return all_hold(self.conditions, X)

    def __str__(self) -> str:
        return f"{conditions_text(self.conditions)}: {self.outcomes[0]} -> {self.outcomes[1]}"


@dataclass(frozen=True, eq=False)
class GroundedRules:
    """Two rule sets over the same literals, and where they differ.

    Attributes
    ----------
    literals : Literals
    first, second : BooleanRules
        Rules for the rows to which model 1, and model 2, assign the second label.
    labels : tuple
        The label where the rules of a model do not hold, and the label where they hold.
    """

    literals: Literals
    first: BooleanRules
    second: BooleanRules
    labels: tuple[Any, Any]

    def predict(self, frame: Any) -> NDArray[np.bool_]:
        """Mask of the rows for which exactly one of the two rule sets holds."""
        matrix = self.literals.matrix(frame)
        return self.first.predict(matrix) ^ self.second.predict(matrix)

    @cached_property
    def rules(self) -> tuple[GroundedRule, ...]:
        """The difference of the two rule sets as conjunctions.

        Each conjunction is a clause of one set together with the negation of one condition from
        every clause of the other. Contradictions and redundant conjunctions are removed. Together
        they hold where `predict` is True, except for values that no code is defined for (see
        `Literals.matrix`): such a row is in no rule with a condition on the column.
        """
        space = _Space.of(self.literals, [*self.first.clauses, *self.second.clauses])
        negative, positive = self.labels
        rules = []
        for inside, outside, outcomes in (
            (self.first, self.second, (positive, negative)),
            (self.second, self.first, (negative, positive)),
        ):
            boxes = space.difference(inside.clauses, outside.clauses)
            rules += [GroundedRule(space.conditions(box), outcomes) for box in boxes]
        return tuple(rules)

    @property
    def n_rules(self) -> int:
        """Number of conjunctions."""
        return len(self.rules)

    @property
    def n_predicates(self) -> int:
        """Number of distinct comparisons in all rules."""
        return len({p for rule in self.rules for c in rule.conditions for p in c.predicates})

    @property
    def rules_text(self) -> tuple[str, ...]:
        """The rules as text."""
        return tuple(str(rule) for rule in self.rules)


@dataclass(frozen=True, eq=False)
class _Space:
    """Boxes as integers with one bit for each code of each column, set if the code is allowed.

    The lowest bit is set in every box, so that 0 stands for the empty box.

    Attributes
    ----------
    columns : tuple of Column
        The columns that occur in clauses.
    fields : tuple of int
        The bits of each column.
    literals : dict
        For each literal, the bits of its column and the bits for which it holds.
    """

    columns: tuple[Column, ...]
    fields: tuple[int, ...]
    literals: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, literals: Literals, clauses: Iterable[Clause]) -> _Space:
        """The space of the columns that occur in clauses."""
        used = sorted({j for clause in clauses for j in clause})
        positions = sorted({literals.definitions[j][0] for j in used})
        columns = tuple(literals.columns[position] for position in positions)
        starts = [*itertools.accumulate((column.n_codes for column in columns), initial=1)]
        fields = tuple((1 << end) - (1 << start) for start, end in itertools.pairwise(starts))
        bits = {}
        for j in used:
            position, allowed = literals.definitions[j]
            k = positions.index(position)
            bits[j] = (fields[k], allowed << starts[k])
        return cls(columns, fields, bits)

    def conditions(self, box: int) -> tuple[Condition, ...]:
        """A box as conditions on the columns that it constrains."""
        columns = zip(self.columns, self.fields, strict=True)
        return tuple(
            condition(column, (box & field) // (field & -field))
            for column, field in columns
            if field & ~box
        )

    def difference(self, inside: Sequence[Clause], outside: Sequence[Clause]) -> list[int]:
        """Boxes whose union is where a clause of ``inside`` and no clause of ``outside`` holds."""
        boxes = _widest(self._within(sum(self.fields, start=1), clause) for clause in inside)
        for clause in outside:
            boxes = _widest(part for box in boxes for part in self._beyond(box, clause))
            if len(boxes) > MAX_RULES:
                raise InputError(
                    f"rule sets of {len(inside)} and {len(outside)} clauses differ in more than "
                    f"{MAX_RULES:,} ways, which are too many to be written as rules. Raise "
                    "clause_cost and literal_cost to learn fewer clauses; predict does without."
                )
        return self._needed(boxes)

    def _within(self, box: int, clause: Clause) -> int:
        """The part of a box in which a clause holds; 0 if it is empty."""
        for j in clause:
            field, allowed = self.literals[j]
            box &= allowed | ~field
            if not box & field:
                return 0
        return box

    def _beyond(self, box: int, clause: Clause) -> Iterator[int]:
        """The parts of a box in which a literal of a clause does not hold; they may overlap."""
        for j in clause:
            field, allowed = self.literals[j]
            yield box & ~allowed if box & field & ~allowed else 0

    def _needed(self, boxes: list[int]) -> list[int]:
        """Remove boxes that are covered by the union of the others, the smallest first."""
        kept = list(boxes)
        for box in reversed(boxes):
            others = [other for other in kept if other != box and self._meet(box, other)]
            others.sort(key=lambda other: -(box & other).bit_count())
            if self._is_covered(box, others):
                kept.remove(box)
        return kept

    def _meet(self, one: int, other: int) -> bool:
        return all(one & other & field for field in self.fields)

    def _is_covered(self, box: int, others: Sequence[int]) -> bool:
        """Whether the union of the others covers a box, by subtracting one after the other."""
        todo = [(box, 0)]
        while todo:
            box, at = todo.pop()
            at = next((k for k in range(at, len(others)) if self._meet(box, others[k])), -1)
            if at < 0:
                return False
            for field in self.fields:
                left = box & field & ~others[at]
                if left:
                    todo.append((box & ~field | left, at + 1))
                    box &= others[at] | ~field
        return True


def _widest(boxes: Iterable[int]) -> list[int]:
    """The boxes that are not contained in another, the largest first."""
    kept: list[int] = []
    for box in sorted({*boxes} - {0}, key=lambda box: (-box.bit_count(), box)):
        if all(box & ~other for other in kept):
            kept.append(box)
    return kept


def grounded_rules(
    frame: Any,
    y1: Any,
    y2: Any,
    *,
    n_thresholds: int = 9,
    clause_cost: float = 0.001,
    literal_cost: float = 0.001,
    reuse: float = 0.5,
    max_degree: int = 10,
    beam: int = 10,
    iterations: int = 100,
    seed: int = 0,
) -> GroundedRules:
    """Fit rules to model 1, and rules that reuse them to model 2.

    Parameters
    ----------
    frame : table of shape (n_rows, n_columns)
        Anything that `imd_widget.diff` takes for ``X``.
    y1, y2 : array-like of shape (n_rows,)
        Outputs of the models, with two distinct labels in total. Rules predict the greater label.
    n_thresholds : int
        Maximal number of thresholds of a column, see `binarise`.
    reuse : float
        Factor of the cost of a clause or literal of model 1 in the rules of model 2; with 1 the two
        rule sets are learned independently.
    clause_cost, literal_cost, max_degree, beam, iterations, seed
        See `learn_rules`.
    """
    table = open_table(frame, "frame")
    (positive1, positive2), labels = _read_outputs(y1, y2, table.n_rows)
    literals = binarise(table, n_thresholds)
    matrix = literals.matrix(table)
    learn = partial(
        learn_rules,
        matrix,
        clause_cost=clause_cost,
        literal_cost=literal_cost,
        reuse=reuse,
        max_degree=max_degree,
        beam=beam,
        iterations=iterations,
        seed=seed,
    )
    first = learn(positive1)
    alike = bool((positive1 == positive2).all())
    second = first if alike else learn(positive2, known=first.clauses)
    return GroundedRules(literals, first, second, labels)


def _read_outputs(
    y1: Any, y2: Any, n_rows: int
) -> tuple[tuple[NDArray[np.bool_], NDArray[np.bool_]], tuple[Any, Any]]:
    """Masks of the rows where each model gives the greater label, and both labels."""
    read = [_read_output(name, y, n_rows) for name, y in (("y1", y1), ("y2", y2))]
    codes, distinct = pd.factorize(np.concatenate(read))
    labels = list(distinct)
    if len(labels) > 2:
        raise InputError(
            f"y1 and y2 have {len(labels)} labels together: {shown(labels)}. Grounded rules "
            "compare two models with two labels in all. Ask about one of them at a time, as in "
            f"y1 == {labels[0]!r} and y2 == {labels[0]!r}, and turn probabilities into yes and no "
            "first: p > 0.5."
        )
    try:
        order = sorted(labels)
    except TypeError as error:
        raise InputError(
            f"y1 and y2 have the labels {shown(labels)}, of different kinds, so that neither is "
            "the greater one. Give both models labels of one kind."
        ) from error
    # with a single label the models agree everywhere, and no row is positive
    positive = codes == labels.index(order[-1]) if len(labels) == 2 else np.zeros(len(codes), bool)
    return (positive[:n_rows], positive[n_rows:]), (order[0], order[-1])


def _read_output(name: str, y: Any, n_rows: int) -> NDArray[Any]:
    values = as_objects(pd.Series(check_shape(name, y, n_rows)))
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise InputError(
            f"{name} has {len(missing)} missing outputs, the first for row {missing[0]}: every row "
            "needs one. Leave those rows out of frame, y1 and y2."
        )
    return values
