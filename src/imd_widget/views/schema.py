"""The contract between Python and the front-end: every record that they exchange.

``js/protocol/schema.ts`` is generated from these dataclasses, and from those of other modules that
they contain, by ``python tools/generate_schema.py``: a class becomes an interface, a comment that
begins with ``#:``, or the entry of the section "Attributes", becomes the comment of a field.
`imd_widget._base.plain.to_json` writes a record, and `from_json` reads one. A message is a row of
`MESSAGES`; its handler is in `imd_widget.widget.handlers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_type_hints

from imd_widget._base.kinds import OutputKind
from imd_widget._base.plain import ABSENT, PYTHON_ONLY, Absent
from imd_widget.comparison.alternatives import Alternative
from imd_widget.comparison.by_groups import GroupRate, GroupRates
from imd_widget.comparison.crosstab import CrossTable
from imd_widget.comparison.growth import GrowthStep
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.rows import Role, RowsPage, Trace
from imd_widget.comparison.rule_histograms import RuleHistogram
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.comparison.stability import Stability
from imd_widget.comparison.summary import Headline
from imd_widget.explanations.schema import (
    InteractionsView,
    MapView,
    OneModelView,
    SmallestChangeView,
    WhatIfView,
    WhyView,
)
from imd_widget.many.figures import ModelScore, Skipped
from imd_widget.methods import MethodName
from imd_widget.outputs.interface import OutcomePair, RightView
from imd_widget.rules.rule import Direction

Record = TypeVar("Record")

#: Incremented whenever a field changes its meaning or is removed.
VERSION: Final = 4

#: Metadata of a field of a record that is left out where records are sent by columns.
NOT_PACKED: Final = {"packed": False}

#: The branch of its parent that a node is on.
Edge = Literal["yes", "no", "model1", "model2"]
#: Which model a node belongs to: 0 both (shared), 1 the first, 2 the second.
Side = Literal[0, 1, 2]
NodeKind = Literal["split", "or", "leaf"]
#: What one refinement step splits.
Refined = Literal["leaf", "region"]
#: Tabs of the panel.
Tab = Literal["Rules", "Rows", "Node", "Why"]
#: "auto" follows the host.
Theme = Literal["auto", "light", "dark"]
#: The direction in which the tree grows.
Orientation = Literal["right", "down"]
#: Sort key of the list of rules; "added": what each adds to those before it, their own order.
Order = Literal["added", "coverage", "rows", "rate"]
#: Order of the models in the matrix of more than two: by similarity, or as given.
MatrixOrder = Literal["similarity", "given"]
#: Kinds of message that the front-end can send.
MessageKind = Literal[
    "hello",
    "cancel",
    "refine",
    "undo",
    "change",
    "save",
    "trace",
    "rows",
    "csv",
    "histograms",
    "growth",
    "stability",
    "alternatives",
    "cohort",
    "explain",
    "interactions",
    "map",
    "what_if",
    "smallest_change",
    "pair",
]


# --- views ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeadlineView(Headline):
    """The headline, in sentences; together they are `d.summary()`."""

    #: For each of the last sentences that proposes another comparison: the options to change;
    #: none where the models would have to be called.
    advice: tuple[Change, ...] = ()


@dataclass(frozen=True)
class OutputsView:
    """The kind and scale of the two models' outputs."""

    kind: OutputKind
    #: The name of the output: "class", "probability of malignant", "value".
    what: str
    #: When a row counts as differing, in words: "more than 0.1 apart"; null for classes.
    differs: str | None
    #: The ends of the colour scale, as numbers and in words ("120k"); null for classes.
    low: float | None
    high: float | None
    low_text: str | None
    high_text: str | None
    #: Whether rows have weights; shares are then by weight.
    weighted: bool


@dataclass(frozen=True)
class OptionsView:
    """Options that can be changed without calling the models again."""

    max_depth: int
    #: null: chosen for the largest mean of F1 and Matthews' correlation.
    sensitivity: float | None
    #: Whether the method has a sensitivity, and takes a given model.
    tunable: bool
    #: The model whose outputs rules may use, or "margins"; null: they use the columns alone.
    given: Literal["m1", "m2", "margins"] | None
    #: Whether rules may use a score of each model.
    scores: bool
    #: Whether one split may separate several levels of a category.
    sets: bool
    #: Largest number of rules; null: no limit.
    max_rules: int | None
    #: How far two outputs may be apart and still count as the same; null for classes.
    tolerance: float | None
    #: Whether ``tolerance`` is a share of the larger output instead of a distance.
    relative: bool
    method: MethodName
    #: For the method of the paper: condition (5) with this number; null: condition (6).
    alpha: float | None


