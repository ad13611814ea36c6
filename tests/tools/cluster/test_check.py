"""`fairtrial cluster check` on real schedulers and workers, each a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, connected
from fairtrial.cluster.fitness import facts_of
from fairtrial.cluster.roles import link_pairs
from fairtrial.tools.cluster.examine import ExaminedHost, examine_hosts, measure_links
from tests.cluster.clusters import Processes, running
from tests.command_line import Lab

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def fit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A server and a host for load, with the lab's settings."""
    with running(Processes(tmp_path_factory.mktemp("fit"))) as processes:
        processes.start_scheduler()
        processes.start_worker("server=1 service=1")
        processes.start_worker("load=1")
        processes.wait_for_workers(2)
        yield processes


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A server alone, with Dask's own settings and a nanny."""
    with running(Processes(tmp_path_factory.mktemp("poor"), quiet=False)) as processes:
        processes.start_scheduler()
        processes.start_worker("server=1", nanny=True)
        processes.wait_for_workers(1)
        yield processes


def examined(cluster: Cluster, idle_seconds: float) -> list[ExaminedHost]:
    facts = {address: facts_of(cluster, address) for address in cluster.workers()}
    return examine_hosts(cluster, facts, idle_seconds)


def test_a_fit_cluster(lab: Lab, fit: Processes) -> None:
    finished = lab.fairtrial("cluster", "check", "--cluster", fit.address, "--idle-seconds", "1")
    assert finished.status == 0, finished.out + finished.err
    assert "cluster is fit for trials." in finished.out
    assert "server, service" in finished.out and "Gbit/s" in finished.out
    # Both run on the machine of the test, without TLS.
    assert "load and server share one" in finished.out and "encryption" in finished.out
    assert finished.err == ""


def test_an_unfit_cluster_says_all_that_is_wrong(lab: Lab, poor: Processes) -> None:
    finished = lab.fairtrial("cluster", "check", "--cluster", poor.address, "--idle-seconds", "1")
    assert finished.status == NOTHING_RAN
    words = " ".join(finished.out.split())
    assert "cluster is unfit for trials." in words
    assert "--resources load=1" in words and "--no-nanny" in words
    assert "distributed.scheduler.allowed-failures" in words
    assert "distributed.worker.profile.enabled" in words, "its worker is loud, and the reason is named"


def test_the_settings_make_an_idle_worker_quiet(fit: Processes, poor: Processes) -> None:
    """By a factor of 200 where it was measured for the documentation; here by 10 at least, on whatever machine."""
    with connected(fit.address, unencrypted=False) as cluster:
        quiet = max(host.idle_share for host in examined(cluster, 3.0))
    with connected(poor.address, unencrypted=False) as cluster:
        (loud,) = (host.idle_share for host in examined(cluster, 3.0))
    assert quiet * 10 < loud


def test_what_is_found_of_hosts_and_links(fit: Processes) -> None:
    with connected(fit.address, unencrypted=False) as cluster:
        load, server = examined(cluster, 0.01)
        (link,) = measure_links(cluster, link_pairs([load, server]))
    assert (load.roles, server.roles) == (("load",), ("server", "service"))
    assert load.facts.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert abs(load.clock.ahead_seconds) <= load.clock.error_seconds + 0.001, "it is the same clock"
    assert link.round_trip_seconds is not None and link.bytes_per_second is not None
    assert 0 < link.round_trip_seconds < 1 and link.bytes_per_second > 1e6


def test_workers_report_as_rarely_as_the_settings_say(fit: Processes) -> None:
    """This version of Dask still says in its answers when to report next."""
    from distributed import Client

    with Client(fit.address, set_as_default=False) as client:
        intervals = client.run(_heartbeat_interval)
    assert set(intervals.values()) == {10_000.0}


def _heartbeat_interval(dask_worker: object) -> float:
    interval: float = dask_worker.periodic_callbacks["heartbeat"].callback_time  # type: ignore[attr-defined]
    return interval


def test_a_worker_that_is_stopped_is_named(fit: Processes, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    from distributed import Client

    monkeypatch.setattr("fairtrial.cluster.connection.ANSWER_WITHIN_SECONDS", 0.5)
    with Client(fit.address, set_as_default=False) as client:
        (worker, process), *_ = client.run(os.getpid).items()
    with connected(fit.address, unencrypted=False) as cluster:
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(Problem) as error:
                cluster.clock(worker)
            assert str(error.value) == snapshot
        finally:
            os.kill(process, signal.SIGCONT)


def test_nobody_at_the_address(lab: Lab) -> None:
    finished = lab.fairtrial("cluster", "check", "--cluster", "tcp://127.0.0.1:1")
    assert finished.status == NOTHING_RAN
    assert finished.err.startswith("error: ") and "reached at tcp://127.0.0.1:1" in finished.err
    assert "Traceback" not in finished.err and finished.out == ""


def test_an_unencrypted_cluster_elsewhere_is_refused_before_anything_is_sent(lab: Lab) -> None:
    finished = lab.fairtrial("cluster", "check", "--cluster", "tcp://192.0.2.1:8786", timeout_seconds=20)
    assert finished.status == 2
    assert "unencrypted" in finished.err and "--unencrypted" in finished.err


def test_settings_are_what_dask_reads(lab: Lab) -> None:
    finished = lab.fairtrial("cluster", "settings")
    assert finished.status == 0
    (lab.folder / "dask").mkdir()
    (lab.folder / "dask" / "fairtrial.yaml").write_text(finished.out)
    printed = subprocess.run(
        [sys.executable, "-c", "import dask; print(dask.config.get('distributed.scheduler.allowed-failures'))"],
        env={**os.environ, "DASK_CONFIG": str(lab.folder / "dask")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == "0\n"
