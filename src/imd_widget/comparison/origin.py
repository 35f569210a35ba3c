"""`Origin`: when and from which models a diff was made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.version import __version__


@dataclass(frozen=True)
class Origin(Displayed):
    """When and from which models a diff was made; a file holds it with the diff.

    Attributes
    ----------
    when : str
        Time in UTC, such as "2026-10-01T08:30:00Z".
    version : str
        Version of imd-widget.
    model_ids : tuple of two (str or None)
        Address of either model in MLflow, such as "models:/m-1f3" or "runs:/4a5b"; None for a model
        that has none.
    tags : mapping of str to str
        The ``tags`` that were given.
    """

    when: str
    version: str
    model_ids: tuple[str | None, str | None] = (None, None)
    tags: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def now(cls, models: Sequence[Any] | None, tags: Mapping[str, str] | None) -> Origin:
        """Return the origin of a diff that is made now."""
        first, second = (None, None) if models is None else map(model_id, models)
        return cls(_now(), __version__, (first, second), dict(tags or {}))

    @property
    def date(self) -> str:
        """The date, such as "2026-10-01"."""
        return self.when[:10]

    def _report(self) -> Report:
        return Report((f"{self}.",))

    def __str__(self) -> str:
        parts = [f"made on {self.date} with imd-widget {self.version}"]
        known = [model for model in self.model_ids if model is not None]
        parts += [f"from {' and '.join(known)}"] if known else []
        return ", ".join([*parts, *(f"{key} {text}" for key, text in self.tags.items())])


def _now() -> str:
    """Return the time, or that in SOURCE_DATE_EPOCH, so that files can be reproduced."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def model_id(model: Any) -> str | None:
    """Return the address of a model that MLflow has loaded; None for any other.

    Examples
    --------
    >>> model_id(len) is None
    True
    """
    if type(model).__module__.partition(".")[0] != "mlflow":
        return None
    metadata = getattr(model, "metadata", None)
    own, run = (getattr(metadata, name, None) for name in ("model_id", "run_id"))
    if own:
        return f"models:/{own}"
    path = getattr(metadata, "artifact_path", None)
    return f"runs:/{'/'.join(map(str, (run, path) if path else (run,)))}" if run else None
