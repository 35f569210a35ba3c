"""`ModelWidget`: one model, explained in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from imd_widget._base.encodable import encodable, encodable_text
from imd_widget._base.errors import InputError
from imd_widget._base.plain import from_json, to_json
from imd_widget.explanations.difference_map import map_of
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.explanations.model_views import (
    column_map_view,
    model_why,
    one_model_view,
    pairs_view,
)
from imd_widget.explanations.options import FIRST_CURVES
from imd_widget.explanations.schema import WhyView
from imd_widget.explanations.smallest_change import smallest_change_alone
from imd_widget.explanations.views import what_if_view
from imd_widget.explanations.what_if import what_if_alone
from imd_widget.views.schema import (
    MESSAGES,
    Done,
    ExplainAnswer,
    ExplainRequest,
    InteractionsAnswer,
    MapAnswer,
    MapRequest,
    SmallestChangeAnswer,
    SmallestChangeRequest,
    WhatIfAnswer,
    WhatIfRequest,
)
from imd_widget.widget.explaining import CALLS, EDIT_CALLS, check_columns, counted
from imd_widget.widget.handlers import Job
from imd_widget.widget.message_widget import MessageWidget
from imd_widget.widget.preview_formats import forms_of
from imd_widget.widget.static_preview import StaticPreviewWidget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What imitates the model: parts of the work.
N_SURROGATES = 3


class ModelWidget(StaticPreviewWidget, MessageWidget):
    """A widget that explains one model.

    Parameters
    ----------
    explanation : ModelExplanation
        What `imd_widget.explain` returns.
    height : int, optional
        Pixels. None: as high as the content needs, within limits.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
        Nothing is drawn in a direction; it is accepted as `imd_widget.show` takes it.
    picture : bool, default=True
        Whether the notebook file also stores a static preview.

    Attributes
    ----------
    explanation : ModelExplanation
        What is shown; read only.
    """

    explanation = traitlets.Instance(ModelExplanation, read_only=True)
    model = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        explanation: ModelExplanation,
        *,
        height: int | None = None,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(explanation, ModelExplanation):
            raise InputError(
                f"ModelWidget expects a ModelExplanation, got {type(explanation).__name__}. Pass "
                "the result of imd.explain(model, X)."
            )
        self._picture = bool(picture)
        super().__init__(height=height, theme=theme, orientation=orientation)
        self.set_trait("explanation", explanation)
        self.set_trait("model", encodable(to_json(one_model_view(explanation))))

    def save(self, path: str | Path, rows: Sequence[int] | int = ()) -> Path:
        """Write the explanation as a page or a report; see `ModelExplanation.save`."""
        return self.explanation.save(path, rows)

    def _job_of(self, message: Mapping[str, Any]) -> Job[Any]:
        kind: Any = message.get("kind")
        if kind == "hello":
            return Job(lambda: None, lambda _: Done())
        if kind not in WORKS:
            raise InputError(f"{kind!r} cannot be asked of one model.")
        request = from_json(MESSAGES[kind].request, message)
        work, answer, total = WORKS[kind]
        after_each = self._reporter(request, total(self.explanation, request))
        return Job(lambda: work(self.explanation, request, after_each), answer)

    def _text(self) -> str:
        return encodable_text(self.model["title"])

    def _forms(self) -> dict[str, Any]:
        def draw() -> Figure:
            return self.explanation.plot()

        return forms_of(self._text(), draw)


def _parts(e: ModelExplanation, request: ExplainRequest) -> int:
    n_columns = len(e.explanation.positions)
    n_curves = n_columns if request.more else min(FIRST_CURVES, n_columns)
    surrogates = N_SURROGATES if request.surrogates or request.row is not None else 0
    return e.explanation.contribution_room.n_parts + 1 + request.curves * n_curves + surrogates


def _explained(
    e: ModelExplanation, request: ExplainRequest, after_each: Callable[[int], object]
) -> WhyView:
    """Compute what a request wants: contributions, curves, reason codes, surrogates."""
    own = replace(e, explanation=e.explanation.with_calls(request.max_calls))
    x, room = own.explanation, own.explanation.surrogate_room
    done = 0

    def step(_: object = None) -> None:
        nonlocal done
        done += 1
        after_each(done)

    x.contribution_room.rank(step)
    x.conditions  # noqa: B018 they are computed and remembered
    if request.row is not None:
        x.contributions_of(request.row)
    step()
    if request.curves:
        shown = x.curves(None if request.more else FIRST_CURVES, after_each=step)
        if request.row is not None:
            x.curve_room.ices([curves.position for curves in shown], request.row)
    if request.surrogates or (request.row is not None and request.curves):
        for part in ("forest 0", "K-LIME"):
            room.compute(part)
            step()
    return model_why(own, request.row, surrogates=request.surrogates)


def _interacting(e: ModelExplanation, _: Any, after_each: Callable[[int], object]) -> Any:
    e.explanation.contribution_room.interact(counted(after_each))
    return pairs_view(e)


def _mapped(e: ModelExplanation, request: MapRequest, after_each: Callable[[int], object]) -> Any:
    check_columns(request.columns, len(e.subject.table.names))
    map_of(e.explanation.contribution_room, request.columns, counted(after_each))
    return column_map_view(e, request.columns)


def _edited(e: ModelExplanation, request: WhatIfRequest, _: Callable[[int], object]) -> Any:
    changes = dict(request.values)
    found = what_if_alone(
        e.explanation, e.subject, request.row, changes, max_calls=EDIT_CALLS, by_position=True
    )
    return what_if_view(found)


def _smallest(
    e: ModelExplanation, request: SmallestChangeRequest, after_each: Callable[[int], object]
) -> Any:
    found = smallest_change_alone(
        e.explanation,
        e.subject,
        request.row,
        after_each=lambda share: after_each(int(share * CALLS)),
    )
    return found.view()


def _calls(_: ModelExplanation, __: Any) -> int:
    return CALLS


#: By kind of message: its work, its answer, and the number of parts of the work.
WORKS: Mapping[str, tuple[Callable[..., Any], Callable[[Any], Any], Callable[..., int]]] = {
    "explain": (_explained, ExplainAnswer, _parts),
    "interactions": (_interacting, InteractionsAnswer, _calls),
    "map": (_mapped, MapAnswer, _calls),
    "what_if": (_edited, WhatIfAnswer, _calls),
    "smallest_change": (_smallest, SmallestChangeAnswer, _calls),
}
