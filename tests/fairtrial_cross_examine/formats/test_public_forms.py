"""Forms in which people publish outputs, by the classes in which they were once read wrongly; figures are made up."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.examination import Examination, examine_output
from fairtrial_cross_examine.formats import read_json, read_text
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.texts import AB, AUTOCANNON, H2LOAD, HEY, K6, K6_OLD, OHA, VEGETA, WRK, WRK2


def one(text: str) -> PrintedRun:
    (run,) = read_text(text, "file.txt")
    return run


def value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def examined(text: str) -> Examination:
    return examine_output(PrintedOutput(runs=read_text(text, "file.txt")))


def kinds(text: str) -> set[str]:
    return {each.kind for each in examined(text).contradictions}


WRK_SHORT = """\
Running 20s test @ http://127.0.0.1:9000/a
  2 threads and 40 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    10.00ms    2.00ms  80.00ms   75.00%
    Req/Sec     2.00k    90.00     2.20k    70.00%
  80000 requests in 20.00s, 16.00MB read
Requests/sec:   4000.00
Transfer/sec:    819.20KB
"""


def test_a_tick_of_a_threshold_hides_nothing() -> None:
    plain = one(K6_OLD)
    for metric in ("http_req_duration", "http_req_failed", "http_reqs", "iterations"):
        for tick in ("✓ ", "✗ "):
            assert one(K6_OLD.replace(f"     {metric}", f"   {tick}{metric}")) == plain


def test_the_times_are_those_of_all_answers_not_of_the_expected_ones() -> None:
    text = K6_OLD.replace("{ expected_response:true }...: avg=2.98ms", "{ expected_response:true }...: avg=1.98ms")
    assert value(one(text).times.mean) == pytest.approx(0.00298)


K6_SCENARIOS = "".join(
    f"""
  █ {heading}

    HTTP
    http_req_duration..............: avg={mean} min=1ms med={mean} max=90ms p(90)={mean} p(95)={mean}
      {{ expected_response:true }}...: avg=1ms min=1ms med=1ms max=1ms p(90)=1ms p(95)=1ms
    http_req_failed................: 0.00%  0 out of {requests}
    http_reqs......................: {requests}   {requests / 100}/s

    EXECUTION
    iterations.....................: {requests}   {requests / 100}/s

    NETWORK
    data_received..................: 1 MB 1 kB/s
"""
    for heading, mean, requests in (
        ("TOTAL RESULTS", "8ms", 9000),
        ("SCENARIO: readers", "7ms", 6000),
        ("SCENARIO: writers", "10ms", 3000),
    )
)


def test_each_scenario_has_its_own_times() -> None:
    runs = read_text(K6_SCENARIOS, "k6.txt")
    assert [(run.name, value(run.times.mean), value(run.requests)) for run in runs] == [
        ("k6.txt", 0.008, 9000),
        ("k6.txt: readers", 0.007, 6000),
        ("k6.txt: writers", 0.01, 3000),
    ]
    without_iterations = re.sub(r"iterations\.+:.*\n", "", K6_SCENARIOS)
    remarks = [len(run.remarks) for run in read_text(without_iterations, "k6.txt")]
    assert remarks == [1, 0, 0], "the time is that of all scenarios"


def test_progress_before_and_behind_a_summary() -> None:
    """Version 1 prints the last line of progress behind its summary, older ones before it."""
    head = K6_OLD.index("running (")
    old, new = K6_OLD[head:], K6[K6.index("  █ TOTAL") :]
    runs = read_text(new + old + new.replace("0m10.0s", "0m11.0s") + old.replace("0m30.0s", "0m31.0s"), "k6.txt")
    assert [value(run.seconds) for run in runs] == [10, 30, 11, 31]


UNCORRECTED = """\
  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))
 50.000%    1.10ms
 99.900%    2.20ms
100.000%    9.90ms

