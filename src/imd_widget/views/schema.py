"""The contract between Python and the front-end: every value they exchange, as plain JSON.

``js/protocol/schema.ts`` is generated from this module, and from the classes of
`imd_widget.explain.schema` that it imports, by ``python tools/generate_schema.py``: a
class becomes an interface, a comment that begins with ``#:`` becomes the comment of the field below
it. A message is a row of `MESSAGES`; its handler is in `imd_widget.widget.handlers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NotRequired,
    TypedDict,
    TypeVar,
    get_args,
    get_type_hints,
)

from imd_widget._base.kinds import OutputKind
from imd_widget.comparison.summary import Tone
from imd_widget.explain.schema import (
    CurveView,
    FidelityView,
    IceView,
    ImportanceView,
    IntervalView,  # noqa: F401 part of CurveView, and written to schema.ts with it
    PointView,  # noqa: F401 likewise
    ReasonView,  # noqa: F401 part of RowView
    RowView,
    TreeNodeView,  # noqa: F401 part of TreeView
    TreeView,
)
from imd_widget.rules.rule import Direction

Value = TypeVar("Value")
Record = TypeVar("Record")


@dataclass(frozen=True)
class Length:
    """The number of items of a list; JSON has no tuples."""

    items: int


Pair = Annotated[list[Value], Length(2)]
Triple = Annotated[list[Value], Length(3)]

#: Incremented whenever a field changes its meaning or is removed.
VERSION: Final = 4

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
    "stability",
    "cohort",
    "explain",
    "pair",
]
#: What a listed column of rows holds.
Role = Literal["output1", "output2", "truth", "distance", "column"]


# --- views ----------------------------------------------------------------------------------------


class HeadlineView(TypedDict):
    """The headline, in sentences."""

    #: Sentences in reading order; together with the notes they are `d.summary()`.
    sentences: list[str]
    #: "good": the rules explain the differences; "weak": they explain few; "none": nothing to
    #: explain.
    tone: Tone
    #: Further facts: which model is right, how far apart values are.
    notes: list[str]
    #: For each of the last sentences that proposes another comparison: the options to change;
    #: none where the models would have to be called.
    advice: list[Change]


class OutputsView(TypedDict):
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


class RightView(TypedDict):
    """Numbers of rows by which model is right; sums of weights if rows have weights."""

    both: float
    #: Only model 1 is right: replacing it by model 2 breaks these rows.
    first: float
    #: Only model 2 is right: replacing model 1 by it fixes these rows.
    second: float
    neither: float
    unknown: float
    #: For values and probabilities, as text: the mean absolute error of each model, and the root
    #: mean squared error.
    errors: Pair[str] | None
    rmse: Pair[str] | None
    #: The mean of y, and of each model's outputs on the same rows, as text.
    mean_y: str | None
    mean_outputs: Pair[str] | None
    #: For values: what a model is on the rows counted for it, such as "within 5"; null: "right".
    within: str | None
    #: The model whose errors are smaller, 0 or 1; null if neither has both of them smaller.
    closer: int | None


class OptionsView(TypedDict):
    """Options that can be changed without calling the models again."""

    max_depth: int
    #: null: chosen for the largest mean of F1 and Matthews' correlation.
    sensitivity: float | None
    #: Whether the method has a sensitivity, and takes a given model.
    tunable: bool
    #: The model whose outputs rules may ask about; null: they ask about the columns alone.
    given: Literal["m1", "m2"] | None
    #: Largest number of rules; null: no limit.
    max_rules: int | None
    #: How far two outputs may be apart and still count as the same; null for classes.
    tolerance: float | None
    #: Whether ``tolerance`` is a share of the larger output instead of a distance.
    relative: bool


class BarsView(TypedDict):
    """Histogram of the rows at a split over its column; every list has one entry per bar."""

    #: The first and the last edge, as text.
    low: str
    high: str
    #: Index of the first bar on the "no" side; null for an unordered column.
    cut: int | None
    #: For an unordered column: the category of each bar.
    labels: list[str] | None
    #: Rows on which the models agree, and on which they differ.
    same: list[int]
    differ: list[int]
    #: The same two counts for rows with a missing value; null if there are none.
    missing: Pair[int] | None


class SentNodeView(TypedDict):
    """One node of the joint tree as it is sent."""

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
    bars: BarsView | None
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
    #: Rows used to fit that reach the node, and those of them on which the models differ.
    rows: int
    differing: int
    #: The share that differs, by weight if rows have weights; null if no row reaches the node.
    rate: float | None
    #: [class, rows, share by weight], most frequent first, at most 12: outputs of model 1, of model
    #: 2. Empty for values.
    counts: Pair[list[Triple[float]]]
    #: For values and probabilities: mean output of model 1 and of model 2 at the node.
    means: Pair[float] | None
    #: Whether the node with its whole subtree is one rule, or part of one.
    region: bool


class NodeView(SentNodeView):
    """One node of the joint tree."""

    #: Numbers of the rules at or below the node. Not sent: derived from the leaves of the rules.
    rules: list[int]


class ConditionView(TypedDict):
    """One condition, which several rules may share."""

    text: str
    column: str
    #: Position of the column in the table.
    position: int
    #: The same for pandas and for SQL; null if the language cannot express it.
    query: str | None
    sql: str | None


class OutcomeView(TypedDict):
    """An outcome pair of classes, and its share of a rule's differing rows."""

    outcomes: Pair[int]
    said: Pair[str]
    share: float


