"""Experiments over HTTP/3, on a server that speaks it on the port on which another takes HTTP/1.1 and HTTP/2."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.base.loopback import free_port, listens
from tests.command_line import CALM, Lab
from tests.docs.pages import EXAMPLES
from tests.lab.trial.test_http2 import CERTIFICATES, LENGTHS, SERVER, by_value
from tests.machine.needs import needs, skip_without

OVER_UDP = CERTIFICATES.parent / "http3_server.py"
WORKLOAD = """
[workload.requests.hello]
get = "/"
expect = { status = 200 }
"""
FILES = CERTIFICATES / "server.pem", CERTIFICATES / "server.key"


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server that speaks HTTP/3 alone."""
    command = [sys.executable, str(OVER_UDP), *map(str, FILES)]
    told = {**os.environ, "PORT": str(free_port())}  # the same number is free for TCP
    with subprocess.Popen(command, env=told, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def experiment(lab: Lab, port: int, load: str, more: str = "") -> Path:
    lab.environment["SSL_CERT_FILE"] = str(CERTIFICATES / "authority.pem")
    contender = f'[contenders.there]\nurl = "https://localhost:{port}"\nhttp2 = true\nhttp3 = true\n'
    if "[sweep]" not in more:
        contender = contender.replace("http2 = true\n", "")
    file = lab.experiment("there", service="none", load=load, more=f"{WORKLOAD}{contender}{more}")
    file.write_text(file.read_text().replace('workload = "random-item"\n', "", 1))
    return file


def test_what_has_no_port_of_tcp_is_found_and_asked_by_quic(lab: Lab, port: int) -> None:
    load = f"connections = 2\nhttp3 = true\nstreams = 4\n{LENGTHS}"
    finished = lab.fairtrial("run", experiment(lab, port, load))
    (trial,) = finished.record[1:]
    assert next(clause["name"] for clause in trial["contract"]) == "http3", finished.out
    assert all(clause["passed"] for clause in trial["contract"]), trial["contract"]
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0
    assert trial["engine"]["connection_answers"]["connections"] == 2
    words = " ".join(finished.out.split())
    assert "closed, 2 connections × 4 streams, HTTP/3" in words and "over HTTP/3" in words
    assert finished.results and "4 streams, HTTP/3" in (finished.results / "report.html").read_text(encoding="utf-8")


def test_three_protocols_are_tried_against_each_other(lab: Lab, port: int) -> None:
    skip_without("node")
    more = """
[sweep]
parameter = "load"
values = ["one", "two", "three"]
[loads.one]
connections = 4
[loads.two]
http2 = true
[loads.three]
http3 = true
"""
    told = {**os.environ, "PORT": str(port), "CERTIFICATE": str(FILES[0]), "KEY": str(FILES[1])}
    with subprocess.Popen(["node", str(SERVER)], env=told) as over_tcp:
        try:
            while not listens(port):
                assert over_tcp.poll() is None
            finished = lab.fairtrial("run", experiment(lab, port, f"connections = 2\n{LENGTHS}", more))
        finally:
            over_tcp.terminate()
    loads = [condition["load"] for condition in finished.record[0]["conditions"]]
    protocols = [(load["http2"], load["http3"]) for load in loads]
    assert protocols == [(False, False), (True, False), (False, True)]
    for line in by_value(finished):
        clauses = {clause["name"]: clause["passed"] for clause in line["contract"]}
        assert clauses["http2"] and clauses["http3"] and all(clauses.values()), line["contract"]
        assert line["engine"]["verified"] == line["engine"]["answers"] > 0


def test_a_server_that_the_lab_starts_is_asked_by_quic_alone(lab: Lab) -> None:
    """It has no port of TCP: setup request, readiness, clauses and load come over QUIC, by the lab's certificate."""
    contender = f"""
[workload.setup.login]
post = "/login"
take.token = "header token"
[workload.requests.mine]
get = "/mine"
headers = {{ authorization = "{{{{var token}}}}" }}
expect = {{ text = "hello" }}
[contenders.started]
directory = "."
command = ["{sys.executable}", "{OVER_UDP}"]
ready = {{ path = "/" }}
tls = true
http3 = true
"""
    load = f"connections = 2\nhttp3 = true\nstreams = 4\n{LENGTHS}"
    file = lab.experiment("started", service="none", load=load, more=f"{WORKLOAD}{contender}")
    file.write_text(file.read_text().replace('workload = "random-item"\n', "", 1))
    finished = lab.fairtrial("run", file)
    (trial,) = finished.record[1:]
    clauses = {clause["name"]: clause["passed"] for clause in trial["contract"]}
    assert clauses.keys() == {"setup", "listens-on-host", "http3", "hello", "mine"}, trial["contract"]
    assert all(clauses.values()), trial["contract"]
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0
    assert trial["server"]["cpu_user_seconds"] > 0


@needs("go-nethttp")
def test_one_server_is_started_and_asked_over_three_protocols(lab: Lab) -> None:
    folder = lab.folder / "http3"
    shutil.copytree(EXAMPLES / "http3", folder)
    file = folder / "experiment.toml"
    file.write_text(file.read_text().replace("duration_seconds = 3.0", LENGTHS) + CALM)
    finished = lab.fairtrial("run", file, "--blocks", "1", timeout_seconds=300)
    loads = [condition["load"] for condition in finished.record[0]["conditions"]]
    assert [(load["http2"], load["http3"]) for load in loads] == [(False, False), (True, False), (False, True)]
    trials = by_value(finished)
    assert len(trials) == 3
    for line in trials:
        clauses = {clause["name"]: clause["passed"] for clause in line["contract"]}
        assert clauses["http2"] and clauses["http3"] and clauses["setup"] and all(clauses.values()), line["contract"]
        assert line["engine"]["verified"] == line["engine"]["answers"] > 0
        assert line["engine"]["tls"]["version"] == "1.3"


def test_nobody_at_the_port_is_told_before_the_trials(lab: Lab, port: int) -> None:
    load = f"connections = 1\nhttp3 = true\n{LENGTHS}"
    file = experiment(lab, port + 1 if port < 65_535 else port - 1, load)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("http3 = true\n[", "http3 = true\nready_within_seconds = 0.5\n["), encoding="utf-8")
    finished = lab.fairtrial("run", file)
    assert "QUIC: " in " ".join((finished.out + finished.err).split())
