"""`fairtrial wrk`: its arguments and its report."""

import re
from collections.abc import Callable

from fairtrial.tools.load.compatibility.wrk import read_wrk, wrk_length, wrk_size, wrk_time
from tests.builders import a_trial
from tests.command_line import Finished
from tests.lines import line_with
from tests.tools.load.conftest import Target
from tests.tools.load.measurements import closed, measured, measurement, plan

Call = Callable[..., Finished]
URL = "http://127.0.0.1:8080/"


def test_wrk_as_the_studies_call_it() -> None:
    options = read_wrk(["-d10m", "-t2", "-c2", URL]).options
    assert (options.seconds, options.threads, options.connections) == (600, 2, 2)
    assert not options.no_keepalive
    assert options.timeout_seconds == 2


def test_wrk_defaults_and_long_names() -> None:
    call = read_wrk([URL])
    assert (call.options.seconds, call.options.threads, call.options.connections) == (10, 2, 10)
    assert not call.with_latency
    call = read_wrk(["--latency", "--connections", "1k", "--duration", "30", "--timeout", "5s", "-H", "A: b", URL])
    assert call.with_latency
    assert (call.options.connections, call.options.seconds, call.options.timeout_seconds) == (1000, 30, 5)
    assert call.options.headers == [("A", "b")]


def test_units_of_wrk() -> None:
    assert [wrk_time(each) for each in (29e-6, 3.65e-3, 1.1)] == ["29.00us", "3.65ms", "1.10s"]
    assert [wrk_length(each) for each in (10, 600, 1.1)] == ["10s", "10m", "1.10s"]
    assert [wrk_size(each) for each in (5, 2048, 4.41 * 2**20)] == ["5.00B", "2.00KB", "4.41MB"]


def test_errors_are_counted_by_the_kinds_of_wrk(snapshot: object) -> None:
    errors = {"refused": 1, "tls": 2, "reset": 4, "protocol": 8, "timeout": 16, "status_3xx": 32, "status_5xx": 64}
    errors["unannounced_close"] = 128
    lines = read_wrk([URL]).report(measurement(errors=errors))
    assert line_with("\n".join(lines), "Socket errors: connect") == snapshot
    assert "  Non-2xx or 3xx responses: 64" in lines


def test_without_errors_and_latency_there_are_eight_lines() -> None:
    lines = read_wrk([URL]).report(measurement(answers=12_000, received_bytes=6 * 2**20))
    assert [line.partition(":")[0].split()[0] for line in lines] == [
        "Running",
        "2",
        "Thread",
        "Latency",
        "Req/Sec",
        "12000",
        "Requests/sec",
        "Transfer/sec",
    ]
    assert lines[-2:] == ["Requests/sec:    4000.00", "Transfer/sec:       2.00MB"]


def test_wrk_without_an_answer() -> None:
    engine = a_trial().serving(0).erring(refused=5).record().engine
    assert engine
    lines = read_wrk(["--latency", URL]).report(measured(closed(), plan(), engine))
    assert "    Latency    0.00us   0.00us    0.00us    0.00%" in lines
    assert "  Latency Distribution" not in lines


def test_wrk_prints_the_familiar_figures(call: Call, target: Target) -> None:
    finished = call("wrk", "-d1s", "-t2", "-c4", "--latency", target.url)
    assert finished.status == 0, finished.err
    lines = finished.out.splitlines()
    assert lines[0] == f"Running 1s test @ {target.url}"
    assert lines[1] == "  2 threads and 4 connections"
    assert re.fullmatch(r"    Latency  ( *\d+\.\d\d(us|ms|s)){3} +\d+\.\d\d%", lines[3])
    assert re.fullmatch(r"    Req/Sec  ( *\d+\.\d\dk?){3} +\d+\.\d\d%", lines[4])
    assert re.search(r"^     99% +\d+\.\d\d(us|ms|s)$", finished.out, re.MULTILINE)
    assert re.search(r"^Requests/sec: +\d+\.\d\d$", finished.out, re.MULTILINE)
    assert re.search(r"^Transfer/sec: +\d+\.\d\d[KMG]?B$", finished.out, re.MULTILINE)
    assert "wrk drops them" in finished.out
