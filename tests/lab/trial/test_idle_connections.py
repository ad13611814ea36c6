"""Idle connections beside a trial's load, on the example's server of WebSockets."""

import sys

import pytest

from tests.command_line import Finished, Lab
from tests.lab.trial.test_http2 import LENGTHS, findings
from tests.lab.trial.test_websocket import EXAMPLE

NUMBER = 2000


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Finished:
    """One trial of a load of three connections beside so many."""
    command = ["sh", "-c", f"exec {sys.executable} {EXAMPLE / 'server.py'} $PORT"]
    file = shared_lab.experiment(
        "there",
        service="none",
        load=f"connections = 3\nidle_connections = {NUMBER}\n{LENGTHS}",
        more=f"[contenders.there]\ncommand = {command}\ndirectory = '{EXAMPLE}'\n",
    )
    text = file.read_text(encoding="utf-8")
    own = EXAMPLE / "echo.workload.toml"
    file.write_text(text.replace('workload = "random-item"', f'workload = "{own}"', 1), encoding="utf-8")
    return shared_lab.fairtrial("run", file)


def test_all_are_open_for_the_whole_window(tried: Finished) -> None:
    (trial,) = tried.record[1:]
    idle = trial["idle_connections"]
    assert [idle[key] for key in ("number", "opened", "open_at_begin", "open_at_end")] == 4 * [NUMBER], tried.out
    assert (idle["failures"], idle["losses"]) == ({}, {})
    assert 0 < idle["opening_seconds"] < idle["begin_seconds"] < idle["end_seconds"]
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0
    assert trial["engine"]["connects"] <= 3, "the load has its own connections"
    assert "2,000 idle connections" in " ".join(tried.out.split())
    assert "2,000 open when the window opened, 2,000 when it closed" in findings(tried, "note")["idle-connections"]


def test_memory_is_told_for_each_of_them(tried: Finished) -> None:
    """Tornado holds a handler, a stream and a request for each: some tens of KiB, and no less than one."""
    (trial,) = tried.record[1:]
    memory = trial["idle_connections"]["memory"]
    assert memory["connections"] == NUMBER
    (condition,) = tried.result["conditions"]
    figure = condition["figures"]["idle_connection_rss_bytes"]["estimate"]
    assert figure == pytest.approx((memory["open_bytes"] - memory["before_bytes"]) / NUMBER)
    assert 1 << 10 < figure < 1 << 18
