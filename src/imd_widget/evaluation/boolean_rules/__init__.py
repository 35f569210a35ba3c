"""A baseline: rule sets of two models, of which the second is grounded in the first."""

from imd_widget.evaluation.boolean_rules.clauses import BooleanRules
from imd_widget.evaluation.boolean_rules.grounded import GroundedRule, GroundedRules, grounded_rules
from imd_widget.evaluation.boolean_rules.learning import learn_rules
from imd_widget.evaluation.boolean_rules.literals import Literals, binarise

__all__ = [
    "BooleanRules",
    "GroundedRule",
    "GroundedRules",
    "Literals",
    "binarise",
    "grounded_rules",
    "learn_rules",
]