@dataclass(frozen=True)
class NodeView:
    """One node of the joint tree."""

    #: A path: stable through refinement. "r" root, then "y" / "n" for yes / no, "1" / "2" below an
    #: or-node.
    id: str
    parent: str | None
    kind: NodeKind
    side: Side
    #: null for the root.
    edge: Edge | None
    #: Number of conditions above the node.
    depth: int
    #: For a split: its condition, "age < 42". Rows for which it holds go to the "yes" child.
    condition: str | None
    #: For a split: the name of its column, and its position in the table, since names may repeat.
    column: str | None
    position: int | None
    #: For a split: histogram of that column over the rows of the node.
    bars: SplitHistogram | None
    #: For a leaf, if outputs are classes: the class that its surrogate predicts.
    label: int | None
    #: For a leaf: the prediction of its surrogate as text: a class name, "0.31", "310k".
    said: str | None
    #: For a leaf, if outputs are values or probabilities: the mean output of its model.
    value: float | None
    #: For a leaf, if outputs are classes: the share of its rows to which its model gives the label.
    purity: float | None
    #: For an impure leaf, if outputs are values or probabilities: "± 12k"; null if all outputs are
    #: near the mean.
    spread: str | None
    #: [class, rows, share by weight], most frequent first, at most 12: outputs of model 1, of model
    #: 2. Empty for values.
    counts: tuple[tuple[tuple[float, float, float], ...], tuple[tuple[float, float, float], ...]]
    #: For values and probabilities: mean output of model 1 and of model 2 at the node.
    means: tuple[float, float] | None
    #: Rows used to fit that reach the node, and those of them on which the models differ.
    rows: int
    differing: int
    #: The share that differs, by weight if rows have weights; null if no row reaches the node.
    rate: float | None
    #: Numbers of the rules at or below the node. Not sent: derived from the leaves of the rules.
    rules: tuple[int, ...] = field(metadata=NOT_PACKED)
    #: Whether the node with its whole subtree is one rule, or part of one.
    region: bool


@dataclass(frozen=True)
class ScoreView:
    """How a score that a condition is about is computed."""

    #: The constant, then the points of each column.
    lines: tuple[str, ...]
    #: What the score means, in one sentence.
    meaning: str


@dataclass(frozen=True)
class ConditionView:
    """One condition, which several rules may share."""

    text: str
    column: str
    #: Position of the column in the table.
    position: int
    #: The same for pandas and for SQL; null if the language cannot express it.
    query: str | None
    sql: str | None
    #: The word, or pair of words, that it looks for in texts.
    word: str | None = None
    #: The score that the condition is about.
    score: ScoreView | None = None


@dataclass(frozen=True)
class OutcomeView(OutcomePair):
    """An outcome pair of classes, by their numbers, and its share of a rule's differing rows."""

    outcomes: tuple[int, int]


