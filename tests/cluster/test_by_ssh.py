"""Clusters that are brought up by SSH, by a real sshd: what runs there, what is left, and what a user is told."""

import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.cluster.by_ssh import brought_up
from fairtrial.cluster.hosts_file import read_hosts
from fairtrial.cluster.roles import REQUIRED_ROLES
from tests.cluster import networks
from tests.cluster.sshd import hosts_file, sshd
from tests.cluster.there import commands_there, record_of, run_there, under_way
from tests.command_line import SPARING, Lab
from tests.conftest import WORKERS_CACHE
from tests.forked_command import Forked
from tests.waiting import PATIENCE_SECONDS, wait_for


@dataclass
class Hosts:
    """A server's and a load's host, by one sshd."""

    file: Path
    folder: Path


@pytest.fixture
def hosts(cache: Path, tmp_path: Path) -> Iterator[Hosts]:
    del cache  # which they find by the variables of the tests
    folder = tmp_path / "hosts"
    (folder / "tmp").mkdir(parents=True)
    variables = {WORKERS_CACHE: str(folder), "TMPDIR": str(folder / "tmp")}
    with sshd(folder) as options:
        yield Hosts(hosts_file(folder, options, variables, web=["server"], client=["load"]), folder)


def test_a_run_on_hosts_of_a_file_leaves_nothing_there(lab: Lab, hosts: Hosts) -> None:
    planned = lab.fairtrial("cluster", "plan", "--hosts", hosts.file)
    assert planned.status == 0 and planned.out.startswith("1 lane of 2 hosts"), planned.out + planned.err
    wait_for(lambda: not run_there(hosts), "all that ran on the hosts has ended")
    name = lab.stack("one")
    finished = lab.fairtrial("run", lab.experiment(name), *lab.named(name), "--hosts", hosts.file)
    assert finished.status == 0, finished.out + finished.err
    first, trial = finished.record
    assert [host["roles"] for host in first["lanes"][0]["hosts"]] == [["server"], ["load"]]
    assert all(host["worker"].startswith("tls://127.0.0.1:") for host in first["lanes"][0]["hosts"])
    assert trial["engine"]["verified"] > 0 and trial["failure"] is None
    wait_for(lambda: not run_there(hosts), "all that ran on the hosts has ended")
    assert finished.results
    written = [file.read_bytes() for file in finished.results.rglob("*") if file.is_file()]
    assert not any(b"PRIVATE KEY" in content or b"BEGIN CERTIFICATE" in content for content in written)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_nothing_on_its_hosts(lab: Lab, hosts: Hosts, end: signal.Signals) -> None:
    name = lab.stack("one")
    arguments = ["run", lab.experiment(name, seconds=60), *lab.named(name), "--hosts", hosts.file]
    with under_way(lab, *arguments) as run:
        wait_for(lambda: _is_loaded(run, hosts), "a load comes from a host")
        on_disk = [file.read_bytes() for file in (hosts.folder / "tmp").rglob("*") if file.is_file()]
        assert on_disk != [] and not any(b"PRIVATE KEY" in content for content in on_disk)
        run.send_signal(end)
        output, errors = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == (130 if end == signal.SIGINT else -signal.SIGKILL), output + errors
    wait_for(lambda: not run_there(hosts), "all that ran on the hosts has ended")
    assert list((hosts.folder / "tmp").iterdir()) == []


def test_a_host_whose_link_is_cut_is_lost_and_the_other_lane_goes_on(lab: Lab, cache: Path, tmp_path: Path) -> None:
    """Nobody tells of it: Dask gives the connection up after its time limit, which is 30 s unless it is set."""
    del cache  # which they find by the variables of the tests
    folder = tmp_path / "hosts"
    folder.mkdir()
    limit = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s"}
    lab.environment |= limit
    name = lab.stack("one")
    roles = {"web": ["server"], "client": ["load"], "web2": ["server"], "client2": ["load"]}
    with networks.hosts(5) as network, sshd(folder, network[1:]) as options:
        addresses = {each: host.address for each, host in zip(roles, network[1:], strict=True)}
        file = hosts_file(folder, options, {WORKERS_CACHE: str(folder), **limit}, addresses=addresses, **roles)
        hosts = Hosts(file, folder)
        experiment = lab.experiment(name, load=SPARING, seconds=10, blocks=2)
        with under_way(lab, "run", experiment, *lab.named(name), "--hosts", file, prefix=network[0].prefix) as run:
            wait_for(lambda: _is_loaded(run, hosts, lanes=2), "loads come from two hosts")
            network[2].take_link_down()
            output, errors = run.communicate(timeout=2 * PATIENCE_SECONDS)
        assert run.returncode == 3, output + errors
        wait_for(lambda: not run_there(hosts), "all that ran on the hosts has ended")
    _, *trials = record_of(lab)
    by_failure = {trial["failure"] is not None: trial for trial in trials}
    assert len(trials) == 2 and by_failure[False]["engine"]["verified"] > 0
    assert by_failure[True]["failure"]["stage"] == "host" and "is lost" in by_failure[True]["failure"]["reason"]


