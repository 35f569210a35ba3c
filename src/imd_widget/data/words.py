r"""Words of texts: which texts contain a word or a pair of words, how long they are, their signs.

A word is a run of letters, digits, underscores and the marks that scripts such as Devanagari write
beside letters. Texts are compared after Unicode normalization (NFC) and case folding, so that a
word is found in any case, and only as a whole: "re" is not found in "refund". Two words are a pair
if no other word is between them. Chinese and Japanese have no spaces between words; there, one or
two characters in a row are looked for wherever they are.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import as_objects

#: Marks that belong to words, as ranges of code points; ``\w`` has none of them.
MARKS = (
    (0x0300, 0x036F),  # diacritics
    (0x0591, 0x05BD),  # Hebrew
    (0x064B, 0x065F),  # Arabic
    (0x0900, 0x0963),  # Devanagari
    (0x0980, 0x0DF3),  # Bengali to Sinhala
    (0x0E31, 0x0E3A),  # Thai
    (0x0E47, 0x0E4E),
    (0x102B, 0x103E),  # Burmese
    (0x17B4, 0x17D3),  # Khmer
)
#: The characters of words, for a class of Python's regular expressions.
WORD_CLASS = r"\w" + "".join(rf"\u{low:04x}-\u{high:04x}" for low, high in MARKS)
#: Letters of scripts, and other characters, that are looked for in texts.
LETTERS = {
    "Latin letters": "[A-Za-zÀ-ÖØ-öø-ɏ]",
    "Greek letters": "[Ͱ-Ͽἀ-῾]",
    "Cyrillic letters": "[Ѐ-ӿ]",
    "Hebrew letters": "[א-ת]",
    "Arabic letters": "[ء-ي]",
    "Devanagari letters": "[ऄ-ह]",
    "Thai letters": "[ก-ะ]",
    "Korean letters": "[가-힣]",
    "Japanese letters": "[ぁ-ゖァ-ヺ]",
    "Chinese characters": "[㐀-䶿一-鿿]",
    "emoji": "[☀-➿\U0001f300-\U0001faff]",
}
#: Those that no text of ASCII characters has.
BEYOND_ASCII = frozenset(LETTERS) - {"Latin letters"}
#: The signs that are looked for in texts, as regular expressions that Python and RE2 read alike.
SIGNS = {
    "question mark": "[?？؟]",
    "digit": "[0-9]",
    "link": r"(?:https?://|www\.)",
    "list": r"(?m)^[ \t]*(?:[-*•]|[0-9]+[.)])[ \t]",
    "code": r"\x60",
    "line break": r"\n",
    # several in a row
    "capitals": "[A-ZÀ-ÖØ-ÞΑ-ΡΣ-ΫЀ-Я]{3}",
    **LETTERS,
}

#: Words in fewer or more than these shares of the texts are not derived ...
RAREST, MOST_COMMON = 0.005, 0.6
#: ... nor those in fewer texts than this.
FEWEST_TEXTS = 5
#: A small table may have this many words all the same.
FEWEST_WORDS = 100
#: Maximum number of words and pairs of words of a column, and minimum number of texts for each: of
#: many words, some differ between any two halves of a small table.
MOST_WORDS, TEXTS_PER_WORD = 500, 4
#: Maximum number of characters of a word, and of one in a script without spaces.
LONGEST_WORD, LONGEST_UNSPACED = 40, 2
#: With up to this many words, texts are searched for each; with more, they are cut into words.
FEW_WORDS = 8

_TOKENS: Callable[[str], list[str]] = re.compile(f"[{WORD_CLASS}]+").findall
#: Hiragana, Katakana and Han.
_UNSPACED = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED_RUNS: Callable[[str], list[str]] = re.compile(f"[{_UNSPACED}]+").findall


def fold(text: str) -> str:
    """Return a text as it is compared: normalized (NFC) and case folded."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def is_unspaced(word: str) -> bool:
    """Whether a word is written in a script without spaces between words."""
    return _UNSPACED_RUNS(word) == [word]


def is_term(text: str) -> bool:
    """Whether a text is one folded word, or a pair of words, as `vocabulary` returns them."""
    words = text.split(" ")
    return len(words) <= 2 and _TOKENS(text) == words and fold(text) == text


def word_pattern(word: str) -> str:
    """Return the regular expression of a word, or of a pair of words, in a folded text."""
    if is_unspaced(word):
        return word
    between = f"[^{WORD_CLASS}]+".join(word.split(" "))
    return f"(?<![{WORD_CLASS}]){between}(?![{WORD_CLASS}])"


def as_texts(series: pd.Series[Any]) -> list[str | None]:
    """Return the values of a column of texts; None where one is missing, or is not text."""
    return [value if isinstance(value, str) else None for value in as_objects(series)]


