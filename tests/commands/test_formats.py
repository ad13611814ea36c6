"""`--json`, `--csv` and `--prometheus` of every command that prints figures: documents that keep their schema."""

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from prometheus_client.parser import text_string_to_metric_families

from fairtrial.base.document import Document, json_text, schema_text
from fairtrial.docs.formats import DOCUMENTS, schema_file
from fairtrial.tools.doctor import examine
from fairtrial.tools.doctor.model import Diagnosis
from fairtrial.tools.load.report.document import load_document
from tests.called_here import Call
from tests.command_line import Lab
from tests.docs.pages import DOCS
from tests.report.collector import attributes, collector, metrics_in, spans_in
from tests.report.scene import recorded
from tests.tools.load.measurements import open_measurement

WRK = """$ wrk -t1 -c10 -d10s http://127.0.0.1:8080/
Running 10s test @ http://127.0.0.1:8080/
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms    0.50ms  20.00ms   90.00%
    Req/Sec    10.00k     1.00k   12.00k    70.00%
  100000 requests in 10.00s, 10.00MB read
Requests/sec:  10000.00
Transfer/sec:      1.00MB
"""


def valid(text: str) -> Any:
    """The document of this text, which keeps the schema that docs/ has of it."""
    content = json.loads(text)
    (model,) = [each for each in DOCUMENTS.values() if each.model_fields["kind"].default == content["schema"]]
    assert content["version"] == model.model_fields["version"].default
    jsonschema_rs.validator_for(json.loads((DOCS / schema_file(model)).read_text())).validate(content)
    return content


@pytest.fixture
def results(lab: Lab) -> Path:
    """A results folder."""
    return recorded(lab.folder / "done")


@pytest.mark.parametrize("model", DOCUMENTS.values(), ids=lambda model: model.__name__)
def test_the_schemas_are_the_models(model: type[Document]) -> None:
    assert (DOCS / schema_file(model)).read_text(encoding="utf-8") == schema_text(model), (
        "run: python -m fairtrial.docs"
    )


def test_a_judged_record(call: Call, lab: Lab, results: Path) -> None:
    done = call("judge", results, "--json", "-", "--csv", "x.csv", "--prometheus", "x.prom", "--junit", "x.xml")
    assert valid(done.out) == valid((results / "result.json").read_text())
    assert "rust-axum" in done.err
    with (lab.folder / "x.csv").open() as file:
        assert {row["contender"] for row in csv.DictReader(file)} >= {"rust-axum", "python-threads"}
    names = {each.name for each in text_string_to_metric_families((lab.folder / "x.prom").read_text())}
    assert "fairtrial_goodput_per_second" in names


def test_a_run_is_sent_to_a_collector_when_it_has_ended(lab: Lab) -> None:
    lab.stack("mine")
    with collector() as (url, taken):
        finished = lab.fairtrial(
            "run", lab.experiment("mine"), *lab.named("mine"), "--otlp", url, "--prometheus", "x.prom"
        )
    (condition,) = finished.result["conditions"]
    assert condition["outcome"] == "valid", finished.out
    goodput = condition["figures"]["goodput_per_second"]["estimate"]
    (point,) = metrics_in(taken)[1]["fairtrial_goodput_per_second"].gauge.data_points
    assert (attributes(point)["contender"], point.as_double) == ("mine", goodput)
    run, (trial,) = spans_in(taken)
    assert attributes(run)["experiment"] == "tried" and attributes(trial)["outcome"] == "valid"
    length = (trial.end_time_unix_nano - trial.start_time_unix_nano) / 1e9
    assert 0.5 < length < 60 and run.start_time_unix_nano <= trial.start_time_unix_nano
    families = text_string_to_metric_families((lab.folder / "x.prom").read_text())
    samples = {family.name: family.samples for family in families}
    assert [each.value for each in samples["fairtrial_goodput_per_second"]] == [goodput]


def test_a_comparison(call: Call, lab: Lab, results: Path) -> None:
    done = call("compare", results, results, "--json", "-", "--csv", "x.csv")
    figures = valid(done.out)["figures"]
    with (lab.folder / "x.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["change"] for row in rows] == [figure["change"] for figure in figures]
    assert any(figure["ratio"] == pytest.approx(1) for figure in figures) and "rust-axum" in done.err
    assert all(figure["reason"] for figure in figures if figure["change"] == "not compared")


def test_a_history(call: Call, results: Path) -> None:
    (run,) = valid(call("history", results, "--json", "-").out)["runs"]
    assert run["run"] == "done" and {figure["metric"] for figure in run["figures"]} == {"goodput"}


def test_a_cross_examination(call: Call, lab: Lab) -> None:
    (lab.folder / "wrk.log").write_text(WRK)
    done = call("cross-examine", "wrk.log", "--json", "-", "--csv", "x.csv")
    assert valid(done.out)["runs"]
    with (lab.folder / "x.csv").open() as file:
        rows = {row["metric"]: row for row in csv.DictReader(file)}
    assert rows["rate"]["unit"] == "per_second" and float(rows["rate"]["value"]) == 10_000
    assert rows["mean"]["unit"] == "seconds" and float(rows["mean"]["lower"]) < 0.001 < float(rows["mean"]["upper"])


@pytest.mark.parametrize("kind", ["stacks", "workloads", "experiments", "studies"])
def test_a_list(call: Call, kind: str) -> None:
    done = call("list", kind, "--all", "--json", "-")
    content = valid(done.out)
    assert content["of"] == kind
    names = [next(iter(row.values())) for row in content["rows"]]
    assert names and all(name in done.err for name in names)
    assert "name it" in call("list", "--json", "-").err


def test_services(call: Call) -> None:
    done = call("services", "--json", "-")
    names = {each["name"] for each in valid(done.out)["services"]}
    assert names >= {"postgresql", "haproxy"} and all(name in done.err for name in names)


def test_diagnoses(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnoses = [Diagnosis("load engine", "missing", "no Rust", "install it", essential=True)]
    monkeypatch.setattr(examine, "examine_machine", lambda _stacks, _on_progress: diagnoses)
    done = call("doctor", "--json", "-")
    content = valid(done.out)
    assert (content["exit_status"], done.status) == (4, 4) and "no Rust" in done.err
    assert content["diagnoses"][0]["remedy"] == "install it"


def test_a_load() -> None:
    assert valid(json_text(load_document(open_measurement())))["goodput_per_second"] > 0


def test_nothing_begins_that_could_not_be_written(call: Call, results: Path) -> None:
    for options in (("--json", "-", "--csv", "-"), ("--prometheus", "absent/x.prom"), ("--csv", ".")):
        done = call("judge", results, *options)
        assert done.status == 2 and "remedy" in done.err
        assert not (results / "result.json").exists()
