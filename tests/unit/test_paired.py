"""Paired statistics: the net, its interval and test, losses, equivalence, confirmed rules."""

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact, multinomial, ttest_rel
from sklearn.metrics import (
    log_loss,
    mean_absolute_error,
    mean_poisson_deviance,
    mean_squared_error,
)
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.proportion import proportion_confint

import imd_widget as imd
from benchmarks.coverage import NULLS, confirmed
from imd_widget._base.intervals import SampleSize, mean_spread, net_size
from imd_widget._base.paired import (
    below,
    fisher,
    holm,
    loss_above,
    loss_above_of_parts,
    mcnemar,
    net_interval,
    score,
    share_below,
)
from imd_widget.comparison.paired import more_often

COUNTS = st.integers(0, 40)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_exact_binomial_test(first, second):
    expected = binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(first, second) == mcnemar(second, first)


@pytest.mark.parametrize("first, second", [(5, 15), (0, 3), (40, 12), (7, 7)])
def test_mcnemar_equals_that_of_statsmodels(first, second):
    found = statsmodels_mcnemar([[30, first], [second, 20]], exact=True)
    assert mcnemar(first, second) == pytest.approx(found.pvalue, rel=1e-12)


def naive_holm(chances):
    """Step down: the p-value of rank i times the number of hypotheses left, never decreasing."""
    expected, largest = [0.0] * len(chances), 0.0
    for rank, number in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[number]))
        expected[number] = largest
    return expected


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_equals_a_naive_twin(chances):
    np.testing.assert_allclose(holm(chances), naive_holm(chances))


def naive_score(first, second, n, net):
    """Score statistic from the constrained likelihood, maximised on a fine grid."""
    shares = np.linspace(max(0.0, -net) + 1e-9, (1 - net) / 2 - 1e-9, 400_001)
    rest = 1 - 2 * shares - net
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = (
            np.where(first > 0, first * np.log(shares), 0)
            + np.where(second > 0, second * np.log(shares + net), 0)
            + np.where(n > first + second, (n - first - second) * np.log(rest), 0)
        )
    best = shares[np.nanargmax(likelihood)]
    return (second - first - n * net) / math.sqrt(n * (2 * best + net - net**2))


@pytest.mark.parametrize(
    "first, second, n, net",
    [(5, 15, 100, 0.02), (5, 15, 100, -0.1), (0, 4, 20, 0.3), (12, 3, 30, -0.5), (6, 6, 40, 0.1)],
)
def test_score_is_that_of_the_constrained_likelihood(first, second, n, net):
    assert score(first, second, n, net) == pytest.approx(
        naive_score(first, second, n, net), abs=2e-3
    )


@given(COUNTS, COUNTS, st.integers(0, 60))
def test_interval_of_the_net(first, second, rest):
    n = first + second + rest
    if not n:
        return
    size = SampleSize(float(n))
    low, high = net_interval(first / n, second / n, size)
    net = (second - first) / n
    assert -1 <= low <= net + 1e-12
    assert net - 1e-12 <= high <= 1
    # swapped models negate it to the bit
    swapped = net_interval(second / n, first / n, size)
    assert swapped == (-high, -low)
    # its ends are where the score is that of the quantile, unless they are those of the range
    for end in (low, high):
        if -1 + 1e-9 < end < 1 - 1e-9:
            assert abs(score(first, second, n, end)) == pytest.approx(1.96, abs=1e-3)
    # the one-sided test agrees with the interval of 90 %
    lower, _ = net_interval(first / n, second / n, size, 0.1)
    for limit in (-0.3, 0.0, 0.2):
        chance = 1 - below(first / n, second / n, size, limit)
        if abs(chance - 0.05) > 1e-6:
            assert (lower > limit) == (chance < 0.05)


@given(COUNTS, COUNTS, st.integers(0, 60))
def test_a_loss_above_0_is_tested_exactly(first, second, rest):
    n = first + second + rest
    if not n:
        return
    chance = loss_above(first / n, second / n, SampleSize(float(n)), 0.0)
    exact = binomtest(first, first + second, 0.5, "greater").pvalue if first + second else 1.0
    assert chance >= exact - 1e-9
    assert chance == pytest.approx(max(exact, below(first / n, second / n, SampleSize(n), 0.0)))
    # a larger limit is harder to exceed
    assert chance <= loss_above(first / n, second / n, SampleSize(float(n)), 0.1) + 1e-9