class GroupRate(TypedDict):
    """The rows of one group, such as one value of a column."""

    value: str
    rows: int
    differing: int
    #: differing / rows, by weight; null if there is no row.
    rate: float | None
    #: The 95 % interval of the rate.
    interval: Pair[float]


class RuleView(TypedDict):
    """One diff rule, or one rule of agreement."""

    #: Its index in `rules`: the diff rules come first, then the rules of agreement.
    number: int
    #: Whether the models are predicted to agree inside.
    agrees: bool
    #: Id of the lowest node that holds the whole rule.
    node: str
    #: Nodes whose whole subtrees lie inside the rule; empty if it is a part of one subtree.
    nodes: list[str]
    #: Leaf pairs (model 1, model 2) that make up the region.
    leaves: list[Pair[str]]
    #: The outcome pair of models 1 and 2, as classes; null for values.
    outcomes: Pair[int] | None
    #: The same as means, for values and probabilities; null for classes.
    values: Pair[float] | None
    #: The same as text.
    said: Pair[str]
    #: Share of its differing rows that have this outcome pair.
    outcome_share: float
    #: For classes: the next most frequent outcome pairs of its differing rows.
    others: list[OutcomeView]
    #: Words before the outcome pairs in the title of the rule, such as "mostly"; empty if all its
    #: differing rows have the pair.
    title_before: str
    #: The outcome pairs that the title names: 0 is that of `outcomes` or `values`, 1 the first of
    #: `others`, and so on; none for a rule of agreement.
    title_pairs: list[int]
    #: The sign or word between the outputs of the two models.
    title_link: str
    #: What a box of the tree says after the first of these pairs: "either way" or "…".
    title_more: str | None
    #: For numbers: whether the output of model 2 is higher, or lower, on three quarters of its
    #: differing rows, or neither.
    direction: Direction | None
    #: For numbers: rows (by weight) on which the output of model 2 is higher, and lower, by more
    #: than the tolerance.
    up: float | None
    down: float | None
    #: For classes: the most frequent output of each model inside, over differing and other rows.
    usual: Pair[str] | None
    #: Indices into the view's conditions; a rule without any always holds.
    conditions: list[int]
    #: Those of them that the path to the rule's node implies.
    shared: list[int]
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
    interval: Pair[float]
    #: Which model is right inside, and the same on the holdout; null without ground truth.
    right: RightView | None
    holdout_right: RightView | None
    #: Its rows by the groups of the view's `by`, in the same order; null without it.
    by: list[GroupRate] | None


