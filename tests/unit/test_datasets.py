"""The made-up tables: the same rows for the same seed, and wrong in the way that they say."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.datasets import (
    census,
    deliveries,
    film_club,
    judged_answers,
    pumps,
    small_cluster,
)

#: Each table, and its columns in which values are missing.
TABLES = [
    (census, ["sector"]),
    (deliveries, ["rain_mm", "courier_months", "cause"]),
    (pumps, ["temperature_c", "days_since_service"]),
    (small_cluster, []),
]
Made = Callable[..., pd.DataFrame]


@pytest.mark.parametrize("made, missing", TABLES)
def test_the_same_seed_gives_the_same_rows(made: Made, missing: list[str]) -> None:
    table = made(500, random_state=3)
    pd.testing.assert_frame_equal(table, made(500, random_state=3))
    assert not table.equals(made(500, random_state=4))


@pytest.mark.parametrize("made, missing", TABLES)
def test_its_columns_are_those_of_its_docstring(made: Made, missing: list[str]) -> None:
    table = made(2_000)
    returned = (made.__doc__ or "").split("Returns")[1]
    assert re.findall("``(.*?)``", returned) == list(table.columns)
    assert f"(n_rows, {table.shape[1]})" in returned
    assert table.columns[table.isna().any()].tolist() == missing
    assert len(table) == 2_000


@pytest.mark.parametrize("made, missing", [table for table in TABLES if table[1]])
def test_a_diff_takes_it_as_it_is(made: Made, missing: list[str]) -> None:
    table = made(300)
    first = table.select_dtypes("category").iloc[:, 0]
    d = imd.diff(first == first.cat.categories[0], first.cat.codes < 2, table)
    assert d.rules[0].conditions[0].column == first.name


def test_a_census_records_women_too_low_and_nobody_else() -> None:
    people = census(5_000, underrecorded=0.5)
    above = people[people["audited_income"] == ">50K"]
    hidden = above["income"] == "<=50K"
    assert set(above.loc[hidden, "sex"]) == {"woman"}
    assert hidden[above["sex"] == "woman"].mean() == pytest.approx(0.5, abs=0.05)
    below = people["audited_income"] == "<=50K"
    assert (people.loc[below, "income"] == "<=50K").all()
    honest = census(500, underrecorded=0)
    assert (honest["income"] == honest["audited_income"]).all()


def test_women_and_men_are_paid_alike_for_the_same_work() -> None:
    people = census(60_000)
    full_time = people["hours_per_week"].between(36, 43) & (people["occupation"] == "sales")
    over = people["audited_income"] == ">50K"
    share = over[full_time].groupby(people.loc[full_time, "sex"], observed=True).mean()
    assert share["woman"] == pytest.approx(share["man"], abs=0.04)


def test_deliveries_drift_by_as_much_as_they_say() -> None:
    before, after = deliveries(40_000), deliveries(40_000, drifted=True)
    assert before["cause"].isna().all()
    assert "e-bike" not in set(before["vehicle"])
    motor = after["vehicle"].isin(["car", "van"])
    rush = after["hour"].between(17, 19)
    for cause, rows in {
        "bridge closed": motor & (after["district"] == "Harbour"),
        "new lane": motor & rush & (after["district"] == "West"),
        "e-bikes": after["vehicle"] == "e-bike",
    }.items():
        assert ((after["cause"] == cause) == rows).all()

    def minutes(table: pd.DataFrame, district: str, rush: bool) -> float:
        rows = (table["district"] == district) & table["vehicle"].isin(["car", "van"])
        rows &= table["hour"].between(17, 19) == rush
        return float(table.loc[rows, "minutes"].mean())

    for district, rush_hour, change in (
        ("Harbour", False, 15),
        ("West", True, -12),
        ("West", False, 0),
        ("Hills", True, 0),
    ):
        moved = minutes(after, district, rush_hour) - minutes(before, district, rush_hour)
        assert moved == pytest.approx(change, abs=1)


def test_one_site_of_the_pumps_reports_inches() -> None:
    table = pumps(20_000)
    medians = table.groupby("site", observed=True)["vibration_mm_s"].median()
    np.testing.assert_allclose(medians.drop("Galveston") / medians["Galveston"], 25.4, rtol=0.08)
    fails = (table["outcome"] == "fails").groupby(table["site"], observed=True).mean()
    assert np.ptp(fails) < 0.05


def test_a_small_cluster_is_positive_where_the_line_says_negative() -> None:
    points = small_cluster(2_000, noise=0.1, random_state=1)
    cluster = points["cluster"]
    assert cluster.mean() == 0.05
    assert (points.loc[cluster, "true_label"] == "positive").all()
    assert (points.loc[cluster, ["x1", "x2"]] - 2).abs().max().max() < 0.5
    below = points.loc[~cluster, "x2"] < 0
    assert ((points.loc[~cluster, "true_label"] == "positive") == below).all()
    assert (points["label"] != points["true_label"]).mean() == pytest.approx(0.1, abs=0.02)
    assert (small_cluster(noise=0)["label"] == small_cluster(noise=0)["true_label"]).all()


def test_members_of_the_film_club_rate_by_their_taste() -> None:
    club = film_club(n_members=25, n_ratings=40)
    again = film_club(n_members=25, n_ratings=40)
    pd.testing.assert_frame_equal(club.ratings, again.ratings)
    assert club.ratings["rating"].between(1, 5).all()
    assert club.films.columns.tolist() == ["title", *club.film_columns]
    for _, (member, kind, favourite, taste) in club.tastes.iterrows():
        mine = club.ratings[club.ratings["member"] == member]
        assert len(mine) == 40
        assert favourite in taste
        likes = {
            "genre": mine["genre"] == favourite,
            "old": mine["year"] < float(favourite) if kind == "old" else None,
            "short": mine["minutes"] < float(favourite) if kind == "short" else None,
            "critics": mine["critics"] >= float(favourite) if kind == "critics" else None,
            "contrary": mine["critics"] < float(favourite) if kind == "contrary" else None,
        }[kind]
        gap = mine.loc[likes, "rating"].mean() - mine.loc[~likes, "rating"].mean()
        assert gap > 1.2


def test_judges_are_biased_as_they_are_said_to_be() -> None:
    answers = judged_answers()
    listed = answers["answer"].str.contains("\n- ", regex=False)
    long = answers["answer"].str.count(r"\w+") >= 60
    careful = answers["careful"] == "good"
    assert (answers["strict"] == "good")[listed].mean() < 0.05
    assert (answers["fond of length"] == "good")[long].mean() > 0.95
    for judge, apart in (("strict", listed), ("fond of length", long)):
        assert ((answers[judge] == "good") == careful)[~apart].mean() > 0.93
    assert careful[listed].mean() == pytest.approx(careful[~listed].mean(), abs=0.05)
    pd.testing.assert_frame_equal(judged_answers(50), judged_answers(50))
