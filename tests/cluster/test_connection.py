"""What is refused before anything is connected, and that only a cluster needs `distributed`."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.addresses import assert_safe, host_of
from fairtrial.cluster.connection import ANSWER_WITHIN_SECONDS, connected
from tests.cluster.clusters import Processes, running
from tests.waiting import wait_for


@pytest.mark.parametrize(
    "address", ["", "tls://", "tls://host", "ucx://host:1", "tcp://host:99999", "http://a:1", "::"]
)
def test_what_is_no_address_is_refused(address: str, snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        assert_safe(address, "the scheduler", unencrypted=True)
    assert str(error.value) == snapshot


@pytest.mark.parametrize(
    "address",
    # The last two look like loopback, and are not: all of 0.0.0.0, and a name that cannot be resolved.
    ["tcp://192.0.2.1:8786", "192.0.2.1:8786", "tcp://[2001:db8::1]:1", "tcp://0.0.0.0:1", "tcp://127.0.0.1.invalid:1"],
)
def test_unencrypted_beyond_loopback_is_refused_unless_asked_for(address: str) -> None:
    with pytest.raises(Problem, match="unencrypted") as refused:
        assert_safe(address, "the scheduler", unencrypted=False)
    assert "--unencrypted" in refused.value.remedy
    assert_safe(address, "the scheduler", unencrypted=True)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.8.0.1:1", "tcp://[::1]:1", "tls://192.0.2.1:8786"])
def test_loopback_and_tls_are_accepted(address: str) -> None:
    assert_safe(address, "the scheduler", unencrypted=False)


def test_the_host_of_an_address() -> None:
    assert [host_of(each) for each in ("tcp://10.0.0.1:80", "tls://[2001:db8::1]:80")] == ["10.0.0.1", "2001:db8::1"]


def test_without_distributed_the_remedy_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Problem, match="not installed") as missing, connected("tcp://127.0.0.1:1", unencrypted=False):
        pass
    assert "fairtrial[cluster]" in missing.value.remedy and missing.value.exit_status == NOTHING_RAN


@pytest.mark.processes
def test_only_a_cluster_loads_distributed() -> None:
    """Neither the command line nor a run pays for it."""
    look = (
        "import sys, fairtrial.commands, fairtrial.lab.conduct, fairtrial.tools.cluster.check;"
        "print(sorted({'dask', 'distributed', 'tornado'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.processes
def test_a_lost_worker_is_not_waited_for(tmp_path: Path) -> None:
    """Dask tries for half a minute to reach a worker that has gone."""
    with running(Processes(tmp_path)) as processes:
        processes.start_scheduler()
        process = processes.start_worker("load=1")
        processes.wait_for_workers(1)
        with connected(processes.address, unencrypted=False) as cluster:
            (worker,) = cluster.workers()
            assert cluster.call(worker, time.monotonic) > 0
            process.kill()
            wait_for(lambda: not cluster.workers(), "the scheduler knows of its end")
            asked = time.monotonic()
            with pytest.raises(Problem, match=f"the worker at {worker} is lost"):
                cluster.call(worker, time.monotonic)
    assert time.monotonic() - asked < ANSWER_WITHIN_SECONDS / 3
