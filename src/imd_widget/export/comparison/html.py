"""One self-contained HTML page of more than two models: the matrix, and the diffs of some pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from imd_widget._base.encodable import encodable
from imd_widget._base.plain import to_json
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.html import OF_A_TREE, contents, held_rows, restored
from imd_widget.export.page import page_around
from imd_widget.export.plain_html import rule_tables
from imd_widget.many.html_table import matrix_table
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.many.pairs import StoredPairs
from imd_widget.views.comparison import comparison_view
from imd_widget.views.schema import (
    ComparisonPage,
    ComparisonView,
    MatrixOrder,
    PageContents,
    Theme,
)

#: What would save rows of the table too.
WITH_ROWS = 'c.save("compare.html", rows=200)'
#: Pairs that the page names in its footer.
MOST_NAMED = 12

Pair = tuple[int, int]


@dataclass(frozen=True)
class OpenedPair:
    """The diff of a pair as a widget shows it."""

    diff: ModelDiff
    #: The diffs that it was refined from, oldest first.
    before: Sequence[ModelDiff] = ()
    #: Traits of the widget that the page restores, by name.
    state: Mapping[str, Any] = field(default_factory=dict)


def comparison_page(
    comparison: ModelComparison,
    *,
    pairs: Sequence[Pair],
    refinements: int = 3,
    rows: int = 0,
    explain: bool = False,
    opened: Mapping[Pair, OpenedPair] | None = None,
    shown: Pair | None = None,
    after_each: Callable[[int], None] = lambda _: None,
    **traits: Any,
) -> str:
    """Return the HTML page of a comparison.

    Parameters
    ----------
    pairs : sequence of tuples of two ints
        Numbers of the models of each diff in the page, model 1 first. The page also has the diffs
        of swapped models, if the comparison can make them.
    refinements, rows : int
    explain : bool
        Of each diff: see `imd_widget.export.html.page_text`.
    opened : mapping, optional
        Pairs as a widget shows them, by their numbers; a pair of ``pairs`` is found in either
        order.
    shown : tuple of two ints, optional
        The pair whose diff the page shows at first; by default the first of ``pairs``.
    after_each : callable
        Is called with the number of diffs that are done, after each.
    **traits
        Traits of the widget that the page restores, by name.
    """
    opened = opened or {}
    pages: dict[Pair, dict[str, Any]] = {}
    held: dict[Pair, PageContents] = {}
    tables = [matrix_table(comparison.figures)]
    for done, pair in enumerate(as_shown(pairs, opened, shown), start=1):
        for order in _orders(comparison, pair):
            one = opened.get(order) or OpenedPair(comparison[order])
            made = contents(one.diff, one.before, refinements, rows, WITH_ROWS, explain)
            pages[order] = {**restored(one.state, made), **to_json(made)}
            if order == pair:
                held[pair] = made
                tables += [f"<p>{escape(one.diff.summary())}</p>", rule_tables(one.diff)]
        after_each(done)
    first = shown if shown in pages else next(iter(pages), None)
    return page_around(
        page_data(comparison, pages, first, **traits),
        title=f"{_models(comparison)}: which of them differ, and where",
        summary=comparison.summary(),
        what="the matrix of models",
        holds=_holds(comparison, held),
        plain="\n".join(tables),
    )


def _orders(comparison: ModelComparison, pair: Pair) -> list[Pair]:
    """Return the pair, and the same with swapped models unless it was read from a file without."""
    swapped = pair[1], pair[0]
    diffs = comparison.diffs
    known = not isinstance(diffs, StoredPairs) or swapped in diffs.diffs
    return [pair, swapped] if known else [pair]


def as_shown(pairs: Sequence[Pair], opened: Iterable[Pair], shown: Pair | None) -> list[Pair]:
    """Return the pairs, each once, in the order of models in which a widget shows them."""
    preferred = {frozenset(pair): pair for pair in (*opened, *([shown] if shown else ()))}
    found: dict[frozenset[int], Pair] = {}
    for pair in pairs:
        found.setdefault(frozenset(pair), preferred.get(frozenset(pair), pair))
    return list(found.values())


def page_data(
    comparison: ModelComparison,
    pages: Mapping[Pair, Mapping[str, Any]],
    shown: Pair | None,
    *,
    theme: Theme = "auto",
    height: int = 720,
    matrix_order: MatrixOrder = "similarity",
) -> dict[str, Any]:
    """Return what the front-end reads, from the data of a page of each pair."""
    page = ComparisonPage(
        comparison=_view(comparison, list(pages)),
        pair=tuple(shown or ()),
        matrix_order=matrix_order,
        theme=theme,
        height=height,
        pairs={f"{one},{two}": data for (one, two), data in pages.items()},
    )
    return {**to_json(page), "comparison": encodable(to_json(page.comparison))}


def _view(comparison: ModelComparison, held: Sequence[Pair]) -> ComparisonView:
    return replace(
        comparison_view(comparison),
        openable=tuple(held),
        why_not="This page has no diff of these two models: in the notebook, "
        "c.save('compare.html', pairs=[...]) adds it.",
    )


def _models(comparison: ModelComparison) -> str:
    names, more = comparison.names[:3], len(comparison.names) - 3
    if more > 0:
        return f"{', '.join(names)} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _held(comparison: ModelComparison, held: Sequence[Pair]) -> str:
    """Return the sentence about the pairs in the page."""
    if not held:
        return "It contains no diff of a pair."
    named = [f"{comparison.names[i]} and {comparison.names[j]}" for i, j in held[:MOST_NAMED]]
    more = len(held) - len(named)
    rest = f"; and {more} more" if more else ""
    return f"It contains {'that' if len(held) == 1 else 'those'} of {'; '.join(named)}{rest}."


def _holds(comparison: ModelComparison, pages: Mapping[Pair, PageContents]) -> str:
    """Return the sentences about the user's data in the page."""
    held, k = list(pages), len(comparison.names)
    total = k * (k - 1) // 2
    matrix = f"This page contains how many rows each two of {k} models differ on, and the diffs of "
    which = f"{matrix}{len(held)} of {total} pairs. {_held(comparison, held)}"
    if not held:
        return f"{which} It contains no rows of the table."
    trees = f"For each pair it contains the tree and its refinement steps: {OF_A_TREE}."
    rows = held_rows(pages[held[0]])
    if pages[held[0]].rows is not None:
        rows = rows.replace("It contains", "For each pair it contains", 1)
    why = " For each pair it explains both models." if pages[held[0]].why is not None else ""
    return f"{which} {trees} {rows}{why}"
