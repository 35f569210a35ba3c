"""Words of texts: rules about what texts contain, how long they are and which signs they have."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import matthews_corrcoef
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.data import deriving, words
from imd_widget.data.derivation import Derivation
from imd_widget.data.table import encode, flag_codes, open_table
from imd_widget.rules.conditions import condition
from imd_widget.rules.languages import condition_query, condition_sql
from imd_widget.tree.shape import Kind
from tests.examples import examples
from tests.unit.large_tables import cut, diff_frames
from tests.unit.test_dates import by_sql, flipped, texts

N = 1500
FILLER = """
the a of to and is in it you that he was for on are with as his they be at one have this from or had
by hot some we can out other were all there when up use your how said each she which do their time
if will way about many then them would write like so these her long make
""".split()  # noqa: SIM905 - texts are easier to read
SCRIPTS = {
    "Latin": ("refund", "refunds"),
    "Cyrillic": ("возврат", "возвраты"),
    "Greek": ("επιστροφή", "επιστροφής"),
    "Devanagari": ("वापसी", "वापस"),
    "Arabic": ("استرداد", "استردادات"),
    "Hangul": ("환불", "환불금"),
}


def reviews(word: str, other: str = "", n: int = N, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Made-up texts, and which of them have a word; as many have another one like it."""
    rng = np.random.default_rng(seed)
    has = rng.random(n) < 0.15
    rows = []
    for row in range(n):
        own = rng.choice(FILLER, rng.integers(8, 30)).tolist()
        if has[row]:
            own.insert(rng.integers(len(own)), word.upper() if rng.random() < 0.3 else word)
        elif other and rng.random() < 0.2:
            own.insert(rng.integers(len(own)), other)
        rows.append(" ".join(own) + str(rng.choice([".", "!", ""])))
    return pd.DataFrame({"review": rows, "stars": rng.integers(1, 6, n)}), has


def agree_everywhere(d: ModelDiff, X: pd.DataFrame, where: NDArray[np.bool_]) -> None:
    """Mask, prediction, pandas query and SQL select the rows."""
    rule = d.rules[0]
    assert (rule.mask(X) == where).all()
    assert X.query(rule.to_query()).index.tolist() == np.flatnonzero(where).tolist()
    assert (by_sql(X, rule.to_sql()) == where).all()


@pytest.mark.parametrize("word, other", SCRIPTS.values(), ids=SCRIPTS)
def test_a_planted_word_is_found_in_any_script(word: str, other: str) -> None:
    X, has = reviews(word, other)
    X.loc[::50, "review"] = None
    has = has & X["review"].notna().to_numpy()
    d = flipped(X, has)
    assert texts(d) == [f"review contains '{words.fold(word)}'"]
    agree_everywhere(d, X, has)


def test_words_of_scripts_without_spaces_are_found_within_texts() -> None:
    rng = np.random.default_rng(0)
    has = rng.random(N) < 0.2
    signs = list("我们的服务很好但是产品太贵了请尽快联系客户谢谢老板再来一次吧")
    rows = []
    for own in has:
        text = "".join(rng.choice(signs, 20))
        rows.append(f"{text[:9]}退款{text[11:]}" if own else text)
    X = pd.DataFrame({"评论": rows, "n": rng.random(N)})
    d = flipped(X, has)
    assert set(texts(d)) <= {"评论 contains '退款'", "评论 contains '退'", "评论 contains '款'"}
    agree_everywhere(d, X, has)


def test_a_pair_of_words_is_found() -> None:
    rng = np.random.default_rng(0)
    X, _ = reviews("good")
    pairs = rng.choice(["not good", "good, not", "not so good", "good"], N)
    X["review"] = [f"{text} {pair}" for text, pair in zip(X["review"], pairs, strict=True)]
    where = (pairs == "not good") & (X["stars"] > 2).to_numpy()
    d = flipped(X, where, derive={"review": ["words"]})
    assert sorted(texts(d)[0].split(" and ")) == ["review contains 'not good'", "stars >= 3"]
    agree_everywhere(d, X, where)


