"""Why the models differ on the rows of a selection, which the front-end draws in its tab "Why"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.explain.explanation import FIRST_CURVES, Explanation
from imd_widget.views.schema import ExplainRequest, WhyView

#: The surrogates that the reason codes of a row come from.
REASON_PARTS = ("forest 0", "forest 1", "forest 2", "K-LIME")


def parts_of(diff: ModelDiff, request: ExplainRequest) -> int:
    """Return the number of parts of the work: the curves, and for a row its surrogates."""
    n_columns = len(diff.column_names)
    n_curves = n_columns if request.get("more") else min(FIRST_CURVES, n_columns)
    return n_curves + (len(REASON_PARTS) if request.get("row") is not None else 0)


def explained(
    diff: ModelDiff, request: ExplainRequest, after_each: Callable[[int], object]
) -> WhyView:
    """Return the explanation of a selection: its curves, and the reason codes of a row.

    Whatever was computed for the same selection before is taken from the memory of the diff.

    Parameters
    ----------
    diff : ModelDiff
    request : ExplainRequest
    after_each : callable
        Called with the number of parts done; an exception that it raises ends the work.
    """
    e = diff.explain(_where(diff, request), row=request.get("row"))
    done = 0

    def step(_: object = None) -> None:
        nonlocal done
        done += 1
        after_each(done)

    if e.score.cannot is None:
        wanted = None if request.get("more") else FIRST_CURVES
        shown = e.curves(wanted, after_each=step)
        if e.row is not None:
            for curves in shown:
                e._ice(curves.position, e.row)  # by position: names may repeat
    if e.row is not None:
        for part in REASON_PARTS:
            e._surrogates.compute(part)
            step()
        e.reasons()
    return why_view(e)


def _where(diff: ModelDiff, request: ExplainRequest) -> Any:
    """What `ModelDiff.explain` takes: a rule, a mask of several, the id of a node, None."""
    rules, node = request.get("rules") or [], request.get("node") or ""
    if not rules:
        return node or None
    return diff.rule_at(rules[0]) if len(rules) == 1 else diff.covered(rules)


def why_view(e: Explanation) -> WhyView:
    """Return the part of an explanation that the front-end draws."""
    view = e.to_dict(n_curves=0)
    row = view["row"]
    if row is not None:  # the fidelity of either technique is sent by itself
        row["text"] = row["text"].removesuffix(e.reasons().klime_fidelity.text).rstrip()
    return WhyView(
        text=view["text"],
        what=view["what"],
        note=view["note"],
        tolerance=view["tolerance"],
        rows=view["rows"],
        cannot=view["cannot"],
        curves=view["curves"],
        waiting=view["waiting"],
        ice=view["ice"],
        row=row,
        fidelity=view["fidelity"] if row is not None else [],
    )