#[Mean    =        1.200, StdDeviation   =        0.300]
#[Max     =        9.900, Total count    =        39500]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
"""


@pytest.mark.parametrize("first", [False, True])
def test_of_two_histograms_the_corrected_one_is_read(first: bool) -> None:
    place = WRK2.index("  Latency Distribution" if first else "  60018 requests")
    run = one(WRK2[:place] + UNCORRECTED + WRK2[place:])
    assert run.times == one(WRK2).times and value(run.times.percentiles["50"]) == pytest.approx(0.00667)


def test_a_figure_that_stands_twice_is_ambiguous() -> None:
    text = WRK_SHORT + "Requests/sec:   4100.00\n"
    run, examination = one(text), examined(text)
    assert run.rate_per_second is None and run.not_read == ["rate"]
    assert run.ambiguous == ["Requests/sec: 4000.00 / Requests/sec: 4100.00"]
    assert examination.exit_status == 3
    assert one(WRK_SHORT + "Requests/sec:   4000.00\n") == one(WRK_SHORT)


def hey(answers: int, rate: str, call: str = "") -> str:
    return (
        f"{call}\nSummary:\n  Total:\t25.0000 secs\n  Slowest:\t0.0400 secs\n  Fastest:\t0.0002 secs\n"
        f"  Average:\t0.0020 secs\n  Requests/sec:\t{rate}\n\n  Total data:\t{80 * answers} bytes\n"
        "  Size/request:\t80 bytes\n\nLatency distribution:\n  50% in 0.0018 secs\n  99% in 0.0050 secs\n\n"
        f"Status code distribution:\n  [200]\t{answers} responses\n"
    )


def test_a_million_results_of_hey_are_its_cap() -> None:
    text = hey(1_000_000, "60000.0000", "$ hey -z 25s -c 80 http://127.0.0.1:9000/")
    run = one(text)
    assert (run.requests, run.times.mean, run.document_bytes) == (None, None, None)
    assert run.not_read == ["requests", "mean"] and "keeps 1,000,000 results" in run.remarks[0]
    assert kinds(text) == set() and examined(text).exit_status == 3
    exact = one(hey(1_000_000, "40000.0000"))
    assert value(exact.requests) == 1_000_000 and not exact.remarks


NO_RATE: Sequence[tuple[str, str]] = (
    (HEY, "hey -q 0 -c 20"),
    (OHA, "oha -q 0 -c 20"),
    (AUTOCANNON, "autocannon -R 0 -c 100"),
    (AUTOCANNON, "autocannon -r 0 -c 100"),
    (VEGETA.partition("\n")[2], "vegeta attack -rate=0 -max-workers=20"),
    (VEGETA.partition("\n")[2], "vegeta attack -rate 0/1s -max-workers 20"),
    (VEGETA.partition("\n")[2], "vegeta attack -rate=infinity -max-workers=20"),
    (H2LOAD, "h2load -n 1000 -c 10"),
    (WRK, "wrk -c 12 -t 5"),
)


@pytest.mark.parametrize(("text", "call"), NO_RATE)
def test_values_that_mean_no_rate(text: str, call: str) -> None:
    text = text.partition("\n")[2] if text.startswith("$") else text
    run = one(f"$ {call} http://127.0.0.1/\n{text}")
    assert run.load == "closed" and run.constant_rate_per_second is None


@pytest.mark.parametrize(
    ("text", "call"),
    [(HEY, "hey -c $n"), (OHA, "oha -c ${CONNECTIONS}"), (AUTOCANNON[AUTOCANNON.index("┌") :], 'autocannon -c "$c"')],
)
def test_an_option_that_cannot_be_read_is_not_its_default(text: str, call: str) -> None:
    text = text.partition("\n")[2] if text.startswith("$") else text
    assert one(f"$ {call} http://127.0.0.1/\n{text}").connections is None


def test_options_belong_to_the_output_below_them() -> None:
    called = "$ hey -q 5 -c 30 http://127.0.0.1/\n"
    output = HEY.partition("\n")[2]
    first, second, third = read_text(output + called + output + output, "hey.txt")
    assert (first.load, first.connections, third.load, third.connections) == (None, None, None, None)
    assert (second.load, second.connections) == ("open", 30)


@pytest.mark.parametrize(
    "call", ["ab.exe", "/opt/wrk_linux_amd64", "docker run --rm it/wrk:4.2", "npx wrk@4", "time ./wrk"]
)
def test_names_under_which_a_tool_is_called(call: str) -> None:
    text = AB if "ab" in call else WRK_SHORT
    assert one(f"$ {call} -c 3 \\\n    -d 99s -k http://127.0.0.1/\n{text}") is not None
    if "wrk" in call:
        without = WRK_SHORT.partition("\n")[2]
        assert value(one(f"$ {call} -c 40 \\\n    -d 99s http://127.0.0.1/\n{without}").planned_seconds) == 99


def pipelined(call: str) -> str:
    return call + WRK_SHORT.replace("80000 ", "1280000 ").replace("4000.00", "64000.00")


@pytest.mark.parametrize("arguments", ["-s pipeline.lua -- 16", "--script=./pipelined.lua http://h/ -- / 16"])
def test_a_script_that_pipelines_is_known_from_the_call(arguments: str) -> None:
    text = pipelined(f"$ wrk -t2 -c40 -d20s http://127.0.0.1:9000/a {arguments}\n")
    assert kinds(text) == set()
    assert one(text).pipelined == 16 and one(text).connections == 640 and one(text).sample == 80_000


def test_a_script_that_pipelines_at_an_unknown_depth_accuses_nobody() -> None:
    text = pipelined("$ wrk -t2 -c40 -d20s -s pipeline.lua http://127.0.0.1:9000/a\n")
    assert kinds(text) == set() and "pipelines" in one(text).remarks[0]


def test_without_the_call_pipelining_is_named_as_the_cause() -> None:
    (found,) = examined(pipelined("")).contradictions
    assert found.kind == "too-much-time" and "Pipelined, 16 at a time" in found.says
    shares = "  Latency Distribution\n     50%    9.00ms\n     99%   15.00ms\n"
    (found,) = examined(pipelined("").replace("  1280000 ", f"{shares}  1280000 ")).contradictions
    assert "Pipelined" in found.says and "wrk adds" not in found.says


def test_autocannon_with_pipelining() -> None:
    run = one("$ autocannon -c 10 -p 10 http://127.0.0.1:3000\n" + AUTOCANNON)
    assert (run.connections, run.pipelined) == (100, 10)


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_report_without_its_first_lines(lines: int) -> None:
    whole, rest = one(WRK_SHORT), one("".join(WRK_SHORT.splitlines(keepends=True)[lines:]))
    assert rest.url is None and rest.times == whole.times and rest.requests == whole.requests
    assert (rest.connections == 40) == (lines == 1) and not rest.not_read


@pytest.mark.parametrize("text", [AB, HEY, OHA, K6, H2LOAD, VEGETA, AUTOCANNON], ids=lambda text: text[:12])
def test_what_every_output_has_and_is_not_there_is_not_read(text: str) -> None:
    """Cut anywhere, an output has its figures, or is said to lack them."""
    lines = text.splitlines(keepends=True)
    whole = one(text)
    for place in range(len(lines)):
        for part in (lines[place:], lines[:place]):
            for run in read_text("".join(part), "file.txt"):
                has = {"requests": run.requests, "rate": run.rate_per_second, "mean": run.times.mean}
                assert {name for name, figure in has.items() if figure is None} <= set(run.not_read)
                assert run.times.mean in (None, whole.times.mean) and run.rate_per_second in (
                    None,
                    whole.rate_per_second,
                )


def test_older_and_other_forms_of_wrk() -> None:
    first = WRK_SHORT.replace("Running 20s test @", "Making 80000 requests to")
    assert one(first).url == "http://127.0.0.1:9000/a" and one(first).planned_seconds is None
    hyperfoil = WRK_SHORT.replace("70.00%", "100.00").replace("20.00s, ", "20.100s,   ").replace("sec:   ", "sec: ")
    assert value(one(hyperfoil).seconds) == 20.1 and one(hyperfoil).times == one(WRK_SHORT).times


def test_a_second_report_without_a_head_is_a_report_of_its_own() -> None:
    tail = "  500 requests in 20.00s, 90.00KB read\n  Socket errors: connect 0, read 300, write 0, timeout 0\n"
    first, second = read_text(f"{WRK_SHORT}\n{tail}Requests/sec:     25.00\n", "wrk.txt")
    assert first.unanswered == {} and second.unanswered == {"read": 300}
    assert (value(first.requests), value(second.requests), value(second.rate_per_second)) == (80_000, 500, 25)
    assert second.not_read == ["mean", "max"] and not first.not_read


def halves(text: str, place: str) -> tuple[str, str]:
    return text[: text.index(place)], text[text.index(place) :]


def test_two_runs_in_one_terminal_have_no_connections_that_may_be_the_other_ones() -> None:
    """Their first lines stand together, and then come their figures, in the order in which they ended."""
    first, second = WRK_SHORT, WRK_SHORT.replace("40 conn", "80 conn").replace("10.00ms", "20.00ms")
    (head, figures), (other_head, other_figures) = (halves(text, "  Thread Stats") for text in (first, second))
    runs = read_text(f"$ wrk -c 40 http://a & wrk -c 80 http://b\n{head}{other_head}{other_figures}{figures}", "x")
    assert [(run.connections, value(run.times.mean), value(run.requests)) for run in runs] == [
        (None, 0.02, 80_000),
        (None, 0.01, 80_000),
    ]
    assert {run.url for run in runs} == {None} and kinds(f"{head}{other_head}{figures}{other_figures}") == set()


def test_lines_of_two_runs_in_turns_are_read_as_nobodys() -> None:
    lines = zip(WRK_SHORT.splitlines(), WRK_SHORT.replace("80000", "81000").splitlines(), strict=True)
    text = "\n".join(line for pair in lines for line in pair)
    (run,) = read_text(text, "x")
    assert run.requests is None and run.times.mean is None
    assert list(run.not_read) == ["requests", "seconds", "rate", "mean", "max"]
    assert "at the same time" in run.ambiguous[0] and examined(text).exit_status == 3
    after = read_text(f"{text}\n\nand alone:\n\n{WRK_SHORT}", "x")
    assert [value(run.requests) for run in after] == [None, 80_000]


def test_a_whole_run_stays_where_heads_of_others_stand_behind_it() -> None:
    head = WRK_SHORT.splitlines()[1] + "\n"
    runs = read_text(WRK_SHORT + head + head, "x")
    assert runs[0].times == one(WRK_SHORT).times and value(runs[0].requests) == 80_000
    assert [run.requests for run in runs[1:]] == [None] and "at the same time" in runs[1].ambiguous[0]
    assert len(read_text(WRK_SHORT + 3 * head, "x")) == 2


def test_a_run_that_was_stopped_has_no_part_in_runs_behind_empty_lines() -> None:
    stopped, figures = "".join(WRK_SHORT.splitlines(keepends=True)[:2]), halves(WRK_SHORT, "  80000")[1]
    for between in ("", "\n"):
        runs = read_text(f"{stopped}^C\n\n{WRK_SHORT}\n{figures}{between}{figures}{between}{figures}", "x")
        assert [value(run.requests) for run in runs if run.requests] == 4 * [80_000]


def test_reports_of_all_tools_in_any_order() -> None:
    for texts in ((WRK, AUTOCANNON, HEY, OHA, AB), (OHA, AUTOCANNON, AB, WRK2, WRK, HEY), (HEY, HEY, OHA, WRK)):
        together = [run.model_copy(update={"name": "x"}) for run in read_text("\n".join(texts), "x")]
        alone = [run.model_copy(update={"name": "x"}) for text in texts for run in read_text(text, "x")]
        assert together == alone


def test_figures_of_a_tool_that_is_not_read_are_on_no_other_run() -> None:
    other = (
        "Statistics\n  Latency  3.70ms  30.00ms  1.02s\n  Latency Distribution\n     50%     2.90ms\n"
        "     99%     5.40ms\n  Requests/sec:  7.00\n"
    )
    for text in (WRK_SHORT, AB, HEY, H2LOAD, VEGETA, AUTOCANNON):
        runs = read_text(f"{text}\n{other}", "x")
        assert runs == read_text(text, "x") and not runs[0].ambiguous


def test_an_output_with_an_empty_line_behind_each() -> None:
    for text in (WRK, AB, HEY, K6, H2LOAD, AUTOCANNON):
        assert one(text.replace("\n", "\n\n")).times == one(text).times


def test_an_aborted_run_keeps_its_options_to_itself_and_is_not_read() -> None:
    aborted = "$ wrk -c7 -d9s http://a/\nRunning 9s test @ http://a/\nunable to connect to a:80\n\n"
    run, whole = read_text(aborted + WRK_SHORT, "file.txt")
    assert whole.model_copy(update={"name": "file.txt"}) == one(WRK_SHORT)
    assert run.url == "http://a/" and run.not_read == ["requests", "seconds", "rate", "mean", "max"]
    prose = "$ hey -c 30 http://127.0.0.1/\n\n30 connections\n\n"
    assert one(prose + HEY.partition("\n")[2]).connections == 30


TABLE = """\
Running 10s test @ http://127.0.0.1:3000
20 connections

