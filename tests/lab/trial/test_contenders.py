"""Contenders that an experiment describes itself, on trial: what runs already, and what always takes one port."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.loopback import free_port, listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import run
from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.run import start_process
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.ready import Ready
from fairtrial.judge.judging import judge_record
from fairtrial.judge.outcome import exit_status
from fairtrial.record.read import read_record
from tests.command_line import Finished, Lab

HELLO = Path(__file__).parents[2] / "fixtures" / "hello.py"


@contextmanager
def somebodys_server(port: int) -> Iterator[None]:
    """A server that was not started by the lab."""
    with subprocess.Popen([sys.executable, str(HELLO)], env={"PORT": str(port)}) as server:
        try:
            while not listens(port):
                assert server.poll() is None
            yield
            assert server.poll() is None, "the lab leaves it as it is"
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Iterator[tuple[Finished, int, int]]:
    """A run over a server that runs already and a program with a fixed port, and both ports."""
    taken, fixed = free_port(), free_port()
    (shared_lab.folder / "shop").mkdir()
    shutil.copy(HELLO, shared_lab.folder / "shop")
    contenders = f"""
[contenders.there]
title = "somebody's"
url = "http://localhost:{taken}/"
[contenders.fixed]
directory = "shop"
command = ["python3", "hello.py"]
env = {{ FIXED_PORT = "{fixed}", READY_PATH = "/healthz" }}
port = {fixed}
ready = {{ path = "/healthz" }}
"""
    claims = """
[[claims]]
id = "cheap"
kind = "budget"
text = "cheap"
of = "there"
metric = "server_cpu_per_1000_requests"
at_most = "1 s"
"""
    more = contenders + claims
    file = shared_lab.experiment("fixed", "there", workload="plaintext", service="none", seconds=0.2, more=more)
    with somebodys_server(taken):
        yield shared_lab.fairtrial("run", file, "--noise-floor"), taken, fixed


def test_a_server_that_runs_already_is_tried_and_its_processes_are_not_measured(
    tried: tuple[Finished, int, int],
) -> None:
    finished, taken, _ = tried
    there = next(each for each in finished.result["conditions"] if each["stack"] == "there")
    assert there["outcome"] == "valid", finished.out
    assert there["figures"]["goodput_per_second"]["estimate"] > 0
    assert there["figures"]["server_cpu_seconds_per_1000_requests"] is None
    assert there["figures"]["peak_rss_bytes"] is None
    for trial in there["trials"]:
        assert (trial["server"], trial["goodput"] is None) == (None, False)
        found = {each["check"]: each for each in trial["findings"]}
        for check in ("foreign-load", "contender-idle", "server-exited"):
            assert found[check]["severity"] == "note"
            assert found[check]["evidence"].startswith("not examined: ")
    (claim,) = finished.result["claims"]
    assert claim["verdict"] == "undecided" and "not measured" in claim["reason"]
    recorded = [line for line in finished.record[1:] if line["condition"].startswith("there/")]
    assert all((line["server"], line["stop"], line["exit_status"]) == (None, None, None) for line in recorded)
    assert all("running already" in line["not_measured"] for line in recorded)
    assert "listens-on-host" not in {clause["name"] for line in recorded for clause in line["contract"]}
    assert f"there (runs already at http://localhost:{taken}" in finished.out
    assert finished.results
    report = (finished.results / "report.html").read_text()
    assert "there was running already" in report and "CPU and memory not measured" in report
    again = judge_record(*read_record(finished.results))
    assert (exit_status(again), again.claims[0].reason) == (finished.status, claim["reason"])


def test_a_program_with_a_fixed_port_is_run_where_it_lies(tried: tuple[Finished, int, int]) -> None:
    """Twice, the second time on the port that its predecessor had."""
    finished, _, _ = tried
    fixed = [each for each in finished.result["conditions"] if each["stack"] == "fixed"]
    assert [each["outcome"] for each in fixed] == ["valid", "valid"], finished.out
    # Its processor time is known, too, but may be none: kernels that count ticks can miss a window of 0.2 s.
    assert all(each["trials"][0]["server"]["peak_rss_bytes"] > 0 for each in fixed)
    identities = {each["name"]: each for each in finished.result["stacks"]}
    assert [identities[name]["origin"] for name in ("there", "fixed")] == ["url", "command"]
    assert "fixed (not built: python3 hello.py)" in finished.out


def a_program(folder: Path, port: int | None, **more: object) -> Stack:
    """The test server as a contender."""
    described = {"directory": str(folder), "command": ["python3", "hello.py"], "port": port, **more}
    experiment = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    model = Experiment.model_validate(experiment | {"contenders": {"app": described}})
    return with_contenders({}, model, folder, {})["app"]


def started(stack: Stack, log: Path, ready: Ready | None = None) -> run.RunningStack:
    variant = stack.variants["default"]
    told = {} if ready is None else {"ready": ready}
    return start_process(StartRequest(stack, variant, stack.folder, settings=variant.env, cpus=[], log=log, **told))


@pytest.mark.usefixtures("engine")
def test_a_fixed_port_that_is_held_is_refused_with_its_holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PORT_FREE_WITHIN_SECONDS", 0.1)
    shutil.copy(HELLO, tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        stack = a_program(tmp_path, port)
        with pytest.raises(Problem, match=rf"port {port}, .* held by .* \(process \d+\)"):
            started(stack, tmp_path / "log")


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("own", "asked"),
    [
        ({"path": "/plaintext"}, Ready(path="/nosuch")),
        (None, Ready(path="/nosuch", status=404)),
    ],
)
def test_a_stack_is_ready_when_it_says_so_or_else_when_it_is_asked_to_be(
    tmp_path: Path, own: dict[str, object] | None, asked: Ready | None
) -> None:
    shutil.copy(HELLO, tmp_path)
    running = started(a_program(tmp_path, None, ready=own), tmp_path / "log", asked)
    assert running.process.status() is None
    running.process.stop()


@pytest.mark.usefixtures("engine")
def test_a_server_whose_guard_dies_as_it_becomes_ready_is_said_to_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its port is still answered for a moment, by a process that is no longer below the guard."""
    shutil.copy(HELLO, tmp_path)
    await_ready = run.await_ready

    def ready_then_killed(running: run.RunningStack, *args: Any, **more: Any) -> float:
        ready_at = await_ready(running, *args, **more)
        os.kill(running.process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, running.process.pid, os.WEXITED | os.WNOWAIT)
        return ready_at

    monkeypatch.setattr(run, "await_ready", ready_then_killed)
    with pytest.raises(Problem, match="ended with status -9 before"):
        started(a_program(tmp_path, None), tmp_path / "log")
