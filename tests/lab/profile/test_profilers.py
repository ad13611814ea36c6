"""Each profiler's output becomes stacks, and each program gets the profiler that is meant for it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fairtrial.lab.profile.profilers import PROFILERS, profiler_for
from fairtrial.lab.profile.profilers.jfr import allocated_bytes, folded_events
from fairtrial.lab.profile.profilers.node import folded_profile
from fairtrial.lab.profile.profilers.perf import folded_samples

OUTPUTS = Path(__file__).parent / "outputs"


@pytest.mark.parametrize(
    ("program", "profiler"),
    [
        ("python3.11", "py-spy"),
        ("python3.13t", "py-spy"),
        ("pythonic-server", "perf"),
        ("node", "node-cpu-profile"),
        ("nodeinfo", "perf"),
        ("java", "jfr"),
        ("javascript", "perf"),
        ("ruby", "perf"),
        ("server", "perf"),
    ],
)
def test_a_program_gets_the_profiler_that_is_meant_for_it(program: str, profiler: str) -> None:
    found = profiler_for(program)
    assert found is not None and found.name == profiler


def test_samples_of_perf() -> None:
    with (OUTPUTS / "perf-6.1.txt").open() as lines:
        stacks = folded_samples(lines)
    assert stacks == {
        ("[unknown]", "__strchr_avx2"): 1,
        ("[dash]",): 1,
        ("__GI___getdents64", "__x64_sys_getdents64 [kernel]", "iterate_dir [kernel]"): 1,
        ("net/http.(*conn).serve",): 1,
    }


def test_stacks_without_a_symbol_of_the_program_are_remarked_upon() -> None:
    remark = PROFILERS["perf"].remark
    kernel = ("[server]", "ksys_write [kernel]")
    stripped = remark(Counter({("[server]",): 6, kernel: 2, ("main", "serve"): 4}))
    assert stripped is not None and "67%" in stripped.reason and "-ldflags" in stripped.remedy
    assert remark(Counter({kernel: 5, ("main", "[libc.so.6]"): 6})) is None


def test_events_of_a_flight_recorder() -> None:
    """Those of its own thread are none of the program's."""
    printed = json.loads((OUTPUTS / "jfr-17.json").read_text())
    assert folded_events(printed) == {("com.sun.tools.javac.launcher.Main.main", "Idle.main", "Idle.work"): 2}


def allocated(name: str, at: int, total: int) -> dict[str, Any]:
    values = {"startTime": f"2026-01-01T00:00:0{at}.123Z", "allocated": total, "thread": {"osThreadId": hash(name)}}
    values["thread"]["javaName"] = name
    return {"type": "jdk.ThreadAllocationStatistics", "values": values}


def test_what_java_allocated_is_that_of_threads_between_begin_and_end() -> None:
    """The recording has three parts."""
    of_one = [allocated("one", at, total) for at, total in ((1, 1000), (3, 1500), (2, 1200))]
    came = [allocated("came", 3, 70)]
    came_early = [allocated("came early", 2, 8), allocated("came early", 3, 9)]
    left = [allocated("left", 1, 5000)]
    own = [allocated("JFR Recorder Thread", at, 9999 * at) for at in (1, 3)]
    events = [*of_one, *came, *came_early, *left, *own, {"type": "jdk.ExecutionSample", "values": {}}]
    assert allocated_bytes({"recording": {"events": events}}) == 500 + 70 + 9
    assert allocated_bytes({"recording": {"events": [*came, *left]}}) is None


def call(name: str, url: str = "", line: int = -1) -> dict[str, Any]:
    return {"functionName": name, "url": url, "lineNumber": line}


def test_a_cpu_profile_of_node() -> None:
    nodes = [
        {"id": 1, "callFrame": call("(root)"), "children": [2, 3]},
        {"id": 2, "callFrame": call("(idle)")},
        {"id": 3, "callFrame": call("", "file:///a%20b/app.js", 4), "children": [4]},
        {"id": 4, "callFrame": call("end", "node:net", 9)},
    ]
    assert folded_profile({"nodes": nodes, "samples": [1, 2, 2, 3, 4, 4]}) == {
        ("(anonymous) (/a b/app.js:5)",): 1,
        ("(anonymous) (/a b/app.js:5)", "end (node:net:10)"): 2,
    }


def test_a_cpu_profile_that_goes_in_circles_has_an_end() -> None:
    nodes = [{"id": 1, "callFrame": call("a"), "children": [2]}, {"id": 2, "callFrame": call("b"), "children": [1]}]
    ((stack, count),) = folded_profile({"nodes": nodes, "samples": [2]}).items()
    assert count == 1 and len(stack) < 1000
