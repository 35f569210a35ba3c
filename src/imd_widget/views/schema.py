"""The contract between Python and the front-end: everything that crosses, as plain JSON values.

``js/protocol/schema.ts`` is generated from this module by ``python tools/generate_schema.py``: a
class becomes an interface, a comment that begins with ``#:`` becomes the comment of the field below
it. A message is a row of `MESSAGES`; its handler stands in `imd_widget.widget.handlers`.
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
from imd_widget.rules.rule import Direction

Value = TypeVar("Value")
Record = TypeVar("Record")


@dataclass(frozen=True)
class Length:
    """How many items a list has; JSON knows no tuple."""

    items: int


Pair = Annotated[list[Value], Length(2)]
Triple = Annotated[list[Value], Length(3)]

#: Raised by one whenever a field changes its meaning or goes away.
VERSION: Final = 4

#: How a node hangs on its parent.
Edge = Literal["yes", "no", "model1", "model2"]
#: Which model a node belongs to: 0 both (shared), 1 the first, 2 the second.
Side = Literal[0, 1, 2]
NodeKind = Literal["split", "or", "leaf"]
#: What one refinement step splits.
Refined = Literal["leaf", "region"]
#: What the panel shows.
Tab = Literal["Rules", "Rows", "Node"]
#: "auto" follows the host.
Theme = Literal["auto", "light", "dark"]
#: Where the tree grows to.
Orientation = Literal["right", "down"]
#: What the list of rules is ordered by.
Order = Literal["coverage", "rows", "rate"]
#: What the front-end can ask for.
MessageKind = Literal["hello", "cancel", "refine", "undo", "change", "save", "trace", "rows"]


# --- what is drawn --------------------------------------------------------------------------------


class HeadlineView(TypedDict):
    """The headline, in sentences."""

    #: Sentences in reading order; together with the notes they are `d.summary()`.
    sentences: list[str]
    #: "good": the rules explain the differences; "weak": they explain few; "none": nothing to
    #: explain.
    tone: Tone
    #: What else is to be known: who is right, how far apart values are.
    notes: list[str]


class OutputsView(TypedDict):
    """What the outputs of the two models are."""

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
    #: Rows do not all count the same: shares are by weight.
    weighted: bool


class RightView(TypedDict):
    """Counts of rows by who is right; sums of weights, perhaps not whole, where rows have them."""

    both: float
    #: Only model 1 is right: what going on to model 2 breaks.
    first: float
    #: Only model 2 is right: what going on to model 2 fixes.
    second: float
    neither: float
    unknown: float
    #: Of values and probabilities: how far either model is off the truth on average, in words.
    errors: Pair[str] | None


class OptionsView(TypedDict):
    """What can be changed without asking the models again."""

    max_depth: int
    #: null: chosen for the best F1.
    sensitivity: float | None
    #: Whether sensitivity has a meaning.
    tunable: bool


class BarsView(TypedDict):
    """How the rows at a split are spread over its column; every list has one entry a bar."""

    #: The first and the last edge, in words.
    low: str
    high: str
    #: Index of the first bar that says no; null for a column without order.
    cut: int | None
    #: Of a column without order: one a bar.
    labels: list[str] | None
    #: Rows on which the models say the same, and on which they differ.
    same: list[int]
    differ: list[int]
    #: The two counts of the rows that have no value; null where there is none.
    missing: Pair[int] | None


class SentNodeView(TypedDict):
    """One node of the joint tree as it travels."""

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
    #: Of a split, in words: "age < 42". Rows for which it holds go to the "yes" child.
    condition: str | None
    #: Of a split: the column that it asks about, and its place in the table: names may stand for
    #: several.
    column: str | None
    position: int | None
    #: Of a split: how that column is spread over the rows of the node.
    bars: BarsView | None
    #: Of a leaf of a class diff: the class that its model says there.
    label: int | None
    #: Of a leaf: what its model says there, in words: a class name, "0.31", "310k".
    said: str | None
    #: Of a leaf of a value or probability diff: the mean of what its model says.
    value: float | None
    #: Of a leaf of a class diff: share of its rows to which its model gives the label.
    purity: float | None
    #: Of an impure leaf of a value or probability diff: "± 12k"; null where all values are near the
    #: mean.
    spread: str | None
    #: Rows used to fit that reach the node, and those of them on which the models differ.
    rows: int
    differing: int
    #: The share that differs, by weight where rows have weights; null where no row is.
    rate: float | None
    #: [class, rows, share by weight], most frequent first, at most 12: as model 1 says, as model 2
    #: says. Empty for values.
    counts: Pair[list[Triple[float]]]
    #: Of a value or probability diff: mean of what model 1 and of what model 2 says at the node.
    means: Pair[float] | None
    #: Whether the node as a whole, with all below it, is (part of) one rule.
    region: bool


class NodeView(SentNodeView):
    """One node of the joint tree."""

    #: Numbers of the rules at or below the node. Not sent: the leaves of the rules tell it.
    rules: list[int]


class ConditionView(TypedDict):
    """One condition, of however many rules."""

    text: str
    column: str
    #: Place of the column in the table.
    position: int
    #: The same for pandas and for SQL; null where the language cannot say it.
    query: str | None
    sql: str | None


class OutcomeView(TypedDict):
    """What the models say on a part of a rule's differing rows."""

    said: Pair[str]
    share: float


