"""`DiffWidget`: traits and threads between a diff and its front-end, no algorithm."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast, get_args

import anywidget
import traitlets

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.static_files import STATIC
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import Trace
from imd_widget.export.formats import save
from imd_widget.views.build import trace_view
from imd_widget.views.schema import Filters, Order, Orientation, PageState, Tab, Theme
from imd_widget.widget.handlers import Context, job_of
from imd_widget.widget.history import Snapshot
from imd_widget.widget.row_pages import rows_inside
from imd_widget.widget.still import can_be_hidden, is_kept, still, text_of

#: Pixels; below the smallest the widget could not show a single node with its rules.
SMALLEST_HEIGHT, LARGEST_HEIGHT = 240, 4000

#: What the list of rules can be filtered by, and what it can be ordered by.
FILTERS, ORDERS = tuple(Filters.__annotations__), get_args(Order)


class TraitInputError(InputError, traitlets.TraitError):
    """What a trait was given cannot be used; a ``TraitError``, after which traitlets rolls back."""


class DiffWidget(anywidget.AnyWidget):
    """A diff, drawn; whatever the mouse can do has a method, and the reverse.

    Parameters
    ----------
    diff : ModelDiff
        What to show.
    height : int, default=560
        Pixels.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook's file holds a still picture too.

    Attributes
    ----------
    diff : ModelDiff
        What is shown now; read only, changed by `refine`, `change` and `undo`.
    selected_node : str
        Id of the selected node, "" for none.
    selected_rules : list of int
        Numbers of the selected rules, indices into ``diff.rules``.
    traced : dict or None
        The way of the row that is traced; read only, changed by `trace`.
    tab : {"Rules", "Rows", "Node"}
        What the panel shows.
    differences_only : bool
        Whether parts of the tree without a rule are folded.
    folds : dict of str to bool
        Nodes that were folded (True) or unfolded (False) by hand.
    filters : dict
        Which rules are listed, and how: "text", "column" (a name), "outcome" (two class numbers,
        "0,1"; of values "higher" or "lower") and "order" ("coverage", "rows" or "rate").

    Notes
    -----
    All of them, and `selected_rows`, can be observed: ``w.observe(f, "selected_rows")`` calls ``f``
    whenever the mouse selects something else.
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
        self._context = Context(lambda: self._snapshot, self._show, self._follow, self._page_state)
        self._picture = bool(picture)
        self._drawn: tuple[ModelDiff, dict[str, Any]] | None = None
        super().__init__(height=height, theme=theme, orientation=orientation)
        self._show(Snapshot.first(diff))
        self.on_msg(self._answer)
        self.observe(self._tell_rows, ["diff", "selected_node", "selected_rules"])

    @property
    def selected_rows(self) -> Any:
        """Rows of the table inside the selection: the selected rules, else the selected node.

        With nothing selected, the rows inside any rule.
        """
        inside = rows_inside(self.diff, self.selected_rules, self.selected_node)
        return self.diff.table.rows(inside)

    def refine(self) -> ModelDiff:
        """Do one refinement step and show it; the diff now shown."""
        return self._show(self._snapshot.refined())

    def undo(self) -> ModelDiff:
        """Take the last refinement step or change back; the diff now shown."""
        return self._show(self._snapshot.undone())

    def change(self, **options: Any) -> ModelDiff:
        """Show the diff with another ``max_depth`` or ``sensitivity``; see `ModelDiff.change`.

        Refinement steps are taken back; `undo` brings back what was shown before.
        """
        return self._show(self._snapshot.changed(options))

    def trace(self, row: int | None) -> Trace | None:
        """Show the way of a row of the table, given by its place; None: of none."""
        return self._follow(None if row is None else self.diff.trace(row))

    def save(self, path: str | Path, *, refinements: int = 3, rows: int = 0) -> Path:
        """Write what is shown, in the form that the name of the file asks for; its path.

        A page opens as the widget is now; see `ModelDiff.save` for all forms.
        """
        page = {"refinements": refinements, "rows": rows}
        return save(self.diff, path, before=self._snapshot.earlier, **page, **self._page_state())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget and its still picture in one output, for readers to choose from."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, **self._still()}, metadata

    def _ipython_display_(self) -> None:
        """The widget, then its still picture, which the widget hides.

        In one output JupyterLab would look at nothing but the widget, also where it cannot draw it.
        """
        from IPython import display

        publish: Any = display.publish_display_data  # it comes without annotations
        if not (self._picture and can_be_hidden()):
            publish(*self._repr_mimebundle_())
            return
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        data.pop("text/plain", None)  # the picture says it
        publish(data, metadata)
        picture = self._still()
        spoken = {"alt": picture["text/plain"]}
        publish(picture, {kind: spoken for kind in picture if kind.startswith("image/")})

    def _still(self) -> dict[str, Any]:
        if not (self._picture and is_kept()):
            return {"text/plain": text_of(self.diff)}
        # a widget that is shown twice is drawn once
        if self._drawn is None or self._drawn[0] is not self.diff:
            self._drawn = self.diff, still(self.diff)
        return self._drawn[1]

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the front-end sent; what cannot be is taken back there too.

        A click on a rule may arrive after the diff that the rule belongs to is gone.
        """
        try:
            super().set_state(sync_data)
        except traitlets.TraitError:
            # traitlets rolled all of it back: what can be is taken over by itself
            refused = [name for name, value in sync_data.items() if self._refuses(name, value)]
            self.send_state(refused)

    def _refuses(self, name: str, value: Any) -> bool:
        try:
            super().set_state({name: value})
        except traitlets.TraitError:
            return True
        return False

    def _show(self, snapshot: Snapshot) -> ModelDiff:
        self._snapshot = snapshot
        # all at once: rules and nodes of the old diff mean nothing in the new one
        with self.hold_sync(), self.hold_trait_notifications():
            self.set_trait("diff", snapshot.diff)
            self.set_trait("view", snapshot.view)
            # ids of nodes are stable, numbers of rules are not
            self.selected_rules = []
            self.set_trait("traced", None)
            if self.selected_node not in snapshot.diff.tree.ids:
                self.selected_node = ""
        return snapshot.diff

    def _follow(self, found: Trace | None) -> Trace | None:
        self.set_trait("traced", None if found is None else encodable(trace_view(found)))
        return found

    def _page_state(self) -> PageState:
        """What the user has opened, selected and filtered, for a page that looks the same."""
        return cast(PageState, {name: getattr(self, name) for name in PageState.__annotations__})

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Do the work a message asks for; say so, or say why not."""
        del buffers
        if message.get("kind") == "cancel":
            self._cancel(message.get("of"))
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nobody else waits for this thread
            loop = None
        if loop is None or message.get("kind") == "hello":
            self._answer_now(message)
            return
        # beside the kernel's own loop, which so goes on to hear: "cancel", for one
        asked = message.get("id")
        self._tasks[asked] = loop.create_task(self._answer_later(loop, message))
        self._tasks[asked].add_done_callback(lambda _: self._tasks.pop(asked, None))

    def _cancel(self, asked: Any) -> None:
        """Forget what was asked for, if it is still being worked on: its result is not shown."""
        task = self._tasks.get(asked)
        if task is not None and task.cancel():
            self.send({"id": asked, "error": "Cancelled: what is shown has not changed."})

    def _answer_now(self, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = job_of(self._context, message)
            answer |= finish(work())

    async def _answer_later(self, loop: AbstractEventLoop, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = job_of(self._context, message)
            answer |= finish(await loop.run_in_executor(None, work))

    @contextmanager
    def _answering(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Send the answer that is put together inside, or the reason why there is none."""
        answer: dict[str, Any] = {"id": message.get("id")}
        try:
            yield answer
        except Exception as error:  # whatever it is, the one who asked must see it
            answer["error"] = str(error) or type(error).__name__
        except KeyboardInterrupt:
            answer["error"] = "Interrupted: what is shown has not changed."
        self.send(encodable(answer))

    def _tell_rows(self, _: Any) -> None:
        """Those who observe `selected_rows` get a new table; for nobody none is made."""
        heard = self._trait_notifiers.get("selected_rows", {}).get("change")
        if heard and self.diff.has_rows:
            news = {"owner": self, "name": "selected_rows", "old": None, "type": "change"}
            self.notify_change(traitlets.Bunch(news, new=self.selected_rows))

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
        known = len(self.diff.rules) if self.trait_has_value("diff") else 0
        unknown = [number for number in numbers if not 0 <= number < known]
        if unknown:
            raise TraitInputError(
                f"there is no rule {unknown[0]}: w.diff.rules has {known}, from 0."
            )
        return numbers
