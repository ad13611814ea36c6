"""One engine for each condition of a block in slices: its connections stay open while others are measured."""

from collections import Counter
from pathlib import Path
from typing import Any

from tests.command_line import CLOSED, Finished, Lab
from tests.lab.trial.test_cheats import refusals
from tests.lab.trial.test_slices_proven import lines_of

COUNTING = Path(__file__).parents[2] / "fixtures" / "counting.py"
COLD = CLOSED.replace("warmup_seconds = 0.1", "warmup_seconds = 0.0").replace("warmup_limit_seconds = 0.0\n", "")
"""All that is sent is sent in slices."""
ROUNDS = 4
IN_SLICES = """
[slices]
seconds = 0.3
server_share = 1.0                         # whoever else works on this machine
engine_share = 1.0
[checks.busy-while-idle]
processors = 0.3
"""


def tried(lab: Lab, **arguments: list[str]) -> Finished:
    """One block of these."""
    for name, more in arguments.items():
        lab.stack(name, run=["python3", COUNTING.name, *more], server=COUNTING, workload="plaintext", service="none")
    experiment = lab.experiment(
        *arguments,
        blocks=1,
        workload="plaintext",
        service="none",
        seconds=ROUNDS * 0.3,
        load=COLD,
        data="",
        more=IN_SLICES,
    )
    return lab.fairtrial("run", experiment, *lab.named(*arguments))


def requests_by_connection(finished: Finished, name: str) -> list[int]:
    """Those of the load, most first."""
    assert finished.results is not None
    (log,) = [path for path in (finished.results / "logs").glob("*.log") if name in path.name]
    lines = log.read_text(encoding="utf-8").splitlines()
    ports = Counter(line.split()[0] for line in lines if line.endswith("/plaintext"))
    return [count for _, count in ports.most_common()]


def assert_counted(finished: Finished, name: str, connections: int | None) -> dict[str, Any]:
    """The answers that so many connections had are those of the figures, and nobody else asked much; None: all had."""
    assert refusals(finished, name) == {}, finished.out
    line = lines_of(finished)[name]
    counts, engine = requests_by_connection(finished, name), line["engine"]
    assert isinstance(engine, dict)
    assert len(line["slices"]["slices"]) == ROUNDS
    assert (engine["run_errors"], line["slices"]["undrained"]) == (0, 0)
    if connections is not None:
        assert sum(counts[:connections]) == engine["run_verified"], counts
    assert engine["run_verified"] <= sum(counts) < engine["run_verified"] + 100, counts
    return engine


def test_connections_are_the_same_ones_over_all_slices(lab: Lab) -> None:
    finished = tried(lab, one=[], other=[], third=[])
    for name in ("one", "other", "third"):
        engine = assert_counted(finished, name, connections=4)
        assert engine["older_connections"] == {"open": 4 * (ROUNDS - 1), "closes": 0}
        assert engine["connects"] == 0


def test_connections_that_a_server_closes_at_rest_are_opened_anew_and_no_errors(lab: Lab) -> None:
    finished = tried(lab, patient=[], hasty=["0.3"])
    engine = assert_counted(finished, "hasty", connections=None)
    assert engine["older_connections"]["open"] + engine["older_connections"]["closes"] == 4 * (ROUNDS - 1)
    assert engine["older_connections"]["closes"] >= 4, "the other's slice is longer than its patience"
    assert assert_counted(finished, "patient", connections=4)["older_connections"]["closes"] == 0


def test_a_server_that_ends_between_its_slices_is_said_to(lab: Lab) -> None:
    finished = tried(lab, steady=[], mortal=["0.25", "ends"])
    assert "exited by itself with status 3" in refusals(finished, "mortal")["server-exited"], finished.out
