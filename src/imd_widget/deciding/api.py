"""`patch`: a new model that is the old one inside some rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.validation import check_whole
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.deciding.choosing import LabelledRows, halves, parts_of
from imd_widget.deciding.patch import Inside, Patch, check_inside
from imd_widget.deciding.patched_model import PatchedModel, check_models
from imd_widget.rules.rule import Rule, RuleSet


def patch(
    old: Any,
    new: Any,
    rules: Any,
    X: Any = None,
    *,
    y: Any = None,
    inside: Inside = "old",
    sample_weight: Any = None,
    groups: Any = None,
    names: Sequence[str] | None = None,
    random_state: int = 0,
) -> PatchedModel:
    """Make a model that is ``new``, but ``old`` inside some rules.

    With rules, all of them are patched. With a diff and ``y``, the rules are chosen: inside which
    of them is ``old`` right more often beyond chance, at a level of 5 % over all rules together
    (Holm)? What the patch fixes and breaks is then measured on other rows: `PatchFigures`.

    Parameters
    ----------
    old, new : model, callable or str
        Anything with ``predict``, a function of the table, or the name of a column with outputs.
    rules : Rule, RuleSet, ModelDiff or Patch
        The rules to patch; a diff, to choose from its rules with ``y``; or a patch, such as
        ``imd.load`` returns.
    X : table, optional
        Rows that the diff has not used. One half of them chooses the rules, the other one measures
        the patch. None: the rows of the diff. The rules are then chosen on the rows they were
        fitted to, and measured on the rows kept aside; without such rows the rules are found again
        on one half of the rows, chosen there, and measured on the other half.
    y : array of shape (n_rows,), optional
        The true outputs for the rows of ``X``, or of the diff; None takes the ``y`` of the diff.
        It may be missing for some rows, which must not depend on the models.
    inside : {"old", "new"}, default="old"
        The model that is used inside the rules. "new": a careful release, which is the old model
        except inside the rules where the new one is better.
    sample_weight, groups : array of shape (n_rows,), optional
        For the rows of ``X``, as in `imd_widget.diff`.
    names : tuple of two str, optional
        Names of the models; by default those of the diff.
    random_state : int, default=0
        Chooses the halves.

    Returns
    -------
    PatchedModel
        A scikit-learn estimator. ``.patch`` has the rules and figures.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 40)})
    >>> old, new = lambda t: t["age"] < 40, lambda t: t["age"] < 50
    >>> d = imd.diff(old, new, X, y=X["age"] < 40, names=("old", "new"))
    >>> patched = imd.patch(old, new, d)
    >>> print(patched.patch)
    old inside, new elsewhere:
      age is 40 to 49
    On 500 other rows it fixes 101 and breaks 0: net +20.2 % (+16.9 to +23.9 %). With 95 %
    confidence it breaks at most 0.6 % of new rows.
    >>> bool((patched.predict(X) == old(X)).all())
    True
    >>> patched.to_sql("pred_old", "pred_new")
    'CASE WHEN ("age" >= 40 AND "age" < 50) THEN "pred_old" ELSE "pred_new" END'
    """
    check_models(old, new)
    check_whole("random_state", random_state, 0)
    inside = check_inside(inside)
    if isinstance(rules, Patch):
        return PatchedModel(old, new, rules)
    if isinstance(rules, ModelDiff):
        made = _chosen(rules, old, new, X, y, inside, sample_weight, groups, random_state)
    else:
        made = _given(rules, X, y, inside)
    if names is not None:
        made = replace(made, names=_two(names))
    return PatchedModel(old, new, made)


def _chosen(
    diff: ModelDiff,
    old: Any,
    new: Any,
    X: Any,
    y: Any,
    inside: Inside,
    sample_weight: Any,
    groups: Any,
    seed: int,
) -> Patch:
    """Return the patch of the rules of a diff that are chosen by the truth."""
    if X is not None:
        options = {"y": y, "sample_weight": sample_weight, "groups": groups}
        evidence = LabelledRows.of(diff, old, new, X, inside, **options)
        own = evidence.judged.rows.dataset.groups
        rules = diff.rules
        on, aside = halves(evidence.judged.table.n_rows, own, seed)
    else:
        n_rows, dataset, both = diff.table.n_rows, diff.rows.dataset, diff.predictions
        rules, on, aside = parts_of(diff, seed)
        evidence = LabelledRows.of(
            diff,
            both.iloc[:, 0].to_numpy(),
            both.iloc[:, 1].to_numpy(),
            diff.table.native,
            inside,
            y=diff.truth if y is None else y,
            sample_weight=None if dataset.weights is None else dataset.weights.whole[:n_rows],
            groups=None if dataset.groups is None else dataset.groups[:n_rows],
        )
    kept = evidence.chosen(rules, on)
    figures = evidence.measured(kept, aside, candidates=len(rules), chosen_on=len(on))
    return Patch(diff.names, kept, inside, figures)


def _given(rules: Any, X: Any, y: Any, inside: Inside) -> Patch:
    """Return the patch of all rules that are given."""
    if X is not None or y is not None:
        raise InputError(
            Argument("y" if X is None else "X"),
            " is only used to choose among the rules of a diff, and rules were given: pass the "
            "diff, or measure the patch with imd.diff(new, patched, X, y=y).",
        )
    if isinstance(rules, Rule):
        rules = RuleSet((rules,), None)
    elif not isinstance(rules, RuleSet):
        several = list(rules) if isinstance(rules, Sequence | np.ndarray) else []
        if not several or not all(isinstance(rule, Rule) for rule in several):
            raise InputError(
                Argument("rules"),
                f" is {type(rules).__name__}: expected rules, such as d.rules[:2] or "
                "d.rules[[0, 2]], a diff with ",
                Argument("y"),
                ", or a patch that imd.load returned.",
            )
        rules = RuleSet(tuple(several), None)
    return Patch(rules.names or ("old", "new"), rules, inside)


def _two(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2:
        raise InputError(
            Argument("names"), f" is {names!r}: expected two names, of the old and the new model."
        )
    return str(names[0]), str(names[1])
