"""Builds the view of a comparison of two or more models."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget._base.plain import record_from
from imd_widget.many.figures import ModelScore
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.views.schema import ComparisonView


def comparison_view(
    comparison: ModelComparison, openable: Sequence[tuple[int, int]] | None = None
) -> ComparisonView:
    """Return the view of a comparison.

    Parameters
    ----------
    comparison : ModelComparison
    openable : sequence of (int, int), optional
        The pairs whose diffs a saved page holds. None: those of the comparison itself.
    """
    figures = comparison.figures
    if openable is None:
        openable = comparison.diffs.stored
    n_pairs = len(figures.names) * (len(figures.names) - 1) // 2
    if openable is not None and len(openable) == n_pairs:
        openable = None
    scores = figures.scores
    return record_from(
        ComparisonView,
        figures,
        sentences=tuple(comparison.sentences),
        scores=None
        if scores is None
        else tuple(record_from(ModelScore, one) for one in scores.models),
        score_name=None if scores is None else scores.name,
        fixes=None if scores is None else tuple(map(tuple, scores.fixes.tolist())),
        apart=None
        if scores is None or scores.apart is None
        else tuple(map(tuple, scores.apart.tolist())),
        openable=None if openable is None else tuple(openable),
        why_not="" if openable is None else _why_not(len(openable)),
    )


def _why_not(n_pairs: int) -> str:
    held = "no diff" if not n_pairs else "1 diff" if n_pairs == 1 else f"{n_pairs} diffs"
    return f"This file holds {held}; the others are made in the notebook, from the rows."
