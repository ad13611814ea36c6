"""The tables, and what runs the generators."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benches import document
from benches.bench import Bench
from benches.load import Command, Load, Percentiles, Tool
from benches.processes import run, version
from benches.tables import TABLES, alternation, before, closing, drivers, peers, scale, sizes, truth
from benches.tools import all_tools, engine, h2load
from fairtrial.docs.pages import replace_part


def test_rows_of_generators_have_medians() -> None:
    rows = [
        alternation.Row("ours", [5.0, 5.2, 9.0], [900.0, 1000.0, 2000.0], [0.09, 0.1, 0.2], [1.0] * 3, [1.0] * 3),
        alternation.Row("theirs", [7.0, 7.8, 8.0], [10.0, 20.0, 30.0], [], [1.4, 1.5, 0.9], [0.5, 0.6, 0.4]),
    ]
    lines = alternation.markdown(rows).splitlines()
    assert lines[2] == "| ours | 5.20 | 5.00 to 9.00 | 1.00 | 1,000 | 1.00 | 0.1 |"
    assert lines[3] == "| theirs | 7.80 | 7.00 to 8.00 | 1.40 | 20 | 0.50 | not stated |"


def test_percentiles_that_a_tool_does_not_state_are_named(snapshot: object) -> None:
    text = document.percentiles_table(truth.EXPECTED, [("wrk", Percentiles(0.38, None, 178.02, None))])
    assert text == snapshot
    assert text.splitlines()[-1] == "| wrk | 0.38 | not stated | 178.0 | not stated |"


def test_drivers_stand_side_by_side_by_number_of_connections() -> None:
    rows = [
        drivers.DriverRow("io_uring", 64, [4.0, 6.0, 5.0], [0.1, 0.2, 0.1]),
        drivers.DriverRow("epoll", 64, [5.0, 6.0, 4.0], [0.1, 0.1, 0.3]),
    ]
    lines = drivers.markdown(rows).splitlines()
    assert lines[2:] == ["| 64 | 5.00 | 5.00 | 1.00 | 0.80 to 1.25 | 0.10 | 0.10 |"]


def test_scale_rows_state_memory_per_connection() -> None:
    rows = [
        scale.ScaleRow("ours", 64, 1, 5.0, 60_000.0, 2**20),
        scale.ScaleRow("ours", 1064, 1, 5.5, 50_000.0, 2**20 + 1_000_000),
    ]
    lines = scale.markdown([*rows, scale.ScaleRow("ours", 128, 2, 6.0, 1e5, 2**21)]).splitlines()
    assert lines[2].endswith("| 1.0 | — |") and lines[4].endswith("| 2.0 | — |")
    assert lines[3] == "| ours | 1,064 | 1 | 5.50 | 50,000 | 2.0 | 1000 bytes |"


def test_parts_are_replaced_between_their_markers() -> None:
    text = "a\n<!-- cost -->\nold\n<!-- /cost -->\nb"
    assert replace_part(text, "cost", "new") == "a\n<!-- cost -->\nnew\n<!-- /cost -->\nb"
    with pytest.raises(ValueError, match="truth"):
        replace_part(text, "truth", "new")


def test_the_pages_have_every_marker() -> None:
    text = "".join(page.read_text() for page in document.PAGES)
    for table in TABLES:
        if table.has_page:
            replace_part(text, table.name, "")


def test_each_table_compares_the_engine_with_others() -> None:
    tools = all_tools(Path("engine"))
    for table in TABLES:
        compared = [tool for tool in tools if table.compares(tool)]
        assert compared[0].name == "fairtrial (io_uring)", table.name
        assert any(not tool.is_ours for tool in compared) or table in (drivers.TABLE, before.TABLE), table.name


def test_a_window_that_closes_into_a_stall_has_its_percentiles_by_arithmetic() -> None:
    """2,000 requests a second for 4 s, however late the generator begins: all that are due in the stall count."""
    for late_seconds in (0.01, 0.2, 0.49):
        due = [number / 2000 for number in range(8000)]
        begin = 3.75 - late_seconds
        waits = sorted(1000 * max(0.0, begin + 1 - at) if at >= begin else 0.0 for at in due)
        stated = [waits[round(8000 * share) - 1] for share in (0.95, 0.99, 0.999)]
        expected = [closing.EXPECTED.p95, closing.EXPECTED.p99, closing.EXPECTED.p999]
        assert stated == pytest.approx(expected, abs=1.0)


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


def test_a_size_s_ratio_is_that_to_the_least_of_the_others_in_the_same_round(snapshot: object) -> None:
    rows = [
        sizes.SizeRow("fairtrial (auto)", True, {200: [20.0, 40.0, 30.0]}),
        sizes.SizeRow("fairtrial (epoll)", True, {200: [1.0, 1.0, 1.0]}),
        sizes.SizeRow("a", False, {200: [40.0, 50.0, 30.0]}),
        sizes.SizeRow("b", False, {200: [80.0, 20.0, 40.0]}),
    ]
    lines = sizes.markdown(rows, "fairtrial (auto)").splitlines()
    assert lines[0] == snapshot
    assert lines[2] == "| fairtrial (auto) | 30.00 |" and lines[4] == "| a | 40.00 |"
    assert lines[-1] == snapshot
    assert sizes.markdown(rows[:2], "fairtrial (auto)").splitlines()[-1].endswith("| — |")


def test_a_plan_of_a_size_expects_it_of_every_answer(tmp_path: Path) -> None:
    load = Load("127.0.0.1:80", 16, 1.0, None, tmp_path, answer_bytes=65_536)
    plan = json.loads(engine.plan(load, "epoll", cpus=[1], warmup_seconds=0.5))
    assert plan["driver"] == "epoll" and plan["cpus"] == [1]
    assert plan["requests"][0]["expect"] == {"status": [200], "body_bytes": {"min": 65_536, "max": 65_536}}


def test_a_plan_of_long_requests_sends_a_file(tmp_path: Path) -> None:
    load = Load("127.0.0.1:80", 16, 1.0, None, tmp_path, request_bytes=65_536)
    (request,) = json.loads(engine.plan(load, "auto"))["requests"]
    assert request["method"] == "POST" and Path(request["body_file"]).stat().st_size == 65_536
    assert request["expect"]["body"] == {"kind": "exact", "text": "ok"}


def test_the_engine_stands_beside_its_peers(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real runs, far too short to mean anything; what is not installed has a row that says so."""
    monkeypatch.setattr(peers, "SETTINGS", (peers.TLS_EACH, alternation.HTTP2))
    monkeypatch.setattr(peers, "CONNECTS", (100, 200))
    monkeypatch.setattr(peers, "version", lambda tool: None if tool is h2load.HTTP2 else version(tool))
    ours, *others = [tool for tool in all_tools(engine) if peers.TABLE.compares(tool)]
    installed = [ours, *(tool for tool in others if not tool.is_ours and peers.version(tool) is not None)]
    cpus = sorted(os.sched_getaffinity(0))
    bench = Bench(engine, cpus[0], cpus[-1], rounds=1, seconds=1.0, report=lambda _: None)
    rows = [line.split(" | ") for line in peers.costs(bench, installed).splitlines()[2:]]
    assert [row[0] for row in rows] == [f"| {peers.TLS_EACH.name}", f"| {alternation.HTTP2.name}"]
    assert [row[1].split(":")[0] for row in rows] == ["wrk", "h2load"]
    assert rows[1][1].endswith("not installed")

    bench = replace(bench, seconds=0.5)
    stated = peers.pauses(bench, [ours]).splitlines()[2].split(" | ")[1]
    assert float(stated) > 60.0
    openings = peers.openings_table(peers.openings(bench)).splitlines()[2:]
    assert [row.split(" | ")[:2] for row in openings] == [["| 100", "1"], ["| 200", "1"]]
