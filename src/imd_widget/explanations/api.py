"""`explain`: what `ModelDiff.explain` calls."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from imd_widget.explanations.explanation import Explanation
from imd_widget.explanations.options import ExplainOptions
from imd_widget.explanations.remembering import remembered_of
from imd_widget.explanations.scores import known_label, score_of
from imd_widget.explanations.selection import FEWEST_ROWS, ExplainedRows, check_row, select
from imd_widget.explanations.surrogate_room import read_segments

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff


#: Explanations that a diff keeps, those used last: each may hold forests and curves.
MOST_EXPLANATIONS = 20


def explain(
    diff: ModelDiff,
    where: Any = None,
    *,
    row: int | None = None,
    pos_label: Any = None,
    segments: Any = None,
    **options: Any,
) -> Explanation:
    """Return the explanation of some rows of a diff; ``options`` are those of `ExplainOptions`.

    For the same arguments it is the same one, as long as it is among the `MOST_EXPLANATIONS` that
    were used last.
    """
    chosen = ExplainOptions.of(**options)
    selection = select(diff, where, FEWEST_ROWS if chosen.shared else 1)
    number = None if row is None else check_row(row, selection, diff.table.n_rows)
    if pos_label is not None:
        pos_label = known_label(pos_label, diff.tree.outputs)
    own = None if segments is None else read_segments(segments, diff.table)
    key = (*_key(selection), pos_label, None if own is None else _digest(own.numbers), chosen)
    known: dict[Hashable, Explanation] = diff.explanations
    found = known.pop(key, None)
    if found is None:
        score = score_of(diff, selection, pos_label)
        # a refined diff has other rules, but the same rows, models and answers
        shared = remembered_of(diff.rows.models, diff.table)
        same = replace(chosen, max_calls=0)
        conditions = tuple(map(str, selection.conditions))
        memory = shared.memory((_digest(selection.rows), conditions, score.what, key[-2], same))
        found = Explanation(selection, score, None, chosen, diff, own, memory)
    known[key] = found
    for oldest in list(known)[:-MOST_EXPLANATIONS]:
        known.pop(oldest, None)
    return found if number is None else replace(found, row=number)


def _key(selection: ExplainedRows) -> tuple[Hashable, ...]:
    mask = _digest(selection.rows) if selection.what == "mask" else b""
    return selection.what, selection.name, selection.text, mask


def _digest(numbers: NDArray[Any]) -> bytes:
    return sha256(numbers.tobytes()).digest()
