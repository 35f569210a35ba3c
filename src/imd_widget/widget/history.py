"""History of a widget: each step returns a new snapshot, which keeps those before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.plain import to_json
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed

#: Most steps that can be undone. Each keeps its tree and its view, up to about a megabyte.
MOST_STEPS = 30


class Shown(NamedTuple):
    """A diff and its view, packed for the front-end."""

    diff: ModelDiff
    view: dict[str, Any]


@dataclass(frozen=True)
class Snapshot:
    """A diff, its view and the diffs that undo leads back to."""

    diff: ModelDiff
    #: The view of the diff, packed for the front-end.
    view: dict[str, Any]
    #: The diffs shown before, the latest last; ``len(past) <= most``.
    past: tuple[Shown, ...] = ()
    #: Whether earlier entries of ``past`` were dropped.
    forgotten: bool = False
    #: Number of steps that can be undone.
    most: int = MOST_STEPS

    @property
    def earlier(self) -> tuple[ModelDiff, ...]:
        """The diffs that this one was refined from, oldest first, as far as they are kept."""
        diffs: list[ModelDiff] = []
        last = self.diff
        for shown in reversed(self.past):
            if last.refinements == 0:
                break
            diffs.append(shown.diff)
            last = shown.diff
        return tuple(reversed(diffs))

    @classmethod
    def first(cls, diff: ModelDiff, most: int = MOST_STEPS) -> Snapshot:
        """Return the first snapshot of a widget."""
        return cls(diff, _packed_view(diff), most=most)

    def refined(self) -> Snapshot:
        """Return the snapshot after one refinement step; InputError if none is possible."""
        refined = self.diff.refine()
        if refined is self.diff:
            raise InputError(self.view["refinement"]["reason"] or "")
        return self._after(refined, _packed_view(refined, self.diff, undoable=True))

    def changed(self, options: dict[str, Any]) -> Snapshot:
        """Return the snapshot of the diff with another ``max_depth`` or ``sensitivity``."""
        changed = self.diff.change(**options)
        return self._after(changed, _packed_view(changed, undoable=True))

    def undone(self) -> Snapshot:
        """Return the snapshot before the last step; InputError if there is none."""
        if not self.past:
            raise InputError(self._why_no_undo())
        before, past = self.past[-1], self.past[:-1]
        snapshot = replace(self, diff=before.diff, view=before.view, past=past)
        return snapshot if past or not self.forgotten else snapshot._without_undo()

    def _after(self, diff: ModelDiff, view: dict[str, Any]) -> Snapshot:
        past = (*self.past, Shown(self.diff, self.view))
        forgotten = self.forgotten or len(past) > self.most
        return replace(self, diff=diff, view=view, past=past[-self.most :], forgotten=forgotten)

    def shortened(self, most: int) -> Snapshot:
        """Return the snapshot with at most the last ``most`` steps to undo."""
        if len(self.past) <= most:
            return self
        past = self.past[len(self.past) - most :]
        snapshot = replace(self, past=past, forgotten=True)
        return snapshot if past else snapshot._without_undo()

    def _without_undo(self) -> Snapshot:
        """Return this snapshot with a view that disables undo and gives the reason.

        Its view was built while an earlier snapshot existed, so it has ``undoable=True``.
        """
        refinement = {**self.view["refinement"], "undoable": False}
        lacks = {**self.view["lacks"], "undo": self._why_no_undo()}
        return replace(self, view={**self.view, "refinement": refinement, "lacks": lacks})

    def _why_no_undo(self) -> str:
        if not self.forgotten:
            return "Nothing to undo."
        return f"Nothing to undo: at most {self.most} steps are kept."


def _packed_view(
    diff: ModelDiff, before: ModelDiff | None = None, undoable: bool = False
) -> dict[str, Any]:
    view: dict[str, Any] = encodable(to_json(packed(view_of(diff, before, undoable))))
    return view
