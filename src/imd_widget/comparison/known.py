"""Rules that are known before a fit: those inside which a patched model is another model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from imd_widget.comparison.memory_dataset import MemoryDataset
from imd_widget.data.binning import with_unique_names
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column
from imd_widget.data.derivation import Derivation
from imd_widget.data.deriving import RawSample, derived_column
from imd_widget.data.table import Table
from imd_widget.methods import Calibrated, Method
from imd_widget.models.calls import unbatched
from imd_widget.rules.conditions import Condition
from imd_widget.rules.rule import RuleSet


def known_rules(first: Any, second: Any) -> RuleSet | None:
    """Return the rules outside of which two models agree; None if that is not known."""
    one, two = unbatched(first), unbatched(second)
    for model, other in ((one, two), (two, one)):
        patched = getattr(type(model), "differs_inside", None)
        rules = None if patched is None else patched(model, other)
        if isinstance(rules, RuleSet):
            return rules
    return None


@dataclass(frozen=True, eq=False)
class KnownRegions:
    """The rules outside of which the models agree, as boxes over the columns of a dataset."""

    #: The conditions of each rule.
    rules: tuple[tuple[Condition, ...], ...]

    @classmethod
    def of(cls, rules: RuleSet, table: Table) -> KnownRegions:
        """Return the conditions of rules with the positions of the columns in a table."""
        return cls(tuple(tuple(_placed(own, table) for own in rule.conditions) for rule in rules))

    def extended(self, dataset: MemoryDataset) -> MemoryDataset:
        """Return the dataset with every threshold, category and derived column that rules name.

        ValueError if it lacks a column.
        """
        every = [condition for rule in self.rules for condition in rule]
        place = _places(dataset.columns)
        lacking = dict.fromkeys(own.column for own in every if own.column not in place)
        if lacking:
            first = 1 + max(column.position for column in dataset.columns)
            more = [_derived(name, first + n, every) for n, name in enumerate(lacking)]
            dataset = dataset.with_columns(with_unique_names(more, dataset.tables[0]))
            place = _places(dataset.columns)
        changed: dict[int, Column] = {}
        for condition in every:
            at = place[condition.column]
            column = changed.get(at, dataset.columns[at])
            known = column.cuts()
            new = [value for value in condition.named if value is not None and value not in known]
            if new:
                changed[at] = column.with_values(new)
        return dataset.with_changed(changed) if changed else dataset

    def boxes(self, columns: Sequence[Column], method: Method) -> tuple[Box, ...]:
        """Return the boxes for a method with its default options; none for others.

        With an option the user wants rules that are fitted.
        """
        if method != Calibrated():
            return ()
        place = _places(columns)
        return tuple(
            {place[own.column]: own.codes_in(columns[place[own.column]]) for own in rule}
            for rule in self.rules
        )


def _places(columns: Sequence[Column]) -> dict[Hashable, int]:
    return {column.name: at for at, column in enumerate(columns) if column.unique}


def _placed(condition: Condition, table: Table) -> Condition:
    name = condition.column
    if not isinstance(name, Derivation) or name.source not in table.place:
        return condition
    return replace(condition, column=replace(name, at=table.place[name.source]))


def _derived(name: Hashable, position: int, conditions: Sequence[Condition]) -> Column:
    """Return the description of a derived column that a condition names."""
    if not isinstance(name, Derivation):
        raise ValueError(f"the dataset has no column {name!r}")
    storage = next(own.storage for own in conditions if own.column == name)
    sample = RawSample("text" if name.of_text else "date", has_missing=True, storage=storage)
    return derived_column(name, position, sample, None)
