"""Render conditions on scores as a pandas query and as SQL on the raw table.

The sum is spelled out in the order in which `PointScore.values` adds, on 64-bit floats, so that all
of them hold for the same rows. A score is the whole number at or below the sum, so a condition on
the score is one on the sum with bounds rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from imd_widget.data.point_score import PointScore

if TYPE_CHECKING:
    from imd_widget.rules.conditions import Condition

#: From the name of a column, or from a value, to how a language writes it.
Named = Callable[[Hashable], str]
Literal = Callable[[Any], str]


def score_query(condition: Condition, score: PointScore, named: Named, literal: Literal) -> str:
    """Return an expression for ``DataFrame.query``."""
    parts = [repr(score.start)]
    for item in score.items:
        name = named(item.source)
        if item.of_level:
            value = f"{name}.isin([{literal(item.level)}]).astype('float64') * {item.points}"
        else:
            value = f"{name}.astype('float64').fillna({item.missing!r}) * {item.factor!r}"
        parts.append(value)
    return _bounded(condition, " + ".join(parts), " and ")


def score_sql(condition: Condition, score: PointScore, named: Named, literal: Literal) -> str:
    """Return a condition for SQL's WHERE."""
    parts = [_double(score.start)]
    for item in score.items:
        name = named(item.source)
        if item.of_level:
            points = _double(item.points)
            value = f"CASE WHEN {name} = {literal(item.level)} THEN {points} ELSE 0e0 END"
        else:
            number = f"COALESCE(CAST({name} AS DOUBLE), {_double(item.missing)})"
            value = f"{number} * {_double(item.factor)}"
        parts.append(value)
    return _bounded(condition, " + ".join(parts), " AND ")


def _bounded(condition: Any, total: str, joint: str) -> str:
    """Return the bounds of a condition on a score as those of the sum."""
    bounds = ((">=", condition.low), ("<", condition.high))
    return joint.join(
        f"{total} {sign} {math.ceil(bound)}" for sign, bound in bounds if bound is not None
    )


def _double(number: float) -> str:
    """Return a number as a 64-bit float of SQL: without an exponent it would be a decimal."""
    text = repr(float(number))
    return text if "e" in text else f"{text}e0"