class MetricsView(TypedDict):
    """Measures of the whole diff."""

    #: All rows given, and those of them on which the models differ.
    n_rows: int
    n_differing: int
    disagreement: float
    precision: float
    recall: float
    f1: float
    n_rules: int
    n_predicates: int
    #: Fidelity of each model's surrogate: for classes, the share of rows on which both agree.
    fidelity: Pair[float]
    #: Whether precision, recall, F1 and fidelity were measured on a holdout.
    on_holdout: bool
    measured_rows: int
    measured_differing: int
    #: measured_differing / measured_rows, by weight.
    measured_disagreement: float
    #: Number of measured rows inside a rule.
    measured_claimed: int
    #: For numbers: mean of output 2 - output 1 over all rows.
    mean_difference: float | None
    #: Matthews' correlation of lying inside a rule and differing; null in older files.
    mcc: float | None
    #: Share of the entropy of differing that lying inside a rule explains; null in older files.
    explained: float | None
    #: F1 less that of a rule that is always true; null in older files.
    f1_over_always: float | None
    #: What the measures come from: a holdout, five folds, or the rows used to fit; null in older
    #: files.
    measured_by: Literal["holdout", "cv", "none"] | None
    #: The 95 % intervals of precision and recall; null in older files.
    precision_interval: Pair[float] | None
    recall_interval: Pair[float] | None
    #: Measures of the rules of agreement; null if there is none.
    agreement_precision: float | None
    agreement_recall: float | None
    #: Number of measured rows inside a rule of agreement; null in older files.
    agreement_claimed: int | None


class RefinementView(TypedDict):
    """The refinement steps that were done, and those that are possible."""

    #: Refinement steps done.
    steps: int
    #: Whether the last step or change can be undone.
    undoable: bool
    #: Number of leaves or regions (see `what`) that one more step would split.
    impure: int
    what: Refined
    #: Ids of these leaves or regions.
    targets: list[str]
    #: Why no further step is possible; null if one is.
    reason: str | None
    #: What the last step changed, as text; null at step 0.
    change: str | None
    #: Ids of nodes that the last step added.
    added: list[str]
    #: On a page: the number of steps that it holds; null in a widget, which computes them.
    prepared: int | None


class CrossTable(TypedDict):
    """Rows of the table by the labels of both models."""

    #: Label of model 1, label of model 2, number of rows; the largest first.
    cells: list[Triple[int]]
    #: Rows of the pairs of labels that are left out because they are too many.
    left_out: int


class ByView(TypedDict):
    """The rows of the table by groups, to see whom the differences hit."""

    #: The name of the column, or of the grouping.
    name: str
    groups: list[GroupRate]


class ViewParts(TypedDict):
    """The fields of a view other than its lists of records."""

    version: Literal[4]
    #: The user's names of the two models.
    names: Pair[str]
    #: Names of the classes; everywhere else a class is its index here. Empty for other outputs.
    classes: list[str]
    outputs: OutputsView
    options: OptionsView
    #: Names of the table's columns.
    columns: list[str]
    headline: HeadlineView
    metrics: MetricsView
    #: Which model is right, over all rows; null without ground truth.
    right: RightView | None
    refinement: RefinementView
    #: For classes: the rows by what both models say; null for numbers, and in older files.
    crosstab: CrossTable | None
    #: Whom the differences hit; null if no grouping was given.
    by: ByView | None
    #: Which of the two is the ground truth and no model, as in error analysis; 0 for neither.
    truth: Side
    #: Kinds of message that cannot be answered here, with the reason.
    lacks: dict[MessageKind, str]


class DiffView(ViewParts):
    """All that the front-end and plots may read of a diff; `d.to_dict()`."""

    #: Pre-order, root first, "yes" before "no", model 1 before model 2.
    nodes: list[NodeView]
    #: Each condition once; rules refer to them by index.
    conditions: list[ConditionView]
    rules: list[RuleView]


class Columns(TypedDict, Generic[Record]):
    """A list of records by columns: one list per field, null if every record has null."""

    count: int
    fields: dict[str, list[Any] | None]


