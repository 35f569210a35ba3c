"""Grounded rule sets as a baseline: ``imd.evaluate(methods={"grounded": grounded_baseline})``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.boolean_rules.grounded import GroundedRules, grounded_rules
from imd_widget._base.errors import InputError
from imd_widget.evaluation.baselines import FittedBaseline, TrainingData


def grounded_baseline(data: TrainingData) -> FittedBaseline:
    """Fit a rule set to each model, the second biased to reuse the first.

    The method is that of Nair et al. 2021; see `benchmarks.boolean_rules.grounded` for decisions
    that the paper leaves open. It supports two classes only, and is slower than all other methods.
    """
    return _Grounded(grounded_rules(data.X, data.first, data.second))


@dataclass(frozen=True)
class _Grounded:
    """Two rule sets; their difference may have too many conjunctions to count."""

    rule_sets: GroundedRules

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        return self.rule_sets.predict(X)

    @property
    def n_rules(self) -> int | None:
        return self._size[0]

    @property
    def n_predicates(self) -> int | None:
        return self._size[1]

    @cached_property
    def _size(self) -> tuple[int | None, int | None]:
        try:
            return self.rule_sets.n_rules, self.rule_sets.n_predicates
        except InputError:
            return None, None
