"""`fairtrial run` examines a design before it builds anything: file, line, figures, remedy; `--anyway` goes on."""

from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.base.problem import Problem
from fairtrial.commands.examined_design import examine_design
from fairtrial.experiment.files import load_experiment
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.called_here import Call
from tests.command_line import Lab
from tests.judge.design.designs import STACKS
from tests.lines import passage

HEAD = """name = "tried"
title = "x"
workload = "fan-out"
stacks = ["STACKS"]

[options]
delay_milliseconds = 50

[load]
kind = "closed"
connections = 16

[[claims]]
id = "too-soon"
kind = "budget"
text = "Half of all answers come within 10 ms"
of = "STACK"
metric = "response_time_p50"
at_most = "10 ms"
"""
P99 = """
[[claims]]
id = "tail-NUMBER"
kind = "budget"
text = "x"
of = "STACK"
metric = "response_time_p99"
at_most = "200 ms"
"""


def written(folder: Path, text: str, *stacks: str) -> Path:
    file = folder / "tried.toml"
    names = '", "'.join(stacks)
    file.write_text(text.replace("STACKS", names).replace("STACK", stacks[0]))
    return file


def planned(file: Path) -> Plan:
    return make_plan(load_experiment(file), STACKS, file)


@pytest.mark.parametrize("command", ["run", "ab-test"])
def test_anyway_is_an_option(call: Call, command: str) -> None:
    assert "--anyway" in call(command, "--help").out


def test_a_run_stops_with_every_finding_before_anything_is_built(lab: Lab, call: Call, snapshot: object) -> None:
    file = written(lab.folder, HEAD + P99.replace("NUMBER", "1"), "python-fastapi", "go-nethttp")
    finished = call("run", file, "--out", lab.folder / "results")
    assert finished.status == 2
    assert passage(finished.err, f"error: {file}:19: claim", "10 ms") == snapshot
    assert "50 ms at least" in finished.err and "--anyway" in finished.err
    assert "    remedy: ask for " in finished.err
    assert f"{file}:26: claim tail-1: metric: closed-percentile (warning)" in finished.err
    assert not (lab.folder / "results").exists()


def test_with_anyway_the_same_is_printed_and_the_run_goes_on(tmp_path: Path, snapshot: object) -> None:
    file = written(tmp_path, HEAD, "a", "b")
    plan, console = planned(file), Console(record=True, width=400)
    with pytest.raises(Problem, match="impossible-bound"):
        examine_design(console, plan, file, elsewhere=False, anyway=False)
    examine_design(console, plan, file, elsewhere=False, anyway=True)
    assert passage(console.export_text(), f"stop: {file}:19: impossible-bound", "10 ms") == snapshot


def test_findings_of_a_kind_are_one_line(tmp_path: Path, snapshot: object) -> None:
    honest = HEAD.replace("10 ms", "60 ms")
    text = honest + "".join(P99.replace("NUMBER", str(number)) for number in range(5))
    file, console = written(tmp_path, text, "a", "b"), Console(record=True, width=2000)
    examine_design(console, planned(file), file, elsewhere=False, anyway=False)
    (line,) = console.export_text().strip().split("\n")
    assert passage(line, f"warning: {file}:", "is closed") == snapshot


def test_lengths_of_the_quick_form_are_not_the_file_s(tmp_path: Path) -> None:
    text = HEAD.replace("10 ms", "60 ms").replace("connections = 16", "duration_seconds = 1.0")
    file = written(tmp_path, text, "java", "b")
    for quick in (False, True):
        console = Console(record=True, width=2000)
        examine_design(console, planned(file), file, elsewhere=False, anyway=False, quick=quick)
        assert ("window-too-short" in console.export_text()) is not quick


def test_a_note_is_in_the_report_alone(tmp_path: Path) -> None:
    text = HEAD.replace("10 ms", "60 ms").replace("stacks =", "concurrency_budget = 100\nstacks =")
    file, console = written(tmp_path, text, "a", "b"), Console(record=True, width=2000)
    examine_design(console, planned(file), file, elsewhere=False, anyway=False)
    assert console.export_text().strip() == f"note: {file}:4: connections-below-budget: in the report"


def test_a_claim_may_fail_by_a_key_of_the_load(tmp_path: Path) -> None:
    ratio = HEAD.replace('kind = "budget"', 'kind = "ratio"\nto = "b"\nat_least = 1.5').partition("metric")[0]
    file, console = written(tmp_path, ratio, "a", "b"), Console(record=True, width=2000)
    examine_design(console, planned(file), file, elsewhere=False, anyway=False)
    assert f"warning: {file}:11: shared-cap (too-soon)" in console.export_text()


def test_claims_that_a_command_adds_have_no_line(tmp_path: Path) -> None:
    file = written(tmp_path, HEAD, "a", "b")
    plan = planned(file)
    file.write_text(file.read_text().replace("too-soon", "another"))
    with pytest.raises(Problem) as raised:
        examine_design(Console(), plan, file, elsewhere=False, anyway=False)
    assert raised.value.reason.startswith(f"{file}: claim too-soon: at_most")
