"""Programs that run untouched: a fixed port on all addresses, a file at a fixed place, a host name in the source."""

import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.base.own_network import why_not_own_network
from tests.command_line import Finished, Lab
from tests.conftest import left_running
from tests.lab.trial.test_interrupt import PATIENCE_SECONDS, begin, eventually, records

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

pytestmark = pytest.mark.skipif(shutil.which("memcached") is None, reason="memcached is not on this machine")
needs_rights = pytest.mark.skipif(
    (WHY := why_not_own_network()) is not None, reason=f"this user may not have a network of its own: {WHY}"
)


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
        seconds=0.2,
        more=described,
    )


@pytest.fixture(scope="module")
def taken() -> Iterator[socket.socket]:
    """The port of both, on the machine's network, where somebody else has it all the time."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        yield server


@pytest.fixture(scope="module")
def tried(shared_lab: Lab, taken: socket.socket) -> Finished:
    return shared_lab.fairtrial("run", two_of_one_port(shared_lab, taken.getsockname()[1]))


@needs_rights
def test_two_programs_of_one_port_are_tried_although_the_machine_has_it_taken(
    tried: Finished, taken: socket.socket
) -> None:
    outcomes = {each["stack"]: each["outcome"] for each in tried.result["conditions"]}
    assert outcomes == {"first": "valid", "second": "valid"}, tried.out + tried.err
    for line in tried.record[1:]:
        assert line["engine"]["verified"] > 0
        assert line["server"]["cpu_user_seconds"] > 0
        assert line["database_connections"] is not None
        assert line["network"]["sent_segments"] > line["engine"]["verified"]
        clauses = {clause["name"] for clause in line["contract"]}
        assert "total" in clauses
        assert not clauses & {"listens-on-host", "health", "unknown-path"}
    taken.settimeout(0)
    with pytest.raises(BlockingIOError):
        taken.accept()


@needs_rights
def test_it_is_said_that_the_network_was_the_runs_own(tried: Finished) -> None:
    assert tried.record[0]["own_network"] is True
    assert tried.result["own_network"] is True
    assert tried.results and "all in a network namespace" in (tried.results / "report.html").read_text()


@needs_rights
def test_nothing_is_left_on_the_machine_after_an_interrupt(lab: Lab, cache: Path, taken: socket.socket) -> None:
    mounts = Path("/proc/self/mountinfo").read_text()
    with begin(lab, "run", two_of_one_port(lab, taken.getsockname()[1], blocks=500)) as running:
        eventually(lambda: len(records(lab)) > 1, "no trial ended")
        assert "/data/dataset.json" not in Path("/proc/self/mountinfo").read_text()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 130, err
    assert left_running(lab.folder, cache) == []
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert not Path("/data/dataset.json").exists()


@needs_rights
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv takes the right away")
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
    assert "CAP_SYS_ADMIN" in done.stdout and "this user may not make one" in done.stdout