@pytest.mark.parametrize("side", ["above", "below"])
def test_lengths_are_said_in_words(side: str) -> None:
    X, _ = reviews("refund")
    n_words = X["review"].str.count(r"\w+").to_numpy()
    where = n_words >= 20 if side == "above" else n_words < 12
    d = flipped(X, where)
    found = "20 or more" if side == "above" else "fewer than 12"
    assert texts(d) == [f"review has {found} words"]
    agree_everywhere(d, X, where)


SIGNS = {
    "question mark": (" why?", "review has a question mark"),
    "digit": (" 42", "review has a digit"),
    "link": (" see https://example.org/x", "review has a link"),
    "list": ("\n- one\n- two", "review has a list"),
    "code": (" `x = y`", "review has code"),
    "line break": ("\nfine", "review has a line break"),
    "capitals": (" ÉCRIT", "review has capitals"),
    "Cyrillic letters": (" да", "review has Cyrillic letters"),
    "Chinese characters": (" 退款", "review has Chinese characters"),
    "emoji": (" 🙂", "review has emoji"),
}
TOGETHER = {  # signs that come with others
    *("link", "list"),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_are_found(sign: str) -> None:
    more, text = SIGNS[sign]
    X, has = reviews("the")
    X["review"] = np.where(has, X["review"] + more, X["review"])
    d = flipped(X, has, derive={"review": ["signs"]})
    assert text in texts(d)[0] or sign in TOGETHER
    agree_everywhere(d, X, has)
    for flag in (True, False):
        column = next(
            c for c in d.tree.columns if isinstance(c.name, Derivation) and c.name.part == sign
        )
        one = condition(column, 1 if flag else 2)
        assert (one.mask(open_table(X)) == (has == flag)).all()
        assert X.query(condition_query(one)).index.tolist() == np.flatnonzero(has == flag).tolist()
        assert (by_sql(X, condition_sql(one)) == (has == flag)).all()


def test_what_was_derived_can_be_asked_for_again() -> None:
    X, has = reviews("refund")
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), unit="h")
    d = flipped(X, has)
    assert d.derived == {"review": ("length", "signs", "words"), "day": ("hour", "weekday")}
    again = flipped(X, has, derive=d.derived)
    assert [c.name for c in again.tree.columns] == [c.name for c in d.tree.columns]
    assert flipped(X, has, derive=None, columns=["stars"]).derived == {}


def test_signs_that_all_texts_have_are_not_derived() -> None:
    X, has = reviews("refund")
    signs = {c.name.part for c in flipped(X, has).tree.columns if isinstance(c.name, Derivation)}
    assert "Latin letters" not in signs  # every text has some
    assert "Greek letters" not in signs


# --- what a word is -----------------------------------------------------------------------------

ALPHABET = "abBsSßﬁKſİıéÉe\u0301ñдДΣσςकिากا\u064b退款カ_-' .,!?\n\t09²️❤(+*[\\^$"
TEXTS = st.lists(st.none() | st.text(ALPHABET, max_size=12), min_size=1, max_size=8)


def is_letter(character: str) -> bool:
    """Whether a character is part of a word: a letter, digit, underscore or mark of the scripts."""
    category = unicodedata.category(character)[0]
    mark = any(low <= ord(character) <= high for low, high in words.MARKS)
    return category in "LN" or character == "_" or mark


def naive_words(text: str) -> list[str]:
    """The words of a text, one character after the other."""
    found, current = [], ""
    for character in unicodedata.normalize("NFC", text).casefold():
        if is_letter(character):
            current += character
        elif current:
            found.append(current)
            current = ""
    return [*found, current] if current else found


def naive_contains(text: str | None, term: str) -> bool:
    if text is None:
        return False
    if words.is_unspaced(term):
        return term in unicodedata.normalize("NFC", text).casefold()
    own, wanted = naive_words(text), term.split(" ")
    return any(own[at : at + len(wanted)] == wanted for at in range(len(own)))


def terms_of(values: list[str | None]) -> list[str]:
    found: dict[str, None] = {}
    for text in values:
        own = naive_words(text or "")
        terms = [*own, *(f"{a} {b}" for a, b in pairwise(own))]
        found |= dict.fromkeys(t for t in terms if not words.is_unspaced(t) or len(t) <= 2)
    return list(found)


