"""A stack that takes more connections than its database has: it is told with the cause, and the rest goes on."""

import sys

from tests.command_line import Lab
from tests.lab.trial.test_cheats import CHEAT
from tests.machine.needs import needs

pytestmark = needs("postgresql")


def test_the_database_says_why_and_the_others_are_tried(lab: Lab) -> None:
    names = [
        lab.stack(name, run=[sys.executable, "cheat.py", cheat], server=CHEAT, service="postgresql")
        for name, cheat in (("greedy", "greedy"), ("honest", "none"))
    ]
    experiment = lab.experiment(*names, service="postgresql")
    experiment.write_text(experiment.read_text().replace("_seconds = 0.1\n", "_seconds = 0.6\n"))
    finished = lab.fairtrial("run", experiment, *lab.named(*names))
    assert finished.status == 3
    greedy = finished.trial("greedy")
    assert greedy["outcome"] == "not run"
    words = ("too many clients already", "remaining connection slots are reserved")  # by version of the server
    assert any(said in greedy["reason"] for said in words), greedy["reason"]
    assert finished.trial("honest")["outcome"] == "valid", finished.out
    held = {line["condition"].partition("/")[0]: line["database_connections"] for line in finished.record[1:]}
    assert held["greedy"] is None
    assert 1 <= held["honest"] <= 20, "a connection for each thread, of which each connection of the load has one"
