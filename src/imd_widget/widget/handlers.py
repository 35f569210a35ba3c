"""What the widget does for each kind of message: a handler a kind, in a registry.

A new kind has its request, its answer and its row of `MESSAGES` in `imd_widget.views.schema`, and
its handler here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_type_hints

from imd_widget._base.errors import InputError
from imd_widget.comparison.rows import Page, Trace
from imd_widget.export.html import page_text
from imd_widget.views.build import rows_view
from imd_widget.views.schema import (
    ChangeRequest,
    Done,
    HelloRequest,
    PageState,
    RefineRequest,
    RowsAnswer,
    RowsRequest,
    SaveAnswer,
    SaveRequest,
    TraceRequest,
    UndoRequest,
)
from imd_widget.widget.history import Snapshot
from imd_widget.widget.row_pages import RowPages

Request = TypeVar("Request")
Result = TypeVar("Result")


@dataclass
class Context:
    """What a handler may read of the widget, and do to it.

    Attributes
    ----------
    snapshot : callable
        What is shown now.
    show : callable
        Shows another snapshot.
    follow : callable
        Shows the way of a row; None: of none.
    page_state : callable
        What the user has opened, selected and filtered.
    rows : RowPages
    last_trace : object
        Stands for the last request of a trace: an older one is not shown.
    """

    snapshot: Callable[[], Snapshot]
    show: Callable[[Snapshot], object]
    follow: Callable[[Trace | None], object]
    page_state: Callable[[], PageState]
    rows: RowPages = field(default_factory=RowPages)
    last_trace: object = None


class Job(NamedTuple, Generic[Result]):
    """What a message asks for.

    Attributes
    ----------
    work : callable
        May run in another thread: it changes nothing that others see.
    finish : callable
        Runs in the kernel's thread with the result of the work; gives the answer beside its id.
    """

    work: Callable[[], Result]
    finish: Callable[[Result], Mapping[str, Any]]


Handler = Callable[[Context, Request], Job[Any]]
#: By kind. "cancel" has no handler: it stops the threads that the widget itself started.
HANDLERS: dict[str, Handler[Any]] = {}


def handles(request: type[Request]) -> Callable[[Handler[Request]], Handler[Request]]:
    """Register a function as the handler of the messages that are such requests."""
    [kind] = get_args(get_type_hints(request)["kind"])

    def register(handler: Handler[Request]) -> Handler[Request]:
        HANDLERS[kind] = handler
        return handler

    return register


def job_of(context: Context, message: Mapping[str, Any]) -> Job[Any]:
    """What a message asks for, by the handler of its kind."""
    kind = message.get("kind")
    if kind not in HANDLERS:
        raise InputError(f"The widget was asked for {kind!r}, which it cannot do.")
    return HANDLERS[kind](context, message)


@handles(HelloRequest)
def hello(_: Context, __: HelloRequest) -> Job[None]:
    """Answer at once: who hears it knows that the kernel is there, and free."""
    return Job(lambda: None, _done)


@handles(RefineRequest)
def refine(context: Context, _: RefineRequest) -> Job[Snapshot]:
    """One refinement step."""
    snapshot = context.snapshot()
    return Job(snapshot.refined, partial(_go_on, context, snapshot))


@handles(UndoRequest)
def undo(context: Context, _: UndoRequest) -> Job[Snapshot]:
    """Take the last step or change back."""
    snapshot = context.snapshot()
    return Job(snapshot.undone, partial(_go_on, context, snapshot))


@handles(ChangeRequest)
def change(context: Context, request: ChangeRequest) -> Job[Snapshot]:
    """Compare with another depth or sensitivity."""
    options: dict[str, Any] = {**(request.get("options") or {})}
    if "sensitivity" in options and options["sensitivity"] is None:
        options["sensitivity"] = "auto"
    snapshot = context.snapshot()
    return Job(partial(snapshot.changed, options), partial(_go_on, context, snapshot))


@handles(TraceRequest)
def trace(context: Context, request: TraceRequest) -> Job[Trace]:
    """Follow a row, unless another row or another diff is asked for meanwhile."""
    snapshot = context.snapshot()
    context.last_trace = asked = object()

    def finish(found: Trace) -> Done:
        if context.snapshot() is snapshot and context.last_trace is asked:
            context.follow(found)
        return Done()

    return Job(partial(snapshot.diff.trace, request["row"]), finish)


@handles(RowsRequest)
def rows(context: Context, request: RowsRequest) -> Job[Page]:
    """Some rows of a selection."""
    diff = context.snapshot().diff
    return Job(
        partial(context.rows.page, diff, request),
        lambda page: RowsAnswer(rows=rows_view(page)),
    )


@handles(SaveRequest)
def save(context: Context, _: SaveRequest) -> Job[str]:
    """A page of what is shown."""
    snapshot = context.snapshot()
    work = partial(page_text, snapshot.diff, before=snapshot.earlier, **context.page_state())
    return Job(work, lambda page: SaveAnswer(page=page))


def _go_on(context: Context, before: Snapshot, after: Snapshot) -> Done:
    """Show what was worked out, unless something else is shown by now."""
    if context.snapshot() is not before:
        raise InputError("Meanwhile something else is shown: ask again.")
    context.show(after)
    return Done()


def _done(_: object) -> Done:
    return Done()
