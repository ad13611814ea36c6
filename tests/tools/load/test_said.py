"""What is said of a measurement: the load model, times, errors, doubts. Without an engine."""

import io

import pytest
from rich.console import Console

from fairtrial.engine.plan import Closed, Poisson, Ramp, Step, Steps, StopAfterRequests
from fairtrial.judge.checks.generator_saturated import CHECK
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import SecondOfSeries, TlsSession, Waiting
from fairtrial.tools.load.advice import GENERATOR_BUSY, remedy, warnings
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.plan.describe import describe_load
from fairtrial.tools.load.report.bars import bars, drawn
from fairtrial.tools.load.report.data import csv_text, hgrm_text
from fairtrial.tools.load.report.figures import columns, rows, unsupported
from fairtrial.tools.load.report.html import html_text
from fairtrial.tools.load.report.terminal import print_measurement
from tests.builders import ERROR_KINDS, a_trial
from tests.tools.load.scene import URL, busy, hdr, measured, open_load, plan


def said(measurement: Measurement, width: int = 200) -> str:
    out = io.StringIO()
    print_measurement(Console(file=out, width=width), measurement)
    return out.getvalue()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "closed, 16 connections, keep-alive, 3 s"),
        ({"load": Closed(connections=1, think_time_seconds=0.05)}, "closed, 1 connection, 50 ms to think, keep-alive"),
        ({"stop": StopAfterRequests(requests=1000)}, "1,000 requests"),
        ({"requests_per_connection": 1}, "one request a connection"),
        ({"requests_per_connection": 5}, "5 requests a connection"),
        ({"pipeline": 8}, "8 requests in flight a connection (pipelined)"),
        ({"warmup_seconds": 0.5}, "3 s after 500 ms of warm-up"),
        (
            {"load": Poisson(rate_per_second=2000, connections=64)},
            "open, Poisson 2,000 requests/s, up to 64 connections, keep-alive, 3 s",
        ),
        ({"load": Ramp(from_per_second=0, to_per_second=500, connections=1)}, "ramp from 0 to 500 requests/s"),
        (
            {"load": Steps(steps=[Step(rate_per_second=10, seconds=2)], connections=1), "stop": None},
            "steps 10/s for 2 s, up to 1 connection, keep-alive, 2 s in all",
        ),
    ],
)
def test_the_load_in_words(changes: dict[str, object], words: str) -> None:
    assert words in describe_load(plan(**changes))


def test_goodput_and_load_come_first() -> None:
    lines = said(measured()).splitlines()
    assert lines[0] == URL
    assert lines[1] == "load: closed, 16 connections, keep-alive, 3 s"
    assert "goodput" in lines[3] and "4,000 verified answers/s" in lines[3]


def test_an_open_load_shows_both_times_and_explains_them() -> None:
    text = said(open_load(waiting=Waiting(limit=100_000, peak=12, at_end=3)))
    for words in ("response time", "service time", "send lag", "a closed load never shows", "12,000 requests, 100.00%"):
        assert words in text
    assert "up to 12 for a free connection (limit 100,000), 3 at end" in text
    assert "service time" not in said(measured())


def test_only_supported_percentiles_are_shown() -> None:
    few = measured(a_trial().serving(100))
    assert columns(few) == ["50", "90", "95"]
    assert unsupported(few) == "p99 and above are not shown: p99 needs 1,000 answers, there were 300"
    assert len(rows(few)[0].cells) == 3
    assert unsupported(measured(a_trial().serving(50_000))) == ""
    assert "p99.99 is not shown" in unsupported(measured())


def test_errors_by_kind_each_with_a_remedy() -> None:
    text = said(measured(a_trial().erring(timeout=7, status_5xx=3).showing("\x1b[31mbad\n")))
    assert "errors: 10" in text
    assert "7 timeout  no answer within 10 s" in text
    assert "3 status_5xx  the server failed" in text
    assert "status_5xx, status 500: \\x1b[31mbad" in text


def test_every_kind_of_error_has_a_remedy() -> None:
    assert [kind for kind in (*ERROR_KINDS, "tls", "overflow") if not remedy(kind, plan())] == []


