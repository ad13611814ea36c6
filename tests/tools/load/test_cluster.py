"""`fairtrial load --cluster`: the load comes from a host of a Dask cluster, and nothing of it stays there."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairtrial.base.strict import Strict
from fairtrial.cluster.engine import PATH_KEYS, with_files
from fairtrial.engine import dataset, reference
from fairtrial.engine import plan as engine_plan
from fairtrial.engine.plan import Tls
from tests.cluster.clusters import Processes, running
from tests.cluster.networks import ADDRESSES, two_hosts
from tests.cluster.sshd import hosts_file, sshd
from tests.command_line import Finished, Lab
from tests.experiment.workload_file.files import shop
from tests.tools.load.conftest import Listener, Target, targets
from tests.tools.load.measurements import plan
from tests.waiting import wait_for

Call = Callable[..., Finished]
SHOP = """
rows.items = { file = "items.csv", pick = "sequential" }
[requests.look]
get = "/items/{{row items id}}"
"""


@contextmanager
def cluster(folder: Path, engine: Path, **settings: Any) -> Iterator[Processes]:
    """A scheduler, and no worker yet."""
    processes = Processes(folder, environment={"FAIRTRIAL_ENGINE": str(engine)}, **settings)
    with running(processes):
        processes.start_scheduler()
        yield processes


@pytest.fixture(scope="module")
def hosts(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A cluster with one host for load, for all tests that leave it as it is."""
    with cluster(tmp_path_factory.mktemp("hosts"), engine) as processes:
        processes.start_worker("load=1")
        processes.wait_for_workers(1)
        yield processes


