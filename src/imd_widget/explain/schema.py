"""Plain values of an explanation, for whatever draws it: JSON and nothing else."""

from __future__ import annotations

from typing import TypedDict


class FidelityView(TypedDict):
    """How well a technique imitates the models on rows kept aside."""

    technique: str
    #: null for a target that hardly varies, here and below: it has no R².
    r2: list[float | None]
    rmse: list[float]
    text: str
    warning: str | None


class PointView(TypedDict):
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
    spread: list[float | None]
    #: Share of the rows whose value is nearest to the point.
    support: float


class IntervalView(TypedDict):
    """What the selected rule asks of a column: its text, and its ends on the axis, if any."""

    text: str
    low: float | None
    high: float | None


class CurveView(TypedDict):
    """The partial dependence of both models on one column."""

    column: str
    position: int
    #: Whether lines connect the points; paired dots otherwise.
    ordered: bool
    moves: float
    apart: float | None
    rows: int
    interval: IntervalView | None
    points: list[PointView]


class IceView(TypedDict):
    """The curves of one row on one column: at the points of the `CurveView` of that column."""

    column: str
    position: int
    value: str
    first: list[float | None]
    second: list[float | None]
    difference: list[float | None]
    outside: list[bool]
    text: str


class ReasonView(TypedDict):
    """What one column contributes to the scores of a row, as a surrogate tells."""

    column: str
    value: str
    #: Model 1, model 2, difference.
    klime: list[float]
    loco: list[float]


class RowView(TypedDict):
    """One row, explained."""

    row: int
    scores: list[float]
    score_texts: list[str]
    cluster: int
    #: Model 1, model 2, difference, as the surrogates predict them.
    klime_baseline: list[float]
    klime_predicted: list[float]
    loco_baseline: list[float]
    loco_predicted: list[float]
    reasons: list[ReasonView]
    text: str


class ImportanceView(TypedDict):
    """How important a column is to the forest surrogates: model 1, model 2, difference."""

    column: str
    forest: list[float]
    loco: list[float]


class TreeNodeView(TypedDict):
    """A node of a decision tree surrogate."""

    question: str | None
    yes: int | None
    no: int | None
    depth: int
    rows: int
    value: float
    text: str


class TreeView(TypedDict):
    """A decision tree surrogate."""

    name: str
    what: str
    rmse: float
    r2: float | None
    n_fit: int
    n_aside: int
    fidelity: str
    rules: list[str]
    nodes: list[TreeNodeView]


class ClusterView(TypedDict):
    """A local linear model of K-LIME: coefficients by feature, of standardised features."""

    name: str
    rows: int
    is_global: bool
    r2: list[float | None]
    intercepts: list[float]


class KLimeView(TypedDict):
    """K-LIME: how many clusters, why so many, and what each is worth."""

    k: int
    chosen_by: dict[str, float]
    clusters: list[ClusterView]


class ExplanationView(TypedDict):
    """An explanation, as far as it has been computed."""

    #: "all", "rule", "node" or "mask".
    selection: str
    #: Id of the node, or number of the rule.
    name: str | None
    text: str
    names: list[str]
    what: str
    note: str | None
    tolerance: float | None
    rows: int
    #: First line: what is explained, on how many rows.
    title: str
    #: Why there are no curves; None if there can be.
    cannot: str | None
    #: Why one of the models has none.
    lacking: str | None
    curves: list[CurveView]
    #: Names of the columns without curves so far, the one that matters most first.
    waiting: list[str]
    ice: list[IceView]
    row: RowView | None
    #: Of the surrogates that were asked for; what follows is None until it was.
    fidelity: list[FidelityView]
    importance: list[ImportanceView] | None
    trees: list[TreeView] | None
    klime: KLimeView | None
