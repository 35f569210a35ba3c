"""`ModelComparison`: the result of `compare`, with its matrix, scores, diffs and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd

from imd_widget._base.errors import InputError, Quoted
from imd_widget._base.kinds import OutputKind
from imd_widget._base.verbs import verb
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.many.figures import Figures
from imd_widget.many.pairs import FittedPairs, Pairs
from imd_widget.many.sentences import sentences

if TYPE_CHECKING:
    from imd_widget.widget.comparison_widget import ComparisonWidget

#: Pairs whose diffs a file holds, unless others are named: those that differ most.
PAIRS_IN_FILES = 5


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """Which of two or more models differ, how much, and, for each two of them, where.

    A comparison is immutable. `compare` makes it from rows; `load` reads it from a file without
    rows, and whatever needs rows then raises an error. ``c["LR", "RF"]`` is the `ModelDiff` of two
    models; it is made when it is read, without calling a model, and remembered.

    Attributes
    ----------
    figures : Figures
        What a file holds of the comparison: its matrix, scores and order.
    diffs : Pairs
        Where the diffs of two models come from.
    """

    figures: Figures
    diffs: Pairs

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return self.figures.names

    @property
    def order(self) -> tuple[str, ...]:
        """The names by similarity: average linkage, with the optimal order of its leaves."""
        return tuple(self.names[at] for at in self.figures.order)

    @property
    def has_rows(self) -> bool:
        """Whether the comparison holds the rows that it was made from; False after `load`."""
        return isinstance(self.diffs, FittedPairs)

    @property
    def outputs(self) -> OutputKind:
        """The kind of outputs that is compared: "class", "proba" or "value"."""
        return self.figures.outputs

    @property
    def tolerance(self) -> float | str | None:
        """Two outputs differ if they are more than this apart; None for classes.

        It is the same for every two models. A relative tolerance is a text, such as "10 %".
        """
        return self.figures.tolerance

    @property
    def n_rows(self) -> int:
        """Rows of the table that count: those with a weight above 0."""
        return self.figures.n_rows

    @property
    def disagreement(self) -> pd.DataFrame:
        """Share of the rows, by weight, on which two models differ: a row and column per model."""
        return self._frame(self.figures.shares)

    @property
    def n_differing(self) -> pd.DataFrame:
        """Number of rows on which two models differ: a row and a column per model."""
        return self._frame(self.figures.rows)

    @property
    def scores(self) -> pd.DataFrame | None:
        """How good each model is on the rows with ``y``; None without ``y``.

        A row per model. ``accuracy``: share of the rows about which it is right; of probabilities,
        a model is right if it gives the true class more than 0.5. ``mean absolute error``: of
        probabilities and values, the mean distance from ``y``. ``best``: whether the model with
        the best score, which is the accuracy, and for values the error, cannot be told apart from
        this one (or is this one). Two models are told apart by McNemar's exact test, and by
        Student's test of the difference of their errors, at 5 % over all pairs together (Holm).
        Shares and means are by weight.
        """
        scores = self.figures.scores
        if scores is None:
            return None
        columns: dict[str, list[Any]] = {scores.name: [one.score for one in scores.models]}
        if not scores.is_error and scores.models[0].error is not None:
            columns["mean absolute error"] = [one.error for one in scores.models]
        columns["best"] = [one.best for one in scores.models]
        return pd.DataFrame(columns, index=pd.Index(self.names, name="model"))

    @property
    def fixes(self) -> pd.DataFrame | None:
        """Rows that going from one model to another puts right; None without ``y``.

        ``c.fixes.loc["LR", "RF"]`` is the number of rows with ``y`` about which LR is wrong and RF
        right: what RF fixes of LR. ``c.fixes.loc["RF", "LR"]`` is what it breaks.
        """
        scores = self.figures.scores
        return None if scores is None else self._frame(scores.fixes)

    @property
    def told_apart(self) -> pd.DataFrame | None:
        """Whether two models have different scores, beyond what chance explains.

        A row and a column per model; None without ``y``, and in files of earlier versions. The test
        is that of ``best`` in `scores`, at 5 % over all pairs together.
        """
        scores = self.figures.scores
        return None if scores is None or scores.apart is None else self._frame(scores.apart)

    @property
    def skipped(self) -> Mapping[str, str]:
        """The models that ``errors="skip"`` left out, and why."""
        return MappingProxyType({one.name: one.reason for one in self.figures.skipped})

    def __getitem__(self, pair: Any) -> ModelDiff:
        """Return the diff of two models, given by their names or numbers.

        It equals ``imd.diff(first, second, X, outputs=c.outputs, tolerance=c.tolerance)`` with the
        other options of the comparison.
        """
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(
                f"c[{pair!r}]: the diff of two models is found by both their names, such as ",
                f"c[{self.names[0]!r}, {self.names[1]!r}].",
            )
        first, second = self.number_of(pair[0]), self.number_of(pair[1])
        if first == second:
            raise InputError(
                Quoted(self.names[first]),
                " does not differ from itself: name two models.",
            )
        return self.diffs.diff(first, second)

    def against_rest(self, model: str | int) -> ModelDiff:
        """Return the diff of one model and the majority of the others.

        Of classes, that is the label that most of the others give. Where several labels are equally
        frequent, it is the model's own label if that is one of them, and otherwise the first of
        them in the order of the models: a row differs only if the model gives a label that fewer of
        the others give than another one. Of probabilities and values, it is the median of the
        others.

        Parameters
        ----------
        model : str or int
            Name or number of the model.
        """
        if len(self.names) < 3:
            raise InputError(
                "there are two models, so the others are one: use "
                f"c[{self.names[0]!r}, {self.names[1]!r}]."
            )
        return self.diffs.against_rest(self.number_of(model))

    def largest(self, n: int = PAIRS_IN_FILES) -> tuple[tuple[str, str], ...]:
        """Return the ``n`` pairs of models that differ most, the one with most differences first.

        Of equal ones, the first in the order given comes first.
        """
        return tuple((self.names[i], self.names[j]) for i, j in self.ranked_pairs()[:n])

    def ranked_pairs(self) -> list[tuple[int, int]]:
        """Return the numbers of all pairs of models, the one that differs most first."""
        k = len(self.names)
        pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
        return sorted(pairs, key=lambda pair: -float(self.figures.shares[pair]))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which models are alike, which one stands apart, and which one is best."""
        return sentences(self.figures)

    def summary(self) -> str:
        """Return `sentences` as one text."""
        return " ".join(self.sentences)

    def show(self, **options: Any) -> ComparisonWidget:
        """Return a widget that shows the matrix; ``options`` are those of `imd_widget.show`."""
        return cast("ComparisonWidget", verb("show")(self, **options))

    def plot(self, ax: Any = None, *, order: Literal["similarity", "given"] = "similarity") -> Any:
        """Draw the matrix with matplotlib and return the axes.

        A cell has the share of the rows on which two models differ, in percent; the diagonal has
        the score of each model, if there is a ``y``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw: the matrix is scaled to fit, its text with it. None: a new figure, as
            large as the matrix needs it with text of 8 to 9 points.
        order : {"similarity", "given"}, default="similarity"
            The order of the models.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> c = imd.compare([X[:, 0] < 40, X[:, 0] < 60, X[:, 0] < 65], X)
        >>> ax = c.plot()
        >>> ax.figure.savefig("matrix.pdf", bbox_inches="tight")  # doctest: +SKIP
        """
        return verb("plot")(self, ax, order=order)

    def save(
        self,
        path: str | Path,
        *,
        pairs: Sequence[tuple[str | int, str | int]] | Literal["all"] | None = None,
        refinements: int = 3,
        rows: int = 0,
        explain: bool = False,
    ) -> Path:
        """Write the comparison in the format given by the suffix of ``path``; return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page. ``.svg``, ``.png``: the matrix, see `plot`. ``.json``:
            the matrix and some diffs, for `load`. ``.csv``: a line for each pair. ``.md``: the
            matrix, and the rules of the pairs that are named.
        pairs : sequence of pairs of models, or "all", optional
            The pairs whose diffs the file holds. None: of ``.html`` and ``.json`` the five that
            differ most; of ``.csv`` every pair has its line.
        refinements, rows : int
        explain : bool
            For a page: what it holds of each diff, see `ModelDiff.to_html`.
        """
        options = {"refinements": refinements, "rows": rows, "explain": explain}
        return cast("Path", verb("save")(self, path, pairs=pairs, **options))

    def to_markdown(self) -> str:
        """Return the headline, the matrix and the scores as Markdown."""
        return cast("str", verb("comparison_report")(self, pairs=()))

    def _repr_html_(self) -> str:
        from imd_widget.many.html_table import html_table

        return html_table(self.figures)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        return f"<ModelComparison of {len(self.names)} models: {self.summary()}>"

    def number_of(self, model: Any) -> int:
        """Return the number of a model, given by its name or number."""
        if isinstance(model, str) and model in self.names:
            return self.names.index(model)
        is_number = isinstance(model, Integral) and not isinstance(model, bool)
        if is_number and 0 <= int(model) < len(self.names):
            return int(model)
        why = self.skipped.get(model) if isinstance(model, str) else None
        raise InputError(
            "there is no model ",
            Quoted(model),
            f", which was left out: {why}" if why else ": there are ",
            "" if why else Quoted(*self.names[:10]),
            "" if why else ", ..." if len(self.names) > 10 else ".",
        )

    def _frame(self, matrix: np.ndarray[Any, Any]) -> pd.DataFrame:
        names = list(self.names)
        return pd.DataFrame(matrix.copy(), index=pd.Index(names), columns=pd.Index(names))
