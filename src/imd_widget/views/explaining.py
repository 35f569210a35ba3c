"""The part of an explanation that the front-end draws."""

from __future__ import annotations

from imd_widget.explain.explanation import Explanation
from imd_widget.views.schema import WhyView

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
    view = e.to_dict(n_curves=0)
    row = view["row"]
    if row is not None:  # the fidelity of either technique is sent by itself
        row["text"] = row["text"].removesuffix(e.reasons().klime_fidelity.text).rstrip()
    importance, trees = view["importance"], view["trees"]
    return WhyView(
        text=view["text"],
        what=view["what"],
        note=view["note"],
        tolerance=view["tolerance"],
        rows=view["rows"],
        cannot=view["cannot"],
        lacking=view["lacking"],
        curves=view["curves"],
        waiting=view["waiting"],
        ice=view["ice"],
        row=row,
        fidelity=view["fidelity"] if row is not None or surrogates else [],
        importance=importance[:MOST_COLUMNS] if surrogates and importance else None,
        trees=trees if surrogates else None,
    )
