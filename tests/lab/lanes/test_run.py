"""`fairtrial run --cluster`: trials on lanes of a cluster, and one record of all of them."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import connected
from fairtrial.lab.lanes.start import lanes_of
from fairtrial.record.histogram import read_histogram
from tests.cluster.certificates import one_for_all
from tests.cluster.clusters import Processes
from tests.command_line import SERVER, Lab
from tests.lab.lanes.conftest import Run, cluster

ATTEMPTS = 5
"""At a server fast enough for a spot check, which is every hundredth request at most, on a machine that others use."""


def test_a_run_on_one_lane(lab: Lab, lane: Processes, run_on: Run) -> None:
    finished = run_on(lane, lab.stack("one"), lab.stack("two"), blocks=2)
    assert finished.status == 0, finished.err + finished.out
    first, *trials = finished.record
    assert [trial["index"] for trial in trials] == [1, 2, 3, 4]
    assert {trial["lane"] for trial in trials} == {1}
    assert all(trial["engine"]["verified"] > 0 and trial["failure"] is None for trial in trials)
    (its,) = first["lanes"]
    assert [host["roles"] for host in its["hosts"]] == [["server"], ["load"]]
    assert its["calibrations"] == first["calibrations"] != []
    assert "lane 1: server on" in finished.out


SECURE = """
import os, ssl, small_server

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.environ["TLS_CERTIFICATE"], os.environ["TLS_KEY"])
activate = small_server.Server.server_activate

def securely(server):
    activate(server)
    server.socket = context.wrap_socket(server.socket, server_side=True)

small_server.Server.server_activate = securely
"""


def test_a_server_with_tls_is_asked_from_another_host(lab: Lab, lane: Processes, run_on: Run) -> None:
    """Its authority's certificate, which the lab makes, goes there with the plan."""
    server = lab.folder / "server.py"
    server.write_text(SECURE + SERVER.read_text())
    finished = run_on(lane, lab.stack("secure", server=server, more="tls = true"))
    (trial,) = finished.record[1:]
    assert trial["failure"] is None, trial["failure"]
    assert trial["engine"]["verified"] > 0 and trial["engine"]["tls"]["version"] == "1.3"


