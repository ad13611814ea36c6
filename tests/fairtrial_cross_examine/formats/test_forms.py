"""What tools print when something fails, and forms of older versions: written by hand, in the form of their sources.

Outputs that the tools really printed are in test_real_outputs.py.
"""

import json
from textwrap import indent

import pytest

from fairtrial_cross_examine.formats import all_formats, read_json, read_text
from fairtrial_cross_examine.model import PrintedRun
from tests.fairtrial_cross_examine.formats.reports import HONEST
from tests.fairtrial_cross_examine.formats.texts import (
    AB,
    AUTOCANNON,
    H2LOAD,
    H2LOAD_NEW,
    HEY,
    HYPERFINE,
    K6,
    K6_OLD,
    OHA,
    VEGETA,
    WRK,
    WRK2,
)


def one(text: str) -> PrintedRun:
    (run,) = read_text(text, "file.txt")
    return run


def test_ab() -> None:
    run = one(AB)
    assert (run.tool, run.url, run.load) == ("ab", "http://127.0.0.1:8080/v1/categories", "closed")
    assert run.connections == 100 and run.requests is not None and run.requests.value == 100
    assert run.failures == {"non-2xx": 62, "length": 36} and run.unanswered == {"connect": 2}
    assert run.seconds is not None and run.seconds.value == 60.312
    assert run.document_bytes is not None and run.document_bytes.value == 601
    assert run.bodies_bytes is not None and run.bodies_bytes.value == 70000
    assert run.time_per_request_seconds is not None and run.time_per_request_seconds.value == pytest.approx(60.312)
    assert run.times.percentiles["50"].value == pytest.approx(30.304)
    assert set(run.times.percentiles) == {"50", "66", "99"}
    assert run.times.mean is not None and run.times.mean.within == 0.001
    assert run.times.deviation is not None and run.times.deviation.value == pytest.approx(9.1003)
    assert run.times.maximum is not None and run.times.maximum.value == pytest.approx(60.305)


@pytest.mark.parametrize("text", [AB, AUTOCANNON, H2LOAD, HEY, HYPERFINE, K6, OHA, VEGETA, WRK, WRK2])
@pytest.mark.parametrize("by", ["    ", "\t", "      "])
def test_an_output_in_a_code_block(text: str, by: str) -> None:
    block = indent(text, by)
    assert read_text(f"An article prints:\n\n{block}\nand says no more.", "file.txt") == read_text(text, "file.txt")


def test_ab_without_its_head() -> None:
    run = one(AB[AB.index("Concurrency Level") :])
    assert run.requests is not None and run.url is None and run.document_bytes is None


def test_wrk() -> None:
    run = one(WRK)
    assert run.connections == 10, "every thread has two"
    assert run.dead_clients == 5 and run.unanswered == {"read": 7, "timeout": 3} and run.failures == {"non-2xx": 9}
    assert run.seconds is not None and run.seconds.value == 600
    assert run.times.mean is not None and run.times.mean.value == pytest.approx(0.00089)
    assert {share: figure.value for share, figure in run.times.percentiles.items()} == pytest.approx(
        {"50": 0.00038, "99": 1.2}
    )
    assert run.answer_bytes is not None and run.answer_bytes.value == pytest.approx(17.75 * 2**20 / 136877)


def test_wrk2() -> None:
    run = one(WRK2)
    assert (run.tool, run.load, run.connections) == ("wrk2", "open", 100)
    assert run.constant_rate_per_second is not None and run.constant_rate_per_second.value == 2000
    assert run.sample == 39500 and set(run.times.percentiles) == {"50", "99.9", "99.999"}
    assert run.times.mean is not None and run.times.mean.within == pytest.approx(5e-7)


def test_hey() -> None:
    run = one(HEY)
    assert (run.connections, run.load) == (20, "closed")
    assert run.requests is not None and run.requests.value == 1000
    assert run.answers is not None and run.answers.value == 970
    assert run.failures == {"status 503": 70} and run.unanswered == {'Get "http://127.0.0.1:8080/": EOF': 30}
    assert run.document_bytes is not None and run.document_bytes.value == 20
    assert run.times.percentiles["99"].value == 0.01


def test_hey_without_its_call_has_no_connections() -> None:
    run = one(HEY.partition("\n")[2])
    assert run.connections is None
    run = one(HEY.replace("-c 20", "-c 20 -q 5"))
    assert run.load == "open" and run.constant_rate_per_second is not None and run.constant_rate_per_second.value == 100


