"""The files of a load, and what goes to standard output."""

import csv
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.report.outputs import check_outputs
from fairtrial.tools.load.report.outputs import write_load
from fairtrial.tools.load.request.options import OutputOptions
from tests.command_line import Finished, Lab
from tests.tools.load.conftest import Target
from tests.tools.load.measurements import measurement
from tests.tools.load.report.test_html import charts_of

Call = Callable[..., Finished]
STDOUT = Path("-")


def test_all_files_at_once(lab: Lab, call: Call, target: Target) -> None:
    files = ("--json", "x.json", "--csv", "x.csv", "--hdr", "x.hgrm", "--html", "x.html")
    finished = call("load", target.url, "-d", "1200ms", "-r", "2k", *files, "-H", "Authorization: secret-1")
    assert finished.status == 0, finished.err

    measured = json.loads((lab.folder / "x.json").read_text())
    assert measured["url"] == target.url
    assert measured["load"].startswith("open, 2,000 requests/s, constant arrivals")
    assert measured["verified"] > 1000

    with (lab.folder / "x.csv").open() as file:
        series = list(csv.DictReader(file))
    assert [row["second"] for row in series] == ["1", "2"]
    assert sum(int(row["verified"]) for row in series) == measured["verified"]
    assert float(series[0]["p50_seconds"]) > 0

    percentiles = (lab.folder / "x.hgrm").read_text().splitlines()
    assert re.fullmatch(r"\s+\d+\.\d{3} 1\.0{12}\s+" + str(measured["response_time"]["count"]), percentiles[-4])

    page = (lab.folder / "x.html").read_text()
    assert "open, 2,000 requests/s, constant arrivals" in page
    charts = charts_of(page)
    assert {"distribution", "percentiles"} <= set(charts)
    # Of the cohort: a slow machine answers the last ones after the window, and they are in the times.
    times = sum(bar["answers"] for bar in charts["distribution"]["data"]["values"])
    assert times == measured["response_time"]["count"] >= measured["answers"] - measured["in_flight_at_start"] > 0
    assert {point["name"] for point in charts["percentiles"]["data"]["values"]} == {"response time", "service time"}
    for text in (page, json.dumps(measured), finished.out):
        assert "secret-1" not in text


def test_one_output_may_go_to_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outputs = OutputOptions(csv=STDOUT, hdr=tmp_path / "x.hgrm")
    assert check_outputs(outputs.paths)
    assert not check_outputs(OutputOptions(hdr=tmp_path / "x.hgrm").paths)
    write_load(outputs.paths, measurement())
    assert capsys.readouterr().out.startswith("second,")
    assert "#[Mean" in (tmp_path / "x.hgrm").read_text()


def test_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    for outputs, reason in (
        (OutputOptions(csv=STDOUT, json=STDOUT), "only one output"),
        (OutputOptions(csv=tmp_path), "is a folder"),
        (OutputOptions(html=tmp_path / "none" / "x.html"), "no such folder"),
    ):
        with pytest.raises(Problem, match=reason) as raised:
            check_outputs(outputs.paths)
        assert raised.value.remedy


def test_standard_output_is_for_the_program(call: Call, target: Target) -> None:
    finished = call("load", target.url, "-n", "50", "--csv", "-")
    assert finished.out.startswith("second,")
    assert "verified answers/s" in finished.err


def test_a_device_is_written_and_not_replaced(lab: Lab, target: Target) -> None:
    finished = lab.fairtrial("load", target.url, "-n", "50", "--json", "/dev/stderr", "--csv", "/dev/null")
    assert finished.status == 0
    assert '"verified": 50' in finished.err
    assert os.path.exists("/dev/null") and not os.path.isfile("/dev/null")
