"""Code in the text that names something public, ``d.refine()``, leads to the reference.

In Markdown such a name is plain code, so that the pages also read well where they are not built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import imd_widget

#: What the pages call an object of each class.
CALLED = {
    "d": "ModelDiff",
    "w": "DiffWidget",
    "rule": "Rule",
    "d.rules[0]": "Rule",
    "d.rules": "RuleSet",
    "d.metrics": "Metrics",
    "imd.datasets": "datasets",
}
CODE = re.compile(r"([\w.]+(?:\[0\])?)\.(\w+)(?:\(.*\))?")
#: What has an entry of its own.
EXPLAINED = (FunctionType, property, cached_property)
WORD = re.compile(r"\b(?:" + "|".join(imd_widget.__all__) + r")\b")


def meaning(code: str) -> str | None:
    """The public name that a piece of code is about; not every one is explained by itself."""
    found = CODE.fullmatch(code)
    if not found:
        return None
    owner, name = found.groups()
    if owner == "imd" and name in imd_widget.__all__:
        return name
    cls = CALLED.get(owner)
    public = getattr(imd_widget, cls) if cls else None
    if public is None or name.startswith("_") or not hasattr(public, name):
        return None
    own = isinstance(vars(public).get(name), EXPLAINED)
    return f"{cls}.{name}" if own else cls  # the docstring of a class explains its attributes


def link(name: str, text: nodes.Node, document: str) -> pending_xref:
    """A link to it."""
    target = f"{imd_widget.__name__}.{name}"
    return pending_xref(
        "",
        text,
        refdomain="py",
        reftype="obj",
        reftarget=target,
        refdoc=document,
        refexplicit=True,
        refwarn=True,
    )


def linked_words(text: str, document: str) -> Iterator[nodes.Node]:
    """A type in words, its public names as links."""
    end = 0
    for found in WORD.finditer(text):
        yield nodes.Text(text[end : found.start()])
        yield link(found[0], nodes.inline("", found[0]), document)
        end = found.end()
    yield nodes.Text(text[end:])


class ApiLinks(SphinxTransform):
    """Make the links of one page."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        """Literals in the text, and types in the fields of docstrings."""
        page = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            name = meaning(literal.astext())
            if name and not isinstance(
                literal.parent, nodes.reference | pending_xref | nodes.title
            ):
                literal.replace_self(link(name, literal.deepcopy(), page))
        for field in list(self.document.findall(nodes.field_body)):
            for kind in list(field.findall(nodes.emphasis)):
                if WORD.search(kind.astext()):
                    kind[:] = list(linked_words(kind.astext(), page))


def setup(app: Sphinx) -> dict[str, Any]:
    """Do it on every page."""
    app.add_transform(ApiLinks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