@pytest.mark.parametrize("limit", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_a_loss_at_the_limit_is_seldom_above_it(limit, level):
    """The probability of an alarm, summed over all outcomes."""
    n, p_second = 60, 0.04
    p_first = p_second + limit
    alarm = 0.0
    for first in range(30):
        for second in range(20):
            chance = loss_above(first / n, second / n, SampleSize(float(n)), limit)
            if chance <= level:
                alarm += multinomial.pmf(
                    [first, second, n - first - second],
                    n,
                    [p_first, p_second, 1 - p_first - p_second],
                )
    assert alarm <= level


@pytest.mark.parametrize(
    "moved, broken, fixed", [(0.6, 14, 2), (0.2, 30, 5), (1.0, 3, 0), (0.05, 9, 1), (0.3, 8, 8)]
)
@pytest.mark.parametrize("limit", [0.01, 0.05, 0.3])
def test_a_loss_of_parts_is_the_best_of_all_divisions(moved, broken, fixed, limit):
    n = 20
    found = loss_above_of_parts(moved, SampleSize(float(n)), broken, fixed, limit)
    tried = []
    for breaks in np.linspace((1 + limit) / 2, 1, 20001)[1:-1]:
        of_breaks = binomtest(broken, broken + fixed, breaks, "greater").pvalue
        if of_breaks > 0.6:
            break
        allowed = limit / (2 * breaks - 1)
        of_moving = binomtest(round(moved * n), n, min(allowed, 1.0), "greater").pvalue
        tried.append(max(of_breaks, of_moving))
    expected = min(1.0, 2 * min(tried, default=1.0))
    assert found == pytest.approx(expected, rel=0.01, abs=1e-12)


def test_a_loss_of_parts_at_the_limit_is_seldom_above_it():
    """The rows on which models move, and which of those break, in many tables."""
    random = np.random.default_rng(3)
    for limit, share in ((0.05, 0.6), (0.05, 0.9), (0.02, 0.55)):
        rate, alarms = limit / (2 * share - 1), 0
        for _ in range(2000):
            moved = random.binomial(40, rate) / 40
            every = random.binomial(160, rate)
            broken = random.binomial(every, share)
            size = SampleSize(40.0)
            alarms += loss_above_of_parts(moved, size, broken, every - broken, limit) <= 0.05
        assert alarms <= 0.05 * 2000


def test_interval_holds_the_true_net():
    random = np.random.default_rng(0)
    for n, p_first, p_second in ((30, 0.05, 0.15), (60, 0.3, 0.1), (200, 0.01, 0.02)):
        counts = random.multinomial(n, [p_first, p_second, 1 - p_first - p_second], size=2000)
        known = {}
        held = 0
        for first, second, _ in counts:
            key = (first, second)
            if key not in known:
                known[key] = net_interval(first / n, second / n, SampleSize(float(n)))
            low, high = known[key]
            held += low <= p_second - p_first <= high
        assert 0.93 <= held / len(counts) <= 0.985


def test_mean_of_independent_rows_has_the_usual_error():
    values = np.random.default_rng(0).normal(size=50)
    found = mean_spread(values)
    assert found.mean == pytest.approx(values.mean())
    assert found.variance == pytest.approx(values.var(ddof=1) / 50)
    assert found.degrees == pytest.approx(49)


def test_weights_of_repeated_rows_as_groups():
    """Rows that are repeated within a group weigh as much as one row with that weight."""
    random = np.random.default_rng(1)
    net = random.choice([-1.0, 0.0, 1.0], 60, p=[0.2, 0.6, 0.2])
    times = random.integers(1, 5, 60)
    weighted = net_size(net, times.astype(float), np.arange(60))
    repeated = net_size(np.repeat(net, times), None, np.repeat(np.arange(60), times))
    # the number of rows bounds the first one
    assert min(repeated.n, 60) == pytest.approx(weighted.n)
    assert repeated.degrees == pytest.approx(weighted.degrees)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_rates_are_compared_by_fishers_exact_test(in_event, in_rest, out_event, out_rest):
    event = np.repeat([True, False, True, False], [in_event, in_rest, out_event, out_rest])
    inside = np.repeat([True, True, False, False], [in_event, in_rest, out_event, out_rest])
    if inside.all() or not inside.any():
        assert more_often(event, inside) == 1
        return
    expected = fisher_exact([[in_event, in_rest], [out_event, out_rest]], "greater").pvalue
    assert more_often(event, inside) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_groups_make_a_rule_harder_to_confirm():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    event = np.repeat(random.random(20) < 0.5, 10)
    inside = groups < 8
    alone, grouped = more_often(event, inside), more_often(event, inside, None, groups)
    assert grouped > alone
    assert more_often(event, inside, np.ones(200)) == pytest.approx(alone, abs=0.01)


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(3)
    n = 3000
    X = pd.DataFrame({"a": random.normal(size=n), "b": random.normal(size=n)})
    y = (X["a"] + 0.5 * random.normal(size=n) > 0).astype(int)
    old = (X["a"] > 0).astype(int)
    new = old.where(X["b"] < 0.8, 1)
    return X, y, old, new


@pytest.mark.parametrize("measure", ["holdout", "cv"])
def test_statistics_of_a_diff(table, measure):
    X, y, old, new = table
    d = imd.diff(old, new, X, y=y, measure=measure)
    first, second = int(((old == y) & (new != y)).sum()), int(((old != y) & (new == y)).sum())
    found = d.correctness
    assert (found.breaks, found.fixes) == (first, second)
    assert found.net_share == pytest.approx(found.accuracy[1] - found.accuracy[0])
    assert found.p_value == pytest.approx(binomtest(first, first + second).pvalue)
    low, high = found.net_share_interval
    assert found.net_interval == pytest.approx((3000 * low, 3000 * high))
    assert d.right is found
    [rule] = [rule for rule in d.rules if rule.differing > 100]
    inside = rule.correctness
    assert inside.net < 0
    assert inside.net_interval[1] < 0
    assert rule.confirmed is (True if measure == "holdout" else None)
    if measure == "holdout":
        aside = rule.mask(X) & d.kept_aside
        assert inside.known == aside.sum()
        assert inside.breaks == (aside & (old == y) & (new != y)).sum()
    assert "may be chance" not in d.summary()
    assert f"(−{-round(found.net_interval[0])} to −{-round(found.net_interval[1])})" in d.summary()


def test_swapped_models_negate_the_net_exactly(table):
    X, y, old, new = table
    options = {"y": y, "sample_weight": np.resize([1.0, 2.0, 0.5], len(X)), "measure": "holdout"}
    d, swapped = imd.diff(old, new, X, **options), imd.diff(new, old, X, **options)
    pairs = [(d.correctness, swapped.correctness)]
    pairs += [
        (one.correctness, two.correctness) for one, two in zip(d.rules, swapped.rules, strict=True)
    ]
    for one, two in pairs:
        assert one.net == -two.net
        assert one.net_interval == tuple(-end for end in reversed(two.net_interval))
        assert one.p_value == two.p_value


def test_no_net_is_chance(table):
    X, y, old, _ = table
    random = np.random.default_rng(0)
    noise = np.where(random.random(len(X)) < 0.03, 1 - old, old)
    shuffled = np.where(random.random(len(X)) < 0.03, 1 - old, old)
    d = imd.diff(noise, shuffled, X, y=y)
    assert d.correctness.may_be_chance
    assert "may be chance" in d.summary()


def test_losses_of_values_are_paired_t_tests(table):
    X, *_ = table
    random = np.random.default_rng(5)
    y = X["a"] + random.normal(size=len(X))
    one, two = X["a"] * 1.0, X["a"] + 0.3 * (X["b"] > 1)
    d = imd.diff(
        one.to_numpy(),
        two.to_numpy(),
        X[["b"]],
        y=y,
        outputs="value",
        tolerance=0.1,
        loss=lambda truth, output: np.maximum(truth - output, 0),
    )
    absolute, squared, own = d.correctness.losses
    assert [loss.name for loss in d.correctness.losses] == [
        "absolute error",
        "squared error",
        "loss",
    ]
    assert absolute.means == pytest.approx(
        (mean_absolute_error(y, one), mean_absolute_error(y, two))
    )
    assert squared.means == pytest.approx((mean_squared_error(y, one), mean_squared_error(y, two)))
    expected = ttest_rel((y - two).abs(), (y - one).abs())
    assert absolute.p_value == pytest.approx(expected.pvalue)
    assert absolute.interval == pytest.approx(tuple(expected.confidence_interval()))
    assert own.difference == pytest.approx(
        np.maximum(y - two, 0).mean() - np.maximum(y - one, 0).mean()
    )
    rule = d.rules[0]
    aside = rule.mask(X) & d.kept_aside
    assert rule.correctness.losses[0].means[1] == pytest.approx((y - two)[aside].abs().mean())


def test_probabilities_have_a_log_loss(table):
    X, y, *_ = table
    one = 1 / (1 + np.exp(-2 * X["a"]))
    two = np.where(X["b"] > 0.8, 0.5, one)
    d = imd.diff(one, two, X, y=y, outputs="proba")
    [loss] = [loss for loss in d.correctness.losses if loss.name == "log loss"]
    assert loss.means == pytest.approx((log_loss(y, one), log_loss(y, two)))
    assert loss.interval[0] > 0


def test_the_deviance_of_counts_is_reported(table, tmp_path):
    X, *_ = table
    random = np.random.default_rng(6)
    one = np.exp(0.5 * X["a"])
    two = np.where(X["b"] > 0.5, 2 * one, one)
    y = random.poisson(two)
    options = {"outputs": "value", "loss": "deviance", "names": ("old", "new")}
    d = imd.diff(one, two, X, y=y, measure="holdout", **options)
    [loss] = [loss for loss in d.correctness.losses if loss.asked]
    assert loss.name == "deviance"
    expected = mean_poisson_deviance(y, one), mean_poisson_deviance(y, two)
    assert loss.means == pytest.approx(expected)
    sentence = f"The mean deviance is {expected[0]:.3f} for old and {expected[1]:.3f} for new"
    assert sentence in d.summary()
    own = d.rules[0].correctness.losses[-1]
    assert d.to_frame()["measured_m1_loss"][0] == own.means[0]
    assert "mean deviance old | mean deviance new" in d.to_markdown()
    assert imd.load(d.save(tmp_path / "d.json")).summary() == d.summary()
    path = tmp_path / "rows.parquet"
    X.assign(one=one, two=two, y=y).to_parquet(path)
    large = imd.diff("one", "two", str(path), y="y", **options)
    assert large.correctness.losses == d.correctness.losses


def test_a_loss_that_is_no_loss_is_refused(table):
    X, y, old, new = table
    with pytest.raises(imd.InputError, match="Choose one of absolute, squared, log_loss, deviance"):
        imd.diff(old, new, X, y=y, loss="mse")
    with pytest.raises(imd.InputError, match='loss="log_loss" needs probabilities, and classes'):
        imd.diff(old, new, X, y=y, loss="log_loss")
    with pytest.raises(imd.InputError, match="is for counts: neither y nor an output may be"):
        imd.diff(X["a"], X["b"] + 1, X[["b"]], y=X["a"], outputs="value", loss="deviance")
    with pytest.raises(imd.InputError, match="loss compares outputs with the truth"):
        imd.diff(old, new, X, loss=np.subtract)
    with pytest.raises(imd.InputError, match=r"returned float64 of shape \(\) for \d+ rows"):
        imd.diff(old, new, X, y=y, loss=lambda truth, output: 1.0)
    with pytest.raises(imd.InputError, match="losses are finite"):
        imd.diff(old, new, X, y=y, loss=lambda truth, output: np.full(len(truth), np.nan))


def test_a_file_keeps_the_statistics(table, tmp_path):
    X, y, old, new = table
    d = imd.diff(old, new, X, y=y, groups=np.arange(len(X)) // 5, measure="holdout")
    again = imd.load(d.save(tmp_path / "d.json"))
    assert again.correctness == d.correctness
    assert again.correctness.net_interval == d.correctness.net_interval
    for one, two in zip(d.rules, again.rules, strict=True):
        assert (one.correctness, one.confirmed) == (two.correctness, two.confirmed)
    assert again.equivalent(0.2) == d.equivalent(0.2)


def test_an_older_file_has_none(table, tmp_path):
    old_file = imd.load("tests/golden/diff-1.json")
    assert all(rule.confirmed is None and rule.correctness is None for rule in old_file.rules)
    right = old_file.correctness
    assert right is None or (right.net_interval is None and right.p_value is None)


def test_frame_and_markdown(table, tmp_path):
    X, y, old, new = table
    d = imd.diff(old, new, X, y=y, measure="holdout")
    frame = d.to_frame()
    right = d.rules[0].correctness
    assert frame["measured_net"][0] == right.net_share
    assert frame["measured_net_low"][0] == right.net_share_interval[0]
    assert frame["confirmed"][0]
    text = d.save(tmp_path / "d.md").read_text(encoding="utf-8")
    assert "| confirmed |" in text
    assert "| yes |" in text
    assert "| net on rows not used |" in text


@pytest.mark.parametrize("differing, n", [(0, 100), (3, 1000), (40, 1000), (5, 5)])
def test_share_below_is_exact(differing, n):
    chance, (low, high) = share_below(differing / n, SampleSize(float(n)), 0.01)
    assert chance == pytest.approx(binomtest(differing, n, 0.01, "less").pvalue)
    expected = proportion_confint(differing, n, alpha=0.1, method="beta")
    assert (low, high) == pytest.approx(expected, abs=1e-9)


def test_equivalence(table):
    X, y, old, new = table
    d = imd.diff(old, new, X, y=y)
    assert not d.equivalent(0.01)
    wide = d.equivalent(0.5)
    assert wide
    assert wide.of == "correctness"
    assert str(wide).startswith("the same within 50.00 %: accuracy differs by −")
    # two one-sided tests at 5 % are the interval of 90 %
    low, _ = wide.interval
    assert not d.equivalent(-low - 1e-4)
    assert d.equivalent(-low + 1e-4)
    assert not d.equivalent(0.01, of="outputs")
    same = imd.diff(old, old.to_numpy(), X)
    assert same.equivalent(0.01)
    assert same.equivalent(0.01).of == "outputs"
    # few rows show nothing
    few = imd.diff(old[:100], old[:100].to_numpy(), X[:100], y=y[:100])
    assert not few.equivalent(0.01)


@pytest.mark.parametrize("margin", [0, 1, -0.1, True, "100 %", "much", math.nan])
def test_margins_that_cannot_be_read(table, margin):
    X, _y, old, new = table
    with pytest.raises(imd.InputError, match="a share of the rows above 0 and below 1"):
        imd.diff(old[:200], new[:200], X[:200]).equivalent(margin)


def test_equivalence_of_correctness_needs_the_truth(table):
    X, _, old, new = table
    d = imd.diff(old[:200], new[:200], X[:200])
    with pytest.raises(imd.InputError, match="needs the truth"):
        d.equivalent(0.1, of="correctness")
    with pytest.raises(imd.InputError, match="is not known"):
        d.equivalent(0.1, of="net")


def test_equivalence_with_groups_is_harder(table):
    X, y, old, new = table
    groups = np.arange(len(X)) // 50
    plain = imd.diff(old, new, X, y=y).equivalent(0.25)
    grouped = imd.diff(old, new, X, y=y, groups=groups).equivalent(0.25)
    assert grouped.p_value > plain.p_value


def test_shuffled_outputs_confirm_no_rule():
    """Family-wise error: differences at random, in 1,000 tables with three fixed regions."""
    random = np.random.default_rng(0)
    wrong = 0
    region = random.integers(0, 6, 400)
    for _ in range(1000):
        differs = random.random(400) < 0.1
        chances = [more_often(differs, region == number) for number in range(3)]
        wrong += min(holm(chances)) <= 0.05
    assert wrong <= 65  # 5 % and two standard errors


def test_no_fitted_rule_is_confirmed_by_chance():
    """Family-wise error of rules that are fitted: differences do not depend on the columns."""
    found = confirmed(NULLS["400 rows"], range(100))
    assert found.tested > 60
    assert found.rules > 1.5 * found.tested
    assert found.wrong <= 9  # 5 % and two standard errors


def test_rules_that_are_tested_on_the_rows_that_found_them_are_noticed(monkeypatch):
    def on_rows_used_to_fit(rule, total, agree):
        return fisher(rule.differing, rule.support, 45, 300)

    monkeypatch.setattr("imd_widget.comparison.paired._counted", on_rows_used_to_fit)
    found = confirmed(NULLS["400 rows"], range(20))
    assert found.wrong > 0.09 * found.tables


def test_later_rules_are_tested_together():
    assert all(one <= two for one, two in pairwise(sorted(holm([0.2, 0.01, 0.04]))))


def test_a_diff_does_not_import_scipy_stats() -> None:
    """The import takes longer than a diff of 10,000 rows."""
    code = (
        "import sys, numpy as np, pandas as pd, imd_widget as imd; n = np.arange(3000.0); "
        "d = imd.diff(n < 900, n < 1800, pd.DataFrame({'a': n}), y=n < 900); "
        "assert d.rules[0].confirmed is not None; d.summary(); d.check(rule_breaks=0.5); "
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
