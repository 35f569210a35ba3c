"""`Vote`: the majority of some models, as a model that can be called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from imd_widget.data.table import open_table
from imd_widget.models.adapters import predict
from imd_widget.outputs.several.base import SeveralOutputs

#: What the vote is called.
MOST_OTHERS = "most of the others"


@dataclass(frozen=True, eq=False)
class Vote:
    """A function of a table that calls all models: the majority of all but one."""

    #: All of them; each can be called.
    models: Sequence[Any]
    #: What an error message calls each of them.
    arguments: Sequence[str]
    #: Index of the model that is left out.
    own: int
    #: The kind of outputs that was requested of them.
    outputs: str
    #: Votes.
    several: SeveralOutputs

    def __call__(self, X: Any) -> NDArray[Any]:
        """Return the vote for each row of a table."""
        table = open_table(X)
        outputs = [
            predict(model, table, argument, self.outputs, at_once=True)
            for model, argument in zip(self.models, self.arguments, strict=True)
        ]
        return self.several.vote(outputs, self.own)
