"""`show` and `DiffWidget`: traits and messages between a diff and its front-end, no algorithm."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from imd_widget._base.encodable import encodable
from imd_widget._base.errors import InputError
from imd_widget._base.static_files import STATIC
from imd_widget.comparison.api import diff
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import Page, Trace, page_of, row_order
from imd_widget.export.formats import save
from imd_widget.export.html import page_text
from imd_widget.widget.history import Snapshot
from imd_widget.widget.still import can_be_hidden, is_kept, still, text_of

#: Pixels; below the smallest the widget could not show a single node with its rules.
SMALLEST_HEIGHT, LARGEST_HEIGHT = 240, 4000
Work = Callable[[], Any]
Finish = Callable[[Any], dict[str, Any]]

#: What the list of rules can be filtered by, and what it can be ordered by.
FILTERS = ("text", "column", "outcome", "order")
ORDERS = ("coverage", "rows", "rate")
#: Traits that a saved page takes with it.
PAGE_STATE = (
    *("selected_node", "selected_rules", "traced", "orientation"),
    *("tab", "differences_only", "folds", "filters"),
)


class TraitInputError(InputError, traitlets.TraitError):
    """What a trait was given cannot be used; a ``TraitError``, after which traitlets rolls back."""


def show(
    m1: Any,
    m2: Any = None,
    X: Any = None,
    *,
    height: int = 560,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
    **options: Any,
) -> DiffWidget:
    """A widget that draws where in feature space two models differ.

    Parameters
    ----------
    m1, m2 : model
        Anything with ``predict``, a function of the table, or an array of outputs. Or ``m1`` is a
        `ModelDiff` to show, alone.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
    height : int, default=560
        Pixels.
    theme : {"auto", "light", "dark"}, default="auto"
        "auto" follows the notebook.
    orientation : {"right", "down"}, default="right"
        Where the tree grows to: "right" reads best on a screen, "down" is what papers print.
    picture : bool, default=True
        Whether the notebook's file holds a still picture too, which GitHub, nbconvert and whoever
        opens it without a kernel see in place of the widget.
    **options
        Those of `imd_widget.diff`: ``y``, ``outputs``, ``tolerance``, ``max_depth`` and the others.

    Returns
    -------
    DiffWidget
        Its ``diff`` is the `ModelDiff` that it shows.

    Examples
    --------
    In a notebook, as the last line of a cell, it is drawn. What the mouse can do has a name:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> old = np.where(X["age"] >= 40, "yes", "no")
    >>> new = np.where(X["job"] == "cook", old, "no")
    >>> w = imd.show(old, new, X, max_depth=4)
    >>> w.selected_rules = [0]
    >>> len(w.selected_rows)
    120
    >>> w.trace(390).said
    ('yes', 'no')
    """
    if isinstance(m1, ModelDiff):
        if m2 is not None or X is not None or options:
            raise InputError(
                "a diff is shown as it is: imd.show(d). Models, table and options belong to "
                "imd.diff(m1, m2, X, ...), which makes another one."
            )
        return DiffWidget(m1, height=height, theme=theme, orientation=orientation, picture=picture)
    if m2 is None or X is None:
        raise InputError(
            "two models and a table are needed: imd.show(m1, m2, X); or a diff: imd.show(d)."
        )
    found = diff(m1, m2, X, **options)
    return DiffWidget(found, height=height, theme=theme, orientation=orientation, picture=picture)


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
    theme = traitlets.Enum(["auto", "light", "dark"], default_value="auto").tag(sync=True)
    orientation = traitlets.Enum(["right", "down"], default_value="right").tag(sync=True)
    tab = traitlets.Enum(["Rules", "Rows", "Node"], default_value="Rules").tag(sync=True)
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
        self._asked_trace: Any = None
        self._kept_rows: tuple[Any, NDArray[np.intp]] | None = None
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
        return self.diff.table.rows(self._inside(self.selected_rules, self.selected_node))

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
        return save(self.diff, path, before=self._snapshot.earlier, **page, **self._as_shown())

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
        self.set_trait("traced", None if found is None else encodable(_plain(found)))
        return found

    def _as_shown(self) -> dict[str, Any]:
        """What the user has opened, selected and filtered, for a page that looks the same."""
        return {name: getattr(self, name) for name in PAGE_STATE}

    def _inside(self, rules: Sequence[int], node: str) -> NDArray[np.bool_]:
        """Rows of the table in any of the rules, else at the node, else in any rule at all."""
        if node and not rules:
            return self.diff.reaches(node)
        return self.diff.covered(rules or None)

    def _rows(self, message: dict[str, Any]) -> dict[str, Any]:
        """A page of the rows that the front-end asks for."""
        rules, node = message.get("rules") or [], message.get("node") or ""
        columns = self._columns_of(rules, node)
        found = page_of(
            self.diff,
            self._positions(message, rules, node, columns),
            columns,
            max(0, int(message.get("start", 0))),
            min(500, max(1, int(message.get("count", 50)))),
        )
        return _plain(found)

    def _positions(
        self, message: dict[str, Any], rules: Sequence[int], node: str, columns: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """Rows of the selection in the order asked for; kept for the next page of the same."""
        sort = message.get("sort")
        by = None if not sort else (int(sort["column"]), bool(sort["descending"]))
        key = (self.diff, tuple(rules), node, bool(message.get("differing")), by)
        if self._kept_rows is None or self._kept_rows[0] != key:
            inside = self._inside(rules, node)
            if message.get("differing"):
                inside = inside & self.diff.differs
            self._kept_rows = key, row_order(self.diff, inside, columns, by)
        return self._kept_rows[1]

    def _columns_of(self, rules: Sequence[int], node: str) -> tuple[int, ...]:
        """Places of the columns that the rules, or the way to the node, speak of."""
        if rules:
            asked = [c.position for number in rules for c in self.diff.rules[number].conditions]
        else:
            path = self.diff.path_to(node) if node else ()
            asked = [self.diff.tree.columns[step.column].position for step in path]
        return tuple(dict.fromkeys(asked))

    def _work(self, message: dict[str, Any]) -> tuple[Work, Finish]:
        """What a message asks for: work that changes nothing, and what to do with its result.

        The second gives what to send back beside the traits.
        """
        kind, snapshot = message.get("kind"), self._snapshot
        if kind == "hello":  # who hears this knows that the kernel is there, and free
            return _nothing, _no_more
        if kind == "rows":
            return partial(self._rows, message), lambda rows: {"rows": rows}
        if kind == "save":
            state = {"before": snapshot.earlier, **self._as_shown()}
            return partial(page_text, snapshot.diff, **state), lambda page: {"page": page}
        if kind == "trace":
            self._asked_trace = asked = message.get("id")
            work = partial(snapshot.diff.trace, message["row"])
            return work, partial(self._follow_if_wanted, snapshot, asked)
        options = dict(message.get("options") or {})
        if "sensitivity" in options and options["sensitivity"] is None:
            options["sensitivity"] = "auto"
        steps: dict[Any, Work] = {
            "refine": snapshot.refined,
            "undo": snapshot.undone,
            "change": partial(snapshot.changed, options),
        }
        if kind not in steps:
            raise InputError(f"The widget was asked for {kind!r}, which it cannot do.")
        return steps[kind], partial(self._go_on, snapshot)

    def _follow_if_wanted(
        self, snapshot: Snapshot, asked: Any, found: Trace | None
    ) -> dict[str, Any]:
        """Show the way of a row, unless another row or another diff was asked for since."""
        if self._snapshot is snapshot and self._asked_trace == asked:
            self._follow(found)
        return {}

    def _go_on(self, before: Snapshot, after: Snapshot) -> dict[str, Any]:
        """Show what was worked out, unless something else is shown by now."""
        if self._snapshot is not before:
            raise InputError("Meanwhile something else is shown: ask again.")
        return _no_more(self._show(after))

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
            work, finish = self._work(message)
            answer |= finish(work())

    async def _answer_later(self, loop: AbstractEventLoop, message: dict[str, Any]) -> None:
        with self._answering(message) as answer:
            work, finish = self._work(message)
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


def _plain(found: Trace | Page) -> dict[str, Any]:
    """A dataclass as JSON knows it."""
    return {name: _listed(value) for name, value in vars(found).items()}


def _listed(value: Any) -> Any:
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


def _nothing() -> None:
    """No work at all."""


def _no_more(_: Any) -> dict[str, Any]:
    """Nothing to send beside the traits."""
    return {}
