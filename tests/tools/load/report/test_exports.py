"""The outcome of a load as JSON, CSV and percentile distribution."""

import json

from fairtrial.base.document import json_text
from fairtrial.engine.plan import Request
from fairtrial.record.engine_summary import AtLeast, SecondOfSeries
from fairtrial.record.histogram import read_histogram
from fairtrial.tools.load.report.document import load_document
from fairtrial.tools.load.report.outputs import percentile_distribution, seconds_csv
from tests.tools.load.measurements import URL, hdr, measurement, open_measurement, plan


def test_json_says_which_load_and_what_to_doubt(snapshot: object) -> None:
    content = json.loads(json_text(load_document(open_measurement(achieved_over_offered=0.5))))
    assert (content["url"], content["exit_status"]) == (URL, 0)
    assert content["load"] == snapshot
    assert content["load_model"] == {"kind": "constant", "rate_per_second": 4000, "connections": 64}
    assert len(content["warnings"]) == 1
    assert (content["expected"], content["capacity"]) == ([], None)
    assert content["goodput_per_second"] == 4000


def test_json_keeps_secrets() -> None:
    secret = Request(name="GET /", path="/", headers=[("Authorization", "secret-1")], body="secret-2")
    content = json_text(load_document(measurement(of=plan().model_copy(update={"requests": [secret]}))))
    assert "secret-" not in content


def test_the_series_as_csv() -> None:
    series = [
        SecondOfSeries(verified=10, errors=1, p50_seconds=0.001, p99_seconds=0.002, max_seconds=0.5),
        SecondOfSeries(verified=0, errors=0),
    ]
    text = seconds_csv(measurement(series=series, window_seconds=1.25))
    assert text.splitlines() == [
        "second,length_seconds,verified,errors,p50_seconds,p99_seconds,max_seconds",
        "1,1.0,10,1,0.001,0.002,0.5",
        "2,0.25,0,0,,,",
    ]


def test_the_percentile_distribution() -> None:
    lines = percentile_distribution(read_histogram(hdr(*range(1, 1001)))).splitlines()
    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    assert lines[1] == ""
    cells = [line.split() for line in lines[2:] if not line.startswith("#")]
    assert cells[0] == ["0.001", "0.000000000000", "1", "1.00"]
    assert cells[-1] == ["1.000", "1.000000000000", "1000"]
    half = next(row for row in cells if row[1].startswith("0.5000"))
    assert half[2:] == ["500", "2.00"]
    assert [float(row[1]) for row in cells] == sorted(float(row[1]) for row in cells)
    assert lines[-3].startswith("#[Mean    =        0.50")
    assert percentile_distribution(read_histogram("")).count("\n") == 5


def test_the_percentile_distribution_tells_of_lower_bounds_in_a_comment() -> None:
    times = read_histogram(hdr(*range(1, 1001)))
    bounds = AtLeast(count=7, min_seconds=0.25, longest_other_seconds=0.3)
    told, plain = percentile_distribution(times, bounds), percentile_distribution(times)
    assert told.startswith(plain) and told.removeprefix(plain).split() == [
        "#[Lower",
        "bounds",
        "=",
        "7,",
        "From",
        "=",
        "250.000]",
    ]
