"""Servers that choose whom they serve, and honest ones that come close, under a load on real sockets."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.judge.checks.uneven_connections import hidden_by_turns
from fairtrial.record.engine_summary import ConnectionAnswers
from fairtrial.tools.load.advice import warnings
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.report.figures import unevenness_in_words
from tests.lines import passage
from tests.tools.load.measurements import closed

UNFAIR = Path(__file__).parents[2] / "fixtures" / "unfair.py"
OF_THIS = ("uneven-connections", "keep-alive-not-kept")

Loaded = Callable[..., Measurement]


@pytest.fixture
def loaded(engine: Path) -> Iterator[Loaded]:
    """Starts a server of this mode and loads it with a closed load of 8 connections; it ends with the test."""
    assert engine
    with ExitStack() as stack:

        def load(mode: str, seconds: float = 0.5, connections: int = 8, threads: int = 1, **beyond: Any) -> Measurement:
            command = [sys.executable, "-I", str(UNFAIR), mode]
            server = stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            )
            stack.callback(os.killpg, server.pid, signal.SIGKILL)
            assert server.stdout
            port = int(server.stdout.readline())
            offered = closed(
                beyond,
                connections=connections,
                duration_seconds=seconds,
                warmup_seconds=0.1,
                warmup_limit_seconds=0.1,
                keep_alive="requests_per_connection" not in beyond,
            )
            requests = [Request(name="ok", path="/")]
            address = f"127.0.0.1:{port}"
            plan = EnginePlan(address=address, requests=requests, threads=threads, **offered.engine_terms())
            return measure(Console(file=io.StringIO()), f"http://{address}/", offered, plan)

        yield load


def spread(measured: Measurement) -> ConnectionAnswers:
    told = measured.summary.connection_answers
    assert told and told.evenness is not None
    return told


def findings(measured: Measurement) -> list[tuple[str, str]]:
    """Those of these checks, with what a user reads."""
    return [(each.check, each.severity) for each in measured.findings if each.check in OF_THIS]


def told_by(measured: Measurement) -> list[tuple[str, str]]:
    """The findings on an honest server: none, or a warning where others on this machine held up a thread or worker."""
    is_even = (spread(measured).evenness or 0) >= 8 / 9
    return [] if is_even else [("uneven-connections", "warning")]


def test_one_connection_after_the_other(loaded: Loaded, snapshot: object) -> None:
    """Whoever has its turn is answered at once, so p99 is that of a quick server; the others wait for 0.35 s."""
    measured = loaded("turns", seconds=1.2)
    told, percentiles = spread(measured), measured.summary.response_time.percentiles
    assert told.evenness_in_slices is not None and told.evenness_in_slices < 0.3
    assert (percentiles["99"] or 1) < 0.05 < (measured.summary.response_time.max_seconds or 0)
    assert findings(measured) == [("uneven-connections", "refusal")]
    (said,) = [text for text in warnings(measured) if text.startswith("uneven-connections")]
    assert passage(said, "at a time", "10 ms)") == snapshot
    assert "under an open load" in said


def test_three_of_four_connections_at_a_time(loaded: Loaded) -> None:
    """Too few to be refused: what they gain of the percentiles is known, and in the intervals of claims."""
    # Where other processes take the processors, turns are longer in a run or two.
    runs = (loaded("some", seconds=1.5) for _ in range(5))
    measured = next(run for run in runs if not any(severity == "refusal" for check, severity in findings(run)))
    assert 0.12 < hidden_by_turns(measured.summary) < 0.4
    assert hidden_by_turns(loaded("even", seconds=1.5).summary) < 0.1


def test_a_few_connections_for_the_whole_window(loaded: Loaded) -> None:
    measured = loaded("few")
    told = spread(measured)
    assert (told.without, told.least) == (4, 0) and (told.evenness or 1) < 0.52
    assert ("uneven-connections", "refusal") in findings(measured)
    assert unevenness_in_words(measured).endswith("; 4 had none")


def test_the_engine_counts_each_answer_once(loaded: Loaded) -> None:
    """In two threads; an honest server is left alone."""
    measured = loaded("even", threads=2)
    told, answers = spread(measured), measured.summary.answers
    assert told.connections == 8 and told.least * 8 <= answers <= told.most * 8
    assert findings(measured) == told_by(measured)
    assert bool(unevenness_in_words(measured)) == bool(told_by(measured))
    assert measured.summary.connects_per_answer == 0


def test_connections_that_are_not_kept(loaded: Loaded) -> None:
    """A place counts through all its sockets, and is as even as the server that closes them."""
    measured = loaded("closes")
    assert (spread(measured).evenness or 0) > 0.9 and (measured.summary.connects_per_answer or 0) > 0.9
    assert findings(measured) == [("keep-alive-not-kept", "warning")]
    (said,) = [text for text in warnings(measured) if text.startswith("keep-alive-not-kept")]
    assert "where 8 were to be kept" in said


def test_connections_that_are_not_to_be_kept(loaded: Loaded) -> None:
    assert findings(loaded("even", requests_per_connection=1)) == []


def test_workers_that_have_as_many_connections_each(loaded: Loaded) -> None:
    measured = loaded("pre-fork", connections=16)
    assert findings(measured) == told_by(measured)


def test_pipelines_and_clients_that_think(loaded: Loaded) -> None:
    for load in ({"pipeline": 4}, {"think_seconds": 0.02}):
        measured = loaded("even", **load)
        assert findings(measured) == []
        assert spread(measured).evenness_in_slices is None
