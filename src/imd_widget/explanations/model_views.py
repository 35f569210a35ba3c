"""From one model that is explained to records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget.explanations.conditions import Counterfactual
from imd_widget.explanations.difference_map import map_of
from imd_widget.explanations.fidelity import (
    SurrogateFit,
    hardly_varies,
    is_low,
    r2_text,
    share_text,
)
from imd_widget.explanations.schema import (
    CounterfactualView,
    CurveView,
    FidelityView,
    IceView,
    ImitationView,
    ImportanceView,
    InteractionsView,
    LinearView,
    MapView,
    OneModelView,
    RankedView,
    ReasonView,
    RowView,
    ShareView,
    WhyView,
)
from imd_widget.explanations.views import (
    alone,
    condition_view,
    interactions_view,
    map_view,
    or_none,
)

if TYPE_CHECKING:
    from imd_widget.explanations.model_explanation import ModelExplanation

#: Points of the ranked predictions, at most.
MOST_POINTS = 500
#: Columns that a sentence about reason codes names.
MOST_NAMED = 3


def one_model_view(e: ModelExplanation, rows: tuple[int, ...] | None = None) -> OneModelView:
    """Return what a widget begins with; a page holds ``rows``."""
    table = e.subject.table
    return OneModelView(
        version=1,
        name=e.name,
        title=f"{e.name}: {e.what} on {e.n_rows:,} rows ({e.explanation.selection.text}).",
        n_rows=table.n_rows,
        rows=rows,
        labels=tuple(map(table.label_at, rows or ())),
    )


def model_why(e: ModelExplanation, row: int | None, *, surrogates: bool) -> WhyView:
    """Return what was computed: contributions, curves and ICE; surrogates if they are wanted.

    Parameters
    ----------
    e : ModelExplanation
    row : int or None
        Position of a row whose contributions, curves and reason codes are included, if they were
        computed.
    surrogates : bool
        Whether what imitates the model is included; it is computed if need be.
    """
    x = replace(e.explanation, row=row)
    view, room = x.view(), x.surrogate_room
    fitted = "klime" in room.memory and ("forest", 0) in room.memory
    return WhyView(
        text=view.text,
        what=view.what,
        note=view.note,
        tolerance=None,
        rows=view.rows,
        cannot=None,
        lacking=None,
        curves=tuple(map(_curve_alone, view.curves)),
        waiting=view.waiting,
        ice=tuple(map(_ice_alone, view.ice)),
        row=_row_view(e, row) if row is not None and fitted else None,
        fidelity=_fidelities(e) if surrogates else _fidelities(e, trees=False) if fitted else (),
        importance=_importance(e) if surrogates else None,
        trees=(room.tree(0).view(),) if surrogates else None,
        contributions=view.contributions and alone(view.contributions, x.contributions, e.name),
        conditions=tuple(map(_condition_alone, e.conditions)) if x.knows_conditions else (),
        row_contributions=(
            view.row_contributions and alone(view.row_contributions, x.contributions_of(), e.name)
        ),
        imitation=_imitation(e) if surrogates else None,
    )


def pairs_view(e: ModelExplanation) -> InteractionsView:
    """Return the strongest interactions in the model as a record."""
    view = interactions_view(e.explanation.interactions)
    pairs = tuple(
        replace(own, text=f"{' and '.join(own.columns)}: {own.strength:.2g}.") for own in view.pairs
    )
    note = view.note.replace("Each model was", "The model was").replace(" in the difference", "")
    return replace(view, pairs=pairs, note=note)


def column_map_view(e: ModelExplanation, columns: tuple[int, int]) -> MapView:
    """Return the score over two columns, by their positions, as a record."""
    return map_view(replace(map_of(e.explanation.contribution_room, columns), alone=True))


def _curve_alone(curve: CurveView) -> CurveView:
    points = tuple(
        replace(own, second=None, difference=None, spread=(own.spread[0], None, None))
        for own in curve.points
    )
    return replace(curve, apart=None, points=points)


def _condition_alone(own: Counterfactual) -> CounterfactualView:
    view = condition_view(own)
    return replace(view, curve=_curve_alone(view.curve))


def _ice_alone(ice: IceView) -> IceView:
    nothing = (None,) * len(ice.first)
    text = ice.text.split(". ")[0].removesuffix(".") + "."
    return replace(ice, second=nothing, difference=nothing, text=text)


def _fidelity(technique: str, fit: SurrogateFit, name: str) -> FidelityView:
    known = fit.r2 is not None
    line = f"{technique}, R² held out: {r2_text(fit.r2) if fit.r2 is not None else 'none'}."
    warning = None
    if fit.r2 is not None and is_low(fit.r2):
        warning = f"Careful: it explains {share_text(fit.r2)} of what {name} gives."
    parts = (line, "" if known else hardly_varies([name]), warning)
    text = " ".join(part for part in parts if part)
    return FidelityView(technique, (fit.r2,), (fit.rmse,), text, warning)


def _fidelities(e: ModelExplanation, *, trees: bool = True) -> tuple[FidelityView, ...]:
    room = e.explanation.surrogate_room
    found = [("random forest", room.forest(0).fit), ("K-LIME", room.klime.fits[0])]
    if trees:
        tree = room.tree(0)
        found.append(("decision tree", SurrogateFit(tree.rmse, tree.r2)))
    return tuple(_fidelity(technique, fit, e.name) for technique, fit in found)


def _importance(e: ModelExplanation) -> tuple[ImportanceView, ...]:
    frame = e.importance.to_frame().dropna()
    names, forest, loco = (frame[name].tolist() for name in ("column", "forest", "loco"))
    return tuple(
        ImportanceView(str(name), (own,), (other,))
        for name, own, other in zip(names, forest, loco, strict=True)
    )


def _row_view(e: ModelExplanation, row: int) -> RowView:
    """Reason codes of a row, and the largest of them in words."""
    found, text = e.explanation.surrogate_room.reasons_of_first(row), e.explanation.score.text
    parts = [
        f"{value:+.2g} from {column}"
        for value, column in zip(found.klime[:MOST_NAMED], found.columns, strict=False)
        if value
    ]
    base = f"{found.klime_baseline:.2g} on average here"
    return RowView(
        row=row,
        scores=(found.score,),
        score_texts=(text(found.score),),
        cluster=found.cluster,
        klime_baseline=(found.klime_baseline,),
        klime_predicted=(found.klime_baseline + float(found.klime.sum()),),
        loco_baseline=(found.loco_baseline,),
        loco_predicted=(found.loco_baseline + float(found.loco.sum()),),
        reasons=tuple(
            ReasonView(str(column), value, (float(klime),), (float(loco),))
            for column, value, klime, loco in zip(
                found.columns, found.values, found.klime, found.loco, strict=True
            )
        ),
        text=f"{e.name} gives {text(found.score)}: {', '.join([base, *parts])}.",
    )


def _imitation(e: ModelExplanation) -> ImitationView:
    tree = e.tree
    return ImitationView(
        features=e.explanation.surrogate_room.data.linear.names,
        linear=tuple(
            LinearView(
                own.name,
                own.model.rows,
                or_none(own.r2),
                float(own.model.intercepts[0]),
                tuple(own.model.coefficients[0].tolist()),
            )
            for own in e.linear_models
        ),
        ranked=_ranked(e),
        tree_columns=tuple(ShareView((one,), share) for one, share in tree.column_shares.items()),
        tree_pairs=tuple(ShareView(pair, share) for pair, share in tree.pair_shares.items()),
    )


def _ranked(e: ModelExplanation) -> RankedView:
    """Ranked predictions: some of the rows; in what is shared, means of neighbours."""
    found, least = e.ranked_predictions, e.explanation.options.least
    n = len(found.rows)
    if least > 1:
        ends = np.linspace(0, n, min(MOST_POINTS, max(1, n // least)) + 1).astype(np.intp)
        sizes = np.diff(ends)

        def of(values: NDArray[np.float64]) -> tuple[float, ...]:
            return tuple((np.add.reduceat(values, ends[:-1]) / sizes).tolist())

        rows: tuple[int, ...] = ()
        each = int(sizes.min())
    else:
        places = np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(np.intp)

        def of(values: NDArray[np.float64]) -> tuple[float, ...]:
            return tuple(values[places].tolist())

        rows, each = tuple(found.rows[places].tolist()), 1
    return RankedView(
        rows=rows,
        labels=tuple(map(e.subject.table.label_at, rows)),
        model=of(found.model),
        global_model=of(found.global_model),
        local_models=of(found.local_models),
        truth=None if found.truth is None or not _known(found.truth) else of(found.truth),
        each=each,
    )


def _known(truth: NDArray[np.float64]) -> bool:
    """Whether every value is a number that JSON has."""
    return bool(np.isfinite(truth).all())
