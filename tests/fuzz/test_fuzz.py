"""The laws on a few hundred odd tables of fixed seeds; ``make fuzz`` goes on from there."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.__main__ import alone, report
from tests.fuzz.kinds import BY_NAME
from tests.fuzz.laws import LAWS, tried
from tests.fuzz.tables import LIBRARIES, Case, case_of, line_case

#: Random cases, in parts that are tried at the same time.
N_CASES, N_PARTS = 210, 10
#: Cases with scores.
N_LINES = 30


def check(case: Case, checked: Counter[str], kind: str | None = None) -> None:
    failures = tried(case, checked)
    told = "\n".join(map(str, failures))
    assert not failures, f"{told}\nalone: {alone(case.seed, kind)}"


@pytest.mark.parametrize("part", range(N_PARTS))
def test_laws_hold_for_odd_tables(part: int) -> None:
    checked: Counter[str] = Counter()
    for seed in range(part, N_CASES, N_PARTS):
        check(case_of(seed), checked)
    # no law is empty (rows in a rhythm are rare), and nearly all cases have something to say
    unused = [law.__name__ for law in LAWS if not checked[law.__name__]]
    assert unused in ([], ["order_matters_little"]), report(checked)
    assert checked["cases with a condition"] >= 2 / 3 * checked["cases"], report(checked)


def test_laws_hold_where_models_add_up_columns() -> None:
    checked: Counter[str] = Counter()
    for seed in range(N_LINES):
        failures = tried(line_case(seed), checked)
        assert not failures, "\n".join(map(str, failures))
    assert checked["texts about scores"] >= N_LINES, report(checked)


@pytest.mark.parametrize("kind", BY_NAME)
def test_laws_hold_for_every_kind_of_column(kind: str) -> None:
    checked: Counter[str] = Counter()
    for seed in range(8):
        check(case_of(seed, kind), checked, kind)
        if checked[f"kind: {kind}"] or not BY_NAME[kind].informative:
            return
    raise AssertionError(f"no rule speaks of a column of this kind: {report(checked)}")


def test_fixed_seeds_have_every_sort_of_table_output_and_option() -> None:
    cases = [case_of(seed) for seed in range(N_CASES)]
    found = Counter(
        value
        for case in cases
        for value in (
            case.library,
            f"{case.outputs.kind} outputs",
            f"given as {case.outputs.form}",
            f"holdout: {case.holdout}",
            case.options["method"],
            "truth" if case.outputs.truth is not None else "no truth",
            "weights" if case.weight is not None else "no weights",
            "subsampled" if case.subsampled else "all rows",
            "few categories" if case.max_categories else "any categories",
            "refined" if case.steps else "as it is",
            *("odd name" for own in case.columns if not str(own.name).isalnum()),
            *("name that is not text" for own in case.columns if not isinstance(own.name, str)),
        )
    )
    wanted = [*LIBRARIES, "class outputs", "proba outputs", "value outputs"]
    wanted += [
        f"given as {form}" for form in ("array", "list", "series", "two columns", "function")
    ]
    wanted += [f"holdout: {what}" for what in ("share", "none", "mask", "table")]
    wanted += ["calibrated", "imd", "separate", "direct", "truth", "weights", "subsampled"]
    wanted += ["few categories", "refined", "odd name", "name that is not text"]
    assert {what: found[what] for what in wanted if found[what] < 3} == {}
    twice = [case for case in cases if len({own.name for own in case.columns}) < len(case.columns)]
    assert twice
    by_case = [{str(own.name).casefold() for own in case.columns} for case in cases]
    names = [{str(own.name) for own in case.columns} for case in cases]
    assert any(len(one) < len(two) for one, two in zip(by_case, names, strict=True))


def test_a_seed_gives_the_same_case_each_time() -> None:
    for seed in range(20):
        one, two = case_of(seed), case_of(seed)
        assert str(one) == str(two)
        assert [c.values for c in one.columns].__repr__() == [
            c.values for c in two.columns
        ].__repr__()
        assert one.outputs.first.tolist() == two.outputs.first.tolist()