@settings(max_examples=examples(150), deadline=None)
@given(TEXTS)
@example(["refund", "re", None])
@example(["Straße", "STRASSE", "straẞe", "strase"])
def test_words_are_found_as_by_a_naive_reader(values: list[str | None]) -> None:
    terms = terms_of(values)
    expected = [[naive_contains(text, term) for text in values] for term in terms]
    one_by_one = [words.contains(values, [term])[0].tolist() for term in terms]
    assert one_by_one == expected
    many = [*terms, *(f"nowhere{n}" for n in range(words.FEW_WORDS))]
    assert words.contains(values, many)[: len(terms)].tolist() == expected


@settings(max_examples=examples(25), deadline=None)
@given(TEXTS)
@example(["ßßİ"])
@example(["Straße", "STRASSE", "office", "o\ufb03ce", "ſtop"])
@example(["e\u0301t", "\u00e9t", "ÉT", "et"])
def test_queries_and_sql_about_words_mean_the_mask(values: list[str | None]) -> None:
    X = pd.DataFrame({"my text": pd.Series(values, dtype=object), "row": range(len(values))})
    table = open_table(X)
    missing = any(text is None for text in values)
    for term in terms_of(values)[:6]:
        name = Derivation("my text", 0, "word", term)
        column = deriving.derived_column(name, 9, deriving.RawSample("text", missing), 255)
        for codes in (1, 2, *((9, 10, 8) if missing else ())):
            one = condition(column, codes)
            mask = one.mask(table)
            assert X.query(condition_query(one)).index.tolist() == np.flatnonzero(mask).tolist()
            if term.count("s") > 3:  # ß for ss, and ſ for s: they may be too many
                with suppress(imd.InputError):
                    assert (by_sql(X, condition_sql(one)) == mask).all(), (term, str(one))
            else:
                assert (by_sql(X, condition_sql(one)) == mask).all(), (term, str(one))


@settings(max_examples=examples(40), deadline=None)
@given(TEXTS)
def test_lengths_are_those_of_a_naive_reader(values: list[str | None]) -> None:
    X = pd.DataFrame({"t": pd.Series(values, dtype=object)})
    for unit, length in (("words", lambda text: len(naive_words(text))), ("characters", len)):
        name = Derivation("t", 0, unit)
        found = name.values(X["t"])
        # normalization and case folding do not change the number of words
        assert [None if pd.isna(v) else int(v) for v in found] == [
            None if text is None else length(text) for text in values
        ]
        sample = deriving.RawSample(
            "text", True, texts=np.array(["", "a b c"], object), hashes=np.arange(2, dtype="u8")
        )
        column = deriving.derived_column(name, 9, sample, 255)
        for codes in (1, 2, 5):
            one = condition(column, codes)
            mask = one.mask(open_table(X))
            assert X.query(condition_query(one)).index.tolist() == np.flatnonzero(mask).tolist()
            assert (by_sql(X, condition_sql(one)) == mask).all()


def test_a_word_is_found_as_a_whole_in_any_case() -> None:
    values = [
        "a REFUND!",
        "refunds",
        "prefund",
        "re-fund",
        "refund_",
        "(refund)",
        "re fund",
        None,
    ]
    assert words.contains(values, ["refund"])[0].tolist() == [
        *[True, False, False, False, False, True, False, False]
    ]
    assert words.contains(values, ["re"])[0].tolist() == [
        *[False, False, False, True, False, False, True, False]
    ]


def test_conditions_read_naturally() -> None:
    name = Derivation("review", 0, "word", "refund")
    column = deriving.derived_column(name, 9, deriving.RawSample("text", True), 255)
    read = {codes: str(condition(column, codes)) for codes in (1, 2, 8, 9, 10, 7)}
    assert read == {
        1: "review contains 'refund'",
        2: "review does not contain 'refund'",
        8: "review is missing",
        9: "review is missing or contains 'refund'",
        10: "review is missing or does not contain 'refund'",
        7: "review is not missing",
    }