def test_a_busy_generator_is_named() -> None:
    assert CHECK.thresholds["warn"].value == GENERATOR_BUSY
    assert list(warnings(measured(threads=busy(0.79)))) == []
    (warning,) = warnings(measured(threads=busy(0.81)))
    assert "used 81% of its busiest processor" in warning
    (together,) = warnings(measured(of=plan(threads=10, cpus=[1]), threads=busy(0.09) * 10))
    assert "used 90% of its busiest processor" in together


def test_waiting_awake_is_not_being_busy() -> None:
    spinning = busy(0.95)[0].model_copy(update={"spinning_seconds": 2.7})
    assert list(warnings(open_load(threads=[spinning]))) == []
    assert "5% of its processor" in said(open_load(threads=[spinning]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"achieved_over_offered": 0.5}, "only 50.0% of the offered requests"),
        ({"interrupted": True}, "interrupted"),
    ],
)
def test_other_doubts(changes: dict[str, object], words: str) -> None:
    assert words in said(open_load(**changes))


def test_requests_that_hang_are_named() -> None:
    text = said(measured(in_flight_at_end=4, oldest_in_flight_seconds=2.5))
    assert "4 requests unanswered at the end, the oldest for 2.5 s: longer than any answer took" in text
    assert "warning" not in said(measured(in_flight_at_end=4, oldest_in_flight_seconds=0.01))


def test_tls_is_shown() -> None:
    text = said(measured(tls=TlsSession(version="1.3", cipher_suite="TLS_AES_128_GCM_SHA256")))
    assert "1.3, TLS_AES_128_GCM_SHA256" in text


def test_it_fits_a_narrow_terminal() -> None:
    assert max(map(len, said(measured(), width=80).splitlines())) <= 80


def test_without_an_answer_there_are_no_times() -> None:
    nothing = measured(a_trial().serving(0).erring(refused=5))
    text = said(nothing)
    assert "no verified answer" in text
    assert "response time" not in text
    assert "5 refused" in text
    assert "No answer was complete" in html_text(nothing)


def test_bars_have_round_edges_and_lose_nothing() -> None:
    times = read_histogram(hdr(*range(100, 300), 40_000))
    found = bars(times)
    assert sum(bar.count for bar in found) == times.count == 201
    assert [round(bar.low_seconds * 1e6) for bar in found[:2]] == [100, 150] or found[0].low_seconds < 100e-6
    assert len(found) <= 16
    for line in drawn(times, 80):
        assert len(line) <= 80
    assert all(line.isascii() for line in drawn(times, 80, unicode=False))
    assert drawn(read_histogram(""), 80) == []


def test_a_single_time_has_a_bar() -> None:
    assert [bar.count for bar in bars(read_histogram(hdr(100, 100)))] == [2]


def test_the_series_as_csv() -> None:
    series = [
        SecondOfSeries(verified=10, errors=1, p50_seconds=0.001, p99_seconds=0.002, max_seconds=0.5),
        SecondOfSeries(verified=0, errors=0),
    ]
    text = csv_text(measured(series=series, window_seconds=1.25))
    assert text.splitlines() == [
        "second,length_seconds,verified,errors,p50_seconds,p99_seconds,max_seconds",
        "1,1.0,10,1,0.001,0.002,0.5",
        "2,0.25,0,0,,,",
    ]


def test_the_percentile_distribution() -> None:
    lines = hgrm_text(read_histogram(hdr(*range(1, 1001)))).splitlines()
    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    assert lines[1] == ""
    cells = [line.split() for line in lines[2:] if not line.startswith("#")]
    assert cells[0] == ["0.001", "0.000000000000", "1", "1.00"]
    assert cells[-1] == ["1.000", "1.000000000000", "1000"]
    half = next(row for row in cells if row[1].startswith("0.5000"))
    assert half[2:] == ["500", "2.00"]
    assert [float(row[1]) for row in cells] == sorted(float(row[1]) for row in cells)
    assert lines[-3].startswith("#[Mean    =        0.50")
    assert hgrm_text(read_histogram("")).count("\n") == 5


def test_text_from_the_server_is_escaped_in_html() -> None:
    page = html_text(measured(a_trial().erring(status_5xx=1).showing("<script>alert(1)</script>\x1b")))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b" in page