def test_oha() -> None:
    run = one(OHA)
    assert run.load is None and run.connections is None
    assert run.requests is not None and run.requests.value == 1000
    assert run.failures == {"status 500": 70}
    assert run.unanswered == {"connection closed before message completed": 20}, "the end of the run is no failure"
    assert run.seconds is not None and run.seconds.value == pytest.approx(10.003)
    assert run.times.percentiles["99.9"].value == pytest.approx(0.01)
    assert run.document_bytes is not None and run.document_bytes.value == 20
    called = one("$ oha -z 10s --connections 30 -q 500 http://127.0.0.1/\n" + OHA)
    assert (called.connections, called.load) == (30, "open")


def test_k6() -> None:
    run = one(K6)
    assert run.load == "closed" and run.failures == {"failed": 400} and run.dropped_requests == 0
    assert run.seconds is not None and run.seconds.value == 10
    assert run.rate_seconds is not None and run.rate_seconds.value == pytest.approx(10.0036, rel=1e-4)
    assert run.times.mean is not None and run.times.mean.value == pytest.approx(0.0415)
    assert set(run.times.percentiles) == {"50", "90", "95"} and run.connections is None


def test_k6_before_version_1() -> None:
    run = one(K6_OLD)
    assert run.load == "open" and run.dropped_requests == 12 and run.failures == {"failed": 4}
    assert run.constant_rate_per_second is not None and run.constant_rate_per_second.value == 100
    assert run.times.maximum is not None and run.times.maximum.value == pytest.approx(0.28198)


def test_k6_exported() -> None:
    trend = {"avg": 41.5, "min": 6.5, "med": 40.2, "max": 2190.0, "p(90)": 44.1, "p(99.9)": 45.2}
    metrics = {
        "http_reqs": {"count": 2400, "rate": 239.9},
        "http_req_duration": trend,
        "http_req_failed": {"passes": 400, "fails": 2000, "value": 0.1666},
        "iterations": {"count": 2400, "rate": 239.9},
        "dropped_iterations": {"count": 3, "rate": 0.3},
    }
    (exported,) = read_json({"metrics": metrics, "root_group": {}}, "k6.json")
    wrapped = {name: {"type": "trend", "contains": "time", "values": values} for name, values in metrics.items()}
    (handled,) = read_json({"metrics": wrapped, "state": {"testRunDurationMs": 10003.6}}, "k6.json")
    for run in (exported, handled):
        assert run.failures == {"failed": 400} and run.dropped_requests == 3
        assert run.times.percentiles["99.9"].value == pytest.approx(0.0452)
    assert handled.seconds is not None and handled.seconds.value == pytest.approx(10.0036)


def test_h2load() -> None:
    run = one(H2LOAD)
    assert run.connections is None, "over HTTP/2 nobody knows how many streams there were"
    assert run.requests is not None and run.requests.value == 990, "its rate counts answers of any status"
    assert run.failures == {"status 4xx or 5xx": 90} and run.unanswered == {"errored": 10}
    assert run.document_bytes is not None and run.document_bytes.value == 2
    assert run.times.deviation is not None and run.times.deviation.value == pytest.approx(26e-6)
    called = one("$ h2load -n1000 -c10 -m 32 https://127.0.0.1/\n" + H2LOAD)
    assert called.connections == 320


def test_h2load_with_percentiles() -> None:
    run = one(H2LOAD_NEW)
    assert run.connections == 10
    assert {share: figure.value for share, figure in run.times.percentiles.items()} == pytest.approx(
        {"50": 80e-6, "95": 120e-6, "99": 200e-6}
    )
    assert run.times.mean is not None and run.times.mean.value == pytest.approx(89e-6)


def test_autocannon() -> None:
    run = one(AUTOCANNON)
    assert run.connections == 100 and run.load is None
    assert run.requests is not None and (run.requests.value, run.requests.within) == (53_000, 500 + 1600), (
        "which were sent"
    )
    assert run.rate_per_second is not None and run.rate_per_second.value == 5259
    assert run.failures == {"non-2xx": 6000} and run.unanswered == {"errors": 1000}
    assert run.times.mean is not None and run.times.mean.within == 0.001, "fractions of milliseconds are cut off"
    assert set(run.times.percentiles) == {"2.5", "50", "97.5", "99"}
    assert one("$ autocannon -c 10 -p 10 http://127.0.0.1:3000\n" + AUTOCANNON).load == "closed"
    assert one("$ autocannon -R 5000 http://127.0.0.1:3000\n" + AUTOCANNON).load == "open"


