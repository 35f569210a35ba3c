"""The report of a comparison as text and as JSON, and the check against the allowed share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from imd_widget.cli.output import line
from imd_widget.comparison.gate import distinguishable
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.rules.languages import row_share

#: Of the JSON document. The version increases when a field changes its meaning or is removed.
FORMAT, VERSION = "imd-widget comparison report", 1
#: Most pairs that the text lists.
MOST_PAIRS = 20


@dataclass(frozen=True)
class CompareVerdict:
    """Whether two of the models differ more than allowed."""

    #: The allowed share; None if there is no limit.
    allowed: float | None
    #: Whether the share of a pair is greater.
    failed: bool
    #: Empty if there is no limit.
    sentence: str

    @classmethod
    def of(cls, c: ModelComparison, fail_over: float | None) -> CompareVerdict:
        """Compare the largest share with the allowed one."""
        if fail_over is None:
            return cls(None, False, "")
        pairs = c.ranked_pairs()
        shares = [float(c.figures.shares[pair]) for pair in pairs]
        largest, n_over = shares[0], sum(share > fail_over for share in shares)
        first, second = (c.names[at] for at in pairs[0])
        shown, limit = distinguishable(largest, fail_over)
        if not n_over:
            text = f"no two models differ on more than {shown} of the rows, within the limit of"
            return cls(fail_over, False, f"{text} {limit}.")
        most = f"{first} and {second} differ on {shown} of the rows, above the limit of {limit}"
        others = f" (and {n_over - 1:,} more of {len(pairs):,} pairs)" if n_over > 1 else ""
        return cls(fail_over, True, f"{most}{others}.")


def compare_text(c: ModelComparison, written: Sequence[Path]) -> str:
    """The sentences, the pairs that differ most, the scores and the paths of the written files."""
    figures, scores = c.figures, c.figures.scores
    lines = [c.summary(), "", "Pairs, the one that differs most first:"]
    pairs = c.ranked_pairs()
    for i, j in pairs[:MOST_PAIRS]:
        share = row_share(float(figures.shares[i, j]))
        rows = f"{int(figures.rows[i, j]):,} of {figures.n_rows:,} rows differ ({share})"
        lines.append(f"  {c.names[i]} and {c.names[j]}: {rows}{_right(c, i, j)}")
    if len(pairs) > MOST_PAIRS:
        lines.append(f"  and {len(pairs) - MOST_PAIRS:,} more")
    if scores is not None:
        own = zip(c.names, scores.models, strict=True)
        lines += ["", f"{scores.name.capitalize()}:", *(f"  {n}: {one.text}" for n, one in own)]
    if written:
        lines += ["", *(f"Written: {path}" for path in written)]
    return "\n".join(map(line, lines))


def _right(c: ModelComparison, i: int, j: int) -> str:
    scores = c.figures.scores
    if scores is None:
        return ""
    fixes, breaks = int(scores.fixes[i, j]), int(scores.fixes[j, i])
    return f"; {c.names[j]} fixes {fixes:,} and breaks {breaks:,}"


def compare_json(
    c: ModelComparison, verdict: CompareVerdict, remarks: Sequence[str], written: Sequence[Path]
) -> str:
    """The report as one JSON document."""
    figures, scores = c.figures, c.figures.scores
    report = {
        "format": FORMAT,
        "version": VERSION,
        "names": list(c.names),
        "headline": c.summary(),
        "compared": c.outputs,
        "tolerance": c.tolerance,
        "n_rows": c.n_rows,
        "order": list(c.order),
        "disagreement": figures.shares.tolist(),
        "n_differing": figures.rows.tolist(),
        "score": None if scores is None else scores.name,
        "scores": None if scores is None else [one.score for one in scores.models],
        "fixes": None if scores is None else scores.fixes.tolist(),
        "allowed": {"disagreement": verdict.allowed},
        "failed": verdict.failed,
        "remarks": list(remarks),
        "written": [str(path) for path in written],
    }
    return json.dumps(report, indent=2, allow_nan=False)
