"""What the package has to know of a kind of output before any output is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from imd_widget._base.kinds import OutputKind
from imd_widget._base.plain import Plain
from imd_widget.counting.channels import Channels
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions
from imd_widget.outputs.interface import Outputs

if TYPE_CHECKING:
    from imd_widget.outputs.values import NumberPlan


@dataclass(frozen=True, eq=False)
class OutputSpec:
    """One kind of output."""

    #: The name of the kind, which ``outputs=`` takes.
    kind: OutputKind
    #: Whether outputs of unknown kind are of this one. The kinds are tried in the order of the
    #: registry, so this may rely on the kinds before it having returned False.
    claims: Callable[[ComparisonInput], bool]
    #: Makes the outputs comparable.
    read: Callable[[ComparisonInput], ComparedOutputs]
    #: From what `Outputs.to_plain` wrote to the outputs.
    from_plain: Callable[[Plain], Outputs]
    #: From plain values to the channels that count such outputs.
    channels_from_plain: Callable[[Plain], Channels]
    #: Raises InputError if an option has no meaning for the kind. It is called before any model is,
    #: if the user named the kind.
    check_options: Callable[[OutputOptions], None] | None = None
    #: What a sentence puts before an output: "about " if it is a mean, which no row need have.
    hedge: str = ""
    #: How outputs become numbers; None for labels. It looks at the distinct outputs only, not at
    #: their rows.
    plan: Callable[[ComparisonInput], NumberPlan] | None = None
