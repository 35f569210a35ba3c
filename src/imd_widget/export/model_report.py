"""The report of one model: everything as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.markdown_text import cell, table_row
from imd_widget.explanations.fidelity import r2_text
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.explanations.model_results import NAMED


def model_report(e: ModelExplanation, rows: Sequence[int] = ()) -> str:
    """Return everything that explains a model as Markdown; see `ModelExplanation.report`."""
    tree, local, pairs = e.tree, e.local_models.to_frame(), e.tree_interactions.to_frame()
    whole = local.iloc[0]
    r2 = "none" if np.isnan(whole["R²"]) else r2_text(float(whole["R²"]))
    parts = [
        f"# {cell(e.name)}: {cell(e.what)}",
        "\n\n".join(map(cell, e.summary().splitlines())),
        "## Columns",
        _table(e.importance.to_frame()),
        "## Interactions",
        _table(e.interactions.to_frame().head(NAMED)),
        "## Decision tree that imitates the model",
        cell(tree.fidelity),
        "\n".join(f"- {cell(rule)}" for rule in tree.rules),
        _table(e.tree_columns.to_frame()),
        _table(pairs) if len(pairs) else "",
        "## Linear models that imitate it (K-LIME)",
        f"The global model has R² {r2} on rows kept aside. Coefficients are per standard "
        "deviation.",
        _table(local),
    ]
    for row in rows:
        reasons = _table(e.reasons(row).to_frame())
        parts += [f"## Row {row}", cell(str(e.contributions_of(row))), reasons]
    return "\n\n".join(part for part in parts if part) + "\n"


def _written(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else cell(str(value))


def _table(frame: pd.DataFrame) -> str:
    """A table as Markdown."""
    head = [cell(str(name)) for name in frame.columns]
    rows = [
        ["" if pd.isna(value) is True else _written(value) for value in own]
        for own in frame.itertuples(index=False)
    ]
    return "\n".join(map(table_row, [head, ["---"] * len(head), *rows]))
