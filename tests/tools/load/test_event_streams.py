"""Streams of events, as `fairtrial load` shows them, against servers that keep to a plan."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command_line import Finished

EXAMPLE = Path(__file__).parents[3] / "examples" / "language-model"


@pytest.fixture
def model() -> Iterator[str]:
    """The example's server, of which every second answer stalls for 400 ms."""
    command = [sys.executable, str(EXAMPLE / "server.py"), "0", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


def test_the_streamed_answer_of_a_language_model(call: Callable[..., Finished], model: str) -> None:
    load = ("load", "-f", EXAMPLE / "chat.workload.toml", model, "-c", "2", "-n", "6", "--warmup", "0s")
    finished = call(*load, "--json", "load.json", "--plain")
    assert finished.status == 0, finished.out + finished.err
    streams = json.loads(Path("load.json").read_text())["event_streams"]
    assert [streams[key] for key in ("events", "tokens", "streams", "stalled", "broken_off")] == [120, 120, 6, 3, 0]
    first, gaps = streams["first_event_time"], streams["event_gap"]
    assert first["count"] == 6 and first["min_seconds"] >= 0.049
    assert gaps["count"] == 6 * 19 and gaps["max_seconds"] >= 0.399
    assert 0.005 < gaps["percentiles"]["50"] < 0.1
    assert "of 6 streams 3 stalled, 0 broke off" in finished.out
    assert {"first event", "event gap"} <= {line.partition("  ")[0].strip() for line in finished.out.splitlines()}


def test_too_few_events_are_an_error_that_says_so(call: Callable[..., Finished], model: str) -> None:
    text = (EXAMPLE / "chat.workload.toml").read_text().replace("count = 20", "count = 21")
    Path("chat.workload.toml").write_text(text)
    finished = call("load", "-f", "chat.workload.toml", model, "-c", "1", "-n", "1", "--warmup", "0s")
    assert "20 events, not 21" in finished.out, finished.out + finished.err
