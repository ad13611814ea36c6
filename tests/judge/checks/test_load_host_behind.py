"""load-host-behind: a host that did less than its share of a load that several offered."""

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.record.engine_summary import EngineThread
from fairtrial.record.load_hosts import LoadHostAccount
from fairtrial.record.placement import Placement
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def host(number: int, answers: int, *, offered: int = 0, connections: int = 8, cpu: float = 0.1) -> LoadHostAccount:
    trial = a_trial().record()
    assert trial.engine is not None
    return LoadHostAccount(
        worker=f"tcp://10.0.0.{number}:1",
        opened_after_seconds=0.0,
        clock_ahead_seconds=0.0,
        clock_error_seconds=0.001,
        connections=connections,
        is_open=offered > 0,
        offered=offered or answers,
        sent=answers,
        answers=answers,
        verified=answers,
        failures=0,
        window_seconds=trial.engine.window_seconds,
        threads=[EngineThread(cpu_seconds=cpu * trial.engine.window_seconds)],
        response_time=trial.engine.response_time,
    )


def findings(*hosts: LoadHostAccount) -> list[Finding]:
    trial = a_trial().record()
    trial.load_hosts = list(hosts)
    return found("load-host-behind", an_experiment("a").record(), [trial])


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        ([host(1, 1000), host(2, 910)], []),
        ([host(1, 1000), host(2, 890)], ["warning"]),
        ([host(1, 1000), host(2, 510)], ["warning"]),
        ([host(1, 1000), host(2, 490)], ["refusal"]),
        ([host(1, 1000), host(2, 0)], ["refusal"]),
        ([host(1, 1000), host(2, 500, connections=4)], []),
        ([host(1, 500, offered=500), host(2, 1000, offered=1000, connections=1)], []),
        ([host(1, 990, offered=1000), host(2, 700, offered=1000)], ["warning"]),
        ([host(1, 1000)], []),
        ([], []),
    ],
)
def test_by_what_is_missing(hosts: list[LoadHostAccount], expected: list[str]) -> None:
    assert severities(findings(*hosts)) == expected


def test_the_host_is_named(snapshot: object) -> None:
    (finding,) = findings(host(1, 1000), host(2, 700), host(3, 990))
    assert finding.evidence == snapshot


def test_a_busy_generator_is_named_by_its_host() -> None:
    placement = Placement(load_cpus=[0, 0], server_cpus=[0], disjoint=True, load_elsewhere=True, load_hosts=2)
    record = an_experiment("a").record().model_copy(update={"placement": placement})
    trial = a_trial().but(engine_cpu=0.85, engine_threads=2).record()
    trial.load_hosts = [host(1, 1000), host(2, 1000, cpu=0.85)]
    (finding,) = found("generator-saturated", record, [trial])
    assert "on the load host tcp://10.0.0.2:1:" in finding.evidence
