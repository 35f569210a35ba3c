"""The methods: each fits a joint tree from counts and selects the regions that become diff rules.

"imd" and "separate" take the regions from pairs of leaves, as the paper does. "calibrated" and
"direct" grow the shared part alone and select its leaves by their rate of difference;
"calibrated" then grows the two surrogates below those leaves.
"""

from __future__ import annotations

from imd_widget.methods.base import AugmentedSource, Fit, Problem
from imd_widget.methods.known import fit_known
from imd_widget.methods.registry import METHODS, MethodSpec, spec_of
from imd_widget.methods.values import (
    KNOWN_OPTIONS,
    METHOD_TYPES,
    Augment,
    Calibrated,
    Direct,
    GivenChoice,
    Imd,
    Method,
    MethodName,
    Separate,
    method_from_plain,
    method_to_plain,
)

__all__ = [
    "KNOWN_OPTIONS",
    "METHODS",
    "METHOD_TYPES",
    "Augment",
    "AugmentedSource",
    "Calibrated",
    "Direct",
    "Fit",
    "GivenChoice",
    "Imd",
    "Method",
    "MethodName",
    "MethodSpec",
    "Problem",
    "Separate",
    "fit_known",
    "method_from_plain",
    "method_to_plain",
    "spec_of",
]
