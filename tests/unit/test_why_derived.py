"""What if a condition on a word, a part of a date, a length or a score did not hold?"""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.data.derivation import Derivation
from imd_widget.data.words import contains, without_word
from imd_widget.rules.derived_languages import derived_point_text, premise

mpl.use("Agg")

RNG = np.random.default_rng(3)
N = 2000
FILLERS = np.array(
    [
        "the",
        "a",
        "parcel",
        "came",
        "late",
        "again",
        "and",
        "nobody",
        "called",
        "about",
        "it",
        "today",
    ]
)
FLAGGED = RNG.random(N) < 0.3
REVIEWS = [
    " ".join(RNG.choice(FILLERS, RNG.integers(4, 18))) + (" Refund now" if own else "")
    for own in FLAGGED
]
X = pd.DataFrame(
    {
        "when": (
            pd.Timestamp("2024-01-01", tz="Europe/Berlin")
            + pd.to_timedelta(RNG.integers(0, 200 * 24 * 60, N), unit="m")
        ),
        "review": pd.Series(REVIEWS, dtype=object),
        "k": RNG.normal(size=N),
    }
)


def base(table: pd.DataFrame) -> NDArray[np.float64]:
    return (table["k"] * 0.1).to_numpy()


def at_night(table: pd.DataFrame) -> NDArray[np.float64]:
    hour = table["when"].dt.hour
    return base(table) + np.where((hour >= 22) | (hour <= 1), 1.0, 0.0)


def on_weekends(table: pd.DataFrame) -> NDArray[np.float64]:
    return base(table) + (table["when"].dt.day_of_week >= 5).to_numpy(float)


def of_refunds(table: pd.DataFrame) -> NDArray[np.float64]:
    return base(table) + table["review"].str.contains("refund", case=False).to_numpy(float)


def of_length(table: pd.DataFrame) -> NDArray[np.float64]:
    return base(table) + (table["review"].str.split().str.len() >= 12).to_numpy(float)


def first_rule(model: Any, **options: Any) -> imd.ModelDiff:
    return imd.diff(model, base, X, outputs="value", tolerance=0.2, **options)


def test_an_hour_has_a_curve_over_all_hours_of_the_day() -> None:
    rule = first_rule(at_night).rules[0]
    assert str(rule).startswith("when hour is 22 to 1")
    e = rule.explain(max_calls=20_000)
    [own] = e.conditions
    by_hour = dict(zip(own.curves.texts, own.curves.difference, strict=True))
    assert set(by_hour) == set(map(str, range(24)))
    night = {"22", "23", "0", "1"}
    assert by_hour == pytest.approx({hour: float(hour in night) for hour in by_hour}, abs=1e-9)
    assert {hour for hour, held in zip(own.curves.texts, own.inside, strict=True) if held} == night
    # the median of the hours after the night
    assert own.sentence in {
        f"If when hour were {hour}, the gap would be 0.00 instead of 1.00." for hour in (11, 12)
    }
    view = e.view().conditions[0]
    assert view.curve.interval is not None
    assert view.curve.interval.low is view.curve.interval.high is None
    e.plot(n=3)


def test_a_date_is_the_nearest_one_with_the_other_part() -> None:
    """The models see days that are as close as possible: no other month."""
    seen: list[pd.DataFrame] = []

    def recorded(table: pd.DataFrame) -> NDArray[np.float64]:
        seen.append(table)
        return on_weekends(table)

    e = first_rule(recorded).rules[0].explain(max_calls=20_000)
    [own] = e.conditions
    rows, n_points = own.curves.rows, len(own.curves.grid)
    [asked] = [table for table in seen if len(table) == len(rows) * n_points]
    moved = asked["when"].to_numpy() - np.repeat(X["when"].to_numpy()[rows], n_points)
    assert np.abs(moved).max() < np.timedelta64(14, "D")
    assert own.sentence == ("If when were on a Wednesday, the gap would be 0.00 instead of 1.00.")