@dataclass(frozen=True)
class RuleView:
    """One diff rule, or one rule of agreement."""

    #: Its index in `rules`: the diff rules come first, then the rules of agreement.
    number: int
    #: Id of the lowest node that holds the whole rule.
    node: str
    #: Nodes whose whole subtrees lie inside the rule; empty if it is a part of one subtree.
    nodes: tuple[str, ...]
    #: Leaf pairs (model 1, model 2) that make up the region.
    leaves: tuple[tuple[str, str], ...]
    #: The outcome pair of models 1 and 2, as classes; null for values.
    outcomes: tuple[int, int] | None
    #: The same as means, for values and probabilities; null for classes.
    values: tuple[float, float] | None
    #: The same as text.
    said: tuple[str, str]
    #: Share of its differing rows that have this outcome pair.
    outcome_share: float
    #: For classes: the next most frequent outcome pairs of its differing rows.
    others: tuple[OutcomeView, ...]
    #: Words before the outcome pairs in the title of the rule, such as "mostly"; empty if all its
    #: differing rows have the pair.
    title_before: str
    #: The outcome pairs that the title names: 0 is that of `outcomes` or `values`, 1 the first of
    #: `others`, and so on; none for a rule of agreement.
    title_pairs: tuple[int, ...]
    #: The sign or word between the outputs of the two models.
    title_link: str
    #: The text of a box of the tree after the first of these pairs: "either way" or "…".
    title_more: str | None
    #: For numbers: whether the output of model 2 is higher, or lower, on three quarters of its
    #: differing rows, or neither.
    direction: Direction | None
    #: For numbers: rows (by weight) on which the output of model 2 is higher, and lower, by more
    #: than the tolerance.
    up: float | None
    down: float | None
    #: For classes: the most frequent output of each model inside, over differing and other rows.
    usual: tuple[str, str] | None
    #: Indices into the view's conditions; a rule without any always holds.
    conditions: tuple[int, ...]
    #: Those of them that the path to the rule's node implies.
    shared: tuple[int, ...]
    #: Whether the models are predicted to agree inside.
    agrees: bool
    #: Rows used to fit inside the rule, and those of them on which the models differ.
    support: int
    differing: int
    #: differing / support, by weight if rows have weights; null if no row is inside.
    rate: float | None
    #: Share of all differing rows (used to fit) that are inside the rule; for a rule of agreement
    #: the share of all agreeing ones.
    coverage: float
    #: The same on the holdout; null if none of its rows is inside.
    holdout_support: int
    holdout_differing: int
    holdout_rate: float | None
    #: The rate on rows not used to fit; null if it was not measured.
    measured_rate: float | None
    #: Its 95 % interval; 0 to 1 if it is not known.
    interval: tuple[float, float]
    #: The rate to expect on new rows: the measured one or, without it, `rate` corrected for the
    #: choice of the rule on the rows used to fit; null if no row is inside.
    expected_rate: float | None
    #: Which model is right inside, and the same on the holdout; null without ground truth.
    right: RightView | None
    holdout_right: RightView | None
    #: The same on rows not used to fit, with the interval of the net; null if it is not known.
    correctness: RightView | None
    #: Whether the rows kept aside differ more often inside than outside beyond chance; null if that
    #: was not tested.
    confirmed: bool | None
    #: Its rows by the groups of the view's `by`, in the same order; null without it.
    by: tuple[GroupRate, ...] | None


@dataclass(frozen=True)
class RefinementView:
    """The refinement steps that were done, and those that are possible."""

    #: Refinement steps done.
    steps: int
    #: Whether the last step or change can be undone.
    undoable: bool
    #: Number of leaves or regions (see `what`) that one more step would split.
    impure: int
    what: Refined
    #: Ids of these leaves or regions.
    targets: tuple[str, ...]
    #: Why no further step is possible; null if one is.
    reason: str | None
    #: What the last step changed, as text; null at step 0.
    change: str | None
    #: Ids of nodes that the last step added.
    added: tuple[str, ...]
    #: For each rule before the last step: its number now, -1 if it is gone. Empty at step 0.
    kept: tuple[int, ...]
    #: On a page: the number of steps that it holds; null in a widget, which computes them.
    prepared: int | None


@dataclass(frozen=True)
class ViewParts:
    """The fields of a view; its lists of records have two forms."""

    version: Literal[4]
    #: The user's names of the two models.
    names: tuple[str, str]
    #: Names of the classes; everywhere else a class is its index here. Empty for other outputs.
    classes: tuple[str, ...]
    outputs: OutputsView
    options: OptionsView
    #: Names of the table's columns.
    columns: tuple[str, ...]
    headline: HeadlineView
    nodes: Any
    conditions: Any
    rules: Any
    metrics: Metrics
    #: Which model is right, over all rows; null without ground truth.
    right: RightView | None
    refinement: RefinementView
    #: For classes: the rows by the outputs of both models; null for numbers, and in older files.
    crosstab: CrossTable | None
    #: Whom the differences hit; null if no grouping was given.
    by: GroupRates | None
    #: Which of the two is the ground truth and no model, as in error analysis; 0 for neither.
    truth: Side
    #: Kinds of message that cannot be answered here, with the reason.
    lacks: Mapping[MessageKind, str]


