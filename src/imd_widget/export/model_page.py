"""One model that is explained, as a page, which has no model to call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from imd_widget._base.plain import to_json
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.explanations.model_views import model_why, one_model_view
from imd_widget.explanations.options import FIRST_CURVES
from imd_widget.export.html_why import rounded
from imd_widget.export.page import page_around
from imd_widget.views.schema import MESSAGES, ModelPage, PageAnswer, PageWhy

#: Why something is not in a page.
NOT_HELD = (
    "A saved page cannot call the model. Other rows can be explained in the notebook: "
    'e.save("model.html", rows=20) includes 20.'
)


def model_page(e: ModelExplanation, *, rows: Sequence[int] = ()) -> str:
    """Return the explanation of one model as an interactive page, with some rows."""
    own = replace(e, explanation=e.explanation.for_sharing())
    x = own.explanation
    x.contribution_room.all()
    x.conditions  # noqa: B018 they are computed and remembered
    shown = x.curves(FIRST_CURVES)
    answers = [_answer(own, None)]
    for row in rows:
        x.contributions_of(row)
        x.curve_room.ices([curves.position for curves in shown], row)
        answers.append(_answer(own, row))
    lacks: dict[str, str] = {
        kind: own.off_page for kind, own in MESSAGES.items() if own.off_page and kind != "explain"
    }
    view = replace(one_model_view(own, tuple(rows)), lacks=lacks)
    held = ModelPage(view, PageWhy(tuple(answers), NOT_HELD))
    return page_around(
        {"height": 720, "theme": "auto", **to_json(held)},
        title=f"{e.name} explained",
        summary=own.summary(),
        what="the explanation",
        holds=_holds(len(rows)),
    )


def _answer(e: ModelExplanation, row: int | None) -> PageAnswer:
    why = model_why(e, row, surrogates=row is None)
    if row is not None:  # the rest is in the answer for all rows
        why = replace(why, curves=(), contributions=None, waiting=())
    return PageAnswer(rules=(), nodes=("",), why=rounded(why), error=None, row=row)


def _holds(n_rows: int) -> str:
    """Sentences about the user's data in the page."""
    held = (
        "This page contains the effect of each column on the model: contributions, curves, a "
        "decision tree and linear models that imitate it."
    )
    rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
    kept = (
        "Numbers and dates are rounded, categories that fewer than "
        f"{FEWEST_SHARED} rows have are left out, and predictions are means of at least "
        f"{FEWEST_SHARED} rows."
    )
    if n_rows:
        kept += f" It contains all values of {rows} of the table, with the output of the model."
    else:
        kept += " It contains no rows of the table."
    return f"{held} {kept}"
