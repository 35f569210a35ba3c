"""`show` and `DiffWidget`: traits and messages between a diff and its front-end, no algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from imd_widget.compare import ModelDiff, diff
from imd_widget.errors import InputError
from imd_widget.static_files import STATIC
from imd_widget.viewmodel import view_of

#: Pixels; below the smallest the widget could not show a single node with its rules.
SMALLEST_HEIGHT, LARGEST_HEIGHT = 240, 4000


def show(
    m1: Any,
    m2: Any = None,
    X: Any = None,
    *,
    height: int = 560,
    theme: str = "auto",
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
    **options
        Those of `imd_widget.diff`: ``y``, ``outputs``, ``tolerance``, ``max_depth`` and the others.

    Returns
    -------
    DiffWidget
        Its ``diff`` is the `ModelDiff` that it shows.
    """
    if isinstance(m1, ModelDiff):
        if m2 is not None or X is not None or options:
            raise InputError(
                "a diff is shown as it is: imd.show(d). Models, table and options belong to "
                "imd.diff(m1, m2, X, ...), which makes another one."
            )
        return DiffWidget(m1, height=height, theme=theme)
    if m2 is None or X is None:
        raise InputError(
            "two models and a table are needed: imd.show(m1, m2, X); or a diff: imd.show(d)."
        )
    return DiffWidget(diff(m1, m2, X, **options), height=height, theme=theme)


class DiffWidget(anywidget.AnyWidget):
    """A diff, drawn; whatever the mouse can do has a method, and the reverse.

    Parameters
    ----------
    diff : ModelDiff
        What to show.
    height : int, default=560
        Pixels.
    theme : {"auto", "light", "dark"}, default="auto"

    Attributes
    ----------
    diff : ModelDiff
        What is shown now; read only, changed by `refine` and `undo`.
    selected_node : str
        Id of the selected node, "" for none. Observable.
    selected_rules : list of int
        Numbers of the selected rules, indices into ``diff.rules``. Observable.
    """

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"

    diff = traitlets.Instance(ModelDiff, read_only=True)
    view = traitlets.Dict(read_only=True).tag(sync=True)
    selected_node = traitlets.Unicode("").tag(sync=True)
    selected_rules = traitlets.List(traitlets.Int()).tag(sync=True)
    theme = traitlets.Enum(["auto", "light", "dark"], default_value="auto").tag(sync=True)
    height = traitlets.Int(560, min=SMALLEST_HEIGHT, max=LARGEST_HEIGHT).tag(sync=True)

    def __init__(self, diff: ModelDiff, *, height: int = 560, theme: str = "auto") -> None:
        if not isinstance(diff, ModelDiff):
            raise InputError(
                f"DiffWidget shows a ModelDiff, {type(diff).__name__} came. "
                "Use imd.show(m1, m2, X), or imd.DiffWidget(imd.diff(m1, m2, X))."
            )
        self._history: list[ModelDiff] = []
        super().__init__(height=height, theme=theme)
        self._show(diff)
        self.on_msg(self._answer)

    @property
    def selected_rows(self) -> Any:
        """Rows of the table inside the selection: the selected rules, else the selected node.

        With nothing selected, the rows inside any rule.
        """
        shown = self.diff
        if self.selected_rules:
            inside = np.zeros(shown.table.n_rows, dtype=bool)
            for number in self.selected_rules:
                inside |= shown.rules[number].mask(shown.table)
        elif self.selected_node:
            inside = shown.reaches(self.selected_node)
        else:
            inside = shown.rules.mask(shown.table)
        return shown.table.rows(inside)

    def refine(self) -> ModelDiff:
        """Do one refinement step and show it; the diff now shown."""
        refined = self.diff.refine()
        if refined is self.diff:
            raise InputError(self.view["refinement"]["reason"])
        self._history.append(self.diff)
        self._show(refined, before=self.diff)
        return refined

    def undo(self) -> ModelDiff:
        """Take the last refinement step back; the diff now shown."""
        if not self._history:
            raise InputError("There is no refinement step to take back.")
        self._show(self._history.pop())
        return self.diff

    def save(self, path: str | Path) -> Path:
        """Write what is shown as one self-contained page; its path."""
        return self.diff.to_html(path)

    def _show(self, diff: ModelDiff, before: ModelDiff | None = None) -> None:
        with self.hold_sync():
            self.set_trait("diff", diff)
            self.set_trait("view", view_of(diff, before))
            # ids of nodes are stable, numbers of rules are not
            self.selected_rules = []
            if self.selected_node not in diff.tree.ids:
                self.selected_node = ""

    def _answer(self, _: Any, message: Any, buffers: Any) -> None:
        """Do the work a message asks for; say so, or say why not."""
        del buffers
        work = {"refine": self.refine, "undo": self.undo}
        kind = message.get("kind")
        answer = {"id": message.get("id")}
        try:
            if kind not in work:
                raise InputError(f"The widget was asked for {kind!r}, which it cannot do.")
            work[kind]()
        except Exception as error:  # whatever it is, the one who asked must see it
            answer["error"] = str(error) or type(error).__name__
        except KeyboardInterrupt:
            answer["error"] = "Interrupted: what is shown has not changed."
        self.send(answer)

    @traitlets.validate("selected_node")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        node = str(proposal["value"])
        if node and self.trait_has_value("diff") and node not in self.diff.tree.ids:
            raise InputError(
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
            raise InputError(f"there is no rule {unknown[0]}: w.diff.rules has {known}, from 0.")
        return numbers
