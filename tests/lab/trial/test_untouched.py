"""Programs that run untouched: a fixed port on all addresses, a file at a fixed place, a host name in the source."""

import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Finished, Lab
from tests.conftest import left_running
from tests.lab.trial.test_interrupt import begin, records
from tests.machine.needs import needs
from tests.waiting import PATIENCE_SECONDS, wait_for

MOUNTS = Path("/proc/self/mountinfo")
UNTOUCHED = Path(__file__).parents[2] / "fixtures" / "untouched.py"

WORKLOAD = """
ready = { path = "/total" }
[requests.total]
get = "/total"
expect.json = { "/total" = 6, "/database" = "VERSION" }
"""

CONTENDER = """
[contenders.{name}]
folder = "{name}"
command = ["python3", "untouched.py", "{port}"]
port = {port}
files = {{ "/data/dataset.json" = "../dataset.json" }}
hosts = {{ tfb-database = "127.0.0.1" }}
network = "own"
"""

pytestmark = needs("memcached")
needs_rights = needs("network-namespace")


def two_of_one_port(lab: Lab, port: int, blocks: int = 1) -> Path:
    """An experiment of two such servers, in folders of their own beside the file that both read."""
    for name in ("first", "second"):
        (lab.folder / name).mkdir()
        shutil.copy(UNTOUCHED, lab.folder / name)
    (lab.folder / "dataset.json").write_text("[1, 2, 3]")
    (lab.folder / "total.workload.toml").write_text(WORKLOAD)
    described = "".join(CONTENDER.format(name=name, port=port) for name in ("first", "second"))
    return lab.experiment(
        "first",
        "second",
        blocks=blocks,
        workload="total.workload.toml",
        service="memcached",
        seconds=0.5,
        more=described,
    )


@pytest.fixture(scope="module")
def taken() -> Iterator[socket.socket]:
    """The port of both, on the machine's network, where somebody else has it all the time."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        yield server


@pytest.fixture(scope="module")
def tried(shared_lab: Lab, taken: socket.socket) -> tuple[Finished, list[str]]:
    """A run that was interrupted after its first block, and the mounts of the machine before, meanwhile and after."""
    mounts = [MOUNTS.read_text()]
    with begin(shared_lab, "run", two_of_one_port(shared_lab, taken.getsockname()[1], blocks=500)) as running:
        wait_for(lambda: len(records(shared_lab)) > 2, "a block has ended")
        mounts.append(MOUNTS.read_text())
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE_SECONDS)
    mounts.append(MOUNTS.read_text())
    (results,) = (shared_lab.folder / "results").iterdir()
    return Finished(running.returncode, out, err, results), mounts


@needs_rights
def test_two_programs_of_one_port_are_tried_although_the_machine_has_it_taken(
    tried: tuple[Finished, list[str]], taken: socket.socket
) -> None:
    finished, _ = tried
    first_of_each = {each["stack"]: each["trials"][0]["outcome"] for each in finished.result["conditions"]}
    assert first_of_each == {"first": "valid", "second": "valid"}, finished.out + finished.err
    for line in finished.record[1:3]:
        assert line["engine"]["verified"] > 0
        assert line["server"]["cpu_user_seconds"] > 0
        assert line["database_connections"] is not None
        # Of a part of the window, where the lab came late to read it.
        sent_per_second = line["network"]["sent_segments"] / line["machine"]["window_seconds"]
        verified_per_second = line["engine"]["verified"] / line["engine"]["window_seconds"]
        assert sent_per_second > verified_per_second, "of the network in which it was"
        clauses = {clause["name"] for clause in line["contract"]}
        assert "total" in clauses
        assert not clauses & {"listens-on-host", "health", "unknown-path"}
    taken.settimeout(0)
    with pytest.raises(BlockingIOError):
        taken.accept()


@needs_rights
def test_it_is_said_that_the_network_was_the_runs_own(tried: tuple[Finished, list[str]]) -> None:
    finished, _ = tried
    assert finished.record[0]["own_network"] is True
    assert finished.result["own_network"] is True
    assert finished.results and "all in a network namespace" in (finished.results / "report.html").read_text()


@needs_rights
def test_nothing_is_left_on_the_machine_after_an_interrupt(
    tried: tuple[Finished, list[str]], shared_lab: Lab, cache: Path
) -> None:
    finished, mounts = tried
    assert finished.status == 130, finished.err
    assert left_running(shared_lab.folder, cache) == []
    assert all("dataset.json" not in each and "fairtrial" not in each for each in mounts)
    assert len({each.count("/etc/hosts") for each in mounts}) == 1
    assert not Path("/data/dataset.json").exists()


@needs_rights
@needs("setpriv")
def test_without_the_right_it_is_not_run_and_the_remedy_names_the_right(lab: Lab, taken: socket.socket) -> None:
    file = two_of_one_port(lab, taken.getsockname()[1])
    without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
    done = subprocess.run(
        [*without, *lab.command("run", file)],
        cwd=lab.folder,
        env=lab.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    (result,) = (lab.folder / "results").glob("*/result.json")
    told = json.loads(result.read_text())
    assert {each["outcome"] for each in told["conditions"]} == {"not run"}
    assert told["own_network"] is False
    assert "CAP_SYS_ADMIN" in done.stdout and "user may not make one" in done.stdout
