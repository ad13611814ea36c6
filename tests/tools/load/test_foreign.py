"""`fairtrial ab` and `fairtrial wrk`: those tools' arguments, their figures, and what they hide."""

import re
from collections.abc import Callable

import pytest

from fairtrial.base.problem import Problem
from fairtrial.record.model import BodyBytes
from fairtrial.tools.load.foreign.ab import read_ab
from fairtrial.tools.load.foreign.hidden import hidden
from fairtrial.tools.load.foreign.ours import as_ours
from fairtrial.tools.load.foreign.wrk import read_wrk
from fairtrial.tools.load.foreign.wrk_figures import size, time, whole_time
from tests.builders import a_trial
from tests.command_line import Finished, Lab
from tests.tools.load.conftest import Listener, Target
from tests.tools.load.scene import measured, plan

Call = Callable[..., Finished]
URL = "http://127.0.0.1:8080/"


def test_ab_as_the_studies_call_it() -> None:
    options = read_ab(["-n", "1000", "-c", "20", URL]).options
    assert (options.requests, options.seconds, options.connections) == (1000, None, 20)
    assert not options.keep_alive
    assert options.threads == 1
    assert options.timeout_seconds == 30


def test_ab_flags_may_be_grouped_and_joined() -> None:
    options = read_ab(["-kc20", "-n1000", "127.0.0.1:8080/x"]).options
    assert (options.keep_alive, options.connections, options.requests) == (True, 20, 1000)
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


def test_wrk_as_the_studies_call_it() -> None:
    options = read_wrk(["-d10m", "-t2", "-c2", URL]).options
    assert (options.seconds, options.threads, options.connections) == (600, 2, 2)
    assert options.keep_alive
    assert options.timeout_seconds == 2


def test_wrk_defaults_and_long_names() -> None:
    call = read_wrk([URL])
    assert (call.options.seconds, call.options.threads, call.options.connections) == (10, 2, 10)
    assert not call.with_latency
    call = read_wrk(["--latency", "--connections", "1k", "--duration", "30", "--timeout", "5s", "-H", "A: b", URL])
    assert call.with_latency
    assert (call.options.connections, call.options.seconds, call.options.timeout_seconds) == (1000, 30, 5)
    assert call.options.headers == (("A", "b"),)


REFUSED = {
    "ab -X proxy:80": "proxies are not supported",
    "ab -g file": "gnuplot files are not written",
    "ab -w": "HTML tables are not printed",
    "ab -Z ALL": "rustls",
    "ab -h": "fairtrial ab --help",
    "wrk -s x.lua": "Lua scripts are not run",
    "wrk -R 100": "wrk2's",
    "wrk -v": "not wrk itself",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_taken_is_refused_by_name(line: str) -> None:
    tool, flag, *value = line.split()
    with pytest.raises(Problem, match=f"{tool} {flag} is not taken") as raised:
        (read_ab if tool == "ab" else read_wrk)([flag, *value, URL])
    assert REFUSED[line] in f"{raised.value.reason} {raised.value.remedy}"
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ab", "one URL, found 0"),
        (f"ab {URL} {URL}", "one URL, found 2"),
        (f"ab -n many {URL}", "'many' is not a whole number"),
        (f"ab -n 0 {URL}", "whole number from 1"),
        (f"ab -n 5 -c 10 {URL}", "10 at a time of 5 requests"),
        (f"ab --latency {URL}", "unrecognized arguments: --latency"),
        (f"ab -i -p x {URL}", "exclude each other"),
        (f"wrk -t4 -c2 {URL}", "4 threads for 2 connections"),
        (f"wrk -dsoon {URL}", "not a time"),
        (f"wrk -q {URL}", "unrecognized arguments: -q"),
    ],
)
def test_wrong_use(line: str, words: str) -> None:
    tool, *arguments = line.split()
    with pytest.raises(Problem) as raised:
        (read_ab if tool == "ab" else read_wrk)(arguments)
    assert words in raised.value.reason
    assert raised.value.remedy


def test_the_same_in_our_words_keeps_secrets() -> None:
    ours = as_ours(read_ab(["-n", "10", "-A", "me:secret", "-p", "a b", URL]).options)
    assert ours.startswith(f"fairtrial load {URL} -c 1 -n 10 --threads 1 --no-keepalive -m POST ")
    assert "-b '@a b'" in ours
    assert "bWU6" not in ours and "Authorization: …" in ours


def test_units_of_wrk() -> None:
    assert [time(each) for each in (29e-6, 3.65e-3, 1.1)] == ["29.00us", "3.65ms", "1.10s"]
    assert [whole_time(each) for each in (10, 600, 1.1)] == ["10s", "10m", "1.10s"]
    assert [size(each) for each in (5, 2048, 4.41 * 2**20)] == ["5.00B", "2.00KB", "4.41MB"]


