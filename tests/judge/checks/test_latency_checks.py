"""The proxies of a trial, on records: late ones, and ones that a stack went past."""

import pytest

from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.proof import Ledger
from fairtrial.record.proxy import Carried, ProxyAccount
from tests.builders import a_trial, an_experiment, times
from tests.judge.checks.findings import found, severities

EXPERIMENT = an_experiment("a").record()
"""On sqlite by name: to these checks it is the database of the conditions."""


def through(
    service: str, *, latency: float = 1e-3, p99_late: float = 1e-5, bytes_to_service: int = 10**6
) -> TrialRecord:
    """A trial whose database counted 10,000 statements, with a proxy before this service."""
    late = times(20_000, p99_late / 4).model_copy(update={"supported_percentile": 99.9})
    carried = Carried(bytes=bytes_to_service, chunks=10_000, held_back_chunks=16)
    account = ProxyAccount(
        latency_seconds=latency,
        connections=16,
        failed_connects=0,
        to_service=carried,
        to_clients=carried,
        lateness=late,
        cpu_seconds=0.3,
    )
    ledger = Ledger(done={"statements": 10_000}, verified=10_000, answers=10_000)
    return a_trial().record().model_copy(update={"proxies": {service: account}, "ledger": ledger})


@pytest.mark.parametrize(
    ("latency", "p99_late", "expected"),
    [
        (10e-3, 0.9e-3, []),
        (10e-3, 1.1e-3, ["refusal"]),
        # Below 2 ms the system's own wake-ups count.
        (0.1e-3, 0.19e-3, []),
        (0.1e-3, 0.21e-3, ["refusal"]),
    ],
)
def test_a_proxy_that_was_late_refuses_the_trial(latency: float, p99_late: float, expected: list[str]) -> None:
    findings = found("latency-late", EXPERIMENT, [through("sqlite", latency=latency, p99_late=p99_late)])
    assert severities(findings) == expected
    assert all(f"{1000 * p99_late:.3g} ms late" in finding.evidence for finding in findings)


def uncounted(trial: TrialRecord) -> TrialRecord:
    """The same on a database that does not count statements."""
    return trial.model_copy(update={"ledger": Ledger(done={"commits": 5}, verified=10_000, answers=10_000)})


def bypassed(trial: TrialRecord, experiment: ExperimentRecord = EXPERIMENT) -> list[str]:
    return severities(found("latency-bypassed", experiment, [trial]))


@pytest.mark.parametrize(("carried", "expected"), [(0, ["refusal"]), (9_999, ["refusal"]), (10_000, [])])
def test_a_database_that_did_more_than_the_proxy_carried_was_reached_past_it(carried: int, expected: list[str]) -> None:
    assert bypassed(through("sqlite", bytes_to_service=carried)) == expected


@pytest.mark.parametrize(("carried", "expected"), [(0, ["refusal"]), (1, [])])
def test_a_cache_that_nothing_was_carried_to_was_reached_past_the_proxy(carried: int, expected: list[str]) -> None:
    assert bypassed(through("redis", bytes_to_service=carried)) == expected


@pytest.mark.parametrize(("carried", "expected"), [(0, ["refusal"]), (1, [])])
def test_a_database_that_counts_no_statements_must_have_been_carried_something(
    carried: int, expected: list[str]
) -> None:
    assert bypassed(uncounted(through("sqlite", bytes_to_service=carried))) == expected


@pytest.mark.parametrize(("held", "expected"), [(0, []), (1, ["refusal"])])
@pytest.mark.parametrize("service", ["sqlite", "redis"])
def test_connections_to_the_service_itself_are_past_the_proxy(service: str, held: int, expected: list[str]) -> None:
    """However many bytes went through the proxy beside them."""
    trial = through(service).model_copy(update={"connections_past_proxies": {service: held}})
    assert bypassed(trial) == expected


def test_nothing_is_said_of_trials_without_a_proxy_or_without_answers() -> None:
    assert bypassed(a_trial().record()) == []
    unmeasured = through("redis", bytes_to_service=0).model_copy(update={"engine": None})
    assert bypassed(unmeasured) == []


def test_of_few_chunks_no_tail_is_judged() -> None:
    """100 chunks support the 90th percentile, which is 1.6 times the median here; the 99th is 4 times."""
    trial = through("sqlite", latency=10e-3, p99_late=2e-3)
    proxy = trial.proxies["sqlite"]
    few = proxy.lateness.model_copy(update={"count": 100, "supported_percentile": 90.0})
    sparse = trial.model_copy(update={"proxies": {"sqlite": proxy.model_copy(update={"lateness": few})}})
    assert severities(found("latency-late", EXPERIMENT, [trial])) == ["refusal"]
    assert found("latency-late", EXPERIMENT, [sparse]) == []