class PackedView(ViewParts):
    """A view as it is sent to the widget and stored in a page."""

    nodes: Columns[SentNodeView]
    conditions: Columns[ConditionView]
    rules: Columns[RuleView]


class OneNodeView(TypedDict):
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
    #: The class that is predicted here, and its probability; null for numbers.
    label: int | None
    purity: float | None
    #: The number that is predicted here; null for classes.
    value: float | None
    #: The prediction as text.
    said: str
    rows: int
    #: What holds for the rows that reach the node, as text.
    conditions: list[str]


class OneTreeView(TypedDict):
    """A tree that is drawn by itself: a surrogate of one model, or the tree of a learner."""

    version: Literal[1]
    title: str
    sentences: list[str]
    #: Whether the sentences are a warning.
    careful: bool
    classes: list[str]
    outputs: OutputsView
    #: Pre-order, root first, "yes" before "no".
    nodes: list[OneNodeView]


# --- rows -----------------------------------------------------------------------------------------


class TraceView(TypedDict):
    """The path of one row through both surrogates."""

    #: Its position in the table.
    row: int
    #: Its index, as text.
    label: str
    #: Ids of all nodes that the row reaches, in both branches.
    nodes: list[str]
    #: Outputs of the two models for the row, and predictions of their surrogates, as text.
    said: Pair[str]
    surrogate: Pair[str]
    #: Numbers of the rules that the row is inside.
    rules: list[int]
    #: Whether the models differ on the row.
    differs: bool


class RowsView(TypedDict):
    """One page of the rows of a selection. Rows are never sent in traits."""

    total: int
    #: On a page, which holds a sample: number of rows of the selection in the whole table.
    of: NotRequired[int]
    start: int
    columns: list[str]
    #: What each of the columns holds.
    roles: list[Role]
    #: How many of the columns, from the left, are outputs, truth, distance, or columns that the
    #: selection asks about.
    lead: int
    #: Position of each row in the table.
    positions: list[int]
    #: The index, as text.
    labels: list[str]
    cells: list[list[str]]
    differs: list[bool]
    #: On a page, which holds a sample: why the selection may have more rows.
    note: NotRequired[str]


class PageRows(TypedDict):
    """Rows stored in a page, which filters, sorts and traces them itself."""

    #: Rows of the whole table.
    total: int
    #: The two outputs, the ground truth if given, their distance if they are numbers, then the
    #: columns of the table.
    columns: list[str]
    roles: list[Role]
    #: How many of these are not columns of the table.
    lead: int
    positions: list[int]
    labels: list[str]
    #: As they are shown: numbers are rounded and long texts are cut.
    cells: list[list[str]]
    #: Row, column and text of the cells that are shown rounded or cut; files hold these.
    whole: list[tuple[int, int, str]]
    #: Number of texts that the page itself holds cut, as they are very long.
    cut: int
    #: By column, then by row: the rank of the row's value in the column; -1 if it is missing.
    ranks: list[list[int]]
    differs: list[bool]
    #: For each row: the outputs of both models as text.
    said: list[Pair[str]]
    #: For each step, for each row: the two leaves that it reaches.
    leaves: list[list[Pair[str]]]
    #: For each step: pairs of leaves, the number of rows of the whole table that reach both, and
    #: the number of these that differ.
    sizes: list[list[tuple[str, str, int, int]]]


class PageAnswer(TypedDict):
    """What a page answers to a request to explain some rows: an explanation, or why not."""

    #: Numbers of the rules whose rows they are; empty for all rows.
    rules: list[int]
    #: Ids of the nodes that have the same rows; "" for none selected.
    nodes: list[str]
    why: WhyView | None
    error: str | None


class PageWhy(TypedDict):
    """Explanations stored in a page: of all rows, and of rules of the step shown first."""

    answers: list[PageAnswer]
    #: Which there are, and where others can be had, as sentences.
    other: str


class PageContents(TypedDict):
    """The data from which a page answers messages."""

    #: The views after each refinement step, and the index of the one shown first.
    steps: list[PackedView]
    at: int
    rows: PageRows | None
    #: null if none were asked for.
    why: PageWhy | None