@pytest.fixture
def own(engine: Path, tmp_path: Path) -> Iterator[tuple[Processes, psutil.Process]]:
    """A cluster with one host for load, and its worker, for a test that ends one of them."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, engine) as processes:
        worker = processes.start_worker("load=1")
        processes.wait_for_workers(1)
        yield processes, worker


@contextmanager
def under_way(lab: Lab, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """`fairtrial load` as a process."""
    command = lab.command("load", *arguments)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=lab.environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def engines(worker: psutil.Process) -> list[psutil.Process]:
    return [child for child in worker.children() if child.name() == "fairtrial-engine"]


def test_the_load_comes_from_the_host(call: Call, hosts: Processes, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello")
    finished = call(
        "load", target.url, "--cluster", hosts.address, "-n", "500", "--expect-body", "hello", "--json", "-"
    )
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert measured["verified"] == 500 == target.stop()["requests"]
    (note,) = measured["notes"]
    assert note.startswith("the load came from ") and "the worker at tcp://127.0.0.1:" in note


def test_files_of_the_load_are_sent_along(call: Call, hosts: Processes, listener: Listener, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(range(256)) * 1000)
    finished = call("load", listener.url, "--cluster", hosts.address, "-n", "3", "-m", "POST", "-b", f"@{body}")
    assert finished.status == 0, finished.err
    assert [request.body for request in listener.received] == [body.read_bytes()] * 3


def test_every_path_of_a_plan_is_a_file_that_is_sent(tmp_path: Path) -> None:
    """Whatever model of the plan has it: a key that PATH_KEYS does not know would name a file of another machine."""
    models = [model for source in (engine_plan, reference, dataset) for model in vars(source).values()]
    fields = [model.model_fields for model in models if isinstance(model, type) and issubclass(model, Strict)]
    keys = {key for each in fields for key in each if key.endswith("file")}
    assert keys == PATH_KEYS
    file = tmp_path / 'a "file"'
    file.write_text("content")
    text, files = with_files(plan(tls=Tls(server_name="a", ca_file=str(file))))
    (name,) = files
    assert json.loads(text)["tls"]["ca_file"] == name and files[name] == b"content"


def test_an_interrupted_load_reports_what_was_measured(lab: Lab, hosts: Processes, target: Target) -> None:
    with under_way(lab, target.url, "--cluster", hosts.address, "-d", "60s", "--plain") as process:
        assert process.stderr
        next(line for line in process.stderr if "/s" in line and "warm-up" not in line)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in out and "goodput" in out


def test_a_lab_that_is_killed_leaves_no_engine_behind(
    lab: Lab, own: tuple[Processes, psutil.Process], target: Target
) -> None:
    processes, worker = own
    with under_way(lab, target.url, "--cluster", processes.address, "-d", "60s") as process:
        wait_for(lambda: engines(worker), "an engine runs")
        process.kill()
        wait_for(lambda: not engines(worker), "it has ended")


def test_a_worker_that_is_lost_is_named_and_no_figure_is_given(
    lab: Lab, own: tuple[Processes, psutil.Process], target: Target
) -> None:
    processes, worker = own
    with under_way(lab, target.url, "--cluster", processes.address, "-d", "60s") as process:
        wait_for(lambda: engines(worker), "an engine runs")
        (engine,) = engines(worker)
        worker.kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "is lost" in err and "Traceback" not in err and out == ""
    wait_for(lambda: not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE, "the engine has ended")


def test_a_server_that_the_host_cannot_reach(call: Call, hosts: Processes) -> None:
    finished = call("load", "http://127.0.0.1:1/", "--cluster", hosts.address)
    assert finished.status == 4
    assert "127.0.0.1:1, from the worker at tcp://127.0.0.1:" in finished.err and "refused" in finished.err


def test_a_cluster_without_a_host_for_load(call: Call, engine: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, engine) as processes:
        processes.start_worker("server=1")
        processes.wait_for_workers(1)
        finished = call("load", "http://127.0.0.1:1/", "--cluster", processes.address)
    assert finished.status == 4
    assert "no worker" in finished.err and '--resources "load=1"' in " ".join(finished.err.split())


def test_another_version_is_refused(call: Call, hosts: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial.cluster.facts.platform.python_version", lambda: "3.99.1")
    finished = call("load", "http://127.0.0.1:1/", "--cluster", hosts.address)
    assert finished.status == 4
    assert "other versions: Python 3." in finished.err and "here 3.99" in finished.err


def test_a_scheduler_that_may_do_things_twice_is_refused(call: Call, engine: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, engine, quiet=False) as processes:
        processes.start_worker("load=1")
        processes.wait_for_workers(1)
        finished = call("load", "http://127.0.0.1:1/", "--cluster", processes.address)
    assert finished.status == 4
    assert "allowed-failures" in finished.err and "fairtrial cluster settings" in " ".join(finished.err.split())


def test_options_that_exclude_a_cluster(call: Call, hosts: Processes) -> None:
    for arguments, words in (
        (("--cluster", hosts.address, "--unix", "a.sock"), "--unix and --cluster exclude each other"),
        (("--unencrypted",), "give it with --cluster"),
        (("--load-hosts", "2"), "give it with --cluster"),
        (("--cluster", hosts.address, "--hosts", "x.toml"), "exclude each other"),
        (("--cluster", hosts.address, "--load-hosts", "2"), "and 2 are to offer it"),
    ):
        finished = call("load", "http://127.0.0.1:1/", *arguments)
        assert finished.status in (2, 4) and words in " ".join(finished.err.split())


@pytest.fixture(scope="module")
def three(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A cluster with three hosts for load, for all tests that leave it as it is."""
    with cluster(tmp_path_factory.mktemp("three"), engine) as processes:
        for _ in range(3):
            processes.start_worker("load=1")
        processes.wait_for_workers(3)
        yield processes


