import re
from typing import Any

import pytest

from fairtrial.judge.claims import validate_claim
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

RATES = {"fast": 3000.0, "slow": 1000.0}


def verdict(
    blocks: int = 5,
    noise: float = 0.02,
    special: dict[tuple[str, int], TrialBuilder | None] | None = None,
    **claim: Any,
) -> ClaimResult:
    """On `fast` over `slow`, whose true ratio is 3; blocks alternate around it by `noise`."""
    claim = claim or {"at_least": 2}
    record = an_experiment("fast", "slow", blocks=blocks).claiming("fast", "slow", **claim).record()

    def make(name: str, block: int) -> TrialBuilder | None:
        if special is not None and (name, block) in special:
            return special[name, block]
        wobble = 1 + noise * (block % 3 - 1) * (1 if name == "fast" else -1)
        return a_trial().serving(RATES[name] * wobble).taking(16 / (RATES[name] * wobble))

    return judge(record, trials_of(record, make), interrupted=False).claims[0]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"at_least": 2}, "upheld"),
        ({"at_least": 4}, "refuted"),
        ({"at_least": 3}, "undecided"),
        ({"at_most": 4}, "upheld"),
        ({"at_most": 2}, "refuted"),
        ({"at_most": 3}, "undecided"),
        ({"at_least": 2, "at_most": 4}, "upheld"),
        ({"at_least": 1, "at_most": 2}, "refuted"),
        ({"at_least": 4, "at_most": 5}, "refuted"),
        ({"at_least": 3, "at_most": 5}, "undecided"),
    ],
)
def test_the_whole_interval_decides(bounds: dict[str, Any], expected: str) -> None:
    claim = verdict(**bounds)
    assert claim.verdict == expected
    assert claim.estimate == pytest.approx(3, rel=0.02)
    assert claim.interval is not None and claim.interval[0] < 3 < claim.interval[1]
    assert claim.blocks == 5
    assert (claim.reason is not None) == (expected == "undecided")


def test_the_sentence_can_be_quoted(snapshot: object) -> None:
    claim = verdict(at_least=2, text="Fast is at least twice as fast.", published=2.5, source="a study")
    assert claim.sentence == snapshot
    for words in (
        "95% interval",
        "5 blocks",
        "load: closed, 16 connections, keep-alive",
        "at least 2",
        "below 2 would overturn",
    ):
        assert words in claim.sentence
    assert (claim.published, claim.source) == (2.5, "a study")


def test_a_refuted_claim_says_what_would_overturn_it(snapshot: object) -> None:
    assert verdict(at_most=2).sentence == snapshot


def test_an_undecided_claim_says_how_many_blocks_would_decide(snapshot: object) -> None:
    claim = verdict(noise=0.1, at_least=2.6)
    assert claim.verdict == "undecided"
    assert claim.reason == "the interval holds the bound 2.6"
    assert claim.sentence == snapshot


def test_where_no_number_of_blocks_is_sure_to_decide_it_says_what_is_proven(snapshot: object) -> None:
    claim = verdict(noise=0.1, at_least=2.99)
    assert claim.sentence == snapshot
    offered = re.search(r"`at_least = ([0-9.]+)` would be upheld today\.", claim.sentence)
    assert offered is not None
    assert verdict(noise=0.1, at_least=float(offered[1])).verdict == "upheld"
    assert verdict(noise=0.1, at_least=float(offered[1]) + 0.01).verdict == "undecided"


def test_lower_is_better_metrics_are_ratios_too(snapshot: object) -> None:
    claim = verdict(metric="response_time_p99", at_most=0.4)
    assert claim.verdict == "upheld"
    assert claim.subject == snapshot


def test_a_refused_trial_leaves_no_estimate_and_is_named(snapshot: object) -> None:
    claim = verdict(special={("slow", 3): a_trial().serving(1000).erring(wrong_body=1)})
    assert (claim.verdict, claim.estimate, claim.interval) == ("undecided", None, None)
    assert claim.reason == snapshot
    assert claim.sentence == snapshot


def test_a_trial_that_was_not_run_is_named(snapshot: object) -> None:
    claim = verdict(special={("fast", 1): a_trial().failing("start", "the port was taken")})
    assert claim.verdict == "undecided"
    assert claim.reason == snapshot
    assert claim.blocks == 4


def test_a_missing_trial_is_missed(snapshot: object) -> None:
    claim = verdict(special={("fast", 5): None})
    assert claim.verdict == "undecided" and claim.reason == snapshot


def test_two_blocks_carry_no_verdict(snapshot: object) -> None:
    claim = verdict(blocks=2, at_least=2)
    assert (claim.verdict, claim.interval) == ("undecided", None)
    assert claim.reason == snapshot


def test_an_unsupported_percentile_carries_no_verdict(snapshot: object) -> None:
    claim = verdict(special={("slow", 1): a_trial().serving(300)}, metric="response_time_p99", at_most=0.4)
    assert claim.verdict == "undecided" and claim.reason == snapshot
    assert "raise `duration_seconds`" in claim.sentence and "every trial" not in claim.sentence


def test_a_figure_of_zero_has_no_ratio() -> None:
    idle = {(name, block): a_trial().serving(1000).but(server_cpu=0.0) for name in RATES for block in range(1, 6)}
    claim = verdict(special=dict(idle), metric="server_cpu_per_1000_requests", at_most=1)
    assert claim.verdict == "undecided" and "zero" in (claim.reason or "")


def test_an_interrupted_experiment_decides_nothing(snapshot: object) -> None:
    record = an_experiment("fast", "slow").claiming("fast", "slow", at_least=2).record()
    trials = trials_of(record, lambda name, block: a_trial().serving(RATES[name]) if block <= 3 else None)
    claim = judge(record, trials, interrupted=True).claims[0]
    assert claim.verdict == "undecided" and claim.blocks == 3
    assert claim.reason == snapshot
    assert claim.sentence == snapshot


def test_the_verdict_does_not_depend_on_what_else_is_claimed() -> None:
    def interval(experiment: ExperimentBuilder) -> object:
        record = experiment.record()
        trials = trials_of(record, lambda name, block: a_trial().serving(RATES[name] * (1 + block % 3 / 50)))
        return judge(record, trials, interrupted=False).claims[-1].interval

    alone = an_experiment("fast", "slow").claiming("fast", "slow", id="it", at_least=2)
    late = (
        an_experiment("fast", "slow").claiming("slow", "fast", at_most=1).claiming("fast", "slow", id="it", at_least=2)
    )
    assert interval(alone) == interval(late)


def test_an_unknown_metric_is_named_with_the_known_ones(snapshot: object) -> None:
    experiment = an_experiment("a", "b").claiming("a", "b", at_least=1, metric="goodputs").record().experiment
    with pytest.raises(ValueError) as error:
        validate_claim(experiment.claims[0], experiment)
    assert str(error.value) == snapshot


def test_a_known_metric_passes() -> None:
    experiment = an_experiment("a", "b").claiming("a", "b", at_least=1).record().experiment
    validate_claim(experiment.claims[0], experiment)
