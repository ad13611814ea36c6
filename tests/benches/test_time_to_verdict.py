"""Time to a verdict: the experiments, the planted difference, the neighbour, and the table."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import psutil
import pytest

from benches.honest_trials import toml
from benches.neighbour import neighbour
from benches.planted import BASE, SPIN, Planted, spin_us
from benches.time_to_verdict import PILOT_SPIN_US, PLANS, WORKLOADS, WORLDS, Case, Outcome, Plan, _of_pilot, table
from fairtrial.experiment.model import Experiment
from tests.machine.needs import needs
from tests.waiting import wait_for

SERVER = """
const http = require("node:http");
const server = http.createServer((_, answer) => answer.end("ok")).listen(0, "127.0.0.1", () => {
  const began = performance.now();
  http.get({ host: "127.0.0.1", port: server.address().port }, () => {
    console.log(performance.now() - began);
    process.exit();
  });
});
"""


def test_every_plan_makes_experiments_of_every_workload() -> None:
    program = Planted(Path("/somewhere/program"))
    for file in sorted(PLANS.glob("*.toml")):
        for workload in WORKLOADS:
            case = Case(workload, WORLDS[0], Plan.read(file), 0.05)
            keys = tomllib.loads(toml({"name": f"{case.name}-1", **case.experiment(program, 2.5)}))
            assert keys["contenders"]["first"]["folder"] == "program"
            if case.plan.command == "run":
                assert keys["contenders"]["second"]["env"] == {"SPIN_US": "2.500"}
            if file.stem != "slices" or keys["service"] == "none":
                experiment = Experiment.model_validate(keys)
                assert experiment.name == f"verdict-{workload}-{file.stem}-quiet-50-1"
            assert case.arguments(Path("file.toml"))[0] == case.plan.command


def test_the_pilot_says_how_much_a_microsecond_is_worth(tmp_path: Path) -> None:
    """A run without figures does not count, and one whose spin is beyond noise does."""

    def pilot(when: str, *goodput: float | None) -> None:
        conditions = [{"trials": [{"goodput": each and {"per_second": each}}]} for each in goodput]
        (tmp_path / f"verdict-plaintext-pilot-{when}").mkdir()
        (tmp_path / f"verdict-plaintext-pilot-{when}/result.json").write_text(json.dumps({"conditions": conditions}))

    pilot("20260101", 3000.0, None)
    assert _of_pilot(tmp_path, "verdict-plaintext-pilot") is None
    pilot("20260102", 3000.0, 1000.0)
    assert _of_pilot(tmp_path, "verdict-plaintext-pilot") == pytest.approx(2 / PILOT_SPIN_US)


@needs("git")
def test_each_share_has_a_commit_of_its_own_and_the_folder_stays_as_it_is(tmp_path: Path) -> None:
    program = Planted(tmp_path / "program")
    for _ in range(2):
        program.make()
        program.commit("plaintext-50", 2.5)
    said = {
        tag: subprocess.run(
            ["git", "show", f"{tag}:spin_us"], cwd=program.folder, capture_output=True, text=True, check=True
        ).stdout
        for tag in (BASE, "plaintext-50")
    }
    assert said == {BASE: "0", "plaintext-50": "2.500"}
    assert (program.folder / "spin_us").read_text() == "0" and (program.folder / "server.js").exists()


@needs("node")
def test_a_server_is_busy_for_so_long_in_each_request() -> None:
    def milliseconds(spin: str) -> float:
        command = ["node", "--require", str(SPIN), "--eval", SERVER]
        environment = {**os.environ, "SPIN_US": spin}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
        return float(done.stdout)

    assert milliseconds("200000") > 200.0
    assert spin_us(0.05, 0.02) == pytest.approx(2.63, abs=0.01)


def test_the_neighbour_works_in_bursts_and_ends() -> None:
    with neighbour(1, mean_seconds=0.05) as process:
        used = psutil.Process(process.pid)
        wait_for(lambda: used.cpu_times().user > 0.1, "it worked")
    assert process.returncode is not None
    with neighbour(1, mean_seconds=100.0) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0, "it ends with whoever started it"


def test_a_verdict_of_what_is_not_so_is_wrong_and_an_undecided_one_takes_longest() -> None:
    plan = Plan("whole", "run", [], {})

    def of(verdict: str, seconds: float) -> Outcome:
        return Outcome(verdict, 0.975, seconds, 0.96, (0.95, 0.97))

    equal, slower = (Case("plaintext", "quiet", plan, planted) for planted in (0.0, 0.05))
    outcomes = {
        equal: [of("equal", 100.0), of("refuted", 50.0), of("undecided", 10.0)],
        slower: [of("refuted", 90.0), of("refuted", 80.0)],
    }
    lines = table(outcomes).splitlines()
    assert lines[2].endswith("| 0.0% | 4.0% | 3 | 1 | 1 | 1 | 100 | ±1.0% |")
    assert lines[3].endswith("| 5.0% | 4.0% | 2 | 0 | 2 | 0 | 80 | ±1.0% |")
    assert lines[-1] == "| plaintext | quiet | whole | 90 | 4 of 5 | 1 |"
    assert table({equal: [of("undecided", 10.0)], slower: []}).splitlines()[-1].endswith("| undecided | 0 of 1 | 0 |")
