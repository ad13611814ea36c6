"""System calls by name, counted by each tool in whole runs of a server that makes so many of one for each answer."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.perf_stat import counts_by_event
from fairtrial.lab.profile.system_calls import LINE_OF_STRACE, LINE_OF_TRACE, calls_by_name, count_system_calls
from fairtrial.record.profile import Profile, SystemCalls, read_profiles
from tests.command_line import Lab
from tests.lines import line_with
from tests.machine.needs import needs

OUTPUTS = Path(__file__).parent / "outputs"
SERVER = Path(__file__).parents[2] / "fixtures" / "yielding.py"
CONTENDER = """
[contenders.with-{processes}]
directory = "."
command = ["python3", "{server}"]
env = {{ YIELDS = "{yields}", PROCESSES = "{processes}" }}
"""
WITHOUT_TRACEPOINTS = f"""#!{sys.executable}
import subprocess, sys
words = sys.argv
if words[1] == "stat":
    subprocess.run(words[words.index("--") + 1 :], check=True)
    open(words[words.index("-o") + 1], "w").write(open({str(OUTPUTS / "perf-stat.txt")!r}).read())
"""
"""A perf on a machine that counts events, of a user who may not see tracepoints."""


def profiled(lab: Lab, yields_by_processes: dict[int, int]) -> Sequence[Profile]:
    """The lines of a run of contenders with so many processes, which call sched_yield() so often for each answer."""
    more = "".join(
        CONTENDER.format(processes=processes, yields=yields, server=SERVER)
        for processes, yields in yields_by_processes.items()
    )
    stacks = [f"with-{processes}" for processes in yields_by_processes]
    file = lab.experiment(*stacks, workload="plaintext", service="none", seconds=0.3, data="", more=more)
    finished = lab.fairtrial("run", file, "--profile")
    assert finished.results is not None, finished.err
    return read_profiles(finished.results).lines


def yields_each(calls: SystemCalls) -> float:
    return calls.by_name["sched_yield"] / calls.verified


@needs("perf-of-system-calls")
def test_perf_counts_each_call_of_each_process_and_thread(lab: Lab) -> None:
    for line, yields in zip(profiled(lab, {3: 7}), (7,), strict=True):
        calls = line.system_calls
        assert calls is not None and calls.tool == "perf" and calls.verified > 20, line.notes
        assert yields_each(calls) == pytest.approx(yields, rel=0.02)
        assert calls.by_name["sendto"] == pytest.approx(calls.verified, rel=0.02)
        assert sum(calls.by_name.values()) <= calls.total < 1.1 * sum(calls.by_name.values())


@needs("strace")
def test_strace_counts_them_where_perf_may_not_and_perf_what_the_processors_count(lab: Lab) -> None:
    perf = lab.folder / "bin" / "perf"
    perf.parent.mkdir()
    perf.write_text(WITHOUT_TRACEPOINTS)
    perf.chmod(0o755)
    lab.environment["PATH"] = f"{perf.parent}:{lab.environment['PATH']}"
    (line,) = profiled(lab, {3: 5})
    calls = line.system_calls
    assert calls is not None and calls.tool == "strace", line.notes
    assert yields_each(calls) == pytest.approx(5, rel=0.1)
    (note,) = (note for note in line.notes if "strace" in note.reason)
    assert "futex" in note.reason and "for root alone" in note.reason and "run as root" in note.remedy
    assert line.hardware is not None and line.hardware.verified > 20
    assert line.hardware.by_name == {"instructions": 49_153_066, "cycles": 51_372_841, "branch-misses": 1_103_422}


def test_without_either_tool_there_is_a_note_that_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    contender: Any = None
    load: Any = None
    notes: list[Problem] = []
    assert count_system_calls(contender, load, tmp_path, notes.append) is None
    (note,) = notes
    assert line_with(note.reason, "there is no") == snapshot
    assert "apt install linux-perf" in note.remedy


def test_what_a_machine_does_not_count_is_left_out() -> None:
    here = """# started on Sun Nov 29 21:19:55 2026

141991,,raw_syscalls:sys_enter,493485416,100.00,,
<not supported>,,instructions,0,100.00,,
<not counted>,,syscalls:sys_enter_bind,0,100.00,,
43,,page-faults:u,493485416,100.00,,
"""
    assert counts_by_event(here) == {"raw_syscalls:sys_enter": 141991, "page-faults": 43}


def test_events_of_processors_of_two_kinds_are_added_and_a_comma_for_a_point_is_none_of_them() -> None:
    hybrid = (
        "1000,,cpu_core/cycles/u,5000,62,50,,\n200,,cpu_atom/cycles/u,3000,37,50,,\n7,,cache-misses:u,8000,100,00,,"
    )
    assert counts_by_event(hybrid) == {"cycles": 1200, "cache-misses": 7}


@pytest.mark.parametrize("line", ["perf: no", "many,,cycles,1,100.00,,"])
def test_a_line_that_is_none_of_perf_stat_is_refused(line: str) -> None:
    with pytest.raises(Problem, match="perf stat"):
        counts_by_event(line)


def test_summaries_of_perf_trace_and_strace_are_added_over_threads() -> None:
    trace = (OUTPUTS / "perf-trace-6.1.txt").read_text()
    assert calls_by_name(trace, LINE_OF_TRACE) == {"poll": 24, "futex": 341, "recvfrom": 309, "sched_yield": 2156}
    strace = (OUTPUTS / "strace-6.1.txt").read_text()
    assert calls_by_name(strace, LINE_OF_STRACE) == {"futex": 14824, "poll": 23, "sched_yield": 1743}