class RuleView(TypedDict):
    """One diff rule."""

    #: Its index in `rules`.
    number: int
    #: Id of the lowest node that holds the whole rule.
    node: str
    #: Nodes that lie inside as a whole; none where the rule is part of what hangs below one.
    nodes: list[str]
    #: Leaf pairs (model 1, model 2) that make up the region.
    leaves: list[Pair[str]]
    #: What model 1 says and what model 2 says there: classes, null for values.
    outcomes: Pair[int] | None
    #: The same as means, for values and probabilities; null for classes.
    values: Pair[float] | None
    #: The same in words.
    said: Pair[str]
    #: Share of its differing rows on which they say just that.
    outcome_share: float
    #: Of classes: the next most frequent outcomes of its differing rows.
    others: list[OutcomeView]
    #: Of numbers: whether model 2 says more or less on three quarters of its differing rows, or
    #: neither.
    direction: Direction | None
    #: Of numbers: rows (by weight) on which model 2 says more, and less, by more than the
    #: tolerance.
    up: float | None
    down: float | None
    #: Of classes: what either model says most often inside, also where they do not differ.
    usual: Pair[str] | None
    #: Places in the view's conditions; none: the rule always holds.
    conditions: list[int]
    #: Those of them that the way to the rule's node asks for already.
    shared: list[int]
    #: Rows used to fit inside the rule, and those of them on which the models differ.
    support: int
    differing: int
    #: differing / support, by weight where rows are weighted; null where no row lies inside.
    rate: float | None
    #: Share of all differing rows (used to fit) that the rule holds.
    coverage: float
    #: The same on rows kept aside; null where none lies inside.
    holdout_support: int
    holdout_differing: int
    holdout_rate: float | None
    #: Who is right inside, and the same on rows kept aside; null where no ground truth was given.
    right: RightView | None
    holdout_right: RightView | None


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
    #: Share of rows on which the surrogate says what its model says.
    fidelity: Pair[float]
    #: Whether precision, recall, F1 and fidelity were measured on rows kept aside.
    on_holdout: bool
    measured_rows: int
    measured_differing: int
    #: The share of them, by weight.
    measured_disagreement: float
    #: Those of the measured rows that lie inside a rule.
    measured_claimed: int
    #: Of numbers: by how much model 2 is above model 1, on average over all rows.
    mean_difference: float | None


class RefinementView(TypedDict):
    """What refinement has done and can still do."""

    #: Refinement steps done.
    steps: int
    #: Whether there is something shown before to go back to.
    undoable: bool
    #: How many of what one more step would split.
    impure: int
    what: Refined
    #: Why no further step is possible; null when it is.
    reason: str | None
    #: What the last step changed, in words; null at step 0.
    change: str | None
    #: Ids of nodes that the last step added.
    added: list[str]
    #: On a page: how many steps it holds; null where they are worked out when asked for.
    prepared: int | None


