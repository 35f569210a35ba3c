"""Strata of the rows of a diff: each rule, the other differences, and the rows that agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.rules.languages import conditions_text

#: Names of the strata that are no rules.
OTHERS, AGREEMENT = "other differences", "agreement"
#: A stratum with fewer labels than this is part of the other differences.
FEWEST_LABELS = 3

Rows = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Stratum:
    """Rows that are drawn and judged together."""

    name: str
    #: The conditions of the rule; empty for others.
    text: str
    #: Number of the rule in ``d.rules``; None for others.
    rule: int | None
    #: Numbers of its rows.
    rows: Rows

    @property
    def differs(self) -> bool:
        """Whether the models differ on its rows."""
        return self.name != AGREEMENT


def strata_of(diff: ModelDiff) -> list[Stratum]:
    """Return the strata of a diff that have rows; those in which the models differ come first.

    A row inside a rule on which the models agree belongs to the agreement.
    """
    if not diff.rows.dataset.in_memory:
        raise InputError(
            "rows to label can only be drawn from a table in memory, and the table of this diff is "
            "read in partitions: make a diff of a random sample of its rows."
        )
    counts = diff.rows.row_weight > 0
    numbers = diff.rows.rule_of(slice(diff.table.n_rows))
    differs = diff.differs & counts
    found = [
        Stratum(
            f"rule {at}", conditions_text(rule.conditions), at, _where(differs & (numbers == at))
        )
        for at, rule in enumerate(diff.rules)
    ]
    found.append(Stratum(OTHERS, "", None, _where(differs & (numbers == len(diff.rules)))))
    found.append(Stratum(AGREEMENT, "", None, _where(counts & ~differs)))
    return [one for one in found if len(one.rows)]


def _where(mask: NDArray[np.bool_]) -> Rows:
    return np.flatnonzero(mask)


def allocated(strata: Sequence[Stratum], n: int) -> list[tuple[Stratum, int]]:
    """Return strata in which the models differ, with the number of rows of each to draw.

    In proportion to their rows: on each of them just one model may be right, so that no stratum is
    known to vary more than another (Neyman). Rules with fewer than `FEWEST_LABELS` labels become
    part of the other differences, of which at least as many are drawn.
    """
    kept, rest = _apart(strata)
    while True:
        others = sum(len(one.rows) for one in rest)
        total = others + sum(len(one.rows) for one in kept)
        n_rest = min(max(round(n * others / total), _fewest(others)), n) if kept else n
        sizes = _shared([len(one.rows) for one in kept], n - n_rest)
        if all(own >= _fewest(len(one.rows)) for one, own in zip(kept, sizes, strict=True)):
            break
        rest.append(kept.pop())
    found = list(zip(kept, sizes, strict=True))
    return sorted(found, key=lambda pair: pair[0].rule or 0) + _joined(rest, min(n_rest, others))


def _fewest(n_rows: int) -> int:
    return min(FEWEST_LABELS, n_rows)


def _apart(strata: Sequence[Stratum]) -> tuple[list[Stratum], list[Stratum]]:
    """Return the rules, the largest first, and the other differences."""
    rules = [one for one in strata if one.differs and one.name != OTHERS]
    return sorted(rules, key=lambda one: -len(one.rows)), [
        one for one in strata if one.name == OTHERS
    ]


def _shared(sizes: Sequence[int], n: int) -> list[int]:
    """Return parts of ``n`` in proportion to sizes, none above its size."""
    if not sizes:
        return []
    every = np.array(sizes)
    exact = n * every / every.sum()
    taken = np.floor(exact).astype(int)
    for at in np.argsort(taken - exact, kind="stable")[: n - int(taken.sum())]:
        taken[at] += 1
    return [int(own) for own in np.minimum(taken, every)]


def _joined(strata: Sequence[Stratum], n: int) -> list[tuple[Stratum, int]]:
    """Return strata as the other differences; a rule alone stays one."""
    if len(strata) < 2:
        return [(one, n) for one in strata]
    rows = np.sort(np.concatenate([one.rows for one in strata]))
    return [(Stratum(OTHERS, "", None, rows), n)]


def labelled_strata(strata: Sequence[Stratum], rows: Rows) -> list[Stratum]:
    """Return the strata in which the models differ that some labelled rows were drawn from.

    Strata that have lost labels are merged.
    """

    def labels(one: Stratum) -> int:
        return int(np.isin(one.rows, rows).sum())

    n = sum(labels(one) for one in strata if one.differs)
    kept, rest = _apart([one for one, _ in allocated(strata, n)])
    kept.sort(key=lambda one: -labels(one))
    while kept and any(labels(one) < _fewest(len(one.rows)) for one in (kept[-1], *rest)):
        rest = [one for one, _ in _joined([*rest, kept.pop()], 0)]
    return [*sorted(kept, key=lambda one: one.rule or 0), *rest]