@dataclass(frozen=True)
class DiffView(ViewParts):
    """All that the front-end and plots may read of a diff; `d.to_dict()`."""

    #: Pre-order, root first, "yes" before "no", model 1 before model 2.
    nodes: tuple[NodeView, ...]
    #: Each condition once; rules refer to them by index.
    conditions: tuple[ConditionView, ...]
    rules: tuple[RuleView, ...]


@dataclass(frozen=True)
class Columns(Generic[Record]):
    """A list of records by columns: one list per field, null if every record has null."""

    count: int
    fields: Mapping[str, list[Any] | None]


@dataclass(frozen=True)
class PackedView(ViewParts):
    """A view as it is sent to the widget and stored in a page."""

    nodes: Columns[NodeView]
    conditions: Columns[ConditionView]
    rules: Columns[RuleView]


@dataclass(frozen=True)
class OneNodeView:
    """One node of a tree that is drawn by itself."""

    #: A path: "r" root, then "y" / "n" for yes / no.
    id: str
    parent: str | None
    kind: Literal["split", "leaf"]
    edge: Literal["yes", "no"] | None
    depth: int
    #: For a split: its question, "age < 42", and the name of its column.
    condition: str | None
    column: str | None
    #: The class that is predicted here; null for numbers.
    label: int | None
    #: The prediction as text.
    said: str
    #: The number that is predicted here; null for classes.
    value: float | None
    #: The probability of the class; null for numbers.
    purity: float | None
    rows: int
    #: What holds for the rows that reach the node, as text.
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class OneTreeView:
    """A tree that is drawn by itself: a surrogate of one model, or the tree of a learner."""

    version: Literal[1]
    title: str
    sentences: tuple[str, ...]
    #: Whether the sentences are a warning.
    careful: bool
    classes: tuple[str, ...]
    outputs: OutputsView
    #: Pre-order, root first, "yes" before "no".
    nodes: tuple[OneNodeView, ...]


# --- a track --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PeriodView:
    """A region in one period."""

    #: Share of the rows that differ, and its 95 % interval; null if they are not known.
    rate: float | None
    interval: tuple[float, float] | None
    #: Whether the rate or the net changed beyond chance, compared with the first period.
    changed: bool
    #: All figures as text.
    text: str


@dataclass(frozen=True)
class RegionView:
    """A rule, what lies outside all rules, or all rows, over the periods."""

    name: str
    #: The conditions of a rule; "" for the others.
    conditions: str
    #: "no change", "grew in July".
    verdict: str
    #: The share at the upper edge of the chart.
    top: float
    periods: tuple[PeriodView, ...]


@dataclass(frozen=True)
class TrackView:
    """The rules of one diff over several periods."""

    version: Literal[1]
    title: str
    sentences: tuple[str, ...]
    periods: tuple[str, ...]
    regions: tuple[RegionView, ...]


# --- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageRows:
    """Rows stored in a page, which filters, sorts and traces them itself."""

    #: Rows of the whole table.
    total: int
    #: The two outputs, the ground truth if given, their distance if they are numbers, then the
    #: columns of the table.
    columns: tuple[str, ...]
    roles: tuple[Role, ...]
    #: How many of these are not columns of the table.
    lead: int
    positions: tuple[int, ...]
    labels: tuple[str, ...]
    #: As they are shown: numbers are rounded and long texts are cut.
    cells: tuple[tuple[str, ...], ...]
    #: Row, column and text of the cells that are shown rounded or cut; files hold these.
    whole: tuple[tuple[int, int, str], ...]
    #: Number of texts that the page itself holds cut, as they are very long.
    cut: int
    #: By column, then by row: the rank of the row's value in the column; -1 if it is missing.
    ranks: tuple[tuple[int, ...], ...]
    differs: tuple[bool, ...]
    #: For each row: the outputs of both models as text.
    said: tuple[tuple[str, str], ...]
    #: For each step, for each row: the two leaves that it reaches.
    leaves: tuple[tuple[tuple[str, str], ...], ...]
    #: For each step: pairs of leaves, the number of rows of the whole table that reach both, and
    #: the number of these that differ.
    sizes: tuple[tuple[tuple[str, str, int, int], ...], ...]


