"""Why the models differ on the rows of a selection, which the front-end draws in its tab "Why"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imd_widget._base.errors import InputError
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.explanations.contributing import N_PARTS
from imd_widget.explanations.difference_map import map_of
from imd_widget.explanations.options import FIRST_CURVES
from imd_widget.explanations.players import MOST_PLAYERS
from imd_widget.explanations.ranking import n_parts
from imd_widget.explanations.schema import (
    InteractionsView,
    MapView,
    SmallestChangeView,
    WhatIfView,
    WhyView,
)
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.explanations.smallest_change import smallest_change
from imd_widget.explanations.surrogate_room import SURROGATE_PARTS
from imd_widget.explanations.views import interactions_view, map_view, what_if_view
from imd_widget.explanations.what_if import what_if
from imd_widget.views.explaining import why_view
from imd_widget.views.schema import (
    ExplainRequest,
    InteractionsRequest,
    MapRequest,
    Selection,
    SmallestChangeRequest,
    WhatIfRequest,
)

#: The surrogates that the reason codes of a row come from.
REASON_PARTS = SURROGATE_PARTS[:4]


#: Parts of work whose number of calls is not known before; they are counted up to this.
CALLS = 20
#: Rows that each model is called with for the contributions of an edited row.
EDIT_CALLS = 10_000


def parts_of(diff: ModelDiff, request: ExplainRequest) -> int:
    """Return the number of parts of the work: contributions, curves, and surrogates if wanted."""
    n_columns = len(diff.column_names)
    n_curves = n_columns if request.more else min(FIRST_CURVES, n_columns)
    quick = n_parts(n_columns) if n_columns > MOST_PLAYERS else 0
    # two more: of the conditions of the rule, and of the row
    n_first = quick + N_PARTS + 2
    return n_first + (n_curves if request.curves else 0) + len(_surrogates(request))


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
        e.contribution_room.rank(step)
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
            # by position: names may repeat
            e.curve_room.ices([curves.position for curves in shown], e.row)
    imitable = e.n_rows >= FEWEST_ROWS
    for part in _surrogates(request) if imitable or request.surrogates else ():
        e.surrogate_room.compute(part)
        step()
    if e.row is not None and request.curves and imitable:
        e.reasons()
    return why_view(e, surrogates=request.surrogates)


def _surrogates(request: ExplainRequest) -> tuple[str, ...]:
    """Which surrogates a request needs: all of them, those of reason codes, or none."""
    if request.surrogates:
        return SURROGATE_PARTS
    return REASON_PARTS if request.row is not None and request.curves else ()


def interacting(
    diff: ModelDiff, request: InteractionsRequest, after_each: Callable[[int], object]
) -> InteractionsView:
    """Return the pairs of columns that interact most on the rows of a selection."""
    e = diff.explain(_where(diff, request))
    return interactions_view(e.contribution_room.interact(counted(after_each)))


def mapped_pair(
    diff: ModelDiff, request: MapRequest, after_each: Callable[[int], object]
) -> MapView:
    """Return the difference over two columns, on the rows of a selection."""
    check_columns(request.columns, len(diff.column_names))
    e = diff.explain(_where(diff, request))
    return map_view(map_of(e.contribution_room, request.columns, counted(after_each)))


def check_columns(positions: tuple[int, int], n_columns: int) -> None:
    """Raise InputError unless they are positions of columns."""
    if not all(0 <= at < n_columns for at in positions):
        raise InputError(
            f"columns={list(positions)}: two positions of columns from 0 to {n_columns - 1} "
            "are needed."
        )


def edited(diff: ModelDiff, request: WhatIfRequest) -> WhatIfView:
    """Return what both models give for an edited row."""
    changes = dict(request.values)
    found = what_if(diff, request.row, changes, max_calls=EDIT_CALLS, by_position=True)
    return what_if_view(found)


def smallest(
    diff: ModelDiff, request: SmallestChangeRequest, after_each: Callable[[int], object]
) -> SmallestChangeView:
    """Return the smallest change of a row after which the models agree."""
    found = smallest_change(
        diff, request.row, after_each=lambda share: after_each(int(share * CALLS))
    )
    return found.view()


def counted(after_each: Callable[[int], object]) -> Callable[[], None]:
    """Return a function that counts calls, never further than `CALLS`."""
    done = 0

    def count() -> None:
        nonlocal done
        done = min(done + 1, CALLS)
        after_each(done)

    return count


def _where(diff: ModelDiff, request: Selection) -> Any:
    """What `ModelDiff.explain` takes: a rule, a mask of several, the id of a node, None."""
    rules = request.rules
    if not rules:
        return request.node or None
    return diff.rule_at(rules[0]) if len(rules) == 1 else diff.covered(rules)
