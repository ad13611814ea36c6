"""`fairtrial load` as a user calls it, against real servers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer._click.exceptions import UsageError

from fairtrial.record.engine_summary import EngineSummary
from tests.builders import a_trial, an_experiment
from tests.command_line import Finished, Lab
from tests.judge.checks.findings import found as found_by
from tests.lines import passage
from tests.machine.needs import needs
from tests.tools.load.conftest import CERTIFICATES, Listener, Target

Serve = Callable[..., Target]
Call = Callable[..., Finished]


def summary(call: Call, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """The JSON of a load that ends with this status."""
    finished = call("load", *arguments, "--json", "-")
    assert finished.status == status, finished.err
    measured: dict[str, Any] = json.loads(finished.out)
    return measured


def test_a_number_of_requests(call: Call, target: Target) -> None:
    finished = call("load", target.url, "-c", "3", "-n", "200", "-v")

    assert finished.status == 0, finished.err
    lines = finished.out.splitlines()
    assert lines[:2] == [target.url, "load: closed, 3 connections, keep-alive, 200 requests"]
    assert "verified answers/s" in lines[3]
    assert "200 verified of 200 answers to 200 requests" in finished.out
    assert "p99 needs 1,000 answers, there were 200" in finished.out
    assert "errors: none" in finished.out


def test_traced_requests(call: Call, target: Target, snapshot: object) -> None:
    finished = call("load", target.url, "-c", "3", "-n", "60", "--trace-share", "1", "-v", "--json", "-")
    measured = json.loads(finished.out)
    slowest = measured["slowest_traced"]
    assert (measured["traced"], len(slowest)) == (60, 10) and "100% of requests traced" in measured["load"]
    assert slowest[0]["response_seconds"] == measured["response_time"]["max_seconds"]
    verbose, usual = (call("load", target.url, "-n", "60", "--trace-share", "1", *more).out for more in (["-v"], []))
    assert verbose.count(", trace ") == 10
    assert passage(verbose, "60 right answers", "a traceparent") == snapshot
    assert ", trace " not in usual
    with pytest.raises(UsageError, match="less than or equal to 1"):
        call("load", target.url, "--trace-share", "1.5")


def test_what_is_printed_by_default_fits_half_a_screen(
    call: Call, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    finished = call("load", target.url, "-d", "300ms", "--warmup", "0")
    assert finished.status == 0, finished.err
    lines = finished.out.partition("\nwarning: ")[0].splitlines()
    assert len(lines) <= 12 and "errors: none" in lines and max(map(len, lines)) <= 80, finished.out


def test_a_length_of_time(call: Call, target: Target, snapshot: object) -> None:
    measured = summary(call, target.url, "-d", "300ms", "--warmup", "100ms")
    assert 0.3 <= measured["window_seconds"] < 1
    assert measured["warmup_seconds"] >= 0.1
    assert measured["load"] == snapshot


def test_think_time(call: Call, target: Target) -> None:
    measured = summary(call, target.url, "-c", "2", "-n", "10", "--think", "50ms")
    assert measured["window_seconds"] >= 0.15


@pytest.mark.parametrize("arrival", ["constant", "poisson"])
def test_an_open_load(lab: Lab, call: Call, target: Target, arrival: str, snapshot: object) -> None:
    finished = call("load", target.url, "-r", "1k", "--arrival", arrival, "-d", "500ms", "--json", "x.json")

    assert finished.status == 0, finished.err
    words = "Poisson" if arrival == "poisson" else arrival
    assert passage(finished.out, "open, 1,000 requests/s,", "arrivals, up to 64") == snapshot
    for words in ("offered", "service time", "send lag", "a closed load never shows"):
        assert words in finished.out
    measured = json.loads((lab.folder / "x.json").read_text())
    assert 350 < measured["offered"] < 650
    assert measured["achieved_over_offered"] > 0.5


def test_waiting_for_the_next_request_is_not_work(call: Call, target: Target) -> None:
    """A thread that is awake all the time at a low rate is neither busy here, nor saturated in the check."""
    finished = call("load", target.url, "-r", "10k", "-c", "4", "--threads", "1", "-d", "500ms", "--json", "-")
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert not [warning for warning in measured["warnings"] if "generator-saturated" in warning]
    fields = EngineSummary.model_fields.keys()
    engine = EngineSummary.model_validate({key: value for key, value in measured.items() if key in fields})
    (thread,) = engine.threads
    assert thread.spinning_seconds > thread.busy_seconds
    trial = a_trial().record().model_copy(update={"engine": engine})
    assert found_by("generator-saturated", an_experiment("a", "b").record(), [trial]) == []


@needs("two-processors")
def test_waiting_awake_for_answers_is_not_work(call: Call, serve: Serve) -> None:
    """The server takes 20 ms for each answer, and the generator waits for next to all of it."""
    url = serve("--delay", "constant:20ms").url
    measured = summary(call, url, "-c", "1", "-d", "500ms", "--wait", "awake")
    assert measured["wait"] == "awake"
    (thread,) = measured["threads"]
    assert thread["spinning_seconds"] > thread["cpu_seconds"] / 2
    (asleep,) = summary(call, url, "-c", "1", "-d", "500ms")["threads"]
    assert asleep["spinning_seconds"] == 0


def test_a_ramp(call: Call, target: Target) -> None:
    measured = summary(call, target.url, "--ramp", "0:2k", "-d", "500ms")
    assert 400 < measured["offered"] < 600


def test_steps(lab: Lab, call: Call, target: Target, snapshot: object) -> None:
    finished = call("load", target.url, "--steps", "200:500ms,1k:500ms,0:200ms", "--json", "x.json")

    assert finished.status == 0, finished.err
    steps = "open, steps 200/s for 500 ms, 1,000/s for 500 ms, 0/s for 200 ms"
    assert passage(finished.out, "load: ", "in all") == snapshot
    assert "send lag" in finished.out
    measured = json.loads((lab.folder / "x.json").read_text())
    assert measured["offered"] == 600
    assert measured["load"].startswith(steps)
    rates = [(step["rate_per_second"], step["seconds"]) for step in measured["load_model"]["steps"]]
    assert rates == [(200, 0.5), (1000, 0.5), (0, 0.2)]
    assert sum(second["verified"] for second in measured["series"]) == measured["verified"]


def test_what_waits_for_longer_than_the_deadline_is_not_sent(
    lab: Lab, call: Call, serve: Serve, snapshot: object
) -> None:
    """A server that takes 100 ms for each request, on one connection, gets ten times what it can answer."""
    target = serve("--delay", "constant:100ms")
    load = (target.url, "-r", "100", "-c", "1", "-d", "1s", "--deadline", "250ms")
    printed = call("load", *load, "--plain", "--json", "x.json")
    assert printed.status == 3  # there were errors
    told = json.loads((lab.folder / "x.json").read_text())
    assert told["errors"]["deadline"] > 20 and told["load"] == snapshot
    assert told["response_time"]["at_least"]["min_seconds"] > 0.25
    assert "for more than 250 ms" in printed.out
    assert "deadline  requests were due for" in printed.out


def test_first_bytes_are_told_apart_from_last_ones(call: Call, serve: Serve) -> None:
    target = serve("--slow-body", "30ms")
    printed = call("load", target.url, "-n", "40", "-c", "2", "--plain", "-v")
    rows = {line.partition("  ")[0].strip(): line.split() for line in printed.out.splitlines()}
    first_byte, response = float(rows["first byte"][2]), float(rows["response time"][2])
    assert first_byte < 0.5 * response and response >= 29


def test_answers_are_awaited_for_as_long_as_drain_says(call: Call, serve: Serve) -> None:
    """Every answer takes 400 ms: of the last requests of the window none is answered in it."""
    slow = serve("--delay", "constant:400ms")
    load = (slow.url, "-r", "50", "-c", "64", "-d", "800ms")
    awaited = summary(call, *load, "--drain", "5s")
    assert awaited["cohort"]["censored"] == 0 and awaited["response_time"]["at_least"] is None
    assert awaited["cohort"]["drain_seconds"] < 5  # no longer than it takes
    cut = summary(call, *load, "--drain", "0")
    assert cut["cohort"]["drain_seconds"] == 0 and cut["cohort"]["censored"] > 0
    assert cut["response_time"]["at_least"]["count"] == cut["cohort"]["censored"]


def test_a_stall_is_felt_in_response_time_only(call: Call, serve: Serve) -> None:
    stalling = serve("--stall", "400ms:150ms")
    measured = summary(call, stalling.url, "-r", "500", "-c", "1", "-d", "1200ms")
    response, service = measured["response_time"]["percentiles"], measured["service_time"]["percentiles"]
    assert response["90"] > 0.03
    assert response["90"] > 3 * service["90"]
    assert measured["waiting"]["peak"] > 10


@pytest.mark.parametrize("driver", ["epoll", "auto"])
def test_drivers(call: Call, target: Target, driver: str) -> None:
    measured = summary(call, target.url, "-n", "50", "--driver", driver)
    assert measured["driver"] in ("epoll", "io_uring")
    if driver == "epoll":
        assert measured["driver"] == "epoll"


def test_threads(call: Call, target: Target) -> None:
    assert len(summary(call, target.url, "-n", "50", "-c", "4", "--threads", "2")["threads"]) == 2


def test_the_request_that_is_sent(lab: Lab, call: Call, listener: Listener) -> None:
    (lab.folder / "order.json").write_text('{"a": 1}')
    call_with = (listener.url + "p?q=1", "-n", "1", "-c", "1")
    summary(call, *call_with, "-H", "X-One: 1", "-H", "Host: other.example", "-H", "X-One: 2")
    summary(call, *call_with, "-b", "text")
    summary(call, *call_with, "-b", "@order.json", "-m", "PUT", "-H", "Content-Type: application/json")
    summary(call, *call_with, "-m", "HEAD")
    plain, text, file, head = listener.received

    assert (plain.method, plain.path, plain.headers["host"]) == ("GET", "/p?q=1", "other.example")
    assert plain.headers["x-one"] in ("1", "2")
    assert (text.method, text.body) == ("POST", b"text")
    assert (file.method, file.body, file.headers["content-type"]) == ("PUT", b'{"a": 1}', "application/json")
    assert head.method == "HEAD"


def test_templates(call: Call, listener: Listener) -> None:
    summary(call, listener.url + "items/{{sequence 7}}", "-n", "3", "-c", "1", "--template", "-b", "{{uniform 5 5}}")
    assert [(request.path, request.body) for request in listener.received] == [
        ("/items/7", b"5"),
        ("/items/8", b"5"),
        ("/items/9", b"5"),
    ]


def test_expected_status(call: Call, serve: Serve) -> None:
    missing = serve("--status", "404")
    assert summary(call, missing.url, "-n", "20", "--expect-status", "200,404")["verified"] == 20
    finished = call("load", missing.url, "-n", "20")
    assert finished.status == 4
    assert "no verified answer" in finished.out
    assert "20 status_4xx  404: nothing is there" in finished.out


def test_expected_body_and_length(lab: Lab, call: Call, target: Target) -> None:
    (lab.folder / "expected").write_text("hello")
    assert summary(call, target.url, "-n", "20", "--expect-body", "hello")["checked_bodies"] == 20
    assert summary(call, target.url, "-n", "20", "--expect-body", "@expected")["verified"] == 20
    assert summary(call, target.url, "-n", "20", "--expect-body", "hullo", status=4)["errors"]["wrong_body"] == 20
    assert summary(call, target.url, "-n", "20", "--expect-length", "5")["verified"] == 20
    assert summary(call, target.url, "-n", "20", "--expect-length", "4", status=4)["errors"]["wrong_length"] == 20


def test_some_wrong_answers(call: Call, serve: Serve) -> None:
    failing = serve("--status-5xx", "0.5", "--body", "oh no")
    measured = summary(call, failing.url, "-n", "200", status=3)
    assert 0 < measured["verified"] < 200
    assert measured["errors"]["status_5xx"] == 200 - measured["verified"]
    assert measured["exit_status"] == 3


def test_a_server_that_does_not_answer_in_time(call: Call, serve: Serve) -> None:
    slow = serve("--delay", "constant:2s")
    finished = call("load", slow.url, "-n", "2", "-c", "2", "--timeout", "100ms")
    assert finished.status == 4
    assert "2 timeout  no answer in time" in finished.out


def test_connections(call: Call, target: Target, snapshot: object) -> None:
    assert summary(call, target.url, "-n", "50", "-c", "2")["connects"] == 2
    assert summary(call, target.url, "-n", "50", "-c", "2", "--no-keepalive")["connects"] >= 50
    five = summary(call, target.url, "-n", "50", "-c", "2", "--requests-per-connection", "5")
    assert 10 <= five["connects"] <= 12
    assert five["load"] == snapshot
    assert "(pipelined)" in summary(call, target.url, "-n", "50", "-c", "1", "--pipeline", "4")["load"]


def test_a_unix_socket(lab: Lab, call: Call, serve: Serve) -> None:
    path = lab.folder / "socket"
    serve("--unix", path)
    assert summary(call, "http://localhost/", "--unix", "socket", "-n", "20")["verified"] == 20


@pytest.fixture
def secure(secure_target: Target) -> str:
    """The URL of a target that speaks TLS as `localhost`."""
    return f"https://localhost:{secure_target.address.rpartition(':')[2]}/"


def test_tls(call: Call, secure: str) -> None:
    finished = call("load", secure, "-n", "20", "-v", "--cacert", CERTIFICATES / "authority.pem")
    assert finished.status == 0, finished.err
    assert "keep-alive, TLS, 20 requests" in finished.out
    assert "TLS             1." in finished.out
    assert summary(call, secure, "-n", "20", "--insecure")["tls"]["version"] in ("1.2", "1.3")
    own = ("--cert", CERTIFICATES / "client.pem", "--key", CERTIFICATES / "client.key")
    assert summary(call, secure, "-n", "20", "--insecure", *own)["verified"] == 20


def test_tls_that_is_not_trusted(call: Call, secure: str) -> None:
    finished = call("load", secure, "-n", "20")
    assert finished.status == 4
    assert_two_lines(finished, "the certificate of localhost is not trusted", "--insecure")


def test_a_port_without_a_server(call: Call) -> None:
    finished = call("load", "http://127.0.0.1:9/", "-n", "5")
    assert finished.status == 4
    assert_two_lines(finished, "127.0.0.1:9: connection refused", "start the server")


WRONG = {
    "an invalid URL": (["ftp://127.0.0.1/"], "not an http or https URL", "http://HOST"),
    "an invalid time": (["http://a/", "-d", "soon"], "'soon'", "500ms"),
    "two ends": (["http://a/", "-d", "1s", "-n", "5"], "exclude each other", "one of them"),
    "two rates": (["http://a/", "-r", "5", "--ramp", "1:2"], "-r and --ramp exclude", "one of them"),
    "a ramp with a number of requests": (["http://a/", "--ramp", "1:2", "-n", "5"], "a ramp ends after a time", "-d"),
    "an invalid step": (["http://a/", "--steps", "5:1s,x:1s"], "step 2 of 2, 'x:1s': 'x'", "RATE:TIME"),
    "steps and a rate": (["http://a/", "--steps", "5:1s", "-r", "5"], "-r and --steps exclude", "one of them"),
    "steps and a ramp": (["http://a/", "--steps", "5:1s", "--ramp", "1:2"], "--ramp and --steps", "one of them"),
    "steps and a number of requests": (
        ["http://a/", "--steps", "5:1s", "-n", "5"],
        "--steps end after their times",
        "leave out -n",
    ),
    "steps and a time": (["http://a/", "--steps", "5:1s", "-d", "5s"], "how long they last", "leave out -d"),
    "think time with steps": (["http://a/", "--steps", "5:1s", "--think", "1s"], "--think", "--steps"),
    "arrivals without a rate": (["http://a/", "--arrival", "poisson"], "--arrival needs a rate", "-r"),
    "think time in an open load": (["http://a/", "-r", "5", "--think", "1s"], "--think", "leave out"),
    "a drain of a closed load": (["http://a/", "--drain", "1s"], "--drain is for open loads", "-r"),
    "a deadline of a closed load": (["http://a/", "--deadline", "1s"], "--deadline is for open loads", "-r"),
    "a drain of a number of requests": (["http://a/", "-r", "5", "-n", "9", "--drain", "1s"], "-n awaits", "use -d"),
    "a drain of more than an hour": (["http://a/", "-r", "5", "--drain", "2h"], "'2h' is not a time from 0", "5s"),
    "a drain below zero": (["http://a/", "-r", "5", "--drain=-1s"], "'-1s' is not a time from 0", "or 0"),
    "a pipeline without keep-alive": (["http://a/", "--no-keepalive", "--pipeline", "2"], "--pipeline", "one of"),
    "half a certificate": (["https://a/", "--cert", "x.pem"], "--cert and --key", "both"),
    "TLS options without TLS": (["http://a/", "--insecure"], "the URL is not https", "https://"),
    "an invalid header": (["http://a/", "-H", "Accept"], "'Accept' is not a header", "Name: value"),
    "a header that Fairtrial sets": (["http://a/", "-H", "Connection: close"], "set by Fairtrial", "--no-keepalive"),
    "an invalid method": (["http://a/", "-m", "GE T"], "not a method", "GET"),
    "a missing file for the body": (["http://a/", "-b", "@nowhere"], "nowhere: no such file", "@FILE"),
    "an invalid status": (["http://a/", "--expect-status", "ok"], "'ok' is not a status", "2xx"),
    "too many threads": (["http://a/", "-c", "2", "--threads", "3"], "3 threads for 2", "--threads"),
    "an output in a folder that is missing": (["http://a/", "--json", "no/x"], "no: no such folder", "--json"),
    "an output that is a folder": (["http://a/", "--csv", "my-stacks"], "is a folder", "--csv"),
    "two outputs on one stream": (["http://a/", "--csv", "-", "--json", "-"], "only one", "file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_use(call: Call, case: str) -> None:
    arguments, reason, remedy = WRONG[case]
    finished = call("load", *arguments)
    assert finished.status == 2
    assert_two_lines(finished, reason, remedy)


def test_a_template_that_the_engine_refuses(call: Call, target: Target) -> None:
    finished = call("load", target.url, "-b", "{{nonsense}}", "--template", "-n", "1")
    assert finished.status == 2
    assert "the load engine refused" in finished.err and "nonsense" in finished.err


def assert_two_lines(finished: Finished, reason: str, remedy: str) -> None:
    """One clear line that says what is wrong, and one that says what to do."""
    first, second = finished.err.splitlines()
    assert first.startswith("error: ") and reason in first
    assert second.startswith("remedy: ") and remedy in second
    assert finished.out == ""
