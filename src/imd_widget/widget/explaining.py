"""Why the models differ on the rows of a selection, which the front-end draws in its tab "Why"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.explanations.contributions import N_PARTS
from imd_widget.explanations.explanation import FIRST_CURVES
from imd_widget.explanations.ranking import n_parts
from imd_widget.explanations.schema import WhyView
from imd_widget.explanations.surrogate_room import SURROGATE_PARTS
from imd_widget.views.explaining import why_view
from imd_widget.views.schema import ExplainRequest

#: The surrogates that the reason codes of a row come from.
REASON_PARTS = SURROGATE_PARTS[:4]


def parts_of(diff: ModelDiff, request: ExplainRequest) -> int:
    """Return the number of parts of the work: contributions, curves, and surrogates if wanted."""
    n_columns = len(diff.column_names)
    n_curves = n_columns if request.more else min(FIRST_CURVES, n_columns)
    # two more: of the row, and of the conditions of the rule
    return n_parts(n_columns) + N_PARTS + 2 + n_curves + len(_surrogates(request))


def explained(
    diff: ModelDiff, request: ExplainRequest, after_each: Callable[[int], object]
) -> WhyView:
    """Return the explanation of a selection: contributions, curves, reason codes, surrogates.

    Whatever was computed for the same selection before is taken from the memory of the diff.

    Parameters
    ----------
    diff : ModelDiff
    request : ExplainRequest
    after_each : callable
        Called with the number of parts done; an exception that it raises ends the work.
    """
    e = diff.explain(_where(diff, request), row=request.row, max_calls=request.max_calls)
    done = 0

    def step(_: object = None) -> None:
        nonlocal done
        done += 1
        after_each(done)

    if e.score.cannot is None:
        e.rank(step)
    if e.can_contribute:
        e.conditions  # noqa: B018 they are computed and remembered
        step()
        if e.row is not None:
            e.contributions_of()
        step()
    if e.score.cannot is None and request.curves:
        wanted = None if request.more else FIRST_CURVES
        shown = e.curves(wanted, after_each=step)
        if e.row is not None:
            e.ices([curves.position for curves in shown], e.row)  # by position: names may repeat
    for part in _surrogates(request):
        e.surrogate_fits.compute(part)
        step()
    if e.row is not None and request.curves:
        e.reasons()
    return why_view(e, surrogates=request.surrogates)


def _surrogates(request: ExplainRequest) -> tuple[str, ...]:
    """Which surrogates a request needs: all of them, those of reason codes, or none."""
    if request.surrogates:
        return SURROGATE_PARTS
    return REASON_PARTS if request.row is not None and request.curves else ()


def _where(diff: ModelDiff, request: ExplainRequest) -> Any:
    """What `ModelDiff.explain` takes: a rule, a mask of several, the id of a node, None."""
    rules = request.rules
    if not rules:
        return request.node or None
    return diff.rule_at(rules[0]) if len(rules) == 1 else diff.covered(rules)