# --- more than two models -------------------------------------------------------------------------


class ModelScore(TypedDict):
    """How good one of the models is, where the ground truth is given."""

    score: float
    #: As it is written on the diagonal: "86.2 %".
    text: str
    #: Whether no other model is better, beyond what chance explains; there may be several.
    best: bool


class SkippedModel(TypedDict):
    """A model that was left out of the comparison."""

    name: str
    reason: str


class ComparisonView(TypedDict):
    """More than two models: which of them differ, and how much."""

    #: In the order given.
    names: list[str]
    #: Numbers of the models by similarity: average linkage, optimal leaf order.
    order: list[int]
    outputs: OutputKind
    #: When two outputs differ, in words: "more than 0.1 apart"; null for classes.
    differs: str | None
    #: Whether rows have weights; shares and scores are then by weight.
    weighted: bool
    #: Rows of the table that count.
    n_rows: int
    #: Share of the rows, by weight, on which i and j differ; symmetric, 0 on the diagonal.
    shares: list[list[float]]
    #: Number of rows on which they differ.
    rows: list[list[int]]
    #: The text below the matrix.
    sentences: list[str]
    #: With the ground truth, by model; null without.
    scores: list[ModelScore] | None
    #: "accuracy", "mean absolute error".
    score_name: str | None
    #: With the ground truth: number of rows that model i gets wrong and model j right.
    fixes: list[list[int]] | None
    skipped: list[SkippedModel]
    #: Pairs [i, j], i < j, that can be opened; null: every pair.
    openable: list[Pair[int]] | None
    #: Why another pair cannot be opened; "" if all can.
    why_not: str


# --- state: the widget's traits -------------------------------------------------------------------


class Filters(TypedDict, total=False):
    """Which rules are listed, and in what order."""

    text: str
    #: The name of a column; "" for any.
    column: str
    #: An outcome pair: two class numbers, "0,1"; for values "higher", "lower" or "either way"; ""
    #: for any.
    outcome: str
    order: Order


class StabilityView(TypedDict):
    """How often each diff rule is found again in resamples of the rows."""

    #: Number of resamples.
    n: int
    #: By rule: the number of resamples in which it is found again.
    found: list[int]
    #: By rule: the mean of its largest overlap with a rule of a resample.
    overlap: list[float]


class PageState(TypedDict):
    """Traits that a saved page restores, so that it opens in the state of the widget."""

    #: Id of the selected node, "" for none.
    selected_node: str
    #: Numbers of the selected rules.
    selected_rules: list[int]
    #: The path of the traced row; null for none.
    traced: TraceView | None
    orientation: Orientation
    tab: Tab
    #: Whether subtrees without a rule are folded.
    differences_only: bool
    #: Nodes that the user folded (true) or unfolded (false), by id; these take precedence.
    folds: dict[str, bool]
    filters: Filters
    #: null until it is measured.
    stability: StabilityView | None


class Traits(PageState):
    """The widget's traits but for the view."""

    theme: Theme
    #: Pixels.
    height: int


class WidgetState(Traits):
    """All synchronised traits, by name."""

    view: PackedView


class ComparisonTraits(TypedDict):
    """The further traits of a widget of more than two models; the others are of the open pair."""

    comparison: ComparisonView
    #: Numbers of the two models whose diff is shown, model 1 first; [] for none.
    pair: list[int]
    matrix_order: MatrixOrder


class ComparisonPage(ComparisonTraits):
    """The data of a saved page of more than two models."""

    theme: Theme
    height: int
    #: By the numbers of the two models, model 1 first, "0,2": the data of a page of their diff,
    #: which are `PageContents` and the traits that it restores.
    pairs: dict[str, dict[str, Any]]


# --- messages -------------------------------------------------------------------------------------


class Identified(TypedDict):
    """Every message has an id, which its answer repeats."""

    id: str


class HelloRequest(TypedDict):
    """Checks that the kernel runs and is idle."""

    kind: Literal["hello"]


