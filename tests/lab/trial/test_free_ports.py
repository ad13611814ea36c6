"""A trial without keep-alive begins when most local ports are free again."""

import re
import socket
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairtrial.commands import app
from fairtrial.lab.meters.network import local_ports, time_wait_sockets
from fairtrial.lab.trial import free_ports
from fairtrial.lab.trial.free_ports import occupied_ports, takes_ports, wait_for_ports
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.fixed import FixedLoad
from fairtrial.load.open import OpenLoad
from fairtrial.load.program import ProgramLoad
from fairtrial.record.read import read_record
from tests.command_line import Lab

A_FEW = 1e-6
"""A share of the local ports that a single closed connection exceeds."""


def close_one() -> None:
    """Leave a connection in TIME_WAIT behind."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        served, _ = listener.accept()
        client.close()
        served.close()


@pytest.fixture(autouse=True)
def _a_kernel_that_does_not_lend_ports_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_ports, "reuses_time_wait_ports", lambda: False)


def test_where_ports_are_lent_again_no_load_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert takes_ports(ClosedLoad(keep_alive=False))
    monkeypatch.setattr(free_ports, "reuses_time_wait_ports", lambda: True)
    assert not takes_ports(ClosedLoad(keep_alive=False))


def test_closed_connections_are_counted_beside_the_local_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    close_one()
    ports, closed = local_ports(), time_wait_sockets()
    assert ports and closed
    monkeypatch.setattr(free_ports, "SHARE", A_FEW)
    assert occupied_ports() > 0
    monkeypatch.setattr(free_ports, "SHARE", 1e6)
    assert occupied_ports() == 0


@pytest.mark.parametrize(("closed", "holding"), [(250, 0), (251, 251), (None, 0)])
def test_ports_are_occupied_from_a_quarter_on(
    closed: int | None, holding: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_ports, "local_ports", lambda: 1000)
    monkeypatch.setattr(free_ports, "time_wait_sockets", lambda: closed)
    assert occupied_ports() == holding


def test_it_waits_until_they_expire_and_never_longer_than_they_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_ports, "LOOK_EVERY_SECONDS", 0.01)
    left = [9000, 8000, 7000, 0]
    wait_for_ports(lambda: left.pop(0))
    assert left == []
    monkeypatch.setattr(free_ports, "LONGEST_SECONDS", 0.1)
    began = time.monotonic()
    wait_for_ports(lambda: 9000)
    assert 0.1 <= time.monotonic() - began < 5


def test_only_loads_that_take_a_port_for_each_request_wait() -> None:
    objective = Objective(name="any", within_milliseconds=1)
    for load in (
        ClosedLoad(keep_alive=False),
        OpenLoad(kind="open", rate_per_second=1, keep_alive=False),
        FixedLoad(kind="fixed", requests=16, keep_alive=False),
        CapacityLoad(kind="capacity", objectives=[objective], keep_alive=False),
    ):
        assert takes_ports(load)
        assert not takes_ports(load.model_copy(update={"keep_alive": True}))
    assert not takes_ports(ProgramLoad())


@pytest.mark.parametrize("keep_alive", ["false", "true"])
def test_a_trial_waits_for_the_connections_of_the_one_before(
    keep_alive: str, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real connections, and a share that a few of them exceed; the limit is half a second, not a minute."""
    monkeypatch.setattr(free_ports, "SHARE", A_FEW)
    monkeypatch.setattr(free_ports, "LONGEST_SECONDS", 0.5)
    monkeypatch.chdir(lab.folder)
    name = lab.stack("tried")
    load = f'kind = "closed"\nwarmup_seconds = 0\nduration_seconds = 0.3\nkeep_alive = {keep_alive}'
    path = lab.experiment(name, load=load, blocks=2)
    finished = CliRunner().invoke(app, ["run", str(path), *map(str, lab.named(name))], env=lab.environment)
    (results,) = Path("results").iterdir()
    waits = [trial.stage_seconds.get("wait") for trial in read_record(results)[1]]
    said = re.findall(r"waiting for ([\d,]+) closed connections? to expire", finished.output)
    assert ("waits for local ports" in finished.output) == (keep_alive == "false")
    if keep_alive == "true":
        assert (waits, said) == ([None, None], []), finished.output
        return
    assert waits[1] is not None and 0.5 <= waits[1] < 5, finished.output
    assert said and int(said[-1].replace(",", "")) >= 1
