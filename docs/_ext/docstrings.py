"""Docstrings in numpydoc's form, read by napoleon with three changes.

- The first line of a property is a sentence: with a colon in it, napoleon takes what comes before
  for a type.
- Types are text. In words ("table, tuple or boolean array") they are not names to look up; public
  names in them become links all the same, see `api_links`.
- A dataclass without attributes of its own shows those of its base class.
"""

from __future__ import annotations

import dataclasses
from inspect import cleandoc
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util import inspect

#: Classes that users make; all others are given to them, and how they are made is not shown.
MADE_BY_USERS = (
    "DiffWidget",
    "JointSurrogateTree",
    "LocalModelsClassifier",
    "LocalModelsClassifierCV",
    "KMedoidsDensity",
    "GaussianDensity",
    "MCDDensity",
)
CONFIG = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=[("Attributes", "params_style")],
)


def read(app: Sphinx, what: str, name: str, public: Any, options: Any, lines: list[str]) -> None:
    """Turn sections into reStructuredText, in place."""
    if what == "class" and dataclasses.is_dataclass(public) and "Attributes" not in lines:
        lines += inherited_attributes(public)
    kind = "method" if what in {"property", "attribute"} else what
    parsed = NumpyDocstring(lines, CONFIG, app, kind, name, public, options).lines()
    lines[:] = [line.replace(") -- ", ") – ", 1) for line in parsed]


def inherited_attributes(cls: type) -> list[str]:
    """Return the section "Attributes" of the nearest base class that has one."""
    for base in cls.__mro__[1:]:
        lines = cleandoc(vars(base).get("__doc__") or "").splitlines()
        if "Attributes" in lines:
            return ["", *lines[lines.index("Attributes") :]]
    return []


def plain_classes(
    app: Sphinx, what: str, name: str, public: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """No signature where nobody calls it: diffs, rules and measures are given, not made."""
    del app, name, options, returns
    if what == "class":
        if public.__name__ not in MADE_BY_USERS:
            return "", ""
        own = inspect.signature(public.__init__, bound_method=True)  # not that of a metaclass
        own = own.replace(return_annotation=own.empty)
        return inspect.stringify_signature(own, show_annotation=False), ""
    return None if what == "exception" else (signature, "")


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", read)
    app.connect("autodoc-process-signature", plain_classes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
