"""The tables, and what runs the generators."""

import json
import os
import sys
from pathlib import Path

import pytest

from benches import document
from benches.load import Command, Load, Percentiles, Tool
from benches.measure import CostRow, ScaleRow, SizeRow
from benches.processes import run, version
from benches.tools import engine


def test_cost_rows_have_medians() -> None:
    rows = [CostRow("ours", [5.0, 5.2, 9.0], [1.0, 1.0, 1.0]), CostRow("theirs", [7.0, 7.8, 8.0], [1.4, 1.5, 0.9])]
    lines = document.cost_table(rows).splitlines()
    assert lines[2] == "| ours | 5.20 | 5.00 to 9.00 | 1.00 |"
    assert lines[3] == "| theirs | 7.80 | 7.00 to 8.00 | 1.40 |"


def test_percentiles_that_a_tool_does_not_state_are_named() -> None:
    text = document.truth_table([("wrk", Percentiles(0.38, None, 178.02, None))])
    assert "| by arithmetic | that of no stall | 100.0 | 180.0 | 198.0 |" in text
    assert text.splitlines()[-1] == "| wrk | 0.38 | not stated | 178.0 | not stated |"


def test_scale_rows_state_memory_per_connection() -> None:
    rows = [ScaleRow("ours", 64, 1, 5.0, 60_000.0, 2**20), ScaleRow("ours", 1064, 1, 5.5, 50_000.0, 2**20 + 1_000_000)]
    lines = document.scale_table([*rows, ScaleRow("ours", 128, 2, 6.0, 1e5, 2**21)]).splitlines()
    assert lines[2].endswith("| 1.0 | — |") and lines[4].endswith("| 2.0 | — |")
    assert lines[3] == "| ours | 1,064 | 1 | 5.50 | 50,000 | 2.0 | 1000 bytes |"


def test_parts_are_replaced_between_their_markers() -> None:
    text = "a\n<!-- cost -->\nold\n<!-- /cost -->\nb"
    assert document.replace_part(text, "cost", "new") == "a\n<!-- cost -->\nnew\n<!-- /cost -->\nb"
    with pytest.raises(ValueError, match="truth"):
        document.replace_part(text, "truth", "new")


def test_the_page_has_every_marker() -> None:
    page = (Path(__file__).parents[2] / "docs/benchmarks.md").read_text()
    for name in ("cost", "sizes", "truth", "scale"):
        document.replace_part(page, name, "")


@pytest.mark.measures
def test_processor_time_and_memory_are_the_process_own(tmp_path: Path) -> None:
    work = "import time\nheap = bytearray(50_000_000)\nend = time.process_time() + 0.3\n"
    work += "while time.process_time() < end: pass\nprint('done')"
    cpu = min(os.sched_getaffinity(0))
    load = Load("127.0.0.1:80", 1, 1.0, None, tmp_path)
    finished = run(Command([sys.executable, "-c", work]), load, [cpu])
    assert finished.stdout == "done\n" and 0.3 <= finished.cpu_seconds < 1.0
    assert 50e6 < finished.most_memory_bytes < 90e6
    with pytest.raises(RuntimeError, match="ended with 3: no luck"):
        run(Command([sys.executable, "-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)"]), load, [cpu])
    assert len(os.sched_getaffinity(0)) >= 1


def test_versions() -> None:
    assert version(Tool("python", [sys.executable, "--version"], None)) == ".".join(map(str, sys.version_info[:3]))
    assert version(Tool("none", ["no-such-generator"], None)) is None


def test_rows_of_sizes_pair_the_drivers_within_a_round() -> None:
    row = SizeRow(65_536, {"io_uring": [20.0, 40.0, 30.0], "epoll": [10.0, 50.0, 30.0]})
    assert document.sizes_table([row]).splitlines()[2] == "| 65,536 | 30.00 | 30.00 | 1.00 |"
    row = SizeRow(1_048_576, {"io_uring": [200.0, 240.0], "epoll": [100.0, 200.0]})
    assert document.sizes_table([row]).splitlines()[2] == "| 1,048,576 | 220.00 | 150.00 | 1.60 |"


def test_a_plan_of_a_size_expects_it_of_every_answer(tmp_path: Path) -> None:
    load = Load("127.0.0.1:80", 16, 1.0, None, tmp_path)
    plan = json.loads(engine.sized_plan(load, "epoll", 65_536, cpus=[1], warmup_seconds=0.5))
    assert plan["driver"] == "epoll" and plan["cpus"] == [1]
    assert plan["requests"][0]["expect"] == {"status": [200], "body_bytes": {"min": 65_536, "max": 65_536}}
