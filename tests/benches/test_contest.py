"""Generators at a server of one protocol: real runs of the engine, far too short to mean anything."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benches import compare
from benches.bench import Bench, Table
from benches.load import Command, Load, Tool
from benches.processes import pausing
from benches.tables import before, bodies, contest, go_protocols, grpc, journeys
from benches.tables.contest import theirs
from benches.tools import all_tools, k6, locust
from tests.machine.needs import needs
from tests.waiting import wait_for

PLAIN = "fairtrial: plain requests"


@pytest.fixture
def bench(engine: Path) -> Bench:
    cpus = sorted(os.sched_getaffinity(0))
    return Bench(engine, cpus[0], cpus[-1], rounds=1, seconds=0.5, report=lambda _: None)


def rows(text: str) -> list[list[str]]:
    """The cells of all tables, without their heads."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [line for line in lines if line[0] not in ("generator", "---")]


def run_alone(table: Table, bench: Bench) -> list[list[str]]:
    """Ours alone, in all that the table has of it."""
    return rows(table.text(bench, [all_tools(bench.engine)[0]]))


def test_a_journey_is_held_against_plain_requests(bench: Bench) -> None:
    found = run_alone(journeys.TABLE, bench)
    first = "fairtrial: steps, one of which takes a value"
    assert [row[0] for row in found] == [first, "fairtrial: steps", PLAIN, first] * 2
    costs, paced = found[0:3], found[3]
    assert all(float(row[1]) > 0 for row in costs) and costs[0][3] == "1.00"
    assert float(paced[2]) > 0, "the time of journeys is stated"


@needs("nginx", "node")
@pytest.mark.parametrize("table", [bodies.PACKED_TABLE, bodies.EVENTS_TABLE], ids=["packed", "events"])
def test_bodies_are_unpacked_and_events_told_apart(bench: Bench, table: Table) -> None:
    """An answer that is not right would be an error, and end the run."""
    ours = [row for row in run_alone(table, bench) if row[0] == contest.OURS]
    assert len(ours) == (4 if table is bodies.PACKED_TABLE else 2)


@needs("go-nethttp")
@pytest.mark.parametrize("table", [go_protocols.WEBSOCKET_TABLE, go_protocols.HTTP3_TABLE, grpc.TABLE])
def test_servers_in_go_are_built_and_asked(bench: Bench, table: Table) -> None:
    assert len(run_alone(table, bench)) == 2


def test_what_is_not_at_hand_is_told(bench: Bench) -> None:
    lacking = replace(grpc.CALLS, lack=lambda: "Go is not installed")
    assert lacking.text(bench, []) == "Calls: not measured, as Go is not installed."


def test_a_peer_that_cannot_do_it_is_left_out_and_told(bench: Bench) -> None:
    def fails(load: Load) -> Command:
        return Command([sys.executable, "-c", "import sys; sys.exit('no such option')"])

    peer = Tool("a peer", ["python3"], None)
    lacking = replace(
        journeys.contest("epoll"), ways=[*journeys.contest("epoll").ways[:1], theirs(peer, fails, lambda _: 1)]
    )
    text = lacking.text(bench, [peer])
    assert len(rows(text)) == 2
    assert text.endswith(f"Left out is a peer, which cannot do this: {sys.executable} ended with 1: no such option")


def test_packed_bodies_differ_and_are_equally_long() -> None:
    texts = [bodies.body(number) for number in range(bodies.BODIES)]
    assert len(set(texts)) == bodies.BODIES and len({len(text) for text in texts}) == 1


def test_peers_that_are_not_installed_are_left_out(bench: Bench) -> None:
    assert [way.tool for way in go_protocols.MESSAGES.ways[1:]] == [k6.TOOL, locust.TOOL]
    assert go_protocols.HTTP3_TABLE.minutes == pytest.approx(4 * 4 * 5.0 / 60)


def test_a_server_that_pauses_stands_still_and_goes_on() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        status = psutil.Process(process.pid).status
        with pausing(process.pid):
            wait_for(lambda: status() == psutil.STATUS_STOPPED, "it stands still")
            wait_for(lambda: status() == psutil.STATUS_RUNNING, "it goes on")
        assert status() != psutil.STATUS_STOPPED
        process.kill()


def test_this_engine_is_held_against_an_earlier_one(bench: Bench) -> None:
    assert "--base" in before.text(bench, [])
    found = rows(before.text(replace(bench, base=bench.engine), []))
    assert [row[0] for row in found] == ["this one", "the base"] * 2
    with pytest.raises(subprocess.CalledProcessError):
        compare.engine_of("no-such-revision")
