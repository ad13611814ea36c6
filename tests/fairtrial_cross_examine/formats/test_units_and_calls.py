"""What calls tell of an output, and the units, sizes and parts of oha's, by its source."""

import re

import pytest

from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import read_json, read_text
from fairtrial_cross_examine.model import PrintedOutput
from tests.fairtrial_cross_examine.formats.test_public_forms import WRK_SHORT, one, value
from tests.fairtrial_cross_examine.formats.texts import H2LOAD, HEY, OHA, WRK2

PAUSES = [
    (OHA, "oha -n 1000 -c 20 --burst-delay 2s --burst-rate 100"),
    (WRK_SHORT, "wrk -c 40 -t 2 -s think.lua"),
    (H2LOAD, "h2load -n 1000 -c 10 -r 5"),
    (H2LOAD, "h2load -c 10 --timing-script-file=times.txt"),
]


@pytest.mark.parametrize(("text", "call"), PAUSES)
def test_clients_that_pause_or_begin_one_after_another_are_known_from_the_call(text: str, call: str) -> None:
    assert one(f"$ {call} http://127.0.0.1/\n{text}").may_pause
    assert not one(f"$ {call.partition(' ')[0]} http://127.0.0.1/\n{text}").may_pause


def test_the_rate_of_h2load_is_that_of_a_client_whatever_its_streams() -> None:
    run = one("$ h2load -n 1000 -c 10 -m 32 --rps 5 https://127.0.0.1/\n" + H2LOAD)
    assert run.connections == 320 and value(run.constant_rate_per_second) == 50


@pytest.mark.parametrize("call", ["hey -c 20 {}", "echo GET {} | hey -c 20 x", "hey -c 20 '{}' | tee x"])
def test_the_address_of_the_call_is_that_of_an_output_without_one(call: str) -> None:
    output = HEY.partition("\n")[2]
    texts = [f"$ {call.format(f'http://127.0.0.1/{path}')}\n{output}" for path in ("a", "b")]
    runs = read_text("".join(texts).replace("Size/request:\t20", "Size/request:\t9000", 1), "x")
    assert [run.url for run in runs] == ["http://127.0.0.1/a", "http://127.0.0.1/b"]
    kinds_of = {each.kind for each in examine_output(PrintedOutput(runs=runs)).contradictions}
    assert "unequal-lengths" not in kinds_of, "two addresses may have two lengths"


def test_a_rate_of_jmeter_that_has_no_room() -> None:
    run = one("summary =  50000 in 00:00:00 = ******/s Avg:     0 Min:     0 Max:     9 Err:     0 (0.00%)\n")
    assert value(run.requests) == 50_000 and run.not_read == ["rate"]


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("sec", 1.0), ("secs", 1.0), ("m", 60.0), ("h", 3600)],
)
def test_the_units_of_oha(unit: str, seconds: float) -> None:
    """It prints all times in the unit of the longest, or in the one that was asked for."""
    run = one(OHA.replace(" ms", f" {unit}").replace("10003.0000", "100.0000").replace("99.9700", "9.9970"))
    assert value(run.seconds) == pytest.approx(100 * seconds) and value(run.times.maximum) == pytest.approx(
        231 * seconds
    )
    assert value(run.times.percentiles["99.9"]) == pytest.approx(10 * seconds)


@pytest.mark.parametrize(
    ("size", "expected"), [("2 B", 2), ("20.00 B", 20), ("1.50 KiB", 1536), ("2.00 MiB", 2 << 20), ("NaN", None)]
)
def test_the_sizes_of_oha(size: str, expected: float | None) -> None:
    assert value(one(OHA.replace("20.00 B", size)).document_bytes) == expected


def test_oha_prints_the_distribution_of_successes_too_and_nothing_where_there_is_none() -> None:
    part = "Response time distribution ({}):\n  50.00% in {} ms\n  99.90% in {} ms\n\n"
    parts = part.format("2xx only", "1.1", "9.0") + part.format("4xx + 5xx only", "NaN", "NaN")
    run = one(OHA.replace("Details", f"{parts}Details"))
    assert run.times == one(OHA).times and not run.ambiguous
    none = re.sub(r"(Slowest|Fastest|Average):\t[\d.]+ ms", r"\1:\tNaN ms", OHA)
    none = re.sub(r"% in [\d.]+ ms", "% in NaN ms", none).replace("[200] 900 responses\n  [500] 70 responses", "")
    run = one(none.replace("[20] conn", "[990] conn"))
    assert value(run.requests) == 1000 and run.not_read == ["mean", "max"] and not run.times.percentiles


@pytest.mark.parametrize("answered", [True, False])
def test_the_json_of_older_versions_of_oha_and_of_no_answer(answered: bool) -> None:
    """Without the times of the first byte; what is no number is null."""
    summary = {"successRate": 1.0, "total": 2.0, "requestsPerSec": 50.0, "totalData": 200, "sizePerSec": 100.0}
    times = {"slowest": 0.09, "fastest": 0.001, "average": 0.02, "sizePerRequest": 2}
    document = {
        "summary": summary | (times if answered else dict.fromkeys(times)),
        "responseTimeHistogram": {"0.001": 1},
        "latencyPercentiles": {"p50": 0.019 if answered else None},
        "rps": {"mean": 50.0, "stddev": 1.0, "max": 60.0, "min": 40.0, "percentiles": {}},
        "statusCodeDistribution": {"200": 100} if answered else {},
        "errorDistribution": {} if answered else {"connection refused": 100},
    }
    (run,) = read_json(document, "oha.json")
    assert value(run.requests) == 100 and value(run.seconds) == 2 and value(run.rate_per_second) == 50
    assert (run.not_read, value(run.document_bytes)) == (([], 2) if answered else (["mean", "max"], None))
    assert set(run.times.percentiles) == ({"50"} if answered else set())


def test_the_units_of_wrk2() -> None:
    """It changes to the next unit from 85% of it on, and prints minutes of what is longer than 51 s."""
    text = WRK2.replace("6.46ms    1.93ms  12.34ms", "0.86s    850.00us  0.92m").replace("   6.460,", " 860.000,")
    run = one(text)
    assert value(run.times.mean) == 0.86 and value(run.times.maximum) == pytest.approx(55.2)
    assert run.times.maximum is not None and run.times.maximum.within == pytest.approx(0.3)
