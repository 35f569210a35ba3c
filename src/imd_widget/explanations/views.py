"""From an explanation to records, and to the sentences of its summary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.plain import record_from
from imd_widget.comparison.query import ColumnCondition
from imd_widget.explanations.conditional_expectation import ConditionalExpectation
from imd_widget.explanations.conditions import Counterfactual
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.difference_map import DifferenceMap
from imd_widget.explanations.edited_row import field_views
from imd_widget.explanations.fidelity import Fidelity
from imd_widget.explanations.grid import point_text
from imd_widget.explanations.interactions import Interactions
from imd_widget.explanations.klime import KLime
from imd_widget.explanations.model_results import ColumnContributions
from imd_widget.explanations.partial_dependence import PartialDependence
from imd_widget.explanations.results import Importance, Reasons
from imd_widget.explanations.schema import (
    AxisView,
    ClusterView,
    ContributionsView,
    ContributionView,
    CounterfactualView,
    CurveView,
    ExplanationView,
    FidelityView,
    IceView,
    ImportanceView,
    InteractionsView,
    IntervalView,
    KLimeView,
    MapView,
    PairView,
    PointView,
    ReasonView,
    RowView,
    WhatIfView,
)
from imd_widget.explanations.selection import RowCondition

if TYPE_CHECKING:
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.what_if import WhatIf


def title(e: Explanation) -> str:
    """What is explained, and on how many rows, also if one of them is explained by itself."""
    return f"{' and '.join(e.names)}: {e.what} on {where(replace(e, row=None))}."


def where(e: Explanation) -> str:
    """Where the models are explained: "row 17 (among all rows)", "1,051 rows (age >= 52)"."""
    if e.row is not None:
        return f"row {e.row} (among {e.selection.text})"
    return f"{e.n_rows:,} {'row' if e.n_rows == 1 else 'rows'} ({e.selection.text})"


def summary(e: Explanation) -> str:
    """What is explained, and why the models differ there."""
    sentences = [f"{' and '.join(e.names)}: {e.what} on {where(e)}."]
    if e.score.note is not None:
        sentences.append(e.score.note)
    if e.score.cannot is not None:
        sentences.append(_capital(e.score.cannot))
        top = [str(column) for column in e.importance.columns[:3]]
        sentences.append(f"Most important to the forest of the difference: {', '.join(top)}.")
        if e.row is not None:
            sentences.append(e.reasons().text)
        sentences += [own.text for own in e.fidelity.techniques.values()]
    elif e.score.lacking is not None:
        moving = [curves for curves in e.curves() if curves.moves > 0][:3]
        sentences += [_moves(e, curves) for curves in moving]
        if not moving:
            sentences.append(f"No column moves {e.names[e.score.can.index(True)]}.")
        sentences.append(e.score.lacking)
    elif e.row is not None:
        of_row = e.contributions_of()
        sentences += [of_row.headline, *of_row.unused_sentences, of_row.total(), of_row.note]
    else:
        found = e.contributions
        sentences += [found.headline, *found.unused_sentences]
        gap = f"the gap ({e.names[0]} − {e.names[1]})"  # which way round, where it is named first
        for own in (own for own in e.conditions if own.sentence is not None):
            sentences.append(str(replace(own, called=gap)))
            gap = "the gap"
        sentences += [*([] if found.averages_out else [found.total()]), found.note]
    return "\n".join(sentences)


def _moves(e: Explanation, curves: PartialDependence) -> str:
    """Between which values one column moves the score of the model that can be called."""
    text, name = e.score.text, e.names[e.score.can.index(True)]
    low, high = int(curves.compared.argmin()), int(curves.compared.argmax())
    return (
        f"{curves.column} moves {name} by {_significant(curves.moves)} on average: from "
        f"{text(float(curves.compared[low]))} at {curves.texts[low]} to "
        f"{text(float(curves.compared[high]))} at {curves.texts[high]}."
    )


def _significant(value: float) -> str:
    return f"{value:.2g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def explanation_view(e: Explanation) -> ExplanationView:
    """Return what was computed of an explanation as a record."""
    names, every, row = e.table.names, e.positions, e.row
    curves, contributions, room = e.curve_room, e.contribution_room, e.surrogate_room
    made = [curves.of(at) for at in every if curves.known(at)]
    order = contributions.rank() if contributions.is_ranked else list(every)
    ice = [at for at in every if curves.knows_ice(at, row)]
    forests, klime, trees = room.are_fitted
    return ExplanationView(
        selection=e.selection.what,
        name=e.selection.name,
        text=e.selection.text,
        names=e.names,
        what=e.what,
        note=e.score.note,
        tolerance=e.tolerance,
        rows=e.n_rows,
        title=title(e),
        cannot=e.score.cannot,
        lacking=e.score.lacking,
        curves=tuple(curve_view(own) for own in sorted(made, key=lambda own: -own.moves)),
        waiting=() if e.score.cannot else tuple(str(names[at]) for at in curves.missing(order)),
        ice=() if row is None else tuple(map(ice_view, curves.ices(ice, row))),
        row=row_view(e.reasons()) if e.knows_reasons else None,
        fidelity=tuple(map(fidelity_view, room.fidelities)),
        importance=importance_view(e.importance) if forests else None,
        trees=tuple(tree.view() for tree in room.trees) if trees else None,
        klime=klime_view(room.klime) if klime else None,
        contributions=contributions_view(contributions.all()) if contributions.known else None,
        conditions=tuple(map(condition_view, e.conditions)) if e.knows_conditions else (),
        row_contributions=(
            contributions_view(e.contributions_of()) if contributions.known_of(row) else None
        ),
    )


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
        interval=_interval(curves.condition),
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


def _interval(condition: RowCondition | None) -> IntervalView | None:
    if condition is None or isinstance(condition, ColumnCondition):  # a text has no ends
        return None
    # of categories, and of hours and weekdays, the values that it names are no ends
    has_ends = getattr(condition, "order", ()) is None  # an interval of numbers or moments
    low, high = condition.named if has_ends else (None, None)
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


def what_if_view(found: WhatIf) -> WhatIfView:
    """Return an edited row as a record; one model has its contributions in words of its own."""
    table, text = found.explanation.table, found.explanation.score.text
    contributions = contributions_view(found.contributions)
    if len(found.names) == 1:
        contributions = alone(contributions, found.contributions, found.names[0])
    return WhatIfView(
        row=found.row,
        label=table.label_at(found.row),
        fields=field_views(table, found.row, found.edits),
        said_before=found.texts_before,
        said=found.texts,
        what=found.what,
        scores_before=found.scores_before,
        scores=found.scores,
        score_texts_before=tuple(map(text, found.scores_before)),
        score_texts=tuple(map(text, found.scores)),
        differs_before=found.differs_before,
        differs=found.differs,
        nodes=found.nodes,
        rules=found.rules,
        contributions=contributions,
        text=found.text,
    )


#: Columns whose contributions are listed one by one.
MOST_CONTRIBUTIONS = 12


def contributions_view(found: Contributions) -> ContributionsView:
    """Return contributions as a record."""
    shown, rest = found.order[:MOST_CONTRIBUTIONS], found.order[MOST_CONTRIBUTIONS:]
    return ContributionsView(
        base=_pair(found.base),
        level=_pair(found.level),
        level_texts=(found.text(found.level[0]), found.text(found.level[1])),
        gap=found.gap,
        base_gap=found.base_gap,
        gap_text=found.text(found.gap, signed=True),
        base_text=found.text(found.printed[2].base, signed=True),
        averages_out=found.averages_out,
        columns=tuple(_contribution(found, at) for at in shown.tolist()),
        others=_others(found, rest) if len(rest) else None,
        sentence=found.headline,
        total=found.total(),
        unused=found.unused_sentences,
        rows=max(len(found.rows), 1),
        of_rows=found.n_selected,
        asked=found.n_asked,
        note=found.note,
        decimals=found.n_decimals,
        printed_base=_of_three([own.base for own in found.printed]),
        printed_level=_of_three([own.total for own in found.printed]),
    )


def _of_three(values: Sequence[float]) -> tuple[float, float, float]:
    first, second, difference = values
    return first, second, difference


def alone(view: ContributionsView, found: Contributions, name: str) -> ContributionsView:
    """Return contributions in the words of one model."""
    own = ColumnContributions.of(found, name)
    return replace(view, sentence=str(own), unused=(), note=own.note)


def _pair(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _contribution(found: Contributions, at: int) -> ContributionView:
    error = float(found.standard_error[at])
    printed = _of_three([float(own.parts[at]) for own in found.printed])
    text = found.text(printed[2], signed=True)
    return ContributionView(
        column=str(found.columns[at]),
        position=found.positions[at],
        first=float(found.first[at]),
        second=float(found.second[at]),
        difference=float(found.difference[at]),
        error=error,
        text=found.text(found.size[2, at]) if found.averages_out else text,
        error_text=found.error_text(error),
        size=numbers(found.size[:, at]),
        value=None if found.values is None else found.values[at],
        printed=printed,
    )


def _others(found: Contributions, rest: NDArray[np.intp]) -> ContributionView:
    """The columns that are not listed one by one, together."""
    difference = float(found.difference[rest].sum())
    printed = _of_three([float(own.parts[rest].sum()) for own in found.printed])
    return ContributionView(
        column="1 other column" if len(rest) == 1 else f"{len(rest)} other columns",
        position=None,
        first=float(found.first[rest].sum()),
        second=float(found.second[rest].sum()),
        difference=difference,
        error=None,
        text=(
            found.text(found.size[2, rest].sum())
            if found.averages_out
            else found.text(printed[2], signed=True)
        ),
        error_text=None,
        size=numbers(found.size[:, rest].sum(axis=1)),
        printed=printed,
    )


def condition_view(own: Counterfactual) -> CounterfactualView:
    """Return the curves of one condition of a rule as a record."""
    return CounterfactualView(
        column=str(own.curves.column),
        position=own.curves.position,
        text=str(own.condition),
        curve=curve_view(own.curves),
        inside=tuple(own.inside.tolist()),
        at=own.at,
        gap=own.gap,
        gap_there=own.gap_there,
        sentence=own.sentence,
    )


#: Pairs of columns that are listed.
MOST_PAIRS = 10


def interactions_view(found: Interactions) -> InteractionsView:
    """Return the strongest interactions as a record."""
    shown = [at for at in range(min(MOST_PAIRS, len(found.pairs))) if found.strength[2, at] > 0]
    return InteractionsView(
        pairs=tuple(
            PairView(
                columns=(str(found.pairs[at][0]), str(found.pairs[at][1])),
                positions=found.positions[at],
                strength=float(found.strength[2, at]),
                first=float(found.strength[0, at]),
                second=float(found.strength[1, at]),
                error=float(found.standard_error[at]),
                text=found.sentence(at),
            )
            for at in shown
        ),
        asked=found.n_asked,
        note=(
            f"Pairs of the columns that contribute most, on {found.n_rows:,} rows. Each model was "
            f"called with {found.n_asked:,} rows."
            if shown
            else found.summary()
        ),
    )


def map_view(found: DifferenceMap) -> MapView:
    """Return the difference over two columns as a record."""
    x, y = (_axis_view(found, side) for side in (0, 1))
    first, second, difference, support = (
        tuple(map(numbers, own))
        for own in (found.first, found.second, found.difference, found.support)
    )
    return MapView(x, y, first, second, difference, support, found.n_rows, found.text)


def _axis_view(found: DifferenceMap, side: int) -> AxisView:
    grid = found.grids[side]
    places = [math.nan] * len(grid) if grid.numbers is None else grid.numbers.tolist()
    return AxisView(
        column=str(found.columns[side]),
        position=found.positions[side],
        ordered=grid.numbers is not None,
        texts=grid.texts,
        numbers=tuple(map(or_none, places)),
        inside=tuple(found.inside[side].tolist()),
    )
