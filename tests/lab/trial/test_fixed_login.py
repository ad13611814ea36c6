"""A program that has its database's host, port, user, password and name in its source, on a database of the lab's."""

import json
import shutil
import signal
import sys
from pathlib import Path

from tests.command_line import Lab
from tests.conftest import left_running
from tests.lab.trial.test_interrupt import begin, records
from tests.machine.needs import needs
from tests.waiting import PATIENCE_SECONDS, wait_for

FIXED_LOGIN = Path(__file__).parents[2] / "fixtures" / "fixed_login.py"
PASSWORD = 'it\'s%2F \\ "odd"'

WORKLOAD = """
ready = { path = "/total" }
data = { postgresql = "numbers.sql" }
[requests.total]
get = "/total"
expect.json = { "/total" = 6 }
"""
CONTENDER = f"""
[services.postgresql]
address = {{ port = 5432, user = "Bench-User", password = {json.dumps(PASSWORD)}, database = "hello_world" }}

[contenders.fixed]
folder = "fixed"
command = ["{sys.executable}", "fixed_login.py"]
port = 8080
hosts = {{ tfb-database = "127.0.0.1" }}
network = "own"
"""


@needs("postgresql")
@needs("network-namespace")
def test_it_runs_untouched_and_an_interrupt_leaves_nothing(lab: Lab, cache: Path) -> None:
    (lab.folder / "fixed").mkdir()
    shutil.copy(FIXED_LOGIN, lab.folder / "fixed")
    (lab.folder / "numbers.sql").write_text("CREATE TABLE numbers AS SELECT generate_series(1, 3) AS number;")
    (lab.folder / "total.workload.toml").write_text(WORKLOAD)
    file = lab.experiment(
        "fixed", blocks=500, workload="total.workload.toml", service="postgresql", seconds=0.2, more=CONTENDER
    )
    with begin(lab, "run", file) as running:
        wait_for(lambda: len(records(lab)) > 1 or running.poll() is not None, "a trial has ended")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE_SECONDS)

    assert running.returncode == 130, out + err
    (results,) = (lab.folder / "results").iterdir()
    trial = json.loads(records(lab)[1])
    assert trial["engine"]["verified"] > 0
    assert trial["ledger"]["done"]["reads"] >= trial["engine"]["verified"], "the login's statements are counted"
    told = [out, err, *(each.read_text(errors="replace") for each in results.rglob("*") if each.is_file())]
    assert all("it's%2F" not in each and "it%27s%252F" not in each for each in told), "the password is in none"
    assert left_running(lab.folder, cache) == []
