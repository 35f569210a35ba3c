"""`ComparisonWidget`: the matrix of more than two models, and the diff of the pair that is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import traitlets

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.plain import to_json
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.stability import Stability
from imd_widget.export.comparison.html import comparison_page
from imd_widget.export.comparison.pairs import default_pairs, read_pairs
from imd_widget.export.formats import save
from imd_widget.many.model_comparison import PAIRS_IN_FILES, ModelComparison
from imd_widget.views.comparison import comparison_view
from imd_widget.views.schema import Done, MatrixOrder, PairRequest, SaveRequest
from imd_widget.widget.diff_widget import DiffWidget, TraitInputError
from imd_widget.widget.handlers import Job
from imd_widget.widget.history import Snapshot
from imd_widget.widget.pair_view_states import PAIR_TRAITS, Pair, PairViewState, latest
from imd_widget.widget.preview_formats import matrix_preview, matrix_text


class ComparisonWidget(DiffWidget):
    """A widget that draws which of several models differ, and where two of them do.

    It shows the matrix of a comparison. `open`, or a click on a cell, shows the diff of a pair
    below it; methods and traits of `DiffWidget` are then about that diff. Each of the 30 pairs that
    were shown last keeps its own selection, filters, folds and tab, and together they keep the last
    60 steps to undo.

    Parameters
    ----------
    comparison : ModelComparison
        The comparison to show.
    height : int, default=560
        Pixels of the diff below the matrix.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook file also stores a static preview.

    Attributes
    ----------
    diff : ModelDiff or None
        The diff that is shown; None if no pair is open. Read only, changed by `open`,
        `DiffWidget.refine`, `DiffWidget.change` and `DiffWidget.undo`.
    pair : list of int
        Numbers of the two models of ``diff`` in the order given to `compare`, model 1 first; empty
        if no pair is open. Read only, changed by `open`.
    matrix_order : {"similarity", "given"}
        Order of the models in the matrix.
    """

    comparison = traitlets.Dict(read_only=True).tag(sync=True)
    pair = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    matrix_order = traitlets.Enum(get_args(MatrixOrder), default_value="similarity").tag(sync=True)
    diff = traitlets.Instance(  # type: ignore[assignment]
        ModelDiff, None, allow_none=True, read_only=True
    )

    def __init__(
        self,
        comparison: ModelComparison,
        *,
        height: int | None = None,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(comparison, ModelComparison):
            raise InputError(
                f"ComparisonWidget expects a ModelComparison, got {type(comparison).__name__}. "
                "Use imd.show(imd.compare(models, X))."
            )
        self._models = comparison
        self._picture = bool(picture)
        self._states: dict[Pair, PairViewState] = {}
        self._shown_pair: Pair = (0, 0)
        # not that of DiffWidget, which shows a diff at once
        super(DiffWidget, self).__init__(height=height, theme=theme, orientation=orientation)
        self.set_trait("comparison", encodable(to_json(comparison_view(comparison))))

    def open(self, first: str | int | None = None, second: str | int | None = None) -> Any:
        """Show the diff of two models, given by name or number, and return it.

        A pair that was opened before keeps its state.
        """
        if first is None and second is None:
            return super().open()  # ipywidgets opens the channel to the front-end by this name
        pair = self._numbers((first, second))
        self._show_pair(pair, self._states.get(pair) or self._open_pair(pair))
        return self.diff

    def save(
        self,
        path: str | Path,
        *,
        pairs: Sequence[Any] | None = None,
        refinements: int = 3,
        rows: int = 0,
        explain: bool = False,
    ) -> Path:
        """Write the comparison in the format of the path's suffix; return the path.

        An HTML page opens in the present state of the widget. By default it holds the diffs of the
        pairs that were opened, and those that differ most; `ModelComparison.save` lists the
        formats.
        """
        options: dict[str, Any] = {"refinements": refinements, "rows": rows, "explain": explain}
        if Path(path).suffix.lower() == ".html":
            pairs = self._pairs_of_page() if pairs is None else pairs
            options |= self._page_options()
        return save(self._models, path, pairs=pairs, **options)

    # --- pairs ------------------------------------------------------------------------------------

    def _numbers(self, pair: Sequence[Any]) -> Pair:
        first, second = pair
        return self._models.number_of(first), self._models.number_of(second)

    def _open_pair(self, pair: Pair) -> PairViewState:
        return PairViewState(Snapshot.first(self._models[pair]))

    def _pair_job(self, request: PairRequest) -> Job[PairViewState]:
        pair = self._numbers(request.pair)
        kept = self._kept().get(pair)
        work: Callable[[], PairViewState] = (
            (lambda: kept) if kept else partial(self._open_pair, pair)
        )
        return Job(work, partial(self._show_opened, pair))

    def _show_opened(self, pair: Pair, state: PairViewState) -> Done:
        self._show_pair(pair, self._states.get(pair) or state)
        return Done()

    def _show_pair(self, pair: Pair, state: PairViewState) -> None:
        """Show a pair in one update, and keep the state of the present one."""
        self._states = latest(self._kept())
        state = self._states.get(pair, state)
        self._shown, self._shown_pair = state.snapshot, pair
        with self.hold_sync(), self.hold_trait_notifications():
            self.set_trait("diff", state.snapshot.diff)
            self.set_trait("pair", list(pair))
            self.set_trait("view", state.snapshot.view)
            for name, value in state.traits.items():
                self.set_trait(name, value)

    def _kept(self) -> dict[Pair, PairViewState]:
        """The states of all pairs that were opened, with the present one of the pair shown."""
        if self._shown is None:
            return self._states
        traits = {name: getattr(self, name) for name in PAIR_TRAITS}
        others = {pair: state for pair, state in self._states.items() if pair != self._shown_pair}
        return {**others, self._shown_pair: PairViewState(self._shown, traits)}

    def _pair_of(self, snapshot: Snapshot) -> Pair | None:
        """The pair, other than the one shown, that has this snapshot."""
        if self._shown is snapshot:
            return None
        found = (pair for pair, state in self._states.items() if state.snapshot is snapshot)
        return next(found, None)

    def _replace(self, before: Snapshot, after: Snapshot) -> None:
        """Show ``after`` in place of ``before``, which may be that of a pair no longer shown."""
        pair = self._pair_of(before)
        if pair is None:
            super()._replace(before, after)
        else:
            self._states[pair] = self._states[pair].after(after)

    def _show_stability(self, snapshot: Snapshot, found: Stability) -> None:
        pair = self._pair_of(snapshot)
        if pair is None:
            super()._show_stability(snapshot, found)
        else:
            self._states[pair] = self._states[pair].measured(found)

    def _no_diff_message(self) -> str:
        one, two = self._models.names[:2]
        return f"No pair is open; use w.open({one!r}, {two!r})."

    @traitlets.validate("pair")
    def _known_pair(self, proposal: dict[str, Any]) -> list[int]:
        """Reject any pair but the one shown: the front-end can set read-only traits."""
        pair = list(proposal["value"])
        if self._shown is None or pair != list(self._shown_pair):
            raise TraitInputError("pair is read-only; use w.open(first, second).")
        return pair

    # --- pages and pictures -----------------------------------------------------------------------

    def _pairs_of_page(self) -> list[Pair]:
        """The pairs that were opened, and those that differ most."""
        usual = default_pairs(self._models, PAIRS_IN_FILES)
        return read_pairs(self._models, [*self._kept(), *usual])

    def _page_options(self) -> dict[str, Any]:
        opened = {
            pair: state.opened(orientation=self.orientation) for pair, state in self._kept().items()
        }
        shown = None if self._shown is None else self._shown_pair
        return {"opened": opened, "shown": shown, "matrix_order": self.matrix_order}

    def _page(self, request: SaveRequest) -> Callable[[], str]:
        pairs = self._pairs_of_page()
        options = {"after_each": self._reporter(request, len(pairs)), **self._page_options()}
        return partial(comparison_page, self._models, pairs=pairs, **options)

    def _previewed(self) -> object:
        return self._models

    def _text(self) -> str:
        return matrix_text(self._models)

    def _draw_preview(self) -> dict[str, Any]:
        return matrix_preview(self._models)
