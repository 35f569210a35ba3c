"""Builds the view of a comparison of two or more models."""

from __future__ import annotations

from imd_widget.many.model_comparison import ModelComparison
from imd_widget.views.schema import ComparisonView, ModelScore, SkippedModel


def comparison_view(
    comparison: ModelComparison, openable: list[list[int]] | None = None
) -> ComparisonView:
    """Return the view of a comparison.

    Parameters
    ----------
    comparison : ModelComparison
    openable : list of [int, int], optional
        Of a saved page: the pairs whose diffs it holds. None: those of the comparison itself.
    """
    figures, stored = comparison._figures, comparison._pairs.stored
    if openable is None and stored is not None:
        openable = [list(pair) for pair in stored]
    n_pairs = len(figures.names) * (len(figures.names) - 1) // 2
    if openable is not None and len(openable) == n_pairs:
        openable = None
    scores = figures.scores
    return ComparisonView(
        names=list(figures.names),
        order=list(figures.order),
        outputs=figures.outputs,
        differs=figures.differs,
        weighted=figures.weighted,
        n_rows=figures.n_rows,
        shares=figures.shares.tolist(),
        rows=figures.rows.tolist(),
        sentences=list(comparison.sentences),
        scores=None
        if scores is None
        else [ModelScore(score=s.score, text=s.text, best=s.best) for s in scores.models],
        score_name=None if scores is None else scores.name,
        fixes=None if scores is None else scores.fixes.tolist(),
        skipped=[SkippedModel(name=one.name, reason=one.reason) for one in figures.skipped],
        openable=openable,
        why_not="" if openable is None else _why_not(len(openable)),
    )


def _why_not(n_pairs: int) -> str:
    held = "no diff" if not n_pairs else "1 diff" if n_pairs == 1 else f"{n_pairs} diffs"
    return f"This file holds {held}; the others are made in the notebook, from the rows."