@dataclass(frozen=True)
class PageAnswer:
    """What a page answers to a request to explain some rows: an explanation, or why not."""

    #: Numbers of the rules whose rows they are; empty for all rows.
    rules: tuple[int, ...]
    #: Ids of the nodes that have the same rows; "" for none selected.
    nodes: tuple[str, ...]
    why: WhyView | None
    error: str | None
    #: Position of the row that it is about; null for all of them.
    row: int | None = None


@dataclass(frozen=True)
class PageWhy:
    """Explanations stored in a page: of all rows, and of rules of the step shown first."""

    answers: tuple[PageAnswer, ...]
    #: Which there are, and where others can be had, as sentences.
    other: str


@dataclass(frozen=True)
class PageContents:
    """The data from which a page answers messages."""

    #: The views after each refinement step, and the index of the one shown first.
    steps: tuple[PackedView, ...]
    at: int
    rows: PageRows | None
    #: null if none were requested.
    why: PageWhy | None
    #: How the tree of the step shown first grows; null if the page does not hold it.
    growth: tuple[GrowthStep, ...] | None = None


@dataclass(frozen=True)
class ModelPage:
    """The data of a page of one model."""

    model: OneModelView
    why: PageWhy


# --- more than two models -------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparisonView:
    """More than two models: which of them differ, and how much."""

    #: In the order given.
    names: tuple[str, ...]
    #: Numbers of the models by similarity: average linkage, optimal leaf order.
    order: tuple[int, ...]
    outputs: OutputKind
    #: When two outputs differ, in words: "more than 0.1 apart"; null for classes.
    differs: str | None
    #: Whether rows have weights; shares and scores are then by weight.
    weighted: bool
    #: Rows of the table that count.
    n_rows: int
    #: Share of the rows, by weight, on which i and j differ; symmetric, 0 on the diagonal.
    shares: tuple[tuple[float, ...], ...]
    #: Number of rows on which they differ.
    rows: tuple[tuple[int, ...], ...]
    #: The text below the matrix.
    sentences: tuple[str, ...]
    #: With the ground truth, by model; null without.
    scores: tuple[ModelScore, ...] | None
    #: "accuracy", "mean absolute error".
    score_name: str | None
    #: With the ground truth: number of rows that model i gets wrong and model j right.
    fixes: tuple[tuple[int, ...], ...] | None
    #: With the ground truth: whether models i and j have different scores beyond what chance
    #: explains; null if that is not known.
    apart: tuple[tuple[bool, ...], ...] | None
    skipped: tuple[Skipped, ...]
    #: Pairs [i, j] that can be opened, model i first; null: every pair. A cell opens its pair in
    #: either order if only one can be opened.
    openable: tuple[tuple[int, int], ...] | None
    #: Why another pair cannot be opened; "" if all can.
    why_not: str


# --- state: the widget's traits -------------------------------------------------------------------


@dataclass(frozen=True)
class Filters:
    """Which rules are listed, and in what order."""

    text: str | Absent = ABSENT
    #: The name of a column; "" for any.
    column: str | Absent = ABSENT
    #: An outcome pair: two class numbers, "0,1"; for values "higher", "lower" or "either way"; ""
    #: for any.
    outcome: str | Absent = ABSENT
    order: Order | Absent = ABSENT


@dataclass(frozen=True)
class PageState:
    """Traits that a saved page restores, so that it opens in the state of the widget."""

    #: Id of the selected node, "" for none.
    selected_node: str
    #: Numbers of the selected rules.
    selected_rules: tuple[int, ...]
    #: The path of the traced row; null for none.
    traced: Trace | None
    orientation: Orientation
    tab: Tab
    #: Whether subtrees without a rule are folded.
    differences_only: bool
    #: Nodes that the user folded (true) or unfolded (false), by id; these take precedence.
    folds: Mapping[str, bool]
    filters: Filters
    #: null until it is measured.
    stability: Stability | None


@dataclass(frozen=True)
class Traits(PageState):
    """The widget's traits but for the view."""

    theme: Theme
    #: Pixels; null: as high as the content needs, within limits.
    height: int | None


@dataclass(frozen=True)
class WidgetState(Traits):
    """All synchronised traits, by name."""

    view: PackedView