class CancelRequest(TypedDict):
    """Cancels another message, which is answered with an error; this one has no answer."""

    kind: Literal["cancel"]
    #: The id of the message to cancel.
    of: str


class RefineRequest(TypedDict):
    """Requests one refinement step."""

    kind: Literal["refine"]


class UndoRequest(TypedDict):
    """Undoes the last step or change."""

    kind: Literal["undo"]


class SaveRequest(TypedDict):
    """Requests the diff that is shown as an HTML page."""

    kind: Literal["save"]


class Change(TypedDict, total=False):
    """Options for another comparison; omitted ones keep their values."""

    max_depth: int
    #: null: chosen for the largest mean of F1 and Matthews' correlation.
    sensitivity: float | None
    #: The model whose outputs rules may ask about; "auto" chooses the better one.
    given: Literal["m1", "m2", "auto", "nothing"]
    #: null: no limit.
    max_rules: int | None
    #: A number, or a share of the larger output, "10 %".
    tolerance: float | str


class ChangeRequest(TypedDict):
    """Requests the diff with other options."""

    kind: Literal["change"]
    options: Change


class TraceRequest(TypedDict):
    """Requests the path of a row, which arrives in the trait `traced`."""

    kind: Literal["trace"]
    #: Its position in the table.
    row: int


class Sort(TypedDict):
    """Sort key of rows."""

    #: Index into the columns of the rows.
    column: int
    descending: bool


class RowsRequest(TypedDict):
    """Requests one page of the rows of a selection: the rules, else the node, else any rule."""

    kind: Literal["rows"]
    rules: list[int]
    #: Id of a node, "" for none.
    node: str
    start: int
    count: int
    sort: Sort | None
    #: Whether to return only rows on which the models differ.
    differing: bool


class CsvRequest(TypedDict):
    """Requests the rows of a selection as CSV: the rules, else the node, else any rule."""

    kind: Literal["csv"]
    rules: list[int]
    node: str
    sort: Sort | None
    differing: bool


class HistogramsRequest(TypedDict):
    """Requests histograms of the columns that some rules ask about."""

    kind: Literal["histograms"]
    rules: list[int]


class StabilityRequest(TypedDict):
    """Requests the stability of the rules, which arrives in the trait `stability`."""

    kind: Literal["stability"]


class CohortRequest(TypedDict):
    """Requests the figures of a cohort of the user's own."""

    kind: Literal["cohort"]
    #: As for ``DataFrame.query``: age < 30 and job == 'nurse'.
    condition: str


class ExplainRequest(TypedDict):
    """Requests why the models differ on some rows: of the rules, else of the node, else all."""

    kind: Literal["explain"]
    rules: list[int]
    #: Id of a node, "" for none.
    node: str
    #: Position of a row among them that is explained by itself too; null for none.
    row: int | None
    #: Whether the curves of all columns are wanted, not only the first ones.
    more: bool
    #: Whether importance and decision trees are wanted too.
    surrogates: bool


class PairRequest(TypedDict):
    """Opens the diff of two of more than two models; the first is model 1."""

    kind: Literal["pair"]
    pair: Pair[int]


class Progress(TypedDict):
    """Sent while a message is worked on, with its id; its answer follows."""

    progress: ProgressView


class ProgressView(TypedDict):
    """How much of the work is done."""

    done: int
    total: int


class Refusal(TypedDict):
    """Why a message failed."""

    error: str


class Done(TypedDict):
    """An answer without fields: changes arrive in the traits."""


class SaveAnswer(TypedDict):
    """The text of an HTML file."""

    page: str


class RowsAnswer(TypedDict):
    """One page of rows."""

    rows: RowsView


class CsvAnswer(TypedDict):
    """The text of a CSV file."""

    csv: str


class HistogramView(TypedDict):
    """A column's rows inside and outside some rules, and how many of them differ."""

    column: str
    #: The range or the category of each bin, as text.
    labels: list[str]
    inside: list[int]
    inside_differing: list[int]
    outside: list[int]
    outside_differing: list[int]


