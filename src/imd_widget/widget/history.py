"""What a widget shows, and the way back: a step gives another snapshot, the old one stays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from imd_widget.views.schema import MessageKind, PackedView, RefinementView

#: Steps that can be taken back. Each is kept with its tree and its view, perhaps a megabyte.
MOST_STEPS = 30


class Shown(NamedTuple):
    """A diff, and all that the front-end reads of it, as it travels."""

    diff: ModelDiff
    view: PackedView


@dataclass(frozen=True)
class Snapshot:
    """A diff ready to be drawn.

    Attributes
    ----------
    diff : ModelDiff
    view : dict
        All that the front-end reads of it, as it travels.
    past : tuple of Shown
        Where undo leads, the last step last; at most ``most`` of them.
    forgotten : bool
        Whether there were more of them.
    most : int
        Steps that can be taken back.
    """

    diff: ModelDiff
    view: PackedView
    past: tuple[Shown, ...] = ()
    forgotten: bool = False
    most: int = MOST_STEPS

    @property
    def earlier(self) -> tuple[ModelDiff, ...]:
        """The diffs that this one was refined from, the first first, as far as they are kept."""
        found: list[ModelDiff] = []
        last = self.diff
        for shown in reversed(self.past):
            if last.refinements == 0:
                break
            found.append(shown.diff)
            last = shown.diff
        return tuple(reversed(found))

    @classmethod
    def first(cls, diff: ModelDiff, most: int = MOST_STEPS) -> Snapshot:
        """Where everything begins."""
        return cls(diff, _travelling(diff), most=most)

    def refined(self) -> Snapshot:
        """After one refinement step."""
        refined = self.diff.refine()
        if refined is self.diff:
            raise InputError(self.view["refinement"]["reason"] or "")
        return self._after(refined, _travelling(refined, self.diff, undoable=True))

    def changed(self, options: dict[str, Any]) -> Snapshot:
        """With another depth or sensitivity."""
        changed = self.diff.change(**options)
        return self._after(changed, _travelling(changed, undoable=True))

    def undone(self) -> Snapshot:
        """Before the last step."""
        if not self.past:
            raise InputError(self._no_way_back())
        before, past = self.past[-1], self.past[:-1]
        snapshot = replace(self, diff=before.diff, view=before.view, past=past)
        return snapshot if past or not self.forgotten else snapshot._at_the_end()

    def _after(self, diff: ModelDiff, view: PackedView) -> Snapshot:
        past = (*self.past, Shown(self.diff, self.view))
        forgotten = self.forgotten or len(past) > self.most
        return replace(self, diff=diff, view=view, past=past[-self.most :], forgotten=forgotten)

    def _at_the_end(self) -> Snapshot:
        """With a view that says why the way back ends here: it was made when it went on."""
        refinement: RefinementView = {**self.view["refinement"], "undoable": False}
        lacks: dict[MessageKind, str] = {**self.view["lacks"], "undo": self._no_way_back()}
        return replace(self, view={**self.view, "refinement": refinement, "lacks": lacks})

    def _no_way_back(self) -> str:
        if not self.forgotten:
            return "There is no step to take back."
        return f"The last {self.most} steps can be taken back: there is none before this one."


def _travelling(
    diff: ModelDiff, before: ModelDiff | None = None, undoable: bool = False
) -> PackedView:
    view: PackedView = encodable(packed(view_of(diff, before, undoable)))
    return view
