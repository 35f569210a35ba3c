"""Data for the demo, the notebooks, the docs and the tests; nothing is downloaded.

A model pair is made from data that comes with scikit-learn. The tables are made up: the same
``random_state`` gives the same rows, and the docstring of each describes what is wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.optional import importing


@dataclass(frozen=True)
class ModelPair:
    """Two fitted models and a table to compare them on."""

    m1: Any
    m2: Any
    #: The table, whole.
    X: pd.DataFrame
    #: The ground truth, which a diff does not need.
    y: np.ndarray[Any, Any]
    #: What to call the models.
    names: tuple[str, str]


def breast_cancer_pair() -> ModelPair:
    """Logistic regression and random forest on breast cancer, as in Figure 2 of the paper.

    The table has all 569 rows, 70 % of which both models were trained on: take it to learn how to
    read a diff, not to judge the models. With models of your own take rows that they have not seen.

    Returns
    -------
    ModelPair

    Examples
    --------
    >>> from imd_widget import datasets
    >>> pair = datasets.breast_cancer_pair()
    >>> pair.X.shape, pair.names
    ((569, 30), ('LR', 'RF'))
    """
    with importing("breast_cancer_pair()"):
        from sklearn.datasets import load_breast_cancer
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer(as_frame=True)
    X = data.data
    y = np.asarray(data.target_names)[data.target]
    X_train, _, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=3)
    # a strong penalty: the two models then disagree about enough rows to look at
    m1 = make_pipeline(StandardScaler(), LogisticRegression(C=0.0005)).fit(X_train, y_train)
    m2 = RandomForestClassifier(random_state=0).fit(X_train, y_train)
    return ModelPair(m1, m2, X, y, names=("LR", "RF"))


#: Of each occupation: its share of women, its weight among all, how much more of it there is with
#: each step of education, and its pay against the others (logarithms).
_OCCUPATIONS = {
    "care": (0.85, 0.12, -0.2, -0.16),
    "engineering": (0.22, 0.12, 0.6, 0.24),
    "management": (0.42, 0.12, 0.5, 0.20),
    "office": (0.74, 0.17, 0.0, -0.10),
    "sales": (0.45, 0.24, 0.0, -0.07),
    "teaching": (0.75, 0.11, 0.5, 0.14),
    "trades": (0.10, 0.13, -0.5, -0.11),
}
_DISTRICTS = ("Harbour", "Hills", "Old Town", "University", "West")
_EDUCATION = ("no diploma", "high school", "college", "bachelor", "master")
_SITES = ("Aberdeen", "Esbjerg", "Galveston", "Rotterdam", "Stavanger")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def census(
    n_rows: int = 30_000, *, underrecorded: float = 0.5, random_state: int = 0
) -> pd.DataFrame:
    """A made-up census in which the income of women is recorded too low.

    Income depends on education, occupation, hours and age, and on nothing else: women
    and men are paid alike for the same work. But they do not do the same work (women are more often
    in care, offices and schools, and work part-time), and of the women above 50K a share is
    recorded below.

    Parameters
    ----------
    n_rows : int, default=30_000
    underrecorded : float, default=0.5
        Share of the women who earn more than 50K and are recorded below.
    random_state : int, default=0

    Returns
    -------
    DataFrame of shape (n_rows, 10)
        ``age`` in years, ``education`` (ordered), ``occupation``, ``hours_per_week``,
        ``marital_status``, ``sector`` (missing for some), ``capital_gain`` in dollars a year,
        ``sex``; ``income`` as it was recorded and ``audited_income`` as it is, "<=50K" or ">50K".

    Examples
    --------
    >>> from imd_widget import datasets
    >>> people = datasets.census(1_000)
    >>> hidden = people[people["income"] != people["audited_income"]]
    >>> hidden["sex"].unique().tolist()
    ['woman']
    """
    rng = np.random.default_rng(random_state)
    women, weight, steps, pay = np.array(list(_OCCUPATIONS.values())).T
    woman = rng.random(n_rows) < 0.48
    education = rng.choice(5, n_rows, p=[0.12, 0.34, 0.25, 0.20, 0.09])
    odds = weight * np.where(woman[:, None], women, 1 - women)
    odds *= np.exp(steps * (education[:, None] - 1.8))
    occupation = _drawn(rng, odds)
    age = np.clip(rng.normal(42, 12, n_rows).round(), 18, 75).astype(int)
    married = rng.random(n_rows) < 0.75 / (1 + np.exp((32 - age) / 7))
    divorced = rng.random(n_rows) < 0.3
    part_time = rng.random(n_rows) < np.where(woman, np.where(married, 0.42, 0.18), 0.06)
    overtime = rng.random(n_rows) < np.where(woman, 0.2, 0.5)
    kind = np.where(part_time, 0, np.where(overtime, 2, 1))
    usual, spread = np.array([24, 39.5, 50])[kind], np.array([4, 1.5, 4])[kind]
    hours = np.clip(rng.normal(usual, spread).round(), 8, 80).astype(int)
    gain = np.where(rng.random(n_rows) < 0.08, rng.lognormal(8, 1, n_rows).round(-2), 0.0)
    earns = np.log(50) + pay[occupation] + 0.05 * (education - 1.8) + 0.8 * np.log(hours / 40)
    earns += 0.15 * np.clip((age - 40) / 15, None, 0) + gain / 50_000
    over = earns + rng.normal(0, 0.3, n_rows) > np.log(50)
    hidden = woman & (rng.random(n_rows) < underrecorded)
    sector = rng.choice(["private", "public", "self-employed"], n_rows, p=[0.7, 0.18, 0.12])
    marital_status = np.where(married, "married", np.where(divorced, "divorced", "single"))
    return pd.DataFrame(
        {
            "age": age,
            "education": _categories(np.array(_EDUCATION)[education], _EDUCATION, ordered=True),
            "occupation": _categories(np.array(list(_OCCUPATIONS))[occupation]),
            "hours_per_week": hours,
            "marital_status": _categories(marital_status),
            "sector": _categories(sector, missing=rng.random(n_rows) < 0.06),
            "capital_gain": gain,
            "sex": _categories(np.where(woman, "woman", "man")),
            "income": np.where(over & ~hidden, ">50K", "<=50K"),
            "audited_income": np.where(over, ">50K", "<=50K"),
        }
    )


def deliveries(
    n_rows: int = 4_000, *, drifted: bool = False, random_state: int = 0
) -> pd.DataFrame:
    """Made-up deliveries of meals in a town, and how long they took.

    Times depend on distance, vehicle, rush hour, district, items, rain and experience. In heavy
    rain (from 4 mm on) they are mostly luck. With ``drifted`` three things are new:

    - *bridge closed*: cars and vans take 15 minutes longer into Harbour;
    - *new lane*: from 17 to 20 o'clock cars and vans are 12 minutes faster in West;
    - *e-bikes*: four of ten bikes are e-bikes now, which take half the time for a kilometre.

    Parameters
    ----------
    n_rows : int, default=4_000
    drifted : bool, default=False
        Whether it is the year after.
    random_state : int, default=0

    Returns
    -------
    DataFrame of shape (n_rows, 10)
        ``district``, ``vehicle``, ``distance_km``, ``hour`` of the day, ``weekday`` (ordered),
        ``items``, ``rain_mm`` in an hour (missing where the gauge failed), ``courier_months`` of
        experience (missing for couriers of an agency); ``minutes`` from order to door, and
        ``cause``, the novelty that touched the row, missing where none did.

    Examples
    --------
    >>> from imd_widget import datasets
    >>> trips = datasets.deliveries(1_000, drifted=True)
    >>> trips["cause"].cat.categories.tolist()
    ['bridge closed', 'new lane', 'e-bikes']
    """
    rng = np.random.default_rng(random_state)
    district = rng.choice(_DISTRICTS, n_rows, p=[0.18, 0.17, 0.25, 0.18, 0.22])
    vehicle = rng.choice(["bike", "car", "van"], n_rows, p=[0.5, 0.3, 0.2])
    if drifted:
        vehicle = np.where((vehicle == "bike") & (rng.random(n_rows) < 0.4), "e-bike", vehicle)
    orders = np.array([2, 5, 8, 6, 3, 3, 4, 7, 10, 9, 6, 3, 1])
    hour = rng.choice(np.arange(10, 23), n_rows, p=orders / orders.sum())
    weekday = rng.choice(_WEEKDAYS, n_rows)
    distance = (0.4 + rng.gamma(4, 0.9, n_rows)).round(2)
    rain = np.where(rng.random(n_rows) < 0.65, 0, rng.exponential(3, n_rows)).round(1)
    items = 1 + rng.poisson(1.5, n_rows)
    months = rng.exponential(14, n_rows).round(1)
    motor, rush = np.isin(vehicle, ["car", "van"]), (hour >= 17) & (hour < 20)
    pace = pd.Series(vehicle).map({"bike": 4.2, "e-bike": 2.1, "car": 3.1, "van": 3.4}).to_numpy()
    minutes = 12 + pace * distance + 1.1 * items + 0.7 * rain + 3 * np.exp(-months / 4)
    minutes += 6 * (motor & rush) + (district == "Hills") * np.where(vehicle == "bike", 7, 2)
    bridge = drifted & motor & (district == "Harbour")
    lane = drifted & motor & rush & (district == "West")
    minutes += 15 * bridge - 12 * lane
    minutes += rng.normal(0, np.where(rain >= 4, 12, 3))
    novelties = {"bridge closed": bridge, "new lane": lane, "e-bikes": vehicle == "e-bike"}
    cause = np.select(list(novelties.values()), list(novelties), "none")
    return pd.DataFrame(
        {
            "district": _categories(district),
            "vehicle": _categories(vehicle, ("bike", "car", "e-bike", "van")),
            "distance_km": distance,
            "hour": hour,
            "weekday": _categories(weekday, _WEEKDAYS, ordered=True),
            "items": items,
            "rain_mm": np.where(rng.random(n_rows) < 0.04, np.nan, rain),
            "courier_months": np.where(rng.random(n_rows) < 0.12, np.nan, months),
            "minutes": np.clip(minutes, 5, None).round(1),
            "cause": _categories(cause, tuple(novelties), missing=cause == "none"),
        }
    )


def pumps(n_rows: int = 12_000, *, random_state: int = 0) -> pd.DataFrame:
    """Made-up pumps at five sites, and which of them failed within a month.

    A pump fails when it vibrates, is hot, is old and was not serviced for long. One site reports
    vibration in inches a second, in a column of millimetres: 25.4 times too low.

    Parameters
    ----------
    n_rows : int, default=12_000
    random_state : int, default=0

    Returns
    -------
    DataFrame of shape (n_rows, 8)
        ``site``, ``maker``, ``age_years``, ``load_pct``, ``temperature_c`` (missing for some),
        ``vibration_mm_s`` (in/s at Galveston), ``days_since_service`` (missing where no service was
        noted), and ``outcome``, "fails" or "runs".

    Examples
    --------
    >>> from imd_widget import datasets
    >>> sorted(datasets.pumps(1_000)["outcome"].unique())
    ['fails', 'runs']
    """
    rng = np.random.default_rng(random_state)
    site = rng.choice(_SITES, n_rows, p=[0.20, 0.18, 0.20, 0.24, 0.18])
    maker = rng.choice(["Kolben", "Nordpump", "Veltor"], n_rows, p=[0.4, 0.35, 0.25])
    age = rng.gamma(2.2, 3, n_rows).round(1)
    load = np.clip(rng.normal(70, 14, n_rows), 20, 110).round()
    idle = rng.exponential(160, n_rows).round()
    vibration = np.exp(rng.normal(0.75, 0.5, n_rows) + 0.03 * age + 0.004 * (load - 70))
    temperature = rng.normal(55 + 0.22 * load + 2 * (maker == "Veltor"), 5).round(1)
    wear = 1.1 * vibration + 0.05 * (temperature - 70) + 0.002 * (idle - 160) + 0.06 * (age - 6)
    wear += 0.6 * (maker == "Veltor")
    fails = rng.random(n_rows) < 1 / (1 + np.exp(-12 * (wear - 5)))
    return pd.DataFrame(
        {
            "site": _categories(site),
            "maker": _categories(maker),
            "age_years": age,
            "load_pct": load,
            "temperature_c": np.where(rng.random(n_rows) < 0.02, np.nan, temperature),
            "vibration_mm_s": (vibration / np.where(site == "Galveston", 25.4, 1)).round(3),
            "days_since_service": np.where(rng.random(n_rows) < 0.04, np.nan, idle),
            "outcome": np.where(fails, "fails", "runs"),
        }
    )


def small_cluster(n_rows: int = 200, *, noise: float = 0.05, random_state: int = 0) -> pd.DataFrame:
    """Made-up points of a plane: a line parts the classes, except in one small place.

    19 of 20 rows lie around (0, 0) with a deviation of 1 and are positive if ``x2 < 0``. The others
    lie around (2, 2) with a deviation of 0.1 and are positive. A share of the labels is flipped
    wherever it happens to be. It is the example of section 6 of Rueping, *Learning with Local
    Models* (2005).

    Parameters
    ----------
    n_rows : int, default=200
    noise : float, default=0.05
        Share of the labels that is flipped.
    random_state : int, default=0

    Returns
    -------
    DataFrame of shape (n_rows, 5)
        ``x1``, ``x2``; ``label``, "positive" or "negative"; ``true_label`` before the flips, and
        ``cluster``, whether the row belongs to the small place.

    Examples
    --------
    >>> from imd_widget import datasets
    >>> points = datasets.small_cluster()
    >>> int(points["cluster"].sum())
    10
    """
    rng = np.random.default_rng(random_state)
    cluster = rng.permutation(n_rows) < round(0.05 * n_rows)
    x = rng.normal(np.where(cluster, 2.0, 0.0), np.where(cluster, 0.1, 1.0), (2, n_rows))
    positive = cluster | (x[1] < 0)
    flipped = rng.random(n_rows) < noise
    return pd.DataFrame(
        {
            "x1": x[0],
            "x2": x[1],
            "label": np.where(positive ^ flipped, "positive", "negative"),
            "true_label": np.where(positive, "positive", "negative"),
            "cluster": cluster,
        }
    )


@dataclass(frozen=True)
class FilmClub:
    """The films, members and ratings of a made-up film club."""

    #: ``title``, ``year``, ``minutes``, ``genre``, ``critics`` (their mean score, 0 to 100),
    #: ``awards`` (a count), ``subtitled``.
    films: pd.DataFrame
    #: A row for each rating: ``member``, the columns of the film, and ``rating`` from 1 to 5.
    ratings: pd.DataFrame
    #: ``member``, ``kind`` of taste, ``favourite`` (a genre, a year, minutes or a score, as text)
    #: and ``taste``, the rule in words.
    tastes: pd.DataFrame
    #: The columns of a film that a taste can depend on: all but its title.
    film_columns: list[str]


def judged_answers(n_rows: int = 3_000, *, random_state: int = 0) -> pd.DataFrame:
    """Make up answers of an assistant, and what three judges decide.

    All judges like good answers; ``careful`` does so and nothing else. ``strict`` also calls an
    answer bad if it has a list. ``fond of length`` also calls an answer good if it has 60 or more
    words. Each of them is mistaken about 2 in 100 answers.

    Parameters
    ----------
    n_rows : int
    random_state : int

    Returns
    -------
    DataFrame
        The columns ``question``, ``answer``, ``topic`` and ``asked``, and one column for each
        judge, which holds "good" and "bad".

    Examples
    --------
    >>> from imd_widget import datasets
    >>> answers = datasets.judged_answers(100)
    >>> list(answers.columns)
    ['question', 'answer', 'topic', 'asked', 'careful', 'strict', 'fond of length']
    >>> answers["answer"][5].split(".")[0]
    'First of all, check the price'
    """
    rng = np.random.default_rng(random_state)
    topic = rng.choice(list(_TOPICS), n_rows)
    asked = pd.Timestamp("2025-03-03") + pd.to_timedelta(
        rng.integers(0, 180 * 24 * 60, n_rows), unit="min"
    )
    listed = rng.random(n_rows) < 0.3
    n_sentences = rng.integers(2, 14, n_rows)
    questions, answers = [], []
    for row in range(n_rows):
        things = _TOPICS[str(topic[row])]
        thing, other = rng.choice(things, 2)
        opening = str(rng.choice(["How do I change", "Where can I find", "Why can I not see"]))
        questions.append(f"{opening} the {thing}? I have tried it on day {rng.integers(1, 30)}.")
        sentences = [
            str(rng.choice(_SENTENCES)).format(rng.choice(things)) for _ in range(n_sentences[row])
        ]
        text = f"First of all, check the {thing}. {' '.join(sentences)}"
        if listed[row]:
            text += f"\n- open the {thing}\n- choose the {other}"
        answers.append(text)
    n_words = pd.Series(answers).str.count(r"\w+").to_numpy()
    good = rng.random(n_rows) < 0.6
    said = {
        "careful": good,
        "strict": good & ~listed,
        "fond of length": good | (n_words >= 60),
    }
    judges = {
        judge: np.where(own ^ (rng.random(n_rows) < 0.02), "good", "bad")
        for judge, own in said.items()
    }
    columns = {"question": questions, "answer": answers, "topic": topic, "asked": asked}
    return pd.DataFrame({**columns, **judges})


_TOPICS = {
    "billing": ("invoice", "refund", "price", "card", "receipt", "discount"),
    "account": ("password", "address", "profile", "email", "language", "login"),
    "delivery": ("parcel", "courier", "tracking number", "return label", "address", "date"),
}
_SENTENCES = (
    "You will find the {} in the settings.",
    "The {} may take a day to appear.",
    "If the {} is missing, write to us.",
    "Please keep the {} until the end of the month.",
    "We have sent you the {} by email.",
    "It helps to look at the {} once more.",
)


def film_club(
    n_members: int = 60, n_ratings: int = 30, *, n_films: int = 400, random_state: int = 0
) -> FilmClub:
    """A made-up film club whose members' tastes are known.

    A member likes films for one reason, and gives those about two points more than the others:

    - *genre*: films of one genre;
    - *old*: films made before a year;
    - *short*: films shorter than so many minutes;
    - *critics*: films with a score of the critics from a number up;
    - *contrary*: films with a score below a number.

    Half a point less is given for subtitled films by every third member. Some members are generous
    and some are strict, and every rating has some luck in it.

    Parameters
    ----------
    n_members : int, default=60
    n_ratings : int, default=30
        Films that each member has rated, drawn by chance.
    n_films : int, default=400
    random_state : int, default=0

    Returns
    -------
    FilmClub

    Examples
    --------
    >>> from imd_widget import datasets
    >>> club = datasets.film_club()
    >>> club.ratings.shape
    (1800, 9)
    >>> print(club.tastes.set_index("member").loc["Anna", "taste"])
    likes films of the genre drama
    """
    rng = np.random.default_rng(random_state)
    genres = np.array(["animation", "comedy", "crime", "drama", "horror", "science fiction"])
    films = pd.DataFrame(
        {
            "title": [f"Film {number}" for number in range(1, n_films + 1)],
            "year": 2026 - np.minimum(rng.exponential(22, n_films), 100).astype(int),
            "minutes": np.clip(rng.normal(108, 18, n_films), 62, 200).astype(int),
            "genre": _categories(rng.choice(genres, n_films)),
            "critics": np.clip(rng.normal(62, 15, n_films), 5, 99).round(),
            "awards": rng.geometric(0.4, n_films) - 1,
            "subtitled": rng.random(n_films) < 0.3,
        }
    )
    names = [*_MEMBERS, *(f"Member {n}" for n in range(len(_MEMBERS) + 1, n_members + 1))]
    parts, tastes = [], []
    for place, name in enumerate(names[:n_members]):
        kind = ("genre", "critics", "old", "short", "contrary")[place % 5]
        likes, favourite, taste = _taste(rng, kind, films, genres, first=place == 0)
        seen = rng.choice(n_films, min(n_ratings, n_films), replace=False)
        level = 2.3 + rng.normal(0, 0.3)
        points = level + 2 * likes[seen] + rng.normal(0, 0.4, len(seen))
        if place % 3 == 1:
            points -= 0.5 * films["subtitled"].to_numpy()[seen]
            taste += ", with half a point less for subtitles"
        rating = np.clip(np.rint(2 * points) / 2, 1, 5)
        parts.append(films.iloc[seen].assign(rating=rating).assign(member=name))
        tastes.append({"member": name, "kind": kind, "favourite": favourite, "taste": taste})
    ratings = pd.concat(parts, ignore_index=True)
    columns = [name for name in films.columns if name != "title"]
    order = ["member", "title", *columns, "rating"]
    return FilmClub(films, ratings[order], pd.DataFrame(tastes), columns)


_MEMBERS = (
    *("Anna", "Ben", "Clara", "David", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jonas"),
    *("Katja", "Leo", "Mira", "Noah", "Olga", "Paul", "Quentin", "Rosa", "Samir", "Tilda"),
)


def _taste(
    rng: np.random.Generator,
    kind: str,
    films: pd.DataFrame,
    genres: np.ndarray[Any, Any],
    *,
    first: bool,
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], str, str]:
    """Which films a person likes, the favourite as text, and the taste in words."""
    if kind == "genre":
        genre = "drama" if first else str(rng.choice(genres))
        return (films["genre"] == genre).to_numpy(), genre, f"likes films of the genre {genre}"
    if kind == "old":
        year = int(rng.integers(1985, 2016))
        return (films["year"] < year).to_numpy(), str(year), f"likes films made before {year}"
    if kind == "short":
        minutes = int(rng.integers(95, 120))
        words = f"likes films shorter than {minutes} minutes"
        return (films["minutes"] < minutes).to_numpy(), str(minutes), words
    score = int(rng.integers(50, 75))
    good = (films["critics"] >= score).to_numpy()
    if kind == "critics":
        return good, str(score), f"likes films that the critics give {score} or more"
    return ~good, str(score), f"likes films that the critics give less than {score}"


def _drawn(
    rng: np.random.Generator, odds: np.ndarray[Any, np.dtype[np.float64]]
) -> np.ndarray[Any, np.dtype[np.intp]]:
    """One column for each row, drawn by the odds in it."""
    upto = odds.cumsum(axis=1)
    return np.asarray((upto > rng.random((len(odds), 1)) * upto[:, -1:]).argmax(axis=1))


def _categories(
    values: np.ndarray[Any, Any],
    order: tuple[str, ...] | None = None,
    *,
    ordered: bool = False,
    missing: np.ndarray[Any, Any] | None = None,
) -> pd.Categorical[Any]:
    """Text as categories, of which some may be missing."""
    text = pd.Series(values)
    shown = text if missing is None else text.mask(missing)
    return pd.Categorical(shown, None if order is None else list(order), ordered=ordered)
