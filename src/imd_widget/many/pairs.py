"""The diffs of two of the models, made when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from imd_widget._base.errors import InputError, Quoted
from imd_widget.comparison.diff_rows import DiffRows
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.prepare import Prepared, compare
from imd_widget.many.memo import Memo
from imd_widget.many.vote import MOST_OTHERS, Vote
from imd_widget.methods import Method
from imd_widget.models.adapters import ModelOutput, can_predict
from imd_widget.outputs.several.base import SeveralOutputs


class Pairs(Protocol):
    """Where the diffs of two models come from."""

    @property
    def stored(self) -> tuple[tuple[int, int], ...] | None:
        """The only pairs that can be opened, the smaller number first; None: every pair."""

    def diff(self, first: int, second: int) -> ModelDiff:
        """Return the diff of two models, given by their numbers."""

    def against_rest(self, own: int) -> ModelDiff:
        """Return the diff of one model and the majority of the others."""


@dataclass(frozen=True, eq=False)
class FittedPairs:
    """Diffs that are made from the rows; no model is called for them."""

    names: tuple[str, ...]
    #: The table, encoded once, and the outputs of each model.
    prepared: Prepared
    #: These outputs, made comparable.
    several: SeveralOutputs
    method: Method
    #: Whether the models are at hand; False after unpickling.
    called: bool = True
    _memo: Memo[ModelDiff] = field(default_factory=Memo, repr=False)

    @property
    def stored(self) -> tuple[tuple[int, int], ...] | None:
        """None: every pair can be opened."""
        return None

    def diff(self, first: int, second: int) -> ModelDiff:
        """Return the diff of two models, given by their numbers."""
        return self._memo.get((first, second), partial(self._made, first, second))

    def against_rest(self, own: int) -> ModelDiff:
        """Return the diff of one model and the majority of the others."""
        return self._memo.get(own, partial(self._against_rest, own))

    def _made(self, first: int, second: int) -> ModelDiff:
        names = self.names[first], self.names[second]
        return self._diff(self.prepared, first, second, names)

    def _against_rest(self, own: int) -> ModelDiff:
        prepared, outputs = self.prepared, self.prepared.outputs
        values = self.several.vote(outputs, own)
        vote: Any = values
        if self.called and all(map(can_predict, prepared.models)):
            arguments = tuple(output.argument for output in outputs)
            kind = prepared.output_options.outputs
            vote = Vote(prepared.models, arguments, own, kind, self.several)
        both = replace(
            prepared,
            models=(prepared.models[own], vote),
            outputs=(outputs[own], ModelOutput(values, MOST_OTHERS)),
        )
        called = MOST_OTHERS
        while called in self.names:
            called = f"{called}, by vote"
        return self._diff(both, 0, 1, (self.names[own], called))

    def _diff(
        self, prepared: Prepared, first: int, second: int, names: tuple[str, str]
    ) -> ModelDiff:
        results = compare(prepared, first, second, names, self.method)
        return ModelDiff.of(results if self.called else _without_models(results))

    def __getstate__(self) -> dict[str, Any]:
        nothing = (None,) * len(self.names)
        prepared = replace(self.prepared, models=nothing)
        return {**self.__dict__, "prepared": prepared, "called": False}

    def __deepcopy__(self, memo: dict[int, Any]) -> FittedPairs:
        return self


def _without_models(results: DiffRows) -> DiffRows:
    """The results as they are after unpickling."""
    fit_input = results.fit_input
    models = replace(fit_input.models, models=None)
    return replace(results, fit_input=replace(fit_input, models=models))


@dataclass(frozen=True, eq=False)
class StoredPairs:
    """The diffs that a file holds."""

    names: tuple[str, ...]
    #: From the numbers of two models to their diff.
    diffs: Mapping[tuple[int, int], ModelDiff]

    @property
    def stored(self) -> tuple[tuple[int, int], ...]:
        """The pairs that the file holds, the smaller number first."""
        return tuple(dict.fromkeys((min(pair), max(pair)) for pair in self.diffs))

    def diff(self, first: int, second: int) -> ModelDiff:
        """Return a diff that the file holds."""
        found = self.diffs.get((first, second))
        if found is not None:
            return found
        other = (second, first) in self.diffs
        raise InputError(
            "this comparison was read from a file, which holds neither rows nor models and ",
            "has the diff of " if other else "no diff of ",
            Quoted(self.names[first], self.names[second]),
            f" only in the other order: c[{self.names[second]!r}, {self.names[first]!r}]."
            if other
            else f": c.save('compare.json', pairs=[...]) saves it too. {self._held()}",
        )

    def against_rest(self, own: int) -> ModelDiff:
        """Raise an error: a vote needs the rows."""
        raise InputError(
            "this comparison was read from a file, which holds neither rows nor models: the "
            "majority of the models other than ",
            Quoted(self.names[own]),
            " is unknown. Make it again: imd.compare(models, X).",
        )

    def _held(self) -> str:
        listed = ", ".join(f"{self.names[i]} and {self.names[j]}" for i, j in self.stored[:5])
        more = ", ..." if len(self.stored) > 5 else ""
        return f"The file has those of {listed}{more}." if listed else "The file has none."
