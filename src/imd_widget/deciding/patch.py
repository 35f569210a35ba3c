"""`Patch`: the rules inside which one model replaces another, and what that fixes and breaks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError
from imd_widget._base.verbs import verb
from imd_widget.outputs.correctness import Right
from imd_widget.rules.languages import conditions_text, percent, sql_identifier
from imd_widget.rules.rule import RuleSet

#: The model that is used inside the rules; the other one is used outside.
Inside = Literal["old", "new"]


def check_inside(inside: Any) -> Inside:
    """Return ``inside``, checked."""
    if inside not in ("old", "new"):
        raise InputError(
            Given("inside", inside),
            ': the model that is used inside the rules is "old" or "new".',
        )
    return cast("Inside", inside)


@dataclass(frozen=True)
class PatchFigures:
    """What a patch fixes and breaks, on rows that were not used to choose its rules.

    Attributes
    ----------
    rows : int
        Number of these rows.
    right : Right
        How often the model without the patch (model 1) and the patched model (model 2) are right.
    breaks_bound : float or None
        With 95 % confidence, the patch breaks at most this share of new rows: upper end of the
        interval of Clopper and Pearson. With weights or groups Wilson's, on as many rows as they
        are worth. None if there are too few groups.
    candidates : int or None
        Number of rules that were tested; None if the rules were given.
    chosen_on : int or None
        Number of rows on which the rules were chosen; None if they were given.
    """

    rows: int
    right: Right
    breaks_bound: float | None
    candidates: int | None = None
    chosen_on: int | None = None

    def __str__(self) -> str:
        right = self.right
        text = f"On {self.rows:,} other rows it fixes {right.fixes:,.0f} and breaks "
        text += f"{right.breaks:,.0f}"
        if right.net_share_interval is not None:
            low, high = (100 * end for end in right.net_share_interval)
            text += f": net {100 * right.net_share:+.1f} % ({low:+.1f} to {high:+.1f} %)"
        if self.breaks_bound is not None:
            text += f". With 95 % confidence it breaks at most {percent(self.breaks_bound, 1)} of "
            text += "new rows"
        return text.replace("-", "−") + "."


@dataclass(frozen=True, repr=False)
class Patch:
    """Rules inside which one model replaces another.

    It holds no model: `imd_widget.patch` applies it to two models.

    Attributes
    ----------
    names : tuple of two str
        Names of the old and of the new model.
    rules : RuleSet
    inside : {"old", "new"}
        The model that is used inside the rules; the other one is used outside.
    figures : PatchFigures or None
        What the patch fixes and breaks; None without ``y``.
    """

    names: tuple[str, str]
    rules: RuleSet
    inside: Inside = "old"
    figures: PatchFigures | None = None

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``X`` inside the rules."""
        return self.rules.mask(X)

    def to_sql(self, old: str | None = None, new: str | None = None) -> str:
        """Return an SQL expression of the patched output.

        Parameters
        ----------
        old, new : str, optional
            Names of the columns with the outputs of the models; by default the names of the models.
        """
        columns = [
            sql_identifier(name if given is None else given)
            for name, given in zip(self.names, (old, new), strict=True)
        ]
        inside, outside = columns if self.inside == "old" else columns[::-1]
        return f"CASE WHEN {self.rules.to_sql()} THEN {inside} ELSE {outside} END"

    def save(self, path: str | Path) -> Path:
        """Write the rules and figures as ``.json``, for `imd_widget.load`; return the path."""
        return cast("Path", verb("save")(self, path))

    def __str__(self) -> str:
        one, two = self.names if self.inside == "old" else self.names[::-1]
        if not len(self.rules):
            text = f"No rule is patched: {two} everywhere."
            if self.figures is not None and self.figures.candidates:
                text = f"No rule is patched: in none of {self.figures.candidates} rules is {one} "
                text += f"better than {two} beyond chance."
            return text
        lines = [f"{one} inside, {two} elsewhere:"]
        lines += [f"  {conditions_text(rule.conditions)}" for rule in self.rules]
        return "\n".join([*lines, *([str(self.figures)] if self.figures is not None else [])])

    def __repr__(self) -> str:
        one, two = self.names if self.inside == "old" else self.names[::-1]
        n_rules = len(self.rules)
        return f"<Patch: {one} inside {n_rules} rule{'s' if n_rules != 1 else ''}, {two} elsewhere>"
