"""One self-contained HTML page: the front-end and the data from which it answers itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from imd_widget._base.errors import Given, InputError, Setting
from imd_widget._base.plain import to_json
from imd_widget._base.validation import check_whole
from imd_widget.comparison.growth import GrowthStep
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.comparison.rows import LONGEST_HELD
from imd_widget.export.html_rows import rows_of_page
from imd_widget.export.html_why import why_of_page
from imd_widget.export.page import page_around
from imd_widget.export.plain_html import plain_diff
from imd_widget.views.build import NO_MODELS, view_of
from imd_widget.views.codec import packed
from imd_widget.views.schema import MESSAGES, MessageKind, PackedView, PageContents, PageWhy

#: Most refinement steps of a page, both before and after the diff.
MOST_STEPS = 20
#: Most characters of JSON that the steps before the diff, which are no option, may add to a page.
MOST_HISTORY = 8_000_000
#: Most nodes of a tree whose growth a page holds.
MOST_GROWN = 255
NO_GROWTH = "This page does not show how the tree grows: a notebook does."
#: Which parts of the data a tree reveals.
OF_A_TREE = (
    "counts of rows, names of columns, the thresholds and categories of its splits, and the "
    "range of those columns"
)
#: Traits of every page, unless it restores others.
SHOWN = {"height": 720, "theme": "auto"}
NO_ROWS = "This page was saved without rows. {} includes 200."


def page_text(
    diff: ModelDiff,
    *,
    before: Sequence[ModelDiff] = (),
    refinements: int = 3,
    rows: int = 0,
    explain: bool = False,
    **state: Any,
) -> str:
    """Return the HTML page of a diff.

    Parameters
    ----------
    before : sequence of ModelDiff
        The diffs that it was refined from, oldest first. The page holds the last of them, up to
        `MOST_HISTORY` characters.
    refinements : int
        Most further refinement steps that the page holds.
    rows : int
        Number of rows of the table that the page holds.
    explain : bool
        Whether the page holds explanations: see `why_of_page`.
    **state
        Traits of the widget that the page restores, by name.
    """
    held = contents(diff, before, refinements, rows, explain=explain)
    return page_around(
        {**SHOWN, **restored(state, held), **to_json(held)},
        title=f"{diff.names[0]} and {diff.names[1]}: where they differ",
        summary=diff.summary(),
        what="the joint tree",
        holds=f"{_holds(held)} {held_rows(held)}{_holds_why(held.why)}",
        plain=plain_diff(diff),
    )


def restored(state: Mapping[str, Any], held: PageContents) -> dict[str, Any]:
    """Return the traits that a page restores; it holds no row other than those of its own."""
    traced, kept = state.get("traced"), held.rows
    if traced and (kept is None or traced["row"] not in kept.positions):
        return {**state, "traced": None}
    return dict(state)


def contents(
    diff: ModelDiff,
    before: Sequence[ModelDiff],
    refinements: int,
    rows: int,
    with_rows: str = 'd.save("diff.html", rows=200)',
    explain: bool = False,
) -> PageContents:
    """Return the data of a page; see `page_text`. ``with_rows``: what would save 200 rows."""
    check_whole("refinements", refinements, 0, MOST_STEPS)
    check_whole("rows", rows, 0, None)
    if rows and not diff.has_rows:
        raise InputError(
            Given("rows", rows),
            ": this diff was read from a file, which holds no rows. Leave ",
            Setting("rows"),
            " out.",
        )
    if explain and not diff.has_rows:
        raise InputError(
            Given("explain", explain),
            ": this diff was read from a file, which holds neither rows nor models. Leave ",
            Setting("explain"),
            " out, or make the diff again with imd.diff(m1, m2, X).",
        )
    before = _last_that_fit(before)
    steps = [*before, diff, *_further(diff, int(refinements))]
    kept = rows_of_page(steps, int(rows)) if rows else None
    growth = growth_of_page(diff)
    grown = len(before) if growth else -1
    return PageContents(
        steps=tuple(
            _view(steps, i, None if kept else with_rows, bool(explain), grows=i == grown)
            for i in range(len(steps))
        ),
        at=len(before),
        rows=kept,
        why=why_of_page(diff) if explain else None,
        growth=growth,
    )


def growth_of_page(diff: ModelDiff) -> tuple[GrowthStep, ...] | None:
    """Return how a tree grows, without thresholds and categories that the tree does not name.

    A split that the tree does not have is its column alone: "income …".

    None for a diff without rows, for a table that is not in memory, and for a large tree.
    """
    if not (diff.has_rows and diff.rows.dataset.in_memory and diff.tree.n_nodes <= MOST_GROWN):
        return None
    steps = diff.growth()
    named = {step.chosen for step in steps}

    columns = sorted(map(str, diff.column_names), key=len, reverse=True)

    def shown(text: str | None) -> str | None:
        if text is None or text in named:
            return text
        return next((f"{name} …" for name in columns if text.startswith(f"{name} ")), None)

    return tuple(
        replace(
            step,
            split1=shown(step.split1),
            split2=shown(step.split2),
            split12=shown(step.split12),
        )
        for step in steps
    )


def _last_that_fit(before: Sequence[ModelDiff]) -> Sequence[ModelDiff]:
    """Return the last diffs whose views have at most `MOST_HISTORY` characters in all."""
    room = MOST_HISTORY
    for number, diff in enumerate(reversed(before[-MOST_STEPS:])):
        room -= len(json.dumps(to_json(packed(view_of(diff, redact=True)))))
        if room < 0:
            return before[len(before) - number :]
    return before[-MOST_STEPS:]


def _further(diff: ModelDiff, steps: int) -> list[ModelDiff]:
    """Return up to ``steps`` further refinements; none for a diff without rows."""
    refinements: list[ModelDiff] = []
    last = diff
    while diff.has_rows and len(refinements) < steps:
        refined = last.refine()
        if refined is last:
            break
        refinements.append(refined)
        last = refined
    return refinements


def _view(
    steps: Sequence[ModelDiff], index: int, with_rows: str | None, with_why: bool, grows: bool
) -> PackedView:
    """Return the view of one step, with the messages that the page cannot answer."""
    before = steps[index - 1] if index else None
    view = view_of(steps[index], before, undoable=index > 0, redact=True)
    lacks: dict[MessageKind, str] = {kind: m.off_page for kind, m in MESSAGES.items() if m.off_page}
    if not grows:
        lacks["growth"] = NO_GROWTH
    if with_rows:
        lacks["rows"] = lacks["csv"] = NO_ROWS.format(with_rows)
    if with_why:
        del lacks["explain"]
    elif not steps[index].has_rows:
        lacks["explain"] = NO_MODELS
    if index == len(steps) - 1:
        lacks["refine"] = view.refinement.reason or "No further step was saved."
    refinement = replace(view.refinement, prepared=steps[-1].refinements)
    return packed(replace(view, lacks=lacks, refinement=refinement))


def _holds(held: PageContents) -> str:
    """Return a sentence about what the page holds of the diff."""
    steps = len(held.steps) - 1
    refined = {0: "", 1: " and 1 refinement step"}.get(steps, f" and {steps} refinement steps")
    return f"This page contains the tree{refined}: {OF_A_TREE}."


def held_rows(held: PageContents) -> str:
    """Return a sentence about the rows of the table that the page holds."""
    rows = held.rows
    if rows is None:
        return "It contains no rows of the table."
    number, total = len(rows.positions), rows.total
    which = f"all {total:,}" if number == total else f"{number:,} of the {total:,}"
    text = (
        f"It contains {which} rows of the table, with all columns and the outputs of both models."
    )
    if rows.cut:
        values = "1 text is" if rows.cut == 1 else f"{rows.cut:,} texts are"
        text += f" {values} cut after {LONGEST_HELD:,} characters."
    return text


def _holds_why(why: PageWhy | None) -> str:
    """Return the sentence about the explanations that the page holds, after a space."""
    if why is None:
        return ""
    made = [own.why for own in why.answers if own.why is not None]
    columns = len({curve.column for own in made for curve in own.curves})
    named = "1 column" if columns == 1 else f"{columns} columns"
    curves = f"curves over {named}, " if columns else ""
    times = "once" if len(made) == 1 else f"for {len(made)} selections of rows"
    return (
        f" It explains both models {times}: contributions and importance of columns, {curves}trees "
        "that imitate them. Numbers and dates in them are rounded, and categories that fewer than "
        f"{FEWEST_SHARED} rows have are left out."
    )