def test_a_word_is_taken_out_of_the_text() -> None:
    derive = {"review": ("words",)}
    for word, there in (("refund", "0.00 instead of 1.00"), ("now", "still be 1.00")):
        d = first_rule(of_refunds, derive=derive)
        e = d.explain(d.rules[0], max_calls=20_000)
        [own] = e.conditions
        assert own.curves.texts == (
            f"does not contain '{own.condition.column.word}'",
            f"contains '{own.condition.column.word}'",
        )
        if own.condition.column.word == word:
            assert own.sentence == (
                f"If review did not contain '{word}', the gap would "
                f"{'be ' if 'instead' in there else ''}{there}."
            )
            assert own.sentence.replace("gap", "gap (of_refunds − base)") in e.summary()


def test_a_length_has_a_curve_over_the_numbers_of_words() -> None:
    [own] = first_rule(of_length, derive={"review": ("length",)}).rules[0].explain().conditions
    assert own.sentence is not None
    assert own.sentence.startswith("If review had ")
    assert own.sentence.endswith(" words, the gap would be 0.00 instead of 1.00.")
    expected = [float(int(text) >= 12) for text in own.curves.texts]
    assert own.curves.difference == pytest.approx(expected, abs=1e-9)
    assert own.inside.tolist() == [own == 1 for own in expected]


def test_a_page_shows_the_conditions_on_derived_columns() -> None:
    d = first_rule(at_night)
    e = d.explain(d.rules[0], max_calls=5_000).for_sharing()
    [own] = e.conditions
    assert own.sentence is not None
    assert (own.curves.support[own.curves.support > 0] * N >= 10).all()


def test_a_score_has_the_columns_that_it_is_computed_from() -> None:
    def margin(table: pd.DataFrame) -> NDArray[np.float64]:
        return (2 * table["a"] - table["b"] - 0.4).to_numpy()

    def old(table: pd.DataFrame) -> NDArray[Any]:
        return np.where(margin(table) > 0, "yes", "no")

    def new(table: pd.DataFrame) -> NDArray[Any]:
        return np.where(np.abs(margin(table)) < 0.3, "no", old(table))

    table = pd.DataFrame(RNG.uniform(size=(3000, 3)), columns=["a", "b", "c"])
    d = imd.diff(old, new, table, scores=True)
    rule = next(own for own in d.rules if "score" in str(own))
    e = rule.explain(max_calls=20_000)
    assert {own.curves.column for own in e.conditions} >= {"a", "b"}
    for own in e.conditions:
        assert own.condition in rule.conditions
        if own.inside.any():
            assert own.sentence is None or own.sentence.startswith(f"If {own.curves.column} were ")
        else:
            assert str(own) == (
                f"No value of {own.curves.column} alone decides whether {own.condition} holds."
            )


@pytest.mark.parametrize(
    "part, value, label, supposed",
    [
        ("hour", 7, "7", "it hour were 7"),
        ("weekday", 6, "Sunday", "it were on a Sunday"),
        ("month", 5, "May", "it were in May"),
        ("day", 3, "3", "it day of the month were 3"),
        ("part_of_day", 0, "night", "it were at night"),
        ("weekend", False, "is not on a weekend", "it were not on a weekend"),
        ("words", 12, "12", "it had 12 words"),
        ("words", 1, "1", "it had 1 word"),
        ("list", False, "has no list", "it had no list"),
        ("capitals", True, "has capitals", "it had capitals"),
        ("list", None, "missing", "it were missing"),
    ],
)
def test_a_value_of_a_derived_column_is_supposed_in_words(
    part: str, value: Any, label: str, supposed: str
) -> None:
    derived = Derivation("it", 0, part)
    assert derived_point_text(derived, value) == label
    assert premise(derived, value) == supposed


@pytest.mark.parametrize(
    "text, word, rest",
    [
        ("A Refund, please", "refund", "A, please"),
        ("refund", "refund", ""),
        ("refunds are no refund", "refund", "refunds are no"),
        ("very very good good day", "very good", "day"),
        ("Die STRASSE, die Straße", "strasse", "die, die"),
        ("猫が好き", "猫", "が好き"),
    ],
)
def test_a_word_is_removed_however_it_is_written(text: str, word: str, rest: str) -> None:
    assert without_word(text, word) == rest
    assert not contains([rest], [word])[0, 0]


def test_no_warning_is_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert first_rule(on_weekends).rules[0].explain(max_calls=5_000).conditions
