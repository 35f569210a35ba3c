"""From an explanation to records, and to the sentences of its summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.plain import record_from
from imd_widget.explanations.fidelity import Fidelity
from imd_widget.explanations.grid import point_text
from imd_widget.explanations.klime import KLime
from imd_widget.explanations.partial_dependence import ConditionalExpectation, PartialDependence
from imd_widget.explanations.results import Importance, Reasons
from imd_widget.explanations.schema import (
    ClusterView,
    CurveView,
    FidelityView,
    IceView,
    ImportanceView,
    IntervalView,
    KLimeView,
    PointView,
    ReasonView,
    RowView,
)
from imd_widget.rules.conditions import Condition

if TYPE_CHECKING:
    from imd_widget.explanations.explanation import Explanation


def title(e: Explanation) -> str:
    """What is explained, and on how many rows."""
    first, second = e.names
    rows = f"{e.n_rows:,} rows"
    return f"{first} and {second}: {e.what} on {rows} ({e.selection.text})."


def summary(e: Explanation) -> str:
    """What is explained, what moves the models apart, and how far surrogates can be trusted."""
    sentences = [title(e)]
    if e.score.note is not None:
        sentences.append(e.score.note)
    if e.score.cannot is None:
        moving = [curves for curves in e.curves() if curves.moves > 0][:3]
        sentences += [_moves(e, curves) for curves in moving]
        if not moving:
            sentences.append(f"No column moves {_moved(e)}.")
        if e.score.lacking is not None:
            sentences.append(e.score.lacking)
    else:
        sentences.append(_capital(e.score.cannot))
        top = [str(column) for column in e.importance.columns[:3]]
        sentences.append(f"Most important to the forest of the difference: {', '.join(top)}.")
    sentences += [own.text for own in e.fidelity.techniques.values()]
    return "\n".join(sentences)


def _moves(e: Explanation, curves: PartialDependence) -> str:
    """Where one column brings the curves apart most, in words."""
    text = e.score.text
    if not all(curves.drawn):
        low, high = int(curves.compared.argmin()), int(curves.compared.argmax())
        return (
            f"{curves.column} moves {_moved(e)} by {_significant(curves.moves)} on average: from "
            f"{text(float(curves.compared[low]))} at {curves.texts[low]} to "
            f"{text(float(curves.compared[high]))} at {curves.texts[high]}."
        )
    at = int(np.abs(curves.difference).argmax())
    return (
        f"{curves.column} moves them apart by {_significant(curves.moves)} on average; furthest at "
        f"{curves.texts[at]}: {curves.names[0]} {text(float(curves.first[at]))}, "
        f"{curves.names[1]} {text(float(curves.second[at]))}."
    )


def _moved(e: Explanation) -> str:
    """What a column moves: both models apart, or the one that can be called."""
    return "them apart" if all(e.score.can) else e.names[e.score.can.index(True)]


def _significant(value: float) -> str:
    return f"{value:.2g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def numbers(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return an array as plain numbers."""
    return tuple(values.tolist())


def or_none(value: float) -> float | None:
    """Return a number; None for NaN and infinite ones, which JSON lacks."""
    return float(value) if math.isfinite(value) else None


def curve_view(curves: PartialDependence) -> CurveView:
    """Return the curves of one column as a record."""
    spread = (curves.spread.first, curves.spread.second, curves.spread.difference)
    return CurveView(
        column=str(curves.column),
        position=curves.position,
        ordered=curves.numbers is not None,
        moves=curves.moves,
        apart=or_none(curves.apart),
        rows=len(curves.rows),
        interval=None if curves.condition is None else _interval(curves.condition),
        points=tuple(
            PointView(
                text=curves.texts[at],
                number=None if curves.numbers is None else or_none(curves.numbers[at]),
                first=or_none(curves.first[at]),
                second=or_none(curves.second[at]),
                difference=or_none(curves.difference[at]),
                spread=tuple(or_none(own[at]) for own in spread),
                support=float(curves.support[at]),
            )
            for at in range(len(curves.grid))
        ),
    )


def _interval(condition: Condition) -> IntervalView:
    # of categories the values that it names are no ends
    low, high = condition.named if hasattr(condition, "low") else (None, None)
    return IntervalView(text=str(condition), low=_end(low), high=_end(high))


def _end(bound: Any) -> float | None:
    """An end on the axis of `PointView.number`: moments and durations in seconds."""
    if isinstance(bound, pd.Timestamp):
        return bound.timestamp()
    if isinstance(bound, pd.Timedelta):
        return bound.total_seconds()
    if isinstance(bound, int | float | np.floating) and not isinstance(bound, bool):
        return or_none(float(bound))
    return None


def ice_view(ice: ConditionalExpectation) -> IceView:
    """Return the curves of one row as a record."""
    return IceView(
        column=str(ice.column),
        position=ice.partial_dependence.position,
        value=point_text(ice.value),
        first=tuple(map(or_none, ice.first)),
        second=tuple(map(or_none, ice.second)),
        difference=tuple(map(or_none, ice.difference)),
        outside=tuple(ice.outside),
        text=ice.text,
    )


def row_view(reasons: Reasons) -> RowView:
    """Return the reason codes of one row as a record."""
    return record_from(
        RowView,
        reasons,
        reasons=tuple(
            ReasonView(
                column=str(column),
                value=reasons.values[at],
                klime=numbers(reasons.klime[:, at]),
                loco=numbers(reasons.loco[:, at]),
            )
            for at, column in enumerate(reasons.columns)
        ),
    )


def importance_view(importance: Importance) -> tuple[ImportanceView, ...]:
    """Return the importance of columns as a record."""
    return tuple(
        ImportanceView(
            column=str(column),
            forest=numbers(importance.forest[:, at]),
            loco=numbers(importance.loco[:, at]),
        )
        for at, column in enumerate(importance.columns)
    )


def fidelity_view(fidelity: Fidelity) -> FidelityView:
    """Return the fidelity of one technique as a record."""
    fits = (fidelity.first, fidelity.second, fidelity.difference)
    return record_from(
        FidelityView,
        fidelity,
        r2=tuple(fit.r2 for fit in fits),
        rmse=tuple(fit.rmse for fit in fits),
    )


def klime_view(klime: KLime) -> KLimeView:
    """Return K-LIME as a record."""
    names = [str(name) for name in klime.segments] or [str(at + 1) for at in range(klime.k)]
    return KLimeView(
        k=klime.k,
        chosen_by={str(k): r2 for k, r2 in klime.chosen_by.items()},
        clusters=tuple(
            ClusterView(
                name=names[at],
                rows=model.rows,
                is_global=model.is_global,
                r2=tuple(or_none(float(own)) for own in klime.cluster_r2[at]),
                intercepts=numbers(model.intercepts),
            )
            for at, model in enumerate(klime.models)
        ),
    )
