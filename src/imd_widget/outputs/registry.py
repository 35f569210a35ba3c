"""The kinds of output that there are: a new kind is a module of its own and one line here."""

from __future__ import annotations

from imd_widget._base.kinds import OutputKind
from imd_widget._base.plain import Plain, shown
from imd_widget.counting.channels import Channels
from imd_widget.outputs.base import OutputOptions
from imd_widget.outputs.classes import CLASSES
from imd_widget.outputs.interface import Outputs
from imd_widget.outputs.probabilities import PROBABILITIES
from imd_widget.outputs.spec import OutputSpec
from imd_widget.outputs.values import VALUES

#: Every kind by its name, in the order in which they are tried on outputs of unknown kind.
OUTPUT_SPECS: dict[str, OutputSpec] = {spec.kind: spec for spec in (CLASSES, PROBABILITIES, VALUES)}
#: What ``outputs=`` takes.
CHOICES = ("auto", *OUTPUT_SPECS)


def check_output_options(options: OutputOptions) -> None:
    """Raise InputError if an option has no meaning for the kind that the user named."""
    spec = OUTPUT_SPECS.get(options.outputs)
    if spec is not None and spec.check_options is not None:
        spec.check_options(options)


def outputs_from_plain(plain: Plain) -> Outputs:
    """The outputs that `Outputs.to_plain` wrote."""
    return _spec_of(plain["kind"]).from_plain(plain)


def channels_from_plain(plain: Plain, kind: OutputKind) -> Channels:
    """The channels of a file whose outputs are of this kind."""
    return _spec_of(kind).channels_from_plain(plain)


def hedge(kind: OutputKind) -> str:
    """What a sentence puts before an output of this kind; see `OutputSpec`."""
    return _spec_of(kind).hedge


def _spec_of(kind: object) -> OutputSpec:
    spec = OUTPUT_SPECS.get(kind) if isinstance(kind, str) else None
    if spec is None:
        raise ValueError(f"kind is {shown(kind)}")
    return spec


def chooses_class(outputs: str) -> bool:
    """Whether outputs of this kind are read for one class, which ``pos_label`` names."""
    return outputs == PROBABILITIES.kind
