"""A cluster whose hosts have addresses of their own, and one with TLS."""

import subprocess
from pathlib import Path

import pytest

from tests.cluster.certificates import one_for_all
from tests.cluster.clusters import Processes, running
from tests.cluster.networks import ADDRESSES, two_hosts
from tests.command_line import Lab

pytestmark = pytest.mark.processes


@pytest.fixture
def certificate(tmp_path: Path) -> dict[str, str]:
    return one_for_all(tmp_path)


def test_an_encrypted_cluster(lab: Lab, tmp_path: Path, certificate: dict[str, str]) -> None:
    """Found as one, and closed to whoever has no certificate."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    check = ("cluster", "check", "--idle-seconds", "1", "--cluster")
    with running(Processes(folder, protocol="tls", environment=certificate)) as processes:
        processes.start_scheduler()
        processes.start_worker("server=1 load=1")
        assert processes.address.startswith("tls://")
        refused = lab.fairtrial(*check, processes.address)
        assert refused.status == 4 and "error: no scheduler" in refused.err, refused.err
        lab.environment |= certificate
        processes.wait_for_workers(1)
        finished = lab.fairtrial(*check, processes.address)
    assert finished.status == 0, finished.out + finished.err
    assert "TLS" in finished.out and "programs there" not in finished.out


def test_hosts_with_addresses_of_their_own(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with two_hosts() as (first, second), running(Processes(folder, host=ADDRESSES[0], prefix=first)) as processes:
        processes.start_scheduler()
        processes.start_worker("server=1")
        processes.start_worker("load=1", host=ADDRESSES[1], prefix=second)
        command = [*first, *lab.command("cluster", "check", "--idle-seconds", "1", "--cluster", processes.address)]
        refused = subprocess.run(command, env=lab.environment, capture_output=True, text=True, check=False)
        assert refused.returncode == 2 and "unencrypted" in refused.stderr
        processes.wait_for_workers(2)
        accepted = subprocess.run(
            [*command, "--unencrypted"], env=lab.environment, capture_output=True, text=True, check=False
        )
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    (link,) = [line for line in accepted.stdout.splitlines() if "Gbit/s" in line]
    assert link.startswith("load at ") and ADDRESSES[1] in link and f"server at tcp://{ADDRESSES[0]}" in link
