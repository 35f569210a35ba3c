"""How each method gets from counts to a tree and to the regions claimed to differ.

"imd" and "separate" read the regions off pairs of leaves, as the paper does. "calibrated" and
"direct" grow the shared part alone, claim its leaves by their rate of difference, and let the two
surrogates go on below them.
"""

from __future__ import annotations

from imd_widget.methods.base import AugmentedSource, Fit, Method, MethodOptions, Problem
from imd_widget.methods.registry import METHODS, MethodSpec, methods_with, spec_of

__all__ = [
    "METHODS",
    "AugmentedSource",
    "Fit",
    "Method",
    "MethodOptions",
    "MethodSpec",
    "Problem",
    "methods_with",
    "spec_of",
]