def _is_loaded(run: "Forked | subprocess.Popen[str]", hosts: Hosts, lanes: int = 1) -> bool:
    """On each lane a stack runs, and an engine beside it."""
    assert run.poll() is None, run.communicate()
    commands = commands_there(hosts)
    stacks = sum(command[1:2] == ["server.py"] for command in commands)
    engines = sum(
        command[0].endswith("fairtrial-engine") and command[1:2] == ["run"] for command in commands if command
    )
    return stacks >= lanes and engines >= lanes


def test_beyond_loopback_only_what_is_encrypted_listens_and_dask_has_no_pages(hosts: Hosts) -> None:
    """Dask's HTTP server, which needs no certificate, cannot be left out."""
    text = hosts.file.read_text().replace('address = "127.0.0.1"', 'address = "127.0.0.2"\nssh = "127.0.0.1"')
    hosts.file.write_text(f'here = "127.0.0.3"\n{text}')
    with brought_up(hosts.file, REQUIRED_ROLES) as (address, _security):
        assert address.startswith("tls://127.0.0.3:")
        workers = [each for each in run_there(hosts) if each.net_connections("tcp")]
        listening = [_listening(process) for process in (psutil.Process(), *workers)]
        assert len(workers) == 2 and [sorted(ip for ip, _ in each) for each in listening] == [
            ["127.0.0.1", "127.0.0.3"],
            *[["127.0.0.1", "127.0.0.2"]] * 2,
        ]
        for port in (port for each in listening for ip, port in each if ip == "127.0.0.1"):
            for path in ("/health", "/metrics", "/info/main/workers.html", "/json/counts.json", "/"):
                assert httpx.get(f"http://127.0.0.1:{port}{path}").status_code == 404


def _listening(process: psutil.Process) -> set[tuple[str, int]]:
    sockets = process.net_connections("tcp")
    return {(each.laddr.ip, each.laddr.port) for each in sockets if each.status == psutil.CONN_LISTEN}


def changed(hosts: Hosts, old: str, new: str) -> Path:
    text = hosts.file.read_text()
    assert old in text
    file = hosts.folder / "other.toml"
    file.write_text(text.replace(old, new, 1))
    return file


def test_a_host_that_does_not_come_up_is_named(lab: Lab, hosts: Hosts) -> None:
    elsewhere = changed(hosts, 'python = "', 'python = "/nowhere')
    finished = lab.fairtrial("cluster", "plan", "--hosts", elsewhere)
    said = " ".join(finished.err.split())
    assert finished.status == 4, said
    assert re.search(r"other.toml: hosts.(web|client): ssh to 127.0.0.1 ended with status 127: ", said), said
    assert "`python` in the file" in said
    refused = changed(hosts, "'-p', '", "'-p', '1")
    finished = lab.fairtrial("cluster", "check", "--hosts", refused)
    said = " ".join(finished.err.split())
    assert finished.status == 4 and "ended with status 255" in said and "`ssh 127.0.0.1 true` works" in said, said
    assert not run_there(hosts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[hosts.a]\naddress = '10.0.0.1'\nroles = ['server', 'database']",
        "[hosts.a]\naddress = '10.0.0.1'\nroles = ['load']",
        "[hosts.a]\naddress = '-oProxyCommand=x'\nroles = ['load', 'server']",
        "[hosts.a]\naddress = '10.0.0.1'\nroles = ['load']\nport = 22",
    ],
)
def test_a_wrong_file_names_the_key(tmp_path: Path, text: str, snapshot: object) -> None:
    file = tmp_path / "hosts.toml"
    file.write_text(text)
    with pytest.raises(Problem) as error:
        read_hosts(file, REQUIRED_ROLES)
    assert str(error.value) == snapshot


def test_what_was_a_number_of_hosts_says_what_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem) as error:
        read_hosts(Path("2"), ["load"])
    assert str(error.value) == snapshot
    assert "--load-hosts 2" in (error.value.remedy or "")


@pytest.mark.parametrize("options", [(), ("--cluster", "tcp://127.0.0.1:1", "--hosts", "hosts.toml")])
def test_a_cluster_is_named_in_one_way(lab: Lab, options: Sequence[str]) -> None:
    finished = lab.fairtrial("cluster", "plan", *options)
    assert finished.status == 2 and "--hosts FILE to bring" in " ".join(finished.err.split())