class ViewParts(TypedDict):
    """What a view holds beside its lists of records."""

    version: Literal[4]
    #: What the user calls the two models.
    names: Pair[str]
    #: Names of the classes; everywhere else a class is its index here. Empty for other outputs.
    classes: list[str]
    outputs: OutputsView
    options: OptionsView
    #: Names of the table's columns.
    columns: list[str]
    headline: HeadlineView
    metrics: MetricsView
    #: Who is right, over all rows; null where no ground truth was given.
    right: RightView | None
    refinement: RefinementView
    #: What cannot be asked for here, and why; empty where everything can.
    lacks: dict[MessageKind, str]


class DiffView(ViewParts):
    """All that a view may read of a diff; `d.to_dict()`."""

    #: Pre-order, root first, "yes" before "no", model 1 before model 2.
    nodes: list[NodeView]
    #: Each condition once; rules name them by their place here.
    conditions: list[ConditionView]
    rules: list[RuleView]


class Columns(TypedDict, Generic[Record]):
    """A list of records by columns: one list a field, null where it is null in each of them."""

    count: int
    fields: dict[str, list[Any] | None]


class PackedView(ViewParts):
    """A view as it travels, to the widget and in a page."""

    nodes: Columns[SentNodeView]
    conditions: Columns[ConditionView]
    rules: Columns[RuleView]


# --- rows -----------------------------------------------------------------------------------------


class TraceView(TypedDict):
    """The way of one row through both surrogates."""

    #: Its position in the table.
    row: int
    #: Its index, as text.
    label: str
    #: Ids of all nodes the row passes, both models.
    nodes: list[str]
    #: What model 1 and what model 2 say of it, and what the tree says they do.
    said: Pair[str]
    surrogate: Pair[str]
    #: Numbers of the rules that it lies in.
    rules: list[int]
    #: Do the models differ on it?
    differs: bool


class RowsView(TypedDict):
    """Some of the rows of a selection. Rows never travel in traits."""

    total: int
    #: Rows of the whole table that there are, where a page brings some of them along.
    of: NotRequired[int]
    start: int
    columns: list[str]
    #: How many of the columns, from the left, belong to the selection.
    lead: int
    #: Position of each row in the table.
    positions: list[int]
    #: The index, as text.
    labels: list[str]
    cells: list[list[str]]
    differs: list[bool]
    #: Why there may be more rows than these, where a page brings some of them along.
    note: NotRequired[str]


class PageRows(TypedDict):
    """Rows that travel with a page, which filters, sorts and traces them itself."""

    #: Rows of the whole table.
    total: int
    #: The two outputs, perhaps the truth, then the columns of the table.
    columns: list[str]
    #: How many of these are not columns of the table.
    lead: int
    positions: list[int]
    labels: list[str]
    cells: list[list[str]]
    #: By column, then by row: its place in the order of the column's values; -1 where there is
    #: none.
    ranks: list[list[int]]
    differs: list[bool]
    #: What either model says of it, in words.
    said: list[Pair[str]]
    #: For each step, for each row: the leaves that it reaches.
    leaves: list[list[Pair[str]]]
    #: For each step: pairs of leaves, how many rows of the whole table reach them, how many of
    #: these differ.
    sizes: list[list[tuple[str, str, int, int]]]


class PageContents(TypedDict):
    """What a page answers from."""

    #: The views after each refinement step, and which of them is shown first.
    steps: list[PackedView]
    at: int
    rows: PageRows | None


# --- state: the widget's traits -------------------------------------------------------------------


class Filters(TypedDict, total=False):
    """Which rules are listed, and in what order."""

    text: str
    #: The name of a column; "" for any.
    column: str
    #: What the models say there: two class numbers, "0,1"; of values "higher", "lower" or "either
    #: way"; "" for any.
    outcome: str
    order: Order