class HistogramsAnswer(TypedDict):
    """One histogram for each column that the rules ask about."""

    histograms: list[HistogramView]


class CohortView(TypedDict):
    """The figures of a cohort, to be read beside those of the rules."""

    condition: str
    rows: int
    differing: int
    rate: float | None
    interval: Pair[float]
    #: Share of all differing rows that are inside.
    coverage: float
    #: Rate of the rows outside.
    outside_rate: float | None
    #: The most frequent outcome pairs of its differing rows, for classes.
    outcomes: list[OutcomeView]
    right: RightView | None


class CohortAnswer(TypedDict):
    """The figures of a cohort."""

    cohort: CohortView


class WhyView(TypedDict):
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
    curves: list[CurveView]
    #: Names of the columns without curves so far.
    waiting: list[str]
    #: Curves of the row, and its reason codes.
    ice: list[IceView]
    row: RowView | None
    #: Of the surrogates that follow, and that the reason codes come from.
    fidelity: list[FidelityView]
    #: By column, the one that matters most to the difference first; null if not asked for.
    importance: list[ImportanceView] | None
    #: Decision trees of model 1, of model 2 and of the difference; null if not asked for.
    trees: list[TreeView] | None


class ExplainAnswer(TypedDict):
    """Why the models differ on some rows."""

    why: WhyView


@dataclass(frozen=True)
class Message:
    """One kind of message.

    Attributes
    ----------
    request, answer : TypedDict
        The fields of the message and of its answer, both without the id.
    changes : bool
        Whether handling it changes traits.
    button : bool
        Whether a button of the toolbar sends it, which shows that the kernel works on it.
    needs_rows : bool
        Whether it needs the rows of the table, which a loaded diff does not have.
    off_page : str or None
        Why a saved page cannot answer it; None if it can.
    """

    request: type[Any]
    answer: type[Any] = Done
    changes: bool = False
    button: bool = False
    needs_rows: bool = False
    off_page: str | None = None

    @property
    def kind(self) -> MessageKind:
        """The kind, from the annotation of the request."""
        [kind] = get_args(get_type_hints(self.request)["kind"])
        known: MessageKind = kind
        return known


_NO_CHANGE = "A page holds what was compared: depth and sensitivity are changed in the notebook."
_NO_SAVE = "This page is the saved file: copy it."
_NO_COHORT = "A page holds no table: a cohort of your own is measured in the notebook."
_NO_STABILITY = "A page holds no table: stability is measured in the notebook."
_NO_WHY = (
    'This page holds no explanations: it was saved without. d.save("diff.html", explain=True) '
    "takes them along."
)
_NO_HISTOGRAMS = "A page holds no table: these histograms are drawn in the notebook."

#: All kinds of message. A new kind needs a line here and a handler in widget/handlers.py.
MESSAGES: Mapping[MessageKind, Message] = {
    message.kind: message
    for message in (
        Message(HelloRequest),
        Message(CancelRequest),
        Message(RefineRequest, changes=True, button=True, needs_rows=True),
        Message(UndoRequest, changes=True, button=True),
        Message(ChangeRequest, changes=True, button=True, needs_rows=True, off_page=_NO_CHANGE),
        Message(SaveRequest, SaveAnswer, button=True, off_page=_NO_SAVE),
        Message(TraceRequest, changes=True, needs_rows=True),
        Message(RowsRequest, RowsAnswer, needs_rows=True),
        Message(CsvRequest, CsvAnswer, button=True, needs_rows=True),
        Message(HistogramsRequest, HistogramsAnswer, needs_rows=True, off_page=_NO_HISTOGRAMS),
        Message(
            StabilityRequest, changes=True, button=True, needs_rows=True, off_page=_NO_STABILITY
        ),
        Message(CohortRequest, CohortAnswer, button=True, needs_rows=True, off_page=_NO_COHORT),
        Message(ExplainRequest, ExplainAnswer, needs_rows=True, off_page=_NO_WHY),
        Message(PairRequest, changes=True, button=True),
    )
}