def test_a_word_with_too_many_spellings_is_refused_in_sql() -> None:
    name = Derivation("review", 0, "word", "ssssss")
    column = deriving.derived_column(name, 9, deriving.RawSample("text"), 255)
    with pytest.raises(imd.InputError, match="too many spellings for SQL"):
        condition_sql(condition(column, 2))


# --- the vocabulary -------------------------------------------------------------------------------


def test_the_vocabulary_holds_words_that_are_neither_rare_nor_everywhere() -> None:
    values = ["the rare thing" if n < 3 else f"the cat {n % 4} sat" for n in range(1000)]
    found = words.vocabulary(values)
    assert "cat" not in found  # in 99.7 % of the texts
    assert "rare" not in found  # in 3 texts
    assert {"0", "1", "2", "3", "cat 0", "0 sat"} <= set(found)
    assert words.vocabulary(values[::-1]) == found
    assert words.vocabulary(values, most=3) == ["3", "3 sat", "cat 3"]


def test_ten_thousand_distinct_words_and_a_very_long_text() -> None:
    rng = np.random.default_rng(0)
    has = rng.random(N) < 0.2
    rows = [
        " ".join([*(f"w{n}" for n in rng.integers(0, 10_000, 20)), *(["tax"] if own else [])])
        for own in has
    ]
    rows[0] += " long" * 200_000
    X = pd.DataFrame({"body": rows})
    d = flipped(X, has)
    assert texts(d) == ["body contains 'tax'"]
    assert (d.predict(X) == has).all()


def test_a_word_may_be_the_name_of_a_column() -> None:
    X, has = reviews("stars")
    d = flipped(X, has)
    assert texts(d) == ["review contains 'stars'"]
    agree_everywhere(d, X, has)


def test_permuted_outputs_give_no_confirmed_rule() -> None:
    X, has = reviews("refund")
    for seed in range(3):
        d = flipped(X, np.random.default_rng(seed).permutation(has))
        assert not d.rules or "not shown to be better than chance" in d.summary(), d.summary()


def test_words_do_not_depend_on_the_outputs() -> None:
    X, has = reviews("refund")
    one, two = flipped(X, has), flipped(X, X["stars"] > 3, measure="holdout")
    assert [c.name for c in one.tree.columns] == [c.name for c in two.tree.columns]


def test_rules_are_fewer_and_as_good_as_those_of_a_tree_over_counted_words() -> None:
    X, has = reviews("refund", "refunds", n=3000)
    where = has & (X["stars"] > 2).to_numpy()
    d = flipped(X, where, measure="holdout")
    aside = d.kept_aside
    counted = CountVectorizer(min_df=0.005, max_df=0.6, binary=True).fit(X["review"][~aside])
    rows = np.column_stack([counted.transform(X["review"]).toarray(), X["stars"]])
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(rows[~aside], where[~aside])
    by_hand = matthews_corrcoef(where[aside], tree.predict(rows[aside]))
    assert matthews_corrcoef(where[aside], d.predict(X)[aside]) >= by_hand
    assert len(d.rules) <= tree.get_n_leaves()


# --- tables, files and partitions -----------------------------------------------------------------


def test_free_text_is_replaced_by_what_is_derived_from_it() -> None:
    X, has = reviews("refund")
    X["kind"] = np.where(X["stars"] > 3, "not so bad", "very bad indeed")  # repeats: no free text
    d = flipped(X, has)
    names = [column.name for column in d.tree.columns]
    assert [name for name in names if not isinstance(name, Derivation)] == ["stars", "kind"]
    assert {name.source for name in names if isinstance(name, Derivation)} == {"review"}
    with pytest.warns(imd.InputWarning, match="'review' holds a different value"):
        flipped(X, has, derive=None)


def test_a_table_of_one_text_column() -> None:
    X, has = reviews("refund")
    for table in (X[["review"]], X[["review"]].to_numpy()):
        d = flipped(table, has)
        assert (d.predict(table) == has).all()


