"""Made machines: what each finds of itself, what is forged, and what is told of it."""

import argparse
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from benches.honest_trials import toml
from benches.made_machines import EIGHT, NETWORK, doubled, experiment, report
from fairtrial.experiment.model import Experiment
from fairtrial.record.model import ExperimentRecord
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.lines import line_with
from tests.machine.needs import needs
from tests.tools.pool.test_pool import of_machine, write

LOOK = """
import ctypes, json, os
from pathlib import Path
print(json.dumps({
    "id": Path("/etc/machine-id").read_text().strip(),
    "cpus": len(os.sched_getaffinity(0)),
    "timers": ctypes.CDLL(None).prctl(30, 0, 0, 0, 0),
    "backlog": Path("/proc/sys/net/core/somaxconn").read_text().strip(),
}))
"""
"""PR_GET_TIMERSLACK is 30."""


def seen() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", LOOK], check=True, stdout=subprocess.PIPE, timeout=30)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@needs("mounts", "network-namespace")
def test_each_machine_differs_as_its_name_says_and_this_one_stays_as_it_is() -> None:
    before = seen()
    by_name = {}
    for made in EIGHT:
        with made.here():
            by_name[made.name] = seen()
    assert len({str(before["id"]), *(str(each["id"]) for each in by_name.values())}) == 1 + len(EIGHT)
    for name, found in by_name.items():
        assert found["cpus"] == (1 if name.startswith("one processor") else before["cpus"]), name
        assert (found["timers"] != before["timers"]) == name.endswith("late timers"), name
        assert (found["backlog"] == NETWORK["net/core/somaxconn"]) == name.endswith("another network"), name
    assert seen() == before
    with EIGHT[0].here():
        assert seen()["id"] == by_name[EIGHT[0].name]["id"], "the same in each of its runs"


def test_its_experiment_is_one() -> None:
    for beside_others in (False, True):
        keys = experiment(argparse.Namespace(blocks=5, seconds=2.0, beside_others=beside_others))
        assert Experiment.model_validate(tomllib.loads(toml(keys))).blocks == 5


def test_twice_the_answers_in_half_of_the_time() -> None:
    account = {"answers": 7, "in_flight_at_end": 3, "response_time": {"count": 7, "p50": 0.5}, "window_seconds": 2.0}
    assert doubled(account) == {
        "answers": 14,
        "in_flight_at_end": 3,
        "response_time": {"count": 14, "p50": 0.25},
        "window_seconds": 2.0,
    }


NOISE = (1.0, 1.004, 0.997, 1.002, 0.999)


def run(folder: Path, record: ExperimentRecord, ratio: float, speed: float) -> Path:
    def make(contender: str, block: int) -> TrialBuilder:
        rate = round(2000 * speed * NOISE[block % 5] * (ratio if contender == "go-nethttp" else 1))
        return a_trial().serving(rate).taking(16 / rate * (1 + 1e-6 * block))

    return write(folder, record, trials_of(record, make))


def test_what_was_made_and_what_was_forged_is_told(tmp_path: Path, snapshot: object) -> None:
    record = an_experiment("python-flask", "go-nethttp").claiming("go-nethttp", "python-flask", at_least=2).record()
    places = {}
    for number, made in enumerate(EIGHT):
        cpus = 1 if made.name.startswith("one processor") else 2
        own = of_machine(record, made.name, cpus)
        ratio = 4 if cpus == 2 else 3.5 + 0.02 * number
        places[made.name] = run(tmp_path / f"m{number}", own, ratio, speed=1.0 + 0.13 * number)
    told = report(places)
    by_name = {
        row[0]: row for row in ([cell.strip() for cell in line.split("|")[1:-1]] or [""] for line in told.splitlines())
    }
    assert by_name["forged"][1] == "10 of 10" and by_name["forged"][2].startswith("8.0")
    assert "processors" in by_name["8 machines"][-1] and "with 1 (4)" in by_name["8 machines"][-1]
    assert by_name["5 machines"][-1] == "nothing"
    assert by_name["5 machines, and one forged"][-2] == "forged"
    assert line_with(told, "Of one forged") == snapshot