@dataclass(frozen=True)
class ComparisonTraits:
    """The further traits of a widget of more than two models; the others are of the open pair."""

    comparison: ComparisonView
    #: Numbers of the two models whose diff is shown, model 1 first; [] for none.
    pair: tuple[int, ...]
    matrix_order: MatrixOrder


@dataclass(frozen=True)
class ComparisonPage(ComparisonTraits):
    """The data of a saved page of more than two models."""

    theme: Theme
    height: int
    #: By the numbers of the two models, model 1 first, "0,2": the data of a page of their diff,
    #: which are `PageContents` and the traits that it restores.
    pairs: Mapping[str, Mapping[str, Any]]


# --- messages -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Identified:
    """Every message has an id, which its answer repeats."""

    id: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """Base of requests; fields that requests of older front-ends may lack have a default."""

    id: Any = field(default="", metadata=PYTHON_ONLY)


@dataclass(frozen=True, kw_only=True)
class HelloRequest(Request):
    """Checks that the kernel runs and is idle."""

    kind: Literal["hello"]


@dataclass(frozen=True, kw_only=True)
class CancelRequest(Request):
    """Cancels another message, which is answered with an error; this one has no answer."""

    kind: Literal["cancel"]
    #: The id of the message to cancel.
    of: str


@dataclass(frozen=True, kw_only=True)
class RefineRequest(Request):
    """Requests one refinement step."""

    kind: Literal["refine"]


@dataclass(frozen=True, kw_only=True)
class UndoRequest(Request):
    """Undoes the last step or change."""

    kind: Literal["undo"]


@dataclass(frozen=True, kw_only=True)
class SaveRequest(Request):
    """Requests the diff that is shown as an HTML page."""

    kind: Literal["save"]


@dataclass(frozen=True)
class Change:
    """Options for another comparison; omitted ones keep their values. `ModelDiff.change` checks."""

    max_depth: float | Absent = ABSENT
    #: null: chosen for the largest mean of F1 and Matthews' correlation.
    sensitivity: float | Absent | None = ABSENT
    #: The model whose outputs rules may use; "auto" chooses the better one.
    given: Literal["m1", "m2", "auto", "margins", "nothing"] | Absent = ABSENT
    #: Whether rules may use a score of each model.
    scores: bool | Absent = ABSENT
    #: Whether one split may separate several levels of a category.
    sets: bool | Absent = ABSENT
    #: null: no limit.
    max_rules: float | Absent | None = ABSENT
    #: A number, or a share of the larger output, "10 %".
    tolerance: float | str | Absent = ABSENT
    method: MethodName | Absent = ABSENT
    #: Condition (5) of the paper; null: condition (6).
    alpha: float | Absent | None = ABSENT


@dataclass(frozen=True, kw_only=True)
class ChangeRequest(Request):
    """Requests the diff with other options."""

    kind: Literal["change"]
    options: Change = Change()


@dataclass(frozen=True, kw_only=True)
class TraceRequest(Request):
    """Requests the path of a row, which arrives in the trait `traced`."""

    kind: Literal["trace"]
    #: Its position in the table.
    row: int


@dataclass(frozen=True)
class Sort:
    """Sort key of rows."""

    #: Index into the columns of the rows.
    column: int
    descending: bool


@dataclass(frozen=True, kw_only=True)
class Selection(Request):
    """Rows of the table: those of some rules, else those that reach a node."""

    rules: tuple[int, ...] = ()
    #: Id of a node, "" for none.
    node: str = ""


@dataclass(frozen=True, kw_only=True)
class SortedSelection(Selection):
    """The same in an order; without rules and node, the rows inside any rule."""

    sort: Sort | None = None
    #: Whether to return only rows on which the models differ.
    differing: bool = False


@dataclass(frozen=True, kw_only=True)
class RowsRequest(SortedSelection):
    """Requests one page of the rows of a selection."""

    kind: Literal["rows"]
    start: int = 0
    count: int = 50


@dataclass(frozen=True, kw_only=True)
class CsvRequest(SortedSelection):
    """Requests the rows of a selection as CSV."""

    kind: Literal["csv"]


