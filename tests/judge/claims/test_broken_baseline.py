"""Overheads below zero: a baseline that is slower than what stands on it gives no verdict."""

from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.report.grouping import grouped_findings
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.claims.scene import served, verdict

RATES = {"base": 1000.0, "ahead": 1100.0, "level": 1001.0, "behind": 900.0}
OVERHEAD: dict[str, Any] = {"metric": "overhead", "baseline": "base"}


def budget(of: str, **more: Any) -> ClaimResult:
    return verdict("budget", served(RATES), *RATES, of=of, at_most="1 ms", **OVERHEAD, **more)


def judged(experiment: ExperimentBuilder) -> Result:
    record = experiment.record()
    rates = {each.contender: RATES[each.contender.partition(" ")[0]] for each in record.conditions}
    return judge(record, trials_of(record, served(rates)), interrupted=False)


def test_a_layer_that_is_faster_than_its_baseline_is_no_verdict(snapshot: object) -> None:
    claim = budget("ahead")
    assert claim.verdict == "undecided"
    assert claim.estimate == pytest.approx(1 / 1100 - 1 / 1000, rel=0.2)
    assert claim.interval is not None and claim.interval[1] < 0
    assert claim.reason is not None
    assert claim.reason == snapshot
    assert claim.sentence == snapshot
    assert [(finding.check, finding.severity) for finding in claim.findings] == [("broken-baseline", "refusal")]


@pytest.mark.parametrize("of", ["level", "behind"])
def test_an_overhead_whose_interval_holds_zero_or_lies_above_it_is_judged(of: str) -> None:
    claim = budget(of)
    assert claim.interval is not None
    assert (claim.interval[0] < 0) == (of == "level"), "the near miss: it may be below zero"
    assert (claim.verdict, claim.findings) == ("upheld", [])


def test_two_blocks_prove_nothing_against_a_baseline() -> None:
    claim = budget("ahead", blocks=2)
    assert claim.findings == [] and "at least 3" in (claim.reason or "")


def test_every_kind_that_is_about_an_overhead_is_held_to_it_and_no_other() -> None:
    experiment = (
        an_experiment(*RATES)
        .stating("difference", of="behind", to="ahead", at_least="0 ms", **OVERHEAD)
        .stating("ratio", of="ahead", to="behind", at_most=1, **OVERHEAD)
        .stating("order", order=["ahead", "behind"], **OVERHEAD)
        .stating("difference", of="behind", to="level", at_least="0 ms", **OVERHEAD)
        .stating("ratio", of="ahead", to="base", at_least=1)
    )
    result = judged(experiment)
    assert [claim.verdict for claim in result.claims] == ["undecided"] * 3 + ["upheld"] * 2
    assert [group.where for group in grouped_findings(result) if group.check == "broken-baseline"] == [
        f"claim claim-{number}" for number in range(1, 4)
    ]


def test_a_shape_is_held_to_it_at_each_value(snapshot: object) -> None:
    shape: dict[str, Any] = {"shape": "flat", "within": 0.5, "metric": "overhead", "baseline": "base at 1"}
    experiment = an_experiment(*RATES).sweeping(1, 2).stating("shape", of="ahead", **shape)
    (claim,) = judged(experiment.stating("shape", of="behind", **shape)).claims[:1]
    assert claim.reason == snapshot


def test_a_trial_that_is_refused_is_the_reason_before_the_baseline() -> None:
    def make(name: str, block: int) -> TrialBuilder:
        return served(RATES)(name, block) if name != "ahead" else a_trial().serving(1100).but(altered=block == 2)

    claim = verdict("budget", make, "base", "ahead", of="ahead", at_most="1 ms", **OVERHEAD)
    assert claim.verdict == "undecided" and "dataset-altered" in (claim.reason or "")
