"""`DiffWidget`: the traits and threads between a diff and its front-end; no algorithm."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import anywidget
import traitlets

from imd_widget._base.checkpoint import checking
from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.static_files import STATIC
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import Trace
from imd_widget.comparison.stability import Stability
from imd_widget.export.formats import save
from imd_widget.views.build import stability_view, trace_view
from imd_widget.views.schema import (
    Filters,
    Order,
    Orientation,
    PageState,
    ProgressView,
    Tab,
    Theme,
)
from imd_widget.widget.handlers import Cancelled, Context, job_of
from imd_widget.widget.history import Snapshot
from imd_widget.widget.row_pages import rows_inside
from imd_widget.widget.still import can_be_hidden, is_kept, still, text_of

#: Bounds of the height in pixels; a lower widget could not show a single node with its rules.
SMALLEST_HEIGHT, LARGEST_HEIGHT = 240, 4000

#: Keys of the trait `filters`, and the values of its key "order".
FILTERS, ORDERS = tuple(Filters.__annotations__), get_args(Order)


class TraitInputError(InputError, traitlets.TraitError):
    """Raised if a trait rejects a value; traitlets rolls back after a ``TraitError``."""


class DiffWidget(anywidget.AnyWidget):
    """A widget that draws a diff; every action of the mouse has a method, and the reverse.

    Parameters
    ----------
    diff : ModelDiff
        The diff to show.
    height : int, default=560
        Pixels.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook's file also holds a still picture.

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

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"

    diff = traitlets.Instance(ModelDiff, read_only=True)
    view = traitlets.Dict(read_only=True).tag(sync=True)
    selected_node = traitlets.Unicode("").tag(sync=True)
    selected_rules = traitlets.List(traitlets.Int()).tag(sync=True)
    traced = traitlets.Dict(None, allow_none=True, read_only=True).tag(sync=True)
    theme = traitlets.Enum(get_args(Theme), default_value="auto").tag(sync=True)
    orientation = traitlets.Enum(get_args(Orientation), default_value="right").tag(sync=True)
    tab = traitlets.Enum(get_args(Tab), default_value="Rules").tag(sync=True)
    differences_only = traitlets.Bool(True).tag(sync=True)
    folds = traitlets.Dict(
        key_trait=traitlets.Unicode(), value_trait=traitlets.Bool(), default_value={}
    ).tag(sync=True)
    filters = traitlets.Dict(default_value={}).tag(sync=True)
    stability = traitlets.Dict(None, allow_none=True, read_only=True).tag(sync=True)
    height = traitlets.Int(560, min=SMALLEST_HEIGHT, max=LARGEST_HEIGHT).tag(sync=True)

    def __init__(
        self,
        diff: ModelDiff,
        *,
        height: int = 560,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(diff, ModelDiff):
            raise InputError(
                f"DiffWidget shows a ModelDiff, {type(diff).__name__} came. "
                "Use imd.show(m1, m2, X), or imd.DiffWidget(imd.diff(m1, m2, X))."
            )
        self._tasks: dict[Any, asyncio.Task[None]] = {}
        self._cancelled: set[Any] = set()
        self._context = Context(
            lambda: self._snapshot,
            self._show,
            self._follow,
            self._page_state,
            self._show_stability,
            self._reporter,
        )
        self._picture = bool(picture)
        self._drawn: tuple[ModelDiff, dict[str, Any]] | None = None
        super().__init__(height=height, theme=theme, orientation=orientation)
        self._show(Snapshot.first(diff))
        self.on_msg(self._answer)
        self.observe(self._notify_rows, ["diff", "selected_node", "selected_rules"])

    @property
    def selected_rows(self) -> Any:
        """Rows of the table inside the selected rules, else those that reach the selected node.

        If neither a rule nor a node is selected, the rows inside any rule.
        """
        inside = rows_inside(self.diff, self.selected_rules, self.selected_node)
        return self.diff.table.rows(inside)

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
        return self._follow(None if row is None else self.diff.trace(row))

    def measure_stability(self, n: int = 20) -> Stability:
        """Look for each rule again in ``n`` resamples, and show the result on the cards."""
        found = self.diff.stability(n)
        self._show_stability(found)
        return found

    def save(self, path: str | Path, *, refinements: int = 3, rows: int = 0) -> Path:
        """Write the diff that is shown in the format of the path's suffix; return the path.

        An HTML page opens in the present state of the widget; `ModelDiff.save` lists the formats.
        """
        options = {"refinements": refinements, "rows": rows}
        return save(self.diff, path, before=self._snapshot.earlier, **options, **self._page_state())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget and its still picture as one output with several MIME types."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, **self._still()}, metadata

    def _ipython_display_(self) -> None:
        """Publish the widget, then its still picture, which the widget hides.

        Two outputs are needed: of a single one JupyterLab reads the widget only, even if it cannot
        draw it.
        """
        from IPython import display

        publish: Any = display.publish_display_data  # IPython does not annotate it
        if not (self._picture and can_be_hidden()):
            publish(*self._repr_mimebundle_())
            return
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        data.pop("text/plain", None)  # the picture's output holds the same text
        publish(data, metadata)
        picture = self._still()
        alt = {"alt": picture["text/plain"]}
        publish(picture, {mime: alt for mime in picture if mime.startswith("image/")})

    def _still(self) -> dict[str, Any]:
        """The still picture by MIME type, or its text alone if no picture is wanted or kept."""
        if not (self._picture and is_kept()):
            return {"text/plain": text_of(self.diff)}
        # cached: a widget that is displayed twice draws its picture once
        if self._drawn is None or self._drawn[0] is not self.diff:
            self._drawn = self.diff, still(self.diff)
        return self._drawn[1]

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Set the traits that the front-end sent; send back the value of each rejected trait.

        A click on a rule may arrive after the diff of that rule has been replaced.
        """
        try:
            super().set_state(sync_data)
        except traitlets.TraitError:
            # traitlets rolled every trait back: set each on its own, which keeps the valid ones
            rejected = [name for name, value in sync_data.items() if self._rejects(name, value)]
            self.send_state(rejected)

    def _rejects(self, name: str, value: Any) -> bool:
        """Set one trait; return whether its validation failed."""
        try:
            super().set_state({name: value})
        except traitlets.TraitError:
            return True
        return False

    def _show(self, snapshot: Snapshot) -> ModelDiff:
        self._snapshot = snapshot
        # in one update: the rules and nodes of the old diff are not those of the new one
        with self.hold_sync(), self.hold_trait_notifications():
            self.set_trait("diff", snapshot.diff)
            self.set_trait("view", snapshot.view)
            # node ids are stable across diffs, rule numbers are not
            self.selected_rules = []
            self.set_trait("traced", None)
            self.set_trait("stability", None)
            if self.selected_node not in snapshot.diff.tree.ids:
                self.selected_node = ""
        return snapshot.diff

    def _follow(self, trace: Trace | None) -> Trace | None:
        self.set_trait("traced", None if trace is None else encodable(trace_view(trace)))
        return trace

    def _show_stability(self, found: Stability) -> None:
        self.set_trait("stability", encodable(stability_view(found)))

    def _reporter(self, message: Mapping[str, Any], total: int) -> Callable[[int], None]:
        """Return a function that reports the progress of a message, from any thread."""
        message_id = message.get("id")
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None

        def after_each(done: int) -> None:
            if message_id in self._cancelled:
                raise Cancelled
            report = {"id": message_id, "progress": ProgressView(done=done, total=total)}
            if loop is not None:
                loop.call_soon_threadsafe(self.send, report)

        return after_each

    def _page_state(self) -> PageState:
        """Traits that a saved page restores: selection, folds, filters and tab."""
        return cast(PageState, {name: getattr(self, name) for name in PageState.__annotations__})

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Run the handler of a message and send its answer, or an error."""
        del buffers
        if message.get("kind") == "cancel":
            self._cancel(message.get("of"))
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # without an event loop, blocking this thread delays no other message
            loop = None
        if loop is None or message.get("kind") == "hello":
            self._answer_now(message)
            return
        # in a thread: the kernel's event loop must stay free to receive messages such as "cancel"
        message_id = message.get("id")
        self._tasks[message_id] = loop.create_task(self._answer_later(loop, message))
        self._tasks[message_id].add_done_callback(lambda _: self._tasks.pop(message_id, None))

    def _cancel(self, message_id: Any) -> None:
        """Cancel the task of a message if it is still running: its result is not shown."""
        task = self._tasks.get(message_id)
        if task is not None and task.cancel():
            self._cancelled.add(message_id)  # work in parts ends after the present one
            self.send({"id": message_id, "error": "Cancelled: what is shown has not changed."})

    def _answer_now(self, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = job_of(self._context, message)
            answer |= finish(work())

    async def _answer_later(self, loop: AbstractEventLoop, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = job_of(self._context, message)
            stoppable = partial(self._stoppable, message.get("id"), work)
            answer |= finish(await loop.run_in_executor(None, stoppable))

    def _stoppable(self, message_id: Any, work: Callable[[], Any]) -> Any:
        """Do the work of a message; it ends at the next checkpoint after it was cancelled."""

        def check() -> None:
            if message_id in self._cancelled:
                raise Cancelled

        with checking(check):
            return work()

    @contextmanager
    def _answering(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield an answer to fill in, then send it; an exception inside becomes its error."""
        answer: dict[str, Any] = {"id": message.get("id")}
        try:
            yield answer
        except Exception as error:  # the front-end must show every failure
            answer["error"] = str(error) or type(error).__name__
        except KeyboardInterrupt:
            answer["error"] = "Interrupted: what is shown has not changed."
        self.send(encodable(answer))

    def _notify_rows(self, _: Any) -> None:
        """Notify the observers of `selected_rows`; without any, the table is not built."""
        observers = self._trait_notifiers.get("selected_rows", {}).get("change")
        if observers and self.diff.has_rows:
            change = {"owner": self, "name": "selected_rows", "old": None, "type": "change"}
            self.notify_change(traitlets.Bunch(change, new=self.selected_rows))

    @traitlets.validate("filters")
    def _known_filters(self, proposal: dict[str, Any]) -> dict[str, str]:
        filters = dict(proposal["value"])
        for name, value in filters.items():
            if name not in FILTERS or not isinstance(value, str):
                raise TraitInputError(
                    f"filters were given {name!r}: {value!r}. They are texts under the names "
                    f"{', '.join(FILTERS)}: w.filters = {{'text': 'age'}}; {{}} for none."
                )
        if filters.get("order", ORDERS[0]) not in ORDERS:
            raise TraitInputError(
                f"rules cannot be ordered by {filters['order']!r}: {', '.join(ORDERS)}."
            )
        return filters

    @traitlets.validate("selected_node")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        node = str(proposal["value"])
        if node and self.trait_has_value("diff") and node not in self.diff.tree.ids:
            raise TraitInputError(
                f"there is no node {node!r}. Ids are those in w.diff.tree.ids; the or-nodes are "
                f"{', '.join(self.diff.tree.or_nodes[:8])}."
            )
        return node

    @traitlets.validate("selected_rules")
    def _known_rules(self, proposal: dict[str, Any]) -> list[int]:
        numbers = list(proposal["value"])
        known = 0
        if self.trait_has_value("diff"):
            known = len(self.diff.rules) + len(self.diff.agreement)
        unknown = [number for number in numbers if not 0 <= number < known]
        if unknown:
            raise TraitInputError(
                f"there is no rule {unknown[0]}: w.diff.rules has {known}, from 0."
            )
        return numbers