Stat         Avg     Stdev   Max
Latency (ms) 1.46    0.80    31
Req/Sec      9000.5  98.21   9500
Bytes/Sec    1.28 MB 11.5 kB 1.4 MB

7 2xx responses, 89998 non 2xx responses
90k requests in 10s, 12.81 MB read
"""


def test_a_table_with_other_borders_or_none() -> None:
    run = one(TABLE)
    assert (value(run.times.mean), value(run.times.maximum)) == pytest.approx((0.00146, 0.031))
    assert value(run.rate_per_second) == 9000.5 and run.failures == {"non-2xx": 89_998} and not run.not_read
    rows = [line for line in AUTOCANNON.splitlines() if "─" not in line]
    plain = one("\n".join(row.replace("│", " ") for row in rows))
    ascii_borders = one(AUTOCANNON.replace("│", "|").replace("─", "-").replace("┼", "+"))
    assert plain == ascii_borders == one(AUTOCANNON)


def test_hyperfine_before_it_printed_the_number_of_runs() -> None:
    text = "Benchmark #1: x\n  Time (mean ± σ):  210.3 ms ±  9.9 ms\n  Range (min … max):  199 ms … 252 ms\n"
    run = one(text)
    assert (run.runs, run.statistic, value(run.times.maximum)) == (None, "mean", 0.252)


MARKDOWN = """\
| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
|:---|---:|---:|---:|---:|
| `tool \\| sort` | 20.0 ± 0.4 | 19.4 | 22.3 | 7.44 ± 0.78 |
| `other` | 19.7 ± 0.3 | 2.3 | 9.6 | 1.00 |
"""
CSV = """\
command,mean,stddev,median,user,system,min,max,parameter_n
"tool | sort",0.020,0.0004,0.0199,0.019,0.001,0.0194,0.0223,1
other,0.0197,,0.0027,0.002,0.001,0.0023,0.0096,2
"""


@pytest.mark.parametrize("text", [MARKDOWN, CSV, f"## Results\n\n{MARKDOWN}\nand more | than that\n"])
def test_exports_of_hyperfine(text: str) -> None:
    piped, other = read_text(text, "x")
    assert (piped.contender, value(piped.times.mean), value(piped.times.deviation)) == ("tool | sort", 0.02, 0.0004)
    assert (piped.runs, value(piped.times.minimum), value(piped.times.maximum)) == (None, 0.0194, 0.0223)
    assert not other.not_read and kinds(text) == {"impossible-times"}, "its mean is beyond its maximum"


def test_two_tables_and_a_row_that_was_cut() -> None:
    assert [run.contender for run in read_text(f"{MARKDOWN}\n{CSV}", "x")] == ["tool | sort", "other"] * 2
    assert [run.contender for run in read_text(CSV[:-30], "x")] == ["tool | sort"]


def test_what_h2load_draws_its_times_from() -> None:
    text = re.sub(r"status codes: \d+ 2xx", "status codes: 3000000 2xx", H2LOAD)
    assert one(text).sample == CAPS["h2load"].most and one(H2LOAD).times.sample is None


def test_the_median_of_jmeter_is_that_of_its_last_samples() -> None:
    rows = {"sampleCount": 20_000, "errorCount": 0, "meanResTime": 9.5, "medianResTime": 8.0, "throughput": 90.0}
    few, many = (read_json({"Total": {**rows, "sampleCount": count}}, "x") for count in (20_000, 20_001))
    assert set(few[0].times.percentiles) == {"50"} and not many[0].times.percentiles


def test_a_time_that_was_not_planned() -> None:
    text = WRK_SHORT.replace("in 20.00s", "in 307445734490.01m").replace("4000.00", "0.00")
    assert kinds(text) == {"planned-time"}
    errors = "Socket errors: connect 0, read 0, write 0, timeout 90\n"
    assert kinds(text.replace("Requests/sec", f"{errors}Requests/sec")) == {"planned-time", "lost-requests"}
    assert kinds(WRK_SHORT.replace("in 20.00s", "in 20.90s").replace("4000.00", "3827.75")) == set()
    assert kinds(WRK_SHORT.replace("80000 r", "16000 r").replace("in 20.00s", "in 4.00s")) == {"planned-time"}


def test_what_h2load_calls_failed_contains_what_is_errored_or_timed_out() -> None:
    text = H2LOAD.replace("100 failed, 10 errored, 0 timeout", "100 failed, 4 errored, 6 timeout")
    assert one(text).failures == {"status 4xx or 5xx": 90} and one(text).unanswered == {"errored": 10}


def test_lengths_that_vary_a_little_are_no_errors() -> None:
    """ab calls every answer failed that is not as long as the first."""
    text = AB.replace("(Connect: 2, Receive: 0, Length: 36", "(Connect: 0, Receive: 0, Length: 38").replace(
        "Non-2xx responses:      62\n", ""
    )
    assert "errors-as-throughput" not in kinds(text.replace("70000 bytes", "60590 bytes"))
    assert "errors-as-throughput" in kinds(text.replace("70000 bytes", "37262 bytes"))


def test_json_between_text(tmp_path: Path) -> None:
    document = '{"results": [{"command": "x", "mean": 0.1, "min": 0.1, "max": 0.1, "times": [0.1]}]}'
    file = tmp_path / "log.txt"
    file.write_text(f"Some prose, {{ and more.\n```json\n{document}\n```\n{WRK_SHORT}{{\n")
    assert [run.tool for run in read_evidence([file]).runs] == ["hyperfine", "wrk"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('percentiles = { 50 = "3 ms", 99.9 = "25 ms" }', 'write it in quotes, "99.9" = …'),
        ('percentiles.99.9 = "25 ms"', 'write it in quotes, "99.9" = …'),
        ('p999 = "25 ms"', 'p999: is written as percentiles = { "99.9" = … }'),
        ('p99 = "25 ms"', 'p99: is written as percentiles = { "99" = … }'),
        ('p99.9 = "25 ms"', 'p99: is written as percentiles = { "99.9" = … }'),
        ("failures = { status.500 = 3 }", 'write it in quotes, "status.500" = …'),
        ('percentiles = { x = "25 ms" }', "'x' is not between 0 and 100"),
    ],
)
def test_a_percentile_as_people_write_it_is_explained(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'[[run]]\nname = "a"\n{line}\n')
    with pytest.raises(Problem) as caught:
        read_evidence([file])
    assert words in caught.value.reason and caught.value.remedy


def test_percentiles_with_a_p_before_them(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[[run]]\nname = "a"\npercentiles = { p50 = "3 ms", "p99.9" = "25 ms" }\n')
    (run,) = read_evidence([file]).runs
    assert set(run.times.percentiles) == {"50", "99.9"}


def test_the_plot_of_vegeta_counts_its_requests() -> None:
    rows = "".join(
        f"{milliseconds:f}  {share:f}  {round(3000 * share)}  {1 / max(1 - share, 1e-7):f}\n"
        for milliseconds, share in [
            (0.3, 0),
            (4.5, 0.5),
            (6.5, 0.75),
            (8.0, 0.9),
            (9.5, 0.99),
            (30.1, 0.9999),
            (30.1, 1),
        ]
    )
    run = one(f"Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n{rows}\nand 7 0.5 9 2\n")
    assert run.tool == "vegeta" and value(run.requests) == 3000
    assert {share: value(time) for share, time in run.times.percentiles.items()} == pytest.approx(
        {"50": 0.0045, "75": 0.0065, "90": 0.008, "99": 0.0095}
    )


def test_a_warm_up_of_h2load_is_no_part_of_its_rate() -> None:
    text = H2LOAD.replace(
        "5 total client(s). 500 total requests",
        "5 total client(s). Timing-based test with 1s of warm-up time and 2s of main duration for measurements.",
    ).replace("finished in 661.88ms, 1359.77 req/s", "finished in 3.00s, 495.00 req/s")
    run = one(text)
    assert value(run.seconds) == 2 and run.document_bytes is None and "rate" not in kinds(text)
    called = re.sub("^spawning.*\n", "", text, flags=re.MULTILINE)
    assert value(one(f"$ h2load -D 2 --warm-up-time=1 -c 10 http://a/\n{called}").seconds) == 2
    assert value(one(text.replace("1s of warm", "0s of warm").replace("3.00s", "2.00s")).seconds) == 2
