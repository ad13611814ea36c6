"""Claims that are not ratios: each kind upheld, refuted, undecided, and what its sentence says."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.judge.claims import validate_claim
from fairtrial.judge.judging import judge
from fairtrial.record.proof import Ledger
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.claims.scene import served, verdict

THREE = {"fast": 3000.0, "middle": 2000.0, "slow": 1000.0}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"at_least": "1,900/s"}, "upheld"),
        ({"at_most": "1,900/s"}, "refuted"),
        ({"at_least": "2,000/s"}, "undecided"),
        ({"about": "2,000/s", "within": 0.1}, "upheld"),
        ({"about": "4k/s"}, "refuted"),
    ],
)
def test_differences_are_in_the_metrics_unit(bounds: dict[str, Any], expected: str, snapshot: object) -> None:
    claim = verdict("difference", served(THREE), "fast", "slow", of="fast", to="slow", **bounds)
    assert claim.verdict == expected
    assert claim.estimate == pytest.approx(2000, rel=0.02)
    assert claim.sentence == snapshot and claim.subject == snapshot


def test_a_difference_may_be_below_zero() -> None:
    claim = verdict("difference", served(THREE), "fast", "slow", of="slow", to="fast", at_most="-1,800/s")
    assert claim.verdict == "upheld"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (["fast", "middle", "slow"], "upheld"),
        (["fast", "slow", "middle"], "refuted"),
        (["slow", "fast"], "refuted"),
    ],
)
def test_orders(order: list[str], expected: str) -> None:
    claim = verdict("order", served(THREE), "fast", "middle", "slow", order=order)
    assert claim.verdict == expected
    assert claim.asked == " before ".join(order)


def test_an_order_that_is_undecided_names_who_is_not_told_apart(snapshot: object) -> None:
    near = served({"fast": 3000.0, "middle": 2000.0, "other": 2000.0})
    claim = verdict("order", near, "fast", "middle", "other", order=["fast", "middle", "other"], margin=0.001)
    assert claim.verdict == "undecided"
    assert claim.reason == snapshot


@pytest.mark.parametrize("kind", ["equal", "order"])
def test_where_no_number_of_blocks_decides_the_offered_margin_is_upheld(kind: str) -> None:
    def noisy(name: str, block: int) -> TrialBuilder:
        return a_trial().serving(1000.0 + (50.0 if (block % 2 == 0) == (name == "one") else 0.0) + block)

    asked: dict[str, Any] = {"order": ["one", "other"]} if kind == "order" else {"of": "one", "to": "other"}
    claim = verdict(
        kind, noisy, "one", "other", blocks=8, **asked, **{"within" if kind == "equal" else "margin": 0.001}
    )
    assert claim.verdict == "undecided" and "Not even 200 blocks" in claim.sentence
    offered = re.search(r"`within = ([0-9.]+)` would be upheld today", claim.sentence)
    assert offered is not None, claim.sentence
    wider = verdict("equal", noisy, "one", "other", blocks=8, of="one", to="other", within=float(offered[1]))
    assert wider.verdict == "upheld"


def test_the_best_response_time_is_the_lowest() -> None:
    order = ["fast", "slow"]
    claim = verdict("order", served(THREE), *order, order=order, metric="response_time_p50")
    assert claim.verdict == "upheld"


@pytest.mark.parametrize(
    ("rate", "within", "expected"), [(1010.0, 0.05, "upheld"), (1300.0, 0.05, "refuted"), (1050.0, 0.05, "undecided")]
)
def test_equality_is_shown_and_not_merely_undisproved(rate: float, within: float, expected: str) -> None:
    pair = served({"one": rate, "other": 1000.0})
    claim = verdict("equal", pair, "one", "other", of="one", to="other", within=within)
    assert claim.verdict == expected, claim.sentence
    assert claim.asked == "a ratio between 0.952 and 1.05"
    few = verdict("equal", pair, "one", "other", blocks=2, of="one", to="other")
    assert few.verdict == "undecided" and "at least 3" in (few.reason or "")


@pytest.mark.parametrize(("bounds", "expected"), [({"at_most": "30 ms"}, "upheld"), ({"at_most": "10 ms"}, "refuted")])
def test_budgets(bounds: dict[str, Any], expected: str, snapshot: object) -> None:
    claim = verdict("budget", served(THREE), "fast", of="fast", metric="response_time_p99", **bounds)
    assert claim.verdict == expected
    assert claim.estimate == pytest.approx(0.0213, rel=0.02)
    assert claim.sentence == snapshot


def test_no_errors_is_a_budget_of_zero() -> None:
    keys: dict[str, Any] = {"of": "fast", "metric": "errors", "at_most": "0%"}
    assert verdict("budget", served(THREE), "fast", **keys).verdict == "upheld"

    def erring(_name: str, _block: int) -> TrialBuilder:
        return a_trial().erring(status_5xx=600)

    claim = verdict("budget", erring, "fast", **keys)
    assert claim.verdict == "refuted", "trials refused for their errors are what it is about"
    assert claim.estimate == pytest.approx(600 / 12_600)


@pytest.mark.parametrize(("at_most", "expected"), [("0.01%", "upheld"), ("0.002%", "undecided"), ("0%", "upheld")])
def test_no_errors_among_few_requests_uphold_no_small_bound(at_most: str, expected: str) -> None:
    """45,000 requests without an error: by hand, 1 - 0.025^(1/45,000) = 0.0082%."""
    claim = verdict("budget", served(THREE), "fast", of="fast", metric="errors", at_most=at_most)
    assert claim.verdict == expected, claim.sentence
    assert claim.interval == ((0.0, 0.0) if at_most == "0%" else (0.0, pytest.approx(8.197e-5, rel=0.001)))


def test_a_trial_refused_for_something_else_leaves_the_budget_undecided() -> None:
    def dull(_name: str, block: int) -> TrialBuilder:
        return a_trial().erring(status_5xx=600).but(altered=block == 2)

    claim = verdict("budget", dull, "fast", of="fast", metric="errors", at_most="0%")
    assert claim.verdict == "undecided" and "block 2" in (claim.reason or "")


def test_overhead_is_time_a_request_over_the_baseline() -> None:
    keys: dict[str, Any] = {"of": "slow", "metric": "overhead", "baseline": "fast"}
    claim = verdict("budget", served(THREE), "fast", "slow", at_most="1 ms", **keys)
    assert claim.verdict == "upheld"
    assert claim.estimate == pytest.approx(1 / 1000 - 1 / 3000, rel=0.02)
    ratio = verdict(
        "ratio",
        served(THREE),
        *THREE,
        of="slow",
        to="middle",
        metric="overhead",
        baseline="fast",
        at_least=3,
        at_most=5,
    )
    assert ratio.verdict == "upheld" and ratio.estimate == pytest.approx(4, rel=0.02)


def test_settle_time_stands_where_work_after_the_run_was_refused() -> None:
    def busy(_name: str, block: int) -> TrialBuilder:
        return a_trial().settling(2.0 + block / 100, writes_after=5000)

    claim = verdict("budget", busy, "fast", of="fast", metric="settle", at_most="1 s")
    assert claim.verdict == "refuted" and claim.estimate == pytest.approx(2.03, rel=0.01)
    rate = verdict("budget", busy, "fast", of="fast", at_least="1/s")
    assert rate.verdict == "undecided" and "work-after-the-run" in (rate.reason or "")

    def altered(name: str, block: int) -> TrialBuilder:
        return busy(name, block).but(altered=True)

    other = verdict("budget", altered, "fast", of="fast", metric="settle", at_most="1 s")
    assert other.verdict == "undecided", "what else is refused is refused for this, too"


def test_settle_time_stands_where_work_came_too_late_for_the_ledger() -> None:
    record = an_experiment("fast").stating("budget", of="fast", metric="settle", at_most="1 s").record()
    late = Ledger(done={"reads": 2_000}, after_load={"reads": 8_000}, verified=10_000, answers=10_000)
    trials = trials_of(record, lambda _, block: a_trial().settling(2.0 + block / 100, writes_after=8_000))
    result = judge(record, [trial.model_copy(update={"ledger": late}) for trial in trials], interrupted=False)
    assert "ledger" in (result.conditions[0].reason or "")
    assert result.claims[0].verdict == "refuted"


def test_ratios_between_points_of_a_sweep(snapshot: object) -> None:
    rates = {"fast at 1": 1000.0, "fast at 4": 3500.0}
    claim = verdict("ratio", served(rates), "fast", sweep=(1, 4), of="fast at 4", to="fast at 1", at_least=3)
    assert claim.verdict == "upheld"
    assert claim.sentence == snapshot


@pytest.mark.parametrize(
    ("stack", "rest"),
    [("fast at 3", {}), ("fast", {}), ("fast at x", {}), ("fast at ", {})],
)
def test_a_point_that_is_not_tried(stack: str, rest: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        verdict("budget", served({}), "fast", sweep=(1, 4), of=stack, at_least="1/s", **rest)
    assert [each["msg"] for each in error.value.errors()] == snapshot


CURVES = {
    "rising": (1000.0, 1900.0, 3500.0, 6000.0),
    "level": (1000.0, 1010.0, 995.0, 1000.0),
    "humped": (1000.0, 1900.0, 1700.0, 900.0),
    "ahead": (1500.0, 1100.0, 1200.0, 1300.0),
    "steady": (2000.0, 3800.0, 7000.0, 12000.0),
    "accelerating": (1000.0, 1050.0, 1300.0, 3000.0),
}
PLACES = (1, 2, 4, 8)


def shaped(name: str, metric: str = "goodput", **keys: Any) -> Any:
    rates = {
        f"{curve} at {place}": rate
        for curve, all_of in CURVES.items()
        for place, rate in zip(PLACES, all_of, strict=True)
    }
    return verdict("shape", served(rates), *CURVES, sweep=PLACES, of=name, metric=metric, **keys)


@pytest.mark.parametrize(
    ("name", "keys", "expected"),
    [
        ("rising", {"shape": "rises"}, "upheld"),
        ("humped", {"shape": "rises"}, "refuted"),
        ("level", {"shape": "rises"}, "undecided"),
        ("rising", {"shape": "falls"}, "refuted"),
        ("humped", {"shape": "falls", "metric": "response_time_p50"}, "refuted"),
        ("level", {"shape": "flat", "within": 0.1}, "upheld"),
        ("rising", {"shape": "flat", "within": 0.1}, "refuted"),
        ("humped", {"shape": "peaks", "between": [2, 4]}, "upheld"),
        ("rising", {"shape": "peaks", "between": [2, 4]}, "refuted"),
        ("humped", {"shape": "best", "between": [2, 2]}, "upheld"),
        ("humped", {"shape": "best", "between": [4, 8]}, "refuted"),
        ("humped", {"shape": "best", "between": [1, 1], "metric": "response_time_p50"}, "upheld"),
        ("rising", {"shape": "advantage-grows", "to": "level"}, "upheld"),
        ("level", {"shape": "advantage-grows", "to": "rising"}, "refuted"),
        ("rising", {"shape": "advantage-grows", "to": "level", "metric": "response_time_p50"}, "upheld"),
        ("rising", {"shape": "rises", "to": "level"}, "upheld"),
        ("level", {"shape": "falls", "to": "rising"}, "upheld"),
        ("steady", {"shape": "flat", "within": 0.1, "to": "rising"}, "upheld"),
        ("steady", {"shape": "flat", "within": 0.1, "to": "rising", "metric": "response_time_p50"}, "upheld"),
        ("steady", {"shape": "flat", "within": 0.1, "to": "level"}, "refuted"),
        ("humped", {"shape": "rises-and-falls", "between": [2, 4]}, "upheld"),
        ("rising", {"shape": "rises-and-falls", "between": [2, 4]}, "refuted"),
        ("humped", {"shape": "rises-and-falls", "between": [2, 4], "to": "level"}, "upheld"),
        ("level", {"shape": "rises-and-falls", "between": [2, 4], "to": "humped"}, "refuted"),
        ("humped", {"shape": "peaks", "between": [2, 4], "to": "level", "metric": "response_time_p50"}, "upheld"),
        ("humped", {"shape": "best", "between": [1, 1], "to": "level", "metric": "response_time_p50"}, "refuted"),
        ("humped", {"shape": "diminishing-returns"}, "upheld"),
        ("accelerating", {"shape": "diminishing-returns"}, "refuted"),
        ("humped", {"shape": "diminishing-returns", "to": "level"}, "upheld"),
        ("rising", {"shape": "leads", "to": "level"}, "undecided"),
        ("ahead", {"shape": "leads", "to": "level"}, "upheld"),
        ("ahead", {"shape": "leads", "to": "level", "metric": "response_time_p50"}, "upheld"),
        ("level", {"shape": "leads", "to": "ahead"}, "refuted"),
        ("level", {"shape": "leads", "to": "ahead", "metric": "response_time_p50"}, "refuted"),
        ("humped", {"shape": "leads", "to": "level"}, "refuted"),
    ],
)
def test_shapes(name: str, keys: dict[str, Any], expected: str) -> None:
    claim = shaped(name, **keys)
    assert claim.verdict == expected, claim.sentence
    assert "connections from 1 to 8" in claim.sentence


def test_a_lead_is_told_by_the_point_that_decides_it(snapshot: object) -> None:
    upheld = shaped("ahead", shape="leads", to="level")
    assert upheld.estimate == pytest.approx(1100 / 1010, rel=0.01) and upheld.interval[0] > 1
    assert upheld.sentence == snapshot
    refuted = shaped("humped", shape="leads", to="level")
    assert refuted.sentence == snapshot
    times = shaped("ahead", "response_time_p50", shape="leads", to="level")
    assert times.estimate == pytest.approx(1100 / 1010, rel=0.01)
    assert times.sentence == snapshot


def test_diminishing_returns_are_told_by_the_point_next_to_the_straight_line(snapshot: object) -> None:
    claim = shaped("rising", shape="diminishing-returns")
    assert claim.verdict == "upheld"
    assert claim.estimate == pytest.approx(1900 / (1000 + 5000 / 7), rel=0.01)
    straight = "Goodput of rising at connections 2 was 1.11 times what a straight line from 1 to 8 gives (95% interval "
    assert straight in claim.sentence, claim.sentence
    assert claim.asked == "has diminishing returns"
    refuted = shaped("ahead", shape="diminishing-returns")
    assert refuted.sentence == snapshot


def test_an_advantage_that_peaks_is_told_by_the_ratio_of_two_advantages(snapshot: object) -> None:
    claim = shaped("humped", "response_time_p50", shape="rises-and-falls", to="level", between=[2, 2])
    assert claim.estimate == pytest.approx((1900 / 1010) / (1700 / 995), rel=0.02)
    assert claim.sentence == snapshot
    assert claim.asked == snapshot


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"shape": "flat", "within": 0.1, "to": "other"}, "upheld"),
        ({"shape": "flat", "within": 0.1}, "refuted"),
        ({"shape": "leads", "to": "other"}, "upheld"),
    ],
)
def test_shapes_without_an_order_may_be_of_categories(keys: dict[str, Any], expected: str, snapshot: object) -> None:
    rates = {
        f"{name} at {weight}": factor * rate
        for name, factor in (("one", 1.5), ("other", 1.0))
        for weight, rate in (("light", 900.0), ("heavy", 200.0), ("moderate", 400.0))
    }
    record = (
        an_experiment("one", "other")
        .sweeping("light", "heavy", "moderate", parameter="env.WEIGHT")
        .stating("shape", of="one", **keys)
        .record()
    )
    (claim,) = judge(record, trials_of(record, served(rates)), interrupted=False).claims
    assert claim.verdict == expected, claim.sentence
    assert claim.sentence == snapshot


def test_a_shape_with_a_refused_point_is_undecided() -> None:
    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().but(altered=name == "rising at 4" and block == 2)

    claim = verdict("shape", make, "rising", sweep=PLACES, of="rising", shape="rises")
    assert claim.verdict == "undecided" and "rising at 4" in (claim.reason or "")


@pytest.mark.parametrize(
    "keys",
    [
        {"shape": "peaks"},
        {"shape": "rises", "within": 0.1},
        {"shape": "peaks", "between": [4, 2]},
        {"shape": "rises-and-falls", "to": "level"},
        {"shape": "advantage-grows"},
        {"shape": "leads"},
        {"shape": "leads", "to": "rising"},
    ],
)
def test_shapes_that_make_no_sense(keys: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        shaped("rising", **keys)
    assert [each["msg"] for each in error.value.errors()] == snapshot


def test_a_shape_needs_a_sweep_and_its_points() -> None:
    with pytest.raises(ValueError, match=r"there is no \[sweep\]"):
        verdict("shape", served({}), "a", of="a", shape="rises")
    experiment = an_experiment("a").sweeping(1, 2, 4).stating("shape", of="a", shape="peaks", between=[2, 4])
    with pytest.raises(ValueError, match="on both sides"):
        validate_claim(experiment.record().experiment.claims[0], experiment.record().experiment)


@pytest.mark.parametrize(
    ("places", "keys"),
    [((1, 2), {}), ((1, 2, 4), {"metric": "peak_rss"}), ((1, 2, 4), {"metric": "peak_rss", "to": "b"})],
)
def test_only_what_is_better_where_it_is_higher_has_returns(
    places: tuple[int, ...], keys: dict[str, Any], snapshot: object
) -> None:
    builder = an_experiment("a", "b").sweeping(*places).stating("shape", of="a", shape="diminishing-returns", **keys)
    experiment = builder.record().experiment
    if "to" in keys:
        validate_claim(experiment.claims[0], experiment)
        return
    with pytest.raises(ValueError) as error:
        validate_claim(experiment.claims[0], experiment)
    assert str(error.value) == snapshot


def test_figures_below_zero_say_what_would_decide(snapshot: object) -> None:
    """An overhead is negative where a layer is faster than its baseline: every trial is valid, and no ratio exists."""
    rates = {"base": 1000.0, "layer": 1001.0, "other": 999.0}
    keys: dict[str, Any] = {"metric": "overhead", "baseline": "base"}
    budget = verdict("budget", served(rates), *rates, of="layer", at_most="0 ms", **keys)
    assert budget.verdict == "undecided"
    assert budget.sentence == snapshot
    ratio = verdict("ratio", served(rates), *rates, of="other", to="layer", at_least=5, **keys)
    assert ratio.sentence == snapshot
    equal = verdict("equal", served(rates), *rates, of="other", to="layer", within=0.1, **keys)
    order = verdict("order", served(rates), *rates, order=["other", "layer"], **keys)
    for one in (ratio, equal, order):
        assert one.sentence == snapshot
