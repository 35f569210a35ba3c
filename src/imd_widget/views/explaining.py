"""The part of an explanation that the front-end draws."""

from __future__ import annotations

from dataclasses import replace

from imd_widget._base.plain import record_from
from imd_widget.explanations.explanation import Explanation
from imd_widget.explanations.schema import WhyView

#: Columns whose importance is shown.
MOST_COLUMNS = 12


def why_view(e: Explanation, *, surrogates: bool) -> WhyView:
    """Return what was computed of an explanation.

    Parameters
    ----------
    e : Explanation
    surrogates : bool
        Whether importance and decision trees are included; they must have been computed.
    """
    view = e.view()
    row = view.row
    if row is not None:  # the fidelity of either technique is sent by itself
        text = row.text.removesuffix(e.reasons().klime_fidelity.text).rstrip()
        row = replace(row, text=text)
    importance = view.importance if surrogates else None
    return record_from(
        WhyView,
        view,
        row=row,
        fidelity=view.fidelity if row is not None or surrogates else (),
        importance=importance[:MOST_COLUMNS] if importance else None,
        trees=view.trees if surrogates else None,
    )
