"""Clients that stay in step: where a window opens within a request decides how many answers it counts."""

from pathlib import Path

import pytest

from tests.command_line import Lab
from tests.lab.trial.test_cheats import refusals
from tests.lab.trial.test_slices_proven import lines_of

HELLO = Path(__file__).parents[2] / "fixtures" / "hello.py"
IN_SLICES = """
[slices]
seconds = 0.3
server_share = 1.0                         # whoever else works on this machine
engine_share = 1.0
"""


@pytest.mark.measures
def test_windows_open_at_every_moment_of_a_request(lab: Lab) -> None:
    """A request takes 90 ms, of which a window of 300 ms has 3.33: always three, where all windows open alike."""
    names = ["in-step", "beside"]
    for name in names:
        lab.stack(name, run=["python3", "hello.py", "90"], server=HELLO, workload="plaintext", service="none")
    finished = lab.fairtrial(
        "run",
        lab.experiment(*names, blocks=1, workload="plaintext", service="none", seconds=3.6, data="", more=IN_SLICES),
        *lab.named(*names),
    )
    for name in names:
        assert "littles-law" not in refusals(finished, name)
        line = lines_of(finished)[name]
        assert {each["verified"] // 4 for each in line["slices"]["slices"]} == {3, 4}
        engine = line["engine"]
        under_way = engine["goodput_per_second"] * engine["response_time"]["mean_seconds"]
        assert under_way == pytest.approx(4, rel=0.05), finished.out
