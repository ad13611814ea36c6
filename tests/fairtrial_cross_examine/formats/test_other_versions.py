"""What versions, forks and neighbours of a tool print otherwise; figures are made up."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import read_text
from fairtrial_cross_examine.model import PrintedOutput
from fairtrial_cross_examine.read import read_evidence
from fairtrial_cross_examine.report.table import gaps, table_rows
from tests.fairtrial_cross_examine.formats.reports import GHZ, GHZ_FAILED, JMETER_REPORTER, SIEGE
from tests.fairtrial_cross_examine.formats.test_public_forms import WRK_SHORT, examined, kinds, one, value
from tests.fairtrial_cross_examine.formats.texts import H2LOAD, HEY, K6, OHA, VEGETA

P99_OF_WRK2 = """\
Running 30s test @ http://127.0.0.1:8080
  2 threads and 100 connections

-----------------------------------------------------------------------
Test Results @ http://127.0.0.1:8080
  Thread Stats   Avg      Stdev     99%   +/- Stdev
    Latency    29.40ms  378.30ms  26.90ms   99.70%
    Req/Sec     0.91k   215.55     1.38k    68.73%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    9.76ms <- the median
 90.000%   16.70ms
 99.000%   26.90ms
 99.900%    7.65s
100.000%   13.02s
----------------------------------------------------------
  59890 requests in 30.00s, 15.87MB read
Requests/sec:   1996.33
Transfer/sec:    541.61KB
"""


def test_the_third_column_of_wrk2_may_be_its_p99() -> None:
    run = one(P99_OF_WRK2)
    assert (run.tool, run.load, run.connections, run.url) == ("wrk2", "open", 100, "http://127.0.0.1:8080")
    assert {share: time.value for share, time in run.times.percentiles.items()} == pytest.approx(
        {"50": 0.00976, "90": 0.0167, "99": 0.0269, "99.9": 7.65}
    )
    assert value(run.times.maximum) == pytest.approx(13.02)
    assert not run.not_read and kinds(P99_OF_WRK2) == set()
    assert kinds(P99_OF_WRK2.replace("   99%   +/-", "   Max   +/-")) == {"impossible-times"}
    start, end = P99_OF_WRK2.index("  Latency Dist"), P99_OF_WRK2.index("  59890")
    run = one(P99_OF_WRK2[:start] + P99_OF_WRK2[end:])
    assert run.times.maximum is None and not run.not_read, "without its histogram it prints no maximum"


def test_wrk2_that_ends_before_its_calibration_is_no_idle_wrk() -> None:
    text = WRK_SHORT.replace("10.00ms    2.00ms", " 1.00ms    0.20ms")
    assert kinds(text) == {"clients-idle"}
    text = text.replace("2.00k    90.00     2.20k    70.00%", "-nan      -nan   0.00      0.00%")
    assert one(text).tool == "wrk2" and kinds(text) == set()


def test_results_of_several_addresses_and_of_all() -> None:
    section = P99_OF_WRK2[P99_OF_WRK2.index("Test Results") : P99_OF_WRK2.index("  Latency Dist")]
    total = P99_OF_WRK2[P99_OF_WRK2.index("  59890") :]
    overall = section.partition("\n")[2] + total.replace("  59890", "  Overall 119780").replace("1996.33", "3992.67")
    text = "\n".join([section + total, section.replace(":8080", ":8081") + total, overall])
    runs = read_text(text, "x")
    assert [run.url for run in runs] == ["http://127.0.0.1:8080", "http://127.0.0.1:8081", None]
    assert [value(run.requests) for run in runs] == [59890, 59890, 119780] and not runs[2].not_read


@pytest.mark.parametrize("call", ["wrk2 -t2 -c40 -d20s -R4000 http://127.0.0.1:9000/a", "./wrk -c40 -R4000 http://a/"])
def test_a_call_tells_whose_lines_they_are(call: str) -> None:
    run = one(f"``` {call}\n\n{WRK_SHORT}```\n")
    assert (run.load, value(run.constant_rate_per_second)) == ("open", 4000)
    assert run.tool == ("wrk2" if "wrk2" in call else "wrk")
    without_marks = OHA.partition("  Total")[0].replace("Summary:\n", "") + HEY[HEY.index("  Total") :]
    assert one("$ hey -z 10s http://a/\n\n" + without_marks.partition("\n")[2]).tool in ("hey", "oha")


@pytest.mark.parametrize(("threads", "found"), [(2, set()), (200, {"load-not-offered"})])
def test_wrk2_opens_its_connections_one_after_another(threads: int, found: set[str]) -> None:
    """Those of a thread 5 ms apart: with 500 of them a connection of the middle is at work for 18.75 s of 20."""
    text = WRK_SHORT.replace("2 threads and 40", f"{threads} threads and 1000").replace("80000 r", "76000 r")
    text = text.replace("4000.00", "3800.00")
    assert kinds(f"$ wrk2 -R4000 -c1000 -d20s -t{threads} http://127.0.0.1:9000/a\n{text}") == found


def test_connections_that_a_server_closes_behind_its_answers_are_no_lost_requests(snapshot: object) -> None:
    errors = "  Socket errors: connect 0, read {}, write 0, timeout 0\nRequests/sec"
    closing = WRK_SHORT.replace("Requests/sec", errors.format(79_990))
    examination = examined(closing)
    assert not examination.contradictions and table_rows(examination)[0][-1] == "79,990"
    assert gaps(examination) == snapshot
    assert kinds(WRK_SHORT.replace("Requests/sec", errors.format(30_000))) == {"lost-requests"}
    few = WRK_SHORT.replace("80000 r", "10 r").replace("4000.00", "0.50").replace("Requests/sec", errors.format(40))
    assert "lost-requests" in kinds(few)


def test_failures_of_siege_may_have_had_an_answer() -> None:
    text = SIEGE.replace("Failed transactions:\t           0", "Failed transactions:\t         969")
    examination = examined(text)
    assert not examination.contradictions and examination.runs[0].unclear_failures == {"failed": 969}


def test_vegeta_rounds_times_from_an_hour_on_to_minutes() -> None:
    lines = VEGETA.splitlines(keepends=True)
    text = "".join(
        "Duration      [total, attack, wait]             1h16m0s, 1h16m0s, 1.893ms\n"
        if line.startswith("Duration")
        else line
        for line in lines
    )
    requests = one(VEGETA).requests
    assert requests is not None
    text = text.replace(f"{requests.value:.0f},", "453053,").replace(f":{requests.value:.0f}", ":453053")
    run = one(text)
    assert run.rate_seconds is not None and run.rate_seconds.within == 30
    at_100 = text.replace(f"{value(one(VEGETA).rate_per_second):.2f}", "100.00")
    assert "rate" not in kinds(at_100)
    assert "rate" in kinds(at_100.replace("1h16m0s", "1h12m0s"))


def test_a_time_that_cannot_be_read_is_said() -> None:
    row = next(line for line in VEGETA.splitlines() if line.startswith("Latencies"))
    cells = row.split(", ")
    broken = row.replace(cells[-5], "12.3??")
    assert one(VEGETA.replace(row, broken)).not_read
    line = next(line for line in K6.splitlines() if "http_req_duration" in line)
    median = line.split("med=")[1].split()[0]
    assert one(K6.replace(f"med={median}", "med=12.3??")).not_read == ["med"]


def test_k6_counts_its_samples_among_its_times() -> None:
    line = next(line for line in K6.splitlines() if "http_req_duration" in line)
    assert one(K6.replace(line, line.replace(" min=", " count=5113 min="))).times == one(K6).times


def test_autocannon_prints_how_many_requests_were_sent() -> None:
    """Of a slow server, and of none, that is many more than were answered."""
    text = """\
