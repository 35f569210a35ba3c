"""Registry of the functions that handle the messages of the front-end, one for each kind.

A new kind needs its request, its answer and its row of `MESSAGES` in `imd_widget.views.schema`, and
its handler here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_type_hints

from imd_widget._base.errors import InputError
from imd_widget._base.plain import from_json, to_json
from imd_widget.comparison.alternatives import (
    Alternatives,
    compare_alternatives,
    possible_methods,
)
from imd_widget.comparison.cohort import Cohort
from imd_widget.comparison.growth import GrowthStep
from imd_widget.comparison.rows import RowsPage, Trace
from imd_widget.comparison.rule_histograms import RuleHistogram
from imd_widget.comparison.stability import Stability, measure_stability
from imd_widget.explanations.schema import (
    InteractionsView,
    MapView,
    SmallestChangeView,
    WhatIfView,
    WhyView,
)
from imd_widget.views.build import cohort_view
from imd_widget.views.schema import (
    MESSAGES,
    AlternativesAnswer,
    AlternativesRequest,
    ChangeRequest,
    CohortAnswer,
    CohortRequest,
    CsvAnswer,
    CsvRequest,
    Done,
    ExplainAnswer,
    ExplainRequest,
    GrowthAnswer,
    GrowthRequest,
    HelloRequest,
    HistogramsAnswer,
    HistogramsRequest,
    InteractionsAnswer,
    InteractionsRequest,
    MapAnswer,
    MapRequest,
    PairRequest,
    RefineRequest,
    RowsAnswer,
    RowsRequest,
    SaveAnswer,
    SaveRequest,
    SmallestChangeAnswer,
    SmallestChangeRequest,
    StabilityRequest,
    TraceRequest,
    UndoRequest,
    WhatIfAnswer,
    WhatIfRequest,
)
from imd_widget.widget.explaining import (
    CALLS,
    edited,
    explained,
    interacting,
    mapped_pair,
    parts_of,
    smallest,
)
from imd_widget.widget.history import Snapshot
from imd_widget.widget.row_pages import RowPages

#: Resamples from which the widget measures stability.
STABILITY_RESAMPLES = 20

Request = TypeVar("Request")
Result = TypeVar("Result")


@dataclass
class Context:
    """The part of the widget that a handler may read and change."""

    #: Returns the snapshot that is shown.
    snapshot: Callable[[], Snapshot]
    #: From a snapshot and the one after it: shows the second in place of the first. InputError if
    #: the first is no longer shown.
    replace: Callable[[Snapshot, Snapshot], object]
    #: Shows the path of a row; None clears it.
    follow: Callable[[Trace | None], object]
    #: From a request to a function that writes the page of what is shown.
    page: Callable[[SaveRequest], Callable[[], str]]
    #: Shows the stability of a snapshot's rules.
    show_stability: Callable[[Snapshot, Stability], object]
    #: From a request to the job that opens a pair of models.
    pair_job: Callable[[PairRequest], Job[Any]]
    #: From a message and the number of parts of its work to a function that is called after each
    #: part, from any thread: it reports the progress, and raises `Cancelled` if the message was
    #: cancelled.
    reporter: Callable[[Any, int], Callable[[int], None]]
    #: Caches the row order of the last selection.
    rows: RowPages = field(default_factory=RowPages)
    #: Identifies the last trace request: the result of an older one is dropped.
    last_trace: object = None


class Cancelled(Exception):
    """Raised inside the work of a message that was cancelled."""


class Job(NamedTuple, Generic[Result]):
    """The work of a message, in two parts."""

    #: May run in another thread: it has no side effect on the widget.
    work: Callable[[], Result]
    #: Runs in the kernel's thread with the result of ``work``; returns the answer, a record.
    finish: Callable[[Result], Any]


Handler = Callable[[Context, Request], Job[Any]]
#: Handlers by kind. "cancel" has none: the widget, which owns the tasks, cancels them itself.
HANDLERS: dict[str, Handler[Any]] = {}


def handles(request: type[Request]) -> Callable[[Handler[Request]], Handler[Request]]:
    """Return a decorator that registers the handler of a type of request."""
    [kind] = get_args(get_type_hints(request)["kind"])

    def register(handler: Handler[Request]) -> Handler[Request]:
        HANDLERS[kind] = handler
        return handler

    return register


def job_of(context: Context, message: Mapping[str, Any]) -> Job[Any]:
    """Return the job of a message, from the handler of its kind."""
    kind = message.get("kind")
    if kind not in HANDLERS:
        raise InputError(f"Unknown message kind {kind!r}.")
    return HANDLERS[kind](context, from_json(MESSAGES[kind].request, message))


@handles(HelloRequest)
def hello(_: Context, __: HelloRequest) -> Job[None]:
    """Answer at once, which shows the front-end that the kernel runs and is idle."""
    return Job(lambda: None, _done)


@handles(RefineRequest)
def refine(context: Context, _: RefineRequest) -> Job[Snapshot]:
    """Do one refinement step."""
    snapshot = context.snapshot()
    return Job(snapshot.refined, partial(_show_next, context, snapshot))


@handles(UndoRequest)
def undo(context: Context, _: UndoRequest) -> Job[Snapshot]:
    """Undo the last step or change."""
    snapshot = context.snapshot()
    return Job(snapshot.undone, partial(_show_next, context, snapshot))


@handles(ChangeRequest)
def change(context: Context, request: ChangeRequest) -> Job[Snapshot]:
    """Compare with other options, such as another depth or sensitivity."""
    options: dict[str, Any] = to_json(request.options)
    for name in ("sensitivity", "max_rules", "alpha"):  # null: no value of its own
        if name in options and options[name] is None:
            options[name] = "auto"
    snapshot = context.snapshot()
    return Job(partial(snapshot.changed, options), partial(_show_next, context, snapshot))


@handles(TraceRequest)
def trace(context: Context, request: TraceRequest) -> Job[Trace]:
    """Trace a row; drop the result if another trace was requested or another diff is shown."""
    snapshot = context.snapshot()
    context.last_trace = request_token = object()

    def finish(trace: Trace) -> Done:
        if context.snapshot() is snapshot and context.last_trace is request_token:
            context.follow(trace)
        return Done()

    return Job(partial(snapshot.diff.trace, request.row), finish)


@handles(RowsRequest)
def rows(context: Context, request: RowsRequest) -> Job[RowsPage]:
    """Return one page of the rows of a selection."""
    diff = context.snapshot().diff
    return Job(
        partial(context.rows.page, diff, request),
        lambda page: RowsAnswer(page),
    )


@handles(CsvRequest)
def csv(context: Context, request: CsvRequest) -> Job[str]:
    """Return the rows of a selection as CSV."""
    diff = context.snapshot().diff
    return Job(partial(context.rows.csv, diff, request), lambda text: CsvAnswer(text))


@handles(HistogramsRequest)
def histograms(context: Context, request: HistogramsRequest) -> Job[list[RuleHistogram]]:
    """Return histograms of the columns in the conditions of some rules."""
    diff = context.snapshot().diff
    return Job(
        partial(diff.histograms, request.rules),
        lambda found: HistogramsAnswer(tuple(found)),
    )


@handles(GrowthRequest)
def growth(context: Context, _: GrowthRequest) -> Job[tuple[GrowthStep, ...]]:
    """Return how the tree grows."""
    return Job(context.snapshot().diff.growth, lambda steps: GrowthAnswer(steps))


@handles(StabilityRequest)
def stability(context: Context, request: StabilityRequest) -> Job[Stability]:
    """Measure the stability of the rules."""
    snapshot = context.snapshot()
    after_each = context.reporter(request, STABILITY_RESAMPLES)

    def finish(found: Stability) -> Done:
        context.show_stability(snapshot, found)
        return Done()

    def work() -> Stability:
        return measure_stability(snapshot.diff.rows, STABILITY_RESAMPLES, 0, after_each)

    return Job(work, finish)


@handles(AlternativesRequest)
def alternatives(context: Context, request: AlternativesRequest) -> Job[Alternatives]:
    """Compare what rules may use."""
    diff = context.snapshot().diff
    methods = possible_methods(diff.rows) if diff.has_rows else ()
    after_each = context.reporter(request, len(methods))

    def work() -> Alternatives:
        return compare_alternatives(diff.rows, methods, after_each)

    return Job(work, lambda found: AlternativesAnswer(found.entries))


@handles(CohortRequest)
def cohort(context: Context, request: CohortRequest) -> Job[Cohort]:
    """Measure a cohort of the user's own."""
    diff = context.snapshot().diff
    return Job(
        partial(diff.cohort, request.condition),
        lambda found: CohortAnswer(cohort_view(diff, found)),
    )


