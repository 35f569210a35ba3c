"""Rule sets for two models, the second one's grounded in the first's: a baseline."""

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