def test_vegeta() -> None:
    run = one(VEGETA)
    assert run.load == "open" and run.constant_rate_per_second is not None and run.constant_rate_per_second.value == 100
    assert run.failures == {"no answer": 20, "status 503": 30}
    assert run.rate_seconds is not None and run.rate_seconds.value == 4.99
    assert set(run.times.percentiles) == {"50", "90", "95", "99"}
    closed = one(VEGETA.replace("-rate=100", "-rate=0 -max-workers=10"))
    assert (closed.load, closed.connections, closed.constant_rate_per_second) == ("closed", 10, None)


def test_hyperfine() -> None:
    first, second = read_text(HYPERFINE, "file.txt")
    assert (first.contender, first.runs, first.statistic) == ("sleep 0.1", 28, "mean")
    assert first.times.deviation is not None and first.times.deviation.value == pytest.approx(0.0003)
    assert (second.contender, second.runs, second.statistic) == ("sleep 1", 1, "only")
    assert not first.of_requests


def test_hyperfine_exported() -> None:
    result = {"command": "x", "mean": 0.1, "stddev": 0.01, "median": 0.1, "min": 0.09, "max": 0.12, "times": [0.1, 0.1]}
    (run,) = read_json({"results": [result]}, "h.json")
    assert run.name == "h.json: x" and run.runs == 2 and run.times.percentiles["50"].value == 0.1
    assert read_json(result, "h.json") == [run], "as the end of a document that was cut has it"


def test_many_outputs_in_one_text() -> None:
    texts = (AB, WRK, WRK2, HEY, OHA, K6_OLD, K6, H2LOAD, AUTOCANNON, VEGETA, HYPERFINE)
    runs = read_text("\nthe next one:\n".join(texts), "all.txt")
    assert [run.tool for run in runs] == [
        *("ab", "wrk", "wrk2", "hey", "oha", "k6", "k6", "h2load", "autocannon", "vegeta", "hyperfine", "hyperfine")
    ]
    assert [run.name for run in runs][:2] == ["all.txt #1", "all.txt #2"]
    assert [run.load for run in runs if run.tool == "k6"] == ["open", "closed"]
    assert {run.tool for run in runs} | set(HONEST) == set(all_formats())


def test_colours_and_line_ends_of_a_captured_terminal() -> None:
    coloured = OHA.replace("Summary:", "\x1b[1m\x1b[4mSummary:\x1b[0m").replace("\n", "\r\n")
    assert one(coloured).failures == {"status 500": 70}


@pytest.mark.parametrize("text", ["", "no tool at all", "Concurrency Level: x", "Running 1s test @ x\n  1 threads and"])
def test_text_that_is_no_output(text: str) -> None:
    assert read_text(text, "file.txt") == []


def test_too_many_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 1,000 outputs"):
        read_text("Concurrency Level:      1\n" * 1001, "file.txt")


@pytest.mark.parametrize("document", [[], {}, 5, {"metrics": []}, {"results": [{"command": "x"}]}, json.loads("[{}]")])
def test_other_json(document: object) -> None:
    assert read_json(document, "x.json") == []


def test_autocannon_without_its_first_lines() -> None:
    """As `--no-progress` prints it."""
    text = AUTOCANNON[AUTOCANNON.index("┌") :]
    assert one(text).connections is None
    called = one("$ autocannon --no-progress -c 20 -p 5 http://127.0.0.1:3000\n\n" + text)
    assert (called.connections, called.load) == (100, "closed")


@pytest.mark.parametrize(
    ("traffic", "all_bytes"),
    [
        ("11440 bytes total, 2080 bytes headers (space savings 91.68%), 1980 bytes data", 11_440),
        ("11440 bytes total, 2080 bytes headers, 1980 bytes data", 11_440),
        ("11.17KB (11440) total, 0B (0) headers (space savings -nan%), 1.93KB (1980) data", 11_440),
    ],
)
def test_the_traffic_of_older_h2load(traffic: str, all_bytes: int) -> None:
    """Up to version 1.8 it prints bytes without a unit, up to 0.7 without what was saved of headers."""
    head, _, tail = H2LOAD.partition("traffic: ")
    run = one(
        f"{head}traffic: {traffic}\n{tail.partition(chr(10))[2]}".replace("total client(s)", "concurrent clients")
    )
    assert run.all_bytes is not None and run.bodies_bytes is not None
    assert (run.all_bytes.value, run.bodies_bytes.value) == (all_bytes, 1980)
    assert run.times == one(H2LOAD).times and not run.not_read


def test_h2load_without_its_statuses_says_nothing_of_failures() -> None:
    run = one("".join(line for line in H2LOAD.splitlines(keepends=True) if not line.startswith("status codes")))
    assert run.not_read == ["requests"] and not run.failures and not run.unanswered