def test_one_load_comes_from_three_hosts(call: Call, three: Processes, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello")
    options = ("-r", "600", "-d", "1s", "--warmup", "0", "-c", "12", "--expect-body", "hello", "--json", "-")
    finished = call("load", target.url, "--cluster", three.address, *options)
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert measured["offered"] == 600 == target.stop()["requests"]
    assert measured["verified"] + measured["in_flight_at_end"] == 600
    assert measured["connection_answers"]["connections"] == 12
    assert len(measured["threads"]) % 3 == 0
    came, apart = measured["notes"]
    assert came.count("the worker at") == 3
    assert "windows of the hosts opened " in apart and " apart" in apart


def test_windows_of_hosts_open_together_when_all_are_warm(
    call: Call, three: Processes, serve: Callable[..., Target]
) -> None:
    """Each host tells by its own part of the load when the pace is flat, and none opens before the last of them."""
    options = ("-r", "600", "-d", "500ms", "--warmup", "100ms", "-c", "12", "--json", "-")
    finished = call("load", serve().url, "--cluster", three.address, *options)
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert measured["warm_up"]["end"] == "flat" and measured["warm_up"]["least_seconds"] == 0.1
    assert measured["warmup_seconds"] >= 1, "a second, before which nobody knows"
    assert measured["offered"] == 300


def test_so_many_hosts_as_are_wanted(call: Call, three: Processes, target: Target) -> None:
    finished = call("load", target.url, "--cluster", three.address, "--load-hosts", "2", "-n", "100", "--json", "-")
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert measured["verified"] == 100 and measured["notes"][0].count("the worker at") == 2


def test_hosts_of_a_file_are_brought_up_for_one_load(
    call: Call, target: Target, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("hosts")
    with sshd(folder) as options:
        file = hosts_file(folder, options, {}, one=["load"], two=["load"])
        finished = call("load", target.url, "--hosts", str(file), "--load-hosts", "2", "-n", "100", "--json", "-")
    assert finished.status == 0, finished.err
    measured = json.loads(finished.out)
    assert measured["verified"] == 100 and measured["notes"][0].count("the worker at") == 2


def test_progress_and_an_interrupt_are_those_of_all(lab: Lab, three: Processes, target: Target) -> None:
    with under_way(lab, target.url, "--cluster", three.address, "-d", "60s", "--plain", "-c", "6") as process:
        assert process.stderr
        next(line for line in process.stderr if "/s" in line and "warm-up" not in line)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in out and "opened" in out


def test_numbers_in_turn_are_given_out_once(call: Call, three: Processes, listener: Listener) -> None:
    options = ("--template", "-n", "10", "-c", "3")
    finished = call("load", f"{listener.url}{{{{sequence 1}}}}", "--cluster", three.address, *options)
    assert finished.status == 0, finished.err
    numbers = [int(request.path.rpartition("/")[2]) for request in listener.received]
    assert len(numbers) == len(set(numbers)) >= 10  # the warm-up's among them


def test_what_hosts_cannot_share_is_refused_in_the_engines_words(
    call: Call, three: Processes, target: Target, tmp_path: Path
) -> None:
    file = shop(tmp_path, SHOP, "id\n7\n8\n")
    finished = call("load", "-f", file, f"http://{target.address}/", "--cluster", three.address, "-n", "10")
    assert finished.status == 2
    assert "in turn need one engine" in " ".join(finished.err.split())


def test_of_several_hosts_none_goes_on_without_the_others(
    lab: Lab, engine: Path, tmp_path: Path, target: Target
) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, engine) as processes:
        workers = [processes.start_worker("load=1") for _ in range(2)]
        processes.wait_for_workers(2)
        with under_way(lab, target.url, "--cluster", processes.address, "-d", "60s") as process:
            wait_for(lambda: all(engines(worker) for worker in workers), "both engines run")
            workers[0].kill()
            out, err = process.communicate(timeout=60)
        assert process.returncode == 4
        assert "is lost" in err and out == ""
        wait_for(lambda: not engines(workers[1]), "the other engine has ended")


def test_a_load_between_two_hosts(lab: Lab, engine: Path, tmp_path: Path) -> None:
    """Server and lab on one, the load on the other, each with an address of its own."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with (
        two_hosts() as (first, second),
        targets(engine, first) as start,
        cluster(folder, engine, host=ADDRESSES[0], prefix=first) as processes,
    ):
        target = start("--listen", f"{ADDRESSES[0]}:0", "--body", "hello")
        processes.start_worker("load=1", host=ADDRESSES[1], prefix=second)
        processes.wait_for_workers(1)
        options = ("--cluster", processes.address, "--unencrypted", "-n", "300", "--json", "-")
        finished = subprocess.run(
            [*first, *lab.command("load", f"http://{target.address}/", *options)],
            env=lab.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        measured = json.loads(finished.stdout)
        assert measured["verified"] == 300 == target.stop()["requests"]
        assert f"the worker at tcp://{ADDRESSES[1]}:" in measured["notes"][0]
        assert os.readlink("/proc/self/ns/net") not in measured["notes"][0]
