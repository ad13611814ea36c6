"""The engine's own servers as the lab starts them: they say where they listen, and at the end what they did."""

import urllib.request
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.server import engine_server


def targets() -> set[psutil.Process]:
    """The engine's targets that run below this process."""
    found = set()
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.cmdline()[1:2] == ["target"]:
                found.add(process)
    return found


def test_it_listens_and_gives_its_account(engine: Path) -> None:
    with engine_server("the target", "target", ["--body-bytes", "5"]) as server:
        with urllib.request.urlopen(f"http://{server.address}/") as answer:
            assert len(answer.read()) == 5
        assert server.account("served")["requests"] == 1


def test_one_that_does_not_start_says_why(engine: Path) -> None:
    with (
        pytest.raises(Problem, match=r"target did not start: .*--body-bytes"),
        engine_server("the target", "target", ["--body-bytes", "many"]),
    ):
        pass


def test_one_that_was_killed_has_no_account(engine: Path) -> None:
    before = targets()  # those of fixtures that serve other tests
    with engine_server("the target", "target", []) as server:
        (target,) = targets() - before
        target.kill()
        with pytest.raises(Problem, match=r"ended without an account: .*listening"):
            server.account("served")


def test_a_server_that_is_asked_what_it_did_tells_each_time_anew(engine: Path, snapshot: object) -> None:
    with engine_server("the proxy", "proxy", ["--to", "127.0.0.1:1", "--latency", "0ms"]) as server:
        told = [server.so_far("proxying") for _ in range(3)]
        moments = [each["at_seconds"] for each in told]
        assert moments == sorted(set(moments))
        assert server.account("proxied")["round_trips"] == told[0]["round_trips"]
        with pytest.raises(Problem) as error:
            server.so_far("proxying")
        reason, _, said = str(error.value).partition(": ")
        assert reason == snapshot and '"event":"proxying"' in said
