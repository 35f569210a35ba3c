"""The matrix of a comparison as Markdown, for pull requests."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget._base.markdown_text import cell, table_row
from imd_widget.export.markdown import report
from imd_widget.many.figures import Figures, Scores
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.rules.languages import row_share


def comparison_report(comparison: ModelComparison, *, pairs: Sequence[tuple[int, int]]) -> str:
    """Return the sentences, the matrix, the scores and the reports of some pairs."""
    figures = comparison.figures
    names = [cell(name) for name in figures.names]
    lines = [f"# {len(names)} models: which of them differ", "", cell(comparison.summary()), ""]
    lines += _matrix(figures, names)
    if figures.scores is not None:
        lines += ["", *_fixes(figures.scores, names)]
    lines += [f"\n{cell(one.name)} was left out: {cell(one.reason)}" for one in figures.skipped]
    text = "\n".join(lines) + "\n"
    for first, second in pairs:
        text += "\n#" + report(comparison[first, second])
    return text


def _matrix(figures: Figures, names: Sequence[str]) -> list[str]:
    """Shares in the order of similarity; on the diagonal the scores."""
    order, scores = figures.order, figures.scores
    head = "differ" if scores is None else f"differ, {scores.name}"
    lines = [table_row([head, *(names[at] for at in order)])]
    lines.append(table_row(["---", *(["---:"] * len(order))]))
    for i in order:
        cells = [
            _own(scores, i) if i == j else row_share(float(figures.shares[i, j])) for j in order
        ]
        lines.append(table_row([names[i], *cells]))
    return lines


def _own(scores: Scores | None, at: int) -> str:
    if scores is None:
        return ""
    score = scores.models[at]
    return f"**{cell(score.text)}**" if score.best else cell(score.text)


def _fixes(scores: Scores, names: Sequence[str]) -> list[str]:
    """For each two models, the rows that going from one to the other puts right and gets wrong."""
    lines = [
        table_row(["from", "to", "fixes", "breaks"]),
        table_row(["---", "---", "---:", "---:"]),
    ]
    for i, one in enumerate(names):
        for j, other in enumerate(names[i + 1 :], i + 1):
            fixes, breaks = int(scores.fixes[i, j]), int(scores.fixes[j, i])
            lines.append(table_row([one, other, f"{fixes:,}", f"{breaks:,}"]))
    return lines