def test_two_hosts_share_a_load(lab: Lab, run_on: Run, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its rows are verified, seen to change, counted, and spot-checked, as they are by one engine."""
    with cluster(tmp_path_factory.mktemp("loads"), cache, "server=1", "load=1", "load=1") as processes:
        planned = lab.fairtrial("cluster", "plan", "--cluster", processes.address, "--load-hosts", "2")
        assert planned.status == 0 and planned.out.startswith("1 lane of 3 hosts")
        assert planned.out.count("load from") == 1 and planned.out.count(", clock ") == 2
        stack = lab.stack("one")
        for _ in range(ATTEMPTS):
            finished = run_on(processes, stack, options=("--load-hosts", "2"), seconds=4)
            assert finished.status == 0, finished.err + finished.out
            first, trial = finished.record
            hosts, engine = trial["load_hosts"], trial["engine"]
            assert bins(engine["response_time"]) == bins(hosts[0]["response_time"]) + bins(hosts[1]["response_time"])
            if engine["spot_checks"]:
                break
    (its,) = first["lanes"]
    assert [host["roles"] for host in its["hosts"]] == [["server"], ["load"], ["load"]]
    assert its["placement"]["load_hosts"] == 2 and its["calibrations"] != []
    assert [host["worker"] for host in hosts] == [host["worker"] for host in its["hosts"][1:]]
    assert engine["verified"] == sum(host["verified"] for host in hosts) == engine["picks"]["answered"] > 0
    assert trial["row_changes"]["old"] == 0 < trial["row_changes"]["answers"] and engine["spot_checks"] != []
    assert max(host["opened_after_seconds"] for host in hosts) < 0.05


def bins(times: dict[str, Any]) -> Counter[float]:
    return Counter({each.low_seconds: each.count for each in read_histogram(times["hdr_base64"]).buckets})


def test_blocks_stay_on_their_lane_and_are_measured_there_in_slices(
    lab: Lab, run_on: Run, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # Whoever else works on this machine is no fault of what is tested.
    slices = "[slices]\nseconds = 0.1\nserver_share = 1.0\nengine_share = 1.0\n"
    roles = ("server=1", "server=1", "load=1", "load=1")
    with cluster(tmp_path_factory.mktemp("lanes"), cache, *roles) as processes:
        planned = lab.fairtrial("cluster", "plan", "--cluster", processes.address)
        finished = run_on(processes, lab.stack("one"), lab.stack("two"), blocks=4, more=slices)
    assert planned.status == 0 and planned.out.startswith("2 lanes of 2 hosts")
    assert finished.status == 0, finished.err + finished.out
    first, *trials = finished.record
    assert [each["number"] for each in first["lanes"]] == [1, 2]
    by_block = {block: {trial["lane"] for trial in trials if trial["block"] == block} for block in range(1, 5)}
    assert all(len(lanes) == 1 for lanes in by_block.values())
    assert set().union(*by_block.values()) == {1, 2}
    assert sorted(trial["index"] for trial in trials) == list(range(1, 9))
    assert all(len(trial["slices"]["beside"]) == 1 and trial["engine"]["verified"] > 0 for trial in trials)
    assert "lanes 1, 2 share a machine" in finished.out


def test_a_lane_of_an_encrypted_cluster(lab: Lab, run_on: Run, cache: Path, tmp_path: Path) -> None:
    """Its lab is a client of Dask's as well, with the certificate of its worker where there is none for clients."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    certificates = one_for_all(tmp_path)
    of_hosts = {name: value for name, value in certificates.items() if "__CLIENT__" not in name}
    lab.environment |= certificates
    with cluster(folder, cache, "server=1", "load=1", protocol="tls", more=of_hosts) as processes:
        finished = run_on(processes, lab.stack("one"))
    assert finished.status == 0, finished.err + finished.out
    first, trial = finished.record
    assert trial["lane"] == 1 and all(host["worker"].startswith("tls://") for host in first["lanes"][0]["hosts"])


def test_a_stack_is_built_on_the_host_of_the_server_from_what_was_sent(
    lab: Lab, run_on: Run, lane: Processes, tmp_path: Path
) -> None:
    """The client's cache has no build of it; the folder is kept by content on the host."""
    lab.environment |= {"FAIRTRIAL_CACHE": str(tmp_path / "cache-of-client")}
    stack = lab.stack("sent", build=[["sh", "-c", "echo built > built"]])
    finished = run_on(lane, stack)
    assert finished.status == 0, finished.err + finished.out
    assert not list((tmp_path / "cache-of-client").glob("stacks/sent-*"))
    assert len(list(lab.cache.glob("stacks/sent-*/built"))) == 1 == len(list(lab.cache.glob("sent/sent-*/source")))


def test_other_versions_are_refused(lane: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial.cluster.facts.platform.python_version", lambda: "3.99.1")
    with (
        connected(lane.address, unencrypted=False) as cluster,
        pytest.raises(Problem, match=r"other versions: Python 3\.\d+, here 3\.99") as refused,
    ):
        lanes_of(cluster, None)
    assert refused.value.exit_status == NOTHING_RAN


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--lanes", "2"), "--lanes is about a cluster"),
        (("--load-hosts", "2"), "--load-hosts is about a cluster"),
        (("--unencrypted",), "--unencrypted is about a cluster"),
        (("--cluster", "tcp://127.0.0.1:1"), "no scheduler can be reached"),
        (("--cluster", "tcp://192.0.2.1:1"), "unencrypted"),
        (("--cluster", "tcp://127.0.0.1:1", "--profile"), "exclude each other"),
    ],
)
def test_what_is_refused_before_anything_starts(lab: Lab, arguments: tuple[str, ...], words: str) -> None:
    finished = lab.fairtrial("run", lab.experiment("one"), *lab.named(lab.stack("one")), *arguments)
    assert finished.status in (2, 4) and words in " ".join(finished.err.split())
    assert finished.results is None
