"""What the compared generators print, and what is read from it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benches.load import Finished, Load, Percentiles
from benches.tools import all_tools, autocannon, engine, hey, k6, locust, oha, vegeta, wrk

WRK = """\
Running 20s test @ http://127.0.0.1:37241/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   694.96us    1.32ms   8.10ms   85.09%
  Latency Distribution
     50%  380.00us
     75%  623.00us
     90%    2.80ms
     99%  178.02ms
  58306 requests in 1.01s, 3.67MB read
"""
WRK2 = """\
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.24ms
 75.000%    1.80ms
 99.000%  174.08ms
 99.900%  190.21ms
100.000%    1.02s

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)
       0.041     0.000000            1         1.00
"""
HEY = """\
Latency distribution:
  10% in 0.0001 secs
  50% in 0.0002 secs
  95% in 0.1012 secs
  99% in 0.1844 secs

Details (average, fastest, slowest):
"""
HEY_DEBIAN = HEY.replace("% in", "%% in")


def finished(stdout: str, scratch: Path = Path("/nowhere")) -> Finished:
    return Finished(stdout, 1.0, 0, Load("127.0.0.1:80", 64, 20.0, 2000.0, scratch))


def test_wrk_and_wrk2() -> None:
    assert wrk.answered(finished(WRK)) == 58_306
    assert wrk.percentiles(finished(WRK)) == Percentiles(0.38, None, 178.02, None)
    assert wrk.percentiles(finished(WRK2)) == Percentiles(1.24, None, 174.08, 190.21)


@pytest.mark.parametrize("text", [HEY, HEY_DEBIAN])
def test_hey(text: str) -> None:
    assert hey.percentiles(finished(text)) == Percentiles(0.2, 101.2, pytest.approx(184.4), None)


def test_answers_of_hey_and_oha_are_those_with_200() -> None:
    text = "Status code distribution:\n  [200]\t1234 responses\n  [503]\t6 responses\n"
    assert hey.answered(finished(text)) == 1234
    assert oha.answered(finished('{"statusCodeDistribution": {"200": 7, "503": 1}}')) == 7


def test_oha() -> None:
    text = '{"latencyPercentiles": {"p50": 0.00013, "p95": 0.104, "p99": 0.181, "p99.9": 0.199, "p99.99": 0.2}}'
    assert oha.percentiles(finished(text)) == Percentiles(pytest.approx(0.13), 104.0, 181.0, 199.0)


def test_autocannon() -> None:
    text = '{"latency": {"p50": 0, "p90": 0, "p97_5": 4, "p99": 17, "p99_9": 20}}'
    assert autocannon.percentiles(finished(text)) == Percentiles(0, None, 17, 20)


def test_vegeta() -> None:
    text = '{"latencies": {"50th": 150000, "90th": 200000, "95th": 113000000, "99th": 185000000}}'
    assert vegeta.read_report(text) == Percentiles(0.15, 113.0, 185.0, None)


def test_k6() -> None:
    text = '{"metrics": {"http_req_duration": {"med": 0.15, "p(95)": 104.0, "p(99)": 184.0, "p(99.9)": 201.0}}}'
    assert k6.read_summary(text) == Percentiles(0.15, 104.0, 184.0, 201.0)


def test_locust(tmp_path: Path) -> None:
    text = '[{"num_requests": 1000, "num_failures": 1, "response_times": {"96": 20, "0.3": 500, "1.0": 480}}]'
    assert locust.read_summary(text) == Percentiles(0.3, 1.0, 96.0, 96.0)
    assert locust.answered(finished(text)) == 999
    load = finished("", tmp_path).load
    sending = Path(locust.messages(load, "hello").arguments[2]).read_text(encoding="utf-8")
    compile(sending, "locustfile.py", "exec")
    assert '"ws://127.0.0.1:80/"' in sending and 'send("hello")' in sending and "constant_throughput(31.25)" in sending
    reading = Path(locust.events(replace(load, rate_per_second=None), 51).arguments[2]).read_text(encoding="utf-8")
    compile(reading, "locustfile.py", "exec")
    assert "== 51" in reading and "constant_throughput(" not in reading


def test_k6_keeps_the_rate(tmp_path: Path) -> None:
    text = k6.script(finished("", tmp_path).load).read_text()
    assert '"constant-arrival-rate"' in text and '"rate": 2000' in text and "http://127.0.0.1:80/" in text


def test_k6_sends_what_it_is_told_to(tmp_path: Path) -> None:
    load = finished("", tmp_path).load
    text = k6.script(load, "http.get(URL).json('id');").read_text()
    assert "http.get(URL).json('id');" in text and '"discardResponseBodies": false' in text
    paced = k6.messages_script(load).read_text()
    assert 'ws.connect("ws://127.0.0.1:80/"' in paced and "setInterval(send, 32)" in paced
    closed = k6.messages_script(replace(load, rate_per_second=None)).read_text()
    assert "'open', () => { send(); }" in closed and "setInterval" not in closed and '"vus": 64' in closed
    (tmp_path / k6.SUMMARY).write_text('{"metrics": {"messages": {"count": 9}}}')
    assert k6.count(finished("", tmp_path), "messages") == 9


def test_a_journey_s_percentiles_are_those_of_its_whole_time() -> None:
    times = {"percentiles": {"50": 0.002, "95": 0.05, "99": 0.09, "99.9": 0.1}}
    event = {"errors": {}, "verified": 10, "journeys": [{"journey_time": times}]}
    assert engine.journey_percentiles(finished(json.dumps(event))) == Percentiles(2.0, 50.0, 90.0, 100.0)
    assert engine.verified(finished(json.dumps(event))) == 10


def test_the_engine_must_not_have_met_errors() -> None:
    event = {
        "errors": {"refused": 0, "timeout": 0},
        "response_time": {"percentiles": {"50": 0.0001, "95": 0.1, "99": 0.18, "99.9": 0.198}},
    }
    assert engine.percentiles(finished("{}\n" + json.dumps(event))) == Percentiles(0.1, 100.0, 180.0, 198.0)
    event["errors"] = {"refused": 2}
    with pytest.raises(ValueError, match="refused"):
        engine.summary(json.dumps(event))


def test_every_tool_can_be_called(tmp_path: Path) -> None:
    load = finished("", tmp_path).load
    for tool in all_tools(Path("fairtrial-engine")):
        commands = [tool.cost] if tool.cost else []
        for make in [*commands, *(truth.command for truth in tool.truths)]:
            command = make(load)
            assert command.arguments[0] == tool.version_command[0]
            assert "127.0.0.1:80" in " ".join(command.arguments) + command.stdin + k6.script(load).read_text()