@dataclass(frozen=True, kw_only=True)
class HistogramsRequest(Request):
    """Requests histograms of the columns of some rules."""

    kind: Literal["histograms"]
    rules: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GrowthRequest(Request):
    """Requests how the joint tree grows."""

    kind: Literal["growth"]


@dataclass(frozen=True, kw_only=True)
class StabilityRequest(Request):
    """Requests the stability of the rules, which arrives in the trait `stability`."""

    kind: Literal["stability"]


@dataclass(frozen=True, kw_only=True)
class AlternativesRequest(Request):
    """Requests what else rules may use, and how much they then explain."""

    kind: Literal["alternatives"]


@dataclass(frozen=True, kw_only=True)
class CohortRequest(Request):
    """Requests the figures of a cohort of the user's own."""

    kind: Literal["cohort"]
    #: As for ``DataFrame.query``: age < 30 and job == 'nurse'.
    condition: str = ""


@dataclass(frozen=True, kw_only=True)
class ExplainRequest(Selection):
    """Requests why the models differ on the rows of a selection; all rows without one."""

    kind: Literal["explain"]
    #: Position of a row among them that is explained by itself too; null for none.
    row: int | None = None
    #: Whether the curves of all columns are wanted, not only the first ones.
    more: bool = False
    #: Whether importance and decision trees are wanted too.
    surrogates: bool = False
    #: Whether curves are wanted, and the reason codes of the row. Without them the answer has the
    #: contributions and the conditions of the rule, which come first.
    curves: bool = True
    #: Rows that each model is called with at most for contributions; more make them more precise.
    max_calls: int = 50_000


@dataclass(frozen=True, kw_only=True)
class InteractionsRequest(Selection):
    """Requests the pairs of columns that interact most in the difference."""

    kind: Literal["interactions"]


@dataclass(frozen=True, kw_only=True)
class MapRequest(Selection):
    """Requests the difference over two columns, given by their positions in the table."""

    kind: Literal["map"]
    columns: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class WhatIfRequest(Request):
    """Requests what both models give for a row with some other values."""

    kind: Literal["what_if"]
    #: Its position in the table.
    row: int
    #: The other values as text, by the position of their column: {"3": "40"}; null: missing.
    values: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SmallestChangeRequest(Request):
    """Requests the smallest change after which models agree, or one gives another output."""

    kind: Literal["smallest_change"]
    row: int


@dataclass(frozen=True, kw_only=True)
class PairRequest(Request):
    """Opens the diff of two of more than two models; the first is model 1."""

    kind: Literal["pair"]
    pair: tuple[int, int]


@dataclass(frozen=True)
class Progress:
    """Sent while a message is worked on, with its id; its answer follows."""

    progress: ProgressView


@dataclass(frozen=True)
class ProgressView:
    """How much of the work is done."""

    done: int
    total: int


@dataclass(frozen=True)
class Refusal:
    """Why a message failed."""

    error: str


@dataclass(frozen=True)
class Done:
    """An answer without fields: changes arrive in the traits."""


@dataclass(frozen=True)
class SaveAnswer:
    """The text of an HTML file."""

    page: str


@dataclass(frozen=True)
class RowsAnswer:
    """One page of rows."""

    rows: RowsPage


@dataclass(frozen=True)
class CsvAnswer:
    """The text of a CSV file."""

    csv: str


@dataclass(frozen=True)
class HistogramsAnswer:
    """One histogram for each column of the rules."""

    histograms: tuple[RuleHistogram, ...]


@dataclass(frozen=True)
class GrowthAnswer:
    """One step for each node that is not a leaf, level by level."""

    steps: tuple[GrowthStep, ...]


@dataclass(frozen=True)
class AlternativesAnswer:
    """What rules may use, and how much they then explain."""

    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class CohortView:
    """The figures of a cohort, to be read beside those of the rules."""

    condition: str
    rows: int
    differing: int
    rate: float | None
    interval: tuple[float, float]
    #: Share of all differing rows that are inside.
    coverage: float
    #: Rate of the rows outside.
    outside_rate: float | None
    #: The most frequent outcome pairs of its differing rows, for classes.
    outcomes: tuple[OutcomeView, ...]
    right: RightView | None


@dataclass(frozen=True)
class CohortAnswer:
    """The figures of a cohort."""

    cohort: CohortView


