"""Figures that the paper prints: facts to compare with, from its Tables 1 to 3 and its text.

Where a dataset has two lines, the first is the pair of models with the largest difference in test
accuracy and the second the one with the smallest.
"""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """One line of Table 1: share of differing rows, then both methods."""

    models: tuple[str, str]
    diffs: float
    separate: tuple[float, float, float]
    imd: tuple[float, float, float]


#: Table 1: precision, recall and number of rules.
TABLE_1: dict[str, tuple[Line, Line]] = {
    "adult": (
        Line(("MLP1", "GB"), 0.20, (0.96, 0.88, 70.0), (0.96, 0.88, 18.0)),
        Line(("MLP2", "DT2"), 0.08, (0.45, 0.29, 155.4), (0.46, 0.16, 17.4)),
    ),
    "bankm": (
        Line(("MLP2", "GB"), 0.26, (0.66, 0.75, 263.6), (0.70, 0.67, 23.0)),
        Line(("MLP1", "GNB"), 0.26, (0.74, 0.75, 345.0), (0.71, 0.69, 34.4)),
    ),
    "eye": (
        Line(("RF1", "GNB"), 0.56, (0.65, 0.66, 1054.0), (0.60, 0.71, 36.2)),
        Line(("LR", "MLP1"), 0.34, (0.59, 0.53, 781.6), (0.57, 0.39, 28.4)),
    ),
    "heloc": (
        Line(("KN1", "RF2"), 0.23, (0.40, 0.23, 373.0), (0.40, 0.13, 15.8)),
        Line(("GB", "RF1"), 0.17, (0.30, 0.19, 234.4), (0.25, 0.06, 14.6)),
    ),
    "magic": (
        Line(("RF1", "GNB"), 0.25, (0.75, 0.58, 362.8), (0.75, 0.52, 25.0)),
        Line(("MLP2", "DT2"), 0.11, (0.43, 0.36, 282.6), (0.42, 0.17, 11.0)),
    ),
    "redwine": (
        Line(("RF1", "KN2"), 0.37, (0.46, 0.52, 627.8), (0.52, 0.25, 29.0)),
        Line(("KN1", "GNB"), 0.52, (0.70, 0.59, 563.6), (0.69, 0.47, 40.4)),
    ),
    "tictactoe": (
        Line(("LR", "GNB"), 0.34, (0.76, 0.78, 109.6), (0.76, 0.89, 24.4)),
        Line(("DT2", "KN2"), 0.06, (0.10, 0.15, 54.0), (0.16, 0.11, 5.8)),
    ),
    "waveform": (
        Line(("LR", "DT1"), 0.18, (0.45, 0.52, 746.0), (0.49, 0.27, 33.2)),
        Line(("MLP1", "RF2"), 0.11, (0.17, 0.32, 725.0), (0.10, 0.02, 9.0)),
    ),
}

#: Table 2: F1 of IMD, separate surrogates, direct tree, direct boosting, grounded rules.
TABLE_2: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "adult": ((0.92, 0.92, 0.92, 0.98, 0.33), (0.23, 0.34, 0.17, 0.61, 0.31)),
    "bankm": ((0.68, 0.70, 0.69, 0.77, 0.41), (0.70, 0.75, 0.68, 0.82, 0.41)),
    "banknote": ((0.89, 0.89, 0.83, 0.94, 0.27), (0.52, 0.56, 0.57, 0.63, 0.06)),
    "bc": ((0.39, 0.41, 0.17, 0.00, 0.10), (0.25, 0.37, 0.28, 0.19, 0.13)),
    "diabetes": ((0.32, 0.43, 0.21, 0.35, 0.35), (0.32, 0.41, 0.09, 0.22, 0.30)),
    "heloc": ((0.19, 0.29, 0.03, 0.14, 0.37), (0.10, 0.22, 0.02, 0.05, 0.27)),
    "magic": ((0.62, 0.65, 0.63, 0.78, 0.40), (0.24, 0.39, 0.14, 0.27, 0.20)),
    "mushroom": ((0.75, 0.80, 0.81, 0.97, 0.76), (0.72, 0.80, 0.81, 0.97, 0.74)),
    "tictactoe": ((0.82, 0.77, 0.77, 0.82, 0.83), (0.12, 0.12, 0.00, 0.09, 0.00)),
}
TABLE_2_RANKS = (3.278, 2.056, 3.694, 2.278, 3.694)

#: Table 3: precision of IMD at depth 6, refined once, and at depth 7.
TABLE_3: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "adult": ((0.96, 0.96, 0.95), (0.46, 0.59, 0.53)),
    "bankm": ((0.70, 0.78, 0.77), (0.71, 0.79, 0.74)),
    "eye": ((0.60, 0.67, 0.62), (0.57, 0.64, 0.57)),
    "heloc": ((0.40, 0.45, 0.42), (0.25, 0.25, 0.26)),
    "magic": ((0.75, 0.80, 0.73), (0.42, 0.55, 0.46)),
    "redwine": ((0.52, 0.56, 0.48), (0.69, 0.73, 0.68)),
    "tictactoe": ((0.76, 0.79, 0.78), (0.16, 0.19, 0.18)),
    "waveform": ((0.49, 0.54, 0.49), (0.10, 0.14, 0.17)),
}

#: Means over its 26 benchmarks.
MEAN_RULES = {"separate": 337.25, "imd": 20.94}
MEAN_PREDICATES = {"separate": 135.41, "imd": 56.10}
#: Means over the benchmarks of its Table 2, which have two classes.
MEAN_RULES_TWO_CLASSES = {"imd": 16.05, "direct_tree": 10.50, "grounded": 37.69}


class Told(NamedTuple):
    """A mean change in percent from one method to another, and p of Wilcoxon's test."""

    percent: float
    #: None where none is printed. "On the order of 10^-3" is 0.001.
    p: float | None
    #: What p must be below: with Holm's correction where the paper corrects.
    threshold: float = 0.05


#: By score, method before and method after.
CHANGES = {
    ("precision", "separate", "imd"): Told(-1.55, 0.269),
    ("recall", "separate", "imd"): Told(-23.45, 0.0002),
    ("f1", "separate", "imd"): Told(-15.26, 0.00025, 0.0125),
    ("f1", "direct_tree", "imd"): Told(89.76, 0.043, 0.025),
    ("f1", "direct_boosting", "imd"): Told(-5.87, 0.1594),
    ("f1", "grounded", "imd"): Told(98.52, 0.043, 0.017),
    ("precision", "imd", "imd 6+1"): Told(11.27, 0.001),
    ("recall", "imd", "imd 6+1"): Told(-15.37, None),
    ("precision", "imd 7", "imd 6+1"): Told(4.22, 0.001),
    ("recall", "imd 7", "imd 6+1"): Told(-25.14, None),
}
