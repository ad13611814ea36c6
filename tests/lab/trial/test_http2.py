"""Experiments over HTTP/2, on a real server that speaks it beside HTTP/1.1."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.loopback import free_port, listens
from tests.command_line import Finished, Lab
from tests.machine.needs import skip_without

SERVER = Path(__file__).parents[2] / "fixtures" / "both_protocols.js"
CERTIFICATES = Path(__file__).parents[2] / "tools" / "load" / "certificates"
RUN = ["node", SERVER.name]
READY = 'ready = { path = "/" }\n'
OVER_HTTP2 = """
[workload.ready]
path = "/"
[workload.requests.version]
get = "/"
expect = { text = "HTTP/2.0" }
"""
OVER_EITHER = """
[workload.ready]
path = "/"
[workload.requests.version]
get = "/"
expect = { bytes = 8 }
"""
LENGTHS = "warmup_seconds = 0.1\nwarmup_limit_seconds = 0.1\nduration_seconds = 0.5"


def tried(lab: Lab, name: str, load: str, workload: str, more: str = "", **stack: Any) -> Finished:
    """A run of a stack of the server over a workload that stands in the experiment."""
    skip_without("node")
    options = {"run": RUN, "server": SERVER, "service": "none", "more": f"{READY}http2 = true", **stack}
    lab.stack(name, **options)
    file = lab.experiment(name, service="none", load=load, more=f"{workload}{more}")
    file.write_text(file.read_text().replace('workload = "random-item"\n', "", 1))
    return lab.fairtrial("run", file, *lab.named(name))


def findings(finished: Finished, severity: str) -> dict[str, str]:
    """What was found, by check."""
    conditions = finished.result["conditions"]
    of_trials = [each for condition in conditions for trial in condition["trials"] for each in trial["findings"]]
    every = [*finished.result["findings"], *of_trials]
    return {each["check"]: each["evidence"] for each in every if each["severity"] == severity}


@pytest.fixture(scope="module")
def swept(shared_lab: Lab) -> Finished:
    """One run over two loads: both with eight requests in flight, which wait 10 ms each."""
    more = """
[sweep]
parameter = "load"
values = ["pool", "multiplexed"]
[loads.pool]
connections = 8
[loads.multiplexed]
connections = 2
http2 = true
streams = 4
[env]
WAIT_MS = "10"
"""
    return tried(shared_lab, "both", LENGTHS, OVER_EITHER, more)


def test_streams_are_in_flight_beside_each_other(swept: Finished) -> None:
    """800 answers a second are the most; a quarter of that is what one request a connection would come to."""
    pool, multiplexed = (line["engine"] for line in by_value(swept))
    assert {condition["outcome"] for condition in swept.result["conditions"]} == {"valid"}, swept.out
    assert multiplexed["verified"] == multiplexed["answers"] > 0.5 * pool["verified"]
    assert multiplexed["response_time"]["percentiles"]["50"] < 4 * 0.010
    assert multiplexed["connection_answers"]["connections"] == 2


def by_value(finished: Finished) -> list[dict[str, Any]]:
    """The trials, in the order of the sweep's values."""
    places = [condition["id"] for condition in finished.record[0]["conditions"]]
    return sorted(finished.record[1:], key=lambda line: places.index(line["condition"]))


def test_the_record_and_the_report_say_over_what_was_asked(swept: Finished) -> None:
    loads = [condition["load"] for condition in swept.record[0]["conditions"]]
    assert [(load["connections"], load["http2"], load["streams"]) for load in loads] == [(8, False, 1), (2, True, 4)]
    words = " ".join(swept.out.split())
    assert "multiplexed: closed, 2 connections × 4 streams" in words
    assert "pool: closed, 8 connections, keep-alive" in words
    assert swept.results and "2 connections × 4 streams, HTTP/2" in (swept.results / "report.html").read_text()


def test_the_contract_holds_over_http2_as_well(swept: Finished) -> None:
    for line in swept.record[1:]:
        clauses = {clause["name"]: clause["passed"] for clause in line["contract"]}
        assert clauses["http2"] and all(clauses.values())