@dataclass(frozen=True)
class ExplainAnswer:
    """Why the models differ on some rows."""

    why: WhyView


@dataclass(frozen=True)
class InteractionsAnswer:
    """The strongest pairs of columns."""

    interactions: InteractionsView


@dataclass(frozen=True)
class MapAnswer:
    """The difference over two columns."""

    map: MapView


@dataclass(frozen=True)
class WhatIfAnswer:
    """What both models give for an edited row."""

    what_if: WhatIfView


@dataclass(frozen=True)
class SmallestChangeAnswer:
    """The smallest change after which models agree, or one gives another output."""

    change: SmallestChangeView


@dataclass(frozen=True)
class MessageSpec:
    """One kind of message."""

    #: The fields of the message and of its answer, both without the id.
    request: type[Any]
    answer: type[Any] = Done
    #: Whether handling it changes traits.
    changes: bool = False
    #: Whether a button of the toolbar sends it, which shows that the kernel works on it.
    button: bool = False
    #: Whether it needs the rows of the table, which a loaded diff does not have.
    needs_rows: bool = False
    #: Why a saved page cannot answer it; None if it can.
    off_page: str | None = None

    @property
    def kind(self) -> MessageKind:
        """The kind, from the annotation of the request."""
        [kind] = get_args(get_type_hints(self.request)["kind"])
        known: MessageKind = kind
        return known


_NO_CHANGE = "Depth and sensitivity can be changed in the notebook only."
_NO_SAVE = "This page is the saved file: copy it."
_NO_COHORT = "Your own cohorts can be measured in the notebook only."
_NO_STABILITY = "Stability can be measured in the notebook only."
_NO_ALTERNATIVES = "Alternatives can be compared in the notebook only."
_NO_WHY = (
    'This page was saved without explanations. d.save("diff.html", explain=True) includes them.'
)
_NO_MODELS = "A saved page cannot call the models: compute this in the notebook."
_NO_HISTOGRAMS = "These histograms are available in the notebook only."

#: All kinds of message. A new kind needs a line here and a handler in widget/handlers.py.
MESSAGES: Mapping[MessageKind, MessageSpec] = {
    message.kind: message
    for message in (
        MessageSpec(HelloRequest),
        MessageSpec(CancelRequest),
        MessageSpec(RefineRequest, changes=True, button=True, needs_rows=True),
        MessageSpec(UndoRequest, changes=True, button=True),
        MessageSpec(ChangeRequest, changes=True, button=True, needs_rows=True, off_page=_NO_CHANGE),
        MessageSpec(SaveRequest, SaveAnswer, button=True, off_page=_NO_SAVE),
        MessageSpec(TraceRequest, changes=True, needs_rows=True),
        MessageSpec(RowsRequest, RowsAnswer, needs_rows=True),
        MessageSpec(CsvRequest, CsvAnswer, button=True, needs_rows=True),
        MessageSpec(HistogramsRequest, HistogramsAnswer, needs_rows=True, off_page=_NO_HISTOGRAMS),
        MessageSpec(GrowthRequest, GrowthAnswer, button=True, needs_rows=True),
        MessageSpec(
            StabilityRequest, changes=True, button=True, needs_rows=True, off_page=_NO_STABILITY
        ),
        MessageSpec(
            AlternativesRequest,
            AlternativesAnswer,
            button=True,
            needs_rows=True,
            off_page=_NO_ALTERNATIVES,
        ),
        MessageSpec(CohortRequest, CohortAnswer, button=True, needs_rows=True, off_page=_NO_COHORT),
        MessageSpec(ExplainRequest, ExplainAnswer, needs_rows=True, off_page=_NO_WHY),
        MessageSpec(InteractionsRequest, InteractionsAnswer, needs_rows=True, off_page=_NO_MODELS),
        MessageSpec(MapRequest, MapAnswer, needs_rows=True, off_page=_NO_MODELS),
        MessageSpec(WhatIfRequest, WhatIfAnswer, needs_rows=True, off_page=_NO_MODELS),
        MessageSpec(
            SmallestChangeRequest, SmallestChangeAnswer, needs_rows=True, off_page=_NO_MODELS
        ),
        MessageSpec(PairRequest, changes=True, button=True),
    )
}