class PageState(TypedDict):
    """Traits that a saved page takes along, so that it opens as the widget was left."""

    #: Id of the selected node, "" for none.
    selected_node: str
    #: Numbers of the selected rules.
    selected_rules: list[int]
    #: The row that is followed through both models; null for none.
    traced: TraceView | None
    orientation: Orientation
    tab: Tab
    #: Parts without a rule are folded ...
    differences_only: bool
    #: ... but for what the user folded (true) or unfolded (false) by hand, by id.
    folds: dict[str, bool]
    filters: Filters


class Traits(PageState):
    """The widget's traits but for the view."""

    theme: Theme
    #: Pixels.
    height: int


class WidgetState(Traits):
    """All traits that travel between Python and the front-end, by name."""

    view: PackedView


# --- work: messages -------------------------------------------------------------------------------


class Identified(TypedDict):
    """Every message has an id, which its answer carries too."""

    id: str


class HelloRequest(TypedDict):
    """Is answered by a kernel that is there and free."""

    kind: Literal["hello"]


class CancelRequest(TypedDict):
    """Stops other work; the work that is stopped answers with an error, this does not answer."""

    kind: Literal["cancel"]
    #: The id of what is not wanted any more.
    of: str


class RefineRequest(TypedDict):
    """Asks for one refinement step."""

    kind: Literal["refine"]


class UndoRequest(TypedDict):
    """Takes the last step or change back."""

    kind: Literal["undo"]


class SaveRequest(TypedDict):
    """Asks for a page of what is shown."""

    kind: Literal["save"]


class Change(TypedDict, total=False):
    """Options to compare with anew; those that are left out stay."""

    max_depth: int
    #: null: chosen for the best F1.
    sensitivity: float | None


class ChangeRequest(TypedDict):
    """Asks for the diff with other options."""

    kind: Literal["change"]
    options: Change


class TraceRequest(TypedDict):
    """Asks for the way of a row, which arrives in the trait `traced`."""

    kind: Literal["trace"]
    #: Its position in the table.
    row: int


class Sort(TypedDict):
    """What rows are sorted by."""

    #: Index into the columns of the rows.
    column: int
    descending: bool


class RowsRequest(TypedDict):
    """Asks for some of the rows of a selection: the rules, else the node, else all rules."""

    kind: Literal["rows"]
    rules: list[int]
    #: Id of a node, "" for none.
    node: str
    start: int
    count: int
    sort: Sort | None
    #: Only rows on which the models differ.
    differing: bool


class Refusal(TypedDict):
    """Why what was asked for was not done."""

    error: str


class Done(TypedDict):
    """Nothing beside the id: what has changed arrives in the traits."""


class SaveAnswer(TypedDict):
    """The text of an HTML file."""

    page: str


class RowsAnswer(TypedDict):
    """Some rows."""

    rows: RowsView


@dataclass(frozen=True)
class Message:
    """One kind of message.

    Attributes
    ----------
    request, answer : TypedDict
        What is sent and what comes back, both beside the id.
    changes : bool
        Whether another state of the traits is left behind.
    button : bool
        Whether a button of the toolbar asks for it, which shows that work is under way.
    needs_rows : bool
        Whether the rows of the table are needed, which a diff that was loaded has not.
    off_page : str or None
        Why a saved page cannot answer; None if it can.
    """

    request: type[Any]
    answer: type[Any] = Done
    changes: bool = False
    button: bool = False
    needs_rows: bool = False
    off_page: str | None = None

    @property
    def kind(self) -> MessageKind:
        """Its name, as the request has it."""
        [kind] = get_args(get_type_hints(self.request)["kind"])
        known: MessageKind = kind
        return known


_NO_CHANGE = "A page holds what was compared: depth and sensitivity are changed in the notebook."
_NO_SAVE = "This page is the saved file: copy it."

#: All kinds of message. A new one has its line here and its handler in widget/handlers.py.
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
    )
}