Running 10s test @ http://127.0.0.1:3000
100 connections

┌─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬──────┬─────────┐
│ Stat    │ 2.5%    │ 50%     │ 97.5%   │ 99%     │ Avg     │ Stdev│ Max     │
├─────────┼─────────┼─────────┼─────────┼─────────┼─────────┼──────┼─────────┤
│ Latency │ 4000 ms │ 4001 ms │ 4009 ms │ 4009 ms │ 4002 ms │ 2 ms │ 4009 ms │
└─────────┴─────────┴─────────┴─────────┴─────────┴─────────┴──────┴─────────┘
┌───────────┬─────┬──────┬─────┬───────┬─────┬───────┬─────┐
│ Stat      │ 1%  │ 2.5% │ 50% │ 97.5% │ Avg │ Stdev │ Min │
├───────────┼─────┼──────┼─────┼───────┼─────┼───────┼─────┤
│ Req/Sec   │ 0   │ 0    │ 0   │ 100   │ 20  │ 40    │ 100 │
└───────────┴─────┴──────┴─────┴───────┴─────┴───────┴─────┘

300 requests in 10.03s, 24 kB read
"""
    assert "rate" not in kinds(text)
    assert "rate" in kinds(text.replace("300 requests", "900 requests"))
    refused = text.replace("300 requests in", "33k requests in").replace("│ 20  │", "│ 0   │")
    assert "rate" not in kinds(refused + "33k errors (0 timeouts)\n")


def test_ghz() -> None:
    run = one(GHZ)
    assert (run.tool, run.load, run.connections, value(run.requests)) == ("ghz", "closed", 50, 20_000)
    assert value(run.seconds) == pytest.approx(4.03) and value(run.times.mean) == pytest.approx(0.00981)
    assert {share: time.value for share, time in run.times.percentiles.items()} == pytest.approx(
        {"10": 0.00402, "50": 0.00911, "99": 0.02431}
    )
    run = one(GHZ_FAILED)
    assert run.failures == {"Unavailable": 1500} and run.sample == 18_500
    assert run.times.mean is None and run.remarks and not run.not_read, "its mean is of the failures, too"
    limited = one(GHZ.replace("-c 50", "-c 50 --rps 5000"))
    assert (limited.load, value(limited.constant_rate_per_second)) == ("open", 5000)


OTHER_TOOLS = {
    "plow": "Summary:\n  Elapsed  8.6s\n  RPS  112741.7\n\nStatistics    Min   Mean   StdDev    Max\n"
    "  Latency     32µs  176µs    37µs   1.839ms\n",
    "rewrk": "Benchmarking 60 connections @ http://127.0.0.1:5000 for 5 seconds\n  Latencies:\n"
    "    Avg      Stdev    Min      Max    \n    3.27ms   0.40ms   1.95ms   9.39ms\n  Requests:\n"
    "    Total:  91281  Req/Sec: 18227.81\n",
    "fortio": "Aggregated Function Time : count 1000 avg 0.00102 +/- 0.1 min 0.0007 max 0.0137 sum 1.04\n"
    "# target 99% 0.00137\nAll done 1000 calls (plus 8 warmup) 1.024 ms avg, 100.0 qps\n",
    "nighthawk": "Nighthawk - A layer 7 protocol benchmarking tool.\n\nbenchmark_http_client.latency_2xx (4 samples)\n",
    "drill": "Concurrency Level         20\nTime taken for tests      5.9 seconds\nTotal requests            1020\n"
    "Requests per second       171.64 [#/sec]\n",
    "pgbench": "number of transactions actually processed: 3265\nlatency average = 9.188 ms\ntps = 1088.3\n",
    "locust": '<html><head><title>Locust_a</title>\n<script>window.templateArgs = {"requests_statistics": []}</script>',
    "ghz": '{"date": "2026-02-02", "endReason": "normal", "count": 200, "rps": 12.5}',
}


@pytest.mark.parametrize("tool", OTHER_TOOLS)
def test_other_tools_are_named_and_no_figure_of_theirs_is_on_another_run(
    tmp_path: Path, tool: str, snapshot: object
) -> None:
    file = tmp_path / "x.txt"
    file.write_text(OTHER_TOOLS[tool], encoding="utf-8")
    with pytest.raises(Problem) as error:
        read_evidence([file])
    assert str(error.value) == snapshot
    file.write_text(f"{WRK_SHORT}\n{OTHER_TOOLS[tool]}", encoding="utf-8")
    first, second = read_evidence([file]).runs
    assert first.times == one(WRK_SHORT).times and first.rate_per_second == one(WRK_SHORT).rate_per_second
    assert second.tool == tool and second.not_read and not second.has_figures
    assert examine_output(PrintedOutput(runs=[first, second])).exit_status == 3


def test_a_call_of_another_run_is_not_taken() -> None:
    """It asks for fewer requests than are printed, or for other connections."""
    text = H2LOAD.partition("\n")[2]
    requests = value(one(H2LOAD).requests)
    assert requests is not None
    call = "$ h2load -n{:.0f} -c10 -m7 http://127.0.0.1/a\n"
    assert one(call.format(requests) + text).url == "http://127.0.0.1/a"
    other = one(call.format(requests / 10) + text)
    assert (other.url, other.connections) == (one(text).url, one(text).connections)
    pipelined = "$ wrk -c {} -s pipeline.lua http://127.0.0.1:9000/a -- 16\n" + WRK_SHORT
    assert (one(pipelined.format(40)).pipelined, one(pipelined.format(80)).pipelined) == (16, None)


def test_of_two_terminals_beside_each_other_one_is_not_read() -> None:
    beside = "".join(f"{line:<60}{line}\n" for line in WRK_SHORT.splitlines())
    run = one(beside)
    assert run.requests == one(WRK_SHORT).requests and run.not_read == ["the column beside it"]
    assert not one(WRK_SHORT).not_read


def test_rates_of_jmeter_by_minute_and_hour() -> None:
    for text, rate in (("198.9/sec", 198.9), ("30.0/min", 0.5), ("36.0/hour", 0.01)):
        run = one(JMETER_REPORTER.replace("0.00%,198.9", f"0.00%,{text}"))
        assert value(run.rate_per_second) == pytest.approx(rate)


def test_without_its_call_the_load_of_hey_is_not_known() -> None:
    """It may have had a rate (`-q`), which it does not print."""
    text = HEY.partition("\n")[2]
    assert one(text).load is None and "closed-beside-open" not in kinds(f"{text}\n{VEGETA}")
    assert "closed-beside-open" in kinds(f"$ hey -c 50 http://a/\n\n{text}\n{VEGETA}")


def test_of_several_calls_above_several_outputs_none_is_taken() -> None:
    calls = "$ hey -c 5 -z 10s http://a/\n$ hey -c 500 -z 10s http://a/\n\n"
    text = HEY.partition("\n")[2]
    for run in read_text(f"{calls}{text}\n{text}", "x"):
        assert run.connections is None and run.load is None and run.remarks
    below = read_text(f"{calls}{text}\n$ hey -c 7 http://a/\n\n{text}", "x")
    assert [(run.connections, run.load) for run in below] == [(500, "closed"), (7, "closed")]
    assert [run.remarks for run in below] == [[], []], "the first call may have been a warm-up"
    first, second = read_text(f"$ wrk -c40 -R50 http://a/\n$ wrk -c40 -R90 http://a/\n{WRK_SHORT}\n{WRK_SHORT}", "x")
    assert first.load is second.load is None
