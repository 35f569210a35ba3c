"""What a widget shows, and the way back: a step gives another scene, the old one stays intact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from imd_widget.compare import ModelDiff
from imd_widget.errors import InputError
from imd_widget.packing import packed
from imd_widget.viewmodel import view_of


@dataclass(frozen=True)
class Scene:
    """A diff ready to be drawn.

    Attributes
    ----------
    diff : ModelDiff
    view : dict
        All that the front-end reads of it, as it travels.
    before : Scene or None
        Where undo leads.
    """

    diff: ModelDiff
    view: dict[str, Any]
    before: Scene | None = None

    @property
    def earlier(self) -> tuple[ModelDiff, ...]:
        """The diffs that this one was refined from, the first one first."""
        if self.before is None or self.diff.refinements == 0:
            return ()
        return (*self.before.earlier, self.before.diff)

    @classmethod
    def first(cls, diff: ModelDiff) -> Scene:
        """Where everything begins."""
        return cls(diff, packed(view_of(diff)))

    def refined(self) -> Scene:
        """After one refinement step."""
        refined = self.diff.refine()
        if refined is self.diff:
            raise InputError(self.view["refinement"]["reason"])
        return Scene(refined, packed(view_of(refined, self.diff, undoable=True)), self)

    def changed(self, options: dict[str, Any]) -> Scene:
        """With another depth or sensitivity."""
        changed = self.diff.change(**options)
        return Scene(changed, packed(view_of(changed, undoable=True)), self)

    def undone(self) -> Scene:
        """Before the last step."""
        if self.before is None:
            raise InputError("There is no step to take back.")
        return self.before
