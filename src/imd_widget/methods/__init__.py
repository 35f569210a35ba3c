"""The methods: each fits a joint tree from counts and selects the regions that become diff rules.

"imd" and "separate" take the regions from pairs of leaves, as the paper does. "calibrated" and
"direct" grow the shared part alone and select its leaves by their rate of difference;
"calibrated" then grows the two surrogates below those leaves.
"""

from __future__ import annotations

from imd_widget.methods.base import (
    AugmentedSource,
    Fit,
    GivenChoice,
    Method,
    MethodOptions,
    Problem,
)
from imd_widget.methods.registry import METHODS, MethodSpec, methods_with, spec_of

__all__ = [
    "METHODS",
    "AugmentedSource",
    "Fit",
    "GivenChoice",
    "Method",
    "MethodOptions",
    "MethodSpec",
    "Problem",
    "methods_with",
    "spec_of",
]