def told(tool: str = "ab", **changes: object) -> str:
    trial = changes.pop("trial", a_trial())
    of = changes.pop("of", plan())
    return "\n".join(hidden(tool, measured(trial, of=of, **changes)))  # type: ignore[arg-type]


def test_what_is_always_hidden() -> None:
    text = told()
    for words in ("The load was closed", "fairtrial load -r RATE", "One run has no interval", "30% busy", "p99"):
        assert words in text


def test_wrong_answers_counted_as_requests() -> None:
    text = told(trial=a_trial().serving(100).erring(status_5xx=30))
    assert "30 of 330 answers were wrong, and Requests per second counts them: 110/s, but 100/s verified" in text
    assert "Requests/sec counts them" in told("wrk", trial=a_trial().erring(status_5xx=30))


def test_lost_requests() -> None:
    assert "5 requests had no answer within 10 s" in told(trial=a_trial().erring(timeout=5))
    assert "16 requests were unanswered at the end" in told("wrk")


def test_lengths() -> None:
    assert "ab calls every answer failed whose length is not the first one's" in told()
    assert "Bodies had" not in told(body_bytes=BodyBytes(min=5, max=5, mean=5))


def test_rows_without_support() -> None:
    text = told(trial=a_trial().serving(50))
    assert "The row for 95% and those below it would rest on fewer than ten slower answers of 150" in text


def test_connections_of_their_own() -> None:
    assert "opened a connection of its own" in told(of=plan(requests_per_connection=1))


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
    for row in (rows[2], rows[3], rows[5]):
        assert re.fullmatch(r"[CPT][a-z]+: +(\d+\.\d\d *){5}", row)
    assert "not measured" in rows[4]
    assert "a status of 2xx and the length of the first" in rest
    assert "The load was closed, 5 connections, one request a connection, 300 requests." in rest
    assert "The same with every figure: fairtrial load" in rest


def test_ab_by_time_ends_in_time(call: Call, target: Target) -> None:
    finished = call("ab", "-k", "-t", "1", "-n", "1000000000", target.url)
    assert finished.status == 0, finished.err
    seconds = re.search(r"Time taken for tests:   (\d+\.\d+) seconds", finished.out)
    assert seconds and 0.7 < float(seconds[1]) < 5
    assert "Keep-Alive requests:" in finished.out


def test_ab_counts_answers_of_another_length_exactly(call: Call, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello", "--wrong-length", "0.3")
    finished = call("ab", "-k", "-n", "200", "-c", "2", target.url)
    found = re.search(r"^   \(Connect: 0, Receive: 0, Length: (\d+), Exceptions: 0\)$", finished.out, re.MULTILINE)
    assert found, finished.out
    # One more was asked, for its length.
    served = target.stop()
    longer = served["faults"]["wrong_length"]
    first = int(re.search(r"--expect-length (\d)", finished.out)[1])  # type: ignore[index]
    assert served["requests"] == 201
    assert f"Document Length:        {first} bytes" in finished.out
    assert int(found[1]) == (longer if first == 5 else 201 - longer)
    assert f"Failed requests:        {found[1]}" in finished.out
    assert f"so it is counted here: {found[1]}" in finished.out


def test_ab_with_l_lets_lengths_differ(call: Call, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello", "--wrong-length", "0.3")
    finished = call("ab", "-k", "-l", "-n", "200", target.url)
    assert finished.status == 0
    assert "Failed requests:        0" in finished.out
    assert "(Connect is of the connections opened in this time" in finished.out
    assert target.stop()["requests"] == 200


def test_ab_does_not_judge_by_the_length_of_an_error_page(call: Call, serve: Callable[..., Target]) -> None:
    finished = call("ab", "-n", "5", serve("--status", "500").url)
    assert "--expect-length" not in finished.out
    assert "Non-2xx responses:      5" in finished.out


def test_ab_sends_what_ab_would_send(lab: Lab, call: Call, listener: Listener) -> None:
    (lab.folder / "order.json").write_text("{}")
    finished = call("ab", "-q", "-n", "1", "-p", "order.json", "-T", "application/json", "-H", "X-A: b", listener.url)
    assert finished.status == 0, finished.err
    (asked,) = listener.asked
    assert (asked.method, asked.body, asked.headers["x-a"]) == ("POST", b"{}", "b")
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["user-agent"] == "ApacheBench/2.3"


def test_ab_shows_non_2xx_and_says_what_that_means(call: Call, serve: Callable[..., Target]) -> None:
    finished = call("ab", "-n", "20", serve("--status", "404").url)
    assert finished.status == 4
    assert "Complete requests:      20" in finished.out
    assert "Non-2xx responses:      20" in finished.out
    assert "20 of 20 answers were wrong" in finished.out


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


def test_help_is_ours(lab: Lab) -> None:
    for tool in ("ab", "wrk"):
        assert "what its figures hide" in lab.fairtrial(tool, "--help").out
        assert lab.fairtrial(tool).status == 2
