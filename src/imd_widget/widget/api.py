"""`show`: compare two models and return a widget."""

from __future__ import annotations

from typing import Any, Unpack, overload

from imd_widget._base.errors import InputError
from imd_widget.api.diff import diff
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import DiffOptions
from imd_widget.comparison.track import Track
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.explanations.sklearn_tree import plottable_tree
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.rules.tree_record import PlottableTree
from imd_widget.widget.comparison_widget import ComparisonWidget
from imd_widget.widget.diff_widget import DiffWidget
from imd_widget.widget.model_widget import ModelWidget
from imd_widget.widget.track_widget import TrackWidget
from imd_widget.widget.tree_widget import TreeWidget


@overload
def show(
    m1: ModelExplanation,
    *,
    height: int | None = None,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
) -> ModelWidget: ...


@overload
def show(
    m1: Track,
    *,
    height: int | None = None,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
) -> TrackWidget: ...


@overload
def show(
    m1: PlottableTree,
    *,
    height: int | None = None,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
) -> TreeWidget: ...


@overload
def show(
    m1: Any,
    m2: Any = None,
    X: Any = None,
    *,
    height: int | None = None,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
    **options: Unpack[DiffOptions],
) -> DiffWidget: ...


def show(
    m1: Any,
    m2: Any = None,
    X: Any = None,
    *,
    height: int | None = None,
    theme: str = "auto",
    orientation: str = "right",
    picture: bool = True,
    **options: Unpack[DiffOptions],
) -> DiffWidget | TreeWidget | ModelWidget | TrackWidget:
    """Return a widget that draws where in feature space two models differ, or which of several do.

    Parameters
    ----------
    m1, m2 : model
        Anything with ``predict``, a function of the table, or an array of outputs. Or ``m1`` is
        shown alone: a `ModelDiff`, a `ModelComparison`, or one tree, such as `imd_widget.surrogate`
        returns, or a fitted decision tree of scikit-learn, or what `imd_widget.explain` or
        `imd_widget.track` returns.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
    height : int, optional
        Pixels. None: as high as the content needs, within limits; it can be dragged.
    theme : {"auto", "light", "dark"}, default="auto"
        "auto" matches the notebook.
    orientation : {"right", "down"}, default="right"
        The direction in which the tree grows: "right" reads best on a screen, "down" suits
        print. A tree without room for the first rules to the right grows down.
    picture : bool, default=True
        Whether the notebook file also stores a static preview, which GitHub, nbconvert and a
        notebook without a kernel show in place of the widget.
    **options
        Options of `imd_widget.diff`: ``y``, ``outputs``, ``tolerance``, ``max_depth`` and so on.

    Returns
    -------
    DiffWidget, TreeWidget, ModelWidget or TrackWidget
        The widget; its attribute ``diff`` is the `ModelDiff` that it shows. For a
        `ModelComparison` it is a `ComparisonWidget`, which shows a matrix, and the diff of a pair
        once it is opened. A `TreeWidget` draws one tree, a `ModelWidget` explains one model, a
        `TrackWidget` draws a track.

    Examples
    --------
    A notebook draws the widget if it is the last line of a cell. Every mouse action has a method
    or a trait:

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
    looks: dict[str, Any] = {
        "height": height,
        "theme": theme,
        "orientation": orientation,
        "picture": picture,
    }
    is_alone = m2 is None and X is None and not options
    tree = plottable_tree(m1) if is_alone else None
    if tree is not None:
        return TreeWidget(tree, **looks)
    if isinstance(m1, ModelExplanation):
        if not is_alone:
            raise InputError(
                "imd.show(e) takes no models, table or options besides the explanation of a model; "
                "pass them to imd.explain(model, X, ...)."
            )
        return ModelWidget(m1, **looks)
    if isinstance(m1, Track):
        if not is_alone:
            raise InputError(
                "imd.show(t) takes no models, table or options besides a track; pass them to "
                "imd.track."
            )
        return TrackWidget(m1, **looks)
    if isinstance(m1, ModelDiff):
        if not is_alone:
            raise InputError(
                "imd.show(d) takes no models, table or options besides a diff; pass them to "
                "imd.diff(m1, m2, X, ...)."
            )
        return DiffWidget(m1, **looks)
    if isinstance(m1, ModelComparison):
        if not is_alone:
            raise InputError(
                "imd.show(c) takes no models, table or options besides a comparison; pass them to "
                "imd.compare(models, X, ...)."
            )
        return ComparisonWidget(m1, **looks)
    if m2 is None or X is None:
        raise InputError(
            "two models and a table are required: imd.show(m1, m2, X). imd.show also takes a diff, "
            "imd.show(d), more than two models, imd.show(imd.compare(models, X)), one tree, "
            "imd.show(imd.surrogate(m, X)), and one model, imd.show(imd.explain(m, X))."
        )
    return DiffWidget(diff(m1, m2, X, **options), **looks)
