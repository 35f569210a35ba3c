"""The matrix as an HTML table, where a notebook shows a comparison without the widget."""

from __future__ import annotations

from html import escape

from imd_widget.many.figures import Figures
from imd_widget.many.sentences import sentences
from imd_widget.rules.languages import row_share


def html_table(figures: Figures) -> str:
    """Return the sentences and the matrix; names are escaped."""
    return f"<p>{escape(' '.join(sentences(figures)))}</p>{matrix_table(figures)}"


def matrix_table(figures: Figures) -> str:
    """Return the matrix in the order of similarity; names are escaped."""
    order, scores = figures.order, figures.scores
    heads = "".join(f'<th scope="col">{escape(figures.names[at])}</th>' for at in order)
    lines = []
    for i in order:
        cells = []
        for j in order:
            own = "" if scores is None else f"<b>{escape(scores.models[i].text)}</b>"
            text = own if i == j else escape(row_share(float(figures.shares[i, j])))
            cells.append(f"<td>{text}</td>")
        lines.append(f'<tr><th scope="row">{escape(figures.names[i])}</th>{"".join(cells)}</tr>')
    corner = "differ" if scores is None else f"differ; bold: {escape(scores.name)}"
    return (
        f"<table><thead><tr><th>{corner}</th>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
