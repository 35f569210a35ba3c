"""`PatchedModel`: two models and a patch as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from imd_widget._base.errors import Argument, InputError, InPython, Quoted
from imd_widget._base.spelling import respelled
from imd_widget.data.table import Table, open_table
from imd_widget.deciding.patch import Patch
from imd_widget.models.adapters import (
    ModelOutput,
    can_predict,
    classes_of,
    gives_probabilities,
    predict,
)
from imd_widget.models.coercion import as_array
from imd_widget.models.libraries.registry import estimator_kind
from imd_widget.rules.rule import RuleSet


def _both_have(self: PatchedModel, holds: Any) -> bool:
    return bool(holds(self.old) and holds(self.new))


def _have_probabilities(self: PatchedModel) -> bool:
    return _both_have(self, gives_probabilities)


def _can_be_scored(self: PatchedModel) -> bool:
    return estimator_kind(self) is not None


class PatchedModel(BaseEstimator):
    """A model that is replaced by another one inside some rules.

    It is made by `imd_widget.patch`, and works wherever a scikit-learn model does. Outside the
    rules its outputs are those of the other model to the bit. Both models are fitted already:
    `fit` does nothing, and ``clone`` of scikit-learn keeps them as they are.

    Parameters
    ----------
    old, new : model, callable or str
        Anything with ``predict``, a function of the table, or the name of a column with outputs.
    patch : Patch
        The rules, and which model is used inside them.

    Attributes
    ----------
    rules : RuleSet
    figures : PatchFigures or None
        What the patch fixes and breaks.
    classes_ : ndarray
        The classes of both models, if both have them.
    """

    #: What headlines call the model by default.
    name_in_diffs: ClassVar[str] = "patched"

    def __init__(self, old: Any, new: Any, patch: Patch) -> None:
        self.old = old
        self.new = new
        self.patch = patch

    @property
    def rules(self) -> RuleSet:
        """The rules of the patch."""
        return self.patch.rules

    @property
    def figures(self) -> Any:
        """What the patch fixes and breaks; None without ``y``."""
        return self.patch.figures

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of both models."""
        first, second = classes_of(self.old), classes_of(self.new)
        if first is None or second is None:
            raise AttributeError("classes_: not both models have classes_")
        more = [label for label in respelled(first, second) if label not in second]
        return np.asarray(second) if not more else np.unique(np.array([*second, *more]))

    def differs_inside(self, other: Any) -> RuleSet | None:
        """Return the rules outside of which the outputs are those of ``other``.

        These are the rules of the patch if ``other`` is the model that is used outside, and None
        otherwise. `imd_widget.diff` describes these rules instead of fitting some.
        """
        outside = self.new if self.patch.inside == "old" else self.old
        is_same = other == outside if isinstance(other, str) else other is outside
        return self.patch.rules if is_same else None

    def read_columns(self) -> tuple[str, ...]:
        """Return the names of the columns that outputs are read from."""
        return tuple(model for model in (self.old, self.new) if isinstance(model, str))

    def fit(self, X: Any = None, y: Any = None) -> PatchedModel:
        """Do nothing: both models are fitted."""
        del X, y
        return self

    def __sklearn_clone__(self) -> PatchedModel:
        return PatchedModel(self.old, self.new, self.patch)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.new, "__sklearn_tags__"):
            own = get_tags(self.new)
            tags.estimator_type = own.estimator_type
            tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the output of the patched model for each row of ``X``: shape (n_rows,).

        Both models are called with all rows, since some give other last digits for fewer rows.
        """
        table = open_table(X)
        return self._merged(table, *(self._output(name, table, "class") for name in _NAMES))

    @available_if(_have_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class in ``classes_``: shape (n_rows, n_classes)."""
        table, known = open_table(X), self.classes_.tolist()
        both = []
        for name in _NAMES:
            output = self._output(name, table, "proba")
            own = respelled(output.classes or (), known)
            values = np.zeros((table.n_rows, len(known)))
            values[:, [known.index(label) for label in own]] = output.values
            both.append(values)
        return self._merged(table, *(ModelOutput(one, "X") for one in both))

    @available_if(_can_be_scored)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, or the R² of a regressor."""
        own = ClassifierMixin if estimator_kind(self) == "classifier" else RegressorMixin
        return float(own.score(self, X, y, sample_weight))

    def to_sql(self, old: str | None = None, new: str | None = None) -> str:
        """Return an SQL expression of the patched output; see `Patch.to_sql`.

        Models that are names of columns name them here too.
        """
        names = [
            own if given is None and isinstance(own, str) else given
            for own, given in ((self.old, old), (self.new, new))
        ]
        return self.patch.to_sql(*names)

    def save(self, path: Any) -> Any:
        """Write the rules and figures, but no model, as ``.json``; return the path.

        ``imd.patch(old, new, imd.load(path))`` makes the patched model again.
        """
        return self.patch.save(path)

    def _output(self, name: str, table: Table, kind: str) -> ModelOutput:
        model = getattr(self, name)
        if isinstance(model, str):
            if model not in table.place:
                raise InputError(
                    "the patch reads the outputs of a model from the column ",
                    Quoted(model),
                    f", which {table.argument} does not have.",
                )
            return ModelOutput(table.get(table.place[model]).to_numpy(), name)
        return predict(model, table, name, kind, at_once=True)

    def _merged(self, table: Table, old: ModelOutput, new: ModelOutput) -> NDArray[Any]:
        """Return the outputs of one model inside the rules, and of the other one elsewhere."""
        inside, outside = (old, new) if self.patch.inside == "old" else (new, old)
        mask, values = self.patch.mask(table.native), inside.values
        if not mask.any():
            return outside.values
        kinds = {values.dtype.kind, outside.values.dtype.kind}
        if len(kinds) == 1 or kinds <= set("biuf"):
            return np.where(mask.reshape(-1, *[1] * (values.ndim - 1)), values, outside.values)
        # the same labels may be text in one model, and numbers in the other
        own = list(dict.fromkeys(values[mask].tolist()))
        spelled = dict(zip(own, respelled(own, set(outside.values.tolist())), strict=True))
        merged = outside.values.astype(object)
        merged[mask] = [spelled[value] for value in values[mask].tolist()]
        return as_array(merged.tolist(), Argument("X"))


_NAMES = ("old", "new")


def check_models(old: Any, new: Any) -> None:
    """Raise InputError for arrays of outputs, which cannot be called with other rows."""
    for name, model in zip(_NAMES, (old, new), strict=True):
        if not (isinstance(model, str) or can_predict(model)):
            raise InputError(
                Argument(name),
                f" is {type(model).__name__}, the outputs of a model, which cannot be called with "
                "other rows. Pass the model itself, a function of the table",
                InPython(", or the name of a column with the outputs"),
                ".",
            )
