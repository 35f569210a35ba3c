"""What a view may read, as plain values ready for JSON. The same names stand in js/types.ts."""

from __future__ import annotations

from typing import Literal, TypedDict

from imd_widget._base.kinds import OutputKind
from imd_widget.comparison.summary import Tone
from imd_widget.rules.rule import Direction

Edge = Literal["yes", "no", "model1", "model2"]


class HeadlineView(TypedDict):
    """Sentences of the headline."""

    sentences: list[str]
    tone: Tone
    notes: list[str]


class OutputsView(TypedDict):
    """What the models speak of."""

    kind: OutputKind
    what: str
    differs: str | None
    low: float | None
    high: float | None
    low_text: str | None
    high_text: str | None
    weighted: bool


class RightView(TypedDict):
    """Rows by who is right."""

    both: float
    first: float
    second: float
    neither: float
    unknown: float
    errors: list[str] | None


class OptionsView(TypedDict):
    """What can be changed without asking the models again."""

    max_depth: int
    sensitivity: float | None
    tunable: bool


class BarsView(TypedDict):
    """How the rows at a split are spread over its column."""

    low: str
    high: str
    cut: int | None
    labels: list[str] | None
    same: list[int]
    differ: list[int]
    missing: list[int] | None


class NodeView(TypedDict):
    """One node of the joint tree."""

    id: str
    parent: str | None
    kind: Literal["split", "or", "leaf"]
    side: int
    edge: Edge | None
    depth: int
    condition: str | None
    column: str | None
    position: int | None
    bars: BarsView | None
    label: int | None
    said: str | None
    value: float | None
    purity: float | None
    spread: str | None
    rows: int
    differing: int
    rate: float | None
    counts: list[list[list[float]]]
    means: list[float] | None
    rules: list[int]
    region: bool


class ConditionView(TypedDict):
    """One condition, of however many rules; None where a language cannot name its column."""

    text: str
    column: str
    position: int
    query: str | None
    sql: str | None


class OutcomeView(TypedDict):
    """What the models say on a part of a rule's differing rows."""

    said: list[str]
    share: float


class RuleView(TypedDict):
    """One diff rule."""

    number: int
    node: str
    nodes: list[str]
    leaves: list[list[str]]
    outcomes: list[int] | None
    values: list[float] | None
    said: list[str]
    outcome_share: float
    others: list[OutcomeView]
    direction: Direction | None
    up: float | None
    down: float | None
    usual: list[str] | None
    conditions: list[int]
    shared: list[int]
    support: int
    differing: int
    rate: float | None
    coverage: float
    holdout_support: int
    holdout_differing: int
    holdout_rate: float | None
    right: RightView | None
    holdout_right: RightView | None


class MetricsView(TypedDict):
    """Measures of the whole diff."""

    n_rows: int
    n_differing: int
    disagreement: float
    precision: float
    recall: float
    f1: float
    n_rules: int
    n_predicates: int
    fidelity: list[float]
    on_holdout: bool
    measured_rows: int
    measured_differing: int
    measured_disagreement: float
    measured_claimed: int
    mean_difference: float | None


class RefinementView(TypedDict):
    """What refinement has done and can still do."""

    steps: int
    undoable: bool
    impure: int
    what: Literal["leaf", "region"]
    reason: str | None
    change: str | None
    added: list[str]
    prepared: int | None


class DiffView(TypedDict):
    """All that a view may read of a diff."""

    version: int
    names: list[str]
    classes: list[str]
    outputs: OutputsView
    options: OptionsView
    columns: list[str]
    headline: HeadlineView
    nodes: list[NodeView]
    conditions: list[ConditionView]
    rules: list[RuleView]
    metrics: MetricsView
    right: RightView | None
    refinement: RefinementView
    lacks: dict[str, str]
