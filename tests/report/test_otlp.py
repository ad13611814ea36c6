"""What a collector gets by OTLP, and what is said if nobody takes it."""

from datetime import datetime

import pytest

from fairtrial.base.problem import Problem
from fairtrial.report import otlp
from tests.report.collector import attributes, collector, metrics_in, spans_in
from tests.report.scene import judged


def test_a_collector_gets_gauges_and_spans() -> None:
    result, _, trials = judged()
    with collector() as (url, taken):
        otlp.send(result, trials, f"{url}/")
    assert set(taken) == {"/v1/metrics", "/v1/traces"}

    resource, metrics = metrics_in(taken)
    assert attributes(resource)["service.name"] == "fairtrial"
    goodput = metrics["fairtrial_goodput_per_second"]
    assert goodput.unit == "{request}/s" and goodput.WhichOneof("data") == "gauge"
    values = {attributes(point)["contender"]: point.as_double for point in goodput.gauge.data_points}
    assert set(values) == {"rust-axum", "go-net-http", "node-http:two"}, "what was refused is not sent"
    figure = next(each for each in result.conditions if each.contender == "rust-axum").figures["goodput_per_second"]
    assert figure is not None and values["rust-axum"] == figure.estimate

    run, below = spans_in(taken)
    assert len(below) == len(trials)
    start = datetime.fromisoformat(result.started_at).timestamp()
    assert run.start_time_unix_nano == start * 1e9
    assert all(run.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano for span in below)
    assert run.end_time_unix_nano == max(span.end_time_unix_nano for span in below)
    assert {attributes(event)["claim"]: attributes(event)["verdict"] for event in run.events} == {
        claim.id: claim.verdict for claim in result.claims
    }


def test_the_environment_names_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _, trials = judged()
    with collector() as (url, taken):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{url}/behind")
        otlp.send(result, trials, "env")
    assert set(taken) == {"/behind/v1/metrics", "/behind/v1/traces"}


def test_nobody_takes_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    result, _, trials = judged()
    with collector(status=400) as (url, _), pytest.raises(Problem, match=r"did not take the figures.*400") as raised:
        otlp.send(result, trials, url)
    assert "fairtrial judge" in raised.value.remedy
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2")
    with pytest.raises(Problem, match=r"^http://127.*did not take.*refused") as raised:
        otlp.send(result, trials, url.replace("//", "//user:secret@"))
    assert "secret" not in raised.value.reason
    with pytest.raises(Problem, match="no URL"):
        otlp.send(result, trials, "localhost:4318")
    assert capsys.readouterr().err == ""


def test_the_sdk_is_an_optional_part(monkeypatch: pytest.MonkeyPatch) -> None:
    otlp.assert_sdk()
    monkeypatch.setattr(otlp, "find_spec", lambda _name: None)
    with pytest.raises(Problem) as raised:
        otlp.assert_sdk()
    assert "fairtrial[otel]" in raised.value.remedy
