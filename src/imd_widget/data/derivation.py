"""Derived columns: parts of dates and properties of texts, computed from a column of the table.

A derived column is an ordinary column whose name is a `Derivation`. It is computed wherever it is
looked up by this name and never stored in a table, so that rules about it can be applied to any
table that has the raw column, and models get the table as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from imd_widget._base.plain import Plain, short, shown, whole
from imd_widget._base.plain_values import from_plain, to_plain
from imd_widget.data.date_parts import DATE_PARTS, date_values
from imd_widget.data.words import SIGNS, as_texts, contains, has_sign, is_term, lengths

#: What is derived from dates and from texts, by the names that ``derive=`` takes.
FROM_DATES = (*DATE_PARTS, "weekend")
FROM_TEXTS = ("words", "length", "signs")
#: The lengths of texts.
UNITS = ("words", "characters")

_NAMES: Mapping[str, str] = {
    **{part: f"{{source}} {part}" for part in FROM_DATES},
    "day": "{source} day of the month",
    "part_of_day": "{source} part of the day",
    **{unit: f"number of {unit} in {{source}}" for unit in UNITS},
    **{sign: f"{sign} in {{source}}" for sign in SIGNS},
    "word": "'{word}' in {source}",
}


@dataclass(frozen=True)
class Derivation:
    """How a derived column is computed; it is the name of that column."""

    #: Name of the raw column.
    source: Hashable
    #: Position of the raw column in the table.
    at: int
    #: A part of dates, one of `FROM_DATES`; "words" or "characters", the length of a text; a sign
    #: such as "digit"; or "word": whether a text contains ``word``.
    part: str
    #: A word, or two words and a space between them, case folded.
    word: str = ""
    #: The first value in the order of a part of dates.
    start: int = 0
    #: The time zone of moments.
    zone: str | None = None

    def __str__(self) -> str:
        return _NAMES[self.part].format(source=self.source, word=self.word)

    @property
    def asked(self) -> str:
        """What ``derive=`` calls it: "words", "length", "signs", or a part of dates."""
        if self.part == "word":
            return "words"
        if self.part in UNITS:
            return "length"
        return "signs" if self.part in SIGNS else self.part

    @property
    def is_flag(self) -> bool:
        """Whether the values are booleans."""
        return self.part not in DATE_PARTS and self.part not in UNITS

    @property
    def is_one_of_many(self) -> bool:
        """Whether the column is one of hundreds that were derived together: a word."""
        return self.part == "word"

    @property
    def of_text(self) -> bool:
        """Whether the raw column holds texts."""
        return self.part not in FROM_DATES

    @property
    def sources(self) -> tuple[tuple[Hashable, int]]:
        """Name and position of the raw column."""
        return ((self.source, self.at),)

    def values(self, raw: pd.Series[Any]) -> pd.Series[Any]:
        """Return the derived values of the rows of a raw column."""
        if not self.of_text:
            return date_values(raw, self.part, self.start, self.zone)
        texts = as_texts(raw)
        if self.part in UNITS:
            return lengths(texts, self.part)
        if self.part == "word":
            [found] = contains(texts, [self.word])
        else:
            found = has_sign(texts, self.part)
        missing = pd.isna(pd.Series(texts, dtype=object)).to_numpy(dtype=bool)
        if not missing.any():
            return pd.Series(found)
        return pd.Series(pd.arrays.BooleanArray(found, missing))

    def to_plain(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "source": to_plain(self.source, "the column name"),
            "at": self.at,
            "part": self.part,
            "word": self.word,
            "start": self.start,
            "zone": self.zone,
        }

    @classmethod
    def from_plain(cls, plain: Plain) -> Derivation:
        """Return the derivation that `to_plain` wrote, checked."""
        source, part, zone = from_plain(plain["source"]), plain["part"], plain["zone"]
        hash(source)
        if part not in _NAMES:
            raise ValueError(f"the part of a derived column is {shown(part)}")
        start, word = whole(plain["start"], "the start", 0, 31), short(plain["word"], "a word")
        kind = DATE_PARTS.get(part)
        if kind is not None and start not in kind.order(kind.first):
            raise ValueError(f"the order of {part} starts at {shown(start)}")
        if part == "word" and not is_term(word):
            raise ValueError(f"a column is derived from the word {shown(word)}")
        at = whole(plain["at"], "the position of a column", 0, 1 << 31)
        return cls(
            source, at, part, word, start, None if zone is None else short(zone, "a time zone")
        )