def test_what_has_no_calibration_is_said(swept: Finished) -> None:
    calibrated = [each["connections"] for each in swept.record[0]["calibrations"]]
    assert calibrated == [8]
    notes = findings(swept, "note")
    for check in ("harness-limited", "latency-at-the-floor"):
        assert "over HTTP/2" in notes[check] and "both at multiplexed" in notes[check]
        assert "both at pool" not in notes[check]
    assert "streams of one connection" in notes["uneven-connections"]


def test_an_open_load_has_its_requests_on_streams(lab: Lab) -> None:
    load = f'kind = "open"\nrate_per_second = 200\nconnections = 1\nhttp2 = true\nstreams = 32\n{LENGTHS}'
    finished = tried(lab, "both", load, OVER_HTTP2, '[env]\nWAIT_MS = "20"\n')
    (trial,) = finished.record[1:]
    assert trial["contract"] and all(clause["passed"] for clause in trial["contract"]), finished.out
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0
    assert trial["engine"]["connection_answers"]["connections"] == 1
    assert trial["engine"]["waiting"]["peak"] < 50, "one request at a time would leave three in four waiting"
    assert "up to 1 connection × 32 streams, HTTP/2" in " ".join(finished.out.split())


def test_what_runs_already_is_asked_over_tls_by_alpn(lab: Lab) -> None:
    skip_without("node")
    port, files = free_port(), {"CERTIFICATE": CERTIFICATES / "server.pem", "KEY": CERTIFICATES / "server.key"}
    told = {**os.environ, "PORT": str(port), **{name: str(path) for name, path in files.items()}}
    lab.environment["SSL_CERT_FILE"] = str(CERTIFICATES / "authority.pem")
    contender = f'[contenders.there]\nurl = "https://localhost:{port}"\nhttp2 = true\n'
    load = f"connections = 1\nhttp2 = true\nstreams = 4\n{LENGTHS}"
    file = lab.experiment("there", service="none", load=load, more=f"{OVER_HTTP2}{contender}")
    file.write_text(file.read_text().replace('workload = "random-item"\n', "", 1))
    with subprocess.Popen(["node", str(SERVER)], env=told) as server:
        try:
            while not listens(port):
                assert server.poll() is None
            finished = lab.fairtrial("run", file)
        finally:
            server.terminate()
    (trial,) = finished.record[1:]
    assert all(clause["passed"] for clause in trial["contract"]), trial["contract"]
    assert trial["engine"]["tls"]["version"] == "1.3"
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0


def test_who_allows_fewer_streams_has_the_others_wait_in_the_figures(lab: Lab) -> None:
    load = f"connections = 1\nhttp2 = true\nstreams = 8\n{LENGTHS}"
    finished = tried(lab, "both", load, OVER_HTTP2, '[env]\nWAIT_MS = "10"\nSTREAMS = "2"\n')
    (trial,) = finished.record[1:]
    engine = trial["engine"]
    assert engine["response_time"]["mean_seconds"] > 2 * engine["service_time"]["mean_seconds"] > 0.02
    assert "littles-law" not in findings(finished, "refusal"), finished.out


def test_a_stack_that_says_it_and_does_not_is_refused_by_its_contract(lab: Lab) -> None:
    """The test server of Python speaks HTTP/1.1 alone."""
    name = lab.stack("tried", more="http2 = true")
    load = f"connections = 1\nhttp2 = true\n{LENGTHS}"
    finished = lab.fairtrial("run", lab.experiment(name, load=load), *lab.named(name))
    (trial,) = finished.record[1:]
    clauses = {clause["name"]: clause for clause in trial["contract"]}
    assert [name for name, clause in clauses.items() if not clause["passed"]] == ["http2"]
    assert clauses["http2"]["evidence"].startswith("protocol, http2 preface: "), "it answers with text"
    assert trial["engine"] is None
    assert finished.trial("tried")["outcome"] == "refused"


def test_one_that_says_nothing_is_refused_before_anything_is_built(lab: Lab) -> None:
    name = lab.stack("tried", build=[["false"]])
    finished = lab.fairtrial("run", lab.experiment(name, load="http2 = true"), *lab.named(name))
    assert (finished.status, finished.results) == (2, None)
    assert "load.http2: tried does not" in " ".join(finished.err.split())