def test_every_library_and_file_gives_the_same_rules(tmp_path: Path) -> None:
    X, has = reviews("refund")
    X.loc[::50, "review"] = None
    has = has & X["review"].notna().to_numpy()
    own = flipped(X, has)
    for table in (
        pl.from_pandas(X),
        pa.Table.from_pandas(X),
        X.astype({"review": object}),
        X.astype({"review": "string"}),
        X.astype({"review": "category"}),
        X.convert_dtypes(dtype_backend="pyarrow"),
    ):
        d = flipped(table, has)
        assert texts(d) == texts(own) == ["review contains 'refund'"]
        assert (own.predict(table) == has).all()
        if isinstance(table, pd.DataFrame):
            found = table.query(own.rules[0].to_query()).index
            assert found.tolist() == np.flatnonzero(has).tolist()
    back = imd.load(own.save(tmp_path / "d.json"))
    assert back.rules == own.rules
    assert (back.predict(X) == has).all()
    assert back.column_names == ("review", "stars")


def test_a_file_holds_no_word_that_nothing_asks_about(tmp_path: Path) -> None:
    X, has = reviews("refund")
    d = flipped(X, has & (X["stars"] > 2).to_numpy())
    asked = {str(c.column) for rule in (*d.rules, *d.agreement) for c in rule.conditions}
    splits = np.flatnonzero(d.tree.kind == Kind.SPLIT).tolist()
    asked |= {str(d.tree.columns[d.tree.question(node).column].name) for node in splits}
    text = (tmp_path / "d.json").read_text() if d.save(tmp_path / "d.json") else ""
    assert "'refund' in review" in text
    derived = [c for c in d.tree.columns if isinstance(c.name, Derivation)]
    unasked = [c.name for c in derived if str(c.name) not in asked]
    assert len(unasked) > 20
    assert not [name for name in unasked if f'"{name}"' in text]


@pytest.mark.parametrize("edges", [(), (700,), (10, 300, 300, 1400)])
def test_partitions_make_no_difference(
    edges: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deriving, "MOST_TEXTS", 400)  # so that texts are sampled
    X, has = reviews("refund")
    X.loc[5:400:7, "review"] = None
    where = has & X["review"].notna().to_numpy() & (X["stars"] > 1).to_numpy()
    frame = X.assign(old=0, new=where.astype(int))
    whole = imd.diff(
        frame["old"].to_numpy(), frame["new"].to_numpy(), X, measure="holdout", names=["old", "new"]
    )
    parts = diff_frames(cut(frame, edges), {"m1": "old", "m2": "new"})
    assert [c.name for c in parts.tree.columns] == [c.name for c in whole.tree.columns]
    assert parts.to_dict()["rules"] == whole.to_dict()["rules"]
    assert parts.metrics == whole.metrics


def test_a_holdout_of_its_own_is_encoded_as_the_table() -> None:
    X, has = reviews("refund")
    table = open_table(X)
    d = imd.diff(
        lambda rows: np.zeros(len(rows), int),
        lambda rows: rows["review"].str.contains(r"\brefund\b", case=False).astype(int),
        X[:1000],
        holdout=X[1000:],
    )
    assert texts(d) == ["review contains 'refund'"]
    assert d.rules[0].holdout_support == has[1000:].sum()
    codes = encode(table, d.tree.columns).codes
    flags = flag_codes(table, dict(enumerate(d.tree.columns)))
    for at, own in flags.items():
        column = d.tree.columns[at]
        expected = column.encode(table.find(column.name, column.position))
        assert (own == expected).all()
        assert (codes[at] == expected).all()


MUTATIONS: dict[str, tuple[Any, str]] = {
    "a pattern": ({"word": "(a+)+$"}, "a column is derived from the word"),
    "no word": ({"word": ""}, "a column is derived from the word"),
    "three words": ({"word": "a b c"}, "a column is derived from the word"),
    "unknown part": ({"part": "minute"}, "the part of a derived column is 'minute'"),
    "a list": ({"source": ["x"]}, "is"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_files_that_were_changed_by_hand_are_refused(mutation: str) -> None:
    plain = Derivation("review", 0, "word", "refund").to_plain()
    change, message = MUTATIONS[mutation]
    with pytest.raises((ValueError, TypeError), match=message):
        Derivation.from_plain({**plain, **change})
    assert Derivation.from_plain(plain) == Derivation("review", 0, "word", "refund")
