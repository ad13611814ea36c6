"""Experiments whose requests are messages of a WebSocket, on the example's server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Lab
from tests.lab.trial.test_http2 import LENGTHS

IN_TURNS = "[checks.uneven-connections]\nhidden = 1\nsome_hidden = 1\n"
"""On a calm machine, one loop that echoes to all may hear the same connection again before the others."""
EXAMPLE = Path(__file__).parents[3] / "examples" / "websocket"
RUN = f"runpy.run_path({str(EXAMPLE / 'server.py')!r}, run_name='__main__')"


@pytest.fixture
def url() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, str(EXAMPLE / "server.py"), "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip().replace("ws:", "http:").rstrip("/")
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("workload", "words", "most"),
    [("ask", "closed, 3 connections × 8 messages", 24), ("chat", "closed, 3 connections, keep-alive", 3)],
)
def test_messages_are_tried_and_their_times_add_up(lab: Lab, url: str, workload: str, words: str, most: int) -> None:
    file = lab.experiment(
        "there",
        service="none",
        load=f"connections = 3\n{LENGTHS}",
        more=f'{IN_TURNS}[contenders.there]\nurl = "{url}"\n',
    )
    text = file.read_text(encoding="utf-8")
    own = EXAMPLE / f"{workload}.workload.toml"
    file.write_text(text.replace('workload = "random-item"', f'workload = "{own}"', 1), encoding="utf-8")
    finished = lab.fairtrial("run", file)
    (trial,) = finished.record[1:]
    assert trial["engine"]["verified"] == trial["engine"]["answers"] > 0, finished.out
    assert trial["engine"]["under_way"]["mean_requests"] == pytest.approx(most, rel=0.05)
    assert trial["engine"]["acknowledgements"], "numbers go on from load to load"
    (condition,) = finished.result["conditions"]
    assert condition["outcome"] == "valid", condition["reason"]
    assert words in " ".join(finished.out.split())
    copies = condition["figures"]["copy_time_p50_seconds"]
    assert (copies is not None) == (workload == "chat"), "each copy of a broadcast has its time"
    assert finished.results is not None
    assert f"message to /{workload}" in (finished.results / "report.html").read_text(encoding="utf-8")


def test_broadcasts_are_measured_in_slices(lab: Lab) -> None:
    """Each slice is a part of its window, which is whole on one host."""
    command = [sys.executable, "-c", f"import os, runpy, sys; sys.argv[1:] = [os.environ['PORT']]; {RUN}"]
    contender = f'directory = "."\ncommand = {json.dumps(command)}\n'
    file = lab.experiment(
        "first",
        "second",
        service="none",
        load=f"connections = 3\n{LENGTHS}",
        more=f"[slices]\n[contenders.first]\n{contender}[contenders.second]\n{contender}",
    )
    own = EXAMPLE / "chat.workload.toml"
    text = file.read_text(encoding="utf-8").replace('workload = "random-item"', f'workload = "{own}"', 1)
    file.write_text(text, encoding="utf-8")
    finished = lab.fairtrial("run", file)
    assert [line.get("failure") for line in finished.record[1:]] == [None, None], finished.out
    for line in finished.record[1:]:
        assert line["slices"] is not None
        assert line["engine"]["verified"] > 0 and line["engine"]["copy_time"]["count"] > 0
