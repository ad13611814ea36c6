"""`fairtrial ab`: its arguments, its report, and the length of the first answer."""

import re
from collections.abc import Callable

from fairtrial.record.engine_summary import BodyBytes, TlsSession
from fairtrial.tools.load.compatibility.ab import read_ab
from fairtrial.tools.load.measure import Measurement
from tests.command_line import Finished, Lab
from tests.lines import line_with, lines_with
from tests.tools.load.conftest import Listener, Target
from tests.tools.load.measurements import closed, measurement

Call = Callable[..., Finished]
URL = "http://127.0.0.1:8080/"


def test_ab_as_the_studies_call_it() -> None:
    options = read_ab(["-n", "1000", "-c", "20", URL]).options
    assert (options.requests, options.seconds, options.connections) == (1000, None, 20)
    assert options.no_keepalive
    assert options.threads == 1
    assert options.timeout_seconds == 30


def test_ab_flags_may_be_grouped_and_joined() -> None:
    options = read_ab(["-kc20", "-n1000", "127.0.0.1:8080/x"]).options
    assert (options.no_keepalive, options.connections, options.requests) == (False, 20, 1000)
    assert options.url == "http://127.0.0.1:8080/x"


def test_ab_by_time_and_by_both() -> None:
    call = read_ab(["-t", "10", URL])
    assert (call.options.seconds, call.options.requests, call.at_most_seconds) == (10, None, None)
    call = read_ab(["-t", "10", "-n", "500", URL])
    assert (call.options.seconds, call.options.requests, call.at_most_seconds) == (None, 500, 10)


def test_ab_requests() -> None:
    cookies, user, body = (
        ["-C", "a=1", "-C", "b=2"],
        ["-A", "me:secret"],
        ["-p", "order.json", "-T", "application/json"],
    )
    options = read_ab(["-n", "1", *cookies, *user, *body, URL]).options
    headers = dict(options.headers)
    assert (options.method, options.body) == ("POST", "@order.json")
    assert headers["Content-Type"] == "application/json"
    assert headers["Cookie"] == "a=1; b=2"
    assert headers["Authorization"] == "Basic bWU6c2VjcmV0"
    assert read_ab(["-i", URL]).options.method == "HEAD"
    assert read_ab(["-u", "x", URL]).options.method == "PUT"
    assert read_ab(["-m", "DELETE", URL]).options.method == "DELETE"
    assert dict(read_ab(["-H", "accept: text/html", URL]).options.headers).keys() == {"User-Agent", "accept"}


def report_of(measured: Measurement, *arguments: str) -> list[str]:
    """ab's report on a measurement that no engine made."""
    return read_ab([*arguments, URL]).report(measured)


def test_errors_are_counted_by_the_kinds_of_ab() -> None:
    errors = {"refused": 1, "tls": 2, "reset": 4, "wrong_length": 8, "timeout": 16, "status_4xx": 32}
    errors["unannounced_close"] = 64
    lines = report_of(measurement(errors=errors))
    assert "Failed requests:        95" in lines
    assert "   (Connect: 3, Receive: 68, Length: 8, Exceptions: 16)" in lines
    assert "Non-2xx responses:      32" in lines


def test_the_document_and_the_server() -> None:
    session = TlsSession(version="1.3", cipher_suite="TLS_AES_128_GCM_SHA256")
    lines = report_of(measurement(tls=session, body_bytes=BodyBytes(min=5, max=7, mean=6)))
    assert lines[:7] == [
        "Server Hostname:        127.0.0.1",
        "Server Port:            8080",
        "SSL/TLS Protocol:       TLSv1.3,TLS_AES_128_GCM_SHA256",
        "",
        "Document Path:          /x",
        "Document Length:        Variable (5 to 7 bytes)",
        "",
    ]
    assert "Document Length:        unknown" in report_of(measurement(body_bytes=None))


def test_tables_may_be_left_out(snapshot: object) -> None:
    measured = measurement()
    assert "              min  mean[+/-sd] median   max" in report_of(measured)
    assert "              min   avg   max" in report_of(measured, "-S")
    assert line_with("\n".join(report_of(measured)), "Percentage of") == snapshot
    assert not lines_with("\n".join(report_of(measured, "-d")), "Percentage of")


def test_keep_alive_requests_are_those_without_a_connect() -> None:
    assert "Keep-Alive requests:    11984" in report_of(measurement(answers=12_000, connects=16))
    closing = report_of(measurement(load=closed({"requests_per_connection": 1})))
    assert not [line for line in closing if line.startswith("Keep-Alive")]