def contains(texts: Sequence[str | None], words: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts contain each of the words, of shape (n_words, n_texts)."""
    if len(words) > FEW_WORDS and all(map(_is_listed, words)):
        return _contains_by_tokens(texts, words)
    found = np.zeros((len(words), len(texts)), dtype=bool)
    folded = ["" if text is None else fold(text) for text in texts]
    for own, word in zip(found, words, strict=True):
        search = re.compile(word_pattern(word)).search
        own[:] = [search(text) is not None for text in folded]
    return found


def without_word(text: str, word: str) -> str:
    """Return a text without a word, or pair of words, that it contains.

    The rest stays as it is, unless case folding is needed to find the word.
    """
    pattern = re.compile(rf"\s?{word_pattern(word)}", re.IGNORECASE)
    rest = text
    for own in (text, unicodedata.normalize("NFC", text), fold(text)):
        rest = own
        while (shorter := pattern.sub("", rest)) != rest:  # what is left may be the pair again
            rest = shorter
        if not contains([rest], [word])[0, 0]:
            break
    return rest if text[:1].isspace() else rest.lstrip()


def _contains_by_tokens(texts: Sequence[str | None], words: Sequence[str]) -> NDArray[np.bool_]:
    numbers = {word: number for number, word in enumerate(words)}
    pairs = {tuple(word.split(" ")): number for word, number in numbers.items() if " " in word}
    found = np.zeros((len(words), len(texts)), dtype=bool)
    has_unspaced = any(map(is_unspaced, words))
    for row, text in enumerate(texts):
        if text is None:
            continue
        tokens = _TOKENS(fold(text))
        terms = numbers.keys() & _single_words(tokens, has_unspaced)
        own = [numbers[term] for term in terms]
        if pairs:
            own += [pairs[pair] for pair in pairs.keys() & pairwise(tokens)]
        found[own, row] = True
    return found


def _single_words(tokens: list[str], unspaced: bool = True) -> set[str]:
    """Return the words of a text, and the characters and pairs of characters of unspaced ones."""
    terms = set(tokens)
    if unspaced:
        for token in tokens:
            if token.isascii():
                continue
            for run in _UNSPACED_RUNS(token):
                terms.update(run)
                terms.update(run[at : at + 2] for at in range(len(run) - 1))
    return terms


def _is_listed(word: str) -> bool:
    """Whether `_single_words` lists a word, or both words of a pair, wherever a text has it."""
    return len(word) <= LONGEST_UNSPACED or not _UNSPACED_RUNS(word)


def _is_asked(word: str) -> bool:
    return _is_listed(word) and len(word) <= LONGEST_WORD


def vocabulary(texts: Iterable[str], most: int = MOST_WORDS) -> list[str]:
    """Return the words and pairs of words that rules may use, sorted.

    They are the most frequent of those that are neither rare nor in most texts; see `RAREST`. Of
    words in equally many texts, those that are first in the alphabet are taken.
    """
    tokens = [_TOKENS(fold(text)) for text in texts]
    singles: Counter[str] = Counter()
    for own in tokens:
        singles.update(_single_words(own))
    n_texts = len(tokens)
    least, largest = max(math.ceil(RAREST * n_texts), FEWEST_TEXTS), MOST_COMMON * n_texts
    # a pair is at most as frequent as either word
    frequent = {word for word, count in singles.items() if count >= least}
    pairs: Counter[tuple[str, str]] = Counter()
    for own in tokens:
        known = [word if word in frequent else "" for word in own]
        pairs.update({pair for pair in pairwise(known) if "" not in pair})
    counts = {word: count for word, count in singles.items() if count >= least}
    counts |= {" ".join(pair): count for pair, count in pairs.items() if count >= least}
    kept = [word for word, count in counts.items() if count <= largest and _is_asked(word)]
    most = min(most, max(n_texts // TEXTS_PER_WORD, FEWEST_WORDS))
    return sorted(sorted(kept, key=lambda word: (-counts[word], word))[:most])


def has_sign(texts: Sequence[str | None], sign: str) -> NDArray[np.bool_]:
    """Return which texts have a sign; see `SIGNS`."""
    search = re.compile(SIGNS[sign]).search
    beyond = sign in BEYOND_ASCII
    return np.array(
        [
            text is not None and not (beyond and text.isascii()) and search(text) is not None
            for text in texts
        ],
        dtype=bool,
    )


def lengths(texts: Sequence[str | None], unit: str) -> pd.Series[Any]:
    """Return the number of "words" or "characters" of texts; missing where a text is."""
    count = len if unit == "characters" else _n_words
    numbers = np.array([0 if text is None else count(text) for text in texts], dtype=np.int64)
    missing = np.array([text is None for text in texts], dtype=bool)
    if not missing.any():
        return pd.Series(numbers)
    return pd.Series(pd.arrays.IntegerArray(numbers, missing))


def _n_words(text: str) -> int:
    return len(_TOKENS(text))


def n_pieces(text: str) -> int:
    """Return roughly how many words a text has, also in scripts without spaces."""
    return len(text.split()) + sum(len(run) // 2 for run in _UNSPACED_RUNS(text))


def spellings(word: str) -> Iterator[str]:
    """Yield the spellings of a folded word that a search without regard to case does not equate.

    Such a search compares characters one by one, and the folded "ss" may be one character, "ß".
    """
    folds = _long_folds()
    ends = {0: [""]}
    for end in range(1, len(word) + 1):
        own = [head + word[end - 1] for head in ends[end - 1]]
        for size in (2, 3):
            for one in folds.get(word[max(end - size, 0) : end], ()) if end >= size else ():
                own += [head + one for head in ends[end - size]]
        ends[end] = own
    yield from dict.fromkeys(ends[len(word)])


@cache
def _long_folds() -> dict[str, list[str]]:
    """Return the characters that case folding replaces by several ones, by these."""
    found: dict[str, list[str]] = {}
    for number in range(0x80, 0x10000):
        folded = chr(number).casefold()
        if len(folded) > 1:
            found.setdefault(folded, []).append(chr(number))
    return found
