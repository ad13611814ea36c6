"""Slow servers with many connections in slices: what is under way when a slice ends is theirs, not the next one's."""

from pathlib import Path

import pytest

from tests.command_line import CLOSED, Finished, Lab
from tests.lab.trial.test_cheats import refusals
from tests.lab.trial.test_slices_proven import lines_of

LABORIOUS = Path(__file__).parents[2] / "fixtures" / "laborious.py"

DEEP = CLOSED.replace("connections = 4", "connections = 128").replace("timeout_seconds = 2.0", "timeout_seconds = 10.0")
"""A quarter of a second of work is under way all the time, more than a slice."""

IN_SLICES = """
[slices]
seconds = 0.1
server_share = 1.0                         # whoever else works on this machine
engine_share = 1.0
"""


def tried(lab: Lab, *manners: str, blocks: int = 1, gives_way: bool = False) -> Finished:
    stacks = [
        lab.stack(
            f"laborious-{manner}",
            run=["python3", LABORIOUS.name, *([manner] if manner == "restless" else [])],
            server=LABORIOUS,
            workload="plaintext",
            service="none",
        )
        for manner in manners
    ]
    more = f"{IN_SLICES}gives_way = {str(gives_way).lower()}\n"
    experiment = lab.experiment(
        *stacks, blocks=blocks, workload="plaintext", service="none", seconds=0.4, load=DEEP, data="", more=more
    )
    return lab.fairtrial("run", experiment, *lab.named(*stacks))


@pytest.mark.measures
def test_a_deep_queue_is_worked_off_before_the_next_slice_begins(lab: Lab) -> None:
    finished = tried(lab, "one", "other")
    for name in ("laborious-one", "laborious-other"):
        assert refusals(finished, name) == {}, finished.out
        line = lines_of(finished)[name]
        slices, engine = line["slices"], line["engine"]
        assert slices["idle_cpu_seconds"] < 0.05 * slices["idle_seconds"]
        assert (slices["undrained"], engine["in_flight_at_end"]) == (0, 4 * 128)
        assert engine["run_verified"] > engine["verified"] + 4 * 128, "all are verified, and those of windows count"
        median_seconds = engine["response_time"]["percentiles"]["50"]
        assert median_seconds > 0.5 * 128 / engine["goodput_per_second"], "whoever is answered waited for most others"


def test_a_server_that_works_on_its_own_is_busy_while_idle_and_slices_give_way_to_whole_windows(lab: Lab) -> None:
    """`refusals` are those of the first block."""
    finished = tried(lab, "one", "restless", blocks=2, gives_way=True)
    assert "its server used" in refusals(finished, "laborious-restless")["busy-while-idle"], finished.out
    assert refusals(finished, "laborious-one") == {}
    assert "laborious-restless used" in finished.out and "counts for nothing" in finished.out
    result, trials = finished.result, finished.record[1:]
    assert result["blocks_left_out"] == [1]
    assert [trial["slices"] is not None for trial in trials] == [trial["block"] == 1 for trial in trials]
    assert {each["outcome"] for each in result["conditions"]} == {"valid"}, finished.out
