"""Strata of the rows of a diff: each rule, the other differences, and the rows that agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
            "rows to label are drawn from a table in memory, and this diff is of one that is read "
            "in partitions: make the diff of a random sample of its rows."
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


def merged(strata: Sequence[Stratum], labels: Sequence[float]) -> list[Stratum]:
    """Return the strata in which the models differ, after small ones became other differences.

    The smallest are merged until every stratum has `FEWEST_LABELS` labels, or one is left. As many
    labels for each row are drawn in all of them, so that any two can be merged.

    Parameters
    ----------
    strata : sequence of Stratum
    labels : sequence of float
        Number of labels of each.
    """
    known = [(one, own) for one, own in zip(strata, labels, strict=True) if one.differs]
    kept = sorted((pair for pair in known if pair[0].name != OTHERS), key=lambda pair: -pair[1])
    rest = [pair for pair in known if pair[0].name == OTHERS]
    while kept and (
        kept[-1][1] < FEWEST_LABELS or (rest and sum(own for _, own in rest) < FEWEST_LABELS)
    ):
        rest.append(kept.pop())
    found = [one for one, _ in known if any(one is other for other, _ in kept)]
    if rest:
        rows = np.sort(np.concatenate([one.rows for one, _ in rest]))
        found.append(Stratum(OTHERS, "", None, rows))
        if len(rest) == 1 and rest[0][0].name != OTHERS:
            found[-1] = replace(rest[0][0])
    return found