@handles(ExplainRequest)
def explain(context: Context, request: ExplainRequest) -> Job[WhyView]:
    """Explain both models on the rows of a selection."""
    diff = context.snapshot().diff
    after_each = context.reporter(request, parts_of(diff, request))
    work = partial(explained, diff, request, after_each)
    return Job(work, lambda why: ExplainAnswer(why))


@handles(InteractionsRequest)
def interactions(context: Context, request: InteractionsRequest) -> Job[InteractionsView]:
    """Find the pairs of columns that interact most in the difference."""
    diff = context.snapshot().diff
    work = partial(interacting, diff, request, context.reporter(request, CALLS))
    return Job(work, lambda found: InteractionsAnswer(found))


@handles(MapRequest)
def difference_map(context: Context, request: MapRequest) -> Job[MapView]:
    """Return the difference over two columns."""
    diff = context.snapshot().diff
    work = partial(mapped_pair, diff, request, context.reporter(request, CALLS))
    return Job(work, lambda found: MapAnswer(found))


@handles(WhatIfRequest)
def what_if(context: Context, request: WhatIfRequest) -> Job[WhatIfView]:
    """Return what both models give for an edited row."""
    diff = context.snapshot().diff
    return Job(partial(edited, diff, request), lambda found: WhatIfAnswer(found))


@handles(SmallestChangeRequest)
def smallest_change(context: Context, request: SmallestChangeRequest) -> Job[SmallestChangeView]:
    """Find the smallest change of a row after which the models agree."""
    diff = context.snapshot().diff
    work = partial(smallest, diff, request, context.reporter(request, CALLS))
    return Job(work, lambda found: SmallestChangeAnswer(found))


@handles(SaveRequest)
def save(context: Context, request: SaveRequest) -> Job[str]:
    """Return what is shown as an HTML page."""
    return Job(context.page(request), lambda page: SaveAnswer(page))


@handles(PairRequest)
def pair(context: Context, request: PairRequest) -> Job[Any]:
    """Show the diff of a pair of more than two models."""
    return context.pair_job(request)


def _show_next(context: Context, before: Snapshot, after: Snapshot) -> Done:
    context.replace(before, after)
    return Done()


def _done(_: object) -> Done:
    return Done()
