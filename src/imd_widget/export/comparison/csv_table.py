"""The pairs of a comparison as a table for spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from imd_widget._base.encodable import encodable_text
from imd_widget.export.csv_table import without_formula
from imd_widget.many.model_comparison import ModelComparison


def pair_table(comparison: ModelComparison, *, pairs: Sequence[tuple[int, int]]) -> str:
    """Return CSV text with a line for each pair, the one that differs most first.

    With ``pairs``, a line for each of these.
    """
    figures = comparison.figures
    names = [without_formula(encodable_text(name)) for name in figures.names]
    listed = list(pairs) or comparison.ranked_pairs()
    columns: dict[str, list[object]] = {
        "first": [names[i] for i, _ in listed],
        "second": [names[j] for _, j in listed],
        "rows": [figures.n_rows] * len(listed),
        "differing": [int(figures.rows[pair]) for pair in listed],
        "share": [float(figures.shares[pair]) for pair in listed],
    }
    scores = figures.scores
    if scores is not None:
        score = scores.name.replace(" ", "_")
        columns[f"{score}_first"] = [scores.models[i].score for i, _ in listed]
        columns[f"{score}_second"] = [scores.models[j].score for _, j in listed]
        columns["fixes"] = [int(scores.fixes[i, j]) for i, j in listed]
        columns["breaks"] = [int(scores.fixes[j, i]) for i, j in listed]
    return str(pd.DataFrame(columns).to_csv(index=False))
