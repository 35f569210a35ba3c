"""The state that a widget of more than two models keeps for each pair it has shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from imd_widget._base.encodable import encodable
from imd_widget._base.plain import to_json
from imd_widget.comparison.kept_rules import still_selected
from imd_widget.comparison.stability import Stability
from imd_widget.export.comparison.html import OpenedPair
from imd_widget.widget.history import Snapshot

#: Numbers of two models, model 1 first.
Pair = tuple[int, int]

#: Pairs whose states are kept, those shown last, and the steps that can be undone in all of them
#: together. Each of either may take a megabyte, and thirty models have 870 pairs.
MOST_PAIRS, MOST_STEPS = 30, 60

#: Traits that belong to a pair, and their values in a pair that was never shown.
PAIR_TRAITS: Mapping[str, Any] = {
    "selected_node": "",
    "selected_rules": [],
    "traced": None,
    "tab": "Rules",
    "differences_only": True,
    "folds": {},
    "filters": {},
    "stability": None,
}


@dataclass(frozen=True)
class PairViewState:
    """The diff of a pair with its history, and the traits as the user left them."""

    snapshot: Snapshot
    #: Values of `PAIR_TRAITS`, by name.
    traits: Mapping[str, Any] = field(default_factory=lambda: dict(PAIR_TRAITS))

    def after(self, snapshot: Snapshot) -> PairViewState:
        """Return the state with another snapshot; what belongs to the old one alone goes."""
        selected = still_selected(self.traits["selected_rules"], self.snapshot.diff, snapshot.diff)
        gone: dict[str, Any] = {"selected_rules": selected, "traced": None, "stability": None}
        if self.traits["selected_node"] not in snapshot.diff.tree.ids:
            gone["selected_node"] = ""
        return PairViewState(snapshot, {**self.traits, **gone})

    def measured(self, found: Stability) -> PairViewState:
        """Return the state with the stability of its rules."""
        return replace(self, traits={**self.traits, "stability": encodable(to_json(found))})

    def shortened(self, most: int) -> PairViewState:
        """Return the state with at most the last ``most`` steps to undo."""
        return replace(self, snapshot=self.snapshot.shortened(most))

    def opened(self, **traits: Any) -> OpenedPair:
        """Return the pair as a page restores it; ``traits`` are those of the whole widget."""
        snapshot = self.snapshot
        return OpenedPair(snapshot.diff, snapshot.earlier, {**traits, **self.traits})


def latest(states: Mapping[Pair, PairViewState]) -> dict[Pair, PairViewState]:
    """Return the last `MOST_PAIRS` states, and of them together the last `MOST_STEPS` steps."""
    kept = dict(list(states.items())[-MOST_PAIRS:])
    room = MOST_STEPS
    for pair in reversed(list(kept)):
        kept[pair] = kept[pair].shortened(room)
        room -= len(kept[pair].snapshot.past)
    return kept