def test_ab_prints_the_familiar_figures(call: Call, target: Target) -> None:
    finished = call("ab", "-n", "300", "-c", "5", target.url)
    assert finished.status == 0, finished.err
    figures, _, rest = finished.out.partition("What these figures would have hidden:")
    for line in (
        "Document Path:          /some/path",
        "Document Length:        5 bytes",
        "Concurrency Level:      5",
        "Complete requests:      300",
        "Failed requests:        0",
        "HTML transferred:       1500 bytes",
    ):
        assert line in figures.splitlines()
    assert re.search(r"^Requests per second:    \d+\.\d\d \[#/sec\] \(mean\)$", figures, re.MULTILINE)
    assert re.search(r"^Time per request:       \d+\.\d{3} \[ms\] \(mean\)$", figures, re.MULTILINE)
    assert re.search(r"^  50% +\d+\.\d{3}$", figures, re.MULTILINE)
    assert re.search(r"^ 100% +\d+\.\d{3} \(longest request\)$", figures, re.MULTILINE)
    rows = figures.partition("Connection Times (ms)")[2].splitlines()
    assert [row.partition(":")[0] for row in rows[2:6]] == ["Connect", "Processing", "Waiting", "Total"]
    for row in rows[2:6]:
        assert re.fullmatch(r"[CPTW][a-z]+: +(\d+\.\d\d *){5}", row)
    assert "the length of the first" in rest
    assert "one request per connection, 300 requests." in rest
    assert "with every figure: fairtrial load" in rest


def test_ab_by_time_ends_in_time(call: Call, target: Target) -> None:
    finished = call("ab", "-k", "-t", "1", "-n", "1000000000", target.url)
    assert finished.status == 0, finished.err
    seconds = re.search(r"Time taken for tests:   (\d+\.\d+) seconds", finished.out)
    assert seconds and 0.7 < float(seconds[1]) < 5
    assert "Keep-Alive requests:" in finished.out


def test_ab_counts_answers_of_another_length_exactly(call: Call, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello", "--wrong-length", "0.3")
    finished = call("ab", "-k", "-n", "200", "-c", "2", target.url)
    failed = re.search(r"^   \(Connect: 0, Receive: 0, Length: (\d+), Exceptions: 0\)$", finished.out, re.MULTILINE)
    assert failed, finished.out
    # One more was sent, for the length of its answer.
    served = target.stop()
    longer = served["faults"]["wrong_length"]
    first = int(re.search(r"--expect-length (\d)", finished.out)[1])  # type: ignore[index]
    assert served["requests"] == 201
    assert f"Document Length:        {first} bytes" in finished.out
    assert int(failed[1]) == (longer if first == 5 else 201 - longer)
    assert f"Failed requests:        {failed[1]}" in finished.out
    assert f"here these are {failed[1]}" in finished.out


def test_ab_with_l_lets_lengths_differ(call: Call, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello", "--wrong-length", "0.3")
    finished = call("ab", "-k", "-l", "-n", "200", target.url)
    assert finished.status == 0
    assert "Failed requests:        0" in finished.out
    assert "(Connect is of the connections" in finished.out
    assert target.stop()["requests"] == 200


def test_ab_does_not_judge_by_the_length_of_an_error_page(call: Call, serve: Callable[..., Target]) -> None:
    finished = call("ab", "-n", "5", serve("--status", "500").url)
    assert "--expect-length" not in finished.out
    assert "Non-2xx responses:      5" in finished.out


def test_ab_sends_what_ab_would_send(lab: Lab, call: Call, listener: Listener) -> None:
    (lab.folder / "order.json").write_text("{}")
    finished = call("ab", "-q", "-n", "1", "-p", "order.json", "-T", "application/json", "-H", "X-A: b", listener.url)
    assert finished.status == 0, finished.err
    (request,) = listener.received
    assert (request.method, request.body, request.headers["x-a"]) == ("POST", b"{}", "b")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == "ApacheBench/2.3"


def test_ab_shows_non_2xx_and_says_what_that_means(call: Call, serve: Callable[..., Target]) -> None:
    finished = call("ab", "-n", "20", serve("--status", "404").url)
    assert finished.status == 4
    assert "Complete requests:      20" in finished.out
    assert "Non-2xx responses:      20" in finished.out
    assert "20 of 20 answers were wrong" in finished.out
