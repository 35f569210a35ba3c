"""`DiffWidget`: the traits and threads between a diff and its front-end; no algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, get_args

import traitlets

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.plain import json_names, to_json
from imd_widget.comparison.kept_rules import still_selected
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import Trace
from imd_widget.comparison.stability import Stability
from imd_widget.deciding.api import patch
from imd_widget.deciding.patched_model import PatchedModel
from imd_widget.export.formats import save
from imd_widget.export.html import page_text
from imd_widget.rules.rule import RuleSet
from imd_widget.views.schema import (
    Filters,
    Order,
    PageState,
    PairRequest,
    SaveRequest,
    Tab,
)
from imd_widget.widget.handlers import Context, Job, job_of
from imd_widget.widget.history import Snapshot
from imd_widget.widget.message_widget import MessageWidget
from imd_widget.widget.preview_formats import diff_preview, text_of
from imd_widget.widget.row_pages import rows_inside
from imd_widget.widget.static_preview import StaticPreviewWidget

#: Keys of the trait `filters`, and the values of its key "order".
FILTERS, ORDERS = json_names(Filters), get_args(Order)


class TraitInputError(InputError, traitlets.TraitError):
    """Raised if a trait rejects a value; traitlets rolls back after a ``TraitError``."""


class DiffWidget(StaticPreviewWidget, MessageWidget):
    """A widget that draws a diff; every mouse action has a method or a trait.

    Parameters
    ----------
    diff : ModelDiff
        The diff to show.
    height : int, optional
        Pixels. None: as high as the content needs, within limits; it can be dragged.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook file also stores a static preview.

    Attributes
    ----------
    diff : ModelDiff
        The diff that is shown; read only, changed by `refine`, `change` and `undo`.
    selected_node : str
        Id of the selected node, "" for none.
    selected_rules : list of int
        Numbers of the selected rules: indices into ``diff.rules``.
    traced : dict or None
        The path of the traced row; read only, changed by `trace`.
    tab : {"Rules", "Rows", "Node"}
        The tab that the panel shows.
    differences_only : bool
        Whether subtrees without a rule are folded.
    stability : dict or None
        How often each rule is found again; read only, set by `measure_stability`.
    folds : dict of str to bool
        Nodes that the user folded (True) or unfolded (False), by id.
    filters : dict
        Filter and order of the listed rules: "text", "column" (a name), "outcome" (two class
        numbers, "0,1"; for values "higher" or "lower") and "order" ("added", what each rule adds to
        those before it, "coverage", "rows" or "rate").

    Notes
    -----
    Every attribute, and `selected_rows`, can be observed: ``w.observe(f, "selected_rows")`` calls
    ``f`` whenever the selection changes.
    """

    diff = traitlets.Instance(ModelDiff, read_only=True)
    view = traitlets.Dict(read_only=True).tag(sync=True)
    selected_rules = traitlets.List(traitlets.Int()).tag(sync=True)
    traced = traitlets.Dict(default_value=None, allow_none=True, read_only=True).tag(sync=True)
    tab = traitlets.Enum(get_args(Tab), default_value="Rules").tag(sync=True)
    differences_only = traitlets.Bool(True).tag(sync=True)
    filters = traitlets.Dict(default_value={}).tag(sync=True)
    stability = traitlets.Dict(default_value=None, allow_none=True, read_only=True).tag(sync=True)

    #: The snapshot that is shown; None if no diff is.
    _shown: Snapshot | None = None
    #: The static preview, and what it shows.
    _preview: tuple[object, dict[str, Any]] | None = None

    def __init__(
        self,
        diff: ModelDiff,
        *,
        height: int | None = None,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(diff, ModelDiff):
            raise InputError(
                f"DiffWidget expects a ModelDiff, got {type(diff).__name__}. "
                "Use imd.show(m1, m2, X), or imd.DiffWidget(imd.diff(m1, m2, X))."
            )
        self._picture = bool(picture)
        super().__init__(height=height, theme=theme, orientation=orientation)
        self._show(Snapshot.first(diff))

    @property
    def selected_rows(self) -> Any:
        """Rows of the table inside the selected rules, else those that reach the selected node.

        If neither a rule nor a node is selected, the rows inside any rule.
        """
        diff = self._snapshot.diff
        return diff.table.rows(rows_inside(diff, self.selected_rules, self.selected_node))

    @property
    def patch(self) -> PatchedModel:
        """The second model, but the first one inside the selected rules; see `imd_widget.patch`."""
        diff, chosen = self._snapshot.diff, self.selected_rules
        if not chosen:
            raise InputError(
                "no rule is selected: click rules in the widget, or set w.selected_rules = [0]."
            )
        models = diff.rows.models.models
        if models is None:
            raise InputError(
                "the models are not saved with a diff: make it again, or pass them to "
                "imd.patch(old, new, d.rules[[0]])."
            )
        return patch(*models, RuleSet(tuple(map(diff.rule_at, chosen)), diff.names, tuple(chosen)))

    def refine(self) -> ModelDiff:
        """Do one refinement step, show the result and return the diff shown."""
        return self._show(self._snapshot.refined())

    def undo(self) -> ModelDiff:
        """Undo the last refinement step or change and return the diff shown."""
        return self._show(self._snapshot.undone())

    def change(self, **options: Any) -> ModelDiff:
        """Show the diff with other options, such as ``max_depth``; see `ModelDiff.change`.

        Refinement steps are dropped; `undo` restores the diff that was shown before.
        """
        return self._show(self._snapshot.changed(options))

    def trace(self, row: int | None) -> Trace | None:
        """Show the path of the row at this position of the table; None clears the trace."""
        return self._follow(None if row is None else self._snapshot.diff.trace(row))

    def measure_stability(self, n: int = 20) -> Stability:
        """Measure in ``n`` resamples how often each rule is found again; show it on the cards."""
        snapshot = self._snapshot
        found = snapshot.diff.stability(n)
        self._show_stability(snapshot, found)
        return found

    def save(
        self, path: str | Path, *, refinements: int = 3, rows: int = 0, explain: bool = False
    ) -> Path:
        """Write the diff that is shown in the format of the path's suffix; return the path.

        An HTML page opens in the present state of the widget; `ModelDiff.save` lists the formats.
        """
        options: dict[str, Any] = {"refinements": refinements, "rows": rows, "explain": explain}
        return save(self.diff, path, before=self._snapshot.earlier, **options, **self._page_state())

    def _forms(self) -> dict[str, Any]:
        # cached: a widget that is displayed twice draws its preview once
        what = self._previewed()
        if self._preview is None or self._preview[0] is not what:
            self._preview = what, self._draw_preview()
        return self._preview[1]

    def _previewed(self) -> object:
        """What the static preview shows."""
        return self.diff

    def _text(self) -> str:
        return text_of(self.diff)

    def _draw_preview(self) -> dict[str, Any]:
        return diff_preview(self.diff)

    @property
    def _snapshot(self) -> Snapshot:
        """The snapshot that is shown; InputError if there is none."""
        if self._shown is None:
            raise InputError(self._no_diff_message())
        return self._shown

    def _no_diff_message(self) -> str:
        return "No diff is shown."

    @cached_property
    def _context(self) -> Context:
        """What the handlers of messages may read and change."""
        return Context(
            lambda: self._snapshot,
            self._replace,
            self._follow,
            self._page,
            self._show_stability,
            self._pair_job,
            self._reporter,
        )

    def _job_of(self, message: Mapping[str, Any]) -> Job[Any]:
        return job_of(self._context, message)

    def _pair_job(self, _: PairRequest) -> Job[Any]:
        raise InputError("This widget shows a single diff; it has no other pairs.")

    def _replace(self, before: Snapshot, after: Snapshot) -> None:
        """Show ``after``; InputError if ``before`` is no longer the snapshot shown."""
        if self._shown is not before:
            raise InputError("The view has changed; please retry.")
        self._show(after)

    def _show(self, snapshot: Snapshot) -> ModelDiff:
        before, self._shown = self._shown, snapshot
        # in one update: the rules and nodes of the old diff are not those of the new one
        with self.hold_sync(), self.hold_trait_notifications():
            self.set_trait("diff", snapshot.diff)
            self.set_trait("view", snapshot.view)
            # node ids are stable across diffs, rule numbers are not
            self.selected_rules = (
                still_selected(self.selected_rules, before.diff, snapshot.diff) if before else []
            )
            self.set_trait("traced", None)
            self.set_trait("stability", None)
            if self.selected_node not in snapshot.diff.tree.ids:
                self.selected_node = ""
        return snapshot.diff

    def _follow(self, trace: Trace | None) -> Trace | None:
        self.set_trait("traced", None if trace is None else encodable(to_json(trace)))
        return trace

    def _show_stability(self, snapshot: Snapshot, found: Stability) -> None:
        """Show the stability of a snapshot's rules; nothing if it is no longer shown."""
        if self._shown is snapshot:
            self.set_trait("stability", encodable(to_json(found)))

    def _page_state(self) -> dict[str, Any]:
        """Traits that a saved page restores: selection, folds, filters and tab."""
        return {name: getattr(self, name) for name in json_names(PageState)}

    def _page(self, _: SaveRequest) -> Callable[[], str]:
        """Return a function that writes the page of what is shown now."""
        snapshot = self._snapshot
        return partial(page_text, snapshot.diff, before=snapshot.earlier, **self._page_state())

    @traitlets.observe("diff", "selected_node", "selected_rules")
    def _notify_rows(self, _: Any) -> None:
        """Notify the observers of `selected_rows`; without any, the table is not built."""
        observers = self._trait_notifiers.get("selected_rows", {}).get("change")
        if observers and self._shown is not None and self._shown.diff.has_rows:
            change = {"owner": self, "name": "selected_rows", "old": None, "type": "change"}
            self.notify_change(traitlets.Bunch(change, new=self.selected_rows))

    @traitlets.validate("filters")
    def _known_filters(self, proposal: dict[str, Any]) -> dict[str, str]:
        filters = dict(proposal["value"])
        for name, value in filters.items():
            if name not in FILTERS or not isinstance(value, str):
                raise TraitInputError(
                    f"invalid filter {name!r}: {value!r}. Filters are strings with the keys "
                    f"{', '.join(FILTERS)}, such as w.filters = {{'text': 'age'}}."
                )
        if filters.get("order", ORDERS[0]) not in ORDERS:
            raise TraitInputError(
                f"unknown order {filters['order']!r}; use one of {', '.join(ORDERS)}."
            )
        return filters

    @traitlets.validate("selected_node")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        node = str(proposal["value"])
        if node and self._shown is not None and node not in self._shown.diff.tree.ids:
            raise TraitInputError(
                f"there is no node {node!r}. w.diff.tree.ids lists all ids; the or-nodes are "
                f"{', '.join(self._shown.diff.tree.or_nodes[:8])}."
            )
        return node

    @traitlets.validate("selected_rules")
    def _known_rules(self, proposal: dict[str, Any]) -> list[int]:
        numbers = list(proposal["value"])
        known = 0
        if self._shown is not None:
            known = len(self._shown.diff.rules) + len(self._shown.diff.agreement)
        unknown = [number for number in numbers if not 0 <= number < known]
        if unknown:
            raise TraitInputError(
                f"there is no rule {unknown[0]}; there are {known}, counted from 0."
            )
        return numbers
