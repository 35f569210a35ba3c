"""Records of an explanation, for whatever draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: How a value is edited: as a number, as one of some choices, or as any text; "fixed": not at all.
FieldKind = Literal["number", "choice", "text", "fixed"]


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
    """The condition of the selected rule on a column: its text and its ends on the axis."""

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
    """What one column contributes to the scores of a row, according to a surrogate."""

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
class ContributionView:
    """What one column, or several together, contributes to the scores and to the gap."""

    #: Its name; "18 other columns" for the rest.
    column: str
    #: Position in the table; null for several columns together.
    position: int | None
    first: float
    second: float
    #: ``first - second``, and its standard error; null for the rest, which has none.
    difference: float
    error: float | None
    #: The difference and its standard error as text: "-0.43", "0.01". If contributions average
    #: out, the text is that of the third ``size``.
    text: str
    error_text: str | None
    #: Mean absolute contribution to model 1's score, to model 2's and to the difference.
    size: tuple[float, ...]
    #: For one row: the value that it has in the column, as text; null otherwise.
    value: str | None = None
    #: ``first``, ``second`` and ``difference`` as they are printed: rounded so that they add up.
    printed: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ContributionsView:
    """Shapley contributions of the columns: they add up to the gap exactly.

    ``base_gap`` plus the differences of all ``columns`` and of ``others`` is ``gap``; the same
    holds for either model with its ``base`` and its ``level``.
    """

    #: Mean score of either model on the background rows: where the contributions begin.
    base: tuple[float, float]
    #: Mean score of either model on the rows explained: where they end.
    level: tuple[float, float]
    level_texts: tuple[str, str]
    gap: float
    base_gap: float
    gap_text: str
    base_text: str
    #: Whether all rows are explained. Contributions to the scores of all rows average out, so the
    #: ``size`` of each column is drawn, and the columns are ordered by it.
    averages_out: bool
    #: The one that contributes most to the gap first.
    columns: tuple[ContributionView, ...]
    #: The remaining columns together; null if there are none.
    others: ContributionView | None
    #: "RF gives a probability of 1 that is 0.51 higher than LR's on these rows: 0.94 and 0.42."
    sentence: str
    #: The sum in words: "LR − RF = −0.51 = -0.02 on average over all rows - 0.10 from ...".
    total: str
    #: Sentences about columns that one model uses and the other does not.
    unused: tuple[str, ...]
    #: Rows whose contributions are averaged, of how many, and rows that each model was called with.
    rows: int
    of_rows: int
    asked: int
    #: The same in words.
    note: str
    #: Decimals of all figures that are printed.
    decimals: int = 2
    #: ``base`` and ``base_gap``, ``level`` and ``gap`` as they are printed.
    printed_base: tuple[float, float, float] = (0.0, 0.0, 0.0)
    printed_level: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class CounterfactualView:
    """One condition of the selected rule or node: what if it did not hold?

    Both models' curves over all values of the column, on the rows of the rule.
    """

    column: str
    position: int
    #: The condition as text: "race is Unknown".
    text: str
    curve: CurveView
    #: For each point of the curve: whether the condition holds there.
    inside: tuple[bool, ...]
    #: Number of the point that the sentence is about; null if no point lies outside.
    at: int | None
    #: Gap on the rows as they are, and at that point.
    gap: float
    gap_there: float | None
    #: "If race were White, the gap would be −0.02 instead of −0.46."
    sentence: str | None


@dataclass(frozen=True)
class PairView:
    """Two columns and how much they interact in the difference of the models."""

    columns: tuple[str, str]
    positions: tuple[int, int]
    #: Mean absolute interaction: of the difference, of model 1, of model 2, in units of the score.
    strength: float
    first: float
    second: float
    error: float
    text: str


@dataclass(frozen=True)
class InteractionsView:
    """The strongest interactions of the difference."""

    pairs: tuple[PairView, ...]
    asked: int
    note: str


@dataclass(frozen=True)
class AxisView:
    """One axis of a map: the values of a column."""

    column: str
    position: int
    ordered: bool
    texts: tuple[str, ...]
    numbers: tuple[float | None, ...]
    #: For each value: whether the condition of the rule on this column holds; all true without one.
    inside: tuple[bool, ...]


@dataclass(frozen=True)
class MapView:
    """The difference of the models over two columns, on average over the rows explained."""

    x: AxisView
    y: AxisView
    #: By value of ``y``, then by value of ``x``.
    first: tuple[tuple[float, ...], ...]
    second: tuple[tuple[float, ...], ...]
    difference: tuple[tuple[float, ...], ...]
    #: Share of all rows that lie nearest to each cell.
    support: tuple[tuple[float, ...], ...]
    rows: int
    text: str


@dataclass(frozen=True)
class FieldView:
    """One column of a row that can be edited."""

    column: str
    position: int
    #: The value in the table, and the one that is shown, as text that can be sent back.
    original: str
    value: str
    changed: bool
    kind: FieldKind
    #: The most frequent values of the column; a text may have others.
    choices: tuple[str, ...]
    #: Numbers only: the least and the greatest value of the column.
    low: float | None
    high: float | None


@dataclass(frozen=True)
class WhatIfView:
    """A row with some other values: what both models give for it."""

    row: int
    label: str
    fields: tuple[FieldView, ...]
    #: Outputs of the models as text, for the row of the table and for the edited one.
    said_before: tuple[str, ...]
    said: tuple[str, ...]
    #: The scores that are explained (see ``what``), in the same way.
    what: str
    scores_before: tuple[float, ...]
    scores: tuple[float, ...]
    score_texts_before: tuple[str, ...]
    score_texts: tuple[str, ...]
    differs_before: bool
    differs: bool
    #: Ids of the nodes on the paths of the edited row through both surrogates; its rules.
    nodes: tuple[str, ...]
    rules: tuple[int, ...]
    contributions: ContributionsView | None
    #: What the change does, in words.
    text: str


@dataclass(frozen=True)
class SmallestChangeView:
    """The smallest change of a row after which models agree, or one gives another output."""

    found: bool
    #: The row with this change; null if none was found.
    what_if: WhatIfView | None
    #: "The models agree if age is 40 instead of 71."
    text: str
    asked: int


@dataclass(frozen=True)
class RankedView:
    """Predictions of one model and of the linear models that imitate it, the lowest first.

    Each point is a row of the table; in a page without rows it is the mean of some.
    """

    #: Positions of the rows in the table; empty if the points are means.
    rows: tuple[int, ...]
    labels: tuple[str, ...]
    model: tuple[float, ...]
    global_model: tuple[float, ...]
    local_models: tuple[float, ...]
    #: null without y.
    truth: tuple[float, ...] | None
    #: Number of rows of each point.
    each: int


@dataclass(frozen=True)
class LinearView:
    """One linear model of K-LIME that imitates one model."""

    #: "global", "cluster 1".
    name: str
    rows: int
    #: On rows kept aside; null for too few of them, or if the score hardly varies there.
    r2: float | None
    intercept: float
    #: By feature, per standard deviation.
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class ShareView:
    """How much of the squared error a column, or two on one path, reduce in a decision tree."""

    columns: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class ImitationView:
    """What imitates one model: linear models, and the columns of its decision tree."""

    #: Names of the features of the linear models.
    features: tuple[str, ...]
    linear: tuple[LinearView, ...]
    ranked: RankedView
    tree_columns: tuple[ShareView, ...]
    tree_pairs: tuple[ShareView, ...]


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
    #: Why the models differ on these rows, column by column; null until computed, or if a model
    #: cannot be called.
    contributions: ContributionsView | None
    #: What if the rule did not hold: one for each of its conditions on a column.
    conditions: tuple[CounterfactualView, ...]
    #: Contributions to the scores of the row; null without one.
    row_contributions: ContributionsView | None
    #: Of one model that is explained by itself; null until computed, and for two models.
    imitation: ImitationView | None = None


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True)
class OneModelView:
    """One model that is explained by itself: what a widget or a page begins with."""

    version: Literal[1]
    name: str
    #: "RF: probability of yes on 569 rows (all rows)."
    title: str
    #: Number of rows of the table.
    n_rows: int
    #: Positions and labels of the rows that a page holds; null in a notebook, where any can be had.
    rows: tuple[int, ...] | None = None
    labels: tuple[str, ...] = ()
    #: Why messages of some kinds cannot be answered, by kind.
    lacks: Mapping[str, str] = field(default_factory=dict)
