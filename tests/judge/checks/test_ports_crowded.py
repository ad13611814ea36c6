"""Connections that search for a local port: the load engine's time, not the server's."""

import pytest

from fairtrial.judge.checks.errors import error_remedy
from fairtrial.record.engine_summary import Routes
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities
from tests.lines import line_with


def trial_of(connections: int | None, sources: int = 1, waited: float = 0.0) -> TrialRecord:
    """A trial with so many connections from each source; None: over a Unix socket."""
    trial = a_trial().taking(0.004).record()
    assert trial.engine
    routes = None
    if connections is not None:
        routes = Routes(
            addresses=["[::1]:80"], source_addresses=sources, connections_each=connections, ports_each=14_116
        )
    engine = trial.engine.model_copy(update={"routes": routes, "oldest_in_flight_seconds": waited})
    return trial.model_copy(update={"engine": engine})


@pytest.mark.parametrize(("connections", "expected"), [(None, []), (16, []), (14_116, []), (14_117, ["warning"])])
def test_more_connections_than_find_a_port_at_once(connections: int | None, expected: list[str]) -> None:
    findings = found("ports-crowded", an_experiment("a").record(), [trial_of(connections)])
    assert severities(findings) == expected


@pytest.mark.parametrize("sources", [1, 2])
def test_the_evidence_says_from_how_many_sources(sources: int, snapshot: object) -> None:
    (finding,) = found("ports-crowded", an_experiment("a").record(), [trial_of(19_000, sources)])
    assert (finding.evidence, finding.remedy) == snapshot


def test_no_advice_about_the_server_for_what_the_engine_did(snapshot: object) -> None:
    record = an_experiment("a").record()
    (idle, crowded) = (found("unanswered", record, [trial_of(of, waited=2.5)])[0] for of in (16, 19_000))
    assert "what the stack waits for" in idle.remedy
    assert line_with(crowded.remedy, "give the host") == snapshot
    for kind in ("timeout", "deadline", "overflow"):
        calm, searching = (trial_of(of).engine for of in (16, 19_000))
        assert calm and searching
        assert "load engine" not in error_remedy(kind, calm)
        assert "load engine" in error_remedy(kind, searching)
