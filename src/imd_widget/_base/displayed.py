"""Results that a notebook shows as sentences and a table, and that are written as Markdown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from imd_widget._base.markdown_text import cell, table_row


@dataclass(frozen=True, eq=False)
class Report:
    """What a result shows of itself."""

    sentences: Sequence[str] = ()
    table: pd.DataFrame | None = None
    #: How numbers of the table are written.
    digits: str = "{:.3g}"

    def html(self) -> str:
        """Return paragraphs and the table; names and values are escaped."""
        parts = [f"<p>{escape(sentence)}</p>" for sentence in self.sentences]
        if self.table is not None:
            parts.append(str(self.table.to_html(float_format=self.digits.format, na_rep="")))
        return "".join(parts)

    def markdown(self) -> str:
        """Return paragraphs and the table; names and values are escaped."""
        lines = [line for sentence in self.sentences for line in (cell(sentence), "")]
        if self.table is not None:
            index = self.table.index
            head = ["" if index.name is None else str(index.name), *map(str, self.table.columns)]
            lines += [table_row(list(map(cell, head))), table_row(["---"] * len(head))]
            for label, *values in self.table.itertuples(name=None):
                lines.append(table_row([cell(str(label)), *map(self._cell, values)]))
        return "\n".join(lines).rstrip() + "\n"

    def _cell(self, value: Any) -> str:
        if isinstance(value, float):
            return "" if value != value else cell(self.digits.format(value))
        return cell("" if value is None else str(value))


class Displayed:
    """A result that displays itself in a notebook."""

    @abstractmethod
    def _report(self) -> Report:
        """Return what is shown."""

    def to_markdown(self) -> str:
        """Return the result as Markdown, for example for an issue or a pull request."""
        return self._report().markdown()

    def _repr_html_(self) -> str:
        return self._report().html()
