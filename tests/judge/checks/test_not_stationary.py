"""Drift, warm-up and leak on records, and how often an honest window is accused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.load.ramp import RampLoad
from fairtrial.record.engine_summary import SecondOfSeries
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities
from tests.judge.statistics.simulation import at_most_five_percent

EXPERIMENT = an_experiment("a").record()


def served(
    rates: Sequence[float], *, rss: Sequence[float] = (), seconds: Sequence[float] | None = None, is_open: bool = False
) -> TrialRecord:
    """A trial with this goodput in each second, these medians, and this much resident memory in MiB."""
    trial = a_trial().but(window=float(len(rates))).record()
    assert trial.engine and trial.server
    medians = [16 / rate for rate in rates] if seconds is None else list(seconds)
    series = [
        SecondOfSeries(verified=round(rate), errors=0, p50_seconds=median, p99_seconds=2 * median, max_seconds=1.0)
        for rate, median in zip(rates, medians, strict=True)
    ]
    engine = {"series": series, "achieved_over_offered": 1.0 if is_open else None}
    return trial.model_copy(
        update={
            "engine": trial.engine.model_copy(update=engine),
            "server": trial.server.model_copy(update={"rss_series_bytes": [round(one * 2**20) for one in rss]}),
        }
    )


def noisy(seed: int, n: int = 30, deviation: float = 0.03) -> Any:
    return np.asarray(4000 * (1 + deviation * np.random.default_rng(seed).normal(size=n)))


def test_a_window_that_stands_still_is_left_alone() -> None:
    assert found("not-stationary", EXPERIMENT, [served(noisy(1), rss=[64.0] * 30)]) == []


def test_a_rate_that_changes_by_intent_is_no_drift_and_memory_is_still_looked_at() -> None:
    rising = served(
        noisy(1), seconds=list(np.linspace(0.001, 0.01, 30)), rss=list(np.linspace(64, 128, 30)), is_open=True
    )
    at_one_rate = found("not-stationary", EXPERIMENT, [rising])
    assert [finding.severity for finding in at_one_rate if "median" in finding.evidence] == ["refusal"]
    ramp = RampLoad(kind="ramp", from_per_second=100, to_per_second=4000)
    conditions = [each.model_copy(update={"load": ramp}) for each in EXPERIMENT.conditions]
    (memory,) = found("not-stationary", EXPERIMENT.model_copy(update={"conditions": conditions}), [rising])
    assert memory.evidence.startswith("memory grew")


def test_honest_windows_are_hardly_ever_accused() -> None:
    """200 windows of 10 to 40 s whose seconds vary by 5%."""
    seeds = sorted(range(200), key=lambda seed: seed % 31)  # windows of one length side by side share their orders
    trials = [served(noisy(seed, 10 + seed % 31, 0.05)) for seed in seeds]
    findings = found("not-stationary", EXPERIMENT, trials)
    assert "refusal" not in severities(findings)
    assert len({finding.trial for finding in findings}) <= 2


def correlated(seed: int, seconds: int) -> Sequence[float]:
    """Seconds that vary by 10%, each leaning on the one before by 0.5."""
    random, level, values = np.random.default_rng(seed), 0.0, []
    for _ in range(seconds):
        level = 0.5 * level + random.normal(0, 0.1 * np.sqrt(1 - 0.5**2))
        values.append(4000 * float(np.exp(level)))
    return values


def found_in_runs(trials: int, seconds: int, runs: int) -> list[list[Finding]]:
    """Of honest runs of so many windows, whose seconds lean on each other."""

    def run(number: int) -> list[TrialRecord]:
        windows = [served(correlated(1000 * number + trial, seconds)) for trial in range(trials)]
        return [each.model_copy(update={"index": index}) for index, each in enumerate(windows, 1)]

    return [found("not-stationary", EXPERIMENT, run(number)) for number in range(runs)]


def test_of_a_whole_run_at_most_one_in_twenty_is_warned_of(snapshot: object) -> None:
    """What chance explains is noted."""
    found_in = found_in_runs(trials=50, seconds=12, runs=20)
    assert sum("warning" in severities(findings) for findings in found_in) <= at_most_five_percent(len(found_in))
    notes = [finding for findings in found_in for finding in findings if finding.severity == "note"]
    assert notes and notes[0].evidence == snapshot


def test_a_drift_in_many_trials_of_a_run_is_no_chance() -> None:
    drifting = [served(list(noisy(seed, deviation=0.01) * np.linspace(1, 0.75, 30))) for seed in range(5)]
    trials = [*drifting, *(served(list(noisy(seed))) for seed in range(20, 40))]
    trials = [each.model_copy(update={"index": index}) for index, each in enumerate(trials, 1)]
    findings = found("not-stationary", EXPERIMENT, trials)
    assert {finding.trial for finding in findings if finding.severity == "warning"} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(("fall", "expected"), [(0.05, set()), (0.25, {"warning"}), (0.6, {"refusal", "warning"})])
def test_a_drift(fall: float, expected: set[str]) -> None:
    rates = noisy(2, deviation=0.01) * np.linspace(1, 1 - fall, 30)
    findings = found("not-stationary", EXPERIMENT, [served(list(rates))])
    assert set(severities(findings)) == expected
    if expected:
        assert "goodput" in findings[0].evidence


def test_a_warm_up_that_was_too_short() -> None:
    rates = noisy(3)
    rates[:4] *= 0.4
    findings = found("not-stationary", EXPERIMENT, [served(list(rates))])
    assert "refusal" in severities(findings)
    assert "after second 4 of 30" in findings[0].evidence
    assert "warmup_seconds" in findings[0].remedy


@pytest.mark.parametrize(
    ("from_rate", "to_rate"), [(4000.0, 2000.0), (2000.0, 4000.0), (4000.0, 2700.0), (2700.0, 4000.0)]
)
def test_a_step_down_weighs_as_much_as_the_same_step_up(from_rate: float, to_rate: float) -> None:
    """By 1.48 the size is 0.39: a warning in either direction, as a share of the larger or of the smaller it is not."""
    rates = np.where(np.arange(30) < 12, from_rate, to_rate) * noisy(6, deviation=0.01) / 4000
    (finding, *_) = found("not-stationary", EXPERIMENT, [served(list(rates), seconds=[0.004] * 30)])
    assert finding.severity == ("refusal" if 2000 in (from_rate, to_rate) else "warning")
    assert "goodput" in finding.evidence


@pytest.mark.parametrize(
    "rates",
    [[4000.0] * 15 + [0.0] * 15, [0.0] * 15 + [4000.0] * 15],
)
def test_a_step_to_nothing_or_from_nothing_is_refused(rates: list[float], snapshot: object) -> None:
    (finding,) = found("not-stationary", EXPERIMENT, [served(rates, seconds=[0.004] * 30)])
    assert finding.severity == "refusal" and finding.evidence == snapshot


def test_a_long_window_is_judged_in_parts() -> None:
    rates = noisy(3, n=1830)
    rates[:400] *= 0.4
    findings = found("not-stationary", EXPERIMENT, [served(list(rates))])
    assert "refusal" in severities(findings)
    assert "after second 400 of 1828" in findings[0].evidence
    assert found("not-stationary", EXPERIMENT, [served(noisy(3, n=1830), rss=[64.0] * 1830)]) == []


def test_an_open_load_is_judged_by_its_times() -> None:
    """It sets its own rate, which may ramp."""
    ramp = list(np.linspace(1000, 4000, 30))
    steady = list(0.004 + 0.0001 * np.random.default_rng(4).normal(size=30))
    assert found("not-stationary", EXPERIMENT, [served(ramp, seconds=steady, is_open=True)]) == []
    growing = list(np.linspace(0.004, 0.4, 30))
    findings = found("not-stationary", EXPERIMENT, [served([1000.0] * 30, seconds=growing, is_open=True)])
    assert findings[0].severity == "refusal" and "median response time" in findings[0].evidence


@pytest.mark.parametrize(("grown", "expected"), [(0.05, []), (0.5, ["warning"])])
def test_a_leak_is_a_warning(grown: float, expected: list[str]) -> None:
    findings = found(
        "not-stationary", EXPERIMENT, [served(noisy(5), rss=np.linspace(64, 64 * (1 + grown), 30).tolist())]
    )
    assert severities(findings) == expected
    assert all("memory grew" in finding.evidence for finding in findings)


def test_memory_that_is_given_back_is_no_leak() -> None:
    assert found("not-stationary", EXPERIMENT, [served(noisy(5), rss=np.linspace(96, 64, 30).tolist())]) == []


def test_a_few_seconds_cannot_tell() -> None:
    assert found("not-stationary", EXPERIMENT, [served([4000, 3500, 3000, 2500, 2000, 1500, 1000, 500, 250])]) == []
