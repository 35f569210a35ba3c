"""The build fails where a public name, or a member of a public class, is not in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import imd_widget

log = logging.getLogger(__name__)
PACKAGE = imd_widget.__name__
#: Not in the reference, with the reason.
LEFT_OUT = {
    "DiffWidget.view": "for the front-end: what it holds is ModelDiff.to_dict()",
    "Explanation.view": "for the front-end: what it holds is to_dict()",
    "TreeSurrogate.view": "for the front-end: what it holds is to_dict()",
    "ModelWidget.model": "for the front-end",
    "TrackWidget.track": "for the front-end: Track.to_frame() has the same figures",
    "TreeWidget.tree": "for the front-end: what it holds is to_dict() of the tree",
    "JointSurrogateTree.set_fit_request": "scikit-learn's own, the same in every estimator",
    "JointSurrogateTree.set_score_request": "scikit-learn's own, the same in every estimator",
    "PatchedModel.set_score_request": "scikit-learn's own, the same in every estimator",
    "JointTree.over": "how the package makes one",
    "Metrics.of": "how the package makes one",
    "ModelDiff.of": "how the package makes one",
    "Right.of": "how the package makes one",
    "Origin.now": "how the package makes one",
    **{
        f"{condition}.{member}": "for files"
        for condition in ("Interval", "Membership", "Presence")
        for member in ("named", "to_plain")
    },
}


def undocumented(documented: set[str]) -> Iterator[str]:
    """Public names, and members of public classes, that are missing in the reference."""
    for name in imd_widget.__all__:
        if f"{PACKAGE}.{name}" not in documented:
            yield name
            continue
        public = getattr(imd_widget, name)
        if not isinstance(public, type):
            continue
        told = attributes(public.__doc__ or "")
        for member in vars(public):
            full = f"{name}.{member}"
            hidden = member.startswith("_") or full in LEFT_OUT or member in told
            if not hidden and f"{PACKAGE}.{full}" not in documented:
                yield full


def attributes(docstring: str) -> set[str]:
    """Names that the docstring of a class explains: in its parameters and attributes."""
    heads = re.findall(r"^ *((?:\w+, )*\w+)(?: : .*)?$", docstring, flags=re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of each; warnings are errors."""
    del app
    objects = cast("PythonDomain", env.get_domain("py")).objects
    for name in undocumented(set(objects)):
        log.warning("imd_widget.%s is public and is missing in docs/api.md", name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Look at the end, when everything has been read."""
    app.connect("env-check-consistency", check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
