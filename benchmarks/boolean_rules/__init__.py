"""A baseline: rule sets of two models, of which the second is grounded in the first."""

from benchmarks.boolean_rules.baseline import grounded_baseline
from benchmarks.boolean_rules.clauses import BooleanRules
from benchmarks.boolean_rules.grounded import GroundedRule, GroundedRules, grounded_rules
from benchmarks.boolean_rules.learning import learn_rules
from benchmarks.boolean_rules.literals import Literals, binarise

__all__ = [
    "BooleanRules",
    "GroundedRule",
    "GroundedRules",
    "Literals",
    "binarise",
    "grounded_baseline",
    "grounded_rules",
    "learn_rules",
]
