"""Records of an explanation, for whatever draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FidelityView:
    """How well a technique imitates the models on rows kept aside."""

    technique: str
    #: null for a target that hardly varies, here and below: it has no R².
    r2: tuple[float | None, ...]
    rmse: tuple[float, ...]
    text: str
    warning: str | None


@dataclass(frozen=True)
class PointView:
    """One point of the curves of a column."""

    text: str
    #: Place on an axis, of moments and durations in seconds; null if the column has no order, and
    #: for a missing value.
    number: float | None
    #: null for a model that cannot be called, here and below.
    first: float | None
    second: float | None
    difference: float | None
    #: One standard deviation over the rows: model 1, model 2, difference.
    spread: tuple[float | None, ...]
    #: Share of the rows whose value is nearest to the point.
    support: float


@dataclass(frozen=True)
class IntervalView:
    """What the selected rule asks of a column: its text, and its ends on the axis, if any."""

    text: str
    low: float | None
    high: float | None


@dataclass(frozen=True)
class CurveView:
    """The partial dependence of both models on one column."""

    column: str
    position: int
    #: Whether lines connect the points; paired dots otherwise.
    ordered: bool
    moves: float
    apart: float | None
    rows: int
    interval: IntervalView | None
    points: tuple[PointView, ...]


@dataclass(frozen=True)
class IceView:
    """The curves of one row on one column: at the points of the `CurveView` of that column."""

    column: str
    position: int
    value: str
    first: tuple[float | None, ...]
    second: tuple[float | None, ...]
    difference: tuple[float | None, ...]
    outside: tuple[bool, ...]
    text: str


@dataclass(frozen=True)
class ReasonView:
    """What one column contributes to the scores of a row, as a surrogate tells."""

    column: str
    value: str
    #: Model 1, model 2, difference.
    klime: tuple[float, ...]
    loco: tuple[float, ...]


@dataclass(frozen=True)
class RowView:
    """One row, explained."""

    row: int
    scores: tuple[float, ...]
    score_texts: tuple[str, ...]
    cluster: int
    #: Model 1, model 2, difference, as the surrogates predict them.
    klime_baseline: tuple[float, ...]
    klime_predicted: tuple[float, ...]
    loco_baseline: tuple[float, ...]
    loco_predicted: tuple[float, ...]
    reasons: tuple[ReasonView, ...]
    text: str


@dataclass(frozen=True)
class ImportanceView:
    """How important a column is to the forest surrogates: model 1, model 2, difference."""

    column: str
    forest: tuple[float, ...]
    loco: tuple[float, ...]


@dataclass(frozen=True)
class TreeNodeView:
    """A node of a decision tree surrogate."""

    question: str | None
    yes: int | None
    no: int | None
    depth: int
    rows: int
    value: float
    text: str


@dataclass(frozen=True)
class TreeView:
    """A decision tree surrogate."""

    name: str
    what: str
    rmse: float
    r2: float | None
    n_fit: int
    n_aside: int
    fidelity: str
    rules: tuple[str, ...]
    nodes: tuple[TreeNodeView, ...]


@dataclass(frozen=True)
class ClusterView:
    """A local linear model of K-LIME: coefficients by feature, of standardised features."""

    name: str
    rows: int
    is_global: bool
    r2: tuple[float | None, ...]
    intercepts: tuple[float, ...]


@dataclass(frozen=True)
class KLimeView:
    """K-LIME: how many clusters, why so many, and what each is worth."""

    k: int
    chosen_by: Mapping[str, float]
    clusters: tuple[ClusterView, ...]


@dataclass(frozen=True)
class WhyView:
    """Both models explained side by side on some rows: the part that the front-end draws."""

    #: The conditions that the rows meet, as text.
    text: str
    #: What is explained of either model: "probability of yes".
    what: str
    note: str | None
    tolerance: float | None
    rows: int
    #: Why there are no curves; null if there can be.
    cannot: str | None
    #: Why one of the models has none.
    lacking: str | None
    curves: tuple[CurveView, ...]
    #: Names of the columns without curves so far, the one that matters most first.
    waiting: tuple[str, ...]
    #: Curves of the row, and its reason codes.
    ice: tuple[IceView, ...]
    row: RowView | None
    #: Of the surrogates that follow, and that the reason codes come from.
    fidelity: tuple[FidelityView, ...]
    #: By column, the one that matters most to the difference first; null until computed.
    importance: tuple[ImportanceView, ...] | None
    #: Decision trees of model 1, of model 2 and of the difference; null until computed.
    trees: tuple[TreeView, ...] | None


@dataclass(frozen=True)
class ExplanationView(WhyView):
    """An explanation, as far as it has been computed."""

    #: "all", "rule", "node" or "mask".
    selection: str
    #: Id of the node, or number of the rule.
    name: str | None
    names: tuple[str, str]
    #: First line: what is explained, on how many rows.
    title: str
    klime: KLimeView | None
